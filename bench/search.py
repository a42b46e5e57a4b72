"""Searching by words and by what stands inside them, in process, against what a database would do."""

import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import connection

from bench import filling
from bench.databases import inside
from bench.report import Round, rounds
from bench.setting import Setting
from stores.domain import search as domain
from stores.domain import search_index
from stores.domain.actors import Actor, key_actor
from stores.models import ApiKey

MEMORIES = 10_000
EACH = 1_000
STORES = 100
STORE = filling.store_id(1)


def search(setting: Setting) -> None:
    """10,000 × 2 kB in one store beside 100 stores of 1,000; 20 hits with rank, marks and facets."""
    with setting.database("ours") as database:
        filling.add_memories(
            database, 1, [f"/notes/{n:05d}.md" for n in range(MEMORIES)], size=2048, texts=_texts(MEMORIES)
        )
        for number in range(STORES):
            paths = [f"/notes/{n:04d}.md" for n in range(EACH)]
            first = MEMORIES + number * EACH
            filling.add_memories(database, 2 + number, paths, first=first, size=2048, texts=_texts(EACH))
        with inside(database):
            while search_index.index_memories(seconds=600):
                pass
            database.settle()
            _measure(setting)


def _measure(setting: Setting) -> None:
    actor = key_actor(api_key=ApiKey.objects.get(name="Bench"))
    measures: dict[str, Callable[[], Any]] = {"scan": partial(_timed, setting.seconds, _scan)}
    goals = {
        "rare word": ("rareword", "auto", 0.10 if setting.is_postgresql else 0.15),
        "medium word": ("mediumword", "auto", 0.10 if setting.is_postgresql else None),
        "two words": ("rareword everywhere", "auto", 0.10 if setting.is_postgresql else None),
        "word in every memory": ("everywhere", "auto", 0.15 if setting.is_postgresql else None),
        "with signs": ("rare-358", "auto", None),
        "inside words": ("arewor", "substring", None),
        "path": ("00123", "path", None),
    }
    for name, (text, mode, _) in goals.items():
        measures[name] = partial(_timed, setting.seconds, partial(_ours, actor, text, mode))
    small = partial(_ours, actor, "everywhere", "auto", filling.store_id(2))
    measures["small store"] = partial(_timed, setting.seconds, small)
    measures["index, then filter"] = partial(_timed, setting.seconds, _found_then_filtered)
    found = rounds(setting.rounds, measures)
    for name, (_, _, goal) in goals.items():
        _line(setting, name, found, "scan", "scan of the store", goal)
    if not setting.is_postgresql:
        _line(setting, "small store", found, "index, then filter", "FTS, then filter", 0.15)


def _line(
    setting: Setting, name: str, found: list[Round], reference: str, of: str, goal: float | None
) -> None:
    setting.report.line(
        f"search, {name}", found, lambda r: r[name], lambda r: r[reference], of=of, unit=" ms", at_most=goal
    )


def _ours(actor: Actor, text: str, mode: Any, store_id: str = STORE) -> None:
    page = domain.search(actor=actor, text=text, mode=mode, store_ids=[store_id])
    if not page.hits:
        raise RuntimeError(f"{text} was not found.")


def _scan() -> None:
    # Without a hit, so that nothing stops it early.
    like = "ILIKE" if connection.vendor == "postgresql" else "LIKE"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT m.id FROM stores_memory m JOIN stores_memoryversion v ON v.id = m.head_version_id "
            f"WHERE m.store_id = %s AND v.content {like} %s",
            [STORE, "%zzyzx%"],
        )
        cursor.fetchall()


def _found_then_filtered() -> None:
    """What a search without a word for the store costs."""
    if connection.vendor == "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT m.id, bm25(stores_searchtext) AS score FROM stores_searchtext t "
            "JOIN stores_searchentry e ON e.id = t.rowid JOIN stores_memory m ON m.id = e.memory_id "
            "WHERE stores_searchtext MATCH 'everywhere' AND m.store_id = %s ORDER BY score LIMIT 20",
            [filling.store_id(2)],
        )
        cursor.fetchall()


def _timed(seconds: int, call: Callable[[], None]) -> float:
    """Milliseconds a call, one caller."""
    call()
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds / 4:
        call()
        count += 1
    return (time.perf_counter() - begin) / count * 1000


def _texts(count: int) -> list[str]:
    """Made-up words, some of them common, with the ones that are looked for at known distances."""
    chooser = random.Random(count)
    letters = "etaoinshrdlcumwfgypbvk"
    words = ["".join(chooser.choices(letters, k=chooser.randint(3, 9))) for _ in range(20_000)]
    weights = [1 / (place + 10) for place in range(len(words))]
    texts = []
    for number in range(count):
        chosen = chooser.choices(words, weights, k=400)
        chosen[5] = "everywhere"
        if number % 12 == 3:
            chosen[7] = "mediumword"
        if number % 345 == 9:
            chosen[9], chosen[11] = "rareword", "rare-358"
        texts.append(" ".join(chosen)[:2048].ljust(2048))
    return texts
