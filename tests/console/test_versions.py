"""The history of a memory and of a store, and one version."""

from stores.domain.memories import delete_memory, update_memory
from stores.domain.rollback import restore_version
from stores.domain.versions import redact_version
from stores.models import MemoryVersion
from tests.console.cases import ConsoleTestCase
from tests.factories import make_memory, make_version

SECRET = "The number is 0176 5550100"
SECRET_PATH = "/people/lina-beispiel.md"


class History(ConsoleTestCase):
    @property
    def history_url(self) -> str:
        return f"{self.memory_url}history/"

    def rows(self, path: str) -> list[str]:
        html = self.page(path).html
        body = html[html.index("<tbody>") : html.index("</tbody>")]
        return body.split("<tr")[1:]

    def test_lists_every_version_newest_first_with_what_and_why(self):
        make_version(actor=self.actor, memory=self.memory, content="# Refunds\n\n90 days.\n\nAlways.\n")
        update_memory(
            actor=self.actor, store_id=self.store.id, memory_id=self.memory.id, path="/refunds.md",
            reason="Flat is better",
        )  # fmt: skip
        restore_version(
            actor=self.actor, store_id=self.store.id, version_id=self.memory.head_version_id, reason="Wrong"
        )
        text = [" ".join(row.split()) for row in self.rows(self.history_url)]
        self.assertEqual(len(text), 4)
        self.assertIn("Restored from", text[0])
        self.assertIn(", renamed from", text[0])
        self.assertIn("Live", text[0])
        self.assertIn("Renamed from", text[1])
        self.assertIn("Flat is better", text[1])
        self.assertIn("±0 B", text[1])
        self.assertIn("+9 B", text[2])
        self.assertIn("Created", text[3])

    def test_is_there_for_a_deleted_memory_too(self):
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id, reason="Old")
        page = self.page(self.history_url)
        self.assertIn("This memory is deleted.", page.text)
        self.assertIn("/policies/ refunds.md", page.text.replace("/policies/refunds", "/policies/ refunds"))
        self.assertNotIn(self.memory_url, page.links())
        self.assertIn("−20 B", page.text)

    def test_goes_on_by_pages(self):
        for number in range(55):
            make_version(actor=self.actor, memory=self.memory, content=f"{number}\n")
        first = self.page(self.history_url)
        self.assertEqual(len(self.rows(self.history_url)), 50)
        [more] = [link for link in first.links() if "?after=" in link]
        rest = self.rows(more)
        self.assertEqual(len(rest), 6)
        # The size of the version that is on the next page is known all the same.
        self.assertIn("±0 B", self.rows(self.history_url)[-1])
        for bad in ("x", "memver_%00", "memstore_0"):
            with self.subTest(bad):
                self.assertEqual(self.get(f"{self.history_url}?after={bad}").status_code, 404)

    def test_takes_the_same_queries_for_one_and_for_many(self):
        self.client.force_login(self.owner)
        with self.assertNumQueries(8):
            self.client.get(self.history_url)
        for number in range(4):
            make_version(actor=self.actor, memory=self.memory, content=f"{number}\n")
        with self.assertNumQueries(8):
            self.client.get(self.history_url)

    def test_of_a_whole_store_is_its_activity(self):
        other = make_memory(actor=self.actor, store=self.store, path="/other.md", reason="A second one")
        page = self.page(f"{self.store_url}activity/")
        self.assertIn("A second one", page.text)
        self.assertIn(f"{self.store_url}memories/{other.id}/", page.links())
        self.assertEqual(len(self.rows(f"{self.store_url}activity/")), 2)

    def test_of_a_whole_store_takes_the_same_queries_for_one_and_for_many(self):
        self.client.force_login(self.owner)
        with self.assertNumQueries(6):
            self.client.get(f"{self.store_url}activity/")
        for number in range(4):
            make_memory(actor=self.actor, store=self.store, path=f"/{number}.md")
            make_version(actor=self.actor, memory=self.memory, content=f"{number}\n")
        with self.assertNumQueries(6):
            self.client.get(f"{self.store_url}activity/")


class BroughtBack(ConsoleTestCase):
    """A deleted memory that was brought back has a new id: its old addresses lead there, and the new one's
    history back.
    """

    def setUp(self):
        change = {"actor": self.actor, "store_id": self.store.id}
        delete_memory(**change, memory_id=self.memory.id)
        self.revived = restore_version(**change, version_id=self.memory.head_version_id)
        self.revived_url = f"{self.store_url}memories/{self.revived.id}/"
        self.undo = "Bring it back"

    def test_the_old_address_leads_to_the_new_one(self):
        self.assertRedirects(self.get(self.memory_url), f"{self.memory_url}history/")
        for address in (f"{self.memory_url}history/", self.version_url):
            page = self.page(address)
            self.assertIn("It was brought back and lives on as /policies/refunds.md.", page.text)
            self.assertIn(self.revived_url, page.links())
            self.assertNotIn(self.undo, page.text)

    def test_the_text_of_then_can_be_brought_back_once_it_is_another(self):
        change = {"actor": self.actor, "store_id": self.store.id, "memory_id": self.revived.id}
        update_memory(**change, path="/refunds.md")
        page = self.page(f"{self.memory_url}history/")
        self.assertIn("It lives on as /refunds.md.", page.text)
        self.assertIn(self.revived_url, page.links())
        self.assertIn(self.undo, page.text)
        delete_memory(**change)
        page = self.page(f"{self.memory_url}history/")
        self.assertNotIn("lives on", page.text)
        self.assertIn(self.undo, page.text)

    def test_the_new_one_names_the_old_one_at_the_end_of_its_history(self):
        page = self.page(f"{self.revived_url}history/")
        self.assertIn("Restored from v1 of the deleted memory /policies/refunds.md", page.text)
        self.assertIn("Continues the deleted memory /policies/refunds.md: its history.", page.text)
        self.assertIn(f"{self.memory_url}history/", page.links())
        for address in (self.revived_url, f"{self.store_url}versions/{self.revived.head_version_id}/"):
            self.assertIn(f"{self.memory_url}history/", self.page(address).links())
        self.assertNotIn("Continues", self.page(f"{self.memory_url}history/").text)

    def test_says_no_path_that_is_redacted(self):
        source = self.memory.head_version_id
        redact_version(actor=self.actor, store_id=self.store.id, version_id=source)
        page = self.page(f"{self.revived_url}history/")
        self.assertIn("Restored from v1 of the deleted memory whose path is redacted", page.text)
        self.assertIn("Continues the deleted memory whose path is redacted: its history.", page.text)

    def test_a_redacted_first_version_does_not_say_where_it_was(self):
        change = {"actor": self.actor, "store_id": self.store.id}
        update_memory(**change, memory_id=self.revived.id, path="/r.md")
        redact_version(**change, version_id=self.revived.head_version_id)
        page = self.page(f"{self.revived_url}history/")
        self.assertIn("Continues the deleted memory whose path is redacted", page.text)
        self.assertNotIn("/policies/", page.html)

    def test_takes_the_same_queries_however_often_it_was_brought_back(self):
        self.client.force_login(self.owner)
        change = {"actor": self.actor, "store_id": self.store.id}
        for _ in range(3):
            with self.assertNumQueries(14):
                self.client.get(f"{self.memory_url}history/")
            # One more than of any other: the number and the memory of the version that came back.
            with self.assertNumQueries(9):
                self.client.get(f"{self.revived_url}history/")
            delete_memory(**change, memory_id=self.revived.id)
            self.revived = restore_version(**change, version_id=self.revived.head_version_id)
            self.revived_url = f"{self.store_url}memories/{self.revived.id}/"


class VersionPage(ConsoleTestCase):
    def url(self, version_id: str) -> str:
        return f"{self.store_url}versions/{version_id}/"

    def test_shows_the_text_as_it_was_and_what_is_known_of_it(self):
        make_version(actor=self.actor, memory=self.memory, content="90 days.\n")
        version = MemoryVersion.objects.get(memory_id=self.memory.id, seq=1)
        page = self.page(self.url(version.id))
        for words in (
            "30 days.", "Ada Lovett", self.owner.id, "console", "created", "none given", "1 of 2",
            version.content_sha256, "20 B", version.id,
        ):  # fmt: skip
            with self.subTest(words):
                self.assertIn(words, page.text)
        self.assertNotIn("90 days.", page.text)
        self.assertIn(self.memory_url, page.links())

    def test_leads_to_the_versions_before_and_after(self):
        second = make_version(actor=self.actor, memory=self.memory, content="2\n")
        third = make_version(actor=self.actor, memory=self.memory, content="3\n")
        links = {a.get("rel"): a["href"] for a in self.page(self.url(second.id)).all("a") if "rel" in a}
        self.assertEqual(links, {"prev": self.version_url, "next": self.url(third.id)})
        links = {a.get("rel") for a in self.page(self.url(third.id)).all("a")}
        self.assertNotIn("next", links)

    def test_names_the_version_it_was_restored_from(self):
        make_version(actor=self.actor, memory=self.memory, content="90 days.\n")
        restored = restore_version(
            actor=self.actor, store_id=self.store.id, version_id=self.memory.head_version_id, reason="Wrong"
        )
        page = self.page(self.url(restored.head_version_id))
        self.assertIn("Restored from v1", page.text)
        self.assertIn("Wrong", page.text)
        self.assertIn(self.version_url, page.links())

    def test_of_a_deletion_points_at_the_text_before(self):
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        last = MemoryVersion.objects.get(memory_id=self.memory.id, operation="deleted")
        page = self.page(self.url(last.id))
        self.assertIn("This version records the deletion", page.text)
        self.assertIn(self.version_url, page.links())


class Redacted(ConsoleTestCase):
    """What must not leak is there to leak: text, path, size, hash and a reason that quotes the text."""

    @classmethod
    def setUpTestData(cls) -> None:
        super().setUpTestData()
        cls.person = make_memory(
            actor=cls.actor, store=cls.store, path=SECRET_PATH, content=SECRET, reason=f"{SECRET} it is"
        )
        cls.moved = update_memory(
            actor=cls.actor, store_id=cls.store.id, memory_id=cls.person.id, path="/people/l.md",
            content="No number.\n",
        )  # fmt: skip
        redact_version(actor=cls.actor, store_id=cls.store.id, version_id=cls.person.head_version_id)

    def addresses(self) -> list[str]:
        person = f"{self.store_url}memories/{self.person.id}/"
        return [
            f"{self.store_url}versions/{self.person.head_version_id}/",
            f"{self.store_url}versions/{self.moved.head_version_id}/",
            f"{self.store_url}?folder=/people/",
            f"{self.store_url}activity/",
            self.store_url,
            person,
            f"{person}history/",
        ]

    def assertNothingLeaks(self, path: str) -> None:
        html = self.page(path).html
        for leak in (SECRET, "5550100", "lina-beispiel", self.person.content_sha256, f"{len(SECRET)} B"):
            with self.subTest(path, leak=leak):
                self.assertNotIn(leak, html)

    def test_leaks_nothing_anywhere(self):
        for path in self.addresses():
            self.assertNothingLeaks(path)

    def test_leaks_nothing_after_the_memory_is_deleted(self):
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.person.id)
        last = MemoryVersion.objects.filter(memory_id=self.person.id).latest("seq")
        redact_version(actor=self.actor, store_id=self.store.id, version_id=last.id)
        redact_version(actor=self.actor, store_id=self.store.id, version_id=self.moved.head_version_id)
        history = f"{self.store_url}memories/{self.person.id}/history/"
        for path in (
            history,
            *(f"{self.store_url}versions/{v}/" for v in (last.id, self.person.head_version_id)),
        ):
            self.assertNothingLeaks(path)
        page = self.page(history)
        self.assertIn("A deleted memory, its path redacted", page.text)
        self.assertNotIn("/people/", page.html)

    def test_says_who_and_when(self):
        page = self.page(self.addresses()[0])
        self.assertIn("Redacted by", page.text)
        self.assertIn("Ada Lovett just now", page.text)
        self.assertIn("A redacted version v1", page.text)
        self.assertIn("1 of 2", page.text)

    def test_hides_how_much_the_next_version_changed(self):
        page = self.page(f"{self.store_url}versions/{self.moved.head_version_id}/")
        self.assertNotIn("+", page.text)
        self.assertNotIn("−", page.text)
