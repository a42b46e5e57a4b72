"""Reading what a request says: strict bodies (an unknown key is an error), lenient queries (an unknown
parameter is none), and the headers every memory endpoint wants.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

import msgspec
from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest

from stores.api.errors import ApiError, invalid_request
from stores.domain.limits import PAGE_ITEMS, PAGE_ITEMS_DEFAULT

Shape = TypeVar("Shape", bound=msgspec.Struct)

API_VERSIONS = {"2026-10-21", "2023-06-01"}
MEMORY_BETA = "agent-memory-2026-07-22"
AGENTS_BETA = "managed-agents-2026-04-01"


def check_version(request: HttpRequest) -> None:
    """C 1.1: two values are known, none is tolerated, any other is a 400."""
    version = request.META.get("HTTP_ANTHROPIC_VERSION")
    if version and version.strip() not in API_VERSIONS:
        raise invalid_request("anthropic-version must be 2026-10-21 or 2023-06-01.")


def check_memory_beta(request: HttpRequest) -> None:
    """C 1.2: one of the two beta names, never both; others are ignored."""
    header = request.META.get("HTTP_ANTHROPIC_BETA", "")
    if header == MEMORY_BETA:
        return
    named = {name.strip() for name in header.split(",")}
    if MEMORY_BETA in named and AGENTS_BETA in named:
        raise invalid_request(
            f"anthropic-beta must not name both {MEMORY_BETA} and {AGENTS_BETA} on memory requests."
        )
    if MEMORY_BETA not in named and AGENTS_BETA not in named:
        raise invalid_request(f"The header anthropic-beta must name {MEMORY_BETA}.")


def read_body(request: HttpRequest) -> bytes:
    """The raw body. Raises ApiError 413 over the limit."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    too_large = ApiError(413, "request_too_large", f"The request body must have at most {limit} bytes.")
    if "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
        # Django reads by Content-Length, which a chunked body does not have.
        body: bytes = request.META["wsgi.input"].read(limit + 1)
    else:
        try:
            length = int(request.META.get("CONTENT_LENGTH") or 0)
        except ValueError:
            length = 0
        if length > limit:
            raise too_large
        body = request.read(length) if length > 0 else b""
        if len(body) < length:
            raise invalid_request("The request body ended early.")
    if len(body) > limit:
        raise too_large
    return body


@cache
def _decoder(shape: type[Shape]) -> "msgspec.json.Decoder[Shape]":
    return msgspec.json.Decoder(shape)


def decode_body(body: bytes, shape: type[Shape]) -> Shape:
    """The body as `shape`. Raises ApiError 400 with what is wrong and where."""
    try:
        return _decoder(shape).decode(body)
    except msgspec.ValidationError as error:
        raise invalid_request(_in_words(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise invalid_request("The request body is not valid JSON in UTF-8.") from None


def _in_words(message: str) -> str:
    """msgspec speaks of `$.name`; a caller knows the field as `name`."""
    message = message if len(message) < 300 else message[:299] + "…"
    return message.replace(" - at `$.", " at `").replace(" - at `$`", " as the request body") + "."


EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(9000, 1, 1, tzinfo=UTC)


class NoBody(msgspec.Struct, forbid_unknown_fields=True):
    """Where a request carries nothing: an empty body and `{}` are the same (C 1.1)."""


def read_query(request: HttpRequest) -> "Query":
    """The query string. Raises ApiError 400 when it has more parameters than Django reads."""
    query = request.META.get("QUERY_STRING", "")
    try:
        if "%" in query:
            # Django would put U+FFFD for what is not UTF-8, and so mean another name.
            unquote_to_bytes(query).decode()
        return Query(request.GET)
    except UnicodeDecodeError:
        raise invalid_request("The query is not UTF-8.") from None
    except TooManyFieldsSent:
        raise invalid_request("The query has too many parameters.") from None


class Query:
    """The query string, each reader raising ApiError 400 for a value that cannot be meant."""

    def __init__(self, parameters: Mapping[str, str]) -> None:
        self.parameters = parameters

    def text(self, name: str) -> str | None:
        """None when absent or empty."""
        value = self.parameters.get(name) or None
        if value is not None and ("\0" in value or any("\ud800" <= c <= "\udfff" for c in value)):
            raise invalid_request(f"{name} holds a character that cannot be.")
        return value

    def choice(self, name: str, choices: tuple[str, ...], default: str | None) -> str | None:
        value = self.text(name)
        if value is None:
            return default
        if value not in choices:
            raise invalid_request(f"{name} must be one of {', '.join(choices)}.")
        return value

    def boolean(self, name: str) -> bool:
        return self.choice(name, ("true", "false"), "false") == "true"

    def integer(self, name: str, default: int, *, low: int, high: int) -> int:
        value = self.text(name)
        if value is None:
            return default
        # int() would take blanks, signs, underscores and other scripts' digits too.
        if not (value.isascii() and value.isdigit() and len(value) < 10 and low <= int(value) <= high):
            raise invalid_request(f"{name} must be a whole number from {low} to {high}.")
        return int(value)

    def limit(self) -> int:
        return self.integer("limit", PAGE_ITEMS_DEFAULT, low=1, high=PAGE_ITEMS)

    def with_content(self, default: str) -> bool:
        """The `view`: full carries the text, basic does not."""
        return self.choice("view", ("basic", "full"), default) == "full"

    def instant(self, name: str) -> datetime | None:
        value = self.text(name)
        if value is None:
            return None
        try:
            instant: datetime = msgspec.convert(value, datetime)
        except msgspec.ValidationError:
            raise invalid_request(f"{name} must be an RFC 3339 date and time.") from None
        if instant.tzinfo is None:
            raise invalid_request(f"{name} must carry an offset, such as 'Z' or '+00:00'.")
        # Nothing was written outside of these, and ids know no other times.
        return min(max(instant, EARLIEST), LATEST)


Unset = msgspec.UnsetType
UNSET: Any = msgspec.UNSET
