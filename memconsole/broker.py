"""Celery's queue as a folder of files, for installations without Redis.

kombu has such a transport. This one differs in three points: a message appears whole or not at all (kombu's
reader may take one that is still being written, and loses it); it never passes through the machine's shared
/tmp; and the folders belong to the owner alone.
"""

import os
import time
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import uuid4

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps, loads

ALIAS = "folder"
# How often an idle worker looks into the folder, in seconds.
POLLING_INTERVAL = 0.25

TRANSPORT_ALIASES[ALIAS] = "memconsole.broker:Transport"


def make_folders(root: Path) -> dict[str, Any]:
    """The folders below `root`, made with mode 0700 where missing, as transport options."""
    folders = {name: root / name for name in ("messages", "taken", "control")}
    for folder in (root, *folders.values()):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {
        "data_folder_in": str(folders["messages"]),
        "data_folder_out": str(folders["messages"]),
        "processed_folder": str(folders["taken"]),
        "control_folder": str(folders["control"]),
        "polling_interval": POLLING_INTERVAL,
    }


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        # Zero-padded nanoseconds, so that names sort by age.
        name = f"{time.time_ns():020d}_{uuid4().hex}.{queue}.msg"
        draft = os.path.join(self.processed_folder, f"{name}.draft")
        with open(draft, "w", encoding="utf-8") as file:
            file.write(dumps(payload))
        os.rename(draft, os.path.join(self.data_folder_out, name))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for name in sorted(os.listdir(self.data_folder_in)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = os.path.join(self.processed_folder, name)
            try:
                os.rename(os.path.join(self.data_folder_in, name), taken)
            except FileNotFoundError:
                continue  # another worker was faster
            with open(taken, encoding="utf-8") as file:
                payload = file.read()
            os.remove(taken)
            return loads(payload)
        raise Empty


class Transport(filesystem.Transport):
    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None) -> None:  # type: ignore[override]
        # A worker looks between two calls whether it shall stop, so none of them may last.
        super().drain_events(connection, timeout=POLLING_INTERVAL)
