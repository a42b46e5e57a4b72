"""The list of stores, and the folders of one."""

import re
from datetime import UTC, datetime
from urllib.parse import quote, urlencode

from django.db import connection
from django.test.utils import CaptureQueriesContext

from stores.domain.actors import session_actor
from stores.domain.stores import archive_store, delete_store
from stores.models import Memory
from tests.console import hostile
from tests.console.cases import HTMX, ConsoleTestCase, Page
from tests.factories import make_actor, make_member, make_memory, make_store, make_user

OCTOBER = datetime(2026, 10, 5, 8, 4, 11, tzinfo=UTC)


class StoreList(ConsoleTestCase):
    def test_shows_what_is_true_of_each_store(self):
        agent = session_actor(
            session_id="sesn_01" + "a" * 18 + "lkcF", label="support-agent", workspace_id=self.workspace.id
        )
        make_memory(actor=agent, store=self.store, content="x" * 20_000)
        row = self.page("/stores/").text
        for words in ("Support", "What we know", "19.6 kB", "1 %", "support-agent…lkcF", "just now"):
            with self.subTest(words):
                self.assertIn(words, row)
        [meter] = self.page("/stores/").all("meter")
        self.assertEqual((meter["value"], meter["max"]), ("2", "10000"))

    def test_takes_the_same_queries_for_one_and_for_many(self):
        self.client.force_login(self.owner)
        with self.assertNumQueries(7):
            self.client.get("/stores/")
        for number in range(4):
            store = make_store(actor=self.actor, name=f"Store {number}")
            make_memory(actor=make_actor(workspace=self.workspace), store=store)
        with self.assertNumQueries(7):
            self.client.get("/stores/")

    def test_is_newest_first_and_leaves_out_what_is_not_there(self):
        second = make_store(actor=self.actor, name="Second")
        gone = make_store(actor=self.actor, name="Gone")
        old = make_store(actor=self.actor, name="Old")
        delete_store(actor=self.actor, store_id=gone.id)
        archive_store(actor=self.actor, store_id=old.id)
        make_store(name="Foreign")
        self.assertEqual(self.names("/stores/"), [second.id, self.store.id])
        self.assertEqual(self.names("/stores/?archived=1"), [old.id, second.id, self.store.id])
        self.assertIn("2 live, 1 archived", self.page("/stores/").text)

    def names(self, path: str, **headers: str) -> list[str]:
        found = self.page(path, **headers).links()
        return [link.split("/")[2] for link in found if link.startswith("/stores/memstore_")]

    def test_filters_by_name_and_description_without_any_syntax(self):
        percent = make_store(actor=self.actor, name="100 % wool_", description="Yarn")
        for words, found in (
            ("support", [self.store.id]),
            ("SUPPORT", [self.store.id]),
            ("we know", [self.store.id]),
            ("%", [percent.id]),
            ("_", [percent.id]),
            ("yarn", [percent.id]),
            ("'; --", []),
            ("\0", []),
            ("x" * 5000, []),
        ):
            for headers in ({}, HTMX):
                with self.subTest(words, headers=headers):
                    self.assertEqual(self.names(f"/stores/?q={quote(words)}", **headers), found)

    def test_keeps_what_was_typed_and_says_when_nothing_has_it(self):
        page = self.page("/stores/?q=no%22where")
        self.assertIn('No store has “no"where” in its name or description', page.text)
        self.assertIn('no"where', [field.get("value") for field in page.all("input")])

    def test_goes_on_by_pages(self):
        stores = [make_store(actor=self.actor, name=f"Store {number}") for number in range(52)]
        first = self.page("/stores/?q=store")
        self.assertEqual(self.names("/stores/?q=store"), [s.id for s in reversed(stores[2:])])
        [more] = [link for link in first.links() if "after=" in link]
        self.assertEqual(self.names(more), [stores[1].id, stores[0].id])
        for bad in ("x", "memstore_%00", "' OR 1=1"):
            with self.subTest(bad):
                self.assertEqual(self.get(f"/stores/?after={bad}").status_code, 404)

    def test_sorts_by_what_the_columns_show(self):
        alpha = make_store(actor=self.actor, name="alpha")
        beta = make_store(actor=self.actor, name="Beta")
        for number in range(3):
            make_memory(actor=self.actor, store=alpha, path=f"/{number}", content="x")
        make_memory(actor=self.actor, store=beta, content="x" * 900)
        empty = make_store(actor=self.actor, name="Empty")
        support = self.store
        for sort, expected in (
            ("name", [alpha, beta, empty, support]),
            ("written", [beta, alpha, support, empty]),
            ("fill", [alpha, beta, support, empty]),
            ("size", [beta, support, alpha, empty]),
            ("newest", [empty, beta, alpha, support]),
            ("nonsense", [empty, beta, alpha, support]),
        ):
            with self.subTest(sort):
                names = self.names(f"/stores/?sort={sort}")
                self.assertEqual(names, [store.id for store in expected])
        page = self.page("/stores/?sort=size&q=a")
        self.assertEqual([th["aria-sort"] for th in page.all("th") if "aria-sort" in th], ["descending"])
        self.assertIn("/stores/?q=a&sort=name", page.links())
        self.assertIn("size", [i["value"] for i in page.all("input") if i.get("name") == "sort"])

    def test_keeps_the_order_over_pages(self):
        stores = [make_store(actor=self.actor, name=f"Store {number:02}") for number in range(52)]
        first = "/stores/?q=store&sort=name"
        [more] = [link for link in self.page(first).links() if "after=" in link]
        self.assertEqual(self.names(first) + self.names(more), [store.id for store in stores])

    def test_teaches_where_there_is_no_store_yet(self):
        newcomer = make_user()
        workspace = make_member(user=newcomer).workspace
        page = self.page("/stores/", user=newcomer)
        for words in (
            'base_url="http://testserver"',
            'baseURL: "http://testserver"',
            "curl http://testserver/v1/memory_stores",
            "anthropic-beta: agent-memory-2026-07-22",
            f"create_api_key my-agent --workspace {workspace.id}",
        ):
            with self.subTest(words):
                self.assertIn(words, page.text)

    def test_points_at_the_archived_where_nothing_else_is(self):
        archive_store(actor=self.actor, store_id=self.store.id)
        page = self.page("/stores/")
        self.assertIn("No store is live", page.text)
        self.assertIn("/stores/?archived=1", page.links())


class StorePage(ConsoleTestCase):
    def rows(self, path: str) -> list[str]:
        """What lies in the folder, as the table in the middle names it."""
        html = self.page(path).html
        table = html[html.index('class="table ') : html.index("</table>")] if "</table>" in html else ""
        return [part.partition("</bdi>")[0] for part in table.split('<bdi dir="ltr">')[1:]]

    def tree(self, path: str) -> list[str]:
        html = self.page(path).html
        tree = html[html.index('class="tree"') : html.index("</nav></details>")]
        return [part.partition("</bdi>")[0] for part in tree.split('<bdi dir="ltr">')[1:]]

    def test_says_how_many_memories_a_folder_has(self):
        for path in ("/a/1", "/a/b/2", "/a/b/c/3", "/aa/4", "/ä/é/5", "/5"):
            make_memory(actor=self.actor, store=self.store, path=path)
        text = self.page(self.store_url).text
        for words in ("a/ 3 memories", "aa/ 1 memory", "ä/ 1 memory", "policies/ 1 memory"):
            with self.subTest(words):
                self.assertIn(words, text)
        self.assertIn("b/ 2 memories", self.page(f"{self.store_url}?folder=/a/").text)

    def test_lists_one_folder_and_opens_the_way_to_it(self):
        for path in ("/README.md", "/policies/shipping/zones.md", "/team/tone.md"):
            make_memory(actor=self.actor, store=self.store, path=path)
        self.assertEqual(self.rows(self.store_url), ["README.md", "policies", "team"])
        self.assertEqual(self.tree(self.store_url), ["README.md", "policies", "team"])
        for query in ("?folder=/policies/", "?folder=/policies", "?folder=%2Fpolicies%2F"):
            with self.subTest(query):
                self.assertEqual(self.rows(self.store_url + query), ["refunds.md", "shipping"])
        self.assertEqual(
            self.tree(f"{self.store_url}?folder=/policies/shipping/"),
            ["README.md", "policies", "refunds.md", "shipping", "zones.md", "team"],
        )

    def test_says_who_changed_each_memory_last_when_and_why(self):
        make_memory(
            actor=self.actor, store=self.store, path="/a.md", content="x" * 3000, reason="Mail of Monday",
            now=OCTOBER,
        )  # fmt: skip
        page = self.page(self.store_url)
        self.assertIn("Mail of Monday", page.text)
        self.assertIn("3,000 B", page.text)
        time = next(t for t in page.all("time") if t["datetime"] == "2026-10-05T08:04:11+00:00")
        self.assertEqual(time["title"], "2026-10-05 08:04:11 UTC")

    def test_goes_on_by_pages_of_200(self):
        for number in range(205):
            make_memory(actor=self.actor, store=self.store, path=f"/many/{number:03}.md")
        first = self.page(f"{self.store_url}?folder=/many/")
        self.assertEqual(len(self.rows(f"{self.store_url}?folder=/many/")), 200)
        [more] = {link for link in first.links() if "after=" in link}
        self.assertEqual(self.rows(more), [f"{number}.md" for number in range(200, 205)])
        self.assertEqual(self.tree(more)[:4], ["many", "200.md", "201.md", "202.md"])

    def test_shows_the_chosen_memory_in_the_tree_of_a_large_folder(self):
        for number in range(300):
            last = make_memory(actor=self.actor, store=self.store, path=f"/many/{number:03}.md")
        tree = self.tree(f"{self.store_url}memories/{last.id}/")
        self.assertEqual(tree[0:2], ["many", "299.md"])

    def test_shows_the_way_to_a_folder_among_very_many(self):
        for number in range(250):
            make_memory(actor=self.actor, store=self.store, path=f"/{number:03}/x.md")
        tree = self.tree(f"{self.store_url}?folder=/249/")
        self.assertEqual(tree[:3], ["249", "x.md", "policies"])

    def test_takes_the_same_queries_for_one_and_for_many(self):
        self.client.force_login(self.owner)
        path = f"{self.store_url}?folder=/policies/"
        make_memory(actor=self.actor, store=self.store, path="/policies/inner/x.md")
        with self.assertNumQueries(12):
            self.client.get(path)
        for number in range(4):
            make_memory(actor=self.actor, store=self.store, path=f"/policies/{number}.md")
            make_memory(actor=self.actor, store=self.store, path=f"/policies/f{number}/x.md")
        with self.assertNumQueries(12):
            self.client.get(path)

    def test_has_an_honest_page_for_a_folder_that_is_empty_or_gone(self):
        page = self.page(f"{self.store_url}?folder=/gone/")
        self.assertIn("Nothing is in this folder now", page.text)

    def test_does_not_know_what_is_no_folder(self):
        for folder in (
            "x",
            "//",
            "/a//",
            "/../",
            "/./",
            "/a\u202e/",
            "/%00/",
            "/" + "a/" * 25,
            "/" + "x" * 1100,
        ):
            with self.subTest(folder):
                self.assertEqual(self.get(f"{self.store_url}?folder={folder}").status_code, 404)
        for after in ("x", "/other/a.md", "/policies/%00", "/policies/../x"):
            with self.subTest(after):
                path = f"{self.store_url}?folder=/policies/&after={after}"
                self.assertEqual(self.get(path).status_code, 404)

    def test_teaches_where_the_store_is_empty(self):
        store = make_store(actor=self.actor)
        page = self.page(f"/stores/{store.id}/")
        self.assertIn("Nothing is in this store yet", page.text)
        self.assertIn(f'client.beta.memory_stores.memories.create( "{store.id}", path=', page.text)

    def test_says_that_a_store_is_archived(self):
        archive_store(actor=self.actor, store_id=self.store.id)
        self.assertIn("Archived just now", self.page(self.store_url).text)

    def test_is_no_use_of_a_memory(self):
        self.get(self.store_url)
        self.get(self.memory_url)
        self.get(self.version_url)
        self.assertIsNone(Memory.objects.get(id=self.memory.id).last_read_at)


class FilterOfPaths(ConsoleTestCase):
    TREE = {"HX-Request": "true", "HX-Target": "tree"}

    def setUp(self):
        for number in range(3):
            make_memory(actor=self.actor, store=self.store, path=f"/cases/Case {number}.md")

    def found(self, page: Page) -> list[str]:
        part = page.html[page.html.index('<ul class="tree tree--found">') :]
        return [Page(each).text for each in re.findall("<li>(.*?)</li>", part.partition("</ul>")[0])]

    def test_finds_paths_of_all_folders_whatever_their_case(self):
        page = self.page(f"{self.store_url}?filter=case+")
        self.assertEqual(self.found(page), [f"/cases/Case {number}.md" for number in range(3)])
        self.assertIn("3 paths hold “case”", page.text)
        page = self.page(f"{self.store_url}?filter=cies/RE")
        self.assertEqual(self.found(page), ["/policies/refunds.md"])
        self.assertIn("<mark>cies</mark>", page.html)

    def test_takes_what_was_typed_as_it_stands(self):
        make_memory(actor=self.actor, store=self.store, path="/a%b_c*.md")
        for words in ("%b", "_c", "*.md", "a%b_c*"):
            with self.subTest(words):
                page = self.page(f"{self.store_url}?{urlencode({'filter': words})}")
                self.assertEqual(self.found(page), ["/a%b_c*.md"])
        for words in ("zebra", "cases refunds", "\0", "\ud7ff", ".*x"):
            with self.subTest(words):
                page = self.page(f"{self.store_url}?{urlencode({'filter': words})}")
                self.assertIn("No path holds", page.text)

    def test_stands_beside_a_memory_too_and_keeps_its_view(self):
        page = self.page(f"{self.memory_url}?view=agent&filter=refunds")
        self.assertEqual(self.found(page), ["/policies/refunds.md"])
        self.assertIn('aria-current="true"', page.html)
        self.assertIn({"type": "hidden", "name": "view", "value": "agent"}, page.all("input"))
        self.assertIn(f"{self.memory_url}?view=agent", page.links())

    def test_answers_the_field_with_the_tree_alone_and_the_address(self):
        for address, query, whole in (
            (self.store_url, "filter=case&folder=%2Fpolicies%2F", "?folder=%2Fpolicies%2F&filter=case"),
            (self.memory_url, "filter=case&view=", "?filter=case"),
            (self.memory_url, "filter=", ""),
        ):
            with self.subTest(address, query=query):
                response = self.get(f"{address}?{query}", **self.TREE)
                self.assertEqual(response["HX-Replace-Url"], f"{address}{whole}")
                self.assertNotIn("<h1", response.content.decode())
                self.assertIn("HX-Target", response["Vary"])
        self.assertIn("<h1", self.get(f"{self.store_url}?filter=case", **HTMX).content.decode())

    def test_says_when_there_are_more_and_takes_the_same_queries(self):
        self.client.force_login(self.owner)
        with CaptureQueriesContext(connection) as few:
            self.client.get(f"{self.store_url}?filter=", headers=self.TREE)
        with CaptureQueriesContext(connection) as some:
            self.client.get(f"{self.store_url}?filter=case", headers=self.TREE)
        for number in range(150):
            make_memory(actor=self.actor, store=self.store, path=f"/many/case-{number:03}.md")
        with self.assertNumQueries(len(some)):
            response = self.client.get(f"{self.store_url}?filter=case", headers=self.TREE)
        self.assertLessEqual(len(some), len(few))
        page = Page(response.content.decode())
        self.assertEqual(len(self.found(page)), 50)
        self.assertIn("153 paths hold “case”; here are the first 50.", page.text)

    def test_shows_hostile_paths_and_words_as_text(self):
        hostile.make_hostile_memories(actor=self.actor, store=self.store)
        for words in ("e", "<b>", '"onmouse', hostile.IMAGE, hostile.REVERSED):
            with self.subTest(words):
                page = self.page(f"{self.store_url}?{urlencode({'filter': words})}")
                self.assertEqual(page.inline_code(), [])
                self.assertEqual(page.all("img"), [])

    def test_is_of_ones_own_store_only(self):
        self.assertEqual(self.get(f"{self.store_url}?filter=case", user=self.stranger).status_code, 404)
        self.assertEqual(
            self.get(f"{self.store_url}?filter=case", user=self.stranger, **self.TREE).status_code, 404
        )
