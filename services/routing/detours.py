"""Local search: better routes out of good ones by tearing a stretch out and running another way.

For maps with too many routes to walk. A move takes a few links out of a route (or its end off), looks through some
of the ways to join what is left, and takes the best of them if it is as good as before, or only a little
worse while the search is hot. Another move turns the rest of a route round, to end somewhere else. Random numbers
come from a fixed seed: equal problems get equal answers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from services.routing.compiled import compiled
from services.routing.kernel_value import ILLEGAL, bonus_value, choice_value
from services.routing.plan import (
    ALLOWED,
    BLOCKED,
    FAR_LAST,
    HEX_LIMIT,
    LIMITS,
    NEAR_FIRST,
    NO_END,
    PAY,
    TOKEN,
    TOKEN_MUST_PAY,
    WORDS,
    Ints,
    Words,
)
from services.routing.rules import PAY_ALL

ZERO = np.uint64(0)
ONE = np.uint64(1)
STRETCH = 4
"""Most links torn out at once, unless the rest of the route goes."""
DEEPER = 3
"""How many links more than before a new stretch may have."""
EFFORTS = (150, 600, 2_500)
"""Links looked at for one move."""
PRIMES = (4001, 4003, 4007, 4013, 4019, 4021, 4027, 4049)
"""Strides through the links of a stop; greater than the number of links, so that each meets all of them."""

FINE = 1 << 20

# Positions in `Walk.control`.
LENGTH, SCORE, BEST_LENGTH, BEST_SCORE, CONTROL_SIZE = range(5)
# Columns of `Walk.frames`.
AT, POINTER, STRIDE, LEFT, SIDES, SUM, LINK, FLAGS, FRAME_SIZE = range(9)
# Columns of `Walk.marks`, before the conflict words.
VISITED, CLOSED, HEXES, USED = range(4)


class Walk(NamedTuple):
    """A route being changed, in running order, the best one met, and room to work.

    `flags[i]`: `NEAR_FIRST` and `FAR_LAST` of link i as it is run. `pairs[a, b]`: first entry of stop a in
    `Plan.near_*` that leads to stop b or beyond; `ends`: the two stops of a link.
    """

    control: Ints
    seed: Words
    links: Ints
    stops: Ints
    flags: Ints
    best: Ints
    blocked: Words
    pairs: Ints
    ends: Ints
    frames: Ints
    marks: Words
    counts: Ints
    found: Ints
    scratch: Words


@compiled
def draw(seed, below):  # type: ignore[no-untyped-def]
    """A random number from 0 to `below` - 1."""
    word = seed[0]
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    seed[0] = word
    return np.int64((word >> np.uint64(33)) % np.uint64(below))


@compiled
def value_of(  # type: ignore[no-untyped-def]
    config, sets, pairs, pay_sets, pay_limits, bonuses, bonus_sets, revenue, scratch, visited, hexes, total, one, other
):
    """Score of a route, without the class's base amount; ILLEGAL if it may not be run as it is."""
    both = ONE << np.uint64(one) | ONE << np.uint64(other)
    if sets[NO_END] & both != ZERO or pairs[one] & both != ZERO or sets[TOKEN] & visited == ZERO:
        return ILLEGAL
    if config[PAY] == PAY_ALL:
        if bonuses.shape[0] == 0:
            return total
        return total + bonus_value(bonuses, bonus_sets, revenue, visited, visited, hexes, one, other)
    must_pay = config[TOKEN_MUST_PAY] != 0
    trims = config[PAY] == PAY_ALL
    return choice_value(
        sets, pay_sets, pay_limits, bonuses, bonus_sets, revenue, scratch, must_pay, trims, visited, hexes, one, other
    )


@compiled
def turn_round(links, stops, flags, begin, length):  # type: ignore[no-untyped-def]
    """Run the links from `begin` on in the other direction (the stops from `begin` on are reversed)."""
    low, high = begin, length
    while low < high:
        stops[low], stops[high] = stops[high], stops[low]
        low += 1
        high -= 1
    low, high = begin, length - 1
    while low < high:
        links[low], links[high] = links[high], links[low]
        flags[low], flags[high] = flags[high], flags[low]
        low += 1
        high -= 1
    for place in range(begin, length):
        old = flags[place]
        flags[place] = (FAR_LAST if old & NEAR_FIRST else 0) | (NEAR_FIRST if old & FAR_LAST else 0)


@compiled
def rest_of(plan, walk, head, tail):  # type: ignore[no-untyped-def]
    """Fill the first frame with the route without its links from `head` to `tail`."""
    links, stops, blocked = walk.links, walk.stops, walk.blocked
    frames, marks, counts = walk.frames, walk.marks, walk.counts
    cost, revenue, excludes = plan.cost, plan.revenue, plan.excludes
    link_sides, link_masks, link_hexes = plan.link_sides, plan.link_masks, plan.link_hexes
    words, limits, length = plan.config[WORDS], plan.config[LIMITS], walk.control[LENGTH]
    sides, total, visited, hexes, closed = 0, 0, ZERO, ZERO, ~plan.sets[ALLOWED]
    for word in range(words):
        marks[0, USED + word] = blocked[word]
    for limit in range(limits):
        counts[0, limit] = 0
    for place in range(length + 1):
        if place <= head or place >= tail:
            stop = stops[place]
            visited |= ONE << np.uint64(stop)
            closed |= excludes[stop]
            total += revenue[stop]
            for limit in range(limits):
                counts[0, limit] += cost[stop, limit]
        if place < length and (place < head or place >= tail):
            link = links[place]
            sides += link_sides[link]
            hexes |= link_hexes[link]
            for word in range(words):
                marks[0, USED + word] |= link_masks[link, word]
    frames[0, SIDES], frames[0, SUM] = sides, total
    marks[0, VISITED], marks[0, CLOSED], marks[0, HEXES] = visited, closed, hexes


@compiled
def search(plan, walk, head, target, banned, most_depth, effort):  # type: ignore[no-untyped-def]
    """Look for ways on from stop `head` of the rest in the first frame: to stop `target`, or anywhere (-1).

    Returns (score, number of links), the links and their flags being in `walk.found`; score ILLEGAL if there
    is none.
    """
    frames, marks, counts, seed, found = walk.frames, walk.marks, walk.counts, walk.seed, walk.found
    config, sets, revenue, link_hexes = plan.config, plan.sets, plan.revenue, plan.link_hexes
    pay_sets, pay_limits, bonuses, bonus_sets = plan.pay_sets, plan.pay_limits, plan.bonuses, plan.bonus_sets
    near_start, near_link, near_to, near_flags = plan.near_start, plan.near_link, plan.near_to, plan.near_flags
    link_masks, link_sides, cost, limits = plan.link_masks, plan.link_sides, plan.cost, plan.limits
    words, limit_count, hex_limit = config[WORDS], config[LIMITS], config[HEX_LIMIT]
    blocked, excludes, forbidden, pairs, scratch = sets[BLOCKED], plan.excludes, plan.pairs, walk.pairs, walk.scratch
    length = walk.control[LENGTH]
    first, last = walk.stops[0], walk.stops[length]
    goes_on = target >= 0 and target != last
    best, size = ILLEGAL, 0
    depth = 0
    for limit in range(limit_count):
        if counts[0, limit] > limits[limit]:
            depth = -1
    frames[0, AT] = walk.stops[head]
    fresh = True
    while depth >= 0:
        here = frames[depth, AT]
        if fresh:
            fresh = False
            begin, end = near_start[here], near_start[here + 1]
            low, high = 0, 1
            if target >= 0:
                low, high = pairs[here, target], pairs[here, target + 1]
                effort -= high - low
            for entry in range(low, high):
                hexes = marks[depth, HEXES]
                if target < 0:
                    if depth + head == 0:
                        continue
                else:
                    link, flags = near_link[entry], near_flags[entry]
                    if link == banned or (flags & NEAR_FIRST and depth + head > 0) or (flags & FAR_LAST and goes_on):
                        continue
                    free = frames[depth, SIDES] + link_sides[link] <= hex_limit
                    for word in range(words):
                        if marks[depth, USED + word] & link_masks[link, word] != ZERO:
                            free = False
                    if not free:
                        continue
                    hexes |= link_hexes[link]
                score = value_of(
                    config, sets, forbidden, pay_sets, pay_limits, bonuses, bonus_sets, revenue, scratch,
                    marks[depth, VISITED], hexes, frames[depth, SUM], first, last if target >= 0 else here,
                )  # fmt: skip
                if score > best or (score == best and score > ILLEGAL and draw(seed, 2)):
                    best, size = score, depth
                    for level in range(1, depth + 1):
                        found[level - 1, 0], found[level - 1, 1] = frames[level, LINK], frames[level, FLAGS]
                    if target >= 0:
                        size = depth + 1
                        found[depth, 0], found[depth, 1] = link, flags
            shut = blocked >> np.uint64(here) & ONE != ZERO and depth + head > 0
            if depth > 0 and frames[depth, FLAGS] & FAR_LAST:
                shut = True
            if depth >= most_depth or shut or end == begin:
                depth -= 1
                continue
            frames[depth, POINTER] = draw(seed, end - begin)
            frames[depth, STRIDE] = PRIMES[draw(seed, 8)] % (end - begin)
            frames[depth, LEFT] = end - begin
        if effort <= 0:
            break
        begin, count = near_start[here], near_start[here + 1] - near_start[here]
        pointer, stride, left = frames[depth, POINTER], frames[depth, STRIDE], frames[depth, LEFT]
        closed = marks[depth, CLOSED]
        chosen = -1
        while left > 0:
            entry = begin + pointer
            left -= 1
            pointer += stride
            if pointer >= count:
                pointer -= count
            stop = near_to[entry]
            if closed >> np.uint64(stop) & ONE != ZERO:
                continue
            effort -= 1
            link, flags = near_link[entry], near_flags[entry]
            if link == banned or (flags & NEAR_FIRST and depth + head > 0):
                continue
            if target >= 0 and (flags & FAR_LAST or blocked >> np.uint64(stop) & ONE != ZERO):
                continue
            free = frames[depth, SIDES] + link_sides[link] <= hex_limit
            for word in range(words):
                if marks[depth, USED + word] & link_masks[link, word] != ZERO:
                    free = False
            for limit in range(limit_count):
                if counts[depth, limit] + cost[stop, limit] > limits[limit]:
                    free = False
            if free:
                chosen = entry
                break
        frames[depth, POINTER], frames[depth, LEFT] = pointer, left
        if chosen < 0:
            depth -= 1
            continue
        stop, link = near_to[chosen], near_link[chosen]
        old = depth
        depth += 1
        frames[depth, AT], frames[depth, LINK], frames[depth, FLAGS] = stop, link, near_flags[chosen]
        frames[depth, SIDES] = frames[old, SIDES] + link_sides[link]
        frames[depth, SUM] = frames[old, SUM] + revenue[stop]
        marks[depth, VISITED] = marks[old, VISITED] | ONE << np.uint64(stop)
        marks[depth, CLOSED] = closed | excludes[stop]
        marks[depth, HEXES] = marks[old, HEXES] | link_hexes[link]
        for word in range(words):
            marks[depth, USED + word] = marks[old, USED + word] | link_masks[link, word]
        for limit in range(limit_count):
            counts[depth, limit] = counts[old, limit] + cost[stop, limit]
        fresh = True
    return best, size


@compiled
def splice(walk, head, tail, size):  # type: ignore[no-untyped-def]
    """Put the links found in the place of those from `head` to `tail` (the end of the route, if open)."""
    links, stops, flags, found, ends = walk.links, walk.stops, walk.flags, walk.found, walk.ends
    length = walk.control[LENGTH]
    shift = size - (tail - head)
    if shift > 0:
        for place in range(length - 1, tail - 1, -1):
            links[place + shift], flags[place + shift] = links[place], flags[place]
            stops[place + shift + 1] = stops[place + 1]
    elif shift < 0:
        for place in range(tail, length):
            links[place + shift], flags[place + shift] = links[place], flags[place]
            stops[place + shift + 1] = stops[place + 1]
    for number in range(size):
        link = found[number, 0]
        links[head + number], flags[head + number] = link, found[number, 1]
        here = stops[head + number]
        stops[head + number + 1] = ends[link, 0] + ends[link, 1] - here
    walk.control[LENGTH] = length + shift


@compiled
def rotate(plan, walk):  # type: ignore[no-untyped-def]
    """Join the last stop to one before, and end after that one; returns the place of the new link, or -1.

    The first frame has the whole route. `walk.found` gets the link that was there, and its flags, to undo this.
    """
    links, stops, flags, seed, found = walk.links, walk.stops, walk.flags, walk.seed, walk.found
    marks, sides, length = walk.marks, walk.frames[0, SIDES], walk.control[LENGTH]
    near_start, near_link, near_to, near_flags = plan.near_start, plan.near_link, plan.near_to, plan.near_flags
    link_masks, link_sides, hex_limit = plan.link_masks, plan.link_sides, plan.config[HEX_LIMIT]
    end, words, visited = stops[length], plan.config[WORDS], marks[0, VISITED]
    begin, count = near_start[end], near_start[end + 1] - near_start[end]
    pointer, stride = draw(seed, count), PRIMES[draw(seed, 8)] % count
    for _ in range(count):
        entry = begin + pointer
        pointer = (pointer + stride) % count
        stop, link = near_to[entry], near_link[entry]
        if visited >> np.uint64(stop) & ONE == ZERO or near_flags[entry] & (NEAR_FIRST | FAR_LAST):
            continue
        place = 0
        while stops[place] != stop:
            place += 1
        if place >= length - 1:
            continue
        freed = links[place]
        free = sides - link_sides[freed] + link_sides[link] <= hex_limit
        for word in range(words):
            if marks[0, USED + word] & ~link_masks[freed, word] & link_masks[link, word] != ZERO:
                free = False
        if free:
            found[0, 0], found[0, 1] = freed, flags[place]
            turn_round(links, stops, flags, place + 1, length)
            links[place], flags[place] = link, 0
            return place
    return -1


@compiled
def is_shut(flags, stops, blocked, length):  # type: ignore[no-untyped-def]
    """Whether a route cannot go on beyond its last stop."""
    return flags[length - 1] & FAR_LAST != 0 or blocked >> np.uint64(stops[length]) & ONE != ZERO


@compiled
def keep_best(control, links, best):  # type: ignore[no-untyped-def]
    """Take note of the route as it is."""
    control[BEST_SCORE], control[BEST_LENGTH] = control[SCORE], control[LENGTH]
    for place in range(control[LENGTH]):
        best[place] = links[place]


@compiled
def change(plan, walk, heat, moves):  # type: ignore[no-untyped-def]
    """Make up to `moves` moves; `heat`: how much worse a change may typically be. Leaves the best route on the way."""
    control, seed, links, stops, flags = walk.control, walk.seed, walk.links, walk.stops, walk.flags
    roots, blocked = plan.roots, plan.sets[BLOCKED]
    stations = roots.shape[0]
    if control[LENGTH] == 0:
        control[SCORE] = 0
    keep_best(control, links, walk.best)
    if stations == 0:
        return
    for _ in range(moves):
        length = control[LENGTH]
        if length == 0:
            stops[0] = roots[draw(seed, stations)]
        elif draw(seed, 2):
            turn_round(links, stops, flags, 0, length)
        place, effort = -1, EFFORTS[draw(seed, 3)]
        if length > 2 and draw(seed, 8) == 0:
            if is_shut(flags, stops, blocked, length):
                continue
            rest_of(plan, walk, length, length)
            place = rotate(plan, walk)
            if place < 0:
                continue
            freed, freed_flags = walk.found[0, 0], walk.found[0, 1]
            head, tail, banned, most_depth, target = length, length, -1, 0, -1
        else:
            head = draw(seed, length + 1)
            if head == length and length > 0 and is_shut(flags, stops, blocked, length):
                continue
            tail = head + 1 + draw(seed, STRETCH)
            target = stops[tail] if tail <= length else -1
            tail = min(tail, length)
            banned = links[head + draw(seed, tail - head)] if tail > head else -1
            most_depth = tail - head + DEEPER
        rest_of(plan, walk, head, tail if target >= 0 else length + 1)
        score, size = search(plan, walk, head, target, banned, most_depth, effort)
        loss = control[SCORE] - score
        if score == ILLEGAL or (loss > 0 and (heat <= 0 or loss > -heat * np.log((1 + draw(seed, FINE)) / FINE))):
            if place >= 0:
                links[place], flags[place] = freed, freed_flags
                turn_round(links, stops, flags, place + 1, length)
            continue
        splice(walk, head, tail, size)
        control[SCORE] = score
        if score > control[BEST_SCORE]:
            keep_best(control, links, walk.best)
