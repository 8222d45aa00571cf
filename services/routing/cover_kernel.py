"""The compiled search of `services.routing.cover`.

Items are priced first, as in the search for routes that exclude each other: what a seat earns with an item is its
amount less the price, and whoever gets it, the price is earned once. A bound for any choice is then the sum of the
prices and of the best row of every seat by itself; prices that make it small are found by subgradient
steps. The search goes depth first over the seats and keeps the bound up to date: an item that is
paid already adds nothing to the rows still to be chosen.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from services.routing.bits import ctz, popcount
from services.routing.compiled import compiled
from services.routing.cover import Choice, Cover, Seat, Tick
from services.routing.plan import WORD, Ints, Words, words

ZERO = np.uint64(0)
ONE = np.uint64(1)
SLICE = 4_000
MAX_SLOTS = 10
STEPS = 120
PATIENCE = 8
WIDTH = 300
POLISH = 100_000
FEW = 300
NEVER = -(1 << 60)

# Positions in `control`.
LEVEL, NEEDED, SCORE, BUDGET = range(4)


def fits(amounts: list[int], seats: list[Seat]) -> bool:
    """Whether the words and tables of the kernel hold the problem."""
    return len(amounts) < WORD and sum(len(seat.caps) for seat in seats) <= MAX_SLOTS


@compiled
def worth(row, first_slot, slots, caps, always, able, extra, used, net):  # type: ignore[no-untyped-def]
    """Most that a row adds at net amounts `net` (falling within every slot's places is not required)."""
    total = extra[row]
    for word in range(always.shape[1]):
        mask = always[row, word] & ~used[word]
        while mask != ZERO:
            total += net[WORD * word + ctz(mask)]
            mask &= mask - ONE
    for slot in range(slots):
        mask = able[row, slot] & ~used[0] & ~always[row, 0]
        total += dearest(mask, caps[first_slot + slot], net)
    return total


@compiled
def dearest(mask, most, net):  # type: ignore[no-untyped-def]
    """Sum of the `most` greatest net amounts of a set of places."""
    count = popcount(mask)
    total = np.int64(0)
    left = mask
    while left != ZERO:
        total += net[ctz(left)]
        left &= left - ONE
    while count > most:
        least, place = np.int64(-1), 0
        left = mask
        while left != ZERO:
            item = ctz(left)
            if least < 0 or net[item] < least:
                least, place = net[item], item
            left &= left - ONE
        total -= least
        mask &= ~(ONE << np.uint64(place))
        count -= 1
    return total


@compiled
def price(  # type: ignore[no-untyped-def]
    steps,
    target,
    step,
    amounts,
    prices,
    net,
    kinds,
    counts,
    first,
    last,
    idle,
    first_slot,
    slots,
    caps,
    always,
    able,
    extra,
    used,
    cover_count,
):
    """Subgradient steps on `prices` (kept at the best found); returns the bound they give.

    `kinds`: one seat of every kind, `counts`: how many there are.
    """
    items = amounts.shape[0]
    current = prices.copy()
    bound = np.int64(1) << 62
    vain = 0
    for _ in range(steps):
        total = np.int64(0)
        for item in range(items):
            net[item] = amounts[item] - current[item]
            total += current[item]
            cover_count[item] = 1
        for number in range(kinds.shape[0]):
            seat = kinds[number]
            most, chosen = np.int64(0), -1
            for row in range(first[seat], last[seat]):
                value = worth(row, first_slot[seat], slots[seat], caps, always, able, extra, used, net)
                if (chosen < 0 and not idle[seat]) or value > most:
                    most, chosen = value, row
            total += most * counts[number]
            if chosen >= 0:
                take(chosen, counts[number], first_slot[seat], slots[seat], caps, always, able, net, cover_count)
        if total < bound:
            bound = total
            prices[:] = current
            vain = 0
        else:
            vain += 1
            if vain >= PATIENCE:
                vain = 0
                step /= 2
                current[:] = prices
                if step < 0.01:
                    break
                continue
        if bound < target:
            break
        size = 0.0
        for item in range(items):
            size += cover_count[item] * cover_count[item]
        if size == 0:
            break
        length = step * (total - target) / size
        for item in range(items):
            moved = current[item] - np.int64(length * cover_count[item])
            current[item] = min(max(moved, 0), amounts[item])
    for item in range(items):
        net[item] = amounts[item] - prices[item]
    return bound


@compiled
def take(row, times, first_slot, slots, caps, always, able, net, cover_count):  # type: ignore[no-untyped-def]
    """Count the items for which a row is paid at net amounts `net`."""
    for word in range(always.shape[1]):
        mask = always[row, word]
        while mask != ZERO:
            cover_count[WORD * word + ctz(mask)] -= times
            mask &= mask - ONE
    for slot in range(slots):
        mask = able[row, slot] & ~always[row, 0]
        for _ in range(caps[first_slot + slot]):
            most, place = np.int64(0), -1
            left = mask
            while left != ZERO:
                item = ctz(left)
                if net[item] > most:
                    most, place = net[item], item
                left &= left - ONE
            if place < 0:
                break
            cover_count[place] -= times
            mask &= ~(ONE << np.uint64(place))


@compiled
def score_of(count, choice, always, able, caps, first_slot, slots, extra, amounts, used, room, held):  # type: ignore[no-untyped-def]
    """Score of the rows `choice[:count]` (-1: idle): items count once, limited places as slots allow.

    Places that can be counted together are those for which, for every set of slots, no more of them depend on
    the set than it has room for; the dearest are taken first.
    """
    total = np.int64(0)
    limited = ZERO
    size = 0
    used[:] = ZERO
    for seat in range(count):
        row = choice[seat]
        if row < 0:
            continue
        total += extra[row]
        for word in range(always.shape[1]):
            used[word] |= always[row, word]
        for slot in range(slots[seat]):
            limited |= able[row, slot]
            size += 1
    for word in range(always.shape[1]):
        mask = used[word]
        while mask != ZERO:
            total += amounts[WORD * word + ctz(mask)]
            mask &= mask - ONE
    limited &= ~used[0]
    if limited == ZERO:
        return total
    sets = 1 << size
    room[:sets] = 0
    held[:sets] = 0
    number = 0
    for seat in range(count):
        if choice[seat] >= 0:
            for slot in range(slots[seat]):
                for subset in range(sets):
                    if subset >> number & 1:
                        room[subset] += caps[first_slot[seat] + slot]
                number += 1
    while limited != ZERO:
        place = ctz(limited)
        limited &= limited - ONE
        within = 0
        number = 0
        for seat in range(count):
            if choice[seat] >= 0:
                for slot in range(slots[seat]):
                    if able[choice[seat], slot] >> np.uint64(place) & ONE != ZERO:
                        within |= 1 << number
                    number += 1
        fit = True
        for subset in range(sets):
            if subset & within == within and held[subset] >= room[subset]:
                fit = False
                break
        if fit:
            for subset in range(sets):
                if subset & within == within:
                    held[subset] += 1
            total += amounts[place]
    return total


@compiled
def is_allowed(count, choice, visited, home, connect):  # type: ignore[no-untyped-def]
    """Whether rows visit home (if `home` has a bit) and hang together (if `connect`)."""
    together, union = ZERO, ZERO
    left = 0
    done = np.zeros(count, dtype=np.bool_)
    for seat in range(count):
        if choice[seat] >= 0:
            union |= visited[choice[seat]]
            if left == 0:
                together = visited[choice[seat]]
                done[seat] = True
            left += 1
    if left == 0:
        return True
    if home[0] and union & home[1] == ZERO:
        return False
    if not connect:
        return True
    left -= 1
    grown = True
    while grown and left > 0:
        grown = False
        for seat in range(count):
            if choice[seat] >= 0 and not done[seat] and visited[choice[seat]] & together != ZERO:
                together |= visited[choice[seat]]
                done[seat] = True
                left -= 1
                grown = True
    return left == 0


@compiled
def tail(level, seats, same, first, last, idle, first_slot, slots, caps, always, able, extra, alone, used, net):  # type: ignore[no-untyped-def]
    """Most that the seats from `level` on can add, each by itself."""
    total = np.int64(0)
    most = np.int64(0)
    for seat in range(level, seats):
        if seat == level or not same[seat]:
            most = np.int64(0) if idle[seat] else -(np.int64(1) << 60)
            for row in range(first[seat], last[seat]):
                if alone[row] <= most:
                    break
                value = worth(row, first_slot[seat], slots[seat], caps, always, able, extra, used, net)
                most = max(most, value)
        total += most
    return total


@compiled
def search(  # type: ignore[no-untyped-def]
    control,
    pointers,
    choice,
    common,
    sums,
    useds,
    blocked,
    base,
    seats,
    same,
    first,
    last,
    idle,
    first_slot,
    slots,
    caps,
    always,
    able,
    extra,
    alone,
    visited,
    ends,
    amounts,
    net,
    home,
    connect,
    room,
    held,
    scratch,
):
    """Go on until a choice worth `control[NEEDED]` is found (true), or all are seen or the budget is spent (false).

    `control[LEVEL]` is -1 when all have been looked at. `common[level]`: bound without the seat itself.
    """
    level = control[LEVEL]
    while level >= 0:
        if control[BUDGET] <= 0:
            control[LEVEL] = level
            return False
        control[BUDGET] -= 1
        used = useds[level]
        row = pointers[level]
        if row > last[level]:
            level -= 1
            continue
        stop = row == last[level]
        value = np.int64(0)
        if not stop and common[level] + alone[row] < control[NEEDED]:
            row, stop = last[level], True
        if stop:
            pointers[level] = last[level] + 1
            if not idle[level] or common[level] < control[NEEDED]:
                level -= 1
                continue
        else:
            pointers[level] = row + 1
            if ends[row] & blocked[level] != ZERO:
                continue
            value = worth(row, first_slot[level], slots[level], caps, always, able, extra, used, net)
            if common[level] + value < control[NEEDED]:
                continue
        choice[level] = -1 if stop else row
        if level == seats - 1:
            score = score_of(seats, choice, always, able, caps, first_slot, slots, extra, amounts, scratch, room, held)
            if score >= control[NEEDED] and is_allowed(seats, choice, visited, home, connect):
                control[SCORE] = score
                control[LEVEL] = level
                return True
            continue
        fixed = sums[level]
        inner = useds[level + 1]
        inner[:] = used
        blocked[level + 1] = blocked[level]
        if not stop:
            fixed += extra[row]
            blocked[level + 1] |= ends[row]
            for word in range(always.shape[1]):
                mask = always[row, word] & ~used[word]
                inner[word] |= mask
                while mask != ZERO:
                    fixed += net[WORD * word + ctz(mask)]
                    mask &= mask - ONE
        sums[level + 1] = fixed
        bound = base + fixed
        for seat in range(level + 1):
            if choice[seat] >= 0:
                for slot in range(slots[seat]):
                    bound += dearest(able[choice[seat], slot] & ~inner[0], caps[first_slot[seat] + slot], net)
        level += 1
        bound += tail(
            level + 1, seats, same, first, last, idle, first_slot, slots, caps, always, able, extra, alone, inner, net
        )
        common[level] = bound
        pointers[level] = first[level]
        if same[level]:
            pointers[level] = last[level] if stop else row
    control[LEVEL] = -1
    return False


@compiled
def climb(  # type: ignore[no-untyped-def]
    choice,
    seats,
    first,
    last,
    idle,
    first_slot,
    slots,
    caps,
    always,
    able,
    extra,
    visited,
    ends,
    amounts,
    home,
    connect,
    room,
    held,
    scratch,
    width,
):
    """Change one seat's row at a time while the score rises; returns it, or -1 if nothing allowed was found."""
    best = np.int64(-1)
    if is_allowed(seats, choice, visited, home, connect):
        best = score_of(seats, choice, always, able, caps, first_slot, slots, extra, amounts, scratch, room, held)
    grown = True
    while grown:
        grown = False
        for seat in range(seats):
            kept = choice[seat]
            others = ZERO
            for other in range(seats):
                if other != seat and choice[other] >= 0:
                    others |= ends[choice[other]]
            for row in range(first[seat] - 1, min(last[seat], first[seat] + width)):
                if row < first[seat]:
                    if not idle[seat]:
                        continue
                    choice[seat] = -1
                else:
                    if ends[row] & others != ZERO:
                        continue
                    choice[seat] = row
                score = score_of(
                    seats, choice, always, able, caps, first_slot, slots, extra, amounts, scratch, room, held
                )
                if score > best and is_allowed(seats, choice, visited, home, connect):
                    best, kept, grown = score, choice[seat], True
            choice[seat] = kept
    return best


@compiled
def worths(rows, slots, caps, always, able, extra, used, net, out):  # type: ignore[no-untyped-def]
    """What each of the rows of one kind of seat earns by itself at net amounts `net`."""
    for row in range(rows):
        out[row] = worth(row, 0, slots, caps, always, able, extra, used, net)


class _Table:
    """The rows of one kind of seat as arrays."""

    def __init__(self, seat: Seat, width: int, hex_words: int) -> None:
        size = len(seat.rows)
        self.caps: Ints = np.array(seat.caps or [0], dtype=np.int64)
        self.slots = len(seat.caps)
        self.always: Words = np.zeros((size, 1 + hex_words), dtype=np.uint64)
        self.able: Words = np.zeros((size, width), dtype=np.uint64)
        self.extra: Ints = np.array([row.extra for row in seat.rows], dtype=np.int64)
        self.visited: Words = np.array([row.visited for row in seat.rows], dtype=np.uint64)
        self.ends: Words = np.array([row.ends for row in seat.rows], dtype=np.uint64)
        for number, row in enumerate(seat.rows):
            self.always[number] = words(row.always, 1 + hex_words)
            self.able[number, : len(row.able)] = row.able

    def worths(self, net: Ints) -> Ints:
        out: Ints = np.zeros(len(self.extra), dtype=np.int64)
        used: Words = np.zeros(self.always.shape[1], dtype=np.uint64)
        worths(len(out), self.slots, self.caps, self.always, self.able, self.extra, used, net, out)
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
        found = self.tables.get(seat.kind)
        if found is None:
            found = self.tables[seat.kind] = _Table(seat, self.width, self.hex_words)
        return found

    def bound(self, seats: list[Seat]) -> int:
        total = int(self.prices.sum())
        for seat in seats:
            if seat.kind not in self.best:
                worths = self.table(seat).worths(self.amounts - self.prices)
                self.best[seat.kind] = int(worths.max()) if len(worths) else NEVER
            total += max(self.best[seat.kind], 0) if seat.idle else self.best[seat.kind]
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
        seats = cover.seats
        count = self.count = len(seats)
        self.same = np.array([n > 0 and seats[n - 1].kind == seat.kind for n, seat in enumerate(seats)], dtype=np.bool_)
        self.idle = np.array([seat.idle for seat in seats], dtype=np.bool_)
        self.slots = np.array([len(seat.caps) for seat in seats], dtype=np.int64)
        self.first_slot = np.zeros(count, dtype=np.int64)
        self.first_slot[1:] = self.slots.cumsum()[:-1]
        self.caps = np.array([cap for seat in seats for cap in seat.caps] or [0], dtype=np.int64)
        self.kinds = np.nonzero(~self.same)[0]
        self.used: Words = np.zeros(1 + covers.hex_words, dtype=np.uint64)
        self.net: Ints = np.zeros_like(covers.amounts)
        self.prices = covers.prices.copy()
        self.orders: list[Ints] = [np.arange(len(seat.rows), dtype=np.int64) for seat in seats]
        self._gather()
        self.bound = self._price(needed)
        self._sort(needed)
        self.room = np.zeros(1 << MAX_SLOTS, dtype=np.int64)
        self.held = np.zeros(1 << MAX_SLOTS, dtype=np.int64)
        self.home = np.array([cover.home >= 0, max(0, cover.home)], dtype=np.uint64)
        self.base = int(self.prices.sum())
        self.walk = _Walk(self)

    def _gather(self) -> None:
        """Tables of all kinds of seats in the orders given, one after another."""
        tables = [self.covers.table(seat) for seat in self.cover.seats]
        self.first = np.zeros(self.count, dtype=np.int64)
        self.last = np.zeros(self.count, dtype=np.int64)
        end = 0
        for number in range(self.count):
            if self.same[number]:
                self.first[number], self.last[number] = self.first[number - 1], self.last[number - 1]
                continue
            self.first[number] = end
            end += len(self.orders[number])
            self.last[number] = end

        def together(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
            parts = [getattr(tables[number], name)[self.orders[number]] for number in self.kinds]
            joined: np.ndarray[tuple[int, ...], np.dtype[np.uint64]] = np.concatenate(parts)
            return joined

        self.always, self.able = together("always"), together("able")
        self.extra, self.visited, self.ends = together("extra"), together("visited"), together("ends")

    def _price(self, needed: int) -> int:
        counts = np.diff(np.append(self.kinds, self.count))
        return int(
            price(
                STEPS,
                needed,
                1.0,
                self.covers.amounts,
                self.prices,
                self.net,
                self.kinds,
                counts,
                self.first,
                self.last,
                self.idle,
                self.first_slot,
                self.slots,
                self.caps,
                self.always,
                self.able,
                self.extra,
                self.used,
                np.zeros_like(self.net),
            )
        )

    def _sort(self, needed: int) -> None:
        """Put the rows of every kind in falling order of worth, without those that cannot be in a good choice."""
        kept: list[Ints] = []
        for number, seat in enumerate(self.cover.seats):
            if self.same[number]:
                continue
            worths = self.covers.table(seat).worths(self.net)
            best = max(int(worths.max()) if len(worths) else NEVER, 0 if seat.idle else NEVER)
            order = np.argsort(-worths, kind="stable")
            order = order[: int((self.bound - best + worths >= needed).sum())]
            kept.append(worths[order])
            self.orders[number] = order
        for number in range(self.count):
            if self.same[number]:
                self.orders[number] = self.orders[number - 1]
        self._gather()
        self.alone = np.concatenate(kept)

    def climb(self) -> Choice | None:
        """A good choice: one row changed at a time from two simple ones, then the rows of a few seats at once."""
        best, kept = -1, None
        for filled in (False, True):
            choice = self._simple(filled)
            if (~self.idle & (choice[: self.count] < 0)).any():
                continue
            score = climb(
                choice,
                self.count,
                self.first,
                self.last,
                self.idle,
                self.first_slot,
                self.slots,
                self.caps,
                self.always,
                self.able,
                self.extra,
                self.visited,
                self.ends,
                self.covers.amounts,
                self.home,
                self.cover.connect,
                self.room,
                self.held,
                self.used.copy(),
                WIDTH,
            )
            self.covers.tick(1)
            if score > best:
                best, kept = int(score), choice
        return None if kept is None else self._polish(best, kept)

    def _simple(self, filled: bool) -> Ints:
        """The best row of every seat by itself, or only of those that cannot be idle."""
        choice = np.full(self.count + 1, -1, dtype=np.int64)
        blocked = 0
        for seat in range(self.count):
            if filled or not self.idle[seat]:
                for row in range(self.first[seat], self.last[seat]):
                    if not int(self.ends[row]) & blocked:
                        choice[seat] = row
                        blocked |= int(self.ends[row])
                        break
        return choice

    def _polish(self, score: int, choice: Ints) -> Choice:
        """A choice improved by choosing anew for two, then three seats at a time."""
        left = POLISH
        for size in (2, 3):
            vain, most = 0, math.comb(self.count, size)
            for seats in itertools.cycle(itertools.combinations(range(self.count), size)):
                if left <= 0 or vain >= most:
                    break
                vain += 1
                walk = _Walk(self, choice, seats)
                found = walk.go(score + 1, FEW)
                left -= walk.steps
                if found:
                    choice, vain = walk.choice.copy(), 0
                    score = int(walk.control[SCORE])
        return score, self._rows(choice)

    def rows_left(self, seat: int) -> list[int]:
        return [int(row) for row in self.orders[seat]]

    def next(self, needed: int) -> Choice | None:
        while not self.walk.over:
            if self.walk.go(needed, SLICE):
                return int(self.walk.control[SCORE]), self._rows(self.walk.choice)
        return None

    def _rows(self, choice: Ints) -> list[int]:
        """Row numbers as the cover knows them."""
        return [
            -1 if choice[seat] < 0 else int(self.orders[seat][choice[seat] - self.first[seat]])
            for seat in range(self.count)
        ]


class _Walk:
    """A search through the rows of all seats, or of `some` while the others keep their rows of `choice`."""

    def __init__(self, found: KernelCover, choice: Ints | None = None, some: Sequence[int] = ()) -> None:
        self.found = found
        count, items = found.count, len(found.used)
        self.first, self.last, self.idle, self.same = found.first, found.last, found.idle, found.same
        if choice is not None:
            kept = np.ones(count, dtype=np.bool_)
            kept[list(some)] = False
            runs = choice[:count] >= 0
            self.first = np.where(kept, np.where(runs, choice[:count], self.last), self.first)
            self.last = np.where(kept, np.where(runs, choice[:count] + 1, self.last), self.last)
            self.idle = self.idle & ~(kept & runs)
            self.same = np.zeros(count, dtype=np.bool_)
        self.steps = 0
        self.control = np.zeros(4, dtype=np.int64)
        self.pointers = np.zeros(count + 1, dtype=np.int64)
        self.pointers[:count] = self.first
        self.choice = np.full(count + 1, -1, dtype=np.int64)
        self.common = np.zeros(count + 1, dtype=np.int64)
        self.sums = np.zeros(count + 1, dtype=np.int64)
        self.useds: Words = np.zeros((count + 1, items), dtype=np.uint64)
        self.blocked: Words = np.zeros(count + 1, dtype=np.uint64)
        self.scratch: Words = np.zeros(items, dtype=np.uint64)
        self.common[0] = found.base + tail(
            1,
            count,
            self.same,
            self.first,
            self.last,
            self.idle,
            found.first_slot,
            found.slots,
            found.caps,
            found.always,
            found.able,
            found.extra,
            found.alone,
            found.used,
            found.net,
        )

    @property
    def over(self) -> bool:
        """Whether all choices worth a look have been seen."""
        return bool(self.control[LEVEL] < 0)

    def go(self, needed: int, budget: int) -> bool:
        """Search on for up to `budget` steps; whether `choice` now is one that scores at least `needed`."""
        found = self.found
        self.control[NEEDED], self.control[BUDGET] = needed, budget
        good = search(
            self.control,
            self.pointers,
            self.choice,
            self.common,
            self.sums,
            self.useds,
            self.blocked,
            found.base,
            found.count,
            self.same,
            self.first,
            self.last,
            self.idle,
            found.first_slot,
            found.slots,
            found.caps,
            found.always,
            found.able,
            found.extra,
            found.alone,
            found.visited,
            found.ends,
            found.covers.amounts,
            found.net,
            found.home,
            found.cover.connect,
            found.room,
            found.held,
            self.scratch,
        )
        spent = budget - int(self.control[BUDGET])
        self.steps += spent
        found.covers.tick(spent)
        return bool(good)
