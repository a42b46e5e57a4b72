"""A store as it was at a moment."""

from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from stores.domain.memories import delete_memory, update_memory
from stores.domain.versions import redact_version
from tests.console import hostile
from tests.console.cases import ConsoleTestCase, Page
from tests.factories import make_memory, make_store, make_version

BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class MomentTestCase(ConsoleTestCase):
    @classmethod
    def setUpTestData(cls) -> None:
        super().setUpTestData()
        cls.old = make_store(actor=cls.actor, name="Old", now=BEGIN)
        write = {"actor": cls.actor, "store": cls.old}
        cls.kept = make_memory(**write, path="/a/kept.md", content="1\n", now=BEGIN + timedelta(hours=1))
        cls.gone = make_memory(**write, path="/a/gone.md", content="1\n", now=BEGIN + timedelta(hours=1))
        cls.named = make_memory(**write, path="/named.md", content="1\n", now=BEGIN + timedelta(hours=1))
        change = {"actor": cls.actor, "store_id": cls.old.id}
        cls.second = make_version(
            actor=cls.actor, memory=cls.kept, content="22\n", now=BEGIN + timedelta(hours=3)
        )
        delete_memory(**change, memory_id=cls.gone.id, now=BEGIN + timedelta(hours=4))
        update_memory(**change, memory_id=cls.named.id, path="/b/new.md", now=BEGIN + timedelta(hours=5))
        make_memory(**write, path="/late.md", now=BEGIN + timedelta(hours=6))
        cls.url = f"/stores/{cls.old.id}/as-of/"

    def at(self, hours: float, query: str = "") -> Page:
        moment = (BEGIN + timedelta(hours=hours)).isoformat()
        return self.page(f"{self.url}?at={quote(moment)}{query}")

    def names(self, page: Page) -> str:
        table = page.html[page.html.index("<tbody>") : page.html.index("</tbody>")]
        return " ".join(Page(table).text.split())


class AsOf(MomentTestCase):
    def test_lists_what_lay_in_a_folder_then(self):
        self.assertIn("a/", self.names(self.at(2)))
        self.assertIn("named.md", self.names(self.at(2)))
        self.assertNotIn("late.md", self.names(self.at(2)))
        folder = self.names(self.at(2, "&folder=/a/"))
        self.assertIn("gone.md", folder)
        self.assertIn("kept.md v1", folder)
        later = self.names(self.at(4.5, "&folder=/a/"))
        self.assertNotIn("gone.md", later)
        self.assertIn("kept.md v2", later)

    def test_keeps_the_moment_while_browsing(self):
        page = self.at(2)
        [folder] = [link for link in page.links() if "folder=" in link]
        self.assertIn("gone.md", self.names(self.page(folder)))
        self.assertIn(
            f"/stores/{self.old.id}/versions/{self.kept.head_version_id}/", self.page(folder).links()
        )

    def test_without_a_moment_is_now(self):
        page = self.page(self.url)
        self.assertIn("This is the store as it is now.", page.text)
        self.assertIn("late.md", self.names(page))

    def test_takes_a_moment_as_browsers_send_it(self):
        for moment in (
            "2026-03-02T11:00",
            "2026-03-02T11:00:00",
            "2026-03-02T12:00+01:00",
            "2026-03-02T11:00Z",
        ):
            with self.subTest(moment):
                page = self.page(f"{self.url}?at={quote(moment)}")
                self.assertIn("2026-03-02 11:00:00 UTC", page.text)

    def test_before_the_store_says_so(self):
        self.assertIn("The store was not there yet", self.at(-1).text)
        self.assertIn("Nothing lay in this folder then", self.at(0.5).text)

    def test_refuses_what_is_no_moment(self):
        for moment in ("x", "2026-13-01T00:00", "0001-01-01T00:00", "9999-12-31T23:59:59-14:00", "\0"):
            for name in ("at", "with"):
                with self.subTest(moment, name=name):
                    self.assertEqual(
                        self.get(f"{self.url}?at=2026-03-02&{name}={quote(moment)}").status_code, 404
                    )

    def test_lists_redacted_memories_apart(self):
        redact_version(actor=self.actor, store_id=self.old.id, version_id=self.gone.head_version_id)
        page = self.at(2, "&folder=/a/")
        self.assertNotIn("gone.md", page.text)
        self.assertIn("Also there, their paths redacted since", page.text)
        self.assertIn(f"/stores/{self.old.id}/versions/{self.gone.head_version_id}/", page.links())

    def test_is_reached_from_a_version(self):
        version = self.page(f"/stores/{self.old.id}/versions/{self.second.id}/")
        [then] = [link for link in version.links() if "as-of/?at=" in link]
        self.assertIn("kept.md v2", self.names(self.page(f"{then}&folder=/a/")))

    def test_goes_on_by_pages(self):
        for number in range(205):
            make_memory(actor=self.actor, store=self.old, path=f"/many/{number:03}.md")
        page = self.page(f"{self.url}?folder=/many/")
        [more] = [link for link in page.links() if "after=" in link]
        self.assertIn("204.md", self.names(self.page(more)))

    def test_takes_the_same_queries_for_few_and_many(self):
        self.client.force_login(self.owner)
        with self.assertNumQueries(7):
            self.client.get(self.url)
        for number in range(20):
            make_memory(actor=self.actor, store=self.old, path=f"/{number}.md")
        with self.assertNumQueries(7):
            self.client.get(self.url)

    def test_shows_names_as_text(self):
        bad = make_store(actor=self.actor, name=hostile.NAME)
        hostile.make_hostile_memories(actor=self.actor, store=bad)
        for query in ("", "?at=2026-03-02&with=now"):
            page = self.page(f"/stores/{bad.id}/as-of/{query}")
            self.assertEqual(page.inline_code(), [])
            self.assertEqual(page.all("img"), [])
            self.assertNotIn("\u202e", page.html)
            self.assertIn("<b>x.md", page.text)


class Compared(MomentTestCase):
    def test_with_now_names_what_differs(self):
        page = self.at(2, "&with=now")
        self.assertIn("1 added, 1 removed, 1 changed, 1 renamed", page.text)
        self.assertIn("/late.md", page.text)
        self.assertIn("/a/gone.md", page.text)
        self.assertIn("/b/new.mdfrom /named.md", page.text)
        self.assertIn(
            f"/stores/{self.old.id}/diff/?from={self.kept.head_version_id}&to={self.second.id}", page.links()
        )

    def test_with_another_moment_in_either_order(self):
        texts = [self.at(2, "&with=2026-03-02T12:30Z").text, self.at(3.5, "&with=2026-03-02T11:00Z").text]
        for text in texts:
            self.assertIn("From 2026-03-02 11:00:00 UTC to 2026-03-02 12:30:00 UTC : 1 changed.", text)

    def test_narrows_to_a_folder(self):
        page = self.at(2, "&with=now&folder=/b")
        self.assertIn("now: 1 renamed in /b/.", page.text)
        self.assertNotIn("/late.md", page.text)
        [whole] = [link for link in page.links() if "with=now" in link and "folder" not in link][:1]
        self.assertIn("/late.md", self.page(whole).text)
        self.assertEqual(self.get(f"{self.url}?at=2026-03-02&with=now&folder=a/../b").status_code, 404)

    def test_goes_on_by_pages(self):
        for number in range(205):
            make_memory(actor=self.actor, store=self.old, path=f"/many/{number:03}.md")
        first = self.at(2, "&with=now&folder=/many/")
        self.assertIn("205, from 1 to 200", first.text)
        self.assertNotIn("/many/200.md", first.text)
        [more] = [link for link in first.links() if "page=" in link]
        second = self.page(more)
        self.assertIn("/many/200.md", second.text)
        self.assertIn("205, from 201 to 205", second.text)
        self.assertNotIn("/many/199.md", second.text)
        self.assertEqual([link for link in second.links() if "page=" in link], [])

    def test_without_a_difference_says_so(self):
        self.assertIn("nothing differs.", self.at(2, "&with=2026-03-02T11:30Z").text)

    def test_takes_the_same_queries_for_few_and_many(self):
        self.client.force_login(self.owner)
        address = f"{self.url}?at=2026-03-02T11:00Z&with=now"
        with self.assertNumQueries(6):
            self.client.get(address)
        for number in range(20):
            make_memory(actor=self.actor, store=self.old, path=f"/{number}.md")
        with self.assertNumQueries(6):
            self.client.get(address)
