"""Which of many moves can be made together (pure).

Files and folders of a store share one namespace (contract/memory_stores_api.md, 4.2). What counts is the
store after the whole act: `/a` may go to `/b` while `/b` goes to `/c`, and two memories may change places.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stores.domain.paths import ancestors


class Move(NamedTuple):
    """Where one memory goes; `memory_id` None begins a new one, `path` None ends the memory."""

    memory_id: str | None
    path: str | None


class InTheWay(NamedTuple):
    """What keeps a move from being made; `memory_id` None is another move of the same act."""

    path: str
    memory_id: str | None


def find_conflicts(moves: Sequence[Move], live: Mapping[str, str]) -> dict[int, InTheWay]:
    """The moves, by their place in the list, that cannot be made, and why. `live` is path by memory id.

    A move that cannot be made leaves its memory where it is, which may stand in the way of others; of two
    moves to the same place the first one is made.
    """
    return _Table(moves, live).settle()


class _Table:
    def __init__(self, moves: Sequence[Move], live: Mapping[str, str]) -> None:
        self.moves = moves
        self.live = live
        leaving = {move.memory_id for move in moves}
        # What stays, and the folders that it is in, each with a memory that lies inside.
        self.standing: dict[str, str] = {}
        self.folders: dict[str, str] = {}
        for memory_id, path in live.items():
            if memory_id not in leaving:
                self._stand(path, memory_id)
        # The places of moves made so far, and the folders that they are in, each with the moves into it.
        self.arrived: dict[str, int] = {}
        self.arrived_in: dict[str, dict[int, None]] = {}
        self.conflicts: dict[int, InTheWay] = {}

    def settle(self) -> dict[int, InTheWay]:
        for number, move in enumerate(self.moves):
            if move.path is None:
                continue
            found = self._in_the_way(move.path)
            if found is not None:
                self._refuse(number, found)
            else:
                self.arrived[move.path] = number
                for folder in ancestors(move.path):
                    self.arrived_in.setdefault(folder, {})[number] = None
        return self.conflicts

    def _stand(self, path: str, memory_id: str) -> None:
        self.standing[path] = memory_id
        for folder in ancestors(path):
            self.folders.setdefault(folder, path)

    def _in_the_way(self, path: str) -> InTheWay | None:
        for place in (*ancestors(path), path):
            if place in self.standing:
                return InTheWay(place, self.standing[place])
            if place in self.arrived:
                return InTheWay(place, None)
        if path in self.folders:
            inside = self.folders[path]
            return InTheWay(inside, self.standing[inside])
        inside_moves = self.arrived_in.get(path)
        if inside_moves:
            return InTheWay(self._target(next(iter(inside_moves))), None)
        return None

    def _refuse(self, number: int, found: InTheWay) -> None:
        """The memory of this move stays, and so do those whose moves lead to where it is."""
        waiting = [(number, found)]
        while waiting:
            number, found = waiting.pop()
            if number in self.conflicts:
                continue
            self.conflicts[number] = found
            memory_id = self.moves[number].memory_id
            if memory_id is None:
                continue
            path = self.live[memory_id]
            self._stand(path, memory_id)
            for other in self._led_to(path):
                self._depart(other)
                waiting.append((other, InTheWay(path, memory_id)))

    def _led_to(self, path: str) -> list[int]:
        same_or_above = [self.arrived[place] for place in (*ancestors(path), path) if place in self.arrived]
        return same_or_above + list(self.arrived_in.get(path, ()))

    def _depart(self, number: int) -> None:
        target = self._target(number)
        self.arrived.pop(target, None)
        for folder in ancestors(target):
            self.arrived_in.get(folder, {}).pop(number, None)

    def _target(self, number: int) -> str:
        path = self.moves[number].path
        assert path is not None
        return path
