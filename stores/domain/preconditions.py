"""A precondition: the change applies only to the content its sender has seen (pure)."""

import re

from stores.domain.errors import InvalidInput, PreconditionFailed

SHA256_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)


def check_sha256(value: str, name: str) -> str:
    """The value when it is 64 lower-case hex digits; raises InvalidInput naming the field."""
    if not SHA256_HEX.fullmatch(value):
        raise InvalidInput(f"{name} must be 64 lowercase hexadecimal digits.")
    return value


def require_match(*, expected_sha256: str | None, current_sha256: str) -> None:
    """Raises PreconditionFailed when a hash is expected and the memory's current one differs."""
    if expected_sha256 is not None and expected_sha256 != current_sha256:
        raise PreconditionFailed(
            "The memory's content has changed: its content_sha256 is not the expected one. "
            "Retrieve the memory and try again on its current content."
        )
