"""Prices on track: a bound on all trains together, and fewer routes left to combine.

Every shared conflict bit gets a price. Whatever the prices, the sum of all prices plus what each train earns
at most after paying for its track is an upper bound, since routes of a legal set use each bit once at most.
Subgradient steps look for prices with a low bound; on the way, sets built greedily raise the lower
bound, and routes that cannot be in a better set are dropped. All numbers are integers (scores times `SCALE`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from services.routing.bits import ctz
from services.routing.compiled import compiled
from services.routing.engine import CombineWatch
from services.routing.plan import WORD, Ints, Words

SCALE = 1 << 10
PATIENCE = 6
UNKNOWN = 1 << 62
VOTERS = 20_000
ZERO = np.uint64(0)
ONE = np.uint64(1)


class Effort(NamedTuple):
    """How hard to look for prices: `rounds` of `steps` on samples of size `sample`, last `steps` on all routes."""

    sample: int
    rounds: int
    sample_steps: int
    steps: int
    factor: float


THOROUGH = Effort(20_000, 8, 60, 120, 1.0)
BRIEF = Effort(5_000, 2, 25, 25, 0.3)
"""For parts of a pool, which start from the prices of the whole."""


@dataclass
class Pool:
    """Routes by class, the ones still worth looking at: `rows[c]` are positions in list `classes[c]`."""

    values: list[Ints]
    masks: list[Words]
    rows: list[Ints]
    counts: list[int]
    reduced: list[Ints]
    prices: Ints
    classes: list[int]
    lower: int = 0
    upper: int = 0
    scaled_upper: int = 0
    tops: list[int] = field(default_factory=list)

    @staticmethod
    def of(values: list[Ints], masks: list[Words], counts: list[int]) -> Pool:
        size = masks[0].shape[1] * WORD
        rows = [np.arange(len(entry), dtype=np.int64) for entry in values]
        reduced = [entry * SCALE for entry in values]
        return Pool(values, masks, rows, counts, reduced, np.zeros(size, dtype=np.int64), list(range(len(values))))

    def drop(self, group: int, least: int) -> None:
        """Keep only the routes of a class with a reduced score of at least `least`."""
        chosen = survivors(self.reduced[group], least)
        if len(chosen) < len(self.reduced[group]):
            self.keep(group, chosen)

    def cut(self, gain: int) -> None:
        """Drop the routes that cannot be in a set better than `lower`, by the prices last settled."""
        needed = (self.lower + gain) * SCALE
        for group, top in enumerate(self.tops):
            self.drop(group, needed - self.scaled_upper + top)

    def sample(self, most: int, watch: CombineWatch) -> Pool:
        """The `most` routes of each class with the best reduced scores, in their order."""
        picks = []
        for reduced in self.reduced:
            watch.tick(0)
            if len(reduced) <= most:
                picks.append(np.arange(len(reduced), dtype=np.int64))
            else:
                picks.append(np.sort(np.argpartition(-reduced, most)[:most]).astype(np.int64))
        return self._part([(group, pick, self.counts[group]) for group, pick in enumerate(picks)])

    def _part(self, picks: list[tuple[int, Any, int]]) -> Pool:
        """A pool of chosen routes: class, rows and number of trains for each of its own classes."""
        return Pool(
            [self.values[group][rows] for group, rows, _ in picks],
            [np.ascontiguousarray(self.masks[group][rows]) for group, rows, _ in picks],
            [self.rows[group][rows] for group, rows, _ in picks],
            [count for _, _, count in picks],
            [self.reduced[group][rows] for group, rows, _ in picks],
            self.prices,
            [self.classes[group] for group, _, _ in picks],
            self.lower,
            self.upper,
            self.scaled_upper,
            [self.tops[group] for group, _, _ in picks] if self.tops else [],
        )

    def dividing_bit(self) -> int:
        """A bit, rather a dear one, that about half of the routes use; -1 if no bit divides the routes of a class."""
        share = np.zeros(len(self.prices), dtype=np.int64)
        for masks, count in zip(self.masks, self.counts, strict=True):
            some = np.ascontiguousarray(masks[:: 1 + len(masks) // VOTERS])
            uses = np.unpackbits(some.view(np.uint8), axis=1, bitorder="little").sum(axis=0, dtype=np.int64)
            share += count * np.minimum(uses, len(some) - uses)
        dear = share * self.prices
        bit = int(np.argmax(dear if dear.any() else share))
        return bit if share[bit] else -1

    def split(self, bit: int) -> list[Pool]:
        """Pools that between them have every set of routes: no train uses a bit, or one train of a class does."""
        flag = np.uint64(1 << bit % WORD)
        uses = [masks[:, bit // WORD] & flag != ZERO for masks in self.masks]
        parts = []
        for user in range(-1, len(uses)):
            picks = [(group, ~used, self.counts[group] - (group == user)) for group, used in enumerate(uses)]
            if user >= 0:
                if not uses[user].any():
                    continue
                picks.append((user, uses[user], 1))
            parts.append(self._part([pick for pick in picks if pick[2]]))
        return parts

    def keep(self, group: int, chosen: Ints) -> None:
        """Drop all routes of a class but the chosen positions."""
        self.values[group] = self.values[group][chosen]
        self.masks[group] = np.ascontiguousarray(self.masks[group][chosen])
        self.rows[group] = self.rows[group][chosen]
        self.reduced[group] = self.reduced[group][chosen]


@compiled
def byte_table(prices):  # type: ignore[no-untyped-def]
    """Sums of prices for every value of every byte of a mask; shape (bytes, 256)."""
    count = prices.shape[0] // 8
    table = np.zeros((count, 256), dtype=np.int64)
    for number in range(count):
        for byte in range(1, 256):
            low = 0
            while not byte >> low & 1:
                low += 1
            table[number, byte] = table[number, byte & (byte - 1)] + prices[8 * number + low]
    return table


@compiled
def reduce(values, masks, table, reduced):  # type: ignore[no-untyped-def]
    """Fill `reduced` with scores less prices; returns the position of the greatest."""
    best = 0
    words = masks.shape[1]
    low = np.uint64(255)
    for row in range(values.shape[0]):
        total = values[row] * SCALE
        for word in range(words):
            mask = masks[row, word]
            number = 8 * word
            while mask != ZERO:
                total -= table[number, np.int64(mask & low)]
                mask >>= np.uint64(8)
                number += 1
        reduced[row] = total
        if total > reduced[best]:
            best = row
    return best


@compiled
def best_free(values, masks, reduced, used):  # type: ignore[no-untyped-def]
    """Position of the route with the greatest reduced score that avoids `used` bits, or -1."""
    best = -1
    words = masks.shape[1]
    for row in range(values.shape[0]):
        if best < 0 or reduced[row] > reduced[best]:
            free = True
            for word in range(words):
                if masks[row, word] & used[word] != ZERO:
                    free = False
            if free:
                best = row
    return best


@compiled
def add_usage(usage, mask, times):  # type: ignore[no-untyped-def]
    """Count the bits of a mask `times` times."""
    for word in range(mask.shape[0]):
        rest = mask[word]
        while rest != ZERO:
            usage[64 * word + ctz(rest)] += times
            rest &= rest - ONE


@compiled
def survivors(reduced, least):  # type: ignore[no-untyped-def]
    """Positions of the routes whose reduced score is at least `least`."""
    count = 0
    for row in range(reduced.shape[0]):
        if reduced[row] >= least:
            count += 1
    chosen = np.empty(count, dtype=np.int64)
    count = 0
    for row in range(reduced.shape[0]):
        if reduced[row] >= least:
            chosen[count] = row
            count += 1
    return chosen


def floor_to(value: int, gain: int) -> int:
    """The greatest multiple of `gain` that is not above a scaled value."""
    return value // (SCALE * gain) * gain


def price(pool: Pool, lower: int, gain: int, watch: CombineWatch, effort: Effort = THOROUGH) -> None:
    """Look for good prices; leaves the best ones, their bound and the surviving routes in `pool`.

    Long lists are priced by samples: steps on the routes that look best, then one look at all of them.
    """
    pool.lower = lower
    pool.upper = UNKNOWN
    factor = effort.factor
    for _ in range(effort.rounds):
        if max(len(entry) for entry in pool.values) <= effort.sample:
            break
        sample = pool.sample(effort.sample, watch)
        watch.tick(0)
        _descend(sample, gain, Quiet(watch), factor, effort.sample_steps)
        pool.lower, pool.prices = sample.lower, sample.prices
        before = pool.upper
        _settle(pool, gain, watch)
        if pool.upper <= pool.lower or before - pool.upper < gain:
            break
        factor = max(0.1, factor / 2)
    if pool.upper > pool.lower and max(len(entry) for entry in pool.values) <= effort.sample:
        _descend(pool, gain, watch, factor, effort.steps)
        _settle(pool, gain, watch)


class Quiet:
    """Passes on better sets, but not the bounds of some of the routes, which prove nothing."""

    def __init__(self, watch: CombineWatch) -> None:
        self.tick = watch.tick
        self.better = watch.better

    def bound(self, value: int) -> None:
        """Nothing."""


def _descend(pool: Pool, gain: int, watch: CombineWatch, factor: float, steps: int) -> None:
    """Subgradient steps from the prices of the pool; leaves the best ones there and drops hopeless routes."""
    prices = pool.prices
    best_upper: int | None = None
    best_prices = prices.copy()
    stalled = 0
    for step in range(steps):
        table = byte_table(prices)
        tops = []
        upper = int(prices.sum())
        usage = np.zeros(len(prices), dtype=np.int64)
        for group, count in enumerate(pool.counts):
            top = 0
            if len(pool.values[group]):
                row = reduce(pool.values[group], pool.masks[group], table, pool.reduced[group])
                top = int(pool.reduced[group][row])
                if top > 0:
                    add_usage(usage, pool.masks[group][row], count)
            tops.append(max(0, top))
            upper += count * tops[-1]
        watch.tick(sum(len(entry) for entry in pool.values))
        if best_upper is None or upper < best_upper:
            best_upper, stalled = upper, 0
            best_prices = prices.copy()
            watch.bound(max(pool.lower, floor_to(upper, gain)))
        else:
            stalled += 1
            if stalled >= PATIENCE:
                stalled, factor = 0, factor / 2
        if step % 4 == 0 or stalled == 0:
            _greedy(pool, watch, step)
        needed = (pool.lower + gain) * SCALE
        if floor_to(best_upper, gain) <= pool.lower or factor < 0.01:
            break
        for group, top in enumerate(tops):
            watch.tick(0)
            pool.drop(group, needed - upper + top)
        slope = usage - 1
        slope[(prices == 0) & (slope < 0)] = 0
        square = int((slope * slope).sum())
        if square == 0:
            break
        size = factor * max(upper - pool.lower * SCALE, SCALE * gain) / square
        prices = np.maximum(0, prices + (slope * size).astype(np.int64))
    pool.prices = best_prices


def _settle(pool: Pool, gain: int, watch: CombineWatch) -> None:
    """Reduced scores, bound and survivors by the prices of the pool."""
    table = byte_table(pool.prices)
    pool.tops = []
    upper = int(pool.prices.sum())
    for group, count in enumerate(pool.counts):
        top = 0
        if len(pool.values[group]):
            row = reduce(pool.values[group], pool.masks[group], table, pool.reduced[group])
            top = max(0, int(pool.reduced[group][row]))
        pool.tops.append(top)
        upper += count * top
        watch.tick(len(pool.values[group]))
    pool.scaled_upper = upper
    pool.upper = max(pool.lower, min(pool.upper, floor_to(upper, gain)))
    watch.bound(pool.upper)
    watch.tick(0)
    pool.cut(gain)


def _greedy(pool: Pool, watch: CombineWatch, step: int) -> None:
    """Build a set from the routes with the best reduced scores, in a rotating order of trains."""
    order = [group for group, count in enumerate(pool.counts) for _ in range(count)]
    turn = step % len(order)
    used = np.zeros(pool.masks[0].shape[1], dtype=np.uint64)
    choice: list[tuple[int, int]] = []
    value = 0
    for group in order[turn:] + order[:turn]:
        row = best_free(pool.values[group], pool.masks[group], pool.reduced[group], used)
        if row >= 0:
            used |= pool.masks[group][row]
            value += int(pool.values[group][row])
            choice.append((pool.classes[group], int(pool.rows[group][row])))
    if value > pool.lower:
        pool.lower = value
        watch.better(value, choice)
