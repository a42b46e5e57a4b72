"""A few promises that hold on every page: links between workspaces, errors, long texts, deep trees."""

from urllib.parse import quote

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memconsole.logs import OnlyAWarning
from stores.console.tree import OUTER_ITEMS, build_tree, read_folder
from stores.domain.actors import member_actor
from stores.domain.stores import archive_store, update_store
from stores.models import Membership, Role
from tests.console.cases import HTMX, ConsoleTestCase
from tests.factories import make_member, make_memory, make_store, make_workspace


class LinksIntoAnotherWorkspace(ConsoleTestCase):
    def setUp(self):
        self.second = make_workspace(name="Zebra Ltd")
        membership = make_member(workspace=self.second, user=self.owner, role=Role.VIEWER)
        make_store(actor=self.actor, name="Keeps the first one chosen")
        admin = make_member(workspace=self.second, role=Role.ADMIN)
        self.there = make_store(actor=member_actor(membership=admin), name="Stripes")
        self.membership = membership
        self.client.force_login(self.owner)

    def test_are_opened_and_the_workspace_stays_chosen(self):
        self.assertContains(self.client.get("/stores/"), "Support")
        page = self.client.get(f"/stores/{self.there.id}/")
        self.assertContains(page, "Stripes")
        self.assertEqual(page.wsgi_request.member.membership, self.membership)
        self.assertNotContains(self.client.get("/stores/"), "Support")
        for path in self.pages():
            with self.subTest(path):
                self.client.get(f"/stores/{self.there.id}/")
                self.assertEqual(self.client.get(path).status_code, 200)
                self.assertContains(self.client.get("/stores/"), "Support")

    def test_with_the_role_that_one_has_there(self):
        Membership.objects.filter(user=self.owner, workspace=self.workspace).update(role=Role.VIEWER)
        new = f"/stores/{self.there.id}/memories/new/"
        self.assertEqual(self.client.get(new).status_code, 403)
        Membership.objects.filter(id=self.membership.id).update(role=Role.EDITOR)
        self.client.post("/workspace/", {"workspace_id": self.workspace.id})
        self.assertEqual(self.client.get(new).status_code, 200)

    def test_cost_nothing_where_the_store_is_in_the_chosen_one(self):
        self.client.get(self.memory_url)
        with CaptureQueriesContext(connection) as alone:
            self.client.get(self.memory_url)
        stores = [q for q in alone if 'workspace_id" IN' in q["sql"] and "stores_memorystore" in q["sql"]]
        self.assertEqual(stores, [])

    def test_of_others_and_of_nobody_stay_alike(self):
        foreign = make_store(name="Foreign")
        unknown = "memstore_01" + "0" * 22
        answers = [self.client.get(f"/stores/{id_}/") for id_ in (foreign.id, unknown)]
        self.assertEqual([a.status_code for a in answers], [404, 404])
        self.assertEqual(answers[0].content, answers[1].content)
        self.assertContains(self.client.get("/stores/"), "Support")


class SignInAgain(ConsoleTestCase):
    def test_leads_to_the_page_that_was_clicked(self):
        here = {"HX-Current-URL": f"http://testserver{self.store_url}"}
        for target, path in (("main", f"{self.memory_url}history/"), ("stores", "/stores/?q=x")):
            with self.subTest(target):
                response = self.client.get(path, headers=HTMX | here | {"HX-Target": target})
                self.assertEqual(response["HX-Redirect"], f"/login/?next={quote(path, safe='')}")


class Errors(ConsoleTestCase):
    def test_are_kept_in_no_cache(self):
        for path in (
            "/nothing/",
            "/stores/nothing/",
            f"/stores/memstore_01{'0' * 22}/",
            "/static/nothing.js",
        ):
            with self.subTest(path):
                response = self.get(path)
                self.assertEqual(response.status_code, 404)
                self.assertIn("no-store", response["Cache-Control"])
        response = self.client.get("/", headers={"host": "evil.example"})
        self.assertEqual(response.status_code, 400)
        self.assertIn("no-store", response["Cache-Control"])

    def test_of_a_bad_host_are_one_line(self):
        with self.assertLogs("django.security.DisallowedHost") as logged:
            self.client.get("/", headers={"host": "evil\n.example"})
        [record] = logged.records
        self.assertTrue(OnlyAWarning().filter(record))
        self.assertEqual((record.levelname, record.exc_info), ("WARNING", None))
        self.assertNotIn("\n", record.getMessage())


class ListOfStores(ConsoleTestCase):
    def test_says_when_archived_ones_match(self):
        archive_store(actor=self.actor, store_id=self.store.id)
        make_store(actor=self.actor, name="Other")
        page = self.page("/stores/?q=supp", **HTMX)
        self.assertIn("1 archived one has: show it", page.text)
        self.assertIn("/stores/?q=supp&archived=1", page.links())
        self.assertNotIn("archived one", self.page("/stores/?q=nowhere", **HTMX).text)


class LongDescription(ConsoleTestCase):
    def test_is_folded_and_a_short_one_is_not(self):
        self.assertEqual(self.details(), 0)
        for long in ("words " * 100, "a\nb\nc\nd"):
            update_store(actor=self.actor, store_id=self.store.id, description=long)
            with self.subTest(long[:9]):
                self.assertEqual(self.details(), 1)

    def details(self) -> int:
        return len([d for d in self.page(self.memory_url).all("details") if "brief" in (d["class"] or "")])


class LinesBeyondTheEnd(ConsoleTestCase):
    def test_are_answered_by_the_last_page(self):
        memory = make_memory(actor=self.actor, store=self.store, content="x\n" * 5000)
        for path in (
            f"{self.store_url}memories/{memory.id}/",
            f"{self.store_url}versions/{memory.head_version_id}/",
        ):
            for first in ("5001", "9999999"):
                with self.subTest(path, first=first):
                    page = self.page(f"{path}?from={first}")
                    lines = [d["id"] for d in page.all("div") if d.get("class") == "code__l"]
                    self.assertEqual((lines[0], lines[-1]), ("L4001", "L5000"))


class DeepTree(ConsoleTestCase):
    def test_shows_a_few_siblings_by_two_queries_a_level(self):
        folder = "/"
        for level in range(8):
            for number in range(40):
                make_memory(actor=self.actor, store=self.store, path=f"{folder}{number:02}.md")
            folder += f"deep{level}/"
        last = make_memory(actor=self.actor, store=self.store, path=f"{folder}last.md")
        reading = {"actor": self.actor, "store_id": self.store.id, "folder": folder}
        here = read_folder(**reading)
        with CaptureQueriesContext(connection) as queries:
            nodes = build_tree(**reading, here=here, memory_id=last.id)
        self.assertLessEqual(len(queries), 1 + 2 * 8)
        for _ in range(8):
            shown = [node for node in nodes if node["kind"] != "step"]
            self.assertLessEqual(len(shown), OUTER_ITEMS)
            [opened] = [node for node in shown if node.get("open")]
            self.assertTrue(len(shown) == OUTER_ITEMS or nodes[0]["word"] == "from the first")
            nodes = opened["nodes"]
        self.assertEqual([node["name"]["text"] for node in nodes], ["last.md"])
