"""Trains that are paid together, each place once: what has to be chosen, and who chooses.

A *seat* is a train, or a chain of freight trains, with the rows it can choose from. The score of a choice is the sum
over different items (places that pay, hexes that earn a subsidy) plus what each row earns by itself.
Two searches find the choices worth a look: a compiled one (`cover_engine`) and one in plain
Python (`cover_twin`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

HEX = 64
"""Items from this bit on are hexes, those below are places, dearest first."""


@dataclass(slots=True)
class Row:
    """A choice: items paid in any case, places paid by slot as far as there is room, score beyond the items.

    `visited`: stops that count for home and connection. `ends`: stops at which no other chain may have a free end.
    """

    always: int
    able: list[int]
    extra: int
    visited: int
    ends: int = 0


@dataclass(slots=True)
class Seat:
    """Something that chooses one of `rows`, or none if it may be `idle`.

    `caps`: room by slot. Seats with the same `kind` follow each other and have the same rows.
    """

    kind: object
    rows: list[Row]
    caps: list[int] = field(default_factory=list)
    idle: bool = True


@dataclass(slots=True)
class Cover:
    """Seats, stops of which one must be visited (-1: none), and whether the stops of all rows hang together."""

    seats: list[Seat]
    home: int
    connect: bool


Choice = tuple[int, list[int]]
"""Score, and a row number by seat (-1: idle)."""


class CoverSearch(Protocol):
    """A search over the choices of a `Cover`, most promising first."""

    bound: int
    """No choice scores more."""

    def climb(self) -> Choice | None:
        """A good choice, quickly found."""
        ...

    def rows_left(self, seat: int) -> list[int]:
        """Rows of a seat that may still be part of a choice worth having, most promising first."""
        ...

    def next(self, needed: int) -> Choice | None:
        """A choice with a score of at least `needed` that has not been given before; None if there is none left.

        `needed` may only rise from call to call. Raises `Interrupted`.
        """
        ...


class CoverSearches(Protocol):
    """Searches over covers that have kinds of seats in common."""

    def bound(self, seats: list[Seat]) -> int:
        """No choice of these seats scores more; quickly found, and lower the more has been searched before."""
        ...

    def search(self, cover: Cover, needed: int) -> CoverSearch:
        """A search; choices that score less than `needed` may be left out from the start."""
        ...


Tick = Callable[[int], None]


def connected(sets: list[int], home: int, *, connect: bool) -> bool:
    """Whether sets of stops hang together (if they have to) and touch home (unless that is -1)."""
    if not sets:
        return True
    if home >= 0 and not any(visited & home for visited in sets):
        return False
    if not connect:
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


def make_covers(
    name: str, amounts: list[int], hex_amount: int, hexes: int, kinds: list[Seat], tick: Tick
) -> CoverSearches:
    """The compiled searches if the kernel is in use and holds the problem, else the plain ones.

    `kinds`: all seats a cover can have beside those of freight.
    """
    if name == "kernel":
        from services.routing.cover_engine import KernelCovers, fits

        if fits(amounts, kinds):
            return KernelCovers(amounts, hex_amount, hexes, max((len(seat.caps) for seat in kinds), default=0), tick)
    from services.routing.cover_twin import PythonCovers

    return PythonCovers(amounts, hex_amount, tick)
