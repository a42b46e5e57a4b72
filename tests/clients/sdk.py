"""What the tests of the Python SDK share: one way to speak to its sync and its async client."""

import hashlib
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from anthropic import (
    AnthropicError,
    APIStatusError,
    AsyncAnthropic,
    DefaultAsyncHttpxClient,
    DefaultHttpxClient,
)

NOWHERE = "0" * 64  # a well-formed hash that no text of these tests has


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def matching(text: str) -> dict[str, str]:
    """The precondition that the memory's content is still `text`."""
    return {"type": "content_sha256", "content_sha256": sha256(text)}


def last_line(output: str) -> str:
    """What a command that prints an id or a secret is asked for."""
    return output.strip().splitlines()[-1]


async def got(answer: Any) -> Any:
    """The answer itself; that of the async client has to be awaited."""
    return await answer if inspect.isawaitable(answer) else answer


async def every(listing: Any) -> list[Any]:
    """All items of all pages, by the SDK's own paging."""
    if hasattr(listing, "__aiter__"):
        return [item async for item in listing]
    return list(listing)


async def pages(listing: Any) -> list[list[Any]]:
    """The items page by page, by the SDK's own paging."""
    page = await got(listing)
    found = [page.data]
    while page.has_next_page():
        page = await got(page.get_next_page())
        found.append(page.data)
    return found


@contextmanager
def refused(
    kind: type[APIStatusError], error_type: str = "invalid_request_error"
) -> Iterator["pytest.ExceptionInfo[APIStatusError]"]:
    """The block raises exactly this class, and what is behind it has the contract's shape (C 5)."""
    with pytest.raises(AnthropicError) as caught:
        yield caught  # type: ignore[misc]
    error = caught.value
    assert type(error) is kind, repr(error)
    assert error.type == error_type
    assert error.api_message
    assert error.body["type"] == "error"
    assert error.request_id.startswith("req_")
    assert error.body["request_id"] == error.request_id
    assert error.response.headers["content-type"] == "application/json"
    if error.status_code == 409:
        assert error.response.headers["x-should-retry"] == "false"


class Connect:
    """Makes clients of one of the two classes; they know an address and a key, and nothing else."""

    def __init__(self, client_class: type, base_url: str, admin_key: str) -> None:
        self.client_class = client_class
        self.base_url = base_url
        self.admin_key = admin_key
        self.opened: list[Any] = []
        self.plain: dict[str, Any] = {}

    @property
    def is_async(self) -> bool:
        return self.client_class is AsyncAnthropic

    def __call__(self, api_key: str | None = None, **options: Any) -> Any:
        api_key = api_key or self.admin_key
        # To make one takes longer than most tests.
        if not options and api_key in self.plain:
            return self.plain[api_key]
        client = self.client_class(base_url=self.base_url, api_key=api_key, **options)
        self.opened.append(client)
        if not options:
            self.plain[api_key] = client
        return client

    def recorded(self, **options: Any) -> tuple[Any, list[Any]]:
        """A client, and the list of requests it puts on the wire, repeats included."""
        sent: list[Any] = []

        async def note_async(request: Any) -> None:
            sent.append(request)

        if self.is_async:
            http_client: Any = DefaultAsyncHttpxClient(event_hooks={"request": [note_async]})
        else:
            http_client = DefaultHttpxClient(event_hooks={"request": [sent.append]})
        return self(http_client=http_client, **options), sent


class LosesAnswers(httpx2.HTTPTransport):
    """Lets a request reach the server and loses the first answer to it, as a bad network does."""

    lose = 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(request)
        if self.lose:
            self.lose -= 1
            response.read()
            raise httpx2.ReadError("lost on the way", request=request)
        return response


class LosesAnswersAsync(httpx2.AsyncHTTPTransport):
    """The same for the async client."""

    lose = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if self.lose:
            self.lose -= 1
            await response.aread()
            raise httpx2.ReadError("lost on the way", request=request)
        return response
