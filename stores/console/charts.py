"""Writes per day as a picture: numbers in attributes of SVG, and the same in words (pure)."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from stores.console import formats
from stores.domain.actors import ActorType

# By the viewBox of templates/overview/_chart.html.
WIDTH, BOTTOM, HIGHEST = 700, 120, 100
GAP = 0.8
# From the bottom up; service accounts are machines like keys, and rare.
LAYERS = (
    ("session", "Sessions", (ActorType.SESSION,)),
    ("key", "API keys", (ActorType.API, ActorType.SERVICE_ACCOUNT)),
    ("person", "People", (ActorType.USER,)),
)
Counts = Mapping[tuple[date, str], int]


def writes_per_day(days: Sequence[date], counts: Counts) -> dict[str, Any]:
    """`counts` are by day and type of actor; a day without any is there too."""
    rows: list[dict[str, Any]] = [
        {
            "day": day,
            "parts": [
                (name, sum(counts.get((day, str(kind)), 0) for kind in kinds)) for name, _, kinds in LAYERS
            ],
        }
        for day in days
    ]
    for row in rows:
        row["total"] = sum(part for _, part in row["parts"])
    most = max((row["total"] for row in rows), default=0)
    top = nice_top(most)
    step = WIDTH / max(1, len(rows))
    bars = [bar for place, row in enumerate(rows) for bar in _bars(row, place * step, step, top)]
    return {
        "bars": bars,
        "marks": [formats.count(top), formats.count(top // 2), "0"],
        "labels": [f"{row['day']:%a} {row['day'].day}" for row in rows],
        "legend": [{"name": name, "word": word} for name, word, _ in LAYERS],
        "rows": [
            {
                "day": f"{row['day']:%A} {row['day'].day} {row['day']:%B}",
                "parts": [formats.count(part) for _, part in row["parts"]],
                "total": formats.count(row["total"]),
            }
            for row in rows
        ],
        "total": formats.count(sum(row["total"] for row in rows)),
        "summary": summary(rows),
    }


def nice_top(most: int) -> int:
    """An even number at or above the most, of one digit that counts: 2, 4, 6, 8, 10, 20, 40 …"""
    if most <= 2:
        return 2
    unit = 10 ** math.floor(math.log10(most))
    return next(
        int(unit * times) for times in (1, 2, 4, 6, 8, 10) if unit * times >= most and unit * times % 2 == 0
    )


def summary(rows: Sequence[dict[str, Any]]) -> str:
    total = sum(row["total"] for row in rows)
    if not total:
        return f"No writes in the last {len(rows)} days."
    best = max(rows, key=lambda row: row["total"])
    day = f"{best['day']:%A} {best['day'].day} {best['day']:%B}"
    return (
        f"Writes per day over {len(rows)} days, by sessions, API keys and people: "
        f"{formats.count(total)} in all. Most on {day}: {formats.count(best['total'])}."
    )


def _bars(row: dict[str, Any], x: float, step: float, top: int) -> list[dict[str, str]]:
    bars = []
    y = float(BOTTOM)
    for name, part in row["parts"]:
        if not part:
            continue
        height = HIGHEST * part / top
        y -= height
        # A hairline of ground between two layers, if there is room for it.
        drawn = height - GAP if height > 2 * GAP else height
        bars.append(
            {
                "name": name,
                "x": f"{x + step * 0.18:.1f}",
                "y": f"{y:.1f}",
                "width": f"{step * 0.64:.1f}",
                "height": f"{drawn:.1f}",
            }
        )
    return bars
