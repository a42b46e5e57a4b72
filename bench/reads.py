"""Reads, pages and filters over HTTP, and the bare way to a view."""

import json
import urllib.request
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from bench import filling, load
from bench.databases import Database
from bench.load import Client, Load
from bench.report import rounds
from bench.setting import Setting
from stores.api.pagination import make_cursor
from stores.domain.clock import rfc3339
from stores.models.statements import reads

MEMORIES = 10_000
VERSIONS = 1_000_000
STORE = filling.store_id(1)
LIST = f"/v1/memory_stores/{STORE}/memories"
HISTORY = f"/v1/memory_stores/{STORE}/memory_versions"


def read(setting: Setting) -> None:
    """One memory by its id, in a store of 10,000 × 2 kB."""
    paths = [f"{LIST}/{filling.memory_id(n * 97 % MEMORIES)}" for n in range(500)]
    _read(setting, "read by id", paths, _raw_one, 0.15 if setting.is_postgresql else 0.30)


def page(setting: Setting) -> None:
    """A page of 100 of the same store."""
    paths = [f"{LIST}?limit=100"]
    _read(setting, "list of 100", paths, _raw_page, 0.055 if setting.is_postgresql else 0.12)


def _read(
    setting: Setting, what: str, paths: list[str], raw: Callable[[Database, int], Load], goal: float
) -> None:
    with setting.database("ours") as database:
        filling.add_memories(database, 1, [f"/notes/{n:05d}.md" for n in range(MEMORIES)], size=2048)
        database.settle()
        with setting.product(database) as client, setting.bare() as bare:
            measures = {
                "ours": partial(client.get, *paths),
                "bare": partial(bare.get, "/bare"),
                "raw": partial(raw, database, setting.seconds),
            }
            client.get(*paths)  # warms up, and notes the first read of the hour in each of them
            found = rounds(setting.rounds, measures)
    setting.report.line(what, found, _rate("ours"), _rate("bare"), of="bare", at_least=goal)
    setting.report.line(what, found, _rate("ours"), _rate("raw"), of="raw")


def _raw_one(database: Database, seconds: int) -> Load:
    parameters = {
        "workspace_id": database.value("SELECT id FROM stores_workspace"),
        "store_id": STORE,
        "memory_id": filling.memory_id(97),
    }
    return load.raw(database, reads._memory(True), parameters, seconds=seconds)


def _raw_page(database: Database, seconds: int) -> Load:
    parameters = {"store_id": STORE, "start": "/", "limit": 101}
    return load.raw(database, reads._memories(False, False, ">="), parameters, seconds=seconds)


SHAPES = {
    "folder of 10,000 files": ([f"/all/{n:05d}.md" for n in range(MEMORIES)], "/all/"),
    "50 folders of 200": ([f"/{n // 200:02d}/{n % 200:03d}.md" for n in range(MEMORIES)], ""),
    "10,000 folders of 1": ([f"/{n:05d}/a.md" for n in range(MEMORIES)], ""),
    "2 folders of 5,000": ([f"/{n // 5000}/{n % 5000:04d}.md" for n in range(MEMORIES)], ""),
    # A full page of folders, each with enough inside to be worth skipping.
    "100 folders of 100": ([f"/{n // 100:02d}/{n % 100:02d}.md" for n in range(MEMORIES)], ""),
}


def depth(setting: Setting) -> None:
    """A page of one folder against a plain page of 100, for every shape of 10,000 memories."""
    with setting.database("ours") as database:
        for number, (paths, _) in enumerate(SHAPES.values()):
            filling.add_memories(database, number, paths, first=number * MEMORIES, size=200)
        database.settle()
        with setting.product(database) as client:
            for number, (what, (_, folder)) in enumerate(SHAPES.items()):
                address = f"/v1/memory_stores/{filling.store_id(number)}/memories?limit=100"
                children = f"{address}&depth=1&path_prefix={quote(folder)}"
                pages = _pages(client, children)
                measures = {
                    "plain": partial(client.get, address),
                    "first": partial(client.get, pages[0]),
                }
                if len(pages) > 2:
                    measures["middle"] = partial(client.get, pages[len(pages) // 2])
                client.get(address, pages[0])
                found = rounds(setting.rounds, measures)
                for name in ("first", "middle"):
                    if name in measures:
                        setting.report.line(
                            f"depth=1, {what}, {name}",
                            found,
                            _time(name),
                            _time("plain"),
                            of="depth=0 page of 100",
                            unit=" ms",
                            at_most=1.3,
                        )


def later(setting: Setting) -> None:
    """Any later page against the first, in 10,000 memories and in 1,000,000 versions."""
    with setting.database("ours") as database:
        _fill_history(database)
        with setting.product(database) as client:
            pages = _pages(client, f"{LIST}?limit=100")
            deepest = pages[-1]
            _compare_pages(setting, client, "10,000 memories", pages[0], {"50": pages[50], "last": deepest})
            scope = ["versions", STORE, None, None, [], None, None]
            later_pages = {}
            for place in (500_000, VERSIONS - 100):
                newest_first = database.value(
                    f"SELECT id FROM stores_memoryversion WHERE store_id = '{STORE}' "
                    f"ORDER BY id DESC LIMIT 1 OFFSET {place - 1}"
                )
                cursor = make_cursor(newest_first, scope)
                later_pages[f"at {place:,}"] = f"{HISTORY}?limit=100&page={cursor}"
            _compare_pages(setting, client, "1,000,000 versions", f"{HISTORY}?limit=100", later_pages)


def _compare_pages(
    setting: Setting, client: Client, what: str, first: str, later_pages: dict[str, str]
) -> None:
    measures = {"first": partial(client.get, first)}
    measures |= {name: partial(client.get, page) for name, page in later_pages.items()}
    client.get(first)
    found = rounds(setting.rounds, measures)
    for name in later_pages:
        setting.report.line(
            f"{what}, page {name}",
            found,
            _time(name),
            _time("first"),
            of="first page",
            unit=" ms",
            at_most=1.2,
        )


def filters(setting: Setting) -> None:
    """Every filter of a store's 1,000,000 versions, and pairs of them, against the unfiltered page."""
    with setting.database("ours") as database:
        _fill_history(database)
        with setting.product(database) as client:
            page = partial(client.get, f"{HISTORY}?limit=100")
            unfiltered = partial(_when_idle, page)
            for name, parameters in _filters().items():
                query = urlencode({"limit": 100, **parameters})
                measures = {"unfiltered": unfiltered, "filtered": partial(client.get, f"{HISTORY}?{query}")}
                found = rounds(setting.rounds, measures)
                setting.report.line(
                    f"versions, {name}",
                    found,
                    _time("filtered"),
                    _time("unfiltered"),
                    of="unfiltered page",
                    unit=" ms",
                    at_most=2,
                )


def _when_idle(measure: Callable[[], Load]) -> Load:
    """Measured again while a slow one before it is felt: a server goes on with what nobody waits for."""
    for _ in range(60):
        found = measure()
        if found.p99 < 200:
            return found
    raise RuntimeError("The server does not come to rest after a slow request.")


def _filters() -> dict[str, dict[str, str]]:
    """Filters by name; `rare` ones match 10 versions, `deleted` 20, spread over the whole history."""

    def span(begin: int, end: int) -> dict[str, str]:
        return {
            "created_at[gte]": rfc3339(filling.instant(begin)),
            "created_at[lte]": rfc3339(filling.instant(end)),
        }

    memory = {"memory_id": filling.memory_id(17)}
    session, rare_session = {"session_id": filling.COMMON_SESSION}, {"session_id": filling.RARE_SESSION}
    key, rare_key = {"api_key_id": filling.COMMON_KEY}, {"api_key_id": filling.RARE_KEY}
    created, modified, deleted = ({"operation": name} for name in ("created", "modified", "deleted"))
    early, late = span(0, VERSIONS // 10), span(VERSIONS * 9 // 10, VERSIONS)
    narrow, middle = span(VERSIONS // 2, VERSIONS // 2 + 60), span(VERSIONS // 3, VERSIONS // 2)
    return {
        "memory": memory,
        "session": session,
        "rare session": rare_session,
        "unknown session": {"session_id": "sesn_01unknown"},
        "key": key,
        "rare key": rare_key,
        "created": created,
        "modified": modified,
        "deleted (rare)": deleted,
        "early": early,
        "late": late,
        "narrow": narrow,
        "memory + session": memory | session,
        "memory + rare key": memory | rare_key,
        "memory + deleted": memory | deleted,
        "memory + early": memory | early,
        "session + created": session | created,
        "key + deleted": key | deleted,
        "session + deleted": session | deleted,
        "rare key + modified": rare_key | modified,
        "rare key + deleted (none)": rare_key | deleted,
        "session + early": session | early,
        "rare session + middle": rare_session | middle,
        "created + late (none)": created | late,
        "deleted + early": deleted | early,
        "modified + narrow": modified | narrow,
    }


def _fill_history(database: Database) -> None:
    paths = [f"/notes/{n:05d}.md" for n in range(MEMORIES)]
    filling.add_memories(database, 1, paths, size=200, versions_each=VERSIONS // MEMORIES)
    database.settle()


def middleware(setting: Setting) -> None:
    """What is between the socket and a view: the API's road, with its authentication."""
    with (
        setting.database("ours") as database,
        setting.product(database, "bench.settings") as client,
        setting.bare() as bare,
    ):
        client.get("/v1/nothing")
        found = rounds(
            setting.rounds,
            {"ours": partial(client.get, "/v1/nothing"), "bare": partial(bare.get, "/bare")},
        )
    setting.report.line("an authenticated view", found, _rate("ours"), _rate("bare"), of="bare", at_least=0.8)


def _pages(client: Client, first: str) -> list[str]:
    """The addresses of all pages of a listing."""
    pages, next_page = [first], _next_page(client, first)
    while next_page:
        pages.append(f"{first}&page={next_page}")
        next_page = _next_page(client, pages[-1])
    return pages


def _next_page(client: Client, address: str) -> str | None:
    request = urllib.request.Request(client.base + address, headers=client.header_pairs())  # noqa: S310
    with urllib.request.urlopen(request) as response:  # noqa: S310
        page: dict[str, Any] = json.load(response)
    return page["next_page"]


def _rate(name: str) -> Any:
    return lambda found: found[name].rate


def _time(name: str) -> Any:
    return lambda found: found[name].milliseconds
