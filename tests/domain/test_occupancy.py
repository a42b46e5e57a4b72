"""Which moves can be made together, against the definition of a store that is in order."""

import random

from django.test import SimpleTestCase

from stores.domain.occupancy import InTheWay, Move, find_conflicts


def is_in_order(paths):
    """No two are equal, and none is a folder of another (contract/memory_stores_api.md, 4.2)."""
    return len(set(paths)) == len(paths) and not any(
        one != other and other.startswith(one + "/") for one in paths for other in paths
    )


def paths_after(moves, live, conflicts):
    after = dict(live)
    for number, move in enumerate(moves):
        if number in conflicts:
            continue
        if move.path is None:
            del after[move.memory_id]
        else:
            after[move.memory_id or f"new{number}"] = move.path
    return list(after.values())


class FindConflictsTest(SimpleTestCase):
    LIVE = {"a": "/a", "b": "/b", "c": "/f/c", "d": "/f/d"}

    def test_cases(self):
        for name, moves, expected in (
            ("to a free place", [Move("a", "/z")], {}),
            ("a chain", [Move("a", "/b"), Move("b", "/z")], {}),
            ("two change places", [Move("a", "/b"), Move("b", "/a")], {}),
            ("three in a ring", [Move("a", "/b"), Move("b", "/f/c"), Move("c", "/a")], {}),
            ("to where one is", [Move("a", "/a")], {}),
            ("below itself", [Move("a", "/a/x")], {}),
            ("a folder into itself", [Move("c", "/f/f/c"), Move("d", "/f/f/d")], {}),
            ("a folder becomes a file", [Move("c", None), Move("d", "/f")], {}),
            ("on a memory", [Move("a", "/b")], {0: InTheWay("/b", "b")}),
            ("below a memory", [Move("a", "/b/x")], {0: InTheWay("/b", "b")}),
            ("on a folder", [Move("a", "/f")], {0: InTheWay("/f/c", "c")}),
            ("where one was deleted", [Move("a", "/b"), Move("b", None)], {}),
            ("a new one where one was deleted", [Move(None, "/b"), Move("b", None)], {}),
            ("two to one place", [Move("a", "/z"), Move("b", "/z")], {1: InTheWay("/z", None)}),
            ("one below the other", [Move("a", "/z"), Move("b", "/z/x")], {1: InTheWay("/z", None)}),
            ("one above the other", [Move("a", "/z/x"), Move("b", "/z")], {1: InTheWay("/z/x", None)}),
            (
                "a chain whose end is stuck",
                [Move("a", "/b"), Move("b", "/f/c"), Move("d", "/a")],
                {1: InTheWay("/f/c", "c"), 0: InTheWay("/b", "b"), 2: InTheWay("/a", "a")},
            ),
            (
                "on what turns out to stay as a folder",
                [Move("c", "/a"), Move("b", "/f")],
                {0: InTheWay("/a", "a"), 1: InTheWay("/f/d", "d")},
            ),
        ):
            with self.subTest(name):
                self.assertEqual(find_conflicts(moves, self.LIVE), expected)
                self.assertTrue(is_in_order(paths_after(moves, self.LIVE, expected)))

    def test_whatever_is_made_leaves_the_store_in_order(self):
        chance = random.Random(1)
        names = ["a", "b", "a-b", "a0"]
        stuck = made = 0
        for _ in range(3000):
            live = {}
            for number in range(chance.randint(1, 7)):
                path = "".join(f"/{chance.choice(names)}" for _ in range(chance.randint(1, 3)))
                if is_in_order([*live.values(), path]):
                    live[f"m{number}"] = path
            chosen = chance.sample(sorted(live), chance.randint(0, len(live)))
            moves = [
                Move(
                    memory_id,
                    chance.choice(
                        [
                            None,
                            live[chance.choice(sorted(live))],
                            f"/{chance.choice(names)}/{chance.choice(names)}",
                        ]
                    ),
                )
                for memory_id in chosen
            ]
            if chance.random() < 0.3:
                moves.append(Move(None, f"/{chance.choice(names)}"))
            conflicts = find_conflicts(moves, live)
            self.assertTrue(is_in_order(paths_after(moves, live, conflicts)), (live, moves, conflicts))
            for number, found in conflicts.items():
                path = moves[number].path
                self.assertTrue(
                    path == found.path
                    or path.startswith(found.path + "/")
                    or found.path.startswith(path + "/")
                )
            stuck += len(conflicts)
            made += len(moves) - len(conflicts)
            # Nothing is refused when the whole would do.
            if is_in_order(paths_after(moves, live, {})):
                self.assertEqual(conflicts, {}, (live, moves))
        self.assertGreater(min(stuck, made), 1000)
