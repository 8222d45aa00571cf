"""Compiled search for the best set of routes, one a train, that share no conflict bit.

Long lists are divided first: no train uses a bit of track, or one train of a certain class does; each part gets
its own prices, which drop many of its routes. For two trains the routes of a class then form a binary tree, split
on the bit that divides them most evenly, each node with the AND of its masks and its best reduced score; pairs of
nodes are opened until they can be discarded or are pairs of routes. Otherwise trains are placed one after the
other, and each choice thins out the lists of the trains to come.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from services.routing.bits import ctz
from services.routing.compiled import compiled
from services.routing.engine import CombineWatch
from services.routing.pricing import BRIEF, SCALE, Pool, Quiet, price

ZERO = np.uint64(0)
ONE = np.uint64(1)
SLICE = 400_000
SAMPLES = (300, 2_000)
FEW = 25_000
FEW_OF_MANY = 700
"""Routes that two trains, or more, are combined from without dividing them further."""
SAMPLE_STEPS = 20_000_000
LEAF = 8


# Columns of tree nodes: routes `low..high-1`, first child (-1 in a leaf; the second follows), best, AND of masks.
LOW, HIGH, CHILD, TOP, COMMON = range(5)


@compiled
def grow_tree(masks, reduced, order, nodes, stack, control, budget):  # type: ignore[no-untyped-def]
    """Split the nodes on `stack` (routes `order[low:high]`) and all below them, until `budget` routes are looked at.

    `control`: size of the stack, number of nodes.
    """
    words = masks.shape[1]
    size, count = control[0], control[1]
    votes = np.empty(64 * words, dtype=np.int64)
    while size > 0 and budget > 0:
        size -= 1
        here = stack[size]
        budget -= nodes[here, HIGH] - nodes[here, LOW]
        begin, end = nodes[here, LOW], nodes[here, HIGH]
        votes[:] = 0
        for word in range(words):
            nodes[here, COMMON + word] = -1
        top = reduced[order[begin]]
        for place in range(begin, end):
            row = order[place]
            top = max(top, reduced[row])
            for word in range(words):
                mask = masks[row, word]
                nodes[here, COMMON + word] &= np.int64(mask)
                while mask != ZERO:
                    votes[64 * word + ctz(mask)] += 1
                    mask &= mask - ONE
        nodes[here, TOP] = top
        nodes[here, CHILD] = -1
        if end - begin <= LEAF:
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
        nodes[here, CHILD] = count
        nodes[count, LOW], nodes[count, HIGH] = begin, middle
        nodes[count + 1, LOW], nodes[count + 1, HIGH] = middle, end
        stack[size] = count
        stack[size + 1] = count + 1
        size += 2
        count += 2
    control[0], control[1] = size, count


@compiled
def fits_tuple(nodes, groups, stack, size, train, node):  # type: ignore[no-untyped-def]
    """Whether `node` may stand for `train` in the tuple `stack[size]`: no clash, identical trains in order."""
    for word in range(COMMON, nodes.shape[1]):
        mask = nodes[node, word]
        for other in range(groups.shape[0]):
            if other != train and mask & nodes[stack[size, other], word] != 0:
                return False
    for other in (train - 1, train + 1):
        if 0 <= other < groups.shape[0] and groups[train] == groups[other]:
            first, second = (stack[size, other], node) if other < train else (node, stack[size, other])
            if nodes[first, LOW] >= nodes[second, HIGH]:
                return False
    return True


@compiled
def scan_leaves(  # type: ignore[no-untyped-def]
    nodes, values, masks, reduced, groups, row, needed, prices, pick, sums, best
):
    """Try all routes of a tuple of leaves; returns the best score whose reduced sum reaches `needed`, or -1.

    `best` gets its routes. `pick` and `sums` are room for the route and the sum by train.
    """
    trains = groups.shape[0]
    words = masks.shape[1]
    top = -1
    train = 0
    pick[0] = nodes[row[0], LOW]
    sums[0] = prices
    while train >= 0:
        here = pick[train]
        if here >= nodes[row[train], HIGH]:
            train -= 1
            if train >= 0:
                pick[train] += 1
            continue
        total = sums[train] + reduced[here]
        rest = 0
        for later in range(train + 1, trains):
            rest += nodes[row[later], TOP]
        fits = total + rest >= needed
        if fits:
            for other in range(train):
                if groups[other] == groups[train] and pick[other] > here:
                    fits = False
                for word in range(words):
                    if masks[pick[other], word] & masks[here, word] != ZERO:
                        fits = False
        if not fits:
            pick[train] += 1
        elif train + 1 < trains:
            train += 1
            sums[train] = total
            pick[train] = nodes[row[train], LOW]
        else:
            score = 0
            for number in range(trains):
                score += values[pick[number]]
            if score > top:
                top = score
                for number in range(trains):
                    best[number] = pick[number]
            pick[train] += 1
    return top


@compiled
def search_tree(  # type: ignore[no-untyped-def]
    nodes, values, masks, reduced, groups, control, stack, found, pick, sums, budget
):
    """Open tuples for up to `budget` steps; 1 when all is done, 2 after an improvement, else 0.

    `control`: size of the stack, price sum, score to beat (scaled), steps, score found. `stack` rows are a node
    by train and the sum of their best reduced scores and all prices. `found` gets the routes of an improvement.
    """
    trains = groups.shape[0]
    size = control[0]
    needed = control[2]
    while size > 0:
        if budget <= 0:
            control[0] = size
            return 0
        budget -= 1
        control[3] += 1
        size -= 1
        total = stack[size, trains]
        if total < needed:
            continue
        widest, width = -1, LEAF
        for train in range(trains):
            node = stack[size, train]
            span = nodes[node, HIGH] - nodes[node, LOW]
            if span > width:
                widest, width = train, span
        if widest < 0:
            score = scan_leaves(
                nodes, values, masks, reduced, groups, stack[size], needed, control[1], pick, sums, found
            )
            if score >= 0:
                control[4] = score
                control[0] = size
                return 2
            continue
        opened = stack[size, widest]
        first = nodes[opened, CHILD]
        good = first if nodes[first, TOP] >= nodes[first + 1, TOP] else first + 1
        bad = 2 * first + 1 - good
        total -= nodes[opened, TOP]
        good_fits = fits_tuple(nodes, groups, stack, size, widest, good)
        bad_total = total + nodes[bad, TOP]
        if bad_total >= needed and fits_tuple(nodes, groups, stack, size, widest, bad):
            if good_fits:
                for train in range(trains):
                    stack[size + 1, train] = stack[size, train]
            stack[size, widest] = bad
            stack[size, trains] = bad_total
            size += 1
        if good_fits:
            stack[size, widest] = good
            stack[size, trains] = total + nodes[good, TOP]
            size += 1
    control[0] = 0
    return 1


@compiled
def search_lists(  # type: ignore[no-untyped-def]
    values, masks, reduced, classes, later, control, lists, sizes, pointers, sums, found, budget
):
    """The same with lists: choosing a route leaves each later class the routes that still fit.

    `classes`: class by train; `later[t, c]`: trains of class c from t on. `lists[t, c, :sizes[t, c]]`: routes of
    class c, by falling reduced score, that avoid the routes of the trains before t and can be in a better set.
    `control[0]` is the train being placed.
    """
    trains = classes.shape[0]
    count = later.shape[1]
    words = masks.shape[1]
    train = control[0]
    prices, needed = control[1], control[2]
    control[3] = budget
    status = 1
    while train >= 0:
        if budget <= 0:
            status = 0
            break
        group = classes[train]
        place = pointers[train]
        rest = prices + sums[train]
        for other in range(count):
            if later[train + 1, other] > 0:
                if sizes[train, other] == 0:
                    rest = -(1 << 60)
                else:
                    rest += later[train + 1, other] * reduced[lists[train, other, 0]]
        if place >= sizes[train, group] or rest + reduced[lists[train, group, place]] < needed:
            train -= 1
            budget -= 1
            continue
        row = lists[train, group, place]
        pointers[train] = place + 1
        found[train] = row
        if train == trains - 1:
            score = 0
            for number in range(trains):
                score += values[found[number]]
            control[4] = score
            status = 2
            break
        sums[train + 1] = sums[train] + reduced[row]
        bound = rest + reduced[row]
        alive = True
        for other in range(count):
            if later[train + 1, other] == 0:
                continue
            first = place if other == group else 0
            top = reduced[lists[train, other, 0]]
            least = needed - bound + top
            size = 0
            position = first
            while position < sizes[train, other]:
                candidate = lists[train, other, position]
                if reduced[candidate] < least:
                    break
                free = True
                for word in range(words):
                    if masks[candidate, word] & masks[row, word] != ZERO:
                        free = False
                if free:
                    lists[train + 1, other, size] = candidate
                    size += 1
                position += 1
            budget -= position - first + 1
            sizes[train + 1, other] = size
            if size == 0:
                alive = False
                break
            bound += later[train + 1, other] * (reduced[lists[train + 1, other, 0]] - top)
            if bound < needed:
                alive = False
                break
        if alive:
            train += 1
            pointers[train] = 0
    control[0] = train
    control[3] -= budget
    return status


def join(pool: Pool, gain: int, watch: CombineWatch, *, proof: bool) -> None:
    """Find every improvement over `pool.lower` among the routes of `pool`, or prove that there is none.

    Samples of the most promising routes come first: what they improve shortens the lists for the proof.
    Without `proof` that is all.
    """
    for size in SAMPLES if sum(pool.counts) < 3 else SAMPLES[:1]:
        if pool.upper <= pool.lower:
            return
        if max(len(entry) for entry in pool.values) > size:
            sample = pool.sample(size, watch)
            _Join(sample, gain, watch).search(SAMPLE_STEPS)
            if sample.lower > pool.lower:
                pool.lower = sample.lower
                pool.cut(gain)
    if not proof:
        return
    if pool.upper > pool.lower:
        _divide(pool, gain, watch)
    watch.bound(pool.lower)


def _divide(pool: Pool, gain: int, watch: CombineWatch) -> None:
    """Search all of a pool: as it is if it is small, else part by part, priced anew."""
    few = FEW if sum(pool.counts) < 3 else FEW_OF_MANY
    quiet = Quiet(watch)
    parts = [pool]
    while parts:
        watch.bound(max(pool.lower, *(part.upper for part in parts)))
        part = parts.pop()
        if part is not pool:
            price(part, pool.lower, gain, quiet, BRIEF)
        if part.upper > part.lower:
            bit = part.dividing_bit() if sum(len(entry) for entry in part.values) > few else -1
            if bit >= 0:
                parts += part.split(bit)
            else:
                _Join(part, gain, quiet).search(None)
        pool.lower = max(pool.lower, part.lower)


class _Join:
    """Arrays of all classes one after the other; the first entry of a class is the idle train."""

    def __init__(self, pool: Pool, gain: int, watch: CombineWatch) -> None:
        self.pool = pool
        self.gain = gain
        self.watch = watch
        self.groups = [group for group, count in enumerate(pool.counts) for _ in range(count)]
        self.words = pool.masks[0].shape[1]
        self.begin: list[int] = []
        values: list[Any] = []
        masks: list[Any] = []
        reduced: list[Any] = []
        rows: list[Any] = []
        total = 0
        self.uses_tree = len(self.groups) < 3
        for group in range(len(pool.counts)):
            watch.tick(0)
            idle = np.zeros((1, self.words), dtype=np.uint64)
            columns = [
                np.append(pool.values[group], 0),
                np.concatenate([pool.masks[group], idle]),
                np.append(pool.reduced[group], 0),
                np.append(pool.rows[group], -1),
            ]
            if not self.uses_tree:
                order = np.argsort(-columns[2], kind="stable")
                columns = [column[order] for column in columns]
            for target, column in zip((values, masks, reduced, rows), columns, strict=True):
                target.append(column)
            self.begin.append(total)
            total += len(columns[0])
        watch.tick(0)
        self.begin.append(total)
        self.values, self.masks = np.concatenate(values), np.ascontiguousarray(np.concatenate(masks))
        self.reduced, self.rows = np.concatenate(reduced), np.concatenate(rows)
        self.control = np.zeros(8, dtype=np.int64)
        self.control[1] = int(pool.prices.sum())
        self._aim()

    def search(self, most: int | None) -> None:
        """Search to the end, or for about `most` steps."""
        if self.uses_tree:
            self.by_tree(most)
        else:
            self.by_lists(most)

    def _aim(self) -> None:
        self.control[2] = (self.pool.lower + self.gain) * SCALE

    def _improve(self, places: list[int]) -> None:
        value = int(self.control[4])
        if value <= self.pool.lower:
            return
        choice = [
            (self.pool.classes[group], int(self.rows[place]))
            for group, place in zip(self.groups, places, strict=True)
            if self.rows[place] >= 0
        ]
        self.pool.lower = value
        self.watch.better(value, choice)
        self._aim()

    def by_tree(self, most: int | None) -> None:
        nodes = np.empty((2 * len(self.values), COMMON + self.words), dtype=np.int64)
        order = np.arange(len(self.values), dtype=np.int64)
        roots = []
        control = np.zeros(2, dtype=np.int64)
        pending = np.zeros(4096, dtype=np.int64)
        for group in range(len(self.pool.counts)):
            root = int(control[1])
            nodes[root, LOW], nodes[root, HIGH] = self.begin[group], self.begin[group + 1]
            roots.append(root)
            pending[0], control[0], control[1] = root, 1, root + 1
            while control[0]:
                grow_tree(self.masks, self.reduced, order, nodes, pending, control, SLICE)
                self.watch.tick(min(SLICE, len(self.values)))
        values, reduced = self.values[order], self.reduced[order]
        masks = np.ascontiguousarray(self.masks[order])
        pick, sums = np.zeros(len(self.groups), dtype=np.int64), np.zeros(len(self.groups), dtype=np.int64)
        self.rows = self.rows[order]
        groups = np.array(self.groups, dtype=np.int64)
        trains = len(groups)
        stack = np.zeros((4096, trains + 1), dtype=np.int64)
        stack[0, :trains] = [roots[group] for group in self.groups]
        stack[0, trains] = self.control[1] + sum(int(nodes[roots[group], TOP]) for group in self.groups)
        found = np.zeros(trains, dtype=np.int64)
        self.control[0] = 1
        status = 0
        while status != 1:
            before = int(self.control[3])
            status = search_tree(nodes, values, masks, reduced, groups, self.control, stack, found, pick, sums, SLICE)
            if status == 2:
                self._improve([int(place) for place in found])
            self.watch.tick(int(self.control[3]) - before)
            if most is not None and self.control[3] > most:
                return

    def by_lists(self, most: int | None) -> None:
        count = len(self.pool.counts)
        length = [self.begin[group + 1] - self.begin[group] for group in range(count)]
        self.groups.sort(key=lambda group: (length[group], group))
        trains = len(self.groups)
        later = np.zeros((trains + 1, count), dtype=np.int64)
        for train in range(trains):
            for group in self.groups[train:]:
                later[train, group] += 1
        lists = np.zeros((trains, count, max(length)), dtype=np.int32)
        sizes = np.zeros((trains, count), dtype=np.int64)
        for group in range(count):
            sizes[0, group] = length[group]
            lists[0, group, : length[group]] = np.arange(self.begin[group], self.begin[group + 1])
        pointers = np.zeros(trains, dtype=np.int64)
        sums = np.zeros(trains, dtype=np.int64)
        found = np.zeros(trains, dtype=np.int64)
        classes = np.array(self.groups, dtype=np.int64)
        status, steps = 0, 0
        while status != 1 and (most is None or steps < most):
            status = search_lists(
                self.values,
                self.masks,
                self.reduced,
                classes,
                later,
                self.control,
                lists,
                sizes,
                pointers,
                sums,
                found,
                SLICE,
            )
            if status == 2:
                self._improve([int(place) for place in found])
            steps += int(self.control[3])
            self.watch.tick(int(self.control[3]))
