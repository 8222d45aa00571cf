"""Improves a set of routes by changing them in turn (`detours`), first boldly, then with ever more care."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from services.routing import detours
from services.routing.detours import BEST_LENGTH, BEST_SCORE, LENGTH, SCORE, Walk
from services.routing.engine import Path
from services.routing.plan import ALLOWED, BASE, SHARED_WORDS, STOPS, TO_SECOND, WORDS, Plan, Words

STEPS = 40
"""Steps of one cooling; in each every train has its turn."""
MOVES = 100
"""Moves of a train in a step, a millisecond or two."""
HEAT = 1.5
"""At first a change may be worse by about this many times the revenue of a stop."""

Better = Callable[[int, "list[Path | None]"], None]


class LocalSearch:
    """Routes of some trains while they are being changed; each has the plan of its class, and is not paid for its ends.

    See `services.routing.engine.Improver`.
    """

    def __init__(self, plans: list[Plan]) -> None:
        self.plans = plans
        self.walks = [make_walk(plan, 1 + train) for train, plan in enumerate(self.plans)]
        self.used = [np.zeros(int(plan.config[WORDS]), dtype=np.uint64) for plan in self.plans]
        self.scores = [0] * len(plans)
        self.paths: list[Path | None] = [None] * len(plans)
        self.coolings = 0

    def start(self, paths: list[Path | None]) -> None:
        for train, path in enumerate(paths):
            self._take(train, path, 0)
            self.walks[train].control[LENGTH] = 0
            if path:
                lay(self.plans[train], self.walks[train], path)

    def cool(self, lower: int, better: Better, tick: Callable[[int], None], steps: int = STEPS) -> None:
        """One cooling from where the routes are; every set worth more than `lower` is reported.

        Before most of them a train gives up its route, and has its turn after the others: no small change frees the
        only track to a station.
        """
        trains = len(self.plans)
        idle = self.coolings % (trains + 1)
        self.coolings += 1
        if idle > 0:
            self.walks[idle - 1].control[LENGTH] = 0
            self._take(idle - 1, None, 0)
        for step in range(steps):
            for turn in range(trains):
                train = (idle + turn) % trains
                total = self._turn(train, 1 - step / steps)
                if total > lower:
                    lower = total
                    better(lower, self._with_best(train))
                tick(MOVES)

    def _turn(self, train: int, warmth: float) -> int:
        """Change one route among the others; the best sum on the way."""
        plan, walk = self.plans[train], self.walks[train]
        walk.blocked[:] = 0
        for other, used in enumerate(self.used):
            if other != train:
                walk.blocked[:] |= used
        detours.change(plan, walk, warmth * HEAT * usual_revenue(plan), MOVES)
        base = int(plan.config[BASE])
        rest = sum(self.scores) - self.scores[train]
        path = [int(link) for link in walk.links[: walk.control[LENGTH]]]
        self._take(train, path or None, int(walk.control[SCORE]) + base)
        return rest + max(0, int(walk.control[BEST_SCORE]) + base)

    def _take(self, train: int, path: Path | None, score: int) -> None:
        self.paths[train] = path
        self.scores[train] = max(0, score) if path else 0
        self.used[train][:] = used_words(self.plans[train], path or [])

    def _with_best(self, train: int) -> list[Path | None]:
        """The current routes, with the best one of the last turn for this train; routes at a loss stay at home."""
        walk = self.walks[train]
        paths = [path if score > 0 else None for path, score in zip(self.paths, self.scores, strict=True)]
        gain = int(walk.control[BEST_SCORE]) + int(self.plans[train].config[BASE])
        paths[train] = [int(link) for link in walk.best[: walk.control[BEST_LENGTH]]] if gain > 0 else None
        return paths


def usual_revenue(plan: Plan) -> float:
    """Mean over the stops that the train may visit and that pay."""
    allowed = int(plan.sets[ALLOWED])
    paid = [int(amount) for stop, amount in enumerate(plan.revenue) if allowed >> stop & 1 and amount > 0]
    return sum(paid) / max(1, len(paid))


def used_words(plan: Plan, path: Path) -> Words:
    """Conflicts that a route takes from all others."""
    words = np.zeros(int(plan.config[WORDS]), dtype=np.uint64)
    for link in path:
        words |= plan.link_masks[link]
    shared = int(plan.config[SHARED_WORDS])
    words[:shared] &= plan.shared
    words[shared:] = 0
    return words


def lay(plan: Plan, walk: Walk, path: Path) -> None:
    """Put a route into a walk; its score counts from its first change on."""
    here = int(walk.ends[path[0], 0])
    if len(path) > 1 and here in walk.ends[path[1]]:
        here = int(walk.ends[path[0], 1])
    walk.control[LENGTH], walk.control[SCORE] = len(path), 0
    walk.stops[0] = here
    for place, link in enumerate(path):
        entries = range(int(plan.near_start[here]), int(plan.near_start[here + 1]))
        entry = next(entry for entry in entries if plan.near_link[entry] == link)
        walk.links[place], walk.flags[place] = link, int(plan.near_flags[entry]) & ~TO_SECOND
        here = int(plan.near_to[entry])
        walk.stops[place + 1] = here


def make_walk(plan: Plan, seed: int) -> Walk:
    """An empty route of a class, and room for all it can become."""
    stops, words = int(plan.config[STOPS]), int(plan.config[WORDS])
    begin = plan.near_start
    ends = np.zeros((len(plan.link_sides), 2), dtype=np.int64)
    pairs = np.zeros((stops, stops + 1), dtype=np.int64)
    for stop in range(stops):
        targets = plan.near_to[begin[stop] : begin[stop + 1]]
        pairs[stop] = begin[stop] + np.searchsorted(targets, np.arange(stops + 1))
        for entry in range(int(begin[stop]), int(begin[stop + 1])):
            ends[plan.near_link[entry], 0 if plan.near_flags[entry] & TO_SECOND else 1] = stop
    depth = detours.STRETCH + detours.DEEPER + 2
    return Walk(
        control=np.zeros(detours.CONTROL_SIZE, dtype=np.int64),
        seed=np.array([seed * 0x9E3779B97F4A7C15 % (1 << 64)], dtype=np.uint64),
        links=np.zeros(stops + 1, dtype=np.int64),
        stops=np.zeros(stops + 2, dtype=np.int64),
        flags=np.zeros(stops + 1, dtype=np.int64),
        best=np.zeros(stops + 1, dtype=np.int64),
        blocked=np.zeros(words, dtype=np.uint64),
        pairs=pairs,
        ends=ends,
        frames=np.zeros((depth, detours.FRAME_SIZE), dtype=np.int64),
        marks=np.zeros((depth, detours.USED + words), dtype=np.uint64),
        counts=np.zeros((depth, max(1, plan.limits.shape[0])), dtype=np.int64),
        found=np.zeros((depth, 2), dtype=np.int64),
        scratch=np.zeros(max(1, plan.pay_limits.shape[0]), dtype=np.uint64),
    )
