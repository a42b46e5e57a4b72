"""A store back to what it was at a moment: shown first, done as shown, taken back at once."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

from stores.domain.stores import archive_store
from stores.domain.versions import redact_version
from stores.models import Memory, MemoryVersion, Role
from tests.console import hostile
from tests.console.cases import Page
from tests.console.test_moments import BEGIN, MomentTestCase
from tests.console.test_undo import preview_form
from tests.factories import make_member, make_memory, make_store, make_user, make_version


class GoingBack(MomentTestCase):
    def setUp(self) -> None:
        self.client.force_login(self.owner)

    def address(self, hours: float = 2, query: str = "&folders=/") -> str:
        return f"{self.url}restore/?at={quote((BEGIN + timedelta(hours=hours)).isoformat())}{query}"

    def form(self, url: str = "") -> dict[str, Any]:
        return preview_form(self.page(url or self.address()))

    def send(self, form: dict[str, Any]) -> Any:
        return self.client.post(self.address(query=""), form, follow=True)

    def paths(self) -> list[str]:
        return sorted(Memory.objects.filter(store=self.old).values_list("path", flat=True))

    def contents(self) -> dict[str, str | None]:
        heads = dict(Memory.objects.filter(store=self.old).values_list("path", "head_version_id"))
        texts = dict(MemoryVersion.objects.values_list("id", "content"))
        return {path: texts[head] for path, head in heads.items()}

    def undo(self, response: Any) -> None:
        forms = Page(response.content.decode()).all("form")
        [url] = [form["action"] for form in forms if "/undo/" in (form.get("action") or "")]
        self.client.post(url)

    def test_is_offered_on_both_pages(self):
        restore = [link for link in self.at(2).links() if "as-of/restore/" in link]
        self.assertEqual(len(restore), 1)
        self.assertIn("folders=%2F", restore[0])
        self.assertEqual(len([li for li in self.at(2, "&folder=/a/").links() if "as-of/restore/" in li]), 2)
        compared = self.at(2, "&with=now")
        self.assertIn("Restore the whole store", compared.text)
        self.assertEqual(len([i for i in compared.all("input") if i.get("type") == "checkbox"]), 4)
        # Now there is nothing to go back to, and colleagues may only read.
        for page in (
            self.page(self.url),
            self.page(f"{self.url}?at=2031-01-01"),
            self.page(f"{self.url}?at=2026-03-02T11:00Z", user=self.colleague),
            self.page(f"{self.url}?at=2026-03-02T11:00Z&with=now", user=self.colleague),
        ):
            self.assertNotIn("as-of/restore", page.html)

    def test_shows_what_would_happen_does_it_and_takes_it_back(self):
        before = self.contents()
        page = self.page(self.address())
        self.assertIn("3 memories: 1 restored, 1 moved back, 1 brought back.", page.text)
        self.assertIn("What was written first after that moment stays.", page.text)
        response = self.send(self.form() | {"reason": "as on Monday"})
        self.assertContains(response, "Back as then: 3 memories.")
        self.assertEqual(
            self.contents(),
            {"/a/gone.md": "1\n", "/a/kept.md": "1\n", "/late.md": before["/late.md"], "/named.md": "1\n"},
        )
        self.assertEqual(MemoryVersion.objects.filter(reason="as on Monday").count(), 3)
        self.undo(response)
        self.assertEqual(self.contents(), before)

    def test_deletes_what_came_later_on_wish(self):
        self.send(self.form(self.address(query="&folders=/&later=1")))
        self.assertEqual(self.paths(), ["/a/gone.md", "/a/kept.md", "/named.md"])

    def test_of_a_folder_only(self):
        page = self.page(self.address(query="&folders=/a/"))
        self.assertIn("Restore a folder", page.text)
        self.send(preview_form(page))
        self.assertEqual(self.paths(), ["/a/gone.md", "/a/kept.md", "/b/new.md", "/late.md"])

    def test_of_what_is_ticked_on_either_page(self):
        shown = self.client.post(self.address(query=""), {"memory": [self.gone.id], "folders": []})
        form = preview_form(Page(shown.content.decode()))
        self.assertEqual(len(form["tick"]), 1)
        self.send(form)
        self.assertIn("/a/gone.md", self.paths())
        late = Memory.objects.get(store=self.old, path="/late.md")
        shown = self.client.post(self.address(query=""), {"memory": [late.id, self.kept.id], "later": "1"})
        self.assertContains(shown, "1 restored, 1 deleted")
        self.send(preview_form(Page(shown.content.decode())))
        self.assertEqual(self.paths(), ["/a/gone.md", "/a/kept.md", "/b/new.md"])
        self.assertEqual(self.contents()["/a/kept.md"], "1\n")

    def test_leaves_what_is_not_ticked_in_the_preview(self):
        form = self.form()
        ticks = [tick for tick in form["tick"] if tick.startswith(self.kept.id)]
        self.send(form | {"tick": ticks})
        self.assertEqual(self.paths(), ["/a/kept.md", "/b/new.md", "/late.md"])
        self.assertContains(self.send(self.form() | {"tick": []}), "Nothing is ticked", status_code=400)

    def test_nothing_ticked_goes_back_and_says_so(self):
        response = self.client.post(self.address(query=""), {}, follow=True)
        self.assertContains(response, "Tick what is to be restored.")

    def test_names_what_cannot_be_restored(self):
        redact_version(actor=self.actor, store_id=self.old.id, version_id=self.gone.head_version_id)
        make_memory(actor=self.actor, store=self.old, path="/named.md/x", content="taker\n")
        page = self.page(self.address())
        self.assertIn("2 cannot be restored", page.text)
        self.assertIn("Another memory is in the way at /named.md/x.", page.text)
        self.assertIn("The text is redacted or no longer kept.", page.text)
        self.assertNotIn("/a/gone.md", page.text)

    def test_what_changed_since_the_preview_is_shown_again(self):
        form = self.form()
        make_version(actor=self.actor, memory=self.kept, content="mine\n")
        response = self.send(form)
        self.assertContains(response, "Of what was ticked, 1 memory changed.", status_code=400)
        self.assertEqual(self.contents()["/a/kept.md"], "mine\n")
        self.assertContains(response, "New</span>", status_code=400)

    def test_what_an_agent_goes_on_writing_does_not_hold_up_the_rest(self):
        form = self.form()
        make_version(actor=self.actor, memory=self.kept, content="mine\n")
        again = preview_form(Page(self.send(form).content.decode()))
        make_version(actor=self.actor, memory=self.kept, content="and mine again\n")
        self.send(again)
        self.assertIn("/a/gone.md", self.paths())
        self.assertEqual(self.contents()["/a/kept.md"], "and mine again\n")

    def test_a_second_click_does_nothing_more(self):
        form = self.form()
        self.send(form)
        count = MemoryVersion.objects.count()
        self.assertContains(self.send(form), "what was ticked is as it was then already")
        self.assertEqual(MemoryVersion.objects.count(), count)
        self.assertIn("There is nothing to restore", self.page(self.address()).text)

    def test_an_archived_store_refuses_and_says_so(self):
        archive_store(actor=self.actor, store_id=self.old.id)
        self.assertNotIn("as-of/restore", self.at(2).html)
        response = self.client.get(self.address())
        self.assertContains(response, "archived", status_code=400)

    def test_refuses_what_is_none_of_its(self):
        stranger = make_store()
        for url in (
            f"{self.url}restore/?folders=/",
            f"{self.url}restore/?at=x&folders=/",
            self.address(query="&folders=/a/../b/"),
            self.address(query="&folders=%00"),
            self.address(query="&memory=x"),
            self.address().replace(self.old.id, stranger.id),
        ):
            with self.subTest(url):
                self.assertEqual(self.client.get(url).status_code, 404)
        form = self.form()
        self.assertEqual(self.send(form | {"tick": ["mem_x.1"]}).status_code, 404)
        self.assertIn("There is nothing to restore", self.page(self.address(query="&memory=mem_nobody")).text)

    def test_rights(self):
        form = self.form()
        for user, status in ((self.colleague, 403), (self.stranger, 404)):
            self.client.force_login(user)
            self.assertEqual(self.client.get(self.address()).status_code, status)
            self.assertEqual(self.send(form).status_code, status)
        editor = make_user()
        make_member(workspace=self.workspace, user=editor, role=Role.EDITOR)
        self.client.force_login(editor)
        self.assertContains(self.send(form), "Back as then: 3 memories.")

    def test_takes_the_same_queries_for_few_and_many(self):
        with self.assertNumQueries(8):
            self.client.get(self.address())
        for number in range(20):
            memory = make_memory(actor=self.actor, store=self.old, path=f"/{number}.md", now=BEGIN)
            make_version(actor=self.actor, memory=memory)
        with self.assertNumQueries(8):
            self.client.get(self.address())

    def test_shows_paths_as_text(self):
        bad = make_store(actor=self.actor, name=hostile.NAME, now=BEGIN)
        hostile.make_hostile_memories(actor=self.actor, store=bad)
        url = f"/stores/{bad.id}/as-of/restore/?at=2026-03-02T10:00Z&folders=/&later=1"
        page = self.page(url)
        self.assertEqual((page.inline_code(), page.all("img")), ([], []))
        self.assertNotIn("\u202e", page.html)
        self.assertGreater(len(preview_form(page)["tick"]), 5)
