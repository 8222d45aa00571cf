"""Compiled inner search of `services.routing.union`: trains that are paid together, each place once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from services.routing.bits import ctz, popcount
from services.routing.compiled import compiled
from services.routing.plan import WORD, Ints, Words, words
from services.routing.union import Choice, Member, Setting, Task

ZERO = np.uint64(0)
ONE = np.uint64(1)
SLICE = 20_000
MAX_SLOTS = 6

# Positions in `control`.
LEVEL, NEEDED, BEST, STEPS, FREE = range(5)


def fits(setting: Setting) -> bool:
    """Whether the words and tables of the kernel hold the problem."""
    slots = sum(len([limit for limit in member.limits if limit[1]]) for member in setting.members)
    return len(setting.place) < WORD and slots <= MAX_SLOTS and all(_disjoint(m) for m in setting.members)


def _disjoint(member: Member) -> bool:
    seen = 0
    for mask, most in member.limits:
        if most and seen & mask:
            return False
        seen |= mask if most else 0
    return True


@compiled
def score_of(  # type: ignore[no-untyped-def]
    count, choice, always, able, caps, slot_first, slot_size, hexes, extra, amounts, hex_amount, paid, room, held
):
    """Score of the options `choice[:count]` (-1: idle): places count once, limited places as slots allow.

    Places that can be counted together are those for which, for every set of slots, no more of them depend on
    the set than it has room for; the dearest are taken first.
    """
    total = 0
    union = paid
    limited = ZERO
    slots = 0
    for member in range(count):
        row = choice[member]
        if row < 0:
            continue
        total += extra[row]
        union |= always[row]
        for slot in range(slot_size[member]):
            limited |= able[row, slot]
            slots += 1
    fresh = union & ~paid
    while fresh != ZERO:
        total += amounts[ctz(fresh)]
        fresh &= fresh - ONE
    if hex_amount > 0:
        for word in range(hexes.shape[1]):
            mask = ZERO
            for member in range(count):
                if choice[member] >= 0:
                    mask |= hexes[choice[member], word]
            total += hex_amount * popcount(mask)
    limited &= ~union
    if limited == ZERO:
        return total
    sets = 1 << slots
    for subset in range(sets):
        held[subset] = 0
        room[subset] = 0
    slot = 0
    for member in range(count):
        if choice[member] >= 0:
            for number in range(slot_size[member]):
                cap = caps[slot_first[member] + number]
                for subset in range(sets):
                    if subset >> slot & 1:
                        room[subset] += cap
                slot += 1
    while limited != ZERO:
        place = ctz(limited)
        limited &= limited - ONE
        within = 0
        slot = 0
        for member in range(count):
            if choice[member] >= 0:
                for number in range(slot_size[member]):
                    if able[choice[member], number] >> np.uint64(place) & ONE != ZERO:
                        within |= 1 << slot
                    slot += 1
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
def is_allowed(count, choice, visited, freight, home, connect):  # type: ignore[no-untyped-def]
    """Whether routes visit home (if `home` has a bit) and hang together (if `connect`)."""
    sets = np.empty(count + freight.shape[0], dtype=np.uint64)
    size = 0
    union = ZERO
    for mask in freight:
        sets[size] = mask
        size += 1
        union |= mask
    for member in range(count):
        if choice[member] >= 0:
            sets[size] = visited[choice[member]]
            union |= sets[size]
            size += 1
    if size == 0:
        return True
    if home[0] and union & home[1] == ZERO:
        return False
    if connect:
        together = sets[0]
        sets[0] = ZERO
        left = size - 1
        grown = True
        while grown and left > 0:
            grown = False
            for number in range(1, size):
                if sets[number] != ZERO and sets[number] & together != ZERO:
                    together |= sets[number]
                    sets[number] = ZERO
                    left -= 1
                    grown = True
        return left == 0
    return True


@compiled
def search(  # type: ignore[no-untyped-def]
    control,
    pointers,
    choice,
    best_choice,
    sums,
    first,
    last,
    same,
    rest,
    alone,
    visited,
    always,
    able,
    caps,
    slot_first,
    slot_size,
    hexes,
    extra,
    amounts,
    hex_amount,
    paid,
    freight,
    home,
    connect,
    room,
    held,
    budget,
):
    """Go on for up to `budget` steps; true when every choice worth `control[NEEDED]` has been looked at."""
    members = first.shape[0]
    level = control[LEVEL]
    if members == 0:
        if control[NEEDED] <= 0 and (control[FREE] or is_allowed(0, choice, visited, freight, home, connect)):
            control[BEST] = 0
            control[STEPS] = 1
        return True
    while level >= 0:
        if budget <= 0:
            control[LEVEL] = level
            return False
        budget -= 1
        row = pointers[level]
        before = sums[level - 1] if level > 0 else 0
        if row > last[level]:
            level -= 1
            continue
        idle = row == last[level]
        gain = 0 if idle else alone[row]
        if before + max(gain, 0) + rest[level] < control[NEEDED]:
            level -= 1
            continue
        if not idle and before + gain + rest[level] < control[NEEDED]:
            pointers[level] = last[level]
            continue
        pointers[level] = row + 1
        choice[level] = -1 if idle else row
        total = before
        if not idle:
            total = score_of(
                level + 1,
                choice,
                always,
                able,
                caps,
                slot_first,
                slot_size,
                hexes,
                extra,
                amounts,
                hex_amount,
                paid,
                room,
                held,
            )
        if total + rest[level] < control[NEEDED]:
            continue
        sums[level] = total
        if level == members - 1:
            if control[FREE] or is_allowed(members, choice, visited, freight, home, connect):
                control[BEST] = total
                control[NEEDED] = total + 1
                control[STEPS] = 1
                for member in range(members):
                    best_choice[member] = choice[member]
            continue
        level += 1
        pointers[level] = row if same[level] and not idle else (last[level] if same[level] else first[level])
    control[LEVEL] = level
    return True


class KernelInner:
    """See `services.routing.union.Inner`."""

    def __init__(self, setting: Setting, tick: Callable[[int], None]) -> None:
        self.setting = setting
        self.tick = tick
        count = len(setting.members)
        self.first = np.zeros(count, dtype=np.int64)
        self.last = np.zeros(count, dtype=np.int64)
        self.same = np.zeros(count, dtype=np.bool_)
        self.slot_first = np.zeros(count, dtype=np.int64)
        self.slot_size = np.zeros(count, dtype=np.int64)
        self.numbers: list[list[int]] = []
        caps: list[int] = []
        rows: list[tuple[int, int, list[int], int, int, int]] = []
        starts: dict[int, tuple[int, int, list[int]]] = {}
        for number, member in enumerate(setting.members):
            limits = [limit for limit in member.limits if limit[1]]
            self.slot_first[number], self.slot_size[number] = len(caps), len(limits)
            caps += [most for _, most in limits]
            self.same[number] = member.group in starts
            if member.group not in starts:
                ranked = self._rows(member, limits)
                starts[member.group] = len(rows), len(rows) + len(ranked), [entry[0] for entry in ranked]
                rows += ranked
            self.first[number], self.last[number], numbers = starts[member.group]
            self.numbers.append(numbers)
        self.caps = np.array(caps or [0], dtype=np.int64)
        self._tables(rows)
        tops = [max(0, int(self.alone[f])) if f < t else 0 for f, t in zip(self.first, self.last, strict=True)]
        self.rest = np.array([sum(tops[number + 1 :]) for number in range(count)], dtype=np.int64)
        self.room = np.zeros(1 << MAX_SLOTS, dtype=np.int64)
        self.held = np.zeros(1 << MAX_SLOTS, dtype=np.int64)
        self.home = np.array([setting.home >= 0, max(0, setting.home)], dtype=np.uint64)

    def _rows(self, member: Member, limits: list[tuple[int, int]]) -> list[tuple[int, int, list[int], int, int, int]]:
        """(option, places always paid, limited places by slot, visited, hexes, extra), best alone first."""
        limited = 0
        for mask, _ in member.limits:
            limited |= mask
        found = []
        for number, option in enumerate(member.options):
            able = [self._places(option.visited & mask) for mask, _ in limits]
            always = self._places(option.visited & ~limited)
            found.append((number, always, able, option.visited, option.hexes, option.extra))
        alone = [self._alone(entry, [most for _, most in limits]) for entry in found]
        return [found[number] for number in sorted(range(len(found)), key=lambda n: (-alone[n], n))]

    def _places(self, stops: int) -> int:
        mask = 0
        while stops:
            mask |= self.setting.place[(stops & -stops).bit_length() - 1]
            stops &= stops - 1
        return mask

    def _alone(self, entry: tuple[int, int, list[int], int, int, int], caps: list[int]) -> int:
        """Score of one route by itself."""
        _, always, able, _, hexes, extra = entry
        total = extra + self.setting.hex_amount * hexes.bit_count() + self._sum(always, WORD)
        return total + sum(self._sum(mask & ~always, most) for mask, most in zip(able, caps, strict=True))

    def _sum(self, places: int, most: int) -> int:
        total = 0
        while places and most:
            total += self.setting.amounts[(places & -places).bit_length() - 1]
            places &= places - 1
            most -= 1
        return total

    def _tables(self, rows: list[tuple[int, int, list[int], int, int, int]]) -> None:
        size = max(1, len(rows))
        width = max([1, *(len(entry[2]) for entry in rows)])
        hex_words = max([1, *(-(-entry[4].bit_length() // WORD) for entry in rows)])
        self.visited: Words = np.zeros(size, dtype=np.uint64)
        self.always: Words = np.zeros(size, dtype=np.uint64)
        self.able: Words = np.zeros((size, width), dtype=np.uint64)
        self.hexes: Words = np.zeros((size, hex_words), dtype=np.uint64)
        self.extra: Ints = np.zeros(size, dtype=np.int64)
        self.alone: Ints = np.zeros(size, dtype=np.int64)
        self.amounts: Ints = np.array([*self.setting.amounts, 0], dtype=np.int64)
        caps_by_row = {}
        for number in range(len(self.first)):
            slots = slice(self.slot_first[number], self.slot_first[number] + self.slot_size[number])
            for row in range(self.first[number], self.last[number]):
                caps_by_row[row] = [int(cap) for cap in self.caps[slots]]
        for row, entry in enumerate(rows):
            _, always, able, visited, hexes, extra = entry
            self.visited[row], self.always[row], self.extra[row] = visited, always, extra
            for slot, mask in enumerate(able):
                self.able[row, slot] = mask
            for word, part in enumerate(words(hexes, hex_words)):
                self.hexes[row, word] = part
            self.alone[row] = self._alone(entry, caps_by_row[row])

    def search(self, task: Task) -> Choice | None:
        count = len(self.first)
        control = np.array([0, task.needed, 0, 0, task.free], dtype=np.int64)
        pointers = np.zeros(count + 1, dtype=np.int64)
        pointers[:count] = self.first
        choice = np.full(count + 1, -1, dtype=np.int64)
        best = np.full(count + 1, -1, dtype=np.int64)
        sums = np.zeros(count + 1, dtype=np.int64)
        freight = np.array(task.freight, dtype=np.uint64)
        done = False
        while not done:
            done = search(
                control,
                pointers,
                choice,
                best,
                sums,
                self.first,
                self.last,
                self.same,
                self.rest,
                self.alone,
                self.visited,
                self.always,
                self.able,
                self.caps,
                self.slot_first,
                self.slot_size,
                self.hexes,
                self.extra,
                self.amounts,
                self.setting.hex_amount,
                np.uint64(task.paid),
                freight,
                self.home,
                self.setting.connect,
                self.room,
                self.held,
                SLICE,
            )
            self.tick(SLICE if not done else 1)
        if not control[STEPS]:
            return None
        numbers = [
            -1 if best[member] < 0 else self.numbers[member][int(best[member] - self.first[member])]
            for member in range(count)
        ]
        return int(control[BEST]), numbers
