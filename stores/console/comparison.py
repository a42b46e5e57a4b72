"""A diff as rows that a template draws, and the facts above it in words (pure)."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from stores.console import formats
from stores.console.drawing import DELETED, INSERTED, count_hidden, draw_ending, draw_segments, join
from stores.domain.diff import Diff, Fold, Kind, Line, Row

Cell = dict[str, Any]
ROWS_A_PAGE = 2000
# How much of a fold one click opens.
LINES_A_FOLD = 500
ENDING_NAMES = {"\n": "LF", "\r\n": "CRLF", "\r": "CR", "": "no newline"}
NONE: Cell = {"none": True}
# What only one side has, and the colour of it.
SIGNS = {"old": "del", "new": "add"}


class Slice(NamedTuple):
    """The rows of one page of a diff, by their places from 0."""

    rows: list[Row]
    start: int
    total: int

    @property
    def next(self) -> int | None:
        end = self.start + len(self.rows)
        return end if end < self.total else None

    @property
    def previous(self) -> int | None:
        return max(0, self.start - ROWS_A_PAGE) if self.start else None


def cut(rows: list[Row], start: int) -> Slice:
    start = min(start, max(0, len(rows) - 1))
    return Slice(rows[start : start + ROWS_A_PAGE], start, len(rows))


def shown_rows(rows: Iterable[Row], *, unified: bool, last_change: int = 0) -> list[Cell]:
    """One row for each line of the table; in a unified view the removed lines of a change come first."""
    shown: list[Cell] = []
    for row in rows:
        if row.kind is Kind.FOLD:
            shown.append({"fold": row.fold, "lines": fold_words(row.fold)})
            continue
        first = row.change and row.change != last_change
        last_change = row.change or last_change
        cells = _unified(row) if unified else [_side_by_side(row)]
        if first:
            cells[0]["change"] = row.change
        shown += cells
    return _removed_first(shown) if unified else shown


def fold_words(fold: Fold | None) -> str:
    return lines_word(fold.lines if fold else 0, "unchanged line")


def lines_word(count: int, word: str = "line") -> str:
    return f"{formats.count(count)} {word}{'' if count == 1 else 's'}"


def _side_by_side(row: Row) -> Cell:
    return {"old": _cell(row, "old"), "new": _cell(row, "new")}


def _unified(row: Row) -> list[Cell]:
    # Equal but for what is ignored: the text of today stands for both.
    if row.kind is Kind.SAME:
        return [{"both": True, "old_n": row.old.number if row.old else 0, **_cell(row, "new")}]
    return [
        {**_cell(row, side), "side": side, "of": row.change}
        for side in ("old", "new")
        if getattr(row, side) is not None
    ]


def _removed_first(shown: list[Cell]) -> list[Cell]:
    """Within each change what was removed, then what was added: as people know it."""
    result: list[Cell] = []
    place = 0
    while place < len(shown):
        change = shown[place].get("of")
        end = place + 1
        while change and end < len(shown) and shown[end].get("of") == change:
            end += 1
        group = shown[place:end]
        if change:
            number = next((cell.pop("change") for cell in group if "change" in cell), 0)
            group.sort(key=lambda cell: cell["side"] == "new")
            if number:
                group[0]["change"] = number
        result += group
        place = end
    return result


def _cell(row: Row, side: str) -> Cell:
    line: Line | None = getattr(row, side)
    if line is None:
        return NONE
    is_changed = row.kind is not Kind.SAME
    drawn: SafeString = draw_segments(line.segments, DELETED if side == "old" else INSERTED)
    if row.is_ending_changed or (row.kind in (Kind.ADDED, Kind.REMOVED) and line.ending != "\n"):
        drawn = join(drawn, draw_ending(line.ending))
    cell: Cell = {"n": line.number, "id": f"{side[0]}{line.number}", "text": drawn}
    if is_changed:
        cell["sign"] = "move" if row.kind is Kind.MOVED else SIGNS[side]
        cell["kind"] = SIGNS[side]
    if row.kind is Kind.MOVED:
        cell["moved"] = ("moved to line" if side == "old" else "moved from line") + f" {row.other:,}"
        cell["other"] = ("n" if side == "old" else "o") + str(row.other)
        cell["other_side"] = "new" if side == "old" else "old"
        cell["other_n"] = row.other
    return cell


def place_of_moves(rows: Sequence[Row]) -> dict[tuple[str, int], int]:
    """By side and number of a moved line the place of its row, to lead there from another page."""
    return {
        (side, line.number): place
        for place, row in enumerate(rows)
        if row.kind is Kind.MOVED
        for side, line in (("old", row.old), ("new", row.new))
        if line is not None
    }


def totals(diff: Diff) -> str:
    return lines_word(diff.changes, "change") if diff.changes else "no change"


def facts(diff: Diff, rows: Iterable[Row]) -> list[str]:
    """What one would not see at once in the rows. `rows` are those of the page."""
    found = []
    if diff.moved:
        found.append(f"{lines_word(diff.moved)} moved")
    found += [
        f"{lines_word(change.lines)}: {ENDING_NAMES[change.old]} became {ENDING_NAMES[change.new]}"
        for change in diff.ending_changes
        if "" not in (change.old, change.new)
    ]
    if diff.old_lines and diff.new_lines and diff.old_newline_at_end != diff.new_newline_at_end:
        found.append("a newline at the end was " + ("added" if diff.new_newline_at_end else "removed"))
    old = new = 0
    for row in rows:
        if row.change:
            old += count_hidden(row.old.text) if row.old else 0
            new += count_hidden(row.new.text) if row.new else 0
    if old or new:
        found.append(f"hidden characters in the changed lines: {old:,} before, {new:,} after")
    return found
