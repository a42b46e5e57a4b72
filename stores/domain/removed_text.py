"""Which pieces of a text are not in a later one any more (pure).

Somebody who takes a phone number out of a sentence leaves the rest of the line; what former versions must be
searched for is the number. So a piece is a run of words that the later text has nowhere, as it stood.
"""

import re

WORD = re.compile(r"\S+")
# Shorter pieces are in every other text.
SHORTEST = 4
# The longest pieces say most.
MOST = 50
# A piece is looked for in very many texts; its beginning is enough to find the same ones.
LONGEST = 400


def removed_pieces(before: str, after: str | None) -> list[str]:
    """The pieces, longest first; with no later text, the lines."""
    found: set[str] = set()
    for line in before.splitlines():
        if after is None:
            found.add(line.strip())
        elif line.strip() not in after:
            found.update(_runs(line, after))
    pieces = {piece[:LONGEST] for piece in found if len(piece) >= SHORTEST}
    return sorted(pieces, key=lambda piece: (-len(piece), piece))[:MOST]


def _runs(line: str, after: str) -> list[str]:
    runs: list[list[int]] = []
    last_was_removed = False
    for word in WORD.finditer(line):
        removed = word.group() not in after
        if removed and last_was_removed:
            runs[-1][1] = word.end()
        elif removed:
            runs.append([word.start(), word.end()])
        last_was_removed = removed
    return [line[start:end] for start, end in runs]


def masked(text: str, spans: list[tuple[int, int]], mask: str) -> str:
    """The text with a mask in the place of each span (start, end), and with every line end it had.

    The mask says nothing about how long the text under it was. Spans may overlap.
    """
    pieces, place = [], 0
    for start, end in _joined(spans):
        hidden = text[start:end]
        pieces.append(text[place:start])
        pieces += [
            mask + line[len(line.rstrip("\r\n")) :] if line.rstrip("\r\n") else line
            for line in hidden.splitlines(keepends=True)
        ]
        place = end
    return "".join([*pieces, text[place:]])


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def find_spans(text: str, fragment: str) -> list[tuple[int, int]]:
    """Every place where the fragment stands."""
    spans = []
    place = text.find(fragment)
    while place >= 0:
        spans.append((place, place + len(fragment)))
        place = text.find(fragment, place + 1)
    return spans
