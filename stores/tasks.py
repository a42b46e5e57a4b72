"""Jobs: fetch, one domain call. Each can be repeated and then does what is left to do."""

from django.core.management import call_command

from memconsole.celery import app
from stores.domain import stores


@app.task
def purge_deleted_stores() -> None:
    stores.purge_deleted_stores()


@app.task
def clear_expired_sign_ins() -> None:
    call_command("clearsessions")
