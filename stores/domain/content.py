"""What text a memory may hold, its digest and its size (pure).

Text is kept byte for byte: no newline, Unicode or blank is ever touched, because clients compare hashes
(contract/memory_stores_api.md, 3.2).
"""

from hashlib import sha256
from typing import NamedTuple

from stores.domain.errors import ContentInvalid
from stores.domain.limits import CONTENT_BYTES


class Content(NamedTuple):
    """Checked text with what is derived from it."""

    text: str
    data: bytes
    sha256: str

    @property
    def size_bytes(self) -> int:
        return len(self.data)


def check_content(text: str) -> Content:
    """The text with its UTF-8, size and hash; raises ContentInvalid naming the rule it breaks."""
    # PostgreSQL cannot hold U+0000 in text; what one database refuses, both refuse (C 4.3).
    if "\0" in text:
        raise ContentInvalid("content must not hold the character U+0000.")
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise ContentInvalid("content must not hold half a surrogate pair.") from None
    if len(data) > CONTENT_BYTES:
        raise ContentInvalid(
            f"content must have at most {CONTENT_BYTES} bytes of UTF-8; this has {len(data)}."
        )
    return Content(text, data, sha256(data).hexdigest())
