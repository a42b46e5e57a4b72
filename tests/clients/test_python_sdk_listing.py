"""M2, the list of memories, through the official Python SDK."""

from collections.abc import Iterable
from typing import Any

import pytest
from anthropic import BadRequestError, NotFoundError

from tests.clients.sdk import every, got, pages, refused

pytestmark = [pytest.mark.served, pytest.mark.anyio]

# In the order of the bytes of their paths: "-" and "." lie before "/", capitals before small letters, and
# letters of other scripts behind all of those.
PATHS = [
    "/100%/x.md",
    "/1000/x.md",
    "/B.md",
    "/a-b/deep/er/1.md",
    "/a-b/deep/er/2.md",
    "/a.md",
    "/a/1.md",
    "/a/2/3.md",
    "/a/2/4.md",
    "/a/2.md",
    "/a0",
    "/my_project/x.md",
    "/myXproject/x.md",
    "/notes-archive/todo.md",
    "/notes/todo.md",
    "/z",
    "/é/1.md",
    "/日本.md",
    "/🧠/1.md",
]
PATHS.sort(key=str.encode)


@pytest.fixture
async def tree(client: Any, store: Any) -> Any:
    """The store with PATHS in it, each holding its own path, made in no order at all."""
    for path in sorted(PATHS, key=lambda path: path[::-1]):
        await got(client.beta.memory_stores.memories.create(store.id, path=path, content=path))
    return store


def shown(items: Iterable[Any]) -> list[str]:
    """Paths; an entry for a folder is told from a memory by its type as well as by its last character."""
    for item in items:
        assert (item.type == "memory_prefix") == item.path.endswith("/")
    return [item.path for item in items]


class TestOrderAndPages:
    async def test_is_by_the_bytes_of_the_path(self, client: Any, tree: Any) -> None:
        found = await every(client.beta.memory_stores.memories.list(tree.id))
        assert shown(found) == PATHS
        assert {item.content for item in found} == {None}

    @pytest.mark.parametrize("limit", [1, 2, 7, len(PATHS) - 1, len(PATHS), 100])
    async def test_is_the_same_in_pages_of_any_size(self, client: Any, tree: Any, limit: int) -> None:
        found = await pages(client.beta.memory_stores.memories.list(tree.id, limit=limit))
        assert [path for page in found for path in shown(page)] == PATHS
        assert all(len(page) == limit for page in found[:-1])
        assert len(found) == -(-len(PATHS) // limit)

    async def test_holds_twenty_unless_told_otherwise(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        for n in range(45):
            await got(memories.create(store.id, path=f"/{n:02}", content=str(n)))
        assert [len(page) for page in await pages(memories.list(store.id))] == [20, 20, 5]
        # Texts come by twenty at most, whatever is asked for.
        full = await pages(memories.list(store.id, view="full", limit=100))
        assert [len(page) for page in full] == [20, 20, 5]
        assert [item.content for page in full for item in page] == [str(n) for n in range(45)]

    async def test_lets_limit_and_view_change_between_pages(self, client: Any, tree: Any) -> None:
        memories = client.beta.memory_stores.memories
        first = await got(memories.list(tree.id, limit=2))
        rest = await every(memories.list(tree.id, limit=5, view="full", page=first.next_page))
        assert shown(first.data) + shown(rest) == PATHS
        assert rest[0].content == rest[0].path

    async def test_neither_skips_nor_repeats_under_writes(self, client: Any, tree: Any) -> None:
        memories = client.beta.memory_stores.memories
        page = await got(memories.list(tree.id, limit=5))
        seen = shown(page.data)
        # The memory the cursor points at goes, another one comes before it, a third behind it.
        await got(memories.delete(page.data[-1].id, memory_store_id=tree.id))
        await got(memories.create(tree.id, path="/0 before", content=""))
        await got(memories.create(tree.id, path="/zz behind", content=""))
        while page.has_next_page():
            page = await got(page.get_next_page())
            seen += shown(page.data)
        assert seen == sorted([*PATHS, "/zz behind"], key=str.encode)

    async def test_shows_every_write_at_once(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        for n in range(10):
            memory = await got(memories.create(store.id, path=f"/{n}", content="x"))
            assert await every(memories.list(store.id)) == [memory]
            memory = await got(memories.update(memory.id, memory_store_id=store.id, content=f"y{n}"))
            assert await every(memories.list(store.id)) == [memory]
            await got(memories.delete(memory.id, memory_store_id=store.id))
            assert await every(memories.list(store.id)) == []


class TestPathPrefix:
    @pytest.mark.parametrize("everything", ["", "/"])
    async def test_may_be_the_whole_store(self, client: Any, tree: Any, everything: str) -> None:
        listing = client.beta.memory_stores.memories.list(tree.id, path_prefix=everything, limit=100)
        assert shown(await every(listing)) == PATHS

    @pytest.mark.parametrize(
        "folder",
        ["/notes/", "/a/", "/a/2/", "/a-b/deep/", "/my_project/", "/myXproject/", "/100%/", "/é/", "/🧠/"],
    )
    async def test_matches_whole_segments_and_literally(self, client: Any, tree: Any, folder: str) -> None:
        inside = [path for path in PATHS if path.startswith(folder)]
        assert inside
        listing = client.beta.memory_stores.memories.list(tree.id, path_prefix=folder, limit=1)
        assert shown(await every(listing)) == inside

    @pytest.mark.parametrize("nothing", ["/none/", "/A/", "/a.md/", "/%/", "/*/", "/a/2.md/", "/no/"])
    async def test_without_a_match_is_an_empty_page(self, client: Any, tree: Any, nothing: str) -> None:
        for depth in (0, 1):
            page = await got(
                client.beta.memory_stores.memories.list(tree.id, path_prefix=nothing, depth=depth)
            )
            assert (page.data, page.next_page) == ([], None)

    @pytest.mark.parametrize(
        "prefix",
        [
            "a",
            "/a",
            "a/",
            "//",
            "/a//",
            "/../",
            "/a/./",
            "/a\n/",
            "/\u200b/",
            "/cafe\u0301/",
            "/" + "x" * 1024 + "/",
        ],
        ids=lambda prefix: ascii(prefix)[:20],
    )
    async def test_refuses_what_is_no_folder(self, client: Any, store: Any, prefix: str) -> None:
        with refused(BadRequestError):
            await got(client.beta.memory_stores.memories.list(store.id, path_prefix=prefix))


def children(folder: str) -> list[str]:
    """What lies directly in the folder, worked out by hand."""
    inside = {path.removeprefix(folder).partition("/") for path in PATHS if path.startswith(folder)}
    return sorted({folder + name + slash for name, slash, _ in inside}, key=str.encode)


class TestDepth:
    @pytest.mark.parametrize("folder", ["/", "/a/", "/a-b/", "/a-b/deep/", "/a-b/deep/er/", "/100%/", "/🧠/"])
    @pytest.mark.parametrize("limit", [1, 2, 3, 100])
    async def test_rolls_up_what_lies_deeper(self, client: Any, tree: Any, folder: str, limit: int) -> None:
        listing = client.beta.memory_stores.memories.list(tree.id, path_prefix=folder, depth=1, limit=limit)
        found = await pages(listing)
        assert [path for page in found for path in shown(page)] == children(folder)
        assert all(len(page) == limit for page in found[:-1])

    async def test_leads_from_folder_to_folder(self, client: Any, tree: Any) -> None:
        found, to_see = [], ["/"]
        while to_see:
            listing = client.beta.memory_stores.memories.list(
                tree.id, path_prefix=to_see.pop(), depth=1, limit=2
            )
            for item in await every(listing):
                (to_see if item.type == "memory_prefix" else found).append(item.path)
        assert sorted(found, key=str.encode) == PATHS

    async def test_carries_the_texts_of_the_files(self, client: Any, tree: Any) -> None:
        listing = client.beta.memory_stores.memories.list(tree.id, path_prefix="/a/", depth=1, view="full")
        assert [(item.path, getattr(item, "content", None)) for item in await every(listing)] == [
            ("/a/1.md", "/a/1.md"),
            ("/a/2.md", "/a/2.md"),
            ("/a/2/", None),
        ]

    async def test_counts_folders_among_the_twenty_of_a_full_page(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        for n in range(12):
            await got(memories.create(store.id, path=f"/file{n:02}", content=""))
            await got(memories.create(store.id, path=f"/folder{n:02}/x", content=""))
        full = await pages(memories.list(store.id, depth=1, view="full", limit=100))
        assert [len(page) for page in full] == [20, 4]

    async def test_forgets_a_folder_with_its_last_memory(self, client: Any, store: Any) -> None:
        memories = client.beta.memory_stores.memories
        memory = await got(memories.create(store.id, path="/folder/x", content=""))
        assert shown(await every(memories.list(store.id, depth=1))) == ["/folder/"]
        await got(memories.delete(memory.id, memory_store_id=store.id))
        assert await every(memories.list(store.id, depth=1)) == []

    @pytest.mark.parametrize("depth", [2, -1, 10])
    async def test_refuses_any_other_number(self, client: Any, store: Any, depth: int) -> None:
        with refused(BadRequestError):
            await got(client.beta.memory_stores.memories.list(store.id, depth=depth))


class TestRefusals:
    @pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 101}, {"view": "summary"}], ids=repr)
    async def test_of_queries(self, client: Any, store: Any, query: dict[str, Any]) -> None:
        with refused(BadRequestError):
            await got(client.beta.memory_stores.memories.list(store.id, **query))

    async def test_of_cursors_from_elsewhere(self, client: Any, tree: Any) -> None:
        stores = client.beta.memory_stores
        other = await got(stores.create(name="other"))
        page = (await got(stores.memories.list(tree.id, limit=1))).next_page
        assert page.startswith("page_")
        changed = page[:-1] + ("A" if page[-1] != "A" else "B")
        for ask in (
            lambda: stores.memories.list(tree.id, page=page, depth=1),
            lambda: stores.memories.list(tree.id, page=page, path_prefix="/a/"),
            lambda: stores.memories.list(tree.id, page=changed),
            lambda: stores.memories.list(tree.id, page="page_"),
            lambda: stores.memories.list(tree.id, page="/a.md"),
            lambda: stores.memories.list(other.id, page=page),
            lambda: stores.memory_versions.list(tree.id, page=page),
            lambda: stores.list(page=page),
        ):
            with refused(BadRequestError):
                await got(ask())
        # No cursor at all is what an empty one means.
        first = await got(stores.memories.list(tree.id, page="", limit=1))
        assert shown(first.data) == PATHS[:1]

    async def test_of_an_unknown_store(self, client: Any) -> None:
        with refused(NotFoundError, "not_found_error"):
            await got(client.beta.memory_stores.memories.list("memstore_01x"))

    async def test_ignores_parameters_it_does_not_know(self, client: Any, tree: Any) -> None:
        listing = client.beta.memory_stores.memories.list(
            tree.id, limit=7, extra_query={"order_by": "path", "order": "desc", "colour": "red"}
        )
        assert shown(await every(listing)) == PATHS
