"""The line of a text that shows best why it was found, cut to a width, with the finds marked (pure)."""

import unicodedata
from bisect import bisect_right

import msgspec

from stores.domain.search_query import Query
from stores.domain.search_words import fold_with_places

WIDTH = 200
LEAD = 60
LINES_WEIGHED = 50

Piece = tuple[str, bool]


class Snippet(msgspec.Struct, frozen=True):
    """`line` counts from 1; `pieces` are (text, whether it is a find). Cut ends carry no dots."""

    line: int
    pieces: list[Piece]
    cut_before: bool
    cut_after: bool


def make_snippet(query: Query, content: str) -> Snippet:
    """The first of the lines with the most different terms; when none has any, the first not blank."""
    lines = content.split("\n")
    number = 0 if query.path_only else _best_line(query, content)
    if number is None:
        number = next((place for place, line in enumerate(lines) if line.strip()), 0)
    line = lines[number].removesuffix("\r")
    spans = [] if query.path_only else _spans(query, line)
    if not spans and not query.path_only:
        # A phrase that runs over the end of the line: its beginning is shown.
        spans = _spans_over_the_end(query, lines, number)
    return _cut(line, spans, number + 1)


def mark_path(query: Query, path: str) -> list[Piece]:
    """The whole path, in pieces."""
    return _pieces(path, _spans(query, path), 0, len(path))


def _best_line(query: Query, content: str) -> int | None:
    folded = query.fold(content)
    starts = [0]
    while (feed := folded.find("\n", starts[-1])) >= 0:
        starts.append(feed + 1)
    terms_of: dict[int, int] = {}
    for term in query.terms:
        last, place = -1, 0
        for _ in range(LINES_WEIGHED):
            found = term.find(folded, place)
            if found is None:
                break
            line = bisect_right(starts, found[0]) - 1
            if line != last:
                terms_of[line] = terms_of.get(line, 0) + 1
                last = line
            # On to the next line: how often a term stands in one does not matter.
            place = starts[line + 1] if line + 1 < len(starts) else len(folded)
    if not terms_of:
        return None
    return min(terms_of, key=lambda line: (-terms_of[line], line))


def _spans(query: Query, text: str) -> list[tuple[int, int]]:
    """Where in `text` the terms stand, in order, joined where they touch."""
    folded, places = fold_with_places(text, exact=query.exact)
    found: list[tuple[int, int]] = []
    for term in query.terms:
        start = 0
        while span := term.find(folded, start):
            begin, end = span
            found.append((places[begin], places[end]) if places else span)
            start = max(end, begin + 1)
    return _joined(found, text)


def _spans_over_the_end(query: Query, lines: list[str], number: int) -> list[tuple[int, int]]:
    line = lines[number].removesuffix("\r")
    spans = _spans(query, "\n".join(lines[number : number + 3]))
    return [(begin, min(end, len(line))) for begin, end in spans if begin < len(line)]


def _joined(found: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(found):
        # A mark, joiner or selector belongs to what stands before it.
        while end < len(text) and _clings(text[end]):
            end += 1
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif end > begin:
            joined.append((begin, end))
    return joined


def _cut(line: str, spans: list[tuple[int, int]], number: int) -> Snippet:
    begin, end = 0, len(line)
    if end > WIDTH:
        first = spans[0][0] if spans else 0
        begin = max(0, min(first - LEAD, end - WIDTH))
        end = min(len(line), begin + WIDTH)
        begin = _soft_edge(line, begin, up_to=first)
        while end < len(line) and (_clings(line[end]) or line[end - 1] == "\u200d"):
            end += 1
    return Snippet(number, _pieces(line, spans, begin, end), begin > 0, end < len(line))


def _soft_edge(line: str, begin: int, *, up_to: int) -> int:
    """Forward to the next word, if there is one soon, and never into the middle of a character."""
    if begin == 0:
        return 0
    blank = line.find(" ", begin, min(begin + 20, up_to))
    if blank >= 0:
        return blank + 1
    while begin < up_to and (_clings(line[begin]) or line[begin - 1] == "\u200d"):
        begin += 1
    return begin


def _clings(character: str) -> bool:
    return character > "\u02ff" and (
        unicodedata.category(character)[0] == "M"
        or character == "\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


def _pieces(text: str, spans: list[tuple[int, int]], begin: int, end: int) -> list[Piece]:
    pieces: list[Piece] = []
    place = begin
    for span_begin, span_end in spans:
        first, last = max(span_begin, begin), min(span_end, end)
        if first >= last:
            continue
        pieces += [(text[place:first], False), (text[first:last], True)]
        place = last
    pieces.append((text[place:end], False))
    return [piece for piece in pieces if piece[0]]
