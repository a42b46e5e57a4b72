"""What holds for every page: landmarks, the policy against scripts, page or partial."""

import gzip
import re
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.test import SimpleTestCase

from stores.domain.memories import delete_memory
from tests.console.cases import HTMX, ConsoleTestCase, Page
from tests.factories import make_member, make_memory, make_store, make_user, make_version

POLICY = {"default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'"}
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')
VARY = {"HX-Request", "HX-Boosted", "HX-History-Restore-Request", "Cookie"}


class EveryPage(ConsoleTestCase):
    def responses(self):
        empty = make_store(actor=self.actor, name="Empty")
        newcomer = make_user()
        make_member(user=newcomer)
        for path in (
            "/",
            "/search/",
            "/search/?q=30+days",
            "/search/?q=nowhere&history=1",
            "/activity/",
            "/activity/?road=dream",
            "/stores/",
            "/connect/",
            "/keys/",
            "/stores/?q=nothing",
            f"/stores/{empty.id}/",
            *self.pages(),
            *self.writing_pages(),
        ):
            yield path, self.get(path)
        yield "first store", self.get("/stores/", user=newcomer)
        yield "not found", self.get("/stores/nothing/")
        yield "no workspace", self.get("/stores/", user=make_user())
        delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        yield "deleted", self.get(f"{self.memory_url}history/")
        self.client.logout()
        yield "sign in", self.client.get("/login/")

    def test_obeys_a_strict_content_security_policy(self):
        for name, response in self.responses():
            with self.subTest(name):
                self.assertLessEqual(POLICY, set(response["Content-Security-Policy"].split("; ")))
                self.assertNotIn("unsafe", response["Content-Security-Policy"])
                self.assertEqual(Page(response.content.decode()).inline_code(), [])

    def test_has_one_heading_one_main_a_title_and_a_language(self):
        for name, response in self.responses():
            page = Page(response.content.decode())
            with self.subTest(name):
                self.assertEqual([len(page.all(tag)) for tag in ("h1", "main", "title")], [1, 1, 1])
                self.assertEqual(page.all("html")[0]["lang"], "en")
                self.assertRegex(response.content.decode(), r"<title>[^<]{3,} · Memory console</title>")

    def test_names_each_id_once(self):
        for name, response in self.responses():
            page = Page(response.content.decode())
            ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
            with self.subTest(name):
                self.assertEqual(len(ids), len(set(ids)))

    def test_lets_htmx_evaluate_nothing_and_keep_nothing(self):
        [config] = [m for m in self.page("/stores/").all("meta") if m.get("name") == "htmx-config"]
        for part in ('"allowEval": false', '"includeIndicatorStyles": false', '"historyCacheSize": 0'):
            self.assertIn(part, config["content"])

    def test_has_its_files(self):
        page = self.page(self.memory_url)
        files = [link["href"] for link in page.all("link")] + [s["src"] for s in page.all("script")]
        files += sorted({use["href"].partition("#")[0] for use in page.all("use")})
        self.assertGreaterEqual(len(files), 8)
        for path in files:
            with self.subTest(path):
                self.assertEqual(self.client.get(path).status_code, 200)

    def test_shows_only_icons_that_the_sprite_has(self):
        sprite = Path(settings.BASE_DIR, "static/icons.svg").read_text()
        for name, response in self.responses():
            for use in Page(response.content.decode()).all("use"):
                with self.subTest(name, icon=use["href"]):
                    self.assertIn(f'id="{use["href"].partition("#")[2]}"', sprite)


class PageOrPartial(ConsoleTestCase):
    def test_a_page_comes_whole(self):
        for path in ("/stores/", *self.pages(), *self.writing_pages()):
            response = self.get(path)
            with self.subTest(path):
                self.assertTrue(response.content.startswith(b"<!doctype html>"))
                self.assertLessEqual(VARY, set(response["Vary"].split(", ")))

    def test_a_swap_comes_without_its_frame_but_with_its_title(self):
        for path in (*self.pages(), *self.writing_pages()):
            response = self.get(path, **HTMX)
            page = Page(response.content.decode())
            with self.subTest(path):
                self.assertEqual([len(page.all(tag)) for tag in ("html", "main", "title")], [0, 0, 1])
                self.assertEqual(len(page.all("h1")), 1)
                self.assertLessEqual(VARY, set(response["Vary"].split(", ")))

    def test_the_list_of_stores_swaps_alone(self):
        page = self.page("/stores/?q=supp", **HTMX)
        self.assertEqual([len(page.all(tag)) for tag in ("html", "h1", "form", "table")], [0, 0, 0, 1])

    def test_going_back_and_boosted_links_get_the_whole_page(self):
        for path in ("/stores/", *self.pages(), *self.writing_pages()):
            for name in ("HX-History-Restore-Request", "HX-Boosted"):
                with self.subTest(path, header=name):
                    response = self.get(path, **HTMX, **{name: "true"})
                    self.assertTrue(response.content.startswith(b"<!doctype html>"))

    def test_a_swap_says_the_same_as_the_page(self):
        for path in (*self.pages(), *self.writing_pages()):
            # Each answer masks the token of its forms anew.
            whole, part = (TOKEN.sub("", self.get(path, **h).content.decode()) for h in ({}, HTMX))
            body = part.partition("</title>")[2].strip()
            with self.subTest(path):
                self.assertIn(body, whole)


class Templates(SimpleTestCase):
    def sources(self):
        for path in Path(settings.BASE_DIR, "templates").rglob("*.html"):
            yield path, path.read_text()

    def test_escape_everything(self):
        for path, source in self.sources():
            with self.subTest(path):
                for word in ("|safe", "autoescape", "safeseq", " style=", "<style", "<script>", "onclick"):
                    self.assertNotIn(word, source)

    def test_that_stand_inside_words_end_without_a_newline(self):
        for name in ("_text", "_path", "_actor", "_time", "_size"):
            with self.subTest(name):
                source = Path(settings.BASE_DIR, f"templates/components/{name}.html").read_text()
                self.assertFalse(source.endswith("\n"))

    def test_for_errors_need_no_request(self):
        for name in ("400", "403", "403_csrf", "404", "500"):
            with self.subTest(name):
                page = Page(render_to_string(f"{name}.html"))
                self.assertEqual([len(page.all(tag)) for tag in ("h1", "main", "title")], [1, 1, 1])
                self.assertEqual(page.inline_code(), [])
                self.assertIn(f"Error {name[:3]}", page.text)


# What a page may weigh on its way, styles and scripts included, the editor not (issue 3).
MOST_BYTES = 150_000


class Weight(ConsoleTestCase):
    def test_is_small_for_the_longest_lists_and_diffs_too(self):
        for number in range(260):
            path = f"/policies/{number:03d} a name as long as people give them {number * 7919:x}.md"
            make_memory(actor=self.actor, store=self.store, path=path)
        lines = [f"line {number} of a long text, {number * 7919:x}\n" for number in range(2_000)]
        long = make_memory(actor=self.actor, store=self.store, path="/long.md", content="".join(lines))
        changed = "".join(
            line.replace("long", "longer") if n % 10 == 0 else line for n, line in enumerate(lines)
        )
        version = make_version(actor=self.actor, memory=long, content=changed)
        long_url = f"{self.store_url}memories/{long.id}/"
        for path in (
            "/",
            "/activity/",
            "/search/?q=long",
            f"{self.store_url}?folder=/policies/",
            f"{self.store_url}?filter=name",
            f"{self.store_url}activity/",
            long_url,
            f"{long_url}?view=rendered",
            f"{long_url}edit/",
            f"{long_url}blame/",
            f"{self.store_url}diff/?to={version.id}",
            f"/activity/undo/?actor={self.owner.id}",
        ):
            with self.subTest(path):
                html = self.get(path).content
                page = Page(html.decode())
                linked = [link["href"] for link in page.all("link") if link["rel"] == "stylesheet"]
                linked += [script["src"] for script in page.all("script")]
                self.assertGreater(len(linked), 10)
                weight = len(gzip.compress(html)) + sum(map(packed_size, linked))
                self.assertLess(weight, MOST_BYTES)


def packed_size(address: str) -> int:
    found = finders.find(address.removeprefix("/static/").partition("?")[0])
    return len(gzip.compress(Path(found).read_bytes()))
