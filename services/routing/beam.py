"""Beam search: a good route quickly where there are too many to walk.

Routes grow by one link at a time; of each length only the most promising are kept, by what they earn and what
they can still reach. Nothing is proven: the result is a lower bound to start from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from services.routing.bits import ctz
from services.routing.compiled import compiled
from services.routing.kernel_value import (
    ILLEGAL,
    NO_ROOM,
    bonus_bound,
    bonus_value,
    choice_value,
    choose,
    revenue_of,
)
from services.routing.plan import (
    ALLOWED,
    BLOCKED,
    FAR_LAST,
    FORCED,
    HEX_LIMIT,
    NEAR_FIRST,
    NO_END,
    PAY,
    TOKEN_MUST_PAY,
    WORDS,
    Ints,
    Plan,
    Words,
)
from services.routing.rules import PAY_ALL

ZERO = np.uint64(0)
ONE = np.uint64(1)
SECOND = 1 << 30

# Columns of the numbers of a partial route: growing end, other end, whether the second arm grows, whether it may
# begin, hex sides crossed, partial route it comes from, link, whether it may grow, promise, score if run as it is.
TIP, TAIL, ARM, FORK, SIDES, PARENT, LINK, OPEN, PROMISE, SCORE, STATION, COLUMNS = range(12)
# Columns of its words, before the conflict words.
VISITED, CLOSED, HEXES, USED = range(4)


@dataclass
class Level:
    """Partial routes of one length."""

    numbers: Ints
    words: Words
    counts: Ints


@compiled
def flood(neighbors, blocked, start, closed):  # type: ignore[no-untyped-def]
    """Stops in reach of the stops in `start`, ignoring conflicts."""
    found = ZERO
    fresh = start
    while fresh != ZERO:
        wave = ZERO
        while fresh != ZERO:
            wave |= neighbors[ctz(fresh)]
            fresh &= fresh - ONE
        wave &= ~closed & ~found
        found |= wave
        fresh = wave & ~blocked
    return found


@compiled
def grow(plan, numbers, words, counts, new_numbers, new_words, new_counts, scratch):  # type: ignore[no-untyped-def]
    """Every partial route one link longer; returns how many (as many as there is room for)."""
    config, sets, revenue, excludes, pairs = plan.config, plan.sets, plan.revenue, plan.excludes, plan.pairs
    near_start, near_link, near_to, near_flags = plan.near_start, plan.near_link, plan.near_to, plan.near_flags
    link_masks, link_sides, link_hexes = plan.link_masks, plan.link_sides, plan.link_hexes
    pay_sets, pay_limits, bonuses, bonus_sets = plan.pay_sets, plan.pay_limits, plan.bonuses, plan.bonus_sets
    cost, limits, neighbors = plan.cost, plan.limits, plan.neighbors
    size, pay, token_must_pay = config[WORDS], config[PAY], config[TOKEN_MUST_PAY] != 0
    blocked, no_end, forced = sets[BLOCKED], sets[NO_END], sets[FORCED]
    count = 0
    for row in range(numbers.shape[0]):
        for side in range(2):
            if side == 0 and not numbers[row, OPEN]:
                continue
            if side == 1 and not (numbers[row, FORK] and numbers[row, LINK] >= 0):
                continue
            base = numbers[row, TIP] if side == 0 else numbers[row, STATION]
            for entry in range(near_start[base], near_start[base + 1]):
                stop, link, flags = near_to[entry], near_link[entry], near_flags[entry]
                bit = ONE << np.uint64(stop)
                if words[row, CLOSED] & bit != ZERO or (flags & NEAR_FIRST and numbers[row, LINK] >= 0):
                    continue
                fits = numbers[row, SIDES] + link_sides[link] <= config[HEX_LIMIT]
                for word in range(size):
                    if words[row, USED + word] & link_masks[link, word] != ZERO:
                        fits = False
                for limit in range(limits.shape[0]):
                    if counts[row, limit] + cost[stop, limit] > limits[limit]:
                        fits = False
                if not fits:
                    continue
                if count >= new_numbers.shape[0]:
                    return count
                for limit in range(limits.shape[0]):
                    new_counts[count, limit] = counts[row, limit] + cost[stop, limit]
                for word in range(size):
                    new_words[count, USED + word] = words[row, USED + word] | link_masks[link, word]
                visited = words[row, VISITED] | bit
                closed = words[row, CLOSED] | excludes[stop]
                hexes = words[row, HEXES] | link_hexes[link]
                new_words[count, VISITED], new_words[count, CLOSED] = visited, closed
                new_words[count, HEXES] = hexes
                tail = numbers[row, TAIL] if side == 0 else numbers[row, TIP]
                fork = numbers[row, FORK] if side == 0 else 0
                if numbers[row, LINK] < 0 and flags & NEAR_FIRST:
                    fork = 0
                is_open = not flags & FAR_LAST and blocked & bit == ZERO
                new_numbers[count, TIP], new_numbers[count, TAIL] = stop, tail
                new_numbers[count, ARM] = numbers[row, ARM] if side == 0 else 1
                new_numbers[count, FORK] = fork
                new_numbers[count, SIDES] = numbers[row, SIDES] + link_sides[link]
                new_numbers[count, PARENT] = row
                new_numbers[count, LINK] = link if side == 0 else link | SECOND
                new_numbers[count, OPEN] = is_open
                new_numbers[count, STATION] = numbers[row, STATION]
                start = bit if is_open else ZERO
                if fork:
                    start |= ONE << np.uint64(numbers[row, STATION])
                every = visited | flood(neighbors, blocked, start, closed)
                both = bit | ONE << np.uint64(tail)
                score = ILLEGAL
                if no_end & both == ZERO and pairs[stop] & both == ZERO:
                    if pay == PAY_ALL:
                        score = revenue_of(revenue, visited)
                        score += bonus_value(bonuses, bonus_sets, revenue, visited, visited, hexes, stop, tail)
                    else:
                        score = choice_value(
                            sets, pay_sets, pay_limits, bonuses, bonus_sets, revenue, scratch,
                            token_must_pay, False, visited, hexes, stop, tail,
                        )  # fmt: skip
                promise = bonus_bound(bonuses, bonus_sets, revenue, every)
                if pay == PAY_ALL:
                    now = revenue_of(revenue, visited)
                    promise += now + revenue_of(revenue, every & ~visited)
                else:
                    fit = choose(pay_sets, pay_limits, forced & visited, every, scratch)
                    now = max(0, score)
                    promise += 0 if fit == NO_ROOM else revenue_of(revenue, fit)
                new_numbers[count, PROMISE] = 4 * promise + now
                new_numbers[count, SCORE] = score
                count += 1
    return count


def beam(plan: Plan, blocked: Words, width: int, tick: Callable[[int], None]) -> tuple[int, list[int]] | None:
    """Score and logged links (see `kernel.SECOND`) of the best route a beam of `width` meets.

    `tick` is called with the number of partial routes looked at, after each length.
    """
    level = _stations(plan, blocked)
    levels: list[Level] = []
    best: tuple[int, int, int] | None = None
    room = width * 12
    scratch = np.zeros(max(1, plan.pay_limits.shape[0]), dtype=np.uint64)
    while len(level.numbers):
        levels.append(level)
        numbers = np.zeros((room, COLUMNS), dtype=np.int64)
        words = np.zeros((room, level.words.shape[1]), dtype=np.uint64)
        counts = np.zeros((room, level.counts.shape[1]), dtype=np.int64)
        count = grow(plan, level.numbers, level.words, level.counts, numbers, words, counts, scratch)
        tick(count)
        chosen = _select(numbers[:count], words[:count], width)
        level = Level(numbers[chosen], words[chosen], counts[chosen])
        if count:
            top = int(np.argmax(level.numbers[:, SCORE]))
            score = int(level.numbers[top, SCORE])
            if score > ILLEGAL and (best is None or score > best[0]):
                best = score, len(levels), top
    if best is None:
        return None
    score, depth, row = best
    levels.append(level)
    steps: list[int] = []
    while depth > 0:
        steps.append(int(levels[depth].numbers[row, LINK]))
        row = int(levels[depth].numbers[row, PARENT])
        depth -= 1
    return score, steps[::-1]


def _stations(plan: Plan, blocked: Words) -> Level:
    size = len(plan.roots)
    numbers = np.zeros((size, COLUMNS), dtype=np.int64)
    words = np.zeros((size, USED + len(blocked)), dtype=np.uint64)
    counts = np.zeros((size, max(1, plan.limits.shape[0])), dtype=np.int64)
    for row, stop in enumerate(plan.roots):
        bit = np.uint64(1 << int(stop))
        free = not plan.sets[BLOCKED] & bit
        numbers[row, [TIP, TAIL, STATION]] = stop
        numbers[row, [FORK, OPEN, LINK]] = free, 1, -1
        words[row, VISITED] = bit
        words[row, CLOSED] = ~plan.sets[ALLOWED] | plan.excludes[stop]
        words[row, USED:] = blocked
        counts[row, : plan.limits.shape[0]] = plan.cost[stop]
    fits = (counts[:, : plan.limits.shape[0]] <= plan.limits).all(axis=1)
    return Level(numbers[fits], words[fits], counts[fits])


def _select(numbers: Ints, words: Words, width: int) -> Ints:
    """Rows to keep: of routes that differ only in track one, then the most promising; the best score always."""
    if not len(numbers):
        return np.zeros(0, dtype=np.int64)
    keys = (-numbers[:, SCORE], -numbers[:, PROMISE], numbers[:, FORK], numbers[:, TAIL], numbers[:, TIP])
    order = np.lexsort((*keys, words[:, VISITED]))
    same = np.zeros(len(order), dtype=np.bool_)
    same[1:] = words[order[1:], VISITED] == words[order[:-1], VISITED]
    for column in (TIP, TAIL, FORK):
        same[1:] &= numbers[order[1:], column] == numbers[order[:-1], column]
    order = order[~same]
    if len(order) > width:
        ranked = np.argsort(-numbers[order, PROMISE], kind="stable")[:width]
        order = order[np.unique(np.append(ranked, np.argmax(numbers[order, SCORE])))]
    return order.astype(np.int64)
