"""One memory."""

import html
import re
from datetime import UTC, datetime

from stores.domain.memories import delete_memory, get_memory, update_memory
from stores.domain.tool_view import view_file
from stores.models import Memory
from tests.console import hostile
from tests.console.cases import ConsoleTestCase
from tests.factories import make_actor, make_api_key, make_memory, make_version


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


class OtherViews(ConsoleTestCase):
    def test_are_links_of_which_one_is_current(self):
        for query, word in (("", "Text"), ("?view=rendered", "Rendered"), ("?view=agent", "Agent’s view")):
            with self.subTest(query):
                page = self.page(f"{self.memory_url}{query}")
                self.assertIn(f"{self.memory_url}?view=rendered", page.links())
                current = re.findall(r'aria-current="true">([^<]+)</a>', page.html)
                self.assertIn(word, current)
        self.assertIn("30 days.", self.page(f"{self.memory_url}?view=nonsense").text)

    def test_take_as_many_queries_as_the_text(self):
        self.client.force_login(self.owner)
        for query in ("", "?view=rendered", "?view=agent"):
            with self.subTest(query), self.assertNumQueries(11):
                self.client.get(f"{self.memory_url}{query}")

    def test_are_no_read_by_an_agent(self):
        for query in ("", "?view=rendered", "?view=agent"):
            self.get(f"{self.memory_url}{query}")
        self.assertIsNone(Memory.objects.get(id=self.memory.id).last_read_at)

    def test_rendered_is_offered_for_prose(self):
        for path, offered in (
            ("/a.md", True),
            ("/b.TXT", True),
            ("/notes", True),
            ("/.startup", True),
            ("/c.json", False),
            ("/d.csv", False),
        ):
            with self.subTest(path):
                memory = make_memory(actor=self.actor, store=self.store, path=path)
                address = f"{self.store_url}memories/{memory.id}/"
                self.assertEqual(f"{address}?view=rendered" in self.page(address).links(), offered)
                self.assertEqual(self.get(f"{address}?view=rendered").status_code, 200)

    def test_rendered_keeps_one_h1(self):
        memory = make_memory(actor=self.actor, store=self.store, content="# One\n\n# Two\n")
        page = self.page(f"{self.store_url}memories/{memory.id}/?view=rendered")
        self.assertEqual(len(page.all("h1")), 1)
        self.assertIn('<h3 class="md-1">Two</h3>', page.html)

    def test_show_hostile_texts_as_text(self):
        for memory in hostile.make_hostile_memories(actor=self.actor, store=self.store):
            for view in ("rendered", "agent"):
                with self.subTest(memory.path[:40], view=view):
                    page = self.page(f"{self.store_url}memories/{memory.id}/?view={view}")
                    self.assertEqual(page.inline_code(), [])
                    self.assertEqual(page.all("img"), [])
                    self.assertNotIn("\u202e", page.html)
                    self.assertNotIn("{{ 14 }}", page.text)

    def test_a_text_that_is_not_drawn_stands_as_it_is_with_a_word_why(self):
        memory = make_memory(actor=self.actor, store=self.store, content="[" * 5000 + "\n")
        page = self.page(f"{self.store_url}memories/{memory.id}/?view=rendered")
        self.assertIn("drawing it would take too long", page.text)
        self.assertEqual(len([d for d in page.all("div") if d.get("class") == "code__l"]), 1)


class AgentsView(ConsoleTestCase):
    def blocks(self, address: str) -> list[str]:
        found = re.findall(r"<pre[^>]+>(.*?)</pre>", self.page(address).html, re.DOTALL)
        return [html.unescape(each) for each in found]

    def test_is_what_the_tool_answers_to_the_letter(self):
        tool, _api = self.blocks(f"{self.memory_url}?view=agent")
        self.assertEqual(tool, view_file("/policies/refunds.md", "# Refunds\n\n30 days.\n").text)
        self.assertTrue(
            tool.startswith("Here's the content of /memories/policies/refunds.md with line numbers:\n")
        )

    def test_is_the_body_that_the_api_answers(self):
        _key, secret = make_api_key(workspace=self.workspace, access="read_only")
        for content in ('# Refunds\n\n"30" days.\n', "", "Grüße\t\\ </script>\u2028\n", "x" * 20_000):
            with self.subTest(content[:20]):
                memory = make_memory(
                    actor=self.actor, store=self.store, content=content, now=datetime(2026, 1, 2, tzinfo=UTC)
                )
                _tool, api = self.blocks(f"{self.store_url}memories/{memory.id}/?view=agent")
                answer = self.client.get(
                    f"/v1/memory_stores/{self.store.id}/memories/{memory.id}",
                    headers={"x-api-key": secret, "anthropic-beta": "agent-memory-2026-07-22"},
                )
                self.assertEqual(answer.status_code, 200)
                shown = re.sub("<span[^>]+>LSEP</span>", "\u2028", api)
                self.assertEqual(shown, answer.content.decode())

    def test_goes_on_where_an_answer_is_cut(self):
        memory = make_memory(actor=self.actor, store=self.store, content=("x" * 99 + "\n") * 400)
        address = f"{self.store_url}memories/{memory.id}/"
        page = self.page(f"{address}?view=agent")
        self.assertIn("these are lines 1 to 160 of 400", page.text)
        self.assertIn("?view=agent&from=161", page.links())
        self.assertIn("   161\t", self.blocks(f"{address}?view=agent&from=161")[0])
        self.assertEqual(self.get(f"{address}?view=agent&from=9999999").status_code, 200)

    def test_marks_what_is_hidden_and_says_so(self):
        memory = make_memory(
            actor=self.actor, store=self.store, content="a\u200b\r\n" + "\u202e \u200b" * 5000
        )
        page = self.page(f"{self.store_url}memories/{memory.id}/?view=agent")
        self.assertIn("An agent gets hidden characters as they are.", page.text)
        self.assertNotRegex(page.html, "[\u202e\u200b]")
        self.assertIn("ZWSP", page.text)
        self.assertIn("CR", page.text)
