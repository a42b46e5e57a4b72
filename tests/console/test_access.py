"""Who is let in: the same questions of every page."""

from urllib.parse import quote

from stores.models import Membership, Role
from tests.console.cases import HTMX, ConsoleTestCase
from tests.factories import make_member, make_store, make_user, make_workspace

UNKNOWN = "01" + "0" * 22


class EveryPage(ConsoleTestCase):
    def addresses(self) -> list[str]:
        return ["/", "/stores/", "/connect/", "/keys/", "/search/?q=30+days", "/activity/", *self.pages()]

    def test_asks_to_sign_in_and_remembers_the_address(self):
        for path in self.addresses()[1:]:
            with self.subTest(path):
                self.assertRedirects(
                    self.client.get(path),
                    f"/login/?next={quote(path, safe='')}",
                    fetch_redirect_response=False,
                )
        self.assertRedirects(self.client.get("/"), "/login/")

    def test_never_swaps_the_sign_in_page_into_a_page(self):
        for path in self.addresses():
            with self.subTest(path):
                here = {"HX-Current-URL": f"http://testserver{self.memory_url}"}
                response = self.client.get(path, headers=HTMX | here)
                self.assertEqual(response["HX-Redirect"], f"/login/?next={quote(self.memory_url, safe='')}")
                self.assertEqual(response.content, b"")

    def test_never_sends_anybody_to_another_site(self):
        headers = HTMX | {"HX-Current-URL": "https://evil.example/stores/"}
        self.assertEqual(self.client.get("/stores/", headers=headers)["HX-Redirect"], "/login/?next=%2F")

    def test_is_there_for_a_colleague_who_may_only_read(self):
        for path in self.pages():
            with self.subTest(path):
                self.assertEqual(self.get(path, user=self.colleague).status_code, 200)

    def test_does_not_exist_for_a_stranger(self):
        for path in self.pages():
            for headers in ({}, HTMX):
                with self.subTest(path, headers=headers):
                    response = self.get(path, user=self.stranger, **headers)
                    self.assertEqual(response.status_code, 404)
                    self.assertNotIn("Refunds", response.content.decode())

    def test_of_a_stranger_looks_like_one_that_never_was(self):
        for path in self.pages():
            unknown = path.replace(self.store.id, f"memstore_{UNKNOWN}")
            with self.subTest(path):
                self.assertEqual(
                    self.get(path, user=self.stranger).content, self.get(unknown, user=self.stranger).content
                )

    def test_does_not_exist_below_another_store(self):
        other = make_store(actor=self.actor)
        for path in (
            self.memory_url,
            f"{self.memory_url}history/",
            f"{self.memory_url}blame/",
            f"{self.store_url}diff/?to={self.memory.head_version_id}",
            self.version_url,
        ):
            with self.subTest(path):
                self.assertEqual(self.get(path.replace(self.store.id, other.id)).status_code, 404)

    def test_does_not_exist_with_an_id_that_is_none(self):
        for path in (
            "/stores/nothing/",
            "/stores/memstore_%00/",
            f"{self.store_url}memories/mem_%00x/",
            f"{self.store_url}memories/mem_{UNKNOWN}/",
            f"{self.store_url}memories/mem_{UNKNOWN}/history/",
            f"{self.store_url}memories/mem_{UNKNOWN}/blame/",
            f"{self.store_url}diff/?to=memver_{UNKNOWN}",
            f"{self.store_url}versions/memver_{UNKNOWN}/",
            f"{self.store_url}versions/{self.memory.id}/",
            f"{self.store_url}memories/{'mem_' + 'x' * 300}/",
        ):
            with self.subTest(path):
                self.assertEqual(self.get(path).status_code, 404)

    def test_changes_nothing_by_reading_and_takes_no_other_method(self):
        self.client.force_login(self.owner)
        for path in self.addresses():
            for method in (self.client.post, self.client.put, self.client.delete):
                with self.subTest(path, method=method):
                    self.assertEqual(method(path).status_code, 405)

    def test_is_never_kept_in_a_cache(self):
        for path in self.pages():
            with self.subTest(path):
                self.assertIn("no-store", self.get(path)["Cache-Control"])


class SomebodyWithoutWorkspace(ConsoleTestCase):
    def test_is_told_so(self):
        loner = make_user(email="lone@example.com", name="Lone")
        for path in ("/", "/stores/", *self.pages()):
            with self.subTest(path):
                response = self.get(path, user=loner)
                self.assertEqual(response.status_code, 403)
                self.assertIn("You belong to no workspace yet", response.content.decode())

    def test_is_whoever_lost_the_membership_a_moment_ago(self):
        self.assertEqual(self.get(self.store_url, user=self.colleague).status_code, 200)
        Membership.objects.filter(user=self.colleague).delete()
        self.assertEqual(self.client.get(self.store_url).status_code, 403)


class Workspaces(ConsoleTestCase):
    def setUp(self):
        self.second = make_workspace(name="Zebra Ltd")
        make_member(workspace=self.second, user=self.owner, role=Role.VIEWER)
        self.client.force_login(self.owner)

    def choose(self, workspace_id: str):
        return self.client.post("/workspace/", {"workspace_id": workspace_id}, follow=True)

    def test_the_first_by_name_is_chosen_at_first(self):
        self.assertContains(self.client.get("/stores/"), "Support")

    def test_another_one_is_kept_in_the_session(self):
        response = self.choose(self.second.id)
        self.assertContains(response, "You are now in Zebra Ltd.")
        self.assertNotContains(self.client.get("/stores/"), "Support")
        self.choose(self.workspace.id)
        self.assertContains(self.client.get("/stores/"), "Support")

    def test_one_that_is_somebody_elses_is_refused(self):
        foreign = Membership.objects.get(user=self.stranger).workspace_id
        for workspace_id in (foreign, "", "wrkspc_nothing", "\0"):
            with self.subTest(workspace_id):
                self.assertEqual(self.choose(workspace_id).status_code, 404)
        self.assertContains(self.client.get("/stores/"), "Support")

    def test_a_chosen_one_that_is_lost_gives_way_to_another(self):
        self.choose(self.second.id)
        Membership.objects.filter(user=self.owner, workspace=self.second).delete()
        self.assertContains(self.client.get("/stores/"), "Support")

    def test_the_switch_is_offered_only_where_there_is_a_choice(self):
        self.assertContains(self.client.get("/stores/"), "Switch workspace")
        self.assertNotContains(self.get("/stores/", user=self.colleague), "Switch workspace")
