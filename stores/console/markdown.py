"""Memory text drawn as Markdown (pure): what it says, and nothing that it could do.

CommonMark with tables, strike-through and task lists. Raw HTML is text. Nothing is loaded: an image is its
words and its address. A link goes to the web or to a mailbox, and its address stands beside it. The text can
name no id and no class, and its headings stand below those of the page. Hidden characters are marked as in
console/text.py. What the parser writes goes through nh3, which lets pass only what is listed here.

Some texts cost the parser minutes. They are told by their signs and not drawn at all; the page shows them as
they stand.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import nh3
from django.utils.html import format_html
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from stores.console import text

# A text of 100 kB as people and agents write it has some 2,000 lines and 10,000 signs, and takes a few
# hundredths of a second; at these bounds the worst ones take half a second. Brackets cost most, for each may
# begin a link.
MOST_LINES = 8_000
MOST_BRACKETS = 4_000
MOST_SIGNS = 24_000
SIGNS = re.compile(r"[*_~`<|&\\#]")
BREAK = re.compile(r"\r\n?|\n")
# A line costs as much again for each quote or list that it lies in, and it may lie in them without a sign of
# its own; a row of a table costs as much as it has columns, though it be empty.
MOST_LINES_BY_DEPTH = 40_000
MOST_CELLS = 20_000
CONTAINERS = re.compile(r"(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])(?=[ \t>]|$|(?<=>)))+")
SIGN_OF_ONE = re.compile(r">|[-+*]|\d[.)]")
DELIMITERS = re.compile(r"[ \t>]*[|:\- \t]*-[|:\- \t]*")
# What lies deeper is left out by the parser without a word.
NESTING = 40
MARKS_A_PAGE = 3_000
# The text lies below the page's `h2`.
HIGHEST_HEADING = 3

WEB_OR_MAIL = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
TASK = re.compile(r"\[([ xX])\][ \t]")

TAGS = {
    "a", "blockquote", "br", "code", "del", "div", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre",
    "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {
    "*": set[str](),
    "a": {"href"},
    "div": {"role", "tabindex", "aria-label"},
    "ol": {"start"},
    "span": {"title"},
}
ALIGNED = {"md-left", "md-center", "md-right"}
CLASSES = {
    "div": {"md-table"},
    **{f"h{level}": {f"md-{rank}" for rank in range(1, 7)} for level in range(3, 7)},
    "li": {"md-todo"},
    "p": {"md-info"},
    "span": {"hid", "md-href", "md-img", "md-task", "vh"},
    "td": ALIGNED,
    "th": ALIGNED,
}


class Cleaned:
    """HTML that need not be escaped: there is no way into it but through nh3."""

    def __init__(self, html: str) -> None:
        self._html: str = nh3.clean(
            html,
            tags=TAGS,
            attributes=ATTRIBUTES,
            allowed_classes=CLASSES,
            url_schemes={"http", "https", "mailto"},
            link_rel="noopener noreferrer nofollow",
        )

    def __html__(self) -> str:
        return self._html


class Rendered(msgspec.Struct, frozen=True):
    """`html` is None where the text is not drawn; `why` says so then. `notes` are what the drawing leaves
    out, in sentences.
    """

    html: SafeString | None
    why: str = ""
    notes: tuple[str, ...] = ()


TOO_MANY = (
    "This text has so many brackets, marks or lines that drawing it would take too long. "
    "Below it stands as it is."
)
TOO_DEEP = (
    "This text nests lists or quotes so deeply that a part of it would be lost when drawn. "
    "Below it stands as it is."
)


def render(content: str) -> Rendered:
    if is_costly(content):
        return Rendered(None, TOO_MANY)
    env: dict[str, Any] = {}
    tokens = PARSER.parse(content, env)
    if any(token.level >= NESTING - 1 for token in tokens):
        return Rendered(None, TOO_DEEP)
    html = Cleaned(PARSER.renderer.render(tokens, PARSER.options, env))
    return Rendered(format_html("{}", html), notes=tuple(_notes(env)))


def is_costly(content: str) -> bool:
    lines = BREAK.split(content)
    depth = max(map(depth_of, lines))
    return (
        len(lines) > MOST_LINES
        or len(lines) * depth > MOST_LINES_BY_DEPTH
        or cells_of(lines) > MOST_CELLS
        or content.count("[") + content.count("]") > MOST_BRACKETS
        or len(SIGNS.findall(content)) > MOST_SIGNS
    )


def depth_of(line: str) -> int:
    """In how many quotes and lists a line that begins one lies, at most: by its signs and its indent."""
    found = CONTAINERS.match(line)
    if found is None:
        return 0
    return len(SIGN_OF_ONE.findall(found[0])) + (len(line) - len(line.lstrip(" \t"))) // 2


def cells_of(lines: Sequence[str]) -> int:
    """Of all tables, at most: a table goes on to the next blank line."""
    cells = rows = 0
    for line in reversed(lines):
        if not line.strip():
            rows = 0
            continue
        if DELIMITERS.fullmatch(line):
            cells += line.count("|") * rows
        rows += 1
    return cells


def _notes(env: dict[str, Any]) -> list[str]:
    notes = []
    hidden = len(env.get("references", {})) + len(env.get("duplicate_refs", []))
    if hidden:
        lines = "1 line defines a link" if hidden == 1 else f"{hidden:,} lines define links"
        notes.append(f"{lines} and can be read in the text only.")
    if env.get("unmarked"):
        notes.append(f"Hidden characters behind the first {MARKS_A_PAGE:,} are left out.")
    return notes


class Renderer(RendererHTML):
    """What comes from the text goes through `marked`, or is an address that was percent-encoded."""

    def marked(self, content: str, env: dict[str, Any]) -> str:
        """Escaped, hidden characters as marks."""
        if env.get("marks", 0) > MARKS_A_PAGE:
            bare = text.CANDIDATE.sub("", content)
            env["unmarked"] = env.get("unmarked") or bare != content
            return escapeHtml(bare)
        pieces = text.pieces(content)
        if pieces is None:
            return escapeHtml(content)
        env["marks"] = env.get("marks", 0) + len(pieces)
        return "".join(
            f'<span class="hid" title="{escapeHtml(piece["title"])}">{escapeHtml(piece["mark"])}</span>'
            if "mark" in piece
            else escapeHtml(piece["text"])
            for piece in pieces
        )

    def marked_lines(self, content: str, env: dict[str, Any]) -> str:
        # An LF is no hidden character where lines are kept.
        return "\n".join(self.marked(line, env) for line in content.split("\n"))

    def text(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return self.marked(tokens[idx].content, env)

    def code_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"<code>{self.marked(tokens[idx].content, env)}</code>"

    def code_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        # A browser swallows the first newline behind <pre>.
        return f"<pre>\n<code>{self.marked_lines(tokens[idx].content, env)}</code></pre>\n"

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        info = tokens[idx].info.strip()
        # Shown, for it is a good place to hide a sentence from people.
        head = f'<p class="md-info">{self.marked(info, env)}</p>' if info else ""
        return head + self.code_block(tokens, idx, options, env)

    def html_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        raise AssertionError("raw HTML is off")

    html_inline = html_block

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        token = tokens[idx]
        words = self.renderInlineAsText(token.children, options, env) if token.children else ""
        shown = self.marked(words, env) if words else "Image"
        return f'<span class="md-img">{shown}{self._target(token, "src", env)}</span>'

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        token = tokens[idx]
        href = str(token.attrs["href"])
        following = tokens[idx + 1].content
        says_where = token.info == "auto" and href in (following, f"mailto:{following}")
        target = "" if says_where else self._target(token, "href", env)
        env.setdefault("targets", []).append(target)
        return f'<a href="{escapeHtml(href)}">'

    def link_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"</a>{env['targets'].pop()}"

    def _target(self, token: Token, name: str, env: dict[str, Any]) -> str:
        """Where it leads, with the title that would only be seen on hover."""
        address = self.marked(str(token.attrs.get(name, "")), env)
        title = str(token.attrs.get("title", ""))
        words = f" “{self.marked(' '.join(title.split()), env)}”" if title else ""
        return f' <span class="md-href">({address}{words})</span>'

    def heading_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        rank = int(tokens[idx].tag[1])
        # Never a step of two, whatever the text begins with: a reader goes from heading to heading.
        level = min(HIGHEST_HEADING + rank - 1, env.get("level", HIGHEST_HEADING - 1) + 1, 6)
        env["level"] = level
        return f'<h{level} class="md-{rank}">'

    def heading_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"</h{env['level']}>\n"

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        # A wide one scrolls by itself, also by key.
        return '<div class="md-table" role="region" aria-label="Table" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        side = str(tokens[idx].attrs.get("style", "")).removeprefix("text-align:")
        tag = self._cell(tokens[idx], tokens[idx + 1])
        return f'<{tag} class="md-{side}">' if side in ("left", "center", "right") else f"<{tag}>"

    td_open = th_open

    def th_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"</{self._cell(tokens[idx], tokens[idx - 1])}>\n"

    def _cell(self, token: Token, inside: Token) -> str:
        # A heading without a word is none.
        return "td" if token.tag == "td" or not inside.content.strip() else "th"

    def task(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        sign, word = ("☑", "done") if tokens[idx].content == "x" else ("☐", "to do")
        return f'<span class="md-task">{sign}</span><span class="vh">{word}: </span>'


def _find_tasks(state: StateCore) -> None:
    """`- [ ] this` and `- [x] that`."""
    for place in range(2, len(state.tokens)):
        item, paragraph, inline = state.tokens[place - 2 : place + 1]
        if (item.type, paragraph.type, inline.type) != ("list_item_open", "paragraph_open", "inline"):
            continue
        first = inline.children[0] if inline.children else None
        found = TASK.match(first.content) if first is not None and first.type == "text" else None
        if first is None or found is None or inline.children is None:
            continue
        first.content = first.content[found.end() :]
        inline.children.insert(0, Token("task", "", 0, content=found[1].lower()))
        item.attrSet("class", "md-todo")


def _make_parser() -> MarkdownIt:
    options = {"html": False, "maxNesting": NESTING}
    parser = MarkdownIt("commonmark", options, renderer_cls=Renderer).enable(["table", "strikethrough"])
    # A link that leads elsewhere stays text.
    parser.validateLink = lambda url: WEB_OR_MAIL.match(url) is not None  # type: ignore[method-assign]
    # Behind all others: only then adjoining texts are one.
    parser.core.ruler.push("task", _find_tasks)
    return parser


PARSER = _make_parser()
