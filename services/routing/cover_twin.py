"""The search of `services.routing.cover` in plain Python, without limits on size: the fallback, and the oracle.

Depth first; at every step each seat that has not chosen yet is credited with the most it could add by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from services.routing.cover import HEX, Choice, Cover, Row, Seat, Tick, connected

PLACES = (1 << HEX) - 1


class PythonCovers:
    """See `services.routing.cover.CoverSearches`."""

    def __init__(self, amounts: list[int], hex_amount: int, tick: Tick) -> None:
        self.amounts = amounts
        self.hex_amount = hex_amount
        self.tick = tick
        self.best: dict[object, int] = {}

    def bound(self, seats: list[Seat]) -> int:
        total = 0
        for seat in seats:
            if seat.kind not in self.best:
                self.best[seat.kind] = max(self.gains(seat, 0), default=0)
            total += max(self.best[seat.kind], 0) if seat.idle else self.best[seat.kind]
        return total

    def search(self, cover: Cover, needed: int) -> PythonCover:
        return PythonCover(self, cover)

    def gains(self, seat: Seat, items: int) -> list[int]:
        """Most that each row of a seat can add to items that are paid already."""
        return [
            row.extra
            + self.sum(row.always & ~items)
            + sum(self.room(able & ~items & ~row.always, most) for able, most in zip(row.able, seat.caps, strict=True))
            for row in seat.rows
        ]

    def sum(self, items: int) -> int:
        """Score of a set of items."""
        total = self.hex_amount * (items >> HEX).bit_count()
        items &= PLACES
        while items:
            total += self.amounts[(items & -items).bit_length() - 1]
            items &= items - 1
        return total

    def room(self, able: int, most: int) -> int:
        """Most that one slot can add; the lowest places are the dearest."""
        kept = 0
        while able and most:
            kept |= able & -able
            able &= able - 1
            most -= 1
        return self.sum(kept)


class PythonCover:
    """See `services.routing.cover.CoverSearch`."""

    def __init__(self, covers: PythonCovers, cover: Cover) -> None:
        self.covers = covers
        self.cover = cover
        self.needed = 0
        self.bound = covers.bound(cover.seats)
        self.found = self._walk(0, [], 0, 0)

    def climb(self) -> Choice | None:
        return None

    def rows_left(self, seat: int) -> list[int]:
        return list(range(len(self.cover.seats[seat].rows)))

    def next(self, needed: int) -> Choice | None:
        self.needed = needed
        return next(self.found, None)

    def _walk(self, number: int, chosen: list[int], items: int, ends: int) -> Iterator[Choice]:
        self.covers.tick(1)
        cover = self.cover
        if number == len(cover.seats):
            rows = [(seat, cover.seats[seat].rows[row]) for seat, row in enumerate(chosen) if row >= 0]
            score = self._score(rows)
            allowed = connected([row.visited for _, row in rows], cover.home, connect=cover.connect)
            if score >= self.needed and allowed:
                yield score, list(chosen)
            return
        seat = cover.seats[number]
        gains = [self.covers.gains(later, items) for later in cover.seats[number:]]
        rest = sum(max(0, *later) if later else 0 for later in gains[1:])
        same = number > 0 and cover.seats[number - 1].kind == seat.kind
        least = chosen[-1] if same else 0
        base = self._base(chosen, items) + rest
        for row in sorted(range(len(seat.rows)), key=lambda row: (-gains[0][row], row)):
            if base + gains[0][row] < self.needed:
                break
            option = seat.rows[row]
            if row >= least >= 0 and not option.ends & ends:
                yield from self._walk(number + 1, [*chosen, row], items | option.always, ends | option.ends)
        if seat.idle and base >= self.needed:
            yield from self._walk(number + 1, [*chosen, -1], items, ends)

    def _base(self, chosen: list[int], items: int) -> int:
        """A bound for the seats that have chosen."""
        total = self.covers.sum(items)
        for seat, number in zip(self.cover.seats, chosen, strict=False):
            if number >= 0:
                row = seat.rows[number]
                total += row.extra
                total += sum(
                    self.covers.room(able & ~items, most) for able, most in zip(row.able, seat.caps, strict=True)
                )
        return total

    def _score(self, chosen: list[tuple[int, Row]]) -> int:
        """Score of rows: places in falling value, each if a slot has room, perhaps after others move."""
        always = 0
        rooms: list[tuple[int, int]] = []
        for seat, row in chosen:
            always |= row.always
            rooms += zip(row.able, self.cover.seats[seat].caps, strict=True)
        total = sum(row.extra for _, row in chosen) + self.covers.sum(always)
        held: list[list[int]] = [[] for _ in rooms]

        def seated(bit: int, tried: set[int]) -> bool:
            for number, (able, most) in enumerate(rooms):
                if not able & bit or number in tried:
                    continue
                tried.add(number)
                if len(held[number]) < most:
                    held[number].append(bit)
                    return True
                for other in list(held[number]):
                    if seated(other, tried):
                        held[number].remove(other)
                        held[number].append(bit)
                        return True
            return False

        places = 0
        for able, _ in rooms:
            places |= able
        places &= ~always
        for place, amount in enumerate(self.covers.amounts):
            if places >> place & 1 and seated(1 << place, set()):
                total += amount
        return total
