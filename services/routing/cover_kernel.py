"""The compiled part of the search of `services.routing.cover`; `cover_engine` calls it.

Items are priced first, as in the search for routes that exclude each other: what a seat earns with an item is its
amount less the price, the *net* amount, and whoever gets it, the price is earned once. A bound for any choice is
then the sum of the prices and of the best row of every seat by itself; prices that make it small are found by
subgradient steps. The search goes depth first over the seats and keeps the bound up to date: an item that is paid
already adds nothing to the rows still to be chosen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from services.routing.bits import ctz, popcount
from services.routing.compiled import compiled
from services.routing.plan import WORD, Ints, Words

ZERO = np.uint64(0)
ONE = np.uint64(1)
NEVER = -(1 << 60)
PATIENCE = 8
MAX_SLOTS = 10

# Positions in `control`.
LEVEL, NEEDED, SCORE, BUDGET = range(4)


class Rows(NamedTuple):
    """Rows of all kinds of seats, one kind after another; see `services.routing.cover.Row`.

    `always`: words of items, places in the first. `able`: places by slot. `alone`: most a row adds by itself; rows
    of a kind are in falling order of it.
    """

    always: Words
    able: Words
    extra: Ints
    visited: Words
    ends: Words
    alone: Ints


class Seats(NamedTuple):
    """Seats: their rows are those from `first` to before `last`.

    `same`: like the seat before. `slots`: number of slots, whose room is in `caps` from `first_slot` on.
    """

    first: Ints
    last: Ints
    idle: NDArray[np.bool_]
    same: NDArray[np.bool_]
    slots: Ints
    first_slot: Ints
    caps: Ints


class Walk(NamedTuple):
    """Where a search is: by seat the next row, the row chosen, the bound without the seat itself, what earlier
    seats score for certain, items they are paid, stops they end at.
    """

    pointers: Ints
    choice: Ints
    common: Ints
    sums: Ints
    useds: Words
    blocked: Words


class Goal(NamedTuple):
    """What makes a choice allowed, amounts by item, and room to work in.

    `home`: whether one of some stops must be visited, and these.
    """

    amounts: Ints
    home: Words
    connect: bool
    room: Ints
    held: Ints
    scratch: Words


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
def worth(row, slots, first_slot, caps, always, able, extra, used, net):  # type: ignore[no-untyped-def]
    """Most that a row adds when the items `used` are paid already.

    What is called often takes arrays, not tuples of arrays: taking one out of a tuple costs as much as the work.
    """
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
def worths(rows, seats, used, net, out):  # type: ignore[no-untyped-def]
    """What every row of a single seat earns by itself."""
    always, able, extra, caps = rows.always, rows.able, rows.extra, seats.caps
    for row in range(out.shape[0]):
        out[row] = worth(row, seats.slots[0], 0, caps, always, able, extra, used, net)


@compiled
def take(row, times, seat, rows, seats, net, slack):  # type: ignore[no-untyped-def]
    """Subtract from `slack` the items a row is paid."""
    for word in range(rows.always.shape[1]):
        mask = rows.always[row, word]
        while mask != ZERO:
            slack[WORD * word + ctz(mask)] -= times
            mask &= mask - ONE
    for slot in range(seats.slots[seat]):
        mask = rows.able[row, slot] & ~rows.always[row, 0]
        for _ in range(seats.caps[seats.first_slot[seat] + slot]):
            most, place = np.int64(0), -1
            left = mask
            while left != ZERO:
                item = ctz(left)
                if net[item] > most:
                    most, place = net[item], item
                left &= left - ONE
            if place < 0:
                break
            slack[place] -= times
            mask &= ~(ONE << np.uint64(place))


@compiled
def price(steps, target, amounts, prices, net, rows, seats, used):  # type: ignore[no-untyped-def]
    """Subgradient steps on `prices`, which end as the best found; returns the bound they give.

    `target` is a score that would be good enough. `net` ends as the net amounts.
    """
    items = amounts.shape[0]
    count = seats.first.shape[0]
    always, able, extra, caps = rows.always, rows.able, rows.extra, seats.caps
    current = prices.copy()
    slack = np.zeros(items, dtype=np.int64)
    bound = np.int64(1) << 62
    step, vain = 1.0, 0
    for _ in range(steps):
        total = np.int64(0)
        for item in range(items):
            net[item] = amounts[item] - current[item]
            total += current[item]
            slack[item] = 1
        seat = 0
        while seat < count:
            times = 1
            while seat + times < count and seats.same[seat + times]:
                times += 1
            most, chosen = np.int64(0), -1
            slots, slot = seats.slots[seat], seats.first_slot[seat]
            for row in range(seats.first[seat], seats.last[seat]):
                value = worth(row, slots, slot, caps, always, able, extra, used, net)
                if (chosen < 0 and not seats.idle[seat]) or value > most:
                    most, chosen = value, row
            total += most * times
            if chosen >= 0:
                take(chosen, times, seat, rows, seats, net, slack)
            seat += times
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
            size += slack[item] * slack[item]
        if size == 0:
            break
        length = step * (total - target) / size
        for item in range(items):
            current[item] = min(max(current[item] - np.int64(length * slack[item]), 0), amounts[item])
    for item in range(items):
        net[item] = amounts[item] - prices[item]
    return bound


@compiled
def score_of(choice, rows, seats, goal):  # type: ignore[no-untyped-def]
    """Score of one row (-1: none) a seat: items count once, limited places as slots allow.

    Places that can be counted together are those for which, for every set of slots, no more of them depend on
    the set than it has room for; the dearest are taken first.
    """
    count = seats.first.shape[0]
    used, room, held = goal.scratch, goal.room, goal.held
    total = np.int64(0)
    limited = ZERO
    size = 0
    used[:] = ZERO
    for seat in range(count):
        row = choice[seat]
        if row < 0:
            continue
        total += rows.extra[row]
        for word in range(used.shape[0]):
            used[word] |= rows.always[row, word]
        for slot in range(seats.slots[seat]):
            limited |= rows.able[row, slot]
            size += 1
    for word in range(used.shape[0]):
        mask = used[word]
        while mask != ZERO:
            total += goal.amounts[WORD * word + ctz(mask)]
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
            for slot in range(seats.slots[seat]):
                for subset in range(sets):
                    if subset >> number & 1:
                        room[subset] += seats.caps[seats.first_slot[seat] + slot]
                number += 1
    while limited != ZERO:
        place = ctz(limited)
        limited &= limited - ONE
        within = 0
        number = 0
        for seat in range(count):
            if choice[seat] >= 0:
                for slot in range(seats.slots[seat]):
                    if rows.able[choice[seat], slot] >> np.uint64(place) & ONE != ZERO:
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
            total += goal.amounts[place]
    return total


@compiled
def is_allowed(choice, rows, seats, goal):  # type: ignore[no-untyped-def]
    """Whether the rows visit home and hang together, as far as they have to."""
    count = seats.first.shape[0]
    together, union = ZERO, ZERO
    left = 0
    done = np.zeros(count, dtype=np.bool_)
    for seat in range(count):
        if choice[seat] >= 0:
            union |= rows.visited[choice[seat]]
            if left == 0:
                together = rows.visited[choice[seat]]
                done[seat] = True
            left += 1
    if left == 0:
        return True
    if goal.home[0] != ZERO and union & goal.home[1] == ZERO:
        return False
    if not goal.connect:
        return True
    left -= 1
    grown = True
    while grown and left > 0:
        grown = False
        for seat in range(count):
            if choice[seat] >= 0 and not done[seat] and rows.visited[choice[seat]] & together != ZERO:
                together |= rows.visited[choice[seat]]
                done[seat] = True
                left -= 1
                grown = True
    return left == 0


@compiled
def rest(  # type: ignore[no-untyped-def]
    level, first, last, idle, same, slots, first_slot, caps, always, able, extra, alone, used, net
):
    """Most that the seats from `level` on can add, each by itself."""
    total, most = np.int64(0), np.int64(0)
    for seat in range(level, first.shape[0]):
        if seat == level or not same[seat]:
            most = np.int64(0) if idle[seat] else np.int64(NEVER)
            for row in range(first[seat], last[seat]):
                if alone[row] <= most:
                    break
                value = worth(row, slots[seat], first_slot[seat], caps, always, able, extra, used, net)
                most = max(most, value)
        total += most
    return total


@compiled
def tail(level, rows, seats, used, net):  # type: ignore[no-untyped-def]
    """See `rest`."""
    first, last, idle, same, slots, first_slot, caps = seats
    always, able, extra, _, _, alone = rows
    return rest(level, first, last, idle, same, slots, first_slot, caps, always, able, extra, alone, used, net)


@compiled
def search(control, base, walk, rows, seats, goal, net):  # type: ignore[no-untyped-def]
    """Go on until a choice worth `control[NEEDED]` is found (true), or all are seen or the budget is spent (false).

    `control[LEVEL]` is -1 when all have been looked at. `base`: sum of all prices.
    """
    first, last, idle, same, slots, first_slot, caps = seats
    always, able, extra, _, ends, alone = rows
    pointers, choice, common, sums, useds, blocked = walk
    count = first.shape[0]
    level = control[LEVEL]
    while level >= 0:
        if control[BUDGET] <= 0:
            control[LEVEL] = level
            return False
        control[BUDGET] -= 1
        row = pointers[level]
        if row > last[level]:
            level -= 1
            continue
        used = useds[level]
        if row == last[level] or common[level] + alone[row] < control[NEEDED]:
            pointers[level] = last[level] + 1
            if not idle[level] or common[level] < control[NEEDED]:
                level -= 1
                continue
            row = np.int64(-1)
        else:
            pointers[level] = row + 1
            if ends[row] & blocked[level] != ZERO:
                continue
            value = worth(row, slots[level], first_slot[level], caps, always, able, extra, used, net)
            if common[level] + value < control[NEEDED]:
                continue
        choice[level] = row
        if level == count - 1:
            score = score_of(choice, rows, seats, goal)
            if score >= control[NEEDED] and is_allowed(choice, rows, seats, goal):
                control[SCORE] = score
                control[LEVEL] = level
                return True
            continue
        inner = useds[level + 1]
        inner[:] = used
        blocked[level + 1] = blocked[level]
        fixed = sums[level]
        if row >= 0:
            fixed += extra[row]
            blocked[level + 1] |= ends[row]
            for word in range(used.shape[0]):
                mask = always[row, word] & ~used[word]
                inner[word] |= mask
                while mask != ZERO:
                    fixed += net[WORD * word + ctz(mask)]
                    mask &= mask - ONE
        bound = base + fixed
        for seat in range(level + 1):
            if choice[seat] >= 0:
                for slot in range(slots[seat]):
                    bound += dearest(able[choice[seat], slot] & ~inner[0], caps[first_slot[seat] + slot], net)
        level += 1
        sums[level] = fixed
        pointers[level] = first[level]
        if same[level]:
            pointers[level] = last[level] if row < 0 else row
        common[level] = bound + rest(
            level + 1, first, last, idle, same, slots, first_slot, caps, always, able, extra, alone, inner, net
        )
    control[LEVEL] = -1
    return False


@compiled
def improve(choice, seat, best, width, rows, seats, goal):  # type: ignore[no-untyped-def]
    """Give a seat the row that makes the choice score most, if that is more than `best`; returns the score.

    Only the first `width` rows of the seat are tried, its present one in any case.
    """
    kept = choice[seat]
    others = ZERO
    for other in range(seats.first.shape[0]):
        if other != seat and choice[other] >= 0:
            others |= rows.ends[choice[other]]
    for row in range(seats.first[seat] - 2, min(seats.last[seat], seats.first[seat] + width)):
        choice[seat] = kept if row < seats.first[seat] - 1 else row if row >= seats.first[seat] else -1
        if choice[seat] < 0 and not seats.idle[seat]:
            continue
        if choice[seat] >= 0 and rows.ends[choice[seat]] & others != ZERO:
            continue
        score = score_of(choice, rows, seats, goal)
        if score > best and is_allowed(choice, rows, seats, goal):
            best, kept = score, choice[seat]
    choice[seat] = kept
    return best
