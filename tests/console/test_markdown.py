"""Markdown: what it draws, what it refuses, and that no text gets anything else past it."""

import random
import time
from html.parser import HTMLParser

import pytest
from django.template import Context, Template
from django.test import SimpleTestCase
from hypothesis import given, settings
from hypothesis import strategies as st

from stores.console import markdown
from tests.console import hostile

pytestmark = pytest.mark.once

LIMIT = 102_400
ALLOWED = {
    "a": {"href", "rel"},
    "div": {"class", "role", "tabindex", "aria-label"},
    "ol": {"start"},
    "span": {"class", "title"},
}


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def draw(content: str) -> str:
    rendered = markdown.render(content)
    assert rendered.html is not None, rendered.why
    return str(rendered.html)


def faults(html: str) -> list[str]:
    """Tags, attributes, classes and addresses that have no business there."""
    found = []
    for tag, attributes in Tags(html).found:
        if tag not in markdown.TAGS:
            found.append(f"<{tag}>")
        for name, value in attributes.items():
            value = value or ""
            if name not in ALLOWED.get(tag, {"class"}):
                found.append(f"<{tag} {name}>")
            if name == "class" and not set(value.split()) <= markdown.CLASSES.get(tag, set()):
                found.append(f"<{tag} class={value}>")
            if name == "href" and not value.lower().startswith(("http:", "https:", "mailto:")):
                found.append(f"<{tag} href={value}>")
            if name == "rel" and value != "noopener noreferrer nofollow":
                found.append(f"<{tag} rel={value}>")
    return found


class Drawing(SimpleTestCase):
    def test_draws_what_people_write(self):
        cases = [
            ("# A", '<h3 class="md-1">A</h3>'),
            ("*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>"),
            ("> a", "<blockquote>\n<p>a</p>\n</blockquote>"),
            ("3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'),
            ("- [ ] a", '<li class="md-todo"><span class="md-task">☐</span><span class="vh">to do: </span>a'),
            ("- [x] a", '<li class="md-todo"><span class="md-task">☑</span><span class="vh">done: </span>a'),
            ("a\n***\nb", "<hr>"),
            ("    a\n    b", "<pre><code>a\nb\n</code></pre>"),
        ]
        for content, html in cases:
            with self.subTest(content):
                self.assertIn(html, draw(content))

    def test_draws_tables_whose_cells_are_aligned(self):
        html = draw("| a |  | c |\n|---|---|--:|\n| 1 | 2 | 3 |\n")
        self.assertIn("<th>a</th>\n<td></td>\n", html)  # a heading without a word is none
        self.assertIn('<td class="md-right">3</td>', html)
        self.assertNotIn("style", html)

    def test_headings_stand_below_those_of_the_page_and_skip_no_step(self):
        cases = [
            ("# a\n## b\n### c\n#### d\n##### e\n###### f", "345666"),
            ("### a\n# b\n###### c", "334"),
            ("a\n=\nb\n-", "34"),
        ]
        for content, levels in cases:
            with self.subTest(content):
                found = "".join(tag[1] for tag, _ in Tags(draw(content)).found if tag[0] == "h")
                self.assertEqual(found, levels)

    def test_says_where_a_link_leads(self):
        html = draw('[the bank](https://evil.example/a?b=1&c=2 "click me")')
        self.assertIn(
            '<a href="https://evil.example/a?b=1&amp;c=2" rel="noopener noreferrer nofollow">', html
        )
        self.assertIn("the bank (https://evil.example/a?b=1&c=2 “click me”)", Tags(html).text)
        self.assertEqual(Tags(draw("<https://a.example/>")).text, "https://a.example/")
        self.assertIn('href="mailto:a@b.example"', draw("<a@b.example>"))

    def test_leads_nowhere_but_to_the_web_and_to_mailboxes(self):
        for address in (
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java&#x0A;script:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "//evil.example",
            "/logout/",
            "other.md",
            "#main",
            "?format=json",
            "&#106;avascript:alert(1)",
            "%6aavascript:alert(1)",
            "blob:x",
            "ftp://a.example",
        ):
            with self.subTest(address):
                html = draw(f"[a]({address}) ![b]({address}) <{address}>\n\n[a]: {address}\n\n[a]")
                self.assertNotIn("<a", html)
                self.assertEqual(faults(html), [])

    def test_loads_no_image_and_says_what_it_was(self):
        html = draw(
            '![A **chart**](https://track.example/x.png "Title") [![in](http://i.example/)](http://l.example/)'
        )
        self.assertNotIn("<img", html)
        self.assertIn("A chart (https://track.example/x.png “Title”)", Tags(html).text)
        self.assertIn("(http://i.example/)", Tags(html).text)

    def test_shows_raw_html_as_text(self):
        for content in (
            hostile.IMAGE,
            hostile.SCRIPT,
            "<style>*{}</style>",
            "<!-- a -->",
            "<p id=main class=btn>",
            "<svg/onload=alert(1)>",
            "<a href='javascript:x'>y</a>",
            "<details open>",
            hostile.TEMPLATE,
        ):
            with self.subTest(content):
                html = draw(content)
                self.assertEqual(faults(html), [])
                self.assertEqual(Tags(html).text, content)

    def test_hides_no_words_of_a_fence(self):
        html = draw("```py ignore-all onclick=x\ncode\n```")
        self.assertIn('<p class="md-info">py ignore-all onclick=x</p>', html)
        self.assertEqual(faults(html), [])

    def test_marks_hidden_characters_wherever_they_stand(self):
        for place in (
            "{}",
            "`{}`",
            "    {}",
            "```\n{}\n```",
            "# {}",
            "| {} |\n|---|\n",
            "[{}](http://a.example)",
            "![{}](http://a.example)",
            "```{}\n```",
            '[a](http://a.example "{}")',
        ):
            for character in ("a\u202eb", "a\u200b\u200bb", "a&#x202e;b"):
                if character.startswith("a&") and ("`" in place or place.startswith("    ")):
                    continue  # code knows no entities
                with self.subTest(place=place, character=ascii(character)):
                    html = draw(place.format(character))
                    self.assertIn('class="hid"', html)
                    self.assertNotRegex(html, "[\u202e\u200b]")
        self.assertNotIn('class="hid"', draw(f"{hostile.FAMILY} {hostile.SCOTLAND} שלום\n"))

    def test_draws_a_bounded_number_of_marks_and_says_so(self):
        rendered = markdown.render("a \u200b " * 20_000)
        self.assertLess(str(rendered.html).count('class="hid"'), 7_000)
        self.assertNotIn("\u200b", str(rendered.html))

    def test_says_what_it_leaves_out(self):
        self.assertEqual(markdown.render("a").notes, ())
        comment = "[//]: # (a usual way to hide words)"
        self.assertEqual(Tags(draw(comment)).text, comment)
        notes = markdown.render('[//]: http://a.example "hidden"\n\na\n').notes
        self.assertEqual(notes, ("1 line defines a link and can be read in the text only.",))

    def test_goes_into_a_template_as_it_is(self):
        drawn = Template("{{ html }}").render(Context({"html": markdown.render("*<b>*").html}))
        self.assertEqual(drawn, "<p><em>&lt;b&gt;</em></p>\n")


HOSTILE_TEXTS = {
    # Lines that go on in quotes and lists without a sign of their own, and cells that are not written.
    "deep quote, then CR": ">" * 37 + "a\r" + "b\r" * 51_000,
    "deep quote, then LF": ">" * 37 + "a\n" + "b\n" * 7_900,
    "deep list, then lines": "- " * 37 + "a\n" + "b\n" * 7_900,
    "list by indent, then lines": "".join(" " * (2 * n) + "- x\n" for n in range(37)) + "b\n" * 7_900,
    "wide table of empty cells": "|a" * 2_500 + "|\n" + "|-" * 2_500 + "|\n" + "|b\n" * 4_000,
    "many tables": ("|a" * 40 + "|\n" + "|-" * 40 + "|\n" + "|b\n" * 100 + "\n") * 60,
    **{
        f"many {piece!r}": (piece * (LIMIT // len(piece)))
        for piece in (
            "[",
            "![",
            "]",
            "[a](",
            "[a][",
            "![a](",
            "[[a]",
            "*",
            "**a ",
            "*a",
            "a*",
            "**a*b",
            "*a_b",
            "_",
            "~~a",
            "`",
            "``` ",
            "``a``b",
            "> ",
            ">",
            "- ",
            "1. ",
            "|",
            "a|",
            "<",
            "<a",
            "<http:",
            "<!--",
            "&",
            "&amp;",
            "\\",
            "#",
            "# \n",
            "- a\n",
            "> a\n",
            ">\n",
            "a\n",
            "\n",
            "[a]: b\n",
            "| a\n|-\n",
            '"',
            "(",
            "\u200b",
            "\u202e ",
            "a\u0301",
        )
    },
    "nested lists": "".join("  " * depth + "- a\n" for depth in range(300)),
    "nested quotes": "\n".join(">" * depth + " a" for depth in range(400)),
    "10,000 items": "- item\n" * 10_000,
    "wide table": "|".join(["a"] * 9_000) + "\n" + "|".join(["-"] * 9_000) + "\n" + "|".join(["b"] * 9_000),
    "references": "".join(f"[a{n}]: http://x/{n}\n\n[a{n}]\n\n" for n in range(3_000))[:LIMIT],
    "ticks": "".join("`" * n + " " for n in range(1, 440)),
}


@pytest.mark.slow
class Bounds(SimpleTestCase):
    def test_is_quick_or_declines(self):
        slow = []
        for name, content in HOSTILE_TEXTS.items():
            for text in (content, cut_to_bounds(content)):
                before = time.process_time()
                rendered = markdown.render(text)
                seconds = time.process_time() - before
                if seconds > 1:
                    slow.append((name, len(text), seconds))
                self.assertTrue(rendered.html is not None or rendered.why, name)
                if rendered.html is not None:
                    self.assertEqual(faults(str(rendered.html)), [], name)
        self.assertEqual(slow, [])

    def test_draws_a_long_text_as_agents_write_it(self):
        section = (
            "## Case 12\n\n- **Who**: somebody, [source](https://a.example/1)\n- `code` and more words\n\n"
        )
        content = section * (LIMIT // len(section))
        self.assertIsNotNone(markdown.render(content).html)

    def test_declines_rather_than_lose_what_is_nested_too_deeply(self):
        deep = "> " * 60 + "the end"
        self.assertEqual(markdown.render(deep), markdown.Rendered(None, markdown.TOO_DEEP))
        for depth in range(1, 60):
            rendered = markdown.render("> " * depth + "the end")
            if rendered.html is not None:
                self.assertIn("the end", str(rendered.html))
            rendered = markdown.render(
                "".join("  " * n + "- a\n" for n in range(depth)) + "  " * depth + "- the end"
            )
            if rendered.html is not None:
                self.assertIn("the end", str(rendered.html))


def cut_to_bounds(content: str) -> str:
    """The longest beginning that is still drawn, or nearly."""
    low, high = 0, len(content)
    while low < high - 64:
        middle = (low + high) // 2
        low, high = (low, middle) if markdown.is_costly(content[:middle]) else (middle, high)
    return content[:low]


PIECES = [
    "<script>",
    "</p>",
    "<img src=x onerror=y>",
    "javascript:",
    "http://a.example",
    "[",
    "](",
    ")",
    "![",
    "]: ",
    "`",
    "```",
    "\n",
    "\n\n",
    "    ",
    "> ",
    "- ",
    "1. ",
    "- [x] ",
    "*",
    "**",
    "_",
    "~~",
    "|",
    "|---|",
    "# ",
    "<",
    ">",
    '"',
    "'",
    "&lt;",
    "&#x202e;",
    "\\",
    "onclick=",
    "style=",
    " ",
    "a",
    "\u202e",
    "\u200b",
    "\0",
    "\r\n",
    "data:",
    "<https://",
    "mailto:",
    "\t",
    "é",
    "class=btn",
    "{{ 7 }}",
    "\ud7ff",
]


class Anything(SimpleTestCase):
    @settings(max_examples=300, deadline=None)
    @given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
    def test_holds_nothing_that_acts(self, content):
        rendered = markdown.render(content)
        if rendered.html is not None:
            html = str(rendered.html)
            self.assertEqual(faults(html), [])
            self.assertNotRegex(html, "[\u202e\u200b\0]")

    @settings(max_examples=100, deadline=None)
    @given(st.text(max_size=300))
    def test_holds_nothing_that_acts_whatever_the_characters(self, content):
        rendered = markdown.render(content)
        if rendered.html is not None:
            self.assertEqual(faults(str(rendered.html)), [])

    def test_random_texts_of_full_length_are_drawn_or_declined_in_time(self):
        dice = random.Random(7)
        for _ in range(3):
            content = "".join(dice.choices(PIECES, k=15_000))[:LIMIT]
            before = time.process_time()
            markdown.render(content)
            self.assertLess(time.process_time() - before, 1)
