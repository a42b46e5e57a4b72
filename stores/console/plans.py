"""What an act would do, as rows and ticks: for moves, for undoing and for going back to a moment alike.

A page shows a plan before it is carried out (stores/_plan.html), and sends a digest of it back: when
something else would happen to what is ticked by then, nothing is done and the page is shown again. Long plans
are listed in part; what is not listed is ticked as a whole.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256

import msgspec
from django.http import Http404, QueryDict

from stores.console import formats, text
from stores.console.paths import show_path
from stores.console.rows import Row, diff_url, history_url, version_url
from stores.console.tree import memory_url
from stores.domain.acts import Left, Plan, Step, dump_plan
from stores.models import MemoryVersion

STEPS_SHOWN = 200
LEFT_SHOWN = 50
CHANGED_SINCE = "Nothing was done yet: the store has changed since. This is what would happen now."
NOTHING_TICKED = "Nothing is ticked, so nothing was done."

# In this order they are counted, each with the words that follow the number.
KINDS = {
    "back": ("↺", "restored"),
    "move": ("→", "moved back"),
    "add": ("+", "brought back"),
    "del": ("−", "deleted"),
}
# Number and hash of the text, by version.
Facts = dict[str, tuple[int, str | None]]


@dataclass(frozen=True)
class Ticks:
    """What came back from a preview: the marks of the steps that are ticked, of all that it listed, and
    whether those that it did not list are to be done too.
    """

    chosen: frozenset[str]
    listed: frozenset[str]
    rest: bool

    def of(self, steps: Sequence[Step]) -> list[Step]:
        """The steps that are ticked. Raises Http404 for marks that these steps have not."""
        marks = {mark(step): step for step in (steps[:STEPS_SHOWN] if self.rest else steps)}
        if self.chosen - marks.keys():
            raise Http404("What is ticked was not shown.")
        found = [step for key, step in marks.items() if key in self.chosen]
        return found + list(steps[STEPS_SHOWN:]) if self.rest else found

    def fit(self, steps: Sequence[Step]) -> bool:
        """Whether all that is ticked would still be done as it was shown. What is new, or was not ticked, is
        not touched, so that whoever writes on does not keep a person from undoing the rest.
        """
        return bool(self.chosen) and not self.rest and self.chosen <= {mark(step) for step in steps}

    @property
    def is_empty(self) -> bool:
        return not self.chosen and not self.rest

    @property
    def ids(self) -> set[str]:
        """What the ticked steps are of (see mark)."""
        return {key.partition(".")[0] for key in self.chosen}

    def leaves_some(self, number: int) -> bool:
        """Whether some of what is not listed is still to be done, where that was ticked, by the `number` of
        steps that there are now: no more than the listed ones can have been left.
        """
        return self.rest and number > STEPS_SHOWN


def read_ticks(posted: QueryDict) -> Ticks:
    listed = posted.get("listed", "").split()[:STEPS_SHOWN]
    return Ticks(frozenset(posted.getlist("tick")), frozenset(listed), bool(posted.get("rest")))


def digest(plan: msgspec.Struct) -> str:
    return sha256(dump_plan(plan).encode(errors="surrogatepass")).hexdigest()


def mark(step: Step) -> str:
    """Names a step by its memory, or the version that is brought back, and exactly this one: whatever changes
    in it gives it another mark.
    """
    return f"{step.memory_id or step.source_version_id}.{digest(step)[:8]}"


def kind_of(step: Step) -> str:
    if step.path_after is None:
        return "del"
    if step.memory_id is None:
        return "add"
    return "back" if step.path_after == step.path_before else "move"


def plan_rows(plan: Plan) -> Row:
    """What stores/_plan.html and the words around it need of a plan that moves or deletes."""
    return {
        **totals(plan.steps),
        "steps": [step_row(step) for step in plan.steps[:STEPS_SHOWN]],
        "left": [left_row(left) for left in plan.left[:LEFT_SHOWN]],
        **left_totals(len(plan.left)),
        **unchanged(plan.unchanged),
    }


def ticked_rows(steps: Sequence[Step], ticks: Ticks | None = None) -> Row:
    """The same of steps that go back to versions, each with a box to tick; one query, whatever their number.

    All are ticked at first; of a plan that is shown again only what was ticked, and what is new is said.
    """
    shown = steps[:STEPS_SHOWN]
    facts = facts_of(shown)
    marks = [mark(step) for step in shown]
    rows = []
    for key, step in zip(marks, shown, strict=True):
        is_ticked = ticks is None or key in ticks.chosen
        is_new = ticks is not None and key not in ticks.listed
        rows.append({**restoring_row(step, facts), "mark": key, "ticked": is_ticked, "new": is_new})
    return {
        **totals(steps),
        "steps": rows,
        "listed": " ".join(marks),
        "all_ticked": all(row["ticked"] for row in rows) and (ticks is None or ticks.rest or not more(steps)),
        "rest": ticks is None or ticks.rest,
        "kinds": kinds(steps),
    }


def totals(steps: Sequence[Step]) -> Row:
    return {
        "count": len(steps),
        "count_text": formats.count(len(steps)),
        "memories": memories(len(steps)),
        "size": formats.size(sum(step.size_bytes for step in steps)),
        "more": formats.count(more(steps)) if more(steps) else "",
    }


def more(steps: Sequence[Step]) -> int:
    """How many are not listed."""
    return max(0, len(steps) - STEPS_SHOWN)


def left_totals(number: int) -> Row:
    more = number - LEFT_SHOWN
    return {"left_text": formats.count(number), "left_more": formats.count(more) if more > 0 else ""}


def unchanged(number: int) -> Row:
    return {"unchanged": number, "unchanged_text": formats.count(number)}


def memories(number: int) -> str:
    return "1 memory" if number == 1 else f"{formats.count(number)} memories"


def kinds(steps: Sequence[Step]) -> str:
    """`3 restored, 1 deleted`."""
    numbers = Counter(kind_of(step) for step in steps)
    return ", ".join(
        f"{formats.count(numbers[kind])} {word}" for kind, (_, word) in KINDS.items() if numbers[kind]
    )


def step_row(step: Step) -> Row:
    return {
        "before": show_path(step.path_before or step.path_after or "/"),
        "after": show_path(step.path_after) if step.path_after else None,
        "size": formats.size(step.size_bytes),
    }


def restoring_row(step: Step, facts: Facts) -> Row:
    kind = kind_of(step)
    glyph, word = KINDS[kind]
    now, then = facts.get(step.seen_head or ""), facts.get(step.source_version_id or "")
    if kind == "move" and now is not None and then is not None and now[1] != then[1]:
        word = "restored and moved back"
    row = {**step_row(step), "op": glyph, "op_kind": kind, "word": word, "is_move": kind == "move"}
    if step.memory_id is not None:
        row["url"] = memory_url(step.store_id, step.memory_id)
    if now is not None and step.seen_head is not None:
        row["from"] = {"seq": now[0], "url": version_url(step.store_id, step.seen_head)}
    if then is not None and step.source_version_id is not None:
        row["to"] = {"seq": then[0], "url": version_url(step.store_id, step.source_version_id)}
        # Where it is brought back there is no text to compare with, only one to read.
        row["url"] = version_url(step.store_id, step.source_version_id)
        if step.seen_head is not None:
            row["url"] = diff_url(step.store_id, from_=step.seen_head, to=step.source_version_id)
    return row


def facts_of(steps: Sequence[Step]) -> Facts:
    wanted = {id_ for step in steps for id_ in (step.seen_head, step.source_version_id) if id_ is not None}
    found = MemoryVersion.objects.filter(id__in=wanted).values_list("id", "seq", "content_sha256")
    return {id_: (seq, content_sha256) for id_, seq, content_sha256 in found}


def history_of(store_id: str, memory_id: str | None) -> Row:
    return {"url": history_url(store_id, memory_id) if memory_id else None}


def left_row(left: Left) -> Row:
    row: Row = {
        "path": show_path(left.path) if left.path else None,
        "message": text.show(left.message),
        **history_of(left.store_id, left.memory_id),
        "other_url": None,
    }
    if left.other_memory_id is not None:
        row["other_url"] = memory_url(left.store_id, left.other_memory_id)
    return row


def words_left(left: Collection[Left]) -> str:
    """What a message adds about those that were left alone; a path is no matter for it."""
    if not left:
        return ""
    reasons = {each.message for each in left}
    why = next(iter(reasons)) if len(reasons) == 1 and not any(each.other_path for each in left) else ""
    return f" {formats.count(len(left))} left alone. {why}".rstrip()


def changed_since(ticks: Ticks, steps: Sequence[Step]) -> str:
    """Why nothing was done, and how much of what was ticked is not as it was shown any more."""
    gone = len(ticks.chosen - {mark(step) for step in steps[:STEPS_SHOWN]})
    if not gone:
        return f"{CHANGED_SINCE} What is new is marked, and not ticked."
    return f"{CHANGED_SINCE} Of what was ticked, {memories(gone)} changed."
