"""Rounds, ratios and the lines that are printed."""

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

Round = Mapping[str, Any]


def rounds(count: int, measures: Mapping[str, Callable[[], Any]]) -> list[Round]:
    """Measures A B C, A B C …: the machine's mood changes by the minute, so that only what was measured side
    by side may be compared.
    """
    return [{name: measure() for name, measure in measures.items()} for _ in range(count)]


class Report:
    """Prints a line per result and keeps them for the JSON file."""

    def __init__(self, database: str) -> None:
        self.database = database
        self.results: list[dict[str, Any]] = []

    def line(
        self,
        what: str,
        found: list[Round],
        ours: Callable[[Round], float],
        reference: Callable[[Round], float],
        *,
        of: str,
        unit: str = "/s",
        at_least: float | None = None,
        at_most: float | None = None,
    ) -> None:
        """One result: ours, the reference, and the median over the rounds of ours divided by it."""
        ratios = [ours(found_round) / reference(found_round) for found_round in found]
        ratio = median(ratios)
        met = (at_least is None or ratio >= at_least) and (at_most is None or ratio <= at_most)
        goal = f"≥ {at_least:g}" if at_least is not None else f"≤ {at_most:g}" if at_most is not None else ""
        verdict = ("ok" if met else "MISS") if goal else ""
        result = {
            "database": self.database,
            "what": what,
            "of": of,
            "unit": unit,
            "ours": [ours(found_round) for found_round in found],
            "reference": [reference(found_round) for found_round in found],
            "ratios": ratios,
            "ratio": ratio,
            "at_least": at_least,
            "at_most": at_most,
            "met": met if goal else None,
        }
        self.results.append(result)
        print(
            f"{self.database:<10} {what:<36} {_short(median(result['ours'])) + unit:>10}  "
            f"{of:<26} {_short(median(result['reference'])) + unit:>10}  "
            f"ratio {ratio:6.3f} ({min(ratios):.3f}–{max(ratios):.3f})  {goal:<8} {verdict}".rstrip(),
            flush=True,
        )

    def note(self, text: str) -> None:
        print(f"{self.database:<10} {text}", flush=True)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
