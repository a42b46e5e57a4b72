"""The hot statements once more, in plain ORM and plain Python: slow, and hard to get wrong.

Same names and parameters as in stores/models/statements.
"""

from django.db.models import F

from stores.domain import chain
from stores.domain.clock import rfc3339
from stores.models import Memory, MemoryStore, MemoryVersion
from stores.models.statements.rows import MemoryRow, PrefixRow, VersionRow


def memory_row(memory: Memory, with_content: bool) -> MemoryRow:
    return MemoryRow(
        id=memory.id,
        store_id=memory.store_id,
        path=memory.path,
        head_version_id=memory.head_version_id,
        head_seq=memory.head_seq,
        content_sha256=memory.content_sha256,
        content_size_bytes=memory.content_size_bytes,
        created_at=rfc3339(memory.created_at),
        updated_at=rfc3339(memory.updated_at),
        last_read_at=rfc3339(memory.last_read_at) if memory.last_read_at else None,
        content=MemoryVersion.objects.get(id=memory.head_version_id).content if with_content else None,
    )


def version_row(version: MemoryVersion, with_content: bool) -> VersionRow:
    return VersionRow(
        id=version.id,
        store_id=version.store_id,
        memory_id=version.memory_id,
        seq=version.seq,
        operation=version.operation,
        path=version.path,
        content_sha256=version.content_sha256,
        content_size_bytes=version.content_size_bytes,
        created_at=rfc3339(version.created_at),
        actor_type=version.actor_type,
        actor_id=version.actor_id,
        actor_label=version.actor_label,
        road=version.road,
        reason=version.reason,
        restored_from=version.restored_from,
        redacted_at=rfc3339(version.redacted_at) if version.redacted_at else None,
        redacted_by_type=version.redacted_by_type,
        redacted_by_id=version.redacted_by_id,
        redacted_by_label=version.redacted_by_label,
        redacted_reason=version.redacted_reason,
        content=version.content if with_content else None,
    )


def _visible(workspace_id, store_id):
    return MemoryStore.objects.filter(id=store_id, workspace_id=workspace_id, deleted_at=None)


def store_exists(*, workspace_id, store_id):
    return _visible(workspace_id, store_id).exists()


def read_memory(*, workspace_id, store_id, memory_id, with_content):
    memory = Memory.objects.filter(id=memory_id, store__in=_visible(workspace_id, store_id)).first()
    return memory_row(memory, with_content) if memory else None


def read_version(*, workspace_id, store_id, version_id, with_content):
    version = MemoryVersion.objects.filter(id=version_id, store__in=_visible(workspace_id, store_id)).first()
    return version_row(version, with_content) if version else None


def _in_order(store_id):
    return sorted(Memory.objects.filter(store_id=store_id), key=lambda memory: memory.path.encode())


def page_of_memories(*, store_id, start, including_start, end, with_content, limit):
    found = []
    for memory in _in_order(store_id):
        path = memory.path.encode()
        above = path >= start.encode() if including_start else path > start.encode()
        if above and (end is None or path < end.encode()):
            found.append(memory_row(memory, with_content))
    return found[:limit]


def page_of_children(*, store_id, folder, start, end, with_content, limit):
    found = []
    for memory in _in_order(store_id):
        path = memory.path.encode()
        if path < start.encode() or not memory.path.startswith(folder):
            continue
        name, slash, _ = memory.path.removeprefix(folder).partition("/")
        item = PrefixRow(folder + name + "/") if slash else memory_row(memory, with_content)
        if item not in found:
            found.append(item)
    return found[:limit]


def page_of_versions(*, store_id, memory_id, operation, actor_id, lowest_id, below_id, with_content, limit):
    found = [
        version_row(version, with_content)
        for version in MemoryVersion.objects.filter(store_id=store_id)
        if memory_id in (None, version.memory_id)
        and operation in (None, version.operation)
        and actor_id in (None, version.actor_id)
        and (lowest_id is None or version.id.encode() >= lowest_id.encode())
        and (below_id is None or version.id.encode() < below_id.encode())
    ]
    return sorted(found, key=lambda version: version.id.encode(), reverse=True)[:limit]


def find_path_conflict(store_id, path, except_id):
    """By the definition (contract/memory_stores_api.md, 4.2): the path itself, or one inside the other."""
    taken = [
        memory
        for memory in _in_order(store_id)
        if memory.id != except_id
        and (memory.path == path or path.startswith(memory.path + "/") or memory.path.startswith(path + "/"))
    ]
    return (taken[0].path, taken[0].id) if taken else None


def _insert_version(version):
    MemoryVersion.objects.create(**{field: getattr(version, field) for field in version.__struct_fields__})


def insert_memory(version):
    Memory.objects.create(
        id=version.memory_id,
        store_id=version.store_id,
        path=version.path,
        head_version_id=version.id,
        head_seq=version.seq,
        head_chain=version.chain,
        content_sha256=version.content_sha256,
        content_size_bytes=version.content_size_bytes,
        created_at=version.created_at,
        updated_at=version.created_at,
    )
    _insert_version(version)
    MemoryStore.objects.filter(id=version.store_id).update(memory_count=F("memory_count") + 1)


def append_version(version, *, expected_head):
    memory = Memory.objects.get(id=version.memory_id)
    if memory.head_version_id != expected_head:
        return False
    memory.path = version.path
    memory.head_version_id = version.id
    memory.head_seq = version.seq
    memory.head_chain = version.chain
    memory.content_sha256 = version.content_sha256
    memory.content_size_bytes = version.content_size_bytes
    memory.updated_at = version.created_at
    memory.is_indexed = False
    memory.save()
    _insert_version(version)
    return True


def end_memory(version, *, expected_head):
    if not Memory.objects.filter(id=version.memory_id, head_version_id=expected_head).delete()[0]:
        return False
    _insert_version(version)
    MemoryStore.objects.filter(id=version.store_id).update(memory_count=F("memory_count") - 1)
    return True


def replace_content(p):
    """By the parameters of the statement of that name: all that must hold, then the write in Python."""
    memory = Memory.objects.filter(
        id=p["memory_id"],
        store__in=_visible(p["workspace_id"], p["store_id"]).filter(archived_at=None),
        updated_at__lt=p["created_at"],
        head_version_id__lt=p["id"],
    ).first()
    if memory is None or memory.content_sha256 == p["content_sha256"]:
        return None
    if p["expected_sha256"] not in (None, memory.content_sha256):
        return None
    commitment = chain.commit(salt=p["salt"], path=memory.path, content=p["content"].encode())
    memory.head_chain = chain.link(
        previous=bytes(memory.head_chain),
        seq=memory.head_seq + 1,
        after_seq=p["after_seq"],
        commitment=commitment,
    )
    memory.head_seq += 1
    memory.head_version_id = p["id"]
    memory.content_sha256 = p["content_sha256"]
    memory.content_size_bytes = p["content_size_bytes"]
    memory.updated_at = p["created_at"]
    memory.is_indexed = False
    memory.save()
    MemoryVersion.objects.create(
        id=p["id"],
        store_id=p["store_id"],
        memory_id=p["memory_id"],
        seq=memory.head_seq,
        operation="modified",
        path=memory.path,
        commitment=commitment,
        chain=memory.head_chain,
        **{
            name: p[name]
            for name in (
                "content",
                "content_sha256",
                "content_size_bytes",
                "created_at",
                "actor_type",
                "actor_id",
                "actor_label",
                "road",
                "reason",
                "salt",
            )
        },
    )
    return memory_row(memory, with_content=True)
