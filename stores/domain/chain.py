"""The hash chain over a memory's versions: proves order and authorship, also after redaction (pure).

Rule: decisions.md, 7.

    commitment = SHA-256(salt ‖ path ‖ 00 ‖ content)
    chain      = SHA-256(chain of the version before ‖ metadata ‖ commitment)

The zero byte keeps path and content apart (no path holds one). A `deleted` version commits to its path and
no content. The metadata is a JSON array of what redaction never touches, led by the number so that a
database can put it in front of a text made beforehand (see models/statements/postgresql.py).
"""

import os
from hashlib import sha256

import msgspec

SALT_BYTES = 16
# What the first version of a memory is chained to.
GENESIS = bytes(32)


def make_salt() -> bytes:
    return os.urandom(SALT_BYTES)


def commit(*, salt: bytes, path: str, content: bytes) -> bytes:
    return sha256(salt + path.encode() + b"\0" + content).digest()


def metadata_after_seq(
    *,
    store_id: str,
    memory_id: str,
    version_id: str,
    operation: str,
    actor_type: str,
    actor_id: str,
    road: str,
    created_at: str,
) -> str:
    """The canonical metadata behind its leading `[seq`; `created_at` as clock.rfc3339 writes it."""
    fields = [store_id, memory_id, version_id, operation, actor_type, actor_id, road, created_at]
    return "," + msgspec.json.encode(fields).decode()[1:]


def link(*, previous: bytes, seq: int, after_seq: str, commitment: bytes) -> bytes:
    """The chain value of a version."""
    return sha256(previous + f"[{seq}{after_seq}".encode() + commitment).digest()
