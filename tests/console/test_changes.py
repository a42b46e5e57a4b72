"""Moving, deleting, restoring, and taking each of them back."""

from stores.domain import memories, versions
from stores.domain.stores import archive_store
from stores.models import Memory, MemoryVersion
from tests.console.cases import ConsoleTestCase, Page
from tests.factories import make_memory, make_version


class ChangeCase(ConsoleTestCase):
    def setUp(self) -> None:
        self.client.force_login(self.owner)

    def undo_url(self, response) -> str:
        """Where the undo bar of the page leads."""
        [url] = [
            form["action"]
            for form in Page(response.content.decode()).all("form")
            if (form.get("action") or "").endswith("/undo/")
        ]
        return url or ""

    def live(self) -> dict[str, int]:
        return dict(Memory.objects.filter(store_id=self.store.id).values_list("path", "head_seq"))


class Moving(ChangeCase):
    @property
    def move_url(self) -> str:
        return f"{self.memory_url}move/"

    def test_moves_at_once_and_can_be_undone(self):
        form = {"path": "old/refunds.md", "reason": "tidy"}
        page = self.client.post(self.move_url, form, follow=True)
        self.assertContains(page, "Moved.")
        self.assertEqual(self.live(), {"/old/refunds.md": 2})
        self.assertEqual(MemoryVersion.objects.get(memory_id=self.memory.id, seq=2).reason, "tidy")
        page = self.client.post(self.undo_url(page), follow=True)
        self.assertContains(page, "Undone.")
        self.assertEqual(self.live(), {"/policies/refunds.md": 3})
        self.client.post(self.undo_url(page))
        self.assertEqual(self.live(), {"/old/refunds.md": 4})

    def test_names_what_is_in_the_way_and_keeps_what_was_typed(self):
        other = make_memory(actor=self.actor, store=self.store, path="/taken.md")
        response = self.client.post(self.move_url, {"path": "/taken.md", "reason": "kept"})
        self.assertContains(response, f"/memories/{other.id}/", status_code=409)
        self.assertContains(response, 'value="/taken.md"', status_code=409)
        self.assertContains(response, 'value="kept"', status_code=409)

    def test_refuses_what_is_no_path(self):
        for path in ("/", "/a//b", "/x\n"):
            self.assertEqual(self.client.post(self.move_url, {"path": path}).status_code, 400)

    def test_the_same_path_makes_no_version(self):
        self.assertContains(
            self.client.post(self.move_url, {"path": "/policies/refunds.md"}, follow=True),
            "Nothing was changed",
        )
        self.assertEqual(self.live(), {"/policies/refunds.md": 1})


class Deleting(ChangeCase):
    @property
    def delete_url(self) -> str:
        return f"{self.memory_url}delete/"

    def test_lands_on_the_folder_with_an_undo(self):
        response = self.client.post(self.delete_url, {"seen": self.memory.content_sha256})
        self.assertRedirects(
            response, f"{self.store_url}?folder=%2Fpolicies%2F", fetch_redirect_response=False
        )
        page = self.client.get(response["Location"])
        self.assertContains(page, "Deleted. Its history is kept.")
        self.assertEqual(self.live(), {})
        page = self.client.post(self.undo_url(page), follow=True)
        self.assertContains(page, "30 days.")
        self.assertEqual(self.live(), {"/policies/refunds.md": 1})

    def test_what_was_not_seen_is_not_deleted(self):
        make_version(actor=self.actor, memory=self.memory, content="Newer")
        page = self.client.post(self.delete_url, {"seen": self.memory.content_sha256}, follow=True)
        self.assertContains(page, "Not deleted")
        self.assertContains(page, "Newer")
        self.assertEqual(self.live(), {"/policies/refunds.md": 2})

    def test_twice_is_no_error(self):
        self.client.post(self.delete_url)
        self.assertContains(self.client.post(self.delete_url, follow=True), "deleted already")

    def test_undo_does_not_overwrite_what_took_the_path(self):
        page = self.client.post(self.delete_url, follow=True)
        make_memory(actor=self.actor, store=self.store, path="/policies/refunds.md", content="Another")
        page = self.client.post(self.undo_url(page), follow=True)
        self.assertContains(page, "Nothing was undone")
        self.assertEqual(Memory.objects.get().head_seq, 1)

    def test_a_deleted_memory_is_brought_back_from_its_history(self):
        self.client.post(self.delete_url)
        self.client.get("/stores/")
        history = self.client.get(f"{self.memory_url}history/")
        self.assertContains(history, "Bring it back")
        self.client.post(self.undo_url(history))
        self.assertEqual(self.live(), {"/policies/refunds.md": 1})

    def test_works_in_an_archived_store(self):
        archive_store(actor=self.actor, store_id=self.store.id)
        page = self.client.get(self.memory_url)
        self.assertNotContains(page, f"{self.memory_url}edit/")
        self.assertContains(page, self.delete_url)
        self.client.post(self.delete_url)
        self.assertEqual(self.live(), {})


class Restoring(ChangeCase):
    def restore_url(self, version_id: str) -> str:
        return f"{self.store_url}versions/{version_id}/restore/"

    def test_writes_a_version_that_says_so(self):
        make_version(actor=self.actor, memory=self.memory, content="90 days.\n")
        first = self.memory.head_version_id
        self.assertContains(self.client.get(f"{self.store_url}versions/{first}/"), "Restore v1")
        self.assertContains(self.client.get(self.restore_url(first)), "<ins>")
        page = self.client.post(self.restore_url(first), {"reason": "It is 30"}, follow=True)
        self.assertContains(page, "v3 is a restore of v1")
        self.assertContains(page, "Restore of v1")
        page = self.client.post(self.undo_url(page), follow=True)
        self.assertContains(page, "90 days.")

    def test_brings_a_deleted_memory_back_as_a_new_one(self):
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        page = self.client.post(self.restore_url(self.memory.head_version_id), follow=True)
        self.assertContains(page, "30 days.")
        self.assertNotEqual(Memory.objects.get().id, self.memory.id)

    def test_says_what_is_in_the_way(self):
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        other = make_memory(actor=self.actor, store=self.store, path="/policies/refunds.md")
        response = self.client.post(self.restore_url(self.memory.head_version_id), {"reason": "kept"})
        self.assertContains(response, f"/memories/{other.id}/", status_code=409)
        self.assertContains(response, 'value="kept"', status_code=409)

    def test_of_a_redacted_version_there_is_nothing(self):
        make_version(actor=self.actor, memory=self.memory)
        first = self.memory.head_version_id
        versions.redact_version(actor=self.actor, store_id=self.store.id, version_id=first)
        self.assertContains(self.client.get(self.restore_url(first)), "nothing in this version")
        self.assertEqual(self.client.post(self.restore_url(first)).status_code, 409)

    def test_the_live_text_changes_nothing(self):
        page = self.client.post(self.restore_url(self.memory.head_version_id), follow=True)
        self.assertContains(page, "Nothing was changed")
        self.assertEqual(self.live(), {"/policies/refunds.md": 1})

    def test_queries_are_fixed(self):
        make_version(actor=self.actor, memory=self.memory)
        with self.assertNumQueries(7):
            self.client.get(self.restore_url(self.memory.head_version_id))


class Undoing(ChangeCase):
    def test_leaves_alone_what_others_built_on(self):
        version = make_version(actor=self.actor, memory=self.memory, content="Mine")
        from stores.domain.actors import Road, session_actor

        agent = session_actor(
            session_id="sesn_01" + "k" * 22, label="agent", workspace_id=self.workspace.id, road=Road.TOOL
        )
        make_version(actor=agent, memory=self.memory, content="Theirs")
        page = self.client.post(f"{self.store_url}versions/{version.id}/undo/", follow=True)
        self.assertContains(page, "Nothing was undone")
        self.assertEqual(self.live(), {"/policies/refunds.md": 3})

    def test_strangers_find_nothing(self):
        self.client.force_login(self.stranger)
        version = f"{self.store_url}versions/{self.memory.head_version_id}/"
        for url in (
            f"{version}undo/",
            f"{version}restore/",
            f"{self.memory_url}delete/",
            f"{self.memory_url}move/",
        ):
            with self.subTest(url):
                self.assertEqual(self.client.post(url, {"path": "/x"}).status_code, 404)


class OtherMethods(ConsoleTestCase):
    def test_the_address_of_an_act_leads_to_what_it_is_about(self):
        self.client.force_login(self.owner)
        self.assertRedirects(self.client.get(f"{self.memory_url}delete/"), self.memory_url)
        self.assertRedirects(self.client.get(f"{self.version_url}undo/"), self.version_url)
        self.assertEqual(MemoryVersion.objects.count(), 1)

    def test_what_an_address_does_not_take_is_said_on_a_page(self):
        self.client.force_login(self.owner)
        settings_url = f"{self.store_url}settings/"
        for url in ("/theme/", "/workspace/", f"{settings_url}archive/", f"{settings_url}delete/"):
            with self.subTest(url):
                response = self.client.get(url)
                self.assertContains(response, "it only takes what a button sends", status_code=405)
                self.assertEqual(response["Allow"], "POST")
        response = self.client.post(self.version_url)
        self.assertContains(response, "a page to read", status_code=405)
        self.assertIn("GET", response["Allow"])
        response = self.client.get("/v1/memory_stores", headers={"accept": "text/html"})
        self.assertNotContains(response, "<h1>", status_code=401)
