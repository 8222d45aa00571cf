"""Compiled valuation of routes: which stops pay, and what bonuses they earn.

Functions take single arrays, not whole plans: passing many arrays costs more than the work done with them.
"""

from __future__ import annotations

import numpy as np

from services.routing.bits import ctz, popcount
from services.routing.compiled import compiled
from services.routing.plan import ECHO, END, FORCED, HEX, SET, TOKEN, VISIT

ZERO = np.uint64(0)
ONE = np.uint64(1)
ILLEGAL = -(1 << 60)
NO_ROOM = ~ZERO
"""Returned for stops that cannot pay together; no set, since the kernel takes up to 63 stops."""


@compiled
def bonus_bound(bonuses, bonus_sets, revenue, reach):  # type: ignore[no-untyped-def]
    """Most that bonuses can add to a route whose visited and reachable stops are `reach`."""
    total = 0
    for number in range(bonuses.shape[0]):
        kind = bonuses[number, 0]
        begin = bonuses[number, 2]
        if kind in (SET, VISIT):
            met = True
            for item in range(begin, bonuses[number, 3]):
                if bonus_sets[item] & reach == ZERO:
                    met = False
                    break
            if met:
                total += bonuses[number, 1]
        elif kind == HEX:
            total += bonuses[number, 1] * popcount(bonus_sets[begin])
        elif kind == ECHO:
            rest = bonus_sets[begin + 1] & reach
            if bonus_sets[begin] & reach != ZERO and rest != ZERO:
                total += revenue[ctz(rest)]
        else:
            ends = bonus_sets[begin] & reach
            if ends != ZERO:
                total += revenue[ctz(ends)]
                ends &= ends - ONE
                if ends != ZERO:
                    total += revenue[ctz(ends)]
    return total


@compiled
def bonus_value(  # type: ignore[no-untyped-def]
    bonuses, bonus_sets, revenue, paying, visited, hexes, one, other
):
    """What bonuses add to a route paid at `paying`, with ends `one` and `other`."""
    total = 0
    for number in range(bonuses.shape[0]):
        kind = bonuses[number, 0]
        begin = bonuses[number, 2]
        if kind == SET:
            met = True
            for item in range(begin, bonuses[number, 3]):
                if bonus_sets[item] & paying == ZERO:
                    met = False
                    break
            if met:
                total += bonuses[number, 1]
        elif kind == HEX:
            total += bonuses[number, 1] * popcount(bonus_sets[begin] & hexes)
        elif kind == ECHO:
            rest = bonus_sets[begin + 1] & paying
            if bonus_sets[begin] & paying != ZERO and rest != ZERO:
                total += revenue[ctz(rest)]
        elif kind == VISIT:
            if bonus_sets[begin] & visited != ZERO:
                total += bonuses[number, 1]
        elif popcount(paying) >= 2:
            ends = (ONE << np.uint64(one) | ONE << np.uint64(other)) & paying & bonus_sets[begin]
            while ends != ZERO:
                total += revenue[ctz(ends)]
                ends &= ends - ONE
    return total


@compiled
def choose(pay_sets, pay_limits, fixed, others, scratch):  # type: ignore[no-untyped-def]
    """`fixed` and the dearest of `others` that still find room; NO_ROOM if `fixed` does not fit."""
    limits = pay_limits.shape[0]
    if limits == 1:
        mask = pay_sets[0]
        left = pay_limits[0] - popcount(fixed & mask)
        if left < 0:
            return NO_ROOM
        chosen = fixed | (others & ~mask)
        rest = others & mask & ~fixed
        while left > 0 and rest != ZERO:
            chosen |= rest & (~rest + ONE)
            rest &= rest - ONE
            left -= 1
        return chosen
    for limit in range(limits):
        left = pay_limits[limit] - popcount(fixed & pay_sets[limit])
        if left < 0:
            return NO_ROOM
        scratch[limit] = np.uint64(left)
    chosen = fixed
    rest = others & ~fixed
    while rest != ZERO:
        bit = rest & (~rest + ONE)
        rest ^= bit
        room = True
        for limit in range(limits):
            if pay_sets[limit] & bit != ZERO and scratch[limit] == ZERO:
                room = False
                break
        if room:
            chosen |= bit
            for limit in range(limits):
                if pay_sets[limit] & bit != ZERO:
                    scratch[limit] -= ONE
    return chosen


@compiled
def revenue_of(revenue, stops):  # type: ignore[no-untyped-def]
    """Sum over a set of stops."""
    total = 0
    while stops != ZERO:
        total += revenue[ctz(stops)]
        stops &= stops - ONE
    return total


@compiled
def requirements(bonuses, bonus_sets, visited, one, other, groups, group_end):  # type: ignore[no-untyped-def]
    """Lists of stops of which one must be fixed, by bonus that could be met; returns the number of bonuses.

    Lists of bonus number i are `groups[group_end[i - 1]:group_end[i]]` (from 0 for the first).
    """
    count = 0
    filled = 0
    ends = ONE << np.uint64(one) | ONE << np.uint64(other)
    for number in range(bonuses.shape[0]):
        kind = bonuses[number, 0]
        if kind in (SET, ECHO):
            begin = filled
            for item in range(bonuses[number, 2], bonuses[number, 3]):
                members = bonus_sets[item] & visited
                if members == ZERO:
                    filled = begin
                    break
                groups[filled] = members
                filled += 1
            if filled > begin:
                group_end[count] = filled
                count += 1
        elif kind == END:
            found = bonus_sets[bonuses[number, 2]] & ends
            while found != ZERO:
                groups[filled] = found & (~found + ONE)
                found &= found - ONE
                filled += 1
                group_end[count] = filled
                count += 1
    return count


@compiled
def best_choice(  # type: ignore[no-untyped-def]
    pay_sets, pay_limits, bonuses, bonus_sets, revenue, forced, token, visited, hexes, one, other, scratch
):
    """(value, paying stops) of the best choice, fixing one stop for every part of every subset of bonuses.

    `token`: stops of which one must pay, or empty.
    """
    groups = np.zeros(64, dtype=np.uint64)
    group_end = np.zeros(64, dtype=np.int64)
    lists = np.zeros(64, dtype=np.uint64)
    left = np.zeros(64, dtype=np.uint64)
    count = requirements(bonuses, bonus_sets, visited, one, other, groups, group_end)
    best, best_paying = ILLEGAL, NO_ROOM
    for subset in range(1 << count):
        size = 0
        if token != ZERO:
            lists[0] = token
            size = 1
        for number in range(count):
            if subset >> number & 1:
                begin = group_end[number - 1] if number > 0 else 0
                for item in range(begin, group_end[number]):
                    lists[size] = groups[item]
                    size += 1
        for item in range(size):
            left[item] = lists[item]
        while True:
            fixed = forced
            for item in range(size):
                fixed |= left[item] & (~left[item] + ONE)
            paying = choose(pay_sets, pay_limits, fixed, visited, scratch)
            if paying != NO_ROOM:
                value = revenue_of(revenue, paying)
                value += bonus_value(bonuses, bonus_sets, revenue, paying, visited, hexes, one, other)
                if value > best:
                    best, best_paying = value, paying
            item = 0
            while item < size:
                left[item] &= left[item] - ONE
                if left[item] != ZERO:
                    break
                left[item] = lists[item]
                item += 1
            if item == size:
                break
    return best, best_paying


@compiled
def choice_value(  # type: ignore[no-untyped-def]
    sets,
    pay_sets,
    pay_limits,
    bonuses,
    bonus_sets,
    revenue,
    scratch,
    token_must_pay,
    trims,
    visited,
    hexes,
    one,
    other,
):
    """Value of a route with a choice of paying stops; ILLEGAL if there is none or its trimmed form is as good."""
    forced = sets[FORCED] & visited
    token = sets[TOKEN] & visited
    paying = choose(pay_sets, pay_limits, forced, visited, scratch)
    if paying == NO_ROOM:
        return ILLEGAL
    bonus = 0
    simple = not token_must_pay or paying & token != ZERO
    if simple and bonuses.shape[0] > 0:
        bonus = bonus_value(bonuses, bonus_sets, revenue, paying, visited, hexes, one, other)
        ideal = bonus_value(bonuses, bonus_sets, revenue, visited, visited, hexes, one, other)
        simple = bonus == ideal
    if simple:
        value = revenue_of(revenue, paying) + bonus
    else:
        value, paying = best_choice(
            pay_sets,
            pay_limits,
            bonuses,
            bonus_sets,
            revenue,
            forced,
            token if token_must_pay else ZERO,
            visited,
            hexes,
            one,
            other,
            scratch,
        )
    if value > ILLEGAL and trims and popcount(visited) > 2:
        for end in (one, other):
            bit = ONE << np.uint64(end)
            if paying & bit == ZERO and token & ~bit != ZERO:
                useful = False
                for number in range(bonuses.shape[0]):
                    if bonuses[number, 0] == VISIT and bonus_sets[bonuses[number, 2]] & visited == bit:
                        useful = True
                if not useful:
                    return ILLEGAL
    return value


@compiled
def crow_distance(link_place, here, there):  # type: ignore[no-untyped-def]
    """Distance of two link ends, given as 2 * link + side; see `services.route_problem.Crow`."""
    first, one = here // 2, here % 2
    second, other = there // 2, there % 2
    dx = abs(link_place[first, one, 0] - link_place[second, other, 0])
    dy = abs(link_place[first, one, 1] - link_place[second, other, 1])
    between = max(0, dx + max(0, (dy - dx) // 2) - 1)
    if dx == 0 and dy == 0:
        between = -1
    return max(0, between + link_place[first, one, 2] + link_place[second, other, 2])
