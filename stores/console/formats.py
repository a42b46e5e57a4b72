"""Numbers with their units and times as people read them (pure, but for the display time zone)."""

from datetime import datetime, timedelta

from django.utils import timezone

KILO = 1024
Instant = dict[str, str]


def count(number: int) -> str:
    return f"{number:,}"


def size(size_bytes: int) -> str:
    """`1,214 B`, `41.8 kB`, `9.4 MB`: in steps of 1,024, so that the limit of 102,400 bytes is 100 kB."""
    if size_bytes < 10_000:
        return f"{size_bytes:,} B"
    value = size_bytes / KILO
    for unit in ("kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= KILO
    return f"{value:,.1f} {unit}"


def change(size_bytes: int) -> str:
    """A change of size with its sign; the minus is the typographic one."""
    sign = "+" if size_bytes > 0 else "−" if size_bytes < 0 else "±"
    return f"{sign}{abs(size_bytes):,} B"


def share(part: int, whole: int) -> str:
    """`7 %`; never 0 % of something and never 100 % of less than all."""
    if 0 < 100 * part < whole:
        return "< 1 %"
    percent = round(100 * part / whole)
    if part < whole:
        percent = min(percent, 99)
    return f"{percent} %"


def instant(value: str | datetime, *, now: datetime) -> Instant:
    """A time as `datetime` attribute, exact for the title, and relative for the eye."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    local = timezone.localtime(moment)
    zone = timezone.get_current_timezone_name()
    return {
        "iso": local.isoformat(),
        "exact": f"{local:%Y-%m-%d %H:%M:%S} {zone}" + (f" (UTC{local:%z})" if zone != "UTC" else ""),
        "relative": relative(local, now=timezone.localtime(now)),
    }


def relative(moment: datetime, *, now: datetime) -> str:
    age = now - moment
    if timedelta(0) <= age < timedelta(seconds=45):
        return "just now"
    if timedelta(0) <= age < timedelta(hours=1):
        return f"{max(1, round(age.total_seconds() / 60))} min ago"
    if timedelta(0) <= age < timedelta(hours=20):
        return f"{round(age.total_seconds() / 3600)} h ago"
    clock = f"{moment:%H:%M}"
    if timedelta(0) <= age < timedelta(days=6):
        return f"{moment:%a} {clock}"
    if moment.year == now.year:
        return f"{moment.day} {moment:%b} {clock}"
    return f"{moment.day} {moment:%b %Y}"


def initials(name: str) -> str:
    """The first letters of the first and the last word of a person's name."""
    letters = [word[0] for word in name.partition("@")[0].split() if word[0].isalnum()]
    return "".join(letters[:1] + letters[1:][-1:]).upper() or "?"
