"""How text is folded and cut into words for search (pure): alike on every database, as none of them does it.

A text is searched in its folded form: case, diacritics, compatibility forms, typographic quotes and dashes
and invisible characters make no difference. Words are runs of letters, digits and marks; in scripts that put
no space between words each character is a word of its own.
"""

import re
import unicodedata
from functools import cache

# Goes into every index entry: text is taken out of the index by the words that were put in, so entries made
# by other rules, or by another edition of Unicode, are thrown away and made anew.
FORM = f"1/{unicodedata.unidata_version}"

# Longer words (base64, hashes of hashes) are found by their beginning; the rest is compared with the text.
INDEXED_CHARACTERS = 100

# Diacritics and vowel points that people leave out. Not the vowel signs of Indic scripts: those are letters.
_DROPPED = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    r"\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef"
)
_DROP = re.compile(f"[{_DROPPED}]")
_SPACELESS = (
    r"\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)


def _marks() -> str:
    """Vowel signs and the like, which `\\w` does not know; those of the living scripts lie below U+AC00."""
    return "".join(
        re.escape(chr(code)) for code in range(0x0483, 0xAC00) if unicodedata.category(chr(code))[0] == "M"
    )


# A character of a word of several. Sets cannot be subtracted in `re`, hence the look-ahead.
_LETTER = re.compile(rf"(?![{_SPACELESS}])(?:[^\W_]|[{_marks()}])")
_WORD = re.compile(rf"(?:{_LETTER.pattern})+|[{_SPACELESS}]")
_ASCII_WORD = re.compile(r"[a-z0-9]+")

_LOOK_ALIKE = {
    **dict.fromkeys("\u2018\u2019\u02bc\u201b", "'"),
    **dict.fromkeys("\u201c\u201d\u201f", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    "\u00a0": " ",
}


def _fold_character(character: str) -> str:
    known = _LOOK_ALIKE.get(character)
    if known is not None:
        return known
    if unicodedata.category(character) == "Cf":
        return ""
    bare = _DROP.sub("", unicodedata.normalize("NFKD", character))
    # Twice, as folding the case of some letters brings a mark back.
    bare = _DROP.sub("", unicodedata.normalize("NFKD", bare.casefold()))
    return unicodedata.normalize("NFC", bare)


class _Folded(dict[int, str]):
    """What each character folds to, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


_FOLDED = _Folded()


def fold(text: str) -> str:
    """The form in which texts are compared. Line feeds stay where they are."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text).translate(_FOLDED)


def fold_case(text: str) -> str:
    """For exact substrings: only case and the spelling of composed characters make no difference."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text).casefold()


def fold_with_places(text: str, *, exact: bool) -> tuple[str, list[int] | None]:
    """The folded text and, for each of its characters and the end, where it came from in `text`.

    None stands for "the same place", the usual case.
    """
    if text.isascii():
        return text.lower(), None
    pieces: list[str] = []
    places: list[int] = []
    for start, unit in _units(text):
        piece = fold_case(unit) if exact else fold(unit)
        pieces.append(piece)
        places.extend([start] * len(piece))
    places.append(len(text))
    return "".join(pieces), places


def _units(text: str) -> list[tuple[int, str]]:
    """Characters with the marks that follow them, where NFC might join the two."""
    if unicodedata.is_normalized("NFC", text):
        return list(enumerate(text))
    units: list[tuple[int, str]] = []
    start = 0
    for place in range(1, len(text)):
        joins = unicodedata.combining(text[place]) or 0x1160 <= ord(text[place]) <= 0x11FF
        if not joins:
            units.append((start, text[start:place]))
            start = place
    units.append((start, text[start:]))
    return units


def words_of(folded: str) -> list[str]:
    """The words of a folded text, in order, as the index knows them."""
    found = (_ASCII_WORD if folded.isascii() else _WORD).findall(folded)
    if len(folded) > INDEXED_CHARACTERS:
        return [word[:INDEXED_CHARACTERS] for word in found]
    return found


def is_word(folded: str) -> bool:
    """Whether it is exactly one word, whole in the index."""
    return words_of(folded) == [folded] and len(folded) <= INDEXED_CHARACTERS


@cache
def is_letter(character: str) -> bool:
    """Whether it makes a word longer when it stands beside one."""
    return _LETTER.fullmatch(character) is not None
