"""What the hot statements return: plain records; times are RFC 3339 text with microseconds."""

import msgspec


class MemoryRow(msgspec.Struct, kw_only=False, frozen=True, gc=False):
    id: str
    store_id: str
    path: str
    head_version_id: str
    head_seq: int
    content_sha256: str
    content_size_bytes: int
    created_at: str
    updated_at: str
    last_read_at: str | None
    content: str | None = None


class PrefixRow(msgspec.Struct, frozen=True, gc=False):
    """A folder directly below the one that is listed; `path` ends with "/"."""

    path: str


class VersionRow(msgspec.Struct, frozen=True, gc=False):
    id: str
    store_id: str
    memory_id: str
    seq: int
    operation: str
    path: str | None
    content_sha256: str | None
    content_size_bytes: int | None
    created_at: str
    actor_type: str
    actor_id: str
    actor_label: str
    road: str
    reason: str
    restored_from: str | None
    redacted_at: str | None
    redacted_by_type: str | None
    redacted_by_id: str | None
    redacted_by_label: str | None
    redacted_reason: str | None
    content: str | None = None
