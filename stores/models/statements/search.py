"""The search index: putting words in and out, asking it, and reading texts in bulk.

Which words a text has is settled by the domain; the same lists of words go into either engine. Words hold no
blank, quote or backslash, so that they can stand in quotes wherever an engine wants a query.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import Any, Literal

import msgspec
from django.db import connection

from stores.models.statements.engine import Statement, instant, is_postgresql, read_instant, select_instant
from stores.models.statements.reads import text_list

# How much more a word in the path counts than one in the text; the scope counts nothing.
PATH_WEIGHT = 4
# PostgreSQL: enough places of a word to rank by, and the highest place it can keep.
PLACES_KEPT = 4
HIGHEST_PLACE = 16_383
# One indexer at a time; the number is of no meaning.
INDEXER_LOCK = 5_319_220_761


class Text(msgspec.Struct, frozen=True, gc=False):
    """A version's text with what a search shows of it and goes by."""

    memory_id: str
    version_id: str
    store_id: str
    path: str
    size_bytes: int
    actor_id: str
    written_at: str
    content: str


class Entry(msgspec.Struct, frozen=True, gc=False):
    """What an entry was made of; `path` is None when that is no longer to be had."""

    id: int
    memory_id: str
    version_id: str
    store_id: str
    workspace_id: str
    form: str
    path: str | None
    content: str | None


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """What the index found; `is_live` tells whether it still is the text of a live memory."""

    entry_id: int
    memory_id: str
    version_id: str
    store_id: str
    actor_id: str
    written_at: str
    path: str | None
    size_bytes: int
    is_live: bool
    score: float


class Words(msgspec.Struct, frozen=True, gc=False):
    """What the index keeps of a text."""

    scope: list[str]
    path: list[str]
    content: list[str]


def scope_words(*, workspace_id: str, store_id: str) -> list[str]:
    """Words of the entry's own, so that the index itself narrows a search to a workspace or to stores."""
    return [workspace_word(workspace_id), store_word(store_id)]


def workspace_word(workspace_id: str) -> str:
    return "w" + workspace_id.rpartition("_")[2]


def store_word(store_id: str) -> str:
    return "s" + store_id.rpartition("_")[2]


def _in(column: str, name: str) -> str:
    """Whether the column is in a list that `text_list` made."""
    if is_postgresql():
        return f"{column} = ANY(%({name})s)"
    return f"{column} IN (SELECT value FROM json_each(%({name})s))"


# Indexing


def text_columns() -> str:
    return (
        "m.id, m.head_version_id, m.store_id, m.path, m.content_size_bytes, v.actor_id, "
        f"{select_instant('v.created_at')}, v.content"
    )


def text_row(row: Sequence[Any]) -> Text:
    memory_id, version_id, store_id, path, size, actor_id, written_at, content = row
    return Text(memory_id, version_id, store_id, path, size, actor_id, read_instant(written_at), content)


@cache
def _unindexed() -> Statement:
    return Statement(
        f"SELECT s.workspace_id, {text_columns()} FROM stores_memory m "
        "JOIN stores_memorystore s ON s.id = m.store_id AND s.deleted_at IS NULL "
        "JOIN stores_memoryversion v ON v.id = m.head_version_id "
        "WHERE NOT m.is_indexed LIMIT %(limit)s"
    )


def read_unindexed(*, limit: int) -> list[tuple[str, Text]]:
    """Some memories whose newest text is not in the index, each with its workspace."""
    return [(row[0], text_row(row[1:])) for row in _unindexed().rows({"limit": limit})]


@cache
def _entries(column: str) -> Statement:
    return Statement(
        "SELECT e.id, e.memory_id, e.version_id, e.store_id, s.workspace_id, e.form, v.path, v.content "
        "FROM stores_searchentry e JOIN stores_memorystore s ON s.id = e.store_id "
        "LEFT JOIN stores_memoryversion v ON v.id = e.version_id "
        f"WHERE {_in(f'e.{column}', 'ids')}"
    )


def read_entries(*, memory_ids: Sequence[str] = (), version_ids: Sequence[str] = ()) -> list[Entry]:
    column, ids = ("memory_id", memory_ids) if memory_ids else ("version_id", version_ids)
    return [Entry(*row) for row in _entries(column).rows({"ids": text_list(ids)})]


@cache
def _oldest_form() -> Statement:
    return Statement("SELECT form FROM stores_searchentry ORDER BY id LIMIT 1")


def read_oldest_form() -> str | None:
    row = _oldest_form().row({})
    return row[0] if row else None


def begin_indexing() -> bool:
    """In a transaction, first of all. False when another process is at it."""
    if not is_postgresql():
        return True  # the transaction is the only writer
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [INDEXER_LOCK])
        return bool(cursor.fetchone()[0])


@cache
def _free_entries() -> Statement:
    return Statement(
        f"SELECT memory_id FROM stores_searchentry WHERE {_in('memory_id', 'ids')} FOR UPDATE SKIP LOCKED"
    )


@cache
def _any_entries() -> Statement:
    return Statement(f"SELECT memory_id FROM stores_searchentry WHERE {_in('memory_id', 'ids')}")


def read_busy_memories(memory_ids: Sequence[str]) -> set[str]:
    """Those whose entry somebody else is removing: the indexer waits for nobody, so it can block nobody."""
    if not is_postgresql():
        return set()
    ids = {"ids": text_list(memory_ids)}
    return {row[0] for row in _any_entries().rows(ids)} - {row[0] for row in _free_entries().rows(ids)}


ENTRY_COLUMNS = "memory_id, version_id, store_id, actor_id, written_at, form"


@cache
def _insert_entry() -> Statement:
    return Statement(
        f"INSERT INTO stores_searchentry ({ENTRY_COLUMNS}) "
        "SELECT memory_id, id, store_id, actor_id, created_at, %(form)s FROM stores_memoryversion "
        "WHERE id = %(version_id)s RETURNING id"
    )


@cache
def _insert_entries() -> Statement:
    return Statement(
        f"INSERT INTO stores_searchentry ({ENTRY_COLUMNS}, words) "
        "SELECT v.memory_id, v.id, v.store_id, v.actor_id, v.created_at, %(form)s, d.words::tsvector "
        "FROM unnest(%(version_ids)s::text[], %(words)s::text[]) AS d(version_id, words) "
        "JOIN stores_memoryversion v ON v.id = d.version_id ORDER BY v.id"
    )


_insert_words = Statement(
    "INSERT INTO stores_searchtext (rowid, scope, path, content) "
    "VALUES (%(id)s, %(scope)s, %(path)s, %(content)s)"
)
_delete_words = Statement(
    "INSERT INTO stores_searchtext (stores_searchtext, rowid, scope, path, content) "
    "VALUES ('delete', %(id)s, %(scope)s, %(path)s, %(content)s)"
)


def _joined(words: Words) -> dict[str, str]:
    return {
        "scope": " ".join(words.scope),
        "path": " ".join(words.path),
        "content": " ".join(words.content),
    }


def insert_entries(words: dict[str, Words], *, form: str) -> None:
    """An entry for each of these versions, the newest last. None of their memories has one."""
    if is_postgresql():
        _insert_entries().run(
            {
                "version_ids": list(words),
                "words": [_vector(each) for each in words.values()],
                "form": form,
            }
        )
        return
    for version_id in sorted(words):
        row = _insert_entry().row({"version_id": version_id, "form": form})
        if row is not None:
            _insert_words.run({"id": row[0], **_joined(words[version_id])})


def _vector(words: Words) -> str:
    """A tsvector in text: what stands in the path is of weight A, and the scope has no place at all."""
    places: dict[str, list[str]] = {}
    for place, word in enumerate(words.path, 1):
        places.setdefault(word, []).append(f"{place}A")
    for place, word in enumerate(words.content, len(words.path) + 1):
        kept = places.setdefault(word, [])
        if len(kept) < PLACES_KEPT and place <= HIGHEST_PLACE:
            kept.append(str(place))
    found = [f"'{word}':{','.join(kept)}" if kept else f"'{word}'" for word, kept in places.items()]
    return " ".join([*found, *(f"'@{word}'" for word in words.scope)])


@cache
def _mark_indexed() -> Statement:
    pairs = "m.id = d.memory_id AND m.head_version_id = d.version_id"
    if is_postgresql():
        return Statement(
            "UPDATE stores_memory SET is_indexed = true WHERE id IN (SELECT m.id FROM stores_memory m "
            "JOIN unnest(%(memory_ids)s::text[], %(version_ids)s::text[]) AS d(memory_id, version_id) "
            f"ON {pairs} FOR NO KEY UPDATE OF m SKIP LOCKED) RETURNING id"
        )
    return Statement(
        "UPDATE stores_memory SET is_indexed = 1 WHERE id IN (SELECT value FROM json_each(%(memory_ids)s)) "
        "AND head_version_id IN (SELECT value FROM json_each(%(version_ids)s)) RETURNING id"
    )


def mark_indexed(memory_ids: Sequence[str], version_ids: Sequence[str]) -> set[str]:
    """Says of these memories that the index holds this version of theirs; answers of which that was true.

    Last in the transaction: it holds their rows. Rows that somebody writes just now are left out.
    """
    rows = _mark_indexed().rows({"memory_ids": text_list(memory_ids), "version_ids": text_list(version_ids)})
    return {row[0] for row in rows}


@cache
def _delete_entries(column: str) -> Statement:
    which = _in(column, "ids")
    if is_postgresql() and column != "id":
        # In one order, so that two who remove the same entries do not wait for each other.
        which = f"id IN (SELECT id FROM stores_searchentry WHERE {which} ORDER BY id FOR UPDATE)"
    return Statement(f"DELETE FROM stores_searchentry WHERE {which}")


def delete_entries(column: str, ids: Sequence[str]) -> None:
    """Entries whose memory or version is among these, with their words on PostgreSQL."""
    _delete_entries(column).run({"ids": text_list(ids)})


def delete_words(entry_id: int, words: Words) -> None:
    """SQLite only: takes out of the index exactly what was put in under this id."""
    _delete_words.run({"id": entry_id, **_joined(words)})


def clear_index() -> None:
    """Throws the index away; all has to be indexed anew."""
    with connection.cursor() as cursor:
        if not is_postgresql():
            cursor.execute("INSERT INTO stores_searchtext (stores_searchtext) VALUES ('delete-all')")
        cursor.execute("DELETE FROM stores_searchentry")
        cursor.execute("UPDATE stores_memory SET is_indexed = false WHERE is_indexed")


_total_changes = Statement("SELECT total_changes()")
_merge = Statement("INSERT INTO stores_searchtext (stores_searchtext, rank) VALUES ('merge', %(pages)s)")


def merge_index(pages: int) -> bool:
    """SQLite only: a step of rewriting the index, so many pages long; False when nothing is left to do.

    A negative number begins the rewriting of everything that is there; positive ones go on with it.
    """
    before = _total_changes.rows({})[0][0]
    _merge.run({"pages": pages})
    return bool(_total_changes.rows({})[0][0] - before >= 2)


# Asking the index


class Filters(msgspec.Struct, frozen=True):
    """`path_from` and `path_below` bound a folder; all of these may be None."""

    path_from: str | None = None
    path_below: str | None = None
    actor_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def given(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return {
            name: instant(value) if isinstance(value, datetime) else value
            for name, value in values.items()
            if value is not None
        }


ENTRY_CONDITIONS = {
    "actor_id": "e.actor_id = %(actor_id)s",
    "since": "e.written_at >= %(since)s",
    "until": "e.written_at <= %(until)s",
}
PATH_CONDITIONS = {"path_from": "m.path >= %(path_from)s", "path_below": "m.path < %(path_below)s"}


@cache
def _find(filters: tuple[str, ...]) -> Statement:
    conditions = [ENTRY_CONDITIONS[name] for name in filters if name in ENTRY_CONDITIONS]
    paths = [PATH_CONDITIONS[name] for name in filters if name in PATH_CONDITIONS]
    columns = "e.id, e.memory_id, e.version_id, e.store_id, e.actor_id"
    memory = (
        "m.path, coalesce(m.content_size_bytes, 0), "
        "coalesce(m.head_version_id = e.version_id AND m.is_indexed, false)"
    )
    if not is_postgresql():
        # CROSS JOIN keeps the order of the tables: first the index, by falling ids, until there are enough.
        kind = "CROSS" if paths else "LEFT"
        where = " AND ".join(
            ["stores_searchtext MATCH %(match)s", "t.rowid < %(below)s", *conditions, *paths]
        )
        return Statement(
            f"SELECT {columns}, {select_instant('e.written_at')}, {memory}, "
            f"-bm25(stores_searchtext, 0.0, {PATH_WEIGHT}.0, 1.0) FROM stores_searchtext t "
            "CROSS JOIN stores_searchentry e ON e.id = t.rowid "
            f"{kind} JOIN stores_memory m ON m.id = e.memory_id "
            f"WHERE {where} ORDER BY t.rowid DESC LIMIT %(limit)s"
        )
    where = " AND ".join(["e.words @@ %(match)s::tsquery", "e.id < %(below)s", *conditions])
    # Materialised, or the planner might walk the ids and read every text's words on the way.
    found = (
        f"WITH found AS MATERIALIZED (SELECT {columns}, e.written_at "
        f"FROM stores_searchentry e WHERE {where}), "
    )
    if paths:
        newest = (
            f"SELECT e.*, {memory} FROM found e JOIN stores_memory m ON m.id = e.memory_id "
            f"WHERE {' AND '.join(paths)} ORDER BY e.id DESC LIMIT %(limit)s"
        )
    else:
        newest = (
            f"SELECT e.*, {memory} FROM (SELECT * FROM found ORDER BY id DESC LIMIT %(limit)s) e "
            "LEFT JOIN stores_memory m ON m.id = e.memory_id"
        )
    return Statement(
        f"{found} newest(id, memory_id, version_id, store_id, actor_id, written_at, path, size, is_live) "
        f"AS MATERIALIZED ({newest}) "
        f"SELECT n.id, n.memory_id, n.version_id, n.store_id, n.actor_id, {select_instant('n.written_at')}, "
        "n.path, n.size, n.is_live, "
        f"ts_rank('{{{1 / PATH_WEIGHT}, 1, 1, 1}}', e.words, %(rank)s::tsquery) "
        "FROM newest n JOIN stores_searchentry e ON e.id = n.id ORDER BY n.id DESC"
    )


def find(
    *, words: Sequence[str], scope: Sequence[str], filters: Filters, below: int, limit: int
) -> list[Candidate]:
    """Entries with all these words (in path or text) and one of these words of scope, the newest first, from
    below an entry's id.
    """
    parameters = filters.given()
    if is_postgresql():
        rank = " & ".join(f"'{word}'" for word in words)
        scopes = " | ".join(f"'@{word}'" for word in scope)
        parameters |= {"match": f"({rank}) & ({scopes})", "rank": rank}
    else:
        every = " AND ".join(f'"{word}"' for word in words)
        scopes = " OR ".join(f'"{word}"' for word in scope)
        parameters["match"] = f"scope : ({scopes}) AND {{path content}} : ({every})"
    statement = _find(tuple(filters.given()))
    rows = statement.rows({**parameters, "below": below, "limit": limit})
    return [_candidate(row) for row in rows]


def _candidate(row: Sequence[Any]) -> Candidate:
    entry_id, memory_id, version_id, store_id, actor_id, written_at, path, size, is_live, score = row
    return Candidate(
        entry_id,
        memory_id,
        version_id,
        store_id,
        actor_id,
        read_instant(written_at),
        path,
        size,
        bool(is_live),
        float(score),
    )


@cache
def _newest_entry() -> Statement:
    return Statement("SELECT coalesce(max(id), 0) FROM stores_searchentry")


def read_newest_entry() -> int:
    return int(_newest_entry().rows({})[0][0])


# Reading texts


@cache
def _count_unindexed() -> Statement:
    return Statement(
        "SELECT count(*) FROM (SELECT 1 FROM stores_memory m "
        f"WHERE NOT m.is_indexed AND {_in('m.store_id', 'store_ids')} LIMIT %(limit)s) AS missing"
    )


def count_unindexed(*, store_ids: Sequence[str], limit: int) -> int:
    """How many memories of these stores the index lacks, counted up to the limit."""
    return int(_count_unindexed().rows({"store_ids": text_list(store_ids), "limit": limit})[0][0])


@cache
def _newest_unindexed(filters: tuple[str, ...]) -> Statement:
    conditions = ["NOT m.is_indexed", _in("m.store_id", "store_ids"), *(PATH_CONDITIONS[n] for n in filters)]
    return Statement(
        f"SELECT {text_columns()} FROM (SELECT m.id, m.head_version_id, m.store_id, m.path, "
        f"m.content_size_bytes FROM stores_memory m WHERE {' AND '.join(conditions)} "
        "ORDER BY m.head_version_id DESC LIMIT %(limit)s) m "
        "JOIN stores_memoryversion v ON v.id = m.head_version_id ORDER BY m.head_version_id DESC"
    )


def read_newest_unindexed(*, store_ids: Sequence[str], filters: Filters, limit: int) -> list[Text]:
    """The texts of these stores that the index lacks, the newest first. Only the filter by path counts."""
    given = {name: value for name, value in filters.given().items() if name in PATH_CONDITIONS}
    statement = _newest_unindexed(tuple(given))
    rows = statement.rows({**given, "store_ids": text_list(store_ids), "limit": limit})
    return [text_row(row) for row in rows]


@cache
def _live_texts(with_end: bool, what: str) -> Statement:
    columns, join = text_columns(), "JOIN stores_memoryversion v ON v.id = m.head_version_id"
    if what == "authors":
        columns = columns.replace("v.content", "''")
    elif what != "texts":
        columns = "m.id, m.head_version_id, m.store_id, m.path, m.content_size_bytes"
        columns, join = (f"{columns}, v.content", join) if what == "contents" else (f"{columns}, ''", "")
    end = "AND m.path < %(path_below)s" if with_end else ""
    return Statement(
        f"SELECT {columns} FROM stores_memory m {join} "
        f"WHERE m.store_id = %(store_id)s AND m.path > %(after)s {end} ORDER BY m.path LIMIT %(limit)s"
    )


def read_live_texts(
    *,
    store_id: str,
    after: str,
    path_below: str | None,
    limit: int,
    what: Literal["texts", "contents", "authors", "paths"],
) -> list[Text]:
    """A store's live memories in byte order of their paths, behind a path: with their contents and authors,
    with either, or with neither; what is left out is the empty text then.
    """
    rows = _live_texts(path_below is not None, what).rows(
        {"store_id": store_id, "after": after, "path_below": path_below, "limit": limit}
    )
    if what in ("contents", "paths"):
        return [Text(row[0], row[1], row[2], row[3], row[4], "", "", row[5]) for row in rows]
    return [text_row(row) for row in rows]


@cache
def _texts() -> Statement:
    return Statement(f"SELECT v.id, v.content FROM stores_memoryversion v WHERE {_in('v.id', 'ids')}")


def read_contents(version_ids: Sequence[str]) -> dict[str, str]:
    """The texts of these versions, without those that have none."""
    rows = _texts().rows({"ids": text_list(version_ids)})
    return {row[0]: row[1] for row in rows if row[1] is not None}


@cache
def _authors() -> Statement:
    return Statement(
        f"SELECT v.id, v.actor_id, {select_instant('v.created_at')} FROM stores_memoryversion v "
        f"WHERE {_in('v.id', 'ids')}"
    )


def read_authors(version_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Who wrote these versions, and when."""
    return {
        row[0]: (row[1], read_instant(row[2])) for row in _authors().rows({"ids": text_list(version_ids)})
    }


@cache
def _labels() -> Statement:
    return Statement(
        "SELECT v.actor_id, v.actor_label FROM stores_memoryversion v "
        f"WHERE {_in('v.id', 'ids')} ORDER BY v.id"
    )


def read_labels(version_ids: Sequence[str]) -> dict[str, str]:
    """What the writers of these versions were called."""
    return {row[0]: row[1] for row in _labels().rows({"ids": text_list(version_ids)})}


class OldText(msgspec.Struct, frozen=True, gc=False):
    """A version in a walk through history; `text` is None for one that is live, redacted or without text."""

    version_id: str
    is_deleted: bool
    text: Text | None


@cache
def _old_texts() -> Statement:
    # The walk is bounded by what it looks at, not by what it finds.
    return Statement(
        "SELECT v.id, m.id IS NULL, v.memory_id, v.path, v.content_size_bytes, v.actor_id, "
        f"{select_instant('v.created_at')}, CASE WHEN m.head_version_id = v.id THEN NULL ELSE v.content END "
        "FROM (SELECT * FROM stores_memoryversion w WHERE w.store_id = %(store_id)s AND w.id < %(below)s "
        "ORDER BY w.id DESC LIMIT %(limit)s) v "
        "LEFT JOIN stores_memory m ON m.id = v.memory_id"
    )


def read_old_texts(*, store_id: str, below: str, limit: int) -> list[OldText]:
    """A store's versions, the newest first, from below an id."""
    rows = _old_texts().rows({"store_id": store_id, "below": below, "limit": limit})
    # Here, where the texts are not carried along; mostly they are in order already.
    rows.sort(key=itemgetter(0), reverse=True)
    found = []
    for version_id, is_deleted, memory_id, path, size, actor_id, written_at, content in rows:
        text = None
        if content is not None and path is not None:
            text = Text(
                memory_id, version_id, store_id, path, size, actor_id, read_instant(written_at), content
            )
        found.append(OldText(version_id, bool(is_deleted), text))
    return found
