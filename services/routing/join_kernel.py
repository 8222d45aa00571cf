"""Compiled search for the best set of routes, one a train, that share no conflict bit.

For up to three trains the routes of a class form a binary tree, split on the bit that divides them most
evenly, each node with the AND of its masks and its best reduced score; tuples of nodes are opened until
they can be discarded or are tuples of routes. For more trains sorted lists are scanned depth first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from services.routing.bits import ctz
from services.routing.compiled import compiled
from services.routing.engine import CombineWatch
from services.routing.plan import Ints, Words
from services.routing.pricing import SCALE, Pool

ZERO = np.uint64(0)
ONE = np.uint64(1)
SLICE = 400_000
TREE_TRAINS = 3


class Forest(NamedTuple):
    """Trees of all classes. Node: routes `low..high-1`, first child (-1 in a leaf; the second follows it), best."""

    low: Ints
    high: Ints
    child: Ints
    best: Ints
    common: Words
    roots: Ints
    values: Ints
    masks: Words
    reduced: Ints


@compiled
def grow_tree(masks, reduced, order, low, high, child, best, common, node, count):  # type: ignore[no-untyped-def]
    """Split node `node` (routes `order[low:high]`) and everything below it; returns the number of nodes."""
    words = masks.shape[1]
    stack = np.empty(4096, dtype=np.int64)
    stack[0] = node
    size = 1
    votes = np.empty(64 * words, dtype=np.int64)
    while size > 0:
        size -= 1
        here = stack[size]
        begin, end = low[here], high[here]
        votes[:] = 0
        for word in range(words):
            common[here, word] = ~ZERO
        top = reduced[order[begin]]
        for place in range(begin, end):
            row = order[place]
            top = max(top, reduced[row])
            for word in range(words):
                mask = masks[row, word]
                common[here, word] &= mask
                while mask != ZERO:
                    votes[64 * word + ctz(mask)] += 1
                    mask &= mask - ONE
        best[here] = top
        child[here] = -1
        if end - begin == 1:
            continue
        half = (end - begin) / 2
        bit, distance = -1, half
        for candidate in range(64 * words):
            if 0 < votes[candidate] < end - begin and abs(votes[candidate] - half) < distance:
                bit, distance = candidate, abs(votes[candidate] - half)
        middle = begin
        if bit < 0:
            middle = (begin + end) // 2
        else:
            flag = ONE << np.uint64(bit % 64)
            for place in range(begin, end):
                row = order[place]
                if masks[row, bit // 64] & flag != ZERO:
                    order[place] = order[middle]
                    order[middle] = row
                    middle += 1
        child[here] = count
        low[count], high[count] = begin, middle
        low[count + 1], high[count + 1] = middle, end
        stack[size] = count
        stack[size + 1] = count + 1
        size += 2
        count += 2
    return count


@compiled
def search_tree(forest, groups, control, stack, found, budget):  # type: ignore[no-untyped-def]
    """Open tuples for up to `budget` steps; 1 when all is done, 2 after an improvement, else 0.

    `control`: size of the stack, price sum, score to beat (scaled), steps, score found. `stack` rows are tuples
    of nodes. `found` gets the routes of an improvement.
    """
    trains = groups.shape[0]
    words = forest.masks.shape[1]
    low, high, child, best, common = forest.low, forest.high, forest.child, forest.best, forest.common
    values = forest.values
    size = control[0]
    prices, needed = control[1], control[2]
    while size > 0:
        if budget <= 0:
            control[0] = size
            return 0
        budget -= 1
        control[3] += 1
        size -= 1
        total = prices
        widest, width = -1, 1
        for train in range(trains):
            node = stack[size, train]
            total += best[node]
            if high[node] - low[node] > width:
                widest, width = train, high[node] - low[node]
        if total < needed:
            continue
        clash = False
        for word in range(words):
            used = ZERO
            for train in range(trains):
                mask = common[stack[size, train], word]
                if used & mask != ZERO:
                    clash = True
                used |= mask
        if clash:
            continue
        for train in range(1, trains):
            if groups[train] == groups[train - 1] and low[stack[size, train - 1]] >= high[stack[size, train]]:
                clash = True
        if clash:
            continue
        if widest < 0:
            score = 0
            for train in range(trains):
                found[train] = low[stack[size, train]]
                score += values[found[train]]
            control[4] = score
            control[0] = size
            return 2
        opened = stack[size, widest]
        first = child[opened]
        good = first if best[first] >= best[first + 1] else first + 1
        bad = 2 * first + 1 - good
        for train in range(trains):
            stack[size + 1, train] = stack[size, train]
        stack[size, widest] = bad
        stack[size + 1, widest] = good
        size += 2
    control[0] = 0
    return 1


@compiled
def search_scan(forest, starts, ends, same, control, pointers, marks, sums, found, budget):  # type: ignore[no-untyped-def]
    """The same by scanning lists sorted by falling reduced score. `control[0]` is the train being placed."""
    trains = starts.shape[0]
    words = forest.masks.shape[1]
    reduced, masks, values = forest.reduced, forest.masks, forest.values
    train = control[0]
    prices, needed = control[1], control[2]
    control[3] = budget
    while train >= 0:
        rest = prices
        for later in range(train + 1, trains):
            rest += reduced[starts[later]]
        placed = False
        row = pointers[train]
        while row < ends[train]:
            budget -= 1
            if sums[train] + reduced[row] + rest < needed:
                row = ends[train]
                break
            free = True
            for word in range(words):
                if masks[row, word] & marks[train, word] != ZERO:
                    free = False
            row += 1
            if free:
                placed = True
                break
            if budget <= 0:
                break
        pointers[train] = row
        if placed:
            found[train] = row - 1
            if train == trains - 1:
                score = 0
                for number in range(trains):
                    score += values[found[number]]
                control[4] = score
                control[0] = train
                control[3] -= budget
                return 2
            for word in range(words):
                marks[train + 1, word] = marks[train, word] | masks[row - 1, word]
            sums[train + 1] = sums[train] + reduced[row - 1]
            pointers[train + 1] = row - 1 if same[train + 1] else starts[train + 1]
            train += 1
        elif row >= ends[train]:
            train -= 1
        if budget <= 0:
            control[0] = train
            control[3] -= budget
            return 1 if train < 0 else 0
    control[0] = train
    control[3] -= budget
    return 1


def join(pool: Pool, gain: int, watch: CombineWatch) -> None:
    """Find every improvement over `pool.lower` among the routes of `pool`, or prove that there is none."""
    if pool.upper <= pool.lower:
        return
    groups = [group for group, count in enumerate(pool.counts) for _ in range(count)]
    joined = _Join(pool, gain, watch, groups)
    if len(groups) <= TREE_TRAINS:
        joined.by_tree()
    else:
        joined.by_scan()
    watch.bound(pool.lower)


class _Join:
    """Arrays of all classes one after the other; the first entry of a class is the idle train."""

    def __init__(self, pool: Pool, gain: int, watch: CombineWatch, groups: list[int]) -> None:
        self.pool = pool
        self.gain = gain
        self.watch = watch
        self.groups = groups
        self.words = pool.masks[0].shape[1]
        self.begin: list[int] = []
        values, masks, reduced, rows = [], [], [], []
        total = 0
        for group in range(len(pool.counts)):
            order = np.argsort(-np.append(pool.reduced[group], 0), kind="stable")
            values.append(np.append(pool.values[group], 0)[order])
            idle = np.zeros((1, self.words), dtype=np.uint64)
            masks.append(np.concatenate([pool.masks[group], idle])[order])
            reduced.append(np.append(pool.reduced[group], 0)[order])
            rows.append(np.append(pool.rows[group], -1)[order])
            self.begin.append(total)
            total += len(order)
        self.begin.append(total)
        self.values, self.masks = np.concatenate(values), np.ascontiguousarray(np.concatenate(masks))
        self.reduced, self.rows = np.concatenate(reduced), np.concatenate(rows)
        self.control = np.zeros(8, dtype=np.int64)
        self.control[1] = int(pool.prices.sum())
        self._aim()

    def _aim(self) -> None:
        self.control[2] = (self.pool.lower + self.gain) * SCALE

    def _improve(self, places: list[int]) -> None:
        value = int(self.control[4])
        if value <= self.pool.lower:
            return
        choice = [
            (group, int(self.rows[place]))
            for group, place in zip(self.groups, places, strict=True)
            if self.rows[place] >= 0
        ]
        self.pool.lower = value
        self.watch.better(value, choice)
        self._aim()

    def by_tree(self) -> None:
        nodes = 2 * len(self.values)
        forest = Forest(
            low=np.empty(nodes, dtype=np.int64),
            high=np.empty(nodes, dtype=np.int64),
            child=np.empty(nodes, dtype=np.int64),
            best=np.empty(nodes, dtype=np.int64),
            common=np.empty((nodes, self.words), dtype=np.uint64),
            roots=np.zeros(len(self.pool.counts), dtype=np.int64),
            values=self.values,
            masks=self.masks,
            reduced=self.reduced,
        )
        order = np.arange(len(self.values), dtype=np.int64)
        count = 0
        for group in range(len(self.pool.counts)):
            forest.low[count], forest.high[count] = self.begin[group], self.begin[group + 1]
            forest.roots[group] = count
            count = grow_tree(
                self.masks,
                self.reduced,
                order,
                forest.low,
                forest.high,
                forest.child,
                forest.best,
                forest.common,
                count,
                count + 1,
            )
            self.watch.tick(len(self.values))
        forest = forest._replace(
            values=self.values[order],
            masks=np.ascontiguousarray(self.masks[order]),
            reduced=self.reduced[order],
        )
        self.rows = self.rows[order]
        groups = np.array(self.groups, dtype=np.int64)
        stack = np.zeros((4096, len(groups)), dtype=np.int64)
        stack[0] = forest.roots[groups]
        found = np.zeros(len(groups), dtype=np.int64)
        self.control[0] = 1
        status = 0
        while status != 1:
            before = int(self.control[3])
            status = search_tree(forest, groups, self.control, stack, found, SLICE)
            if status == 2:
                self._improve([int(place) for place in found])
            self.watch.tick(int(self.control[3]) - before)

    def by_scan(self) -> None:
        trains = len(self.groups)
        by_length = sorted(range(trains), key=lambda t: self.begin[self.groups[t] + 1] - self.begin[self.groups[t]])
        self.groups = [self.groups[train] for train in by_length]
        none = np.empty(0, dtype=np.int64)
        forest = Forest(none, none, none, none, self.masks[:0], none, self.values, self.masks, self.reduced)
        starts = np.array([self.begin[group] for group in self.groups], dtype=np.int64)
        ends = np.array([self.begin[group + 1] for group in self.groups], dtype=np.int64)
        same = np.array([t > 0 and self.groups[t] == self.groups[t - 1] for t in range(trains)], dtype=np.bool_)
        pointers = starts.copy()
        marks = np.zeros((trains, self.words), dtype=np.uint64)
        sums = np.zeros(trains, dtype=np.int64)
        found = np.zeros(trains, dtype=np.int64)
        status = 0
        while status != 1:
            status = search_scan(forest, starts, ends, same, self.control, pointers, marks, sums, found, SLICE)
            if status == 2:
                self._improve([int(place) for place in found])
            self.watch.tick(int(self.control[3]))
