"""Opaque page cursors, bound to the listing that made them (contract/memory_stores_api.md, 4.7).

A cursor is `page_` and the base64 of a seal and a position. The seal is an HMAC over the position, the
endpoint, the workspace and the filters: a cursor that was changed, or is used with another listing, does not
fit. `limit` and `view` are no part of it; they may change between pages.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from functools import cache

import msgspec
from django.conf import settings

from stores.api.errors import invalid_request

PREFIX = "page_"
SEAL_BYTES = 12


@cache
def _key(secret_key: str) -> bytes:
    return hashlib.sha256(b"memconsole page cursors" + secret_key.encode()).digest()


def _seal(position: bytes, scope: Sequence[object]) -> bytes:
    message = msgspec.msgpack.encode([position, *scope])
    return hmac.digest(_key(settings.SECRET_KEY), message, "sha256")[:SEAL_BYTES]


def make_cursor(position: str, scope: Sequence[object]) -> str:
    """The cursor that leads behind `position` in the listing that `scope` describes."""
    data = position.encode()
    return PREFIX + base64.urlsafe_b64encode(_seal(data, scope) + data).decode().rstrip("=")


def read_cursor(cursor: str | None, scope: Sequence[object]) -> str | None:
    """The position to go on behind; None for a first page. Raises ApiError 400."""
    if cursor is None:
        return None
    bad = invalid_request("page is not a cursor of this listing; begin again without it.")
    if not cursor.startswith(PREFIX):
        raise bad
    body = cursor.removeprefix(PREFIX)
    try:
        data = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        position = data[SEAL_BYTES:].decode()
    except (binascii.Error, ValueError):
        raise bad from None
    # The whole text and not the seal alone: base64 has several spellings of the same bytes.
    if not hmac.compare_digest(cursor.encode(), make_cursor(position, scope).encode()):
        raise bad
    return position
