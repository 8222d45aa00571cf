"""State of 1867 and 1861 beyond the base: loans, the national's plans, bidding, mergers."""

from __future__ import annotations

import msgspec

from ...engine.state import Bid, GameState, Ref, Struct


class Bidding(Struct):
    """An auction of one item (1867 2.2, 3.4).

    ``bidders`` are the players still in, in order of play; ``declined`` those who passed before the first bid and come
    back with it. ``reduced``: everybody declined, so the next bid buys at once.
    """

    item: str
    bidders: list[int | str]
    bids: list[Bid] = msgspec.field(default_factory=list)
    declined: list[int | str] = msgspec.field(default_factory=list)
    reduced: bool = False


class Merger(Struct):
    """Conversions and mergers in progress (1867 4.11, 4.12).

    ``collected`` are the minors to be merged, the acting one first; ``target_wanted`` once collecting is over.
    ``converting`` is the minor that converts. ``major`` is being dealt with: its tokens and the purchases of shares;
    ``minors`` became part of it. ``buyers`` may buy in turn, those in ``repeat`` several times; ``open`` while
    they do. ``may_fail``: nobody presides yet unless somebody of the owners buys. ``reduce``: too many tokens.
    ``rest`` are the round's minors, waiting until the major has been dealt with, ``place`` the acting one's position.
    """

    collected: list[str] = msgspec.field(default_factory=list)
    target_wanted: bool = False
    converting: str | None = None
    major: str | None = None
    minors: list[str] = msgspec.field(default_factory=list)
    reduce: bool = False
    buyers: list[int | str] = msgspec.field(default_factory=list)
    repeat: list[int | str] = msgspec.field(default_factory=list)
    owners_only: bool = False
    open: bool = False
    rest: list[Ref] = msgspec.field(default_factory=list)
    place: int = 0


class State1867(GameState):
    """State of a game of 1867 or 1861."""

    loans_left: int = 0
    national_reservations: list[str] = msgspec.field(default_factory=list)
    """Hexes for which the national keeps a token back."""
    interest_due: dict[str, int] = msgspec.field(default_factory=dict)
    """Loans on which interest is owed in this operating round."""
    check_trainless: bool = False
    """A train that brings the trainless check has left the depot."""
    trainless: list[str] = msgspec.field(default_factory=list)
    """Majors without a train that must say whether they go on (1867 4.10)."""
    items: list[str] = msgspec.field(default_factory=list)
    """Private companies still to be auctioned."""
    bidding: Bidding | None = None
    merger: Merger | None = None
