"""Train rules as flat arrays for the compiled kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from services.routing.contract import Network
from services.routing.rules import TrainRules

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

WORD = 64
MASK = (1 << WORD) - 1

# Positions in `Plan.config`.
(
    STOPS,
    WORDS,
    SHARED_WORDS,
    LIMITS,
    PAY,
    PAY_LIMITS,
    TOKEN_MUST_PAY,
    TRIMS,
    HEX_LIMIT,
    BASE,
    RATE,
    PORT_RATE,
    GREATEST_DISTANCE,
    RANGE_LIMIT,
    COMPLEX,
    CONFIG_SIZE,
) = range(16)

# Positions in `Plan.sets`.
ALLOWED, BLOCKED, TOKEN, NO_END, FORCED, PORTS, SETS_SIZE = range(7)

# Kinds of bonus in `Plan.bonuses`.
SET, HEX, ECHO, END, VISIT = range(5)

# Bits of `Plan.near_flags`: the link must begin a route here, must end one there, leads to its second end.
NEAR_FIRST, FAR_LAST, TO_SECOND = 1, 2, 4


class Plan(NamedTuple):
    """Everything about a class of trains that does not change while searching. `n` stops, `l` links, `w` words.

    Adjacent links of stop i are the entries `near_start[i]:near_start[i + 1]` of the `near_*` arrays.
    A row of `bonuses` is (kind, amount, begin, end) with the sets `bonus_sets[begin:end]`.
    """

    config: Ints
    sets: Words
    roots: Ints
    revenue: Ints
    excludes: Words
    pairs: Words
    neighbors: Words
    cost: Ints
    limits: Ints
    pay_sets: Words
    pay_limits: Ints
    near_start: Ints
    near_link: Ints
    near_to: Ints
    near_flags: Ints
    link_masks: Words
    link_sides: Ints
    link_hexes: Words
    link_place: Ints
    shared: Words
    bonuses: Ints
    bonus_sets: Words


def fits_kernel(rules: TrainRules, network: Network) -> bool:
    """Whether the fixed-size words of the kernel hold this class; the plain-Python twin has no such limits."""
    tiles = 0
    for mask, _ in rules.hexes:
        tiles |= mask
    return len(network.stops) < WORD and tiles.bit_count() <= WORD and len(rules.sets) + len(rules.echoes) <= 16


def words(mask: int, count: int) -> list[int]:
    """A bit set as `count` words, lowest first."""
    return [mask >> (WORD * number) & MASK for number in range(count)]


def _ints(values: object) -> Ints:
    return np.array(values, dtype=np.int64)


def _words(values: object) -> Words:
    return np.array(values, dtype=np.uint64)


def make_plan(rules: TrainRules, network: Network, places: list[tuple[int, int]]) -> Plan:
    """Arrays for one class; `places` has the doubled coordinates of every problem hex."""
    count = len(rules.order)
    position = {index: place for place, index in enumerate(rules.order)}
    size = max(1, -(-network.bits // WORD))
    shared_size = max(1, -(-network.shared_bits // WORD))
    start, link_ids, targets, flags, neighbors = [0], [], [], [], []
    for index in rules.order:
        entries = []
        around = 0
        for number in network.near[index] if rules.allowed >> position[index] & 1 else ():
            link = network.links[number]
            side = 0 if link.ends[0] == index else 1
            other = position[link.ends[1 - side]]
            if not rules.allowed >> other & 1 or link.sides > rules.hex_limit:
                continue
            first, last = (link.start_first, link.end_last) if side == 0 else (link.end_last, link.start_first)
            entries.append((other, number, NEAR_FIRST * first + FAR_LAST * last + TO_SECOND * (side == 0)))
            around |= 1 << other
        entries.sort()
        link_ids += [entry[1] for entry in entries]
        targets += [entry[0] for entry in entries]
        flags += [entry[2] for entry in entries]
        start.append(len(link_ids))
        neighbors.append(around)
    tiles = sorted({tile for mask, _ in rules.hexes for tile in _members(mask)})
    tile_bit = {tile: bit for bit, tile in enumerate(tiles)}
    config = [0] * CONFIG_SIZE
    config[STOPS], config[WORDS], config[SHARED_WORDS] = count, size, shared_size
    config[LIMITS], config[PAY], config[PAY_LIMITS] = len(rules.limits), rules.pay, len(rules.pay_limits)
    config[TOKEN_MUST_PAY], config[TRIMS] = rules.token_must_pay, rules.trims_ends
    config[HEX_LIMIT], config[BASE] = rules.hex_limit, rules.base
    config[RATE], config[PORT_RATE] = rules.rate, rules.port_rate
    config[GREATEST_DISTANCE] = greatest_distance(places) if rules.rate or rules.port_rate else 0
    config[RANGE_LIMIT] = next(
        (
            number
            for number, (mask, _) in enumerate(rules.limits)
            if not rules.allowed & ~mask and all(rules.cost[place] for place in _members(rules.allowed))
        ),
        -1,
    )
    config[COMPLEX] = bool(rules.sets or rules.echoes or rules.ends or rules.token_must_pay)
    rows, sets = _bonus_table(rules, tile_bit)
    limits = rules.limits
    roots = _members(rules.token & rules.allowed)
    return Plan(
        config=_ints(config),
        sets=_words([rules.allowed, rules.blocked, rules.token, rules.no_end, rules.forced, rules.ports]),
        roots=_ints(roots),
        revenue=_ints(rules.revenue),
        excludes=_words(rules.excludes),
        pairs=_words(rules.pairs),
        neighbors=_words(neighbors),
        cost=_ints([[rules.cost[p] if mask >> p & 1 else 0 for mask, _ in limits] for p in range(count)]).reshape(
            count, len(limits)
        ),
        limits=_ints([most for _, most in limits]),
        pay_sets=_words([mask for mask, _ in rules.pay_limits]),
        pay_limits=_ints([most for _, most in rules.pay_limits]),
        near_start=_ints(start),
        near_link=_ints(link_ids),
        near_to=_ints(targets),
        near_flags=_ints(flags),
        link_masks=_words([words(link.mask, size) for link in network.links]).reshape(-1, size),
        link_sides=_ints([link.sides for link in network.links]),
        link_hexes=_words([sum(1 << tile_bit[t] for t in tiles if link.hexes >> t & 1) for link in network.links]),
        link_place=_places(rules, network, places, position),
        shared=_words(words((1 << network.shared_bits) - 1, shared_size)),
        bonuses=_ints(rows).reshape(-1, 4),
        bonus_sets=_words(sets),
    )


def _bonus_table(rules: TrainRules, tile_bit: dict[int, int]) -> tuple[list[list[int]], list[int]]:
    """Rows and sets of `Plan.bonuses`."""
    rows: list[list[int]] = []
    sets: list[int] = []

    def add(kind: int, amount: int, groups: list[int]) -> None:
        rows.append([kind, amount, len(sets), len(sets) + len(groups)])
        sets.extend(groups)

    for groups, amount in rules.sets:
        add(SET, amount, groups)
    for mask, amount in rules.hexes:
        add(HEX, amount, [sum(1 << tile_bit[tile] for tile in _members(mask))])
    for trigger, rest in rules.echoes:
        add(ECHO, 0, [trigger, rest])
    for mask in rules.ends:
        add(END, 0, [mask])
    for mask, amount in rules.visits:
        add(VISIT, amount, [mask])
    return rows, sets


def _members(mask: int) -> list[int]:
    found = []
    while mask:
        found.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return found


def _places(rules: TrainRules, network: Network, places: list[tuple[int, int]], position: dict[int, int]) -> Ints:
    """By link and end: x, y and 1 for an off-board end; shape (links, 2, 3), empty if ends are not measured."""
    if not (rules.rate or rules.port_rate):
        return np.zeros((1, 2, 3), dtype=np.int64)
    return _ints(
        [
            [
                [*places[before], rules.offboard >> position[end] & 1]
                for before, end in zip(link.before, link.ends, strict=True)
            ]
            for link in network.links
        ]
    ).reshape(-1, 2, 3)


def greatest_distance(places: list[tuple[int, int]]) -> int:
    """An upper bound for the distance payment's number of hexes."""
    if not places:
        return 0
    width = max(x for x, _ in places) - min(x for x, _ in places)
    height = max(y for _, y in places) - min(y for _, y in places)
    return width + max(0, height - width + 1) + 2
