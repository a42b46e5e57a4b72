"""A test case with people: the owner, a colleague who may only read, a stranger from another workspace."""

from html.parser import HTMLParser
from typing import Any

from django.test import TestCase

from stores.domain.actors import member_actor
from stores.models import Role, User
from tests.factories import make_member, make_memory, make_store, make_user, make_workspace

PASSWORD = "correct horse battery"
HTMX = {"HX-Request": "true"}
WITHIN_WORDS = {"a", "b", "bdi", "code", "del", "ins", "mark", "span", "strong"}


class ConsoleTestCase(TestCase):
    """`store` and `memory` are there, written by the owner."""

    @classmethod
    def setUpTestData(cls) -> None:
        cls.workspace = make_workspace(name="Tern Bay")
        cls.owner = make_user(email="ada@example.com", name="Ada Lovett", password=PASSWORD)
        cls.colleague = make_user(email="ben@example.com", name="Ben Okri")
        cls.stranger = make_user(email="eve@example.com", name="Eve")
        cls.membership = make_member(workspace=cls.workspace, user=cls.owner)
        make_member(workspace=cls.workspace, user=cls.colleague, role=Role.VIEWER)
        make_member(user=cls.stranger)
        cls.actor = member_actor(membership=cls.membership)
        cls.store = make_store(actor=cls.actor, name="Support", description="What we know")
        cls.memory = make_memory(
            actor=cls.actor, store=cls.store, path="/policies/refunds.md", content="# Refunds\n\n30 days.\n"
        )

    @property
    def store_url(self) -> str:
        return f"/stores/{self.store.id}/"

    @property
    def memory_url(self) -> str:
        return f"{self.store_url}memories/{self.memory.id}/"

    @property
    def version_url(self) -> str:
        return f"{self.store_url}versions/{self.memory.head_version_id}/"

    def pages(self) -> list[str]:
        """An address of every page that is about something."""
        return [
            self.store_url,
            f"{self.store_url}?folder=/policies/",
            f"{self.store_url}activity/",
            self.memory_url,
            f"{self.memory_url}history/",
            self.version_url,
            f"{self.store_url}diff/?to={self.memory.head_version_id}",
            f"{self.memory_url}blame/",
            f"{self.store_url}as-of/?at=2035-01-01T00:00Z",
            f"{self.store_url}as-of/?at=2026-01-01T00:00Z&with=2035-01-01T00:00Z",
        ]

    def writing_pages(self) -> list[str]:
        """An address of every page to write on."""
        return [
            "/stores/new/",
            f"{self.store_url}memories/new/?folder=/policies/",
            f"{self.memory_url}edit/",
            f"{self.memory_url}move/",
            f"{self.memory_url}redact/",
            f"{self.version_url}restore/",
            f"{self.store_url}settings/",
            f"{self.store_url}as-of/restore/?at=2026-01-01T00:00Z&folders=/&later=1",
            f"/activity/undo/?actor={self.owner.id}",
        ]

    def get(self, path: str, *, user: User | None = None, **headers: str) -> Any:
        """What the owner, or somebody else, gets to see."""
        self.client.force_login(user or self.owner)
        return self.client.get(path, headers=headers)

    def page(self, path: str, *, user: User | None = None, **headers: str) -> "Page":
        response = self.get(path, user=user, **headers)
        self.assertEqual(response.status_code, 200, path)
        return Page(response.content.decode())


class Page(HTMLParser):
    """What a page says and does, as a browser would read it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.inside: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.words.append("" if tag in WITHIN_WORDS else " ")
        self.tags.append((tag, dict(attrs)))
        self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.words.append("" if tag in WITHIN_WORDS else " ")
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self.inside and self.inside[-1] in ("script", "style") and data.strip():
            self.tags.append(("inline", {"text": data}))

    @property
    def text(self) -> str:
        """Everything there is to read, blanks made one."""
        return " ".join("".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def links(self) -> list[str]:
        return [link["href"] or "" for link in self.all("a") if "href" in link]

    def inline_code(self) -> list[str]:
        """Scripts, styles and handlers that a strict Content-Security-Policy would refuse."""
        found = [f"{name} inside the page" for name, _ in self.tags if name in ("inline", "style")]
        for name, attributes in self.tags:
            found += [f"{name} {a}" for a in attributes if a == "style" or a.startswith("on")]
            found += [
                f"{name} {a}={v}"
                for a, v in attributes.items()
                if a in ("href", "src", "action")
                and (v or "").lower().lstrip().startswith(("javascript:", "data:"))
            ]
        return found
