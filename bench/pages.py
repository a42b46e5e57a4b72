"""Every kind of page of a large store, as a signed-in person gets it over HTTP, one request at a time."""

import gzip
import http.client
import time
import urllib.parse
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from bench import filling
from bench.databases import inside
from bench.report import Round, rounds
from bench.setting import Setting
from stores.domain import listing, memories, search_index, stores, workspaces
from stores.domain.actors import Actor, member_actor
from stores.domain.stores import get_store
from stores.models import Role, Workspace

MEMORIES = 10_000
VERSIONS_EACH = 10
LONG_HISTORY = 1_000
GOAL_MS = 200.0
GOAL_BYTES = 150_000
EMAIL, PASSWORD = "bench@example.com", "benchmarks only 7 24"
STORE = filling.store_id(1)
STORE_URL = f"/stores/{STORE}/"
GZIP = b"\x1f\x8b"
LOOKED_AT = filling.memory_id(4_321)


def pages(setting: Setting) -> None:
    """10,000 memories in six levels of folders, 100,000 versions, beside 50 stores of 100."""
    with setting.database("ours") as database:
        filling.add_memories(database, 1, _paths(), size=2048, versions_each=VERSIONS_EACH, texts=_texts())
        for number in range(50):
            paths = [f"/notes/{n:03d}.md" for n in range(100)]
            filling.add_memories(database, 2 + number, paths, first=MEMORIES + number * 100, size=500)
        with inside(database):
            addresses = _addresses(_prepare())
        database.settle()
        with setting.product(database) as client:
            person = _Person(client.base)
            person.get(*addresses.values())
            measures: dict[str, Callable[[], Any]] = {
                name: partial(person.timed, address, setting.seconds / 8)
                for name, address in addresses.items()
            }
            found = rounds(setting.rounds, measures)
            for name in addresses:
                _line(setting, name, found)
            heaviest, weight = person.heaviest()
            setting.report.note(
                f"the heaviest page is {heaviest}: {weight:,} bytes compressed, styles and scripts included "
                f"(goal {GOAL_BYTES:,}): {'ok' if weight <= GOAL_BYTES else 'MISS'}"
            )


def _line(setting: Setting, name: str, found: list[Round]) -> None:
    setting.report.line(
        f"page: {name}",
        found,
        lambda r: r[name],
        lambda r: GOAL_MS,
        of="the goal",
        unit=" ms",
        at_most=1.0,
    )


def _paths() -> list[str]:
    return [
        f"/team {n % 7}/area-{n % 49:02d}/topic-{n % 343:03d}/{n % 4}/{n % 2}/note {n:05d}.md"
        if n % 10
        else f"/all/{n:05d}.md"
        for n in range(MEMORIES)
    ]


def _texts() -> list[str]:
    words = filling.prose(200_000).split()
    texts = []
    for number in range(MEMORIES):
        place = number * 17 % (len(words) - 500)
        lines = [" ".join(words[place + line * 9 : place + line * 9 + 9]) for line in range(50)]
        texts.append(f"# Note {number}\n\n" + "\n".join(lines))
    return [text[:2047].ljust(2047) + "\n" for text in texts]


def _prepare() -> tuple[Actor, str]:
    """Somebody to look, a memory with a long history, and the index of live texts."""
    workspace = Workspace.objects.get()
    user = workspaces.create_user(email=EMAIL, name="Bench", password=PASSWORD)
    actor = member_actor(membership=workspaces.add_member(workspace=workspace, user=user, role=Role.ADMIN))
    lines = [f"line {n} of a text that is changed again and again\n" for n in range(400)]
    # In a store of its own: the large one is full.
    store = stores.create_store(actor=actor, name="Long histories")
    memory = memories.create_memory(actor=actor, store_id=store.id, path="/long.md", content="".join(lines))
    for number in range(LONG_HISTORY - 1):
        lines[number * 7 % 400] = f"line {number * 7 % 400}, changed in version {number + 2}\n"
        memories.update_memory(actor=actor, store_id=store.id, memory_id=memory.id, content="".join(lines))
    while search_index.index_memories(seconds=600):
        pass
    return actor, f"/stores/{store.id}/memories/{memory.id}/"


def _addresses(prepared: tuple[Actor, str]) -> dict[str, str]:
    actor, long = prepared
    memory = f"{STORE_URL}memories/{LOOKED_AT}/"
    versions = listing.list_versions(actor=actor, store_id=STORE, memory_id=LOOKED_AT, limit=2).items
    newest, before = (version.id for version in versions)
    folder = urllib.parse.quote(
        memories.get_memory(actor=actor, store_id=STORE, memory_id=LOOKED_AT).path.rpartition("/")[0] + "/"
    )
    moment = urllib.parse.quote(filling.instant(60_000).isoformat())
    made = get_store(actor=actor, store_id=STORE).created_at
    return {
        "overview": "/",
        "stores": "/stores/",
        "store, its folders": STORE_URL,
        "folder of 1,000 files": f"{STORE_URL}?folder=/all/",
        "folder, six levels down": f"{STORE_URL}?folder={folder}",
        "paths, filtered while typing": f"{STORE_URL}?filter=topic-12",
        "memory": memory,
        "memory, rendered": f"{memory}?view=rendered",
        "memory, as the agent sees it": f"{memory}?view=agent",
        "memory, edit": f"{memory}edit/",
        "history": f"{memory}history/",
        "history of 1,000 versions": f"{long}history/",
        "version": f"{STORE_URL}versions/{newest}/",
        "diff": f"{STORE_URL}diff/?from={before}&to={newest}",
        "blame": f"{memory}blame/",
        "store as it was": f"{STORE_URL}as-of/?at={moment}",
        "store's activity": f"{STORE_URL}activity/",
        "activity": "/activity/",
        "activity of a session": f"/activity/?actor={filling.COMMON_SESSION}",
        "activity of a store by road": f"/activity/?store={STORE}&road=api&operation=created",
        "activity of a day": f"/activity/?since={made:%Y-%m-%d}&until={made:%Y-%m-%d}",
        "search, a word": "/search/?q=note",
        "search, a phrase": "/search/?q=%22note+4321%22",
        "search, inside words": "/search/?q=ote+432&mode=substring",
        "search, a path": "/search/?q=topic-123&mode=path",
        "palette": "/palette/?q=04321",
        "settings": f"{STORE_URL}settings/",
        "keys": "/keys/",
    }


class _Person:
    """Signed in, on one connection, with a browser's headers."""

    def __init__(self, base: str) -> None:
        address = urllib.parse.urlsplit(base)
        self.connection = http.client.HTTPConnection(address.hostname or "", address.port)
        self.cookies: dict[str, str] = {}
        self.weights: dict[str, int] = {}
        self._send("GET", "/login/")
        form = {"username": EMAIL, "password": PASSWORD, "csrfmiddlewaretoken": self.cookies["csrftoken"]}
        self._send("POST", "/login/", urllib.parse.urlencode(form))
        if "sessionid" not in self.cookies:
            raise RuntimeError("The benchmark could not sign in.")

    def get(self, *addresses: str) -> None:
        for address in addresses:
            status, body = self._send("GET", address)
            if status != 200:
                raise RuntimeError(f"{address} answered {status}.")
            self.weights[address] = len(body)

    def timed(self, address: str, seconds: float) -> float:
        """The median in milliseconds."""
        times: list[float] = []
        end = time.perf_counter() + seconds
        while len(times) < 3 or time.perf_counter() < end:
            begin = time.perf_counter()
            self.get(address)
            times.append((time.perf_counter() - begin) * 1000)
        return median(times)

    def heaviest(self) -> tuple[str, int]:
        """The address of the page with the most bytes, and these with all that it links to but the editor."""
        address = max(self.weights, key=lambda each: self.weights[each])
        _, body = self._send("GET", address)
        page = _unpacked(body)
        linked = {part.split('"')[0] for part in page.replace('href="', 'src="').split('src="')[1:]}
        files = [link for link in linked if link.startswith("/static/") and link.endswith((".css", ".js"))]
        return address, len(body) + sum(_packed_size(self._send("GET", file)[1]) for file in files)

    def _send(self, method: str, address: str, body: str | None = None) -> tuple[int, bytes]:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Accept-Encoding": "gzip", "Cookie": cookies}
        if address.startswith("/palette/"):
            headers["HX-Request"] = "true"  # it is a part of pages, and none itself
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, address, body, headers)
        answer = self.connection.getresponse()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, answer.read()


def _packed_size(body: bytes) -> int:
    return len(body if body[:2] == GZIP else gzip.compress(body))


def _unpacked(body: bytes) -> str:
    return (gzip.decompress(body) if body[:2] == GZIP else body).decode()
