"""Prices on track: a bound on all trains together, and fewer routes left to combine.

Every shared conflict bit gets a price. Whatever the prices, the sum of all prices plus what each train earns
at most after paying for its track is an upper bound, since routes of a legal set use each bit once at most.
Subgradient steps look for prices with a low bound; on the way, sets built greedily raise the lower
bound, and routes that cannot be in a better set are dropped. All numbers are integers (scores times `SCALE`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from services.routing.bits import ctz
from services.routing.compiled import compiled
from services.routing.engine import CombineWatch
from services.routing.plan import WORD, Ints, Words

SCALE = 1 << 10
STEPS = 120
PATIENCE = 6
ROUNDS = 8
SAMPLE = 20_000
SAMPLE_STEPS = 60
UNKNOWN = 1 << 62
ZERO = np.uint64(0)
ONE = np.uint64(1)


@dataclass
class Pool:
    """Routes by class, the ones still worth looking at: `rows[c]` are positions in the list they came from."""

    values: list[Ints]
    masks: list[Words]
    rows: list[Ints]
    counts: list[int]
    reduced: list[Ints]
    prices: Ints
    lower: int = 0
    upper: int = 0
    scaled_upper: int = 0
    tops: list[int] = field(default_factory=list)

    @staticmethod
    def of(values: list[Ints], masks: list[Words], counts: list[int]) -> Pool:
        size = masks[0].shape[1] * WORD
        rows = [np.arange(len(entry), dtype=np.int64) for entry in values]
        reduced = [entry * SCALE for entry in values]
        return Pool(values, masks, rows, counts, reduced, np.zeros(size, dtype=np.int64))

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

    def sample(self, most: int) -> Pool:
        """The `most` routes of each class with the best reduced scores, in their order."""
        picks = []
        for reduced in self.reduced:
            if len(reduced) <= most:
                picks.append(np.arange(len(reduced), dtype=np.int64))
            else:
                picks.append(np.sort(np.argpartition(-reduced, most)[:most]).astype(np.int64))
        return Pool(
            [values[pick] for values, pick in zip(self.values, picks, strict=True)],
            [np.ascontiguousarray(masks[pick]) for masks, pick in zip(self.masks, picks, strict=True)],
            [rows[pick] for rows, pick in zip(self.rows, picks, strict=True)],
            self.counts,
            [reduced[pick] for reduced, pick in zip(self.reduced, picks, strict=True)],
            self.prices,
            self.lower,
            self.upper,
            self.scaled_upper,
            list(self.tops),
        )

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


def price(pool: Pool, lower: int, gain: int, watch: CombineWatch) -> None:
    """Look for good prices; leaves the best ones, their bound and the surviving routes in `pool`.

    Long lists are priced by samples: steps on the routes that look best, then one look at all of them.
    """
    pool.lower = lower
    pool.upper = UNKNOWN
    factor = 1.0
    for _ in range(ROUNDS):
        if max(len(entry) for entry in pool.values) <= SAMPLE:
            break
        watch.tick(0)
        sample = pool.sample(SAMPLE)
        watch.tick(0)
        _descend(sample, gain, _Quiet(watch), factor, SAMPLE_STEPS)
        pool.lower, pool.prices = sample.lower, sample.prices
        before = pool.upper
        _settle(pool, gain, watch)
        if pool.upper <= pool.lower or before - pool.upper < gain:
            break
        factor = max(0.1, factor / 2)
    if pool.upper > pool.lower and max(len(entry) for entry in pool.values) <= SAMPLE:
        _descend(pool, gain, watch, factor, STEPS)
        _settle(pool, gain, watch)


class _Quiet:
    """Passes on better sets, but not the bounds of a sample, which prove nothing."""

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
            choice.append((group, int(pool.rows[group][row])))
    if value > pool.lower:
        pool.lower = value
        watch.better(value, choice)
