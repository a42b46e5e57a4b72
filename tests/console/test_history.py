"""The history of a memory: filters, folded saves, two ticks."""

from datetime import UTC, datetime, timedelta

from stores.domain.actors import session_actor
from stores.domain.memories import update_memory
from stores.domain.rollback import restore_version
from stores.domain.versions import redact_version
from stores.models import MemoryVersion
from tests.console.cases import HTMX, ConsoleTestCase, Page
from tests.factories import make_memory

BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SESSION = "sesn_01" + "k" * 22


class HistoryTestCase(ConsoleTestCase):
    @classmethod
    def setUpTestData(cls) -> None:
        super().setUpTestData()
        cls.agent = session_actor(session_id=SESSION, label="<b>agent</b>", workspace_id=cls.workspace.id)
        cls.log = make_memory(actor=cls.actor, store=cls.store, path="/log.md", content="0\n", now=BEGIN)
        cls.history_url = f"/stores/{cls.store.id}/memories/{cls.log.id}/history/"

    def save(self, content: str, *, minutes: int, actor=None, **fields) -> None:
        update_memory(
            actor=actor or self.agent, store_id=self.store.id, memory_id=self.log.id, content=content,
            now=BEGIN + timedelta(minutes=minutes), **fields,
        )  # fmt: skip

    def numbers(self, page: Page) -> list[str]:
        return [box["data-seq"] or "" for box in page.all("input") if "data-seq" in box]


class Filters(HistoryTestCase):
    def setUp(self):
        self.save("1\n", minutes=60)
        self.save("2\n", minutes=60 * 24, actor=self.actor)

    def shown(self, query: str) -> list[str]:
        return self.numbers(self.page(f"{self.history_url}?{query}"))

    def test_narrow_by_actor_operation_and_day(self):
        for query, wanted in {
            "": ["3", "2", "1"],
            f"actor={SESSION}": ["2"],
            f"actor={self.owner.id}": ["3", "1"],
            "operation=created": ["1"],
            "operation=modified": ["3", "2"],
            "since=2026-03-03": ["3"],
            "until=2026-03-02": ["2", "1"],
            "since=2026-03-02&until=2026-03-02": ["2", "1"],
            f"actor={self.owner.id}&operation=modified": ["3"],
            f"actor={self.owner.id}&until=2026-03-02&operation=modified": [],
            # What is no filter does not narrow.
            "operation=nonsense&since=yesterday&until=0000-99-99": ["3", "2", "1"],
            "until=9999-12-31&since=0001-01-01": ["3", "2", "1"],
        }.items():
            with self.subTest(query):
                self.assertEqual(self.shown(query), wanted)

    def test_narrow_by_what_was_restored_and_what_is_redacted(self):
        first, second = MemoryVersion.objects.filter(memory_id=self.log.id).order_by("seq")[:2]
        for version in (first, second):
            restore_version(actor=self.actor, store_id=self.store.id, version_id=version.id)
        redact_version(actor=self.actor, store_id=self.store.id, version_id=second.id)
        for query, wanted in {
            "operation=restored": ["5", "4"],
            "operation=redacted": ["2"],
            f"operation=redacted&actor={SESSION}": ["2"],
            f"operation=redacted&actor={self.owner.id}": [],
            "operation=restored&until=2026-03-03": [],
            "operation=redacted&since=2026-03-02&until=2026-03-02": ["2"],
        }.items():
            with self.subTest(query):
                self.assertEqual(self.shown(query), wanted)
        restored = MemoryVersion.objects.get(memory_id=self.log.id, seq=4)
        redact_version(actor=self.actor, store_id=self.store.id, version_id=restored.id)
        self.assertEqual(self.shown("operation=restored"), ["5"])
        page = self.page(f"{self.history_url}?operation=redacted")
        chosen = [option["value"] for option in page.all("option") if "selected" in option]
        self.assertEqual(chosen, ["redacted"])

    def test_of_marks_go_on_by_pages(self):
        first = MemoryVersion.objects.get(memory_id=self.log.id, seq=1)
        for number in range(60):
            restore_version(actor=self.actor, store_id=self.store.id, version_id=first.id)
            self.save(f"b{number}\n", minutes=3000 + number)
        page = self.page(f"{self.history_url}?operation=restored")
        [more] = [link for link in page.links() if "after=" in link]
        self.assertIn("operation=restored", more)
        self.assertEqual(len(self.numbers(self.page(more))), 10)

    def test_are_shown_as_they_were_asked_for(self):
        page = self.page(f"{self.history_url}?actor={SESSION}&since=2026-03-02")
        chosen = [option["value"] for option in page.all("option") if "selected" in option]
        self.assertEqual(chosen, [SESSION])
        days = [i.get("value") for i in page.all("input") if i.get("type") == "date"]
        self.assertEqual(days, ["2026-03-02", ""])
        self.assertIn("<b>agent</b> …kkkk (session)", page.text)
        self.assertEqual(page.inline_code(), [])

    def test_that_match_nothing_say_so(self):
        page = self.page(f"{self.history_url}?operation=deleted")
        self.assertIn("No version is like that", page.text)
        self.assertIn(self.history_url, page.links())

    def test_of_nobody_are_refused(self):
        for actor in ("x", "sesn_%00", "%E2%80%AE", "user_" + "x" * 200):
            with self.subTest(actor):
                self.assertEqual(self.get(f"{self.history_url}?actor={actor}").status_code, 404)
        self.assertEqual(self.shown("actor=sesn_nobody"), [])

    def test_stay_on_the_next_page(self):
        for number in range(60):
            self.save(f"a{number}\n", minutes=3000 + number * 60)
        page = self.page(f"{self.history_url}?actor={SESSION}&since=2026-03-01")
        [more] = [link for link in page.links() if "after=" in link]
        self.assertIn(f"actor={SESSION}", more)
        self.assertEqual(len(self.numbers(self.page(more))), 11)


class FoldedSaves(HistoryTestCase):
    def test_of_one_session_take_one_line(self):
        for minute in range(5):
            self.save("x\n" * (minute + 2), minutes=minute)
        self.save("last\n", minutes=200, actor=self.actor)
        page = self.page(self.history_url)
        self.assertEqual(self.numbers(page), ["7", "6", "1"])
        self.assertIn("4 more saves by the same session between", page.text)
        self.assertIn("+8 B together", page.text)
        [fold] = [a for a in page.all("a") if "saves=all" in (a.get("href") or "")]
        for address in (fold["href"].partition("#")[0], fold["hx-get"]):
            self.assertEqual(self.numbers(self.page(address)), ["7", "6", "5", "4", "3", "2", "1"])
        self.assertIn(f'id="{fold["href"].partition("#")[2]}"', self.page(fold["hx-get"], **HTMX).html)

    def test_are_neither_slow_ones_nor_those_of_others(self):
        for minute in (0, 20, 40, 60):
            self.save(f"slow {minute}\n", minutes=minute)
        for minute in (70, 71, 72):
            self.save(f"by hand {minute}\n", minutes=minute, actor=self.actor)
        self.assertEqual(len(self.numbers(self.page(self.history_url))), 8)

    def test_are_never_what_was_renamed_or_redacted(self):
        for minute in range(3):
            self.save(f"{minute}\n", minutes=minute, path=f"/log-{minute}.md")
        self.assertEqual(len(self.numbers(self.page(self.history_url))), 4)
        for minute in range(10, 14):
            self.save(f"{minute}\n", minutes=minute)
        middle = MemoryVersion.objects.get(memory_id=self.log.id, seq=6)
        redact_version(actor=self.actor, store_id=self.store.id, version_id=middle.id)
        self.assertIn("6", self.numbers(self.page(self.history_url)))


class Ticks(HistoryTestCase):
    def setUp(self):
        self.save("1\n", minutes=1)
        self.save("2\n", minutes=2)
        versions = MemoryVersion.objects.filter(memory_id=self.log.id).order_by("seq")
        self.first, self.second, self.third = versions.values_list("id", flat=True)

    def compare(self, *ticked: str):
        query = "&".join(["compare=1", *(f"v={id_}" for id_ in ticked)])
        return self.get(f"{self.history_url}?{query}")

    def test_two_lead_to_their_diff_the_older_one_first(self):
        wanted = f"/stores/{self.store.id}/diff/?from={self.first}&to={self.third}"
        for ticked in ((self.first, self.third), (self.third, self.first)):
            self.assertRedirects(self.compare(*ticked), wanted)

    def test_one_is_compared_with_the_newest(self):
        self.assertRedirects(
            self.compare(self.first), f"/stores/{self.store.id}/diff/?from={self.first}&to={self.third}"
        )

    def test_others_are_told_what_to_do(self):
        for ticked in ((), (self.third,), (self.first, self.second, self.third), ("x", "memver_%00")):
            with self.subTest(ticked):
                response = self.compare(*ticked)
                self.assertEqual(response.status_code, 200)
                self.assertIn("Tick two versions to compare them.", response.content.decode())
