"""Who wrote each line."""

import json

from django.db import connection
from django.test.utils import CaptureQueriesContext

from stores.domain.actors import session_actor
from stores.domain.memories import delete_memory, update_memory
from stores.domain.rollback import restore_version
from stores.domain.versions import redact_version
from stores.models import MemoryVersion
from tests.console import hostile
from tests.console.cases import ConsoleTestCase, Page
from tests.factories import make_memory, make_version


class BlameTestCase(ConsoleTestCase):
    def setUp(self):
        self.agent = session_actor(
            session_id="sesn_01" + "k" * 22, label="agent", workspace_id=self.workspace.id
        )
        self.second = make_version(
            actor=self.agent, memory=self.memory, content="# Refunds\n\n90 days.\n", reason="The page says so"
        )

    def url(self, query: str = "") -> str:
        return f"{self.memory_url}blame/{query}"

    def groups(self, page: Page) -> list[str]:
        """What is said of each group of lines."""
        return [
            title["title"] or "" for title in page.all("a") if (title.get("title") or "").startswith("What v")
        ]


class BlamePage(BlameTestCase):
    def test_names_the_version_of_each_group_of_lines(self):
        page = self.page(self.url())
        self.assertEqual(self.groups(page), ["What v1 changed", "What v2 changed"])
        self.assertEqual([row["id"] for row in page.all("tr")], ["L1", "L2", "L3"])
        for words in ("The page says so", "session agent…kkkk", "person Ada Lovett", "90 days."):
            self.assertIn(words, page.text)

    def test_leads_to_the_change_and_to_the_blame_before_it(self):
        page = self.page(self.url())
        self.assertIn(f"{self.store_url}diff/?to={self.second.id}", page.links())
        [before] = [link for link in page.links() if "version=" in link]
        older = self.page(before)
        self.assertIn("as of v1", older.text)
        self.assertIn("30 days.", older.text)
        self.assertEqual(self.groups(older), ["What v1 changed"])
        self.assertIn(self.url(), older.links())

    def test_skips_changes_of_white_space_on_wish(self):
        make_version(actor=self.actor, memory=self.memory, content="# Refunds\r\n\r\n90  days.\r\n")
        self.assertEqual(self.groups(self.page(self.url())), ["What v3 changed"])
        page = self.page(self.url("?space=ignore"))
        self.assertEqual(self.groups(page), ["What v1 changed", "What v2 changed"])
        self.assertIn("White space skipped", page.text)

    def test_of_a_deleted_memory_is_of_its_last_text(self):
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        page = self.page(self.url())
        self.assertIn("This memory is deleted.", page.text)
        self.assertEqual(self.groups(page), ["What v1 changed", "What v2 changed"])
        self.assertNotIn(self.memory_url, page.links())

    def test_follows_renames(self):
        update_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id, path="/r.md")
        page = self.page(self.url())
        self.assertEqual(self.groups(page), ["What v1 changed", "What v2 changed"])

    def test_of_an_empty_text_says_so(self):
        empty = make_memory(actor=self.actor, store=self.store, path="/empty.md", content="")
        self.assertIn("this text has no line", self.page(f"{self.store_url}memories/{empty.id}/blame/").text)

    def test_does_not_exist_for_versions_of_others(self):
        other = make_memory(actor=self.actor, store=self.store, path="/o.md")
        for query in (f"?version={other.head_version_id}", "?version=memver_01", "?version=x"):
            with self.subTest(query):
                self.assertEqual(self.get(self.url(query)).status_code, 404)

    def test_comes_in_parts(self):
        make_version(actor=self.actor, memory=self.memory, content="\n" * 5000)
        page = self.page(self.url())
        self.assertEqual(len(page.all("tr")), 2000)
        self.assertIn("Lines 1 to 2000 of 5,000", page.text)
        [later] = [a["href"] for a in page.all("a") if a.get("rel") == "next"]
        self.assertIn("L4000", [row["id"] for row in self.page(later).all("tr")])
        self.assertEqual(self.get(self.url("?from=9999999")).status_code, 200)

    def test_takes_the_same_queries_for_few_and_many_versions(self):
        self.client.force_login(self.owner)
        with self.assertNumQueries(8):
            self.client.get(self.url())
        for number in range(20):
            make_version(actor=self.actor, memory=self.memory, content=f"{number}\n")
        with self.assertNumQueries(8):
            self.client.get(self.url())

    def test_shows_markup_as_text_and_marks_hidden_characters(self):
        make_version(
            actor=self.actor, memory=self.memory, reason=hostile.NAME,
            content=f"{hostile.IMAGE}\n{hostile.REVERSED}\n{hostile.TEMPLATE}\n",
        )  # fmt: skip
        page = self.page(self.url())
        self.assertEqual(page.inline_code(), [])
        self.assertEqual(page.all("img"), [])
        self.assertNotIn("\u202e", page.html)
        self.assertIn(hostile.IMAGE, page.text)
        self.assertNotIn("{{ 14 }}", page.text)


class Gaps(BlameTestCase):
    def setUp(self):
        super().setUp()
        self.third = make_version(
            actor=self.actor, memory=self.memory, content="# Refunds\n\n90 days.\n\nAlways.\n"
        )

    def test_of_redacted_versions_are_said(self):
        redact_version(actor=self.actor, store_id=self.store.id, version_id=self.second.id)
        page = self.page(self.url())
        self.assertIn("Redacted, so not looked at: v2.", page.text)
        self.assertIn("or earlier", page.text)
        self.assertNotIn("The page says so", page.html)

    def test_of_versions_that_are_no_longer_kept_are_said(self):
        MemoryVersion.objects.filter(id=self.second.id).delete()
        page = self.page(self.url())
        self.assertIn("Some versions are no longer kept.", page.text)
        self.assertIn("or earlier", page.text)

    def test_at_a_redacted_version_there_is_nothing_to_blame(self):
        redact_version(actor=self.actor, store_id=self.store.id, version_id=self.second.id)
        page = self.page(self.url(f"?version={self.second.id}"))
        self.assertIn("person Ada Lovett did it just now", page.text)
        self.assertIn("Blame at v1", page.text)
        self.assertEqual(page.all("table"), [])
        self.assertEqual(
            self.get(self.url(f"?version={self.second.id}&format=json"))["Content-Type"].partition(";")[0],
            "text/html",
        )


class BroughtBack(BlameTestCase):
    """Deleted, and begun anew from its second version: under another id, with the same text."""

    def setUp(self):
        super().setUp()
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        self.revived = restore_version(
            actor=self.actor, store_id=self.store.id, version_id=self.second.id, reason="Deleted by mistake"
        )
        self.revived_url = f"{self.store_url}memories/{self.revived.id}/"

    def test_names_those_who_wrote_the_lines_before_the_deletion(self):
        page = self.page(f"{self.revived_url}blame/")
        self.assertEqual(
            self.groups(page),
            [
                "What v1 of the memory before its deletion changed",
                "What v2 of the memory before its deletion changed",
            ],
        )
        for words in ("before its deletion session agent…kkkk", "The page says so", "Continues the deleted"):
            self.assertIn(words, page.text)
        for address in (f"{self.memory_url}history/", f"{self.store_url}diff/?to={self.second.id}"):
            self.assertIn(address, page.links())
        self.assertNotIn("Deleted by mistake", page.text)

    def test_the_blame_before_goes_on_in_the_memory_before(self):
        change = {"store_id": self.store.id, "memory_id": self.revived.id}
        update_memory(actor=self.actor, content="# Refunds\n\n45 days.\n", **change)
        page = self.page(f"{self.revived_url}blame/")
        [before] = [link for link in page.links() if f"version={self.revived.head_version_id}" in link]
        older = self.page(before)
        self.assertIn("as of v1", older.text)
        self.assertIn("90 days.", older.text)
        [before] = [link for link in older.links() if f"version={self.memory.head_version_id}" in link]
        self.assertTrue(before.startswith(self.url()))
        self.assertIn("30 days.", self.page(before).text)

    def test_tells_several_memories_before_apart(self):
        change = {"actor": self.actor, "store_id": self.store.id}
        update_memory(**change, memory_id=self.revived.id, content="# Refunds\n\n90 days.\nAlways.\n")
        delete_memory(**change, memory_id=self.revived.id)
        last = MemoryVersion.objects.get(memory_id=self.revived.id, seq=2)
        again = restore_version(**change, version_id=last.id)
        page = self.page(f"{self.store_url}memories/{again.id}/blame/")
        self.assertEqual(
            self.groups(page),
            [
                "What v1 of the memory 2 deletions before changed",
                "What v2 of the memory 2 deletions before changed",
                "What v2 of the memory before its deletion changed",
            ],
        )
        page = self.page(f"{self.store_url}memories/{again.id}/blame/?format=print")
        for memory_id, versions in ((self.revived.id, "3 of 3"), (self.memory.id, "3 of 3")):
            self.assertIn(f"Of the deleted memory {memory_id}: {versions} versions checked", page.text)

    def test_says_which_redacted_versions_are_of_the_memory_before(self):
        redact_version(actor=self.actor, store_id=self.store.id, version_id=self.second.id)
        page = self.page(f"{self.revived_url}blame/")
        self.assertIn("not looked at: v2 of the memory before its deletion.", page.text)
        self.assertIn("Continues the deleted memory whose path is redacted: its history.", page.text)
        self.assertNotIn("The page says so", page.html)

    def test_of_the_deleted_one_says_where_it_lives_on(self):
        page = self.page(self.url())
        self.assertIn("It was brought back and lives on as /policies/refunds.md.", page.text)
        self.assertIn(self.revived_url, page.links())

    def test_is_proven_by_both_chains(self):
        for address in (
            f"{self.revived_url}blame/?format=print",
            f"{self.store_url}versions/{self.revived.head_version_id}/?format=print",
        ):
            page = self.page(address)
            for words in (
                "1 of 1 version checked, chain unbroken.",
                f"Of the deleted memory {self.memory.id}: 3 of 3 versions checked, chain unbroken.",
                self.revived.id,
                f"the deleted memory /policies/refunds.md {self.memory.id}, ",
                f"brought back from its v2 {self.second.id}",
            ):
                with self.subTest(address, words=words):
                    self.assertIn(words, page.text)
        page = self.page(f"{self.revived_url}blame/?format=print")
        self.assertIn("3 v2 before its deletion 90 days.", page.text)
        named = [section["id"] for section in page.all("h3")]
        first = self.memory.head_version_id
        self.assertEqual(named, [first, self.second.id, self.revived.head_version_id])

    def test_is_in_the_file_with_both_ids_and_chains(self):
        body = json.loads(self.get(f"{self.revived_url}blame/?format=json").content)
        self.assertEqual(body["memory_id"], self.revived.id)
        self.assertEqual(body["chain_check"]["versions"], 1)
        [former] = body["continues_deleted_memories"]
        check = former.pop("chain_check")
        self.assertEqual((check["versions"], check["checked"], check["unbroken"]), (3, 3, True))
        self.assertEqual(
            former,
            {
                "memory_id": self.memory.id,
                "path": "/policies/refunds.md",
                "brought_back_version_id": self.second.id,
                "brought_back_version_number": 2,
            },
        )
        self.assertEqual(
            [(version["memory_id"], version["restored_from"]) for version in body["versions"]],
            [(self.memory.id, None), (self.memory.id, None), (self.revived.id, self.second.id)],
        )
        self.assertEqual(body["lines"][2]["version_id"], self.second.id)

    def test_of_a_redacted_version_says_the_id_it_came_from_and_no_path(self):
        change = {"actor": self.actor, "store_id": self.store.id}
        update_memory(**change, memory_id=self.revived.id, path="/r.md")
        redact_version(**change, version_id=self.revived.head_version_id)
        page = self.page(f"{self.store_url}versions/{self.revived.head_version_id}/?format=print")
        self.assertIn(f"the deleted memory {self.memory.id}, brought back from its v2", page.text)
        self.assertNotIn("/policies/", page.text)

    def test_says_what_does_not_fit_in_the_chain_before(self):
        MemoryVersion.objects.filter(id=self.second.id).update(actor_id="user_01forged")
        page = self.page(f"{self.revived_url}blame/?format=print")
        self.assertIn(f"{self.memory.id}: 3 of 3 versions checked, 1 fault found.", page.text)
        [former] = json.loads(self.get(f"{self.revived_url}blame/?format=json").content)[
            "continues_deleted_memories"
        ]
        self.assertFalse(former["chain_check"]["unbroken"])

    def test_takes_one_query_more_and_for_evidence_those_of_the_second_check(self):
        self.client.force_login(self.owner)
        change = {"store_id": self.store.id, "memory_id": self.revived.id}
        for number in range(3):
            with self.assertNumQueries(9):
                self.client.get(f"{self.revived_url}blame/")
            for kind in ("print", "json"):
                with CaptureQueriesContext(connection) as seen:
                    self.client.get(f"{self.revived_url}blame/?format={kind}")
                self.assertLessEqual(len(seen), 18)
            update_memory(actor=self.actor, content=f"{number}\n", **change)


class Evidence(BlameTestCase):
    def test_names_versions_actors_and_hashes(self):
        response = self.get(self.url("?format=json"))
        self.assertIn("attachment", response["Content-Disposition"])
        body = json.loads(response.content)
        self.assertEqual([line["text"] for line in body["lines"]], ["# Refunds", "", "90 days."])
        self.assertEqual(body["lines"][2]["version_id"], self.second.id)
        self.assertEqual(body["content_sha256"], self.second.content_sha256)
        self.assertEqual(body["versions"][1]["actor"]["id"], self.agent.id)
        self.assertEqual(body["versions"][1]["chain"], self.chain(self.second.id))
        self.assertEqual(
            body["chain_check"],
            {
                "result": "2 of 2 versions checked, chain unbroken",
                "versions": 2,
                "checked": 2,
                "redacted": 0,
                "unbroken": True,
                "faults": [],
            },
        )

    def chain(self, version_id: str) -> str:
        return bytes(MemoryVersion.objects.get(id=version_id).chain).hex()

    def test_comes_as_a_page_to_print(self):
        page = self.page(self.url("?format=print"))
        version = MemoryVersion.objects.get(id=self.second.id)
        for words in (
            "2 of 2 versions checked, chain unbroken.",
            f"Tern Bay {self.workspace.id}",
            f"Support {self.store.id}",
            self.memory.id,
            "/policies/refunds.md",
            self.second.id,
            f"{version.created_at:%Y-%m-%d %H:%M:%S.%f} UTC, modified, via ",
            f"session agent {self.agent.id}",
            "The page says so",
            f"{self.second.content_sha256}, 20 B",
            self.chain(self.second.id),
            self.chain(self.memory.head_version_id),
            "1 v1 # Refunds 2 v1 3 v2 90 days.",
        ):
            with self.subTest(words):
                self.assertIn(words, page.text)
        self.assertEqual(page.all("form"), [])
        self.assertIn(self.url("?format=json"), page.links())
        self.assertIn(self.url("?format=print"), self.page(self.url()).links())

    def test_is_of_the_version_and_the_way_that_are_looked_at(self):
        first = self.memory.head_version_id
        page = self.page(self.url(f"?version={first}&space=ignore&format=print"))
        self.assertIn("30 days.", page.text)
        self.assertNotIn("90 days.", page.text)
        self.assertIn("Versions that changed white space only are skipped.", page.text)
        self.assertIn(self.url(f"?version={first}&space=ignore"), page.links())

    def test_says_of_redacted_versions_who_and_when_and_not_what(self):
        make_version(actor=self.actor, memory=self.memory, content="# Refunds\n")
        redact_version(actor=self.actor, store_id=self.store.id, version_id=self.second.id)
        page = self.page(self.url("?format=print"))
        self.assertIn(
            "Of 1 redacted version it is proven who wrote it and when; what it said is gone.", page.text
        )
        self.assertIn(
            f"UTC by person Ada Lovett {self.actor.id}. Path, text, reason and hash are gone.", page.text
        )
        body = json.loads(self.get(self.url("?format=json")).content)
        [gone] = [version for version in body["versions"] if version["id"] == self.second.id]
        self.assertEqual(gone["redacted_by"]["id"], self.actor.id)
        self.assertEqual((gone["reason"], gone["content_sha256"]), ("", None))
        for text in (page.html, json.dumps(body)):
            self.assertNotIn("The page says so", text)
            self.assertNotIn("90 days.", text)

    def test_of_a_deleted_memory_can_be_reached_from_its_history(self):
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        self.assertIn(self.url(), self.page(f"{self.memory_url}history/").links())
        self.assertIn("3 of 3 versions checked, chain unbroken", self.page(self.url("?format=print")).text)

    def test_says_what_does_not_fit(self):
        MemoryVersion.objects.filter(id=self.second.id).update(actor_label="x", actor_id="user_01forged")
        page = self.page(self.url("?format=print"))
        self.assertIn("2 of 2 versions checked, 1 fault found.", page.text)
        self.assertIn(f"{self.second.id}: its chain value does not follow", page.text)
        check = json.loads(self.get(self.url("?format=json")).content)["chain_check"]
        self.assertEqual((check["unbroken"], check["faults"][0]["id"]), (False, self.second.id))

    def test_takes_the_same_queries_for_few_and_many_versions(self):
        self.client.force_login(self.owner)
        for kind in ("print", "json"):
            with CaptureQueriesContext(connection) as few:
                self.client.get(self.url(f"?format={kind}"))
            for number in range(20):
                make_version(actor=self.actor, memory=self.memory, content=f"{number}\n")
            with self.assertNumQueries(len(few)):
                self.client.get(self.url(f"?format={kind}"))
            self.assertLessEqual(len(few), 11)

    def test_of_very_many_lines_comes_in_parts(self):
        make_version(actor=self.actor, memory=self.memory, content="\n" * 6000)
        page = self.page(self.url("?format=print"))
        self.assertIn("These are lines 1 to 5,000 of 6,000. The JSON file holds all of them.", page.text)
        [later] = [link for link in page.links() if "from=5001" in link]
        self.assertIn("lines 5,001 to 6,000 of 6,000", self.page(later).text)

    def test_shows_hostile_texts_as_text(self):
        for memory in hostile.make_hostile_memories(actor=self.actor, store=self.store):
            with self.subTest(memory.path[:40]):
                page = self.page(f"{self.store_url}memories/{memory.id}/blame/?format=print")
                self.assertEqual(page.inline_code(), [])
                self.assertEqual(page.all("img"), [])
                self.assertNotIn("\u202e", page.html)

    def test_is_not_for_strangers(self):
        for kind in ("print", "json"):
            self.assertEqual(self.get(self.url(f"?format={kind}"), user=self.stranger).status_code, 404)
            self.assertEqual(self.get(self.url(f"?format={kind}"), user=self.colleague).status_code, 200)


class EvidenceOfAVersion(BlameTestCase):
    def test_comes_as_a_page_to_print(self):
        page = self.page(f"{self.version_url}?format=print")
        for words in (
            "2 of 2 versions checked, chain unbroken",
            "Version 1 of /policies/refunds.md",
            self.memory.content_sha256,
            "1 # Refunds 2 3 30 days.",
            "none given",
        ):
            with self.subTest(words):
                self.assertIn(words, page.text)
        self.assertIn(self.version_url, page.links())
        self.assertIn(f"{self.version_url}?format=print", self.page(self.version_url).links())

    def test_of_a_redacted_one_says_who_and_when_and_not_what(self):
        redact_version(actor=self.actor, store_id=self.store.id, version_id=self.memory.head_version_id)
        page = self.page(f"{self.version_url}?format=print")
        self.assertIn("Version 1, redacted", page.text)
        self.assertIn("What it said is gone for good.", page.text)
        self.assertNotIn("refunds.md", page.html)
        self.assertNotIn("30 days", page.html)

    def test_of_a_deletion_says_so(self):
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        deletion = MemoryVersion.objects.get(memory_id=self.memory.id, operation="deleted")
        page = self.page(f"{self.store_url}versions/{deletion.id}/?format=print")
        self.assertIn("This version records the deletion; it has no text.", page.text)
