"""The search of `services.routing.cover` with the compiled functions of `cover_kernel`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from services.routing import cover_kernel as kernel
from services.routing.cover import Choice, Cover, Seat, Tick
from services.routing.cover_kernel import MAX_SLOTS, NEVER, Goal, Rows, Seats, Walk
from services.routing.plan import WORD, Ints, Words, words

STEPS = 120
"""Subgradient steps on prices."""
SLICE = 4_000
"""Steps of the search between two looks at the clock."""
WIDTH = 300
"""Rows of a seat that climbing tries."""
POLISH = 100_000
FEW = 300
"""Steps spent on improving a choice, in all and for one set of seats."""


def fits(amounts: list[int], seats: list[Seat]) -> bool:
    """Whether the words and tables of the kernel hold the problem."""
    return len(amounts) < WORD and sum(len(seat.caps) for seat in seats) <= MAX_SLOTS


class _Table:
    """The rows of one kind of seat as arrays."""

    def __init__(self, seat: Seat, width: int, hex_words: int) -> None:
        size, items = len(seat.rows), 1 + hex_words
        always: Words = np.zeros((size, items), dtype=np.uint64)
        able: Words = np.zeros((size, width), dtype=np.uint64)
        for number, row in enumerate(seat.rows):
            always[number] = words(row.always, items)
            able[number, : len(row.able)] = row.able
        self.rows = Rows(
            always,
            able,
            _ints(row.extra for row in seat.rows),
            np.array([row.visited for row in seat.rows], dtype=np.uint64),
            np.array([row.ends for row in seat.rows], dtype=np.uint64),
            np.zeros(size, dtype=np.int64),
        )
        self.seats = Seats(
            _ints([0]),
            _ints([size]),
            np.array([seat.idle]),
            np.array([False]),
            _ints([len(seat.caps)]),
            _ints([0]),
            _ints(seat.caps or [0]),
        )
        self.used: Words = np.zeros(items, dtype=np.uint64)

    def worths(self, net: Ints) -> Ints:
        """What every row earns by itself at net amounts."""
        out: Ints = np.zeros(len(self.rows.extra), dtype=np.int64)
        kernel.worths(self.rows, self.seats, self.used, net, out)
        return out


class KernelCovers:
    """See `services.routing.cover.CoverSearches`. Prices found for one cover are where the next one starts."""

    def __init__(self, amounts: list[int], hex_amount: int, hexes: int, width: int, tick: Tick) -> None:
        self.hex_words = -(-hexes // WORD) if hex_amount else 0
        self.width = max(1, width)
        self.tick = tick
        self.amounts: Ints = np.zeros(WORD * (1 + self.hex_words), dtype=np.int64)
        self.amounts[: len(amounts)] = amounts
        self.amounts[WORD : WORD + (hexes if self.hex_words else 0)] = hex_amount
        self.prices: Ints = np.zeros_like(self.amounts)
        self.tables: dict[object, _Table] = {}
        self.best: dict[object, int] = {}

    def table(self, seat: Seat) -> _Table:
        """The table of a kind of seat."""
        found = self.tables.get(seat.kind)
        if found is None:
            found = self.tables[seat.kind] = _Table(seat, self.width, self.hex_words)
        return found

    def bound(self, seats: list[Seat]) -> int:
        total = int(self.prices.sum())
        for seat in seats:
            if seat.kind not in self.best:
                self.best[seat.kind] = _best(seat, self.table(seat).worths(self.amounts - self.prices))
            total += self.best[seat.kind]
        return total

    def search(self, cover: Cover, needed: int) -> KernelCover:
        found = KernelCover(self, cover, needed)
        self.prices = found.prices.copy()
        self.best = {}
        return found


class KernelCover:
    """See `services.routing.cover.CoverSearch`."""

    def __init__(self, covers: KernelCovers, cover: Cover, needed: int) -> None:
        self.covers = covers
        self.cover = cover
        self.count = len(cover.seats)
        self.prices = covers.prices.copy()
        self.net: Ints = np.zeros_like(covers.amounts)
        self.used: Words = np.zeros(1 + covers.hex_words, dtype=np.uint64)
        self.goal = Goal(
            covers.amounts,
            np.array([cover.home >= 0, max(0, cover.home)], dtype=np.uint64),
            cover.connect,
            np.zeros(1 << MAX_SLOTS, dtype=np.int64),
            np.zeros(1 << MAX_SLOTS, dtype=np.int64),
            self.used.copy(),
        )
        self.orders = [np.arange(len(seat.rows), dtype=np.int64) for seat in cover.seats]
        self._gather([np.zeros_like(order) for order in self.orders])
        self.bound = int(
            kernel.price(STEPS, needed, covers.amounts, self.prices, self.net, self.rows, self.seats, self.used)
        )
        self._sort(needed)
        self.base = int(self.prices.sum())
        self.walk = _Search(self, self.seats)

    def _gather(self, alone: list[Ints]) -> None:
        """Put the rows of all kinds of seats one after another, in the order given, with their worth alone."""
        seats = self.cover.seats
        same = [number > 0 and seats[number - 1].kind == seat.kind for number, seat in enumerate(seats)]
        kinds = [number for number in range(self.count) if not same[number]]
        parts = [self.covers.table(seats[number]).rows for number in kinds]
        arrays = [
            np.concatenate([part[field][self.orders[number]] for part, number in zip(parts, kinds, strict=True)])
            for field in range(len(Rows._fields) - 1)
        ]
        self.rows = Rows._make([*arrays, np.concatenate([alone[number] for number in kinds])])
        first: list[int] = []
        end = 0
        for number in range(self.count):
            first.append(first[-1] if same[number] else end)
            end += 0 if same[number] else len(self.orders[number])
        slots = [len(seat.caps) for seat in seats]
        self.seats = Seats(
            _ints(first),
            _ints(start + len(order) for start, order in zip(first, self.orders, strict=True)),
            np.array([seat.idle for seat in seats]),
            np.array(same),
            _ints(slots),
            _ints([0, *itertools.accumulate(slots)][:-1]),
            _ints([cap for seat in seats for cap in seat.caps] or [0]),
        )

    def _sort(self, needed: int) -> None:
        """Put the rows of every kind in falling order of worth, without those that cannot be in a good choice."""
        alone: list[Ints] = []
        for number, seat in enumerate(self.cover.seats):
            worths = self.covers.table(seat).worths(self.net)
            order = np.argsort(-worths, kind="stable")
            order = order[: int((self.bound - _best(seat, worths) + worths >= needed).sum())]
            self.orders[number] = order
            alone.append(worths[order])
        self._gather(alone)

    def rows_left(self, seat: int) -> list[int]:
        return [int(row) for row in self.orders[seat]]

    def climb(self) -> Choice | None:
        """A good choice: one row changed at a time from two simple ones, then the rows of a few seats at once."""
        found: list[Choice] = []
        for filled in (False, True):
            choice = self._simple(filled)
            if not (~self.seats.idle & (choice < 0)).any():
                score = self._improved(choice)
                if score >= 0:
                    found.append(self._polish(score, choice))
        return max(found, default=None, key=lambda choice: choice[0])

    def _improved(self, choice: Ints) -> int:
        """Change one row of a choice at a time while the score rises; returns it, or -1 if it is not allowed."""
        score, vain, seat = -1, 0, 0
        while vain < self.count:
            better = int(kernel.improve(choice, seat, score, WIDTH, self.rows, self.seats, self.goal))
            self.covers.tick(1)
            vain = 0 if better > score else vain + 1
            score, seat = better, (seat + 1) % self.count
        return score

    def _simple(self, filled: bool) -> Ints:
        """The best row of every seat by itself, or only of those that cannot be idle."""
        choice: Ints = np.full(self.count, -1, dtype=np.int64)
        blocked = 0
        for seat in range(self.count):
            if filled or not self.seats.idle[seat]:
                for row in range(self.seats.first[seat], self.seats.last[seat]):
                    if not int(self.rows.ends[row]) & blocked:
                        choice[seat] = row
                        blocked |= int(self.rows.ends[row])
                        break
        return choice

    def _polish(self, score: int, choice: Ints) -> Choice:
        """A choice improved by choosing anew for two, then three seats at a time."""
        left = POLISH
        for size in (2, 3):
            vain, most = 0, math.comb(self.count, size)
            for some in itertools.cycle(itertools.combinations(range(self.count), size)):
                if left <= 0 or vain >= most:
                    break
                vain += 1
                search = _Search(self, self._fixed(choice, some))
                found = search.go(score + 1, FEW)
                left -= search.steps
                if found:
                    score, choice, vain = search.score, search.choice.copy(), 0
        return score, self._numbers(choice)

    def _fixed(self, choice: Ints, some: Sequence[int]) -> Seats:
        """The seats, of which only `some` may leave the rows of `choice`."""
        kept = np.ones(self.count, dtype=np.bool_)
        kept[list(some)] = False
        runs = choice >= 0
        return self.seats._replace(
            first=np.where(kept, np.where(runs, choice, self.seats.last), self.seats.first),
            last=np.where(kept, np.where(runs, choice + 1, self.seats.last), self.seats.last),
            idle=self.seats.idle & ~(kept & runs),
            same=np.zeros(self.count, dtype=np.bool_),
        )

    def next(self, needed: int) -> Choice | None:
        while not self.walk.over:
            if self.walk.go(needed, SLICE):
                return self.walk.score, self._numbers(self.walk.choice)
        return None

    def _numbers(self, choice: Ints) -> list[int]:
        """Row numbers as the cover knows them."""
        return [
            -1 if row < 0 else int(order[row - first])
            for row, order, first in zip(choice, self.orders, self.seats.first, strict=True)
        ]


class _Search:
    """A search through rows of some seats."""

    def __init__(self, cover: KernelCover, seats: Seats) -> None:
        self.cover = cover
        self.seats = seats
        self.steps = 0
        count, items = cover.count, len(cover.used)
        self.control: Ints = np.zeros(4, dtype=np.int64)
        self.walk = Walk(
            seats.first.copy(),
            np.full(count, -1, dtype=np.int64),
            np.zeros(count, dtype=np.int64),
            np.zeros(count, dtype=np.int64),
            np.zeros((count, items), dtype=np.uint64),
            np.zeros(count, dtype=np.uint64),
        )
        self.walk.common[0] = cover.base + kernel.tail(1, cover.rows, seats, cover.used, cover.net)

    @property
    def over(self) -> bool:
        """Whether all choices worth a look have been seen."""
        return bool(self.control[kernel.LEVEL] < 0)

    @property
    def score(self) -> int:
        """Of the choice found last."""
        return int(self.control[kernel.SCORE])

    @property
    def choice(self) -> Ints:
        return self.walk.choice

    def go(self, needed: int, budget: int) -> bool:
        """Search on for up to `budget` steps; whether `choice` now is one that scores at least `needed`."""
        cover = self.cover
        self.control[kernel.NEEDED], self.control[kernel.BUDGET] = needed, budget
        found = kernel.search(self.control, cover.base, self.walk, cover.rows, self.seats, cover.goal, cover.net)
        spent = budget - int(self.control[kernel.BUDGET])
        self.steps += spent
        cover.covers.tick(spent)
        return bool(found)


def _best(seat: Seat, worths: Ints) -> int:
    """Most a seat earns by itself."""
    most = int(worths.max()) if len(worths) else NEVER
    return max(most, 0) if seat.idle else most


def _ints(values: object) -> Ints:
    return np.array(list(values), dtype=np.int64)  # type: ignore[call-overload]
