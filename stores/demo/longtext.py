"""The one long text of the demo: a log that nearly fills a memory (100 kB)."""

import random

TARGET_BYTES = 99_000
REASONS = (
    "duplicate of an earlier frame",
    "base of the delta frame not seen",
    "clock of the station 38 s ahead",
    "counter went back after a reset",
    "pressure below 850 hPa, sensor fault?",
    "frame cut after 61 bytes",
)


def replay_log() -> str:
    """What `hubctl replay --dry-run` printed; the same text at every call."""
    dice = random.Random(20417)  # noqa: S311 - believable numbers, nothing secret
    lines = ["# hubctl replay --day <<-18>> --dry-run", "# 12 partitions, 5,184,000 frames"]
    size = seconds = frames = 0
    while size < TARGET_BYTES:
        seconds += dice.randint(20, 75)
        frames += dice.randint(1_500, 4_200)
        clock = f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        line = f"{clock} p{dice.randrange(12):02} frames={frames} lag={dice.randint(4, 1900)}ms"
        if dice.random() < 0.22:
            serial = f"TB-{dice.randint(2100, 2190)}-{dice.randint(1, 899):04}"
            line += f" skipped {serial}: {dice.choice(REASONS)}"
        lines.append(line)
        size += len(line) + 1
    return "\n".join([*lines, "# end: 0 rows would be new", ""])
