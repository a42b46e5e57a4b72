"""Lines drawn in Python: a diff or a blame has thousands, and a template takes too long for those (pure).

Every piece of text from outside goes through `escape`, every attribute too, before `join` takes it.
"""

from collections.abc import Sequence

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

from stores.console import text
from stores.domain.words import Segment, whole

# Above this many a line is marked as a whole: nobody reads so many marks, and each costs as much as a line.
SEGMENTS_A_LINE = 2_000
INSERTED = "<ins>{}</ins>"
DELETED = "<del>{}</del>"
FOUND = "<mark>{}</mark>"
ENDINGS = {"\n": ("LF", "line ending"), "\r\n": ("CRLF", "line ending"), "\r": ("CR", "line ending")}
NO_ENDING = ("no newline", "the text ends here without a newline")


def draw_text(line: str) -> SafeString:
    """A line of a memory, hidden characters as marks."""
    runs = text.hidden_runs(line)
    return _draw(line, runs, 0, len(line)) if runs else escape(line)


def draw_segments(segments: Sequence[Segment], tag: str) -> SafeString:
    """A line in segments, the marked ones inside INSERTED, DELETED or FOUND."""
    line = "".join(segment.text for segment in segments)
    if len(segments) > SEGMENTS_A_LINE:
        segments = whole(line)
    # Of the whole line: whether a character is ordinary writing depends on what stands around it.
    runs = text.hidden_runs(line)
    drawn: list[SafeString] = []
    begin = 0
    number = 0
    for segment in segments:
        end = begin + len(segment.text)
        inside = []
        while number < len(runs) and runs[number][0] < end:
            start, stop = runs[number]
            inside.append((max(start, begin), min(stop, end)))
            if stop > end:
                break
            number += 1
        body = _draw(line, inside, begin, end) if inside else escape(segment.text)
        drawn.append(format_html(tag, body) if segment.marked else body)
        begin = end
    return join(*drawn)


def draw_path(pieces: Sequence[Segment]) -> SafeString:
    """A path with finds marked; no name in it can reorder those beside it."""
    names: list[list[Segment]] = [[]]
    for piece in pieces:
        first, *others = piece.text.split("/")
        names[-1].append(Segment(first, piece.marked))
        names += [[Segment(other, piece.marked)] for other in others]
    drawn = [draw_segments([each for each in name if each.text], FOUND) for name in names]
    isolated = (format_html('<bdi dir="ltr">{}</bdi>', name) if name else "" for name in drawn)
    return format_html_join("/", "{}", ((name,) for name in isolated))


def draw_ending(ending: str) -> SafeString:
    name, title = ENDINGS.get(ending, NO_ENDING)
    return format_html('<span class="eol" title="{}">{}</span>', title, name)


def count_hidden(line: str) -> int:
    return len(text.hidden_runs(line))


def join(*parts: SafeString) -> SafeString:
    """Escapes whatever is not escaped yet."""
    return format_html_join("", "{}", ((part,) for part in parts))


def _draw(line: str, runs: Sequence[tuple[int, int]], begin: int, end: int) -> SafeString:
    drawn: list[SafeString] = []
    # A line may hold tens of thousands of the same.
    known: dict[str, SafeString] = {}
    for start, stop in runs:
        if start > begin:
            drawn.append(escape(line[begin:start]))
        run = line[start:stop]
        if run not in known:
            found = text.mark(run)
            known[run] = format_html('<span class="hid" title="{}">{}</span>', found["title"], found["mark"])
        drawn.append(known[run])
        begin = stop
    if begin < end:
        drawn.append(escape(line[begin:end]))
    return join(*drawn)
