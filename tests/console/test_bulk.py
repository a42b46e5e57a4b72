"""Many memories at once: shown first, done as shown, taken back at once."""

from typing import Any
from unittest import mock

from stores.domain import bulk
from stores.models import Memory, MemoryVersion, Role
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

    def preview(self, form: dict) -> Any:
        return self.client.post(self.bulk_url, form, follow=True)

    def shown(self, form: dict) -> dict:
        """The preview's own form, as the browser sends it."""
        response = self.preview(form)
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
        self.assertContains(self.preview(form), "Into the folder")
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
        page = self.preview(form)
        self.assertContains(page, 'value="/notes/"')
        ready = self.shown(form | {"to": "/Notizen/2026"})
        self.client.post(self.bulk_url, ready)
        self.assertEqual(self.paths()[0], "/Notizen/2026/a.md")

    def test_leaves_alone_and_names_what_is_in_the_way(self):
        make_memory(actor=self.actor, store=self.store, path="/old/a.md")
        form = {"do": "move", "folder": "/notes/", "memory": [n.id for n in self.notes], "to": "/old/"}
        self.assertContains(self.preview(form), "Another memory is in the way at /old/a.md")
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
                self.assertContains(self.preview(form), words, status_code=400)
        for form in (
            {"do": "nonsense"},
            {"memory": "\0"},
            {"folder": "\0", "do": "delete", "memory": "mem_\0"},
        ):
            self.assertLess(self.preview(form).status_code, 500)
            self.assertLess(self.preview(form | {"digest": "x", "first": "\0"}).status_code, 500)

    def test_queries_do_not_grow_with_what_is_ticked(self):
        for ticked in (self.notes[:1], self.notes):
            form = {"do": "move", "memory": [n.id for n in ticked], "to": "/old/"}
            with self.assertNumQueries(7):
                self.client.get(self.bulk_url, form)

    def test_hostile_paths_are_text(self):
        bad = make_store(actor=self.actor)
        hostile.make_hostile_memories(actor=self.actor, store=bad)
        response = self.client.get(f"/stores/{bad.id}/bulk/", {"do": "delete", "folders": "/"})
        page = Page(response.content.decode())
        self.assertEqual((page.inline_code(), page.all("img")), ([], []))

    def test_rights(self):
        form = {"do": "delete", "folders": "/notes/"}
        for user, status in ((self.colleague, 403), (self.stranger, 403)):
            make_member(workspace=make_store().workspace, user=user, role=Role.VIEWER)
            self.client.force_login(user)
            self.assertIn(self.client.post(self.bulk_url, form).status_code, (status, 404))
            self.assertIn(self.client.get(self.bulk_url, form).status_code, (status, 404))
        page = self.page(self.store_url, user=self.colleague)
        self.assertEqual([i for i in page.all("input") if i.get("name") in ("memory", "folders")], [])
        editor = make_user()
        make_member(workspace=self.workspace, user=editor, role=Role.EDITOR)
        self.client.force_login(editor)
        self.assertEqual(self.preview(form).status_code, 200)


class Addresses(BulkCase):
    def test_a_preview_has_one(self):
        form = {"do": "delete", "folder": "/notes/", "memory": [n.id for n in self.notes]}
        response = self.client.post(self.bulk_url, form)
        self.assertEqual(response.status_code, 303)
        for _ in range(2):
            self.assertContains(self.client.get(response["Location"]), "Delete 3 memories")
        self.assertEqual(len(self.paths()), 4)
        address = f"{self.bulk_url}?do=rename&folder=/notes/&folders=/notes/"
        self.assertContains(self.client.get(address), "New name of the folder")
        self.assertContains(self.client.get(f"{address}&to=/x/"), "Rename 3 memories")

    def test_more_ticks_than_an_address_holds_are_shown_without_one(self):
        for number in range(120):
            make_memory(actor=self.actor, store=self.store, path=f"/many/{number}.md")
        many = list(Memory.objects.filter(path__startswith="/many/").values_list("id", flat=True))
        form = {"do": "delete", "folder": "/many/", "memory": many}
        self.assertEqual(self.client.post(self.bulk_url, form).status_code, 200)
        page = self.client.post(self.bulk_url, self.shown(form), follow=True)
        self.assertContains(page, "120 memories deleted.")

    def test_without_anything_to_do_lead_to_the_folder(self):
        self.assertRedirects(self.client.get(self.bulk_url), self.store_url)
        response = self.client.get(self.bulk_url, {"folder": "/notes/"})
        self.assertRedirects(response, f"{self.store_url}?folder=%2Fnotes%2F")


class Twice(BulkCase):
    """The same page sent a second time, as by a double click."""

    def send_twice(self, form: dict, *, words: str) -> Any:
        ready = self.shown(form)
        self.client.post(self.bulk_url, ready)
        # Its answer is never shown: the browser waits for the second one.
        del self.client.cookies["messages"]
        before = MemoryVersion.objects.count()
        page = self.client.post(self.bulk_url, ready, follow=True)
        self.assertContains(page, f"This was done already: {words}.")
        self.assertEqual(MemoryVersion.objects.count(), before)
        return page

    def test_deletes_once_and_keeps_the_undo(self):
        for form, words in (
            ({"memory": self.notes[0].id}, "1 memory deleted"),
            ({"memory": self.notes[1].id, "folders": "/policies/"}, "2 memories deleted"),
        ):
            with self.subTest(words):
                self.undo(self.send_twice({"do": "delete", "folder": "/notes/", **form}, words=words))
                self.assertEqual(len(self.paths()), 4)
                self.assertIn("/notes/a.md", self.paths())

    def test_moves_once_and_keeps_the_undo(self):
        for form in (
            {"do": "move", "memory": [n.id for n in self.notes], "to": "/old/"},
            {"do": "move", "folders": "/notes/", "to": "/old/"},
            {"do": "rename", "folders": "/notes/", "to": "/old/"},
            # Into itself: a second time it would go on.
            {"do": "rename", "folders": "/notes/", "to": "/notes/old/"},
        ):
            with self.subTest(form):
                self.undo(self.send_twice(form, words="3 memories moved"))
                self.assertIn("/notes/a.md", self.paths())

    def test_both_at_the_same_time(self):
        ready = self.shown({"do": "delete", "folder": "/notes/", "memory": self.notes[0].id})
        stale = bulk.plan_delete(
            actor=self.actor,
            store_id=self.store.id,
            selection=bulk.Selection(memory_ids=[self.notes[0].id]),
        )
        self.client.post(self.bulk_url, ready)
        real = bulk.plan_delete
        with mock.patch.object(bulk, "plan_delete") as planned:
            planned.side_effect = lambda **asked: stale if planned.call_count == 1 else real(**asked)
            page = self.client.post(self.bulk_url, ready, follow=True)
        self.assertContains(page, "This was done already: 1 memory deleted.")

    def test_what_came_since_is_shown_and_not_done(self):
        ready = self.shown({"do": "delete", "folder": "/", "folders": "/notes/"})
        self.client.post(self.bulk_url, ready)
        make_memory(actor=self.actor, store=self.store, path="/notes/new.md")
        response = self.client.post(self.bulk_url, ready)
        self.assertContains(response, "This was done already, and the store", status_code=400)
        self.assertIn("/notes/new.md", self.paths())

    def test_what_was_done_in_part_or_by_somebody_else_is_not_done(self):
        ready = self.shown({"do": "delete", "folder": "/", "folders": "/notes/"})
        self.client.post(f"{self.store_url}memories/{self.notes[0].id}/delete/")
        response = self.client.post(self.bulk_url, ready)
        self.assertContains(response, "Nothing was done yet", status_code=400)
        ready = self.shown({"do": "delete", "folder": "/", "memory": self.notes[1].id})
        editor = make_user()
        make_member(workspace=self.workspace, user=editor, role=Role.EDITOR)
        other = self.client_class()
        other.force_login(editor)
        other.post(self.bulk_url, ready)
        self.assertNotContains(
            self.client.post(self.bulk_url, ready), "This was done already", status_code=400
        )
