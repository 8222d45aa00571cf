"""Prices on track: a bound on all trains together, and fewer routes left to combine.

Every shared conflict bit gets a price. Whatever the prices, the sum of all prices plus what each train earns
at most after paying for its track is an upper bound, since routes of a legal set use each bit once at most.
Subgradient steps look for prices with a low bound; on the way, sets built greedily raise the lower
bound, and routes that cannot be in a better set are dropped. All numbers are integers (scores times `SCALE`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from services.routing.bits import ctz
from services.routing.compiled import compiled
from services.routing.engine import CombineWatch
from services.routing.plan import WORD, Ints, Words

SCALE = 1 << 10
STEPS = 120
PATIENCE = 6
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

    @staticmethod
    def of(values: list[Ints], masks: list[Words], counts: list[int]) -> Pool:
        size = masks[0].shape[1] * WORD
        rows = [np.arange(len(entry), dtype=np.int64) for entry in values]
        reduced = [entry * SCALE for entry in values]
        return Pool(values, masks, rows, counts, reduced, np.zeros(size, dtype=np.int64))

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
    """Look for good prices; leaves the best ones, their bound and the surviving routes in `pool`."""
    pool.lower = lower
    prices = pool.prices
    best_upper: int | None = None
    best_prices = prices.copy()
    stalled, factor = 0, 1.0
    for step in range(STEPS):
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
            least = needed - upper + top
            chosen = survivors(pool.reduced[group], least)
            if len(chosen) < len(pool.reduced[group]):
                pool.keep(group, chosen)
        slope = usage - 1
        slope[(prices == 0) & (slope < 0)] = 0
        square = int((slope * slope).sum())
        if square == 0:
            break
        size = factor * max(upper - pool.lower * SCALE, SCALE * gain) / square
        prices = np.maximum(0, prices + (slope * size).astype(np.int64))
    pool.prices = best_prices
    pool.upper = max(pool.lower, floor_to(best_upper or 0, gain))
    watch.bound(pool.upper)
    if pool.upper <= pool.lower:
        return
    _last_cut(pool, gain)


def _last_cut(pool: Pool, gain: int) -> None:
    """Drop routes by the best prices found."""
    table = byte_table(pool.prices)
    tops = []
    upper = int(pool.prices.sum())
    for group, count in enumerate(pool.counts):
        top = 0
        if len(pool.values[group]):
            row = reduce(pool.values[group], pool.masks[group], table, pool.reduced[group])
            top = max(0, int(pool.reduced[group][row]))
        tops.append(top)
        upper += count * top
    needed = (pool.lower + gain) * SCALE
    for group, top in enumerate(tops):
        pool.keep(group, survivors(pool.reduced[group], needed - upper + top))


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
