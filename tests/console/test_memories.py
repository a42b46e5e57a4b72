"""One memory."""

import re

from stores.domain.memories import delete_memory, get_memory, update_memory
from tests.console.cases import ConsoleTestCase
from tests.factories import make_actor, make_memory, make_version


class MemoryPage(ConsoleTestCase):
    def test_shows_the_text_with_lines_that_have_addresses(self):
        page = self.page(self.memory_url)
        lines = [d["id"] for d in page.all("div") if d.get("class") == "code__l"]
        self.assertEqual(lines, ["L1", "L2", "L3"])
        self.assertIn("#L3", page.links())
        self.assertIn("30 days.", page.text)

    def test_keeps_every_blank_of_a_line(self):
        memory = make_memory(actor=self.actor, store=self.store, content="  two\n\tone tab\n a  b \n")
        html = self.page(f"{self.store_url}memories/{memory.id}/").html
        for line in ("  two", "\tone tab", " a  b "):
            with self.subTest(line):
                self.assertIn(f'<span class="code__t">{line}</span>', html)

    def test_says_what_is_known_of_it(self):
        get_memory(
            actor=make_actor(workspace=self.workspace, access="read_only"),
            store_id=self.store.id,
            memory_id=self.memory.id,
        )
        page = self.page(self.memory_url)
        for words in (
            "20 B of 100 kB",
            "3 lines, LF",
            self.memory.content_sha256,
            self.memory.id,
            "Last read just now",
            "Created just now",
        ):
            with self.subTest(words):
                self.assertIn(words, page.text)

    def test_says_when_no_agent_has_read_it(self):
        self.assertIn("by no agent yet", self.page(self.memory_url).text)

    def test_lists_its_newest_versions_beside_it(self):
        for number in range(15):
            make_version(actor=self.actor, memory=self.memory, content=f"{number}\n", reason=f"Why {number}")
        page = self.page(self.memory_url)
        numbers = re.findall(r"versions/memver_\w+/\" hx-get=[^>]+>v(\d+)<", page.html)
        self.assertEqual(numbers, [str(number) for number in range(16, 4, -1)])
        self.assertIn("Why 14", page.text)
        self.assertIn("all 16", page.text)
        self.assertIn(f"{self.memory_url}history/", page.links())

    def test_takes_the_same_queries_for_one_and_for_many(self):
        self.client.force_login(self.owner)
        with self.assertNumQueries(11):
            self.client.get(self.memory_url)
        for number in range(4):
            make_version(actor=self.actor, memory=self.memory, content=f"{number}\n")
            make_memory(actor=self.actor, store=self.store, path=f"/policies/{number}.md")
        with self.assertNumQueries(11):
            self.client.get(self.memory_url)

    def test_shows_an_empty_one(self):
        memory = make_memory(actor=self.actor, store=self.store, path="/empty")
        update_memory(actor=self.actor, store_id=self.store.id, memory_id=memory.id, content="")
        self.assertIn(
            "Empty: this text has no byte.", self.page(f"{self.store_url}memories/{memory.id}/").text
        )

    def test_of_a_deleted_one_leads_to_its_history(self):
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        self.assertRedirects(self.get(self.memory_url), f"{self.memory_url}history/")

    def test_begins_at_the_line_that_is_asked_for(self):
        memory = make_memory(actor=self.actor, store=self.store, content="x\n" * 5000)
        path = f"{self.store_url}memories/{memory.id}/"
        page = self.page(f"{path}?from=2001")
        lines = [d["id"] for d in page.all("div") if d.get("class") == "code__l"]
        self.assertEqual((lines[0], lines[-1]), ("L2001", "L4000"))
        for odd in ("0", "-1", "x", "99999999999", "٣"):
            with self.subTest(odd):
                self.assertEqual(self.get(f"{path}?from={odd}").status_code, 200)
