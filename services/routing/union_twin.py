"""Inner search of `services.routing.union` in plain Python, without limits on size or kinds of rows."""

from __future__ import annotations

from collections.abc import Callable

from services.routing.union import Choice, Member, Option, Setting, Task


class PythonInner:
    """See `services.routing.union.Inner`."""

    def __init__(self, setting: Setting, tick: Callable[[int], None]) -> None:
        self.setting = setting
        self.tick = tick
        self.ranked: list[list[int]] = []
        self.alone: list[list[int]] = []
        known: dict[int, tuple[list[int], list[int]]] = {}
        for number, member in enumerate(setting.members):
            if member.group not in known:
                scores = [self._score([(number, option)], 0) for option in member.options]
                known[member.group] = sorted(range(len(scores)), key=lambda n: (-scores[n], n)), scores
            order, scores = known[member.group]
            self.ranked.append(order)
            self.alone.append(scores)
        tops = [max((*scores, 0)) for scores in self.alone]
        self.rest = [sum(tops[number + 1 :]) for number in range(len(tops))]
        self.steps = 0

    def search(self, task: Task) -> Choice | None:
        members = self.setting.members
        best: Choice | None = None
        needed = task.needed
        chosen: list[tuple[int, Option]] = []
        numbers: list[int] = []

        def place(number: int, total: int, start: int) -> None:
            nonlocal best, needed
            self.steps += 1
            if self.steps % 64 == 0:
                self.tick(64)
            if number == len(members):
                if total >= needed and (task.free or self._allowed(chosen, task.freight)):
                    best, needed = (total, list(numbers)), total + 1
                return
            order, alone = self.ranked[number], self.alone[number]
            same = number + 1 < len(members) and members[number + 1].group == members[number].group
            for rank in range(start, len(order)):
                if total + alone[order[rank]] + self.rest[number] < needed:
                    break
                chosen.append((number, members[number].options[order[rank]]))
                numbers.append(order[rank])
                score = self._score(chosen, task.paid)
                if score + self.rest[number] >= needed:
                    place(number + 1, score, rank if same else 0)
                chosen.pop()
                numbers.pop()
            if total + self.rest[number] >= needed:
                numbers.append(-1)
                place(number + 1, total, len(order) if same else 0)
                numbers.pop()

        place(0, 0, 0)
        return best

    def _score(self, chosen: list[tuple[int, Option]], paid: int) -> int:
        """Score of some routes: places in falling value, each if a train has room, perhaps after others move."""
        setting = self.setting
        total = sum(option.extra for _, option in chosen)
        hexes = 0
        rooms: list[tuple[int, int]] = []
        always = 0
        for number, option in chosen:
            hexes |= option.hexes
            unlimited, limited = self._rooms(setting.members[number], option)
            always |= unlimited
            rooms += limited
        total += setting.hex_amount * hexes.bit_count()
        places = 0
        for able, _ in rooms:
            places |= able
        held: list[list[int]] = [[] for _ in rooms]

        def seat(bit: int, tried: set[int]) -> bool:
            for number, (able, most) in enumerate(rooms):
                if not able & bit or number in tried:
                    continue
                tried.add(number)
                if len(held[number]) < most:
                    held[number].append(bit)
                    return True
                for other in list(held[number]):
                    if seat(other, tried):
                        held[number].remove(other)
                        held[number].append(bit)
                        return True
            return False

        for stop, amount in enumerate(setting.amounts):
            bit = 1 << stop
            if paid & bit:
                continue
            if always & bit or (places & bit and seat(bit, set())):
                total += amount
        return total

    def _rooms(self, member: Member, option: Option) -> tuple[int, list[tuple[int, int]]]:
        """Places a route always pays, and its (places, most) rooms."""
        limited, found = 0, []
        for mask, most in member.limits:
            limited |= mask
            found.append((self._places(option.visited & mask), most))
        return self._places(option.visited & ~limited), found

    def _places(self, stops: int) -> int:
        mask = 0
        for stop, bit in enumerate(self.setting.place):
            if stops >> stop & 1:
                mask |= bit
        return mask

    def _allowed(self, chosen: list[tuple[int, Option]], freight: list[int]) -> bool:
        sets = [*freight, *(option.visited for _, option in chosen)]
        if not sets:
            return True
        if self.setting.home >= 0 and not any(visited & self.setting.home for visited in sets):
            return False
        if not self.setting.connect:
            return True
        together, rest = sets[0], sets[1:]
        while rest:
            touching = [visited for visited in rest if visited & together]
            if not touching:
                return False
            rest = [visited for visited in rest if not visited & together]
            for visited in touching:
                together |= visited
        return True
