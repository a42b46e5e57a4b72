"""Text from outside is shown as text in every place it can appear."""

from stores.domain.actors import session_actor
from stores.domain.memories import delete_memory, update_memory
from stores.models import Workspace
from tests.console import hostile
from tests.console.cases import HTMX, ConsoleTestCase
from tests.factories import make_memory, make_store


class HostileText(ConsoleTestCase):
    @classmethod
    def setUpTestData(cls) -> None:
        super().setUpTestData()
        Workspace.objects.filter(id=cls.workspace.id).update(name=hostile.NAME)
        cls.owner.name = hostile.NAME
        cls.owner.save()
        agent = session_actor(
            session_id="sesn_01" + "a" * 22, label=hostile.NAME, workspace_id=cls.workspace.id
        )
        cls.bad = make_store(
            actor=cls.actor,
            name=hostile.NAME,
            description=hostile.NAME,
            metadata={hostile.IMAGE: hostile.NAME},
        )
        cls.memories = hostile.make_hostile_memories(actor=agent, store=cls.bad)
        cls.edited = update_memory(
            actor=agent,
            store_id=cls.bad.id,
            memory_id=cls.memories[1].id,
            content=hostile.NAME,
            path="/<i>new</i>.md",
            reason=hostile.NAME,
        )
        cls.gone = make_memory(actor=agent, store=cls.bad, path="/<u>gone</u>", content=hostile.NAME)
        delete_memory(actor=agent, store_id=cls.bad.id, memory_id=cls.gone.id, reason=hostile.NAME)

    def addresses(self) -> list[str]:
        store = f"/stores/{self.bad.id}/"
        memories = [f"{store}memories/{memory.id}/" for memory in self.memories]
        return [
            "/stores/",
            f"/stores/?q={hostile.IMAGE}",
            f"/stores/?q=nothing{hostile.IMAGE}",
            "/connect/",
            store,
            f'{store}?folder=/"onmouseover="alert(4)/',
            f"{store}?folder=/<b>/",
            f"{store}activity/",
            *memories,
            *[f"{memory}history/" for memory in memories],
            *[f"{store}versions/{memory.head_version_id}/" for memory in [*self.memories, self.edited]],
            f"{store}memories/{self.gone.id}/history/",
            f"{store}memories/{self.gone.id}/blame/",
            *[f"{memory}blame/" for memory in memories],
            *[f"{store}diff/?to={memory.head_version_id}" for memory in [*self.memories, self.edited]],
            f"{store}diff/?view=unified&to={self.edited.head_version_id}",
            f"{store}diff/?from={self.memories[0].head_version_id}&to={self.memories[2].head_version_id}",
            f"{store}as-of/?at=2035-01-01T00:00Z",
            f"{store}as-of/?at=2026-01-01T00:00Z&with=now",
            "/",
            "/activity/",
            f"/activity/?store={self.bad.id}",
            "/search/?q=alert&mode=substring&history=1&deleted=1",
            "/search/?q=onmouseover&mode=path",
        ]

    def test_makes_no_tag_and_no_handler_anywhere(self):
        for path in self.addresses():
            for headers in ({}, HTMX):
                page = self.page(path, **headers)
                with self.subTest(path, headers=headers):
                    self.assertEqual(page.inline_code(), [])
                    self.assertEqual(page.all("img") + page.all("b") + page.all("i") + page.all("u"), [])
                    self.assertEqual(
                        [s for s in page.all("script") if not s["src"].startswith("/static/")], []
                    )
                    self.assertNotIn("{{ 14 }}", page.text)

    def test_leaves_no_character_that_turns_the_page_around(self):
        # Direction marks that are ordinary in Hebrew stay; overrides and embeddings never do.
        for path in self.addresses():
            page = self.page(path)
            shown = page.html
            for bdi in (self.owner.name, hostile.NAME):
                shown = shown.replace(bdi, "")
            with self.subTest(path):
                start = shown.index("<main")
                for character in "\u202a\u202b\u202d\u202e\u2066\u2067\u200b\ufeff\x07\x1b\U000e0069":
                    self.assertNotIn(character, shown[start:].replace(f'value="{hostile.NAME}"', ""))

    def test_is_there_to_read(self):
        page = self.page(f"/stores/{self.bad.id}/memories/{self.memories[0].id}/")
        self.assertIn(hostile.IMAGE, page.text)
        self.assertIn("[x](javascript:alert(3))", page.text)
        self.assertIn("{% load x %} {{ 7|add:7 }} &lt;&amp;", page.text)
        self.assertIn("/ <b>x.md", page.text.replace("/<b>", "/ <b>"))

    def test_marks_what_cannot_be_seen(self):
        versions = f"/stores/{self.bad.id}/versions/{self.memories[1].head_version_id}/"
        page = self.page(versions)
        marks = [m["title"] for m in page.all("span") if m.get("class") == "hid"]
        for title in (
            "RIGHT-TO-LEFT OVERRIDE, U+202E",
            "ZERO WIDTH SPACE, U+200B ×3",
            "6 invisible tag characters that spell: ignore",
            "CONTROL CHARACTER, U+0007",
        ):
            with self.subTest(title):
                self.assertIn(title, marks)

    def test_draws_a_blank_at_the_edge_of_a_name(self):
        self.assertIn("SPACE, U+0020", self.page(f"/stores/{self.bad.id}/").html)

    def test_stays_quick_with_100_kb_of_newlines(self):
        many = next(m for m in self.memories if m.path == "/very many lines.log")
        page = self.page(f"/stores/{self.bad.id}/memories/{many.id}/")
        self.assertLess(len(page.html), 500_000)
        self.assertIn("Lines 1 to 2000 of 102400", page.text)
        self.assertIn("?from=2001", page.links())
        later = self.page(f"/stores/{self.bad.id}/memories/{many.id}/?from=102001")
        self.assertIn("L102400", [d.get("id") for d in later.all("div")])
