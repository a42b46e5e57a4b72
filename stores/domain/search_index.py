"""Keeping the search index: texts go in just after their commit, and out in the transaction that removes
them.

A memory says whether its newest text is in the index, and every write clears that in passing; so nothing is
ever lost, whoever dies when. What the index does not hold yet a search reads itself (search.py).

SQLite takes a text out of the index by the words that were put in, so entries are removed before their
version loses its text. There the removed words also lie in the file until the index is rewritten: see
`rewrite_index`.
"""

import time
from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import transaction

from stores.domain import clock
from stores.domain.search_words import FORM, fold, words_of
from stores.models import SearchRemoval
from stores.models.statements import engine, search, storage

READ_AT_ONCE = 64
# SQLite: other writers wait for a transaction of the indexer, and a text of 2 kB takes it a millisecond.
WRITTEN_AT_ONCE = 16
BYTES_AT_ONCE = 48_000
# Pages of 4 kB that a step of rewriting reads and writes.
REWRITTEN_AT_ONCE = 250


def index_memories(*, seconds: float) -> int:
    """Indexes what is not indexed yet, for about so long; answers how many texts."""
    end = time.monotonic() + seconds
    oldest = search.read_oldest_form()
    if oldest is not None and oldest != FORM:
        with transaction.atomic():
            search.clear_index()
    done = 0
    while True:
        texts = search.read_unindexed(limit=READ_AT_ONCE)
        indexed = 0
        for part in _parts(texts):
            indexed += _index(part)
            if time.monotonic() > end:
                break
        done += indexed
        # Nothing indexed although something was there: others are at it.
        if indexed == 0 or time.monotonic() > end:
            return done


def _parts(texts: list[tuple[str, search.Text]]) -> Iterator[list[tuple[str, search.Text]]]:
    if engine.is_postgresql():
        yield texts
        return
    part: list[tuple[str, search.Text]] = []
    size = 0
    for workspace_id, text in texts:
        part.append((workspace_id, text))
        size += text.size_bytes
        if len(part) >= WRITTEN_AT_ONCE or size >= BYTES_AT_ONCE:
            yield part
            part, size = [], 0
    if part:
        yield part


def _index(texts: list[tuple[str, search.Text]]) -> int:
    if not texts:
        return 0
    # Cut into words before anybody has to wait.
    words = {
        text.version_id: _words(workspace_id, text.store_id, text.path, text.content)
        for workspace_id, text in texts
    }
    memory_ids = {text.memory_id: text.version_id for _, text in texts}
    with transaction.atomic():
        if not search.begin_indexing():
            return 0
        for memory_id in search.read_busy_memories(list(memory_ids)):
            del words[memory_ids.pop(memory_id)]
        if not memory_ids:
            return 0
        if not engine.is_postgresql():
            # The only writer: what is marked now stays as it is until the end.
            current = search.mark_indexed(list(memory_ids), list(words))
            memory_ids = {key: value for key, value in memory_ids.items() if key in current}
            words = {version_id: words[version_id] for version_id in memory_ids.values()}
        forget_memories(list(memory_ids))
        search.insert_entries(words, form=FORM)
        if not engine.is_postgresql():
            return len(memory_ids)
        indexed = search.mark_indexed(list(memory_ids), list(words))
        # Changed or gone meanwhile. Whoever deleted one has looked for its entry already, or will do so once
        # he gets the memory's row, which this transaction does not hold.
        forget_memories([memory_id for memory_id in memory_ids if memory_id not in indexed])
    return len(indexed)


def forget_memories(memory_ids: Sequence[str]) -> None:
    """Takes memories out of the index. In the transaction that deletes them, behind that, so that no entry
    can come after it.
    """
    if memory_ids:
        _remove(search.read_entries(memory_ids=memory_ids))


def forget_versions(version_ids: Sequence[str]) -> None:
    """Takes the texts of these versions out of the index and sees to it that their words are overwritten.

    In the transaction that empties or removes the versions, before that.
    """
    if version_ids:
        _remove(search.read_entries(version_ids=version_ids))
        note_removal()


def note_removal(now: datetime | None = None) -> None:
    """Words of texts that are no more may lie in the index's file, also of texts that left the index long
    ago: SQLite rewrites them when segments happen to be merged.
    """
    if not engine.is_postgresql():
        SearchRemoval.objects.create(removed_at=now or clock.now_utc())


def rewrite_index() -> bool:
    """SQLite only: if something was removed since the last time, writes the index anew without it.

    In steps, between which others can write. Whether there was anything to do.
    """
    newest = SearchRemoval.objects.order_by("-id").values_list("id", flat=True).first()
    if newest is None:
        return False
    pages = -REWRITTEN_AT_ONCE
    while True:
        with transaction.atomic():
            goes_on = search.merge_index(pages)
        if not goes_on and pages > 0:
            break
        pages = REWRITTEN_AT_ONCE
    storage.overwrite_removed_text()
    SearchRemoval.objects.filter(id__lte=newest).delete()
    return True


def _remove(entries: list[search.Entry]) -> None:
    if not entries:
        return
    if not engine.is_postgresql():
        if any(entry.path is None or entry.content is None or entry.form != FORM for entry in entries):
            # What was put in is not known any more. It has never been seen, and must not stay.
            search.clear_index()
            note_removal()
            return
        for entry in entries:
            assert entry.path is not None
            assert entry.content is not None
            search.delete_words(
                entry.id, _words(entry.workspace_id, entry.store_id, entry.path, entry.content)
            )
    search.delete_entries("memory_id", [entry.memory_id for entry in entries])


def _words(workspace_id: str, store_id: str, path: str, content: str) -> search.Words:
    return search.Words(
        scope=search.scope_words(workspace_id=workspace_id, store_id=store_id),
        path=words_of(fold(path)),
        content=words_of(fold(content)),
    )
