"""State of 1862 beyond the common one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...engine.state import Bid, Cell, Corporation, GameState, Ref, Struct

if TYPE_CHECKING:
    from ...engine.game import Game


class Corporation1862(Corporation):
    """A corporation with its permits (1862 1.6).

    Certificates not yet sold lie in the IPO: that is the bank of a chartered (full) corporation and the treasury of an
    unchartered (incremental) one. Redeemed certificates of a chartered corporation are held by itself.
    """

    permits: list[str] = msgspec.field(default_factory=list)
    chartered: bool = False
    base_par: Cell | None = None
    """Par used for refinancing."""


class CharterAuction(Struct):
    """A charter under the hammer: standing ``bids``, the latest last, and players still in (1862 2.2)."""

    corporation: str
    bids: list[Bid]
    bidders: list[int | str]


class Debt(Struct):
    """What a player still owes for a missed obligation and must sell for (1862 2.4)."""

    player: int | str
    amount: int


class Question(Struct):
    """A share that is only half paid for: ``holder`` redeems or sells it (1862 4.9, step 4d).

    ``percent`` is 10 for an odd certificate and the size of the option for a president certificate.
    """

    holder: Ref
    corporation: str
    index: int
    percent: int
    sell: int
    redeem: int


class Merger(Struct):
    """A merger or refinancing in progress (1862 4.9).

    ``other`` is empty when refinancing, ``survivor`` until it has been chosen. ``holders`` are settled in turn,
    ``settled`` counts those done.
    """

    originator: str
    at: str
    survivor: str = ""
    other: str = ""
    price: int = 0
    holders: list[Ref] = msgspec.field(default_factory=list)
    settled: int = 0
    question: Question | None = None
    skip: bool = False


class Removal(Struct):
    """Tokens a survivor has too many: ``count`` of those on ``hexes`` must go (1862 4.9, step 10)."""

    survivor: str
    other: str
    count: int
    hexes: list[str]


class State1862(GameState):
    """State of a game of 1862."""

    corporations: dict[str, Corporation1862]  # type: ignore[assignment]
    offer: list[str] = msgspec.field(default_factory=list)
    """Corporations in the order in which Parliament offers them."""
    starts_in: dict[str, str] = msgspec.field(default_factory=dict)
    """Phase from which a corporation can be started."""
    first_permit: dict[str, str] = msgspec.field(default_factory=dict)
    parliaments: int = 0
    """Parliament rounds begun."""
    won: list[int | str] = msgspec.field(default_factory=list)
    """Players who won a charter in this Parliament."""
    charter: CharterAuction | None = None
    launching: str | None = None
    """Chartered corporation whose winner sets its par and buys its first certificates."""
    bought: dict[Ref, list[tuple[str, str]]] = msgspec.field(default_factory=dict)
    """Purchases of this stock round by player: (corporation, source)."""
    buy_tokens: str | None = None
    """Corporation whose president chooses how many tokens to buy."""
    enforced: bool = False
    """The obligations of this stock round have been enforced."""
    forced_sales: list[Debt] = msgspec.field(default_factory=list)
    home_upgrade: str | None = None
    """Corporation that must upgrade its home before it can place its token."""
    merger: Merger | None = None
    removal: Removal | None = None
    emergency: bool = False
    """The operator has raised money for a train in this turn and may buy no used one."""
    does_not_run: str | None = None
    """Survivor that a merger of this turn has left in receivership: its trains stay idle."""
    skip_turn: list[str] = msgspec.field(default_factory=list)
    """Corporations that do nothing more in this round."""
    deferred_rust: list[str] = msgspec.field(default_factory=list)
    """Trains that rust when their warranties are used up."""
    left_trains: dict[str, str] = msgspec.field(default_factory=dict)
    """Imported games: trains of bankrupt corporations that others may still buy, with their former owner."""
    base_tiles_out: list[str] = msgspec.field(default_factory=list)
    """Physical counters in use, as tile ids."""
    lner: str = ""
    """``"triggered"`` by the first H train, then ``"formed"``."""
    top_reached: bool = False
    """A dividend has moved a price to the end of the market."""
    known_routes: list[str] = msgspec.field(default_factory=list)
    """Corporations that have had track to run on."""


def of(game: Game) -> State1862:
    """The state of a game of 1862."""
    state = game.state
    assert isinstance(state, State1862)
    return state


def corporation_of(game: Game, sym: str) -> Corporation1862:
    return of(game).corporations[sym]


def as_1862(corporation: Corporation) -> Corporation1862:
    assert isinstance(corporation, Corporation1862)
    return corporation
