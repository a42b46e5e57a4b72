"""Prefixed ids: `prefix_` + `01` + 22 characters of base 62, made from a UUIDv7 so that they sort by time.

The 60 time bits that UUIDv7 offers (48 of milliseconds, 12 of fraction: RFC 9562, method 3) carry the
microsecond, so two instants that differ by one microsecond give ids in the same order. That is what lets a
filter on `created_at` become a bound on the id (design.md, 5).
"""

import os
from datetime import UTC, datetime, timedelta

# In byte order, so that encoded numbers of equal width sort like the numbers.
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
PAIRS = [first + second for first in ALPHABET for second in ALPHABET]
BASE = len(PAIRS)
WIDTH = 22
VERSION = "01"

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

STORE = "memstore_"
MEMORY = "mem_"
MEMORY_VERSION = "memver_"
API_KEY = "apikey_"
USER = "user_"
WORKSPACE = "wrkspc_"
MEMBERSHIP = "member_"
SESSION = "sesn_"
SERVICE_ACCOUNT = "svac_"
REQUEST = "req_"


def encode(number: int) -> str:
    """128 bits as 22 characters of base 62, padded, so that text order is number order."""
    parts = []
    for _ in range(WIDTH // 2):
        number, rest = divmod(number, BASE)
        parts.append(PAIRS[rest])
    parts.reverse()
    return "".join(parts)


def time_bits(instant: datetime) -> int:
    """The 128-bit UUIDv7 of an instant with all its random bits zero."""
    milliseconds, micros = divmod((instant - EPOCH) // MICROSECOND, 1000)
    # 4096 steps for 1000 microseconds: rounding up keeps different microseconds apart.
    fraction = (micros * 4096 + 999) // 1000
    return (milliseconds << 80) | (0x7 << 76) | (fraction << 64) | (0b10 << 62)


def make_id(prefix: str, at: datetime) -> str:
    """A new id of the kind `prefix` whose place in the order is the instant `at` (aware, UTC)."""
    random = int.from_bytes(os.urandom(8), "big") >> 2
    return prefix + VERSION + encode(time_bits(at) | random)


def lowest_id(prefix: str, at: datetime) -> str:
    """Not above any id made at `at` or later, and above every id made before."""
    return prefix + VERSION + encode(time_bits(at))
