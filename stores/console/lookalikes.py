"""Paths that a person takes for each other (pure). Nothing is refused for it; people are told."""

import unicodedata
from collections.abc import Iterable

# Letters that are drawn like Latin ones, lower case: Cyrillic and Greek.
DRAWN_ALIKE = str.maketrans("авеёіјкмнорсѕтухһԁԛԝαβεζηικμνορτυχγ", "abeeijkmhopcstyxhdqwabezhikmvoptuxy")
BLANKS = str.maketrans("", "", " -_.\u2010\u2011\u2012\u2013\u2014\u2212")
DIGITS = str.maketrans("0l1|", "ooii")


def skeleton(path: str) -> str:
    """What is left of a path when everything is taken away that the eye reads over."""
    if not path.isascii():
        decomposed = unicodedata.normalize("NFKD", path).casefold().translate(DRAWN_ALIKE)
        path = "".join(c for c in decomposed if unicodedata.category(c)[0] != "M" or ord(c) >= 0x600)
    return path.casefold().translate(BLANKS).replace("l", "i").translate(DIGITS)


def find_lookalike(path: str, others: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """The first other (id, path) that looks like this one."""
    wanted = skeleton(path)
    for memory_id, other in others:
        if other != path and skeleton(other) == wanted:
            return memory_id, other
    return None
