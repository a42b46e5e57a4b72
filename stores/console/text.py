"""Hostile text as data that a template can escape: lines, pieces, and marks for what cannot be seen (pure).

A hidden character is taken out of the text and drawn as a small named mark, so that it can neither reorder
the page nor hide in it. Where such characters are ordinary writing (joiners in Persian or Hindi and in emoji,
direction marks in Hebrew, a variation selector behind a symbol) they are left alone.
"""

import re
import unicodedata
from typing import Any

Piece = dict[str, str]
Shown = dict[str, Any]

CANDIDATE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
NAMES = {
    " ": "SP",
    "\xa0": "NBSP",
    "\u2800": "BRAILLE BLANK",
    "\u3000": "IDSP",
    "\x7f": "DEL",
    "\x85": "NEL",
    "\xad": "SHY",
    "\u034f": "CGJ",
    "\u061c": "ALM",
    "\u180e": "MVS",
    "\u200b": "ZWSP",
    "\u200c": "ZWNJ",
    "\u200d": "ZWJ",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u2028": "LSEP",
    "\u2029": "PSEP",
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u2060": "WJ",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
    "\u3164": "HF",
    "\ufeff": "BOM",
}
# Unicode gives controls no name.
CONTROLS = [
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
]  # fmt: skip
ZWNJ, ZWJ = "\u200c", "\u200d"
DIRECTION_MARKS = "\u200e\u200f\u061c"
BLACK_FLAG = "\U0001f3f4"
# The flags of England, Scotland and Wales, and no others.
FLAG = re.compile(
    BLACK_FLAG
    + "(?:"
    + "|".join("".join(chr(0xE0000 + ord(c)) for c in name) for name in ("gbeng", "gbsct", "gbwls"))
    + ")\U000e007f"
)
# What shows as nothing; the Braille blank and the Hangul fillers are no white space to Python.
BLANKS = (
    " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"
    "\u3000\u2800\u3164\uffa0"
)
JOINING_IS_FOREIGN_TO = ("LATIN", "GREEK", "CYRILLIC", "DIGIT")


def show(text: str) -> Shown:
    """A name ready for components/_text.html: `pieces` only where there is something to mark.

    A name of nothing but blanks is drawn, for it could be neither seen nor clicked.
    """
    if text and not text.strip(BLANKS):
        runs = [found.group() for found in re.finditer(r"(.)\1*", text, re.DOTALL)]
        return {"text": text, "pieces": [mark(run) for run in runs]}
    return {"text": text, "pieces": pieces(text)}


def plain(text: str) -> str:
    """Text for places that cannot draw marks, like a page's title."""
    return "".join(piece["text"] or f"[{piece['mark']}]" for piece in pieces(text) or [{"text": text}])


def pieces(text: str) -> list[Piece] | None:
    """The text cut into plain pieces and marks; None when there is nothing to mark."""
    found: list[Piece] = []
    begin = 0
    runs = hidden_runs(text)
    for start, end in runs[:MARKS_A_LINE]:
        if start > begin:
            found.append({"text": text[begin:start]})
        found.append(mark(text[start:end]))
        begin = end
    if not found:
        return None
    rest = text[begin:]
    more = len(runs) - MARKS_A_LINE
    if more > 0:
        # No browser draws 50,000 marks at once; what they stand for must not be raw in the page either.
        rest = CANDIDATE.sub("", rest)
        title = "The rest of this line is shown without its hidden characters."
        found.append({"text": "", "mark": f"{more:,} MORE", "title": title})
    if rest:
        found.append({"text": rest})
    return found


def hidden_runs(text: str) -> list[tuple[int, int]]:
    """Where the hidden characters stand, in order; a run of the same character is one place."""
    if (text.isascii() and text.isprintable()) or not CANDIDATE.search(text):
        return []
    found: list[tuple[int, int]] = []
    place = 0
    # Asked once, not at every mark: a text may hold nothing else. The marks themselves do not count.
    has_right_to_left = any(
        unicodedata.bidirectional(character) in ("R", "AL") and character not in DIRECTION_MARKS
        for character in text
    )
    while match := CANDIDATE.search(text, place):
        start = match.start()
        if is_ordinary(text, start, has_right_to_left=has_right_to_left):
            place = start + 1
            continue
        place = _end_of_run(text, start)
        found.append((start, place))
    return found


def _end_of_run(text: str, start: int) -> int:
    """Where the same character, or the same kind of invisible alphabet, ends."""
    kind = _kind(text[start])
    end = start + 1
    while end < len(text) and _kind(text[end]) == kind:
        end += 1
    return end


def _kind(character: str) -> str:
    if "\U000e0000" <= character <= "\U000e007f":
        return "TAG"
    if "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
        return "VS"
    return character


def mark(run: str) -> Piece:
    """A run of one hidden character as its small named mark."""
    first = run[0]
    kind = _kind(first)
    name = kind if len(kind) > 1 else short_name(first)
    times = f" ×{len(run):,}" if len(run) > 1 else ""
    if kind == "TAG":
        spelled = "".join(chr(ord(c) - 0xE0000) for c in run if 0xE0020 <= ord(c) <= 0xE007E)
        title = f"{len(run):,} invisible tag characters that spell: {spelled}"
    else:
        title = f"{unicodedata.name(first, 'CONTROL CHARACTER')}, U+{ord(first):04X}{times}"
    return {"text": "", "mark": name + times, "title": title}


def short_name(character: str) -> str:
    if character in NAMES:
        return NAMES[character]
    code = ord(character)
    return CONTROLS[code] if code < len(CONTROLS) else f"U+{code:04X}"


def is_ordinary(text: str, place: int, *, has_right_to_left: bool) -> bool:
    """Whether a character that is often used to hide things is ordinary writing where it stands."""
    character = text[place]
    before = text[place - 1] if place else ""
    after = text[place + 1] if place + 1 < len(text) else ""
    if character in (ZWNJ, ZWJ):
        return _joins(before) and (_joins(after) or not after or after in " .,;:!?\u060c\u061b\u061f")
    if character in DIRECTION_MARKS:
        # One beside a word is how Hebrew and Arabic are typed; a run of them writes nothing.
        return has_right_to_left and not {before, after} & set(DIRECTION_MARKS)
    kind = _kind(character)
    if kind == "VS":
        return bool(before) and _kind(before) != "VS" and (before in "#*0123456789" or not before.isascii())
    if kind == "TAG":
        begin = text.rfind(BLACK_FLAG, max(0, place - 7), place)
        flag = FLAG.match(text, begin) if begin >= 0 else None
        return flag is not None and place < flag.end()
    return False


def _joins(character: str) -> bool:
    """Whether joiners beside this character are part of writing it."""
    if not character or character.isascii():
        return False
    category = unicodedata.category(character)
    if category[0] in "LM":
        return not unicodedata.name(character, "").startswith(JOINING_IS_FOREIGN_TO)
    return category in ("So", "Sk")


LINES_A_PAGE = 2000
MARKS_A_LINE = 2000
MARKS_A_PAGE = 3000


def lines_page(text: str, *, first: int, markdown: bool) -> Shown:
    """Up to LINES_A_PAGE lines from number `first` on, with what is true of the whole text.

    A memory of 100 kB may have 100,000 lines, and no browser is quick with that many.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    total = len(lines)
    crlf = text.count("\r\n")
    newlines = text.count("\n")
    mixed = 0 < crlf < newlines
    rows: list[Shown] = []
    drawn = 0
    for number, line in enumerate(lines[first - 1 : first - 1 + LINES_A_PAGE], first):
        rows.append(_line(number, line, has_newline=number <= newlines, mixed=mixed, markdown=markdown))
        drawn += len(rows[-1]["pieces"] or ())
        if drawn > MARKS_A_PAGE:
            break
    last = first - 1 + len(rows)
    return {
        "rows": rows,
        "total": total,
        "first": first,
        "last": last,
        "next": last + 1 if last < total else None,
        "previous": max(1, first - LINES_A_PAGE) if first > 1 else None,
        "facts": line_facts(text),
    }


def _line(number: int, line: str, *, has_newline: bool, mixed: bool, markdown: bool) -> Shown:
    ends_in_crlf = has_newline and line.endswith("\r")
    if ends_in_crlf:
        line = line[:-1]
    return {
        "n": number,
        "text": line,
        "pieces": pieces(line),
        "eol": "CRLF" if ends_in_crlf and mixed else "",
        "heading": markdown and HEADING.match(line) is not None,
    }


HEADING = re.compile(r"#{1,6} ")


def first_of_page(line: int) -> int:
    """The first line of the page on which a line is."""
    return (line - 1) // LINES_A_PAGE * LINES_A_PAGE + 1


def line_facts(text: str) -> str:
    """How many lines, and how they end."""
    if text == "":
        return "no lines"
    newlines, crlf = text.count("\n"), text.count("\r\n")
    ends_with_newline = text.endswith("\n")
    total = newlines + (not ends_with_newline)
    facts = ["1 line" if total == 1 else f"{total:,} lines"]
    if newlines:
        mixed = f"{crlf:,} of {newlines:,} line ends are CRLF"
        facts.append("LF" if not crlf else "CRLF" if crlf == newlines else mixed)
    if not ends_with_newline:
        facts.append("no newline at the end")
    return ", ".join(facts)
