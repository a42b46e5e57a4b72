"""The words of a line, never cutting what is seen as one character, and which of them changed (pure).

A token is a word, a run of white space, or a single other character as people see it (a grapheme cluster:
a flag, a family of emoji, a letter with its accents). Scripts without blanks between words are taken
character by character. Of Unicode's rules (UAX 29) the ones that join are followed, now and then joining
more than they do: a token that is too large marks a little more, one that is too small would cut a picture.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from stores.domain.alignment import match

# Above this many tokens between the common ends of two lines, all of that is marked.
TOKENS_A_LINE = 120_000

ASCII_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
MARKS_ARE_WITHIN = (range(0x300, 0x1F000), range(0xE0100, 0xE01F0))
# What joins to the character before it without being a mark: ZWNJ and ZWJ, the vowel AM of Thai and Lao,
# half-width voicing marks, skin tones, the tags of flags.
ALSO_JOINED = "\u200c\u200d\u0e33\u0eb3\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
# What joins to the character after it: number signs and the like of Arabic, Syriac and Kaithi.
PREPENDED = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
PICTURES = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
# Thai, Lao, Myanmar, Khmer, kana, bopomofo and Han.
WITHOUT_BLANKS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9d\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)


class Segment(NamedTuple):
    """A piece of a line; `marked` when the other side has something else here."""

    text: str
    marked: bool


Segments = tuple[Segment, ...]


def tokens(text: str) -> list[str]:
    """The text cut into tokens; joined they are the text."""
    if text.isascii():
        return ASCII_TOKEN.findall(text)
    return _token().findall(text)


@cache
def _token() -> re.Pattern[str]:
    marks = "".join(
        chr(code) for codes in MARKS_ARE_WITHIN for code in codes if unicodedata.category(chr(code))[0] == "M"
    )
    joined = f"[{marks}{ALSO_JOINED}]"
    return re.compile(
        f"[{PREPENDED}]*"
        rf"(?:(?:(?![{WITHOUT_BLANKS}])\w{joined}*)+"
        rf"|\s+{joined}*"
        f"|[\U0001f1e6-\U0001f1ff]{{2}}{joined}*"
        f"|(?s:.){joined}*(?:(?<=\u200d)[{PICTURES}]{joined}*)*)"
        f"|[{PREPENDED}]+"
    )


def mark_words(old: str, new: str) -> tuple[Segments, Segments]:
    """Both lines as segments, marked where they differ."""
    old_tokens, new_tokens = tokens(old), tokens(new)
    if len(old_tokens) + len(new_tokens) > TOKENS_A_LINE:
        return whole(old), whole(new)
    old_marks, new_marks = [True] * len(old_tokens), [True] * len(new_tokens)
    for block in match(old_tokens, new_tokens):
        old_marks[block.old : block.old + block.size] = [False] * block.size
        new_marks[block.new : block.new + block.size] = [False] * block.size
    return _segments(old_tokens, old_marks), _segments(new_tokens, new_marks)


def whole(text: str) -> Segments:
    """The line as one marked segment; nothing for an empty line."""
    return (Segment(text, True),) if text else ()


def _segments(words: list[str], marks: list[bool]) -> Segments:
    segments: list[Segment] = []
    start = 0
    for end in _changes(words, marks):
        segments.append(Segment("".join(words[start:end]), marks[start]))
        start = end
    return tuple(segments)


def _changes(words: list[str], marks: list[bool]) -> Iterable[int]:
    """Where a segment ends. A blank between two marked words is marked with them: one mark reads better."""
    last = len(words) - 1
    for place in range(1, last):
        if not marks[place] and marks[place - 1] and marks[place + 1] and words[place].isspace():
            marks[place] = True
    for place in range(last):
        if marks[place] != marks[place + 1]:
            yield place + 1
    if words:
        yield last + 1
