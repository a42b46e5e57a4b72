"""Jobs: fetch, one domain call. Each can be repeated and then does what is left to do."""

from django.core.management import call_command

from memconsole.celery import app
from stores.domain import search_index, stores
from stores.models.statements import storage


@app.task
def purge_deleted_stores() -> None:
    stores.purge_deleted_stores()


@app.task
def index_memories() -> None:
    # Not for long: the worker has other things to do, and this comes again in seconds.
    search_index.index_memories(seconds=10)


@app.task
def rewrite_search_index() -> None:
    search_index.rewrite_index()


@app.task
def overwrite_removed_text() -> None:
    # Usually done with the removal itself; a reader may have been in the way then.
    storage.overwrite_removed_text()


@app.task
def clear_expired_sign_ins() -> None:
    call_command("clearsessions")
