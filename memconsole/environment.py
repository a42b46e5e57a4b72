"""Reading knobs from the environment: each once, and a bad value stops the start with a sentence."""

import os
import secrets
import zoneinfo
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def boolean(name: str, default: bool) -> bool:
    value = text(name, "1" if default else "0").lower()
    if value not in TRUE | FALSE:
        raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")
    return value in TRUE


def integer(name: str, default: int, *, low: int, high: int) -> int:
    value = text(name, str(default))
    if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
        raise ImproperlyConfigured(f"{name} must be a whole number from {low} to {high}, not {value!r}.")
    return int(value)


def names(name: str, default: str = "") -> list[str]:
    """A comma-separated list."""
    return [part for part in (piece.strip() for piece in text(name, default).split(",")) if part]


def data_dir(name: str, default: Path) -> Path:
    """The folder for everything this installation keeps; made with mode 0700 when missing."""
    path = Path(text(name) or default).expanduser().absolute()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"{name}: cannot make the folder {path}: {error.strerror}.") from None
    return path


def secret_key(name: str, kept_in: Path) -> str:
    """The key from the environment, or one made once and kept in the data folder."""
    given = os.environ.get(name, "")
    if given:
        if len(given) < 32:
            raise ImproperlyConfigured(f"{name} must have at least 32 characters.")
        return given
    path = kept_in / "secret_key"
    # Two processes that start at once must end with the same key, so the file appears whole or not at all.
    if not path.exists():
        draft = kept_in / f".secret_key.{secrets.token_hex(8)}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    key = path.read_text().strip()
    if len(key) < 32:
        raise ImproperlyConfigured(f"{path} does not hold a secret key; remove it to have a new one made.")
    return key


def database(name: str, data: Path) -> dict[str, object]:
    """Django's settings for the database that the URL names; SQLite in the data folder when unset."""
    url = text(name)
    if not url:
        return sqlite(data / "memconsole.sqlite3")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is not a URL: {error}.") from None
    if parts.scheme == "sqlite":
        path = unquote(parts.path)
        # sqlite:///relative/path and sqlite:////absolute/path
        path = path.removeprefix("/")
        if path == ":memory:":
            raise ImproperlyConfigured(f"{name}: several processes cannot share a database in memory.")
        if not path:
            raise ImproperlyConfigured(f"{name}: a sqlite URL needs a file: sqlite:///var/file.sqlite3.")
        return sqlite(Path(path).absolute())
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(
            f"{name} must begin with postgres:// or sqlite://, not {parts.scheme or url!r}."
        )
    dbname = unquote(parts.path.lstrip("/"))
    if not dbname:
        raise ImproperlyConfigured(f"{name} must name a database: postgres://user@host/database.")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": dbname,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        # One blocking thread per worker keeps one connection for good.
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "application_name": "memconsole",
            # Django turns preparing off; the hot statements ask for it (stores/models/statements/engine.py).
            "prepare_threshold": 5,
            # Each of them has one right plan; planning anew for every value costs more than running it.
            # A row that somebody keeps locked must not hold up a worker's only thread without end.
            "options": "-c plan_cache_mode=force_generic_plan -c lock_timeout=10s",
            **dict(parse_qsl(parts.query)),
        },
    }


def sqlite(path: Path) -> dict[str, object]:
    return {
        "ENGINE": "memconsole.db.sqlite3",
        "NAME": path,
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 10,
            # WAL lets readers go on beside the writer; FULL because an acknowledged write must
            # survive a power cut; secure_delete overwrites what redaction removes.
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; "
                "PRAGMA foreign_keys=ON; PRAGMA cache_size=-32000; PRAGMA temp_store=MEMORY;"
            ),
        },
    }


def time_zone(name: str, default: str) -> str:
    value = text(name, default)
    if value not in zoneinfo.available_timezones():
        raise ImproperlyConfigured(f"{name}: there is no time zone {value!r}; say for example Europe/Berlin.")
    return value


def redis_url(name: str) -> str:
    value = text(name)
    if value and not value.startswith(("redis://", "rediss://", "unix://")):
        raise ImproperlyConfigured(f"{name} must begin with redis:// or rediss://.")
    return value
