"""Compiled search for the routes of one train, in slices.

Every route is found once: stations in order, each excluding the ones before it; from a station a first arm, and
at every point of it a second arm whose first link has a higher number. State lives in arrays, so a call
can stop after any number of states and go on later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from services.routing.bits import add_lowest, ctz
from services.routing.compiled import compiled
from services.routing.kernel_value import (
    ILLEGAL,
    NO_ROOM,
    bonus_bound,
    bonus_value,
    choice_value,
    choose,
    crow_distance,
    revenue_of,
)
from services.routing.plan import (
    ALLOWED,
    BASE,
    BLOCKED,
    FAR_LAST,
    FORCED,
    GREATEST_DISTANCE,
    HEX_LIMIT,
    LIMITS,
    NEAR_FIRST,
    NO_END,
    PAY,
    PORT_RATE,
    PORTS,
    RANGE_LIMIT,
    RATE,
    STOPS,
    TO_SECOND,
    TOKEN_MUST_PAY,
    TRIMS,
    WORDS,
    Ints,
    Words,
)
from services.routing.rules import PAY_ALL, PAY_CHOICE

# Positions in `State.control`.
(
    DEPTH,
    ROOT,
    STATES,
    TARGET,
    KEEP,
    GAIN,
    COUNT,
    LOGGED,
    BEST,
    BEST_DEPTH,
    VISITED_TOO,
    CONTROL_SIZE,
) = range(12)

# Columns of `State.frames`.
(
    TIP,
    POINTER,
    PHASE,
    SUM,
    LINK,
    FIRST_END,
    SIDES,
    LOG,
    SECOND_ARM,
    TIP_PLACE,
    END_PLACE,
    FRAME_SIZE,
) = range(12)

# Columns of `State.marks`, before the conflict words.
VISITED, CLOSED, HEXES, USED = range(4)

DONE, MORE, FULL = range(3)

ZERO = np.uint64(0)
ONE = np.uint64(1)

SECOND = 1 << 30
"""Set in a logged link that begins the second arm."""


class State(NamedTuple):
    """Where a search stands: one frame a link of the current route. `blocked` are words of conflicts to avoid."""

    control: Ints
    frames: Ints
    marks: Words
    counts: Ints
    path: Ints
    blocked: Words
    scratch: Words


class Output(NamedTuple):
    """Routes kept: value, shared conflict words, place in the log; the log holds (parent, link) by entry.

    `extra` has, for routes that may share track, visited stops and packed ends.
    """

    values: Ints
    masks: Words
    nodes: Ints
    extra: Words
    log: Ints


@compiled
def reachable(neighbors, blocked, tip, other, closed, layers):  # type: ignore[no-untyped-def]
    """Stops that can be met from the open ends of a route within `layers` links, ignoring conflicts."""
    outside = ~closed
    found = ZERO
    if tip >= 0:
        found |= neighbors[tip]
    if other >= 0:
        found |= neighbors[other]
    found &= outside
    fresh = found & ~blocked
    layers -= 1
    while fresh != ZERO and layers > 0:
        wave = ZERO
        while fresh != ZERO:
            wave |= neighbors[ctz(fresh)]
            fresh &= fresh - ONE
        wave &= outside & ~found
        found |= wave
        fresh = wave & ~blocked
        layers -= 1
    return found


@compiled
def range_bound(revenue, cost, limits, counts, depth, reach):  # type: ignore[no-untyped-def]
    """Most revenue the stops of `reach` can add within the train's limits, ignoring track."""
    total = 0
    size = limits.shape[0]
    if size == 0:
        return revenue_of(revenue, reach)
    if size == 1:
        left = limits[0] - counts[depth, 0]
        while reach != ZERO:
            stop = ctz(reach)
            reach &= reach - ONE
            if cost[stop, 0] == 0:
                total += revenue[stop]
            elif left > 0:
                left -= 1
                total += revenue[stop]
        return total
    spare = counts.shape[0] - 1
    for limit in range(size):
        counts[spare, limit] = counts[depth, limit]
    while reach != ZERO:
        stop = ctz(reach)
        reach &= reach - ONE
        room = True
        for limit in range(size):
            if cost[stop, limit] > 0 and counts[spare, limit] >= limits[limit]:
                room = False
                break
        if room:
            for limit in range(size):
                if cost[stop, limit] > 0:
                    counts[spare, limit] += 1
            total += revenue[stop]
    return total


@compiled
def open_root(plan, state, root):  # type: ignore[no-untyped-def]
    """Start at station number `root`; false if the train cannot even visit it."""
    stop = plan.roots[root]
    closed = ~plan.sets[ALLOWED]
    for earlier in range(root):
        closed |= ONE << np.uint64(plan.roots[earlier])
    for limit in range(plan.config[LIMITS]):
        state.counts[0, limit] = plan.cost[stop, limit]
        if plan.cost[stop, limit] > plan.limits[limit]:
            return False
    frame = state.frames[0]
    frame[TIP] = stop
    frame[POINTER] = plan.near_start[stop]
    frame[PHASE] = 0
    frame[SUM] = plan.revenue[stop]
    frame[FIRST_END] = stop
    frame[SIDES] = 0
    frame[LOG] = -1
    frame[SECOND_ARM] = 0
    frame[END_PLACE] = -1
    state.marks[0, VISITED] = ONE << np.uint64(stop)
    state.marks[0, CLOSED] = closed | plan.excludes[stop]
    state.marks[0, HEXES] = ZERO
    for word in range(plan.config[WORDS]):
        state.marks[0, USED + word] = state.blocked[word]
    return True


@compiled
def store(shared, control, frames, marks, path, output, depth, value):  # type: ignore[no-untyped-def]
    """Keep the route at `depth`; the log gets those of its links that it does not have yet."""
    known = depth
    while known > 0 and frames[known, LOG] < 0:
        known -= 1
    for level in range(known + 1, depth + 1):
        entry = control[LOGGED]
        control[LOGGED] += 1
        output.log[entry, 0] = frames[level - 1, LOG]
        output.log[entry, 1] = path[level]
        frames[level, LOG] = entry
    number = control[COUNT]
    control[COUNT] += 1
    output.values[number] = value
    output.nodes[number] = frames[depth, LOG]
    for word in range(shared.shape[0]):
        output.masks[number, word] = marks[depth, USED + word] & shared[word]
    if control[VISITED_TOO]:
        output.extra[number, 0] = marks[depth, VISITED]
        output.extra[number, 1] = np.uint64(frames[depth, TIP_PLACE])
        output.extra[number, 2] = np.uint64(frames[depth, END_PLACE])


@compiled
def enumerate_routes(plan, state, output, budget):  # type: ignore[no-untyped-def]
    """Go on for up to `budget` states. Returns DONE, MORE, or FULL if `output` must grow first.

    Keeps every route worth `control[TARGET]` or, without `control[KEEP]`, only the best, raising the target.
    """
    config, sets, revenue, excludes, pairs = plan.config, plan.sets, plan.revenue, plan.excludes, plan.pairs
    neighbors, cost, limits = plan.neighbors, plan.cost, plan.limits
    pay_sets, pay_limits, shared = plan.pay_sets, plan.pay_limits, plan.shared
    near_start, near_link, near_to, near_flags = plan.near_start, plan.near_link, plan.near_to, plan.near_flags
    link_masks, link_sides, link_hexes = plan.link_masks, plan.link_sides, plan.link_hexes
    link_place, bonuses, bonus_sets = plan.link_place, plan.bonuses, plan.bonus_sets
    control, frames, marks, counts = state.control, state.frames, state.marks, state.counts
    path, scratch = state.path, state.scratch
    stops, words, pay, base_value = config[STOPS], config[WORDS], config[PAY], config[BASE]
    hex_limit, ranged, keep = config[HEX_LIMIT], config[RANGE_LIMIT], control[KEEP]
    token_must_pay, trims = config[TOKEN_MUST_PAY] != 0, config[TRIMS] != 0
    rate, port_rate = config[RATE], config[PORT_RATE]
    crow_bound = max(rate, port_rate) * config[GREATEST_DISTANCE]
    blocked, no_end, ports, forced = sets[BLOCKED], sets[NO_END], sets[PORTS], sets[FORCED]
    payable = ~ZERO
    for limit in range(pay_limits.shape[0]):
        if pay_limits[limit] == 0:
            payable &= ~pay_sets[limit]
    limit_count, bonus_count = limits.shape[0], bonuses.shape[0]
    last = control[STATES] + budget
    depth = control[DEPTH]
    target = control[TARGET]
    status = DONE
    while True:
        if depth < 0:
            if control[ROOT] >= plan.roots.shape[0]:
                break
            if open_root(plan, state, control[ROOT]):
                depth = 0
            control[ROOT] += 1
            continue
        phase = frames[depth, PHASE]
        base = frames[depth, FIRST_END] if phase == 1 else frames[depth, TIP]
        pointer = frames[depth, POINTER]
        end = near_start[base + 1]
        first_link = path[1] if phase == 1 else -1
        closed = marks[depth, CLOSED]
        link = -1
        while pointer < end:
            entry = pointer
            pointer += 1
            stop = near_to[entry]
            if closed >> np.uint64(stop) & ONE != ZERO:
                continue
            link = near_link[entry]
            flags = near_flags[entry]
            if link <= first_link or (flags & NEAR_FIRST and depth > 0):
                link = -1
                continue
            free = True
            for word in range(words):
                if marks[depth, USED + word] & link_masks[link, word] != ZERO:
                    free = False
            if free and frames[depth, SIDES] + link_sides[link] > hex_limit:
                free = False
            if free:
                for limit in range(limit_count):
                    count = counts[depth, limit] + cost[stop, limit]
                    counts[depth + 1, limit] = count
                    if count > limits[limit]:
                        free = False
            if free:
                break
            link = -1
        frames[depth, POINTER] = pointer
        if link < 0:
            if phase == 0 and depth > 0 and frames[depth, SECOND_ARM]:
                frames[depth, PHASE] = 1
                frames[depth, POINTER] = near_start[frames[depth, FIRST_END]]
            else:
                depth -= 1
            continue
        old = depth
        depth += 1
        control[STATES] += 1
        bit = ONE << np.uint64(stop)
        for word in range(words):
            marks[depth, USED + word] = marks[old, USED + word] | link_masks[link, word]
        visited = marks[old, VISITED] | bit
        closed |= excludes[stop]
        marks[depth, VISITED] = visited
        marks[depth, CLOSED] = closed
        marks[depth, HEXES] = marks[old, HEXES] | link_hexes[link]
        total = frames[old, SUM] + revenue[stop]
        frames[depth, TIP] = stop
        frames[depth, SUM] = total
        frames[depth, SIDES] = frames[old, SIDES] + link_sides[link]
        frames[depth, LOG] = -1
        frames[depth, TIP_PLACE] = 2 * link + (1 if flags & TO_SECOND else 0)
        second_arm = 0
        if phase == 0:
            frames[depth, PHASE] = 0
            other = frames[old, FIRST_END]
            if old == 0:
                if not flags & NEAR_FIRST and blocked >> np.uint64(other) & ONE == ZERO:
                    second_arm = 1
                frames[depth, END_PLACE] = 2 * link + (0 if flags & TO_SECOND else 1)
            else:
                second_arm = frames[old, SECOND_ARM]
                frames[depth, END_PLACE] = frames[old, END_PLACE]
        else:
            frames[depth, PHASE] = 2
            other = frames[old, TIP] if phase == 1 else frames[old, FIRST_END]
            frames[depth, END_PLACE] = frames[old, TIP_PLACE] if phase == 1 else frames[old, END_PLACE]
        frames[depth, FIRST_END] = other
        frames[depth, SECOND_ARM] = second_arm
        path[depth] = link | (SECOND if phase == 1 else 0)
        open_tip = not flags & FAR_LAST and blocked & bit == ZERO
        frames[depth, POINTER] = near_start[stop] if open_tip else near_start[stop + 1]
        layers = 64
        if ranged >= 0:
            layers = limits[ranged] - counts[depth, ranged]
        reach = ZERO
        if layers > 0 and (open_tip or second_arm):
            reach = reachable(neighbors, blocked, stop if open_tip else -1, other if second_arm else -1, closed, layers)
        every = visited | reach
        most = base_value
        if bonus_count > 0:
            most += bonus_bound(bonuses, bonus_sets, revenue, every)
        if pay == PAY_ALL:
            most += total
            if reach != ZERO and most < target:
                most += range_bound(revenue, cost, limits, counts, depth, reach)
        elif pay == PAY_CHOICE:
            fit = choose(pay_sets, pay_limits, forced & visited, every, scratch)
            if fit == NO_ROOM:
                most = ILLEGAL
            else:
                bonus_most = most
                most += revenue_of(revenue, fit)
                if most >= target and limit_count > 0:
                    fit = choose(pay_sets, pay_limits, forced & visited, visited, scratch)
                    bonus_most += revenue_of(revenue, fit)
                    bonus_most += range_bound(revenue, cost, limits, counts, depth, reach & payable)
                    most = min(most, bonus_most)
        else:
            most += crow_bound + add_lowest(revenue, every, 2)
        if most < target:
            depth = old
        else:
            both = bit | ONE << np.uint64(other)
            if no_end & both == ZERO and pairs[stop] & both == ZERO:
                hexes = marks[depth, HEXES]
                value = base_value
                if pay == PAY_ALL:
                    value += total
                    if bonus_count > 0:
                        value += bonus_value(bonuses, bonus_sets, revenue, visited, visited, hexes, stop, other)
                elif pay == PAY_CHOICE:
                    value += choice_value(
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
                        stop,
                        other,
                    )
                else:
                    value += revenue[stop] + revenue[other]
                    if bonus_count > 0:
                        value += bonus_value(bonuses, bonus_sets, revenue, both, visited, hexes, stop, other)
                    if rate or port_rate:
                        distance = crow_distance(link_place, frames[depth, TIP_PLACE], frames[depth, END_PLACE])
                        value += distance * (port_rate if ports & both != ZERO else rate)
                if value >= target:
                    if keep:
                        store(shared, control, frames, marks, path, output, depth, value)
                    else:
                        control[BEST] = value
                        control[BEST_DEPTH] = depth
                        target = value + control[GAIN]
                        for level in range(1, depth + 1):
                            path[stops + 1 + level] = path[level]
            if reach == ZERO:
                depth = old
        if keep and (control[COUNT] >= output.values.shape[0] or control[LOGGED] + stops >= output.log.shape[0]):
            status = FULL
            break
        if control[STATES] >= last:
            status = MORE
            break
    control[DEPTH] = depth
    control[TARGET] = target
    return status
