"""Many memories at once: shown first, done as shown, taken back at once."""

from stores.models import Memory, Role
from tests.console import hostile
from tests.console.cases import ConsoleTestCase, Page
from tests.factories import make_member, make_memory, make_store, make_user, make_version


class BulkCase(ConsoleTestCase):
    def setUp(self) -> None:
        self.client.force_login(self.owner)
        self.notes = [
            make_memory(actor=self.actor, store=self.store, path=f"/notes/{name}.md") for name in "abc"
        ]

    @property
    def bulk_url(self) -> str:
        return f"{self.store_url}bulk/"

    def paths(self) -> list[str]:
        return sorted(Memory.objects.filter(store_id=self.store.id).values_list("path", flat=True))

    def shown(self, form: dict) -> dict:
        """The preview's own form, as the browser sends it."""
        response = self.client.post(self.bulk_url, form)
        self.assertEqual(response.status_code, 200)
        found: dict[str, list[str]] = {}
        html = response.content.decode().partition('class="form form--after"')[2].partition("</form>")[0]
        for field in Page(html).all("input"):
            found.setdefault(field["name"], []).append(field.get("value") or "")
        return found

    def undo(self, page) -> None:
        [url] = [
            f["action"]
            for f in Page(page.content.decode()).all("form")
            if "/undo/" in (f.get("action") or "")
        ]
        self.client.post(url)


class Bulk(BulkCase):
    def test_the_folder_offers_it(self):
        page = self.page(f"{self.store_url}?folder=/notes/")
        self.assertEqual(
            [i["value"] for i in page.all("input") if i.get("name") == "memory"], [n.id for n in self.notes]
        )
        page = self.page(self.store_url)
        self.assertEqual(
            [i["value"] for i in page.all("input") if i.get("name") == "folders"], ["/notes/", "/policies/"]
        )

    def test_moves_what_is_ticked_after_a_preview(self):
        form = {"do": "move", "folder": "/notes/", "memory": [n.id for n in self.notes[:2]]}
        self.assertContains(self.client.post(self.bulk_url, form), "Into the folder")
        ready = self.shown(form | {"to": "old"})
        self.assertEqual(len(self.paths()), 4)
        self.assertIn("/notes/a.md", self.paths())
        page = self.client.post(self.bulk_url, ready | {"reason": "tidy"}, follow=True)
        self.assertContains(page, "2 memories moved.")
        self.assertEqual(self.paths(), ["/notes/c.md", "/old/a.md", "/old/b.md", "/policies/refunds.md"])
        self.undo(page)
        self.assertIn("/notes/a.md", self.paths())

    def test_deletes_and_takes_it_back(self):
        page = self.client.post(
            self.bulk_url, self.shown({"do": "delete", "folder": "/", "folders": "/notes/"}), follow=True
        )
        self.assertContains(page, "3 memories deleted.")
        self.assertEqual(self.paths(), ["/policies/refunds.md"])
        self.undo(page)
        self.assertEqual(len(self.paths()), 4)

    def test_renames_a_folder(self):
        form = {"do": "rename", "folder": "/notes/", "folders": "/notes/"}
        page = self.client.post(self.bulk_url, form)
        self.assertContains(page, 'value="/notes/"')
        ready = self.shown(form | {"to": "/Notizen/2026"})
        self.client.post(self.bulk_url, ready)
        self.assertEqual(self.paths()[0], "/Notizen/2026/a.md")

    def test_leaves_alone_and_names_what_is_in_the_way(self):
        make_memory(actor=self.actor, store=self.store, path="/old/a.md")
        form = {"do": "move", "folder": "/notes/", "memory": [n.id for n in self.notes], "to": "/old/"}
        self.assertContains(
            self.client.post(self.bulk_url, form), "Another memory is in the way at /old/a.md"
        )
        self.client.post(self.bulk_url, self.shown(form))
        self.assertIn("/notes/a.md", self.paths())
        self.assertIn("/old/b.md", self.paths())

    def test_what_changed_since_the_preview_is_shown_again(self):
        ready = self.shown({"do": "delete", "folder": "/", "folders": "/notes/"})
        make_version(actor=self.actor, memory=self.notes[0])
        response = self.client.post(self.bulk_url, ready)
        self.assertContains(response, "has changed since", status_code=400)
        self.assertEqual(len(self.paths()), 4)

    def test_bad_input_comes_back_with_the_reason(self):
        for form, words in (
            ({"do": "move", "to": "/x/"}, "Nothing is ticked"),
            ({"do": "delete"}, "Nothing is selected"),
            ({"do": "move", "folders": "/", "to": "/x/"}, "whole store"),
            ({"do": "move", "memory": self.notes[0].id, "to": "/a/../b"}, "segment"),
            ({"do": "move", "folders": "no folder", "to": "/x/"}, "start with"),
            ({"do": "rename", "memory": self.notes[0].id, "to": "/x/"}, "Tick the folder"),
            ({"do": "rename", "folders": "/notes/", "to": "/x\u202e/"}, "format character"),
        ):
            with self.subTest(form):
                self.assertContains(self.client.post(self.bulk_url, form), words, status_code=400)
        for form in (
            {"do": "nonsense"},
            {"memory": "\0"},
            {"folder": "\0", "do": "delete", "memory": "mem_\0"},
        ):
            self.assertLess(self.client.post(self.bulk_url, form).status_code, 500)

    def test_queries_do_not_grow_with_what_is_ticked(self):
        for ticked in (self.notes[:1], self.notes):
            form = {"do": "move", "memory": [n.id for n in ticked], "to": "/old/"}
            with self.assertNumQueries(7):
                self.client.post(self.bulk_url, form)

    def test_hostile_paths_are_text(self):
        bad = make_store(actor=self.actor)
        hostile.make_hostile_memories(actor=self.actor, store=bad)
        response = self.client.post(f"/stores/{bad.id}/bulk/", {"do": "delete", "folders": "/"})
        page = Page(response.content.decode())
        self.assertEqual((page.inline_code(), page.all("img")), ([], []))

    def test_rights(self):
        form = {"do": "delete", "folders": "/notes/"}
        for user, status in ((self.colleague, 403), (self.stranger, 403)):
            make_member(workspace=make_store().workspace, user=user, role=Role.VIEWER)
            self.client.force_login(user)
            self.assertIn(self.client.post(self.bulk_url, form).status_code, (status, 404))
        page = self.page(self.store_url, user=self.colleague)
        self.assertEqual([i for i in page.all("input") if i.get("name") in ("memory", "folders")], [])
        editor = make_user()
        make_member(workspace=self.workspace, user=editor, role=Role.EDITOR)
        self.client.force_login(editor)
        self.assertEqual(self.client.post(self.bulk_url, form).status_code, 200)
        self.assertEqual(self.client.get(self.bulk_url).status_code, 405)
