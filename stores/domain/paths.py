"""What a memory path may be, and which paths stand in each other's way (pure).

The one parser of paths, used by every road. Rules: contract/memory_stores_api.md, 4.2.
"""

import unicodedata

from stores.domain.errors import PathInvalid
from stores.domain.limits import PATH_BYTES, PATH_SEGMENTS

# Control, format, surrogate, and the line and paragraph separators U+2028 and U+2029.
FORBIDDEN_CATEGORIES = {
    "Cc": "a control character",
    "Cf": "a format character",
    "Cs": "half a surrogate pair",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
}


def check_path(path: str) -> str:
    """The path itself when it is one; raises PathInvalid naming the rule it breaks.

    Paths are never changed: the bytes that come in are the bytes that are kept.
    """
    if not path.startswith("/"):
        raise PathInvalid("path must start with '/'.")
    if path == "/":
        raise PathInvalid("path must name something below '/'.")
    _check_segments(path[1:].split("/"), "path")
    _check_characters(path, "path")
    return path


def check_path_prefix(prefix: str) -> str:
    """A folder as `path_prefix` names it: "" or "/" for the whole store, else a path with a final "/".

    Returns "" for the whole store; raises PathInvalid.
    """
    if prefix in ("", "/"):
        return ""
    if not prefix.startswith("/"):
        raise PathInvalid("path_prefix must start with '/'.")
    if not prefix.endswith("/"):
        raise PathInvalid("path_prefix must end with '/'.")
    _check_segments(prefix[1:-1].split("/"), "path_prefix")
    _check_characters(prefix, "path_prefix")
    return prefix


def _check_segments(segments: list[str], what: str) -> None:
    if len(segments) > PATH_SEGMENTS:
        raise PathInvalid(f"{what} must have at most {PATH_SEGMENTS} segments.")
    for segment in segments:
        if not segment:
            raise PathInvalid(f"{what} must not have an empty segment ('//' or a final '/').")
        if segment in (".", ".."):
            raise PathInvalid(f"{what} must not have a '{segment}' segment.")


def _check_characters(path: str, what: str) -> None:
    # Printable ASCII breaks none of the rules below, and nearly every path is that.
    if path.isascii() and path.isprintable():
        size = len(path)
    else:
        for character in path:
            reason = FORBIDDEN_CATEGORIES.get(unicodedata.category(character))
            if reason:
                raise PathInvalid(f"{what} must not hold {reason} (U+{ord(character):04X}).")
        if not unicodedata.is_normalized("NFC", path):
            raise PathInvalid(f"{what} must be in Unicode Normalization Form C (NFC).")
        size = len(path.encode())
    if size > PATH_BYTES:
        raise PathInvalid(f"{what} must have at most {PATH_BYTES} bytes of UTF-8; this has {size}.")


def ancestors(path: str) -> list[str]:
    """The paths above this one that must not be memories: `/a/b/c` → `/a`, `/a/b`."""
    pieces = path.split("/")
    return ["/".join(pieces[:end]) for end in range(2, len(pieces))]


def after_folder(folder: str) -> str:
    """The first text, in byte order, above everything inside the folder (`/a/` → `/a0`).

    "0" is the byte after "/", so `folder <= path < after_folder(folder)` is exactly what lies inside.
    """
    return folder[:-1] + "0"


def is_inside(path: str, folder: str) -> bool:
    """Whether a path lies below a folder; every path lies below ""."""
    return path.startswith(folder)
