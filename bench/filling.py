"""Rows to measure on, written straight into the tables. Their hash chains are not valid: nothing here checks
one.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any

from bench.databases import Database
from stores.models import ids

# Everything lies in the past, one version a second, so that what a benchmark writes is newer.
START = datetime.now(UTC).replace(microsecond=0) - timedelta(days=60)
CHAIN = bytes(32)
SALT = bytes(16)

COMMON_KEY = "apikey_01common"
RARE_KEY = "apikey_01rare"
COMMON_SESSION = "sesn_01common"
RARE_SESSION = "sesn_01rare"

STORE_COLUMNS = (
    "id", "workspace_id", "name", "description", "metadata", "created_at", "updated_at", "memory_count",
)  # fmt: skip
MEMORY_COLUMNS = (
    "id", "store_id", "path", "head_version_id", "head_seq", "head_chain", "content_sha256",
    "content_size_bytes", "created_at", "updated_at",
)  # fmt: skip
VERSION_COLUMNS = (
    "id", "store_id", "memory_id", "seq", "operation", "path", "content", "content_sha256",
    "content_size_bytes", "created_at", "actor_type", "actor_id", "actor_label", "road", "reason", "salt",
    "commitment", "chain",
)  # fmt: skip


def numbered(prefix: str, number: int) -> str:
    """An id that a load generator can put together itself."""
    return f"{prefix}01{number:022d}"


def store_id(number: int) -> str:
    return numbered(ids.STORE, number)


def memory_id(number: int) -> str:
    return numbered(ids.MEMORY, number)


def instant(seconds: int) -> datetime:
    return START + timedelta(seconds=seconds)


def _column(seconds: int) -> str:
    return str(instant(seconds).replace(tzinfo=None))


@cache
def prose(size: int) -> str:
    """A text of so many bytes that compresses about as English does."""
    chooser = random.Random(size)
    letters = "etaoinshrdlcumwfgypbvk"
    words = ["".join(chooser.choices(letters, k=chooser.randint(2, 9))) for _ in range(3000)]
    text = " ".join(chooser.choices(words, k=size // 3 + 1))
    return text[:size]


def add_stores(database: Database, numbers: Sequence[int], memory_count: int = 0) -> None:
    workspace_id = database.value("SELECT id FROM stores_workspace")
    times = (_column(0), _column(0))
    database.insert(
        "stores_memorystore",
        STORE_COLUMNS,
        [(store_id(n), workspace_id, f"Bench {n}", "", "{}", *times, memory_count) for n in numbers],
    )


def add_memories(
    database: Database,
    store: int,
    paths: Sequence[str],
    *,
    first: int = 0,
    size: int,
    versions_each: int = 1,
    texts: Sequence[str] | None = None,
) -> None:
    """A store with these memories, numbered from `first`, and so many versions of each; with one text for all
    or with these `texts` of that size.
    """
    texts = texts or [prose(size)] * len(paths)
    add_stores(database, [store], len(paths))
    versions = _versions(store, paths, texts, first, versions_each)
    database.insert("stores_memoryversion", VERSION_COLUMNS, versions)
    place = len(paths) * (versions_each - 1)
    database.insert(
        "stores_memory",
        MEMORY_COLUMNS,
        (
            [
                *(memory_id(first + n), store_id(store), path, _version_id(store, place + n), versions_each),
                *(CHAIN, content_sha256(texts[n]), size, _column(n), _column(place + n)),
            ]
            for n, path in enumerate(paths)
        ),
    )


def _versions(
    store: int, paths: Sequence[str], texts: Sequence[str], first: int, versions_each: int
) -> Iterator[list[Any]]:
    """Oldest first: every memory's first version, then every second one, and so on."""
    store_name = store_id(store)
    for place in range(len(paths) * versions_each):
        seq, number = divmod(place, len(paths))
        operation = "created" if seq == 0 else "deleted" if place % 50_021 == 17 else "modified"
        text = texts[number]
        yield [
            *(_version_id(store, place), store_name, memory_id(first + number), seq + 1, operation),
            *(paths[number], text, content_sha256(text), len(text), _column(place), *_actor(place)),
            *("", "api", "", SALT, CHAIN, CHAIN),
        ]


def _actor(place: int) -> tuple[str, str]:
    if place % 100_000 == 23:
        return "api_actor", RARE_KEY
    if place % 100_000 == 29:
        return "session_actor", RARE_SESSION
    return ("session_actor", COMMON_SESSION) if place % 3 else ("api_actor", COMMON_KEY)


def _version_id(store: int, place: int) -> str:
    """The same one whenever asked, and in time order like the product's own."""
    return ids.lowest_id(ids.MEMORY_VERSION, instant(place))[:-8] + f"{store:08d}"


@cache
def content_sha256(text: str) -> str:
    return sha256(text.encode()).hexdigest()
