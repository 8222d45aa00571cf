"""The state of a game: a tree of plain data.

Nothing here refers to rules, and nothing refers back to its parent: ids, numbers, lists and dicts only, so that
``encode`` and ``decode`` (``engine.codec``) are inverses and a snapshot is the whole truth about a game.

Conventions used by every field:

* ``Ref`` names an entity or a place as text: ``"player:<id>"``, ``"corporation:<sym>"``, ``"minor:<sym>"``,
  ``"company:<sym>"``, and the places ``"bank"``, ``"ipo"`` and ``"pool"`` (the bank pool of certificates).
  ``"corporation:<sym>"`` as holder of certificates of itself means treasury shares.
* Money is in whole units of the title's currency, ownership in percent.
* Lists are ordered and the order is a rule: certificates of a holder (core 11.1), markers on a market cell (core 12.1),
  trains of the depot.

Titles that need more state subclass :class:`GameState` (and the structs below) in their own folder and name the
subclass in ``Title.state_type``.
"""

from __future__ import annotations

import msgspec

Ref = str
Cell = tuple[int, int]

IPO: Ref = "ipo"
POOL: Ref = "pool"
BANK: Ref = "bank"
DEPOT: Ref = "depot"


class Struct(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """Base of all state structs. Defaults are omitted when encoded, which keeps snapshots small."""


class Program(Struct):
    """A standing order of a player (core 1.8), ``kind`` is its action type."""

    kind: str
    corporation: str = ""
    until_condition: int | str = ""
    from_market: bool = False
    auto_pass_after: bool = False
    unconditional: bool = False
    indefinite: bool = False
    corporations_by_round: dict[str, list[str]] = {}
    options: list[str] = []
    bid_target: str = ""
    maximum_bid: int | None = None
    buy_price: int | None = None
    since: int = 0
    """Number of actions applied when the order was given; later moves of others are tested (core 1.8)."""


class Player(Struct):
    """A seat at the table. ``passed`` is the stock round's sticky flag (core 2.4)."""

    id: int | str
    name: str
    cash: int = 0
    bankrupt: bool = False
    passed: bool = False
    companies: list[str] = []
    program: Program | None = None

    @property
    def ref(self) -> Ref:
        return f"player:{self.id}"


class Token(Struct):
    """A station marker in charter order; ``hex`` None while unused, ``slot`` None for a token outside the slots."""

    price: int
    hex: str | None = None
    city: int = 0
    slot: int | None = None
    kind: str = ""


class Ability(Struct):
    """A live rule of a company: ``index`` points at its printed ability, ``uses`` counts those left (None: any)."""

    kind: str
    index: int
    uses: int | None = None


class Company(Struct):
    """A private company; ``discount`` lowers its first bid in an auction."""

    sym: str
    value: int
    revenue: int
    owner: Ref | None = None
    discount: int = 0
    closed: bool = False
    abilities: list[Ability] = []

    @property
    def ref(self) -> Ref:
        return f"company:{self.sym}"


class Corporation(Struct):
    """A corporation, major, minor or national (``kind``).

    ``holdings`` maps a holder to the ordered certificate indexes it owns. ``president`` is a player's ref, ``"pool"``
    in receivership, ``"bank"`` for a national, None before anyone leads it. ``operated`` is set by its first
    dividend step.
    """

    sym: str
    kind: str
    entity_type: str = "corporation"
    """As actions name it: ``"corporation"`` or ``"minor"``."""
    cash: int = 0
    tokens: list[Token] = []
    trains: list[str] = []
    companies: list[str] = []
    holdings: dict[Ref, list[int]] = {}
    president: Ref | None = None
    price: Cell | None = None
    par: Cell | None = None
    started: bool = False
    floated: bool = False
    operated: bool = False
    closed: bool = False
    in_play: bool = True
    capitalization: str = "full"
    loans: int = 0
    home: list[str] = []
    abilities: list[Ability] = []
    assigned: list[str] = []
    last_run: int = 0
    """Revenue of the last dividend step, for display."""

    @property
    def ref(self) -> Ref:
        return f"{self.entity_type}:{self.sym}"


class Train(Struct):
    """A train; ``name`` is its variant, ``owner`` a corporation's sym, ``"depot"``, ``"pool"`` or None (gone)."""

    name: str
    owner: str | None = DEPOT
    ran: bool = False
    obsolete: bool = False


class City(Struct):
    """Token slots of one city: a slot holds a corporation's sym or None; ``extra`` tokens stand outside the slots.

    A sym with a leading ``~`` is a neutral token: it fills the slot but never blocks. ``reserved[i]`` names who
    slot ``i`` is kept for.
    """

    slots: list[str | None]
    extra: list[str] = []
    reserved: list[str | None] = []


class Hex(Struct):
    """What can change on a hex. ``tile`` None while the printed tile lies there, else the laid tile's name.

    ``cities`` follow the city order of the tile; ``reserved`` is the tile-level reservation (core 5.4).
    ``borders`` are the ``[edge, kind, cost]`` still in force.
    """

    tile: str | None = None
    copy: int = 0
    rotation: int = 0
    cities: list[City] = []
    reserved: list[str] = []
    borders: list[tuple[int, str, int]] = []
    icons: list[str] = []
    label: str | None = None
    future_label: tuple[str, str] | None = None


class Depot(Struct):
    """``upcoming`` train ids in order of sale, ``discarded`` trains on sale again, ``trains`` all trains by id."""

    trains: dict[str, Train]
    upcoming: list[str]
    discarded: list[str] = []


class Step(Struct):
    """Flags of one step of the round (core 2.1); ``kind`` names its rules."""

    kind: str
    passed: bool = False
    acted: bool = False


class PendingToken(Struct):
    """A token that must be placed before play goes on: ``token`` indexes the corporation's tokens."""

    corporation: str
    token: int
    hexes: list[str]
    entity: Ref


class Bid(Struct):
    player: int | str
    price: int


class Auction(Struct):
    """Bids standing on companies; ``current`` is the item of a running contested auction."""

    items: list[str]
    bids: dict[str, list[Bid]] = {}
    current: str | None = None
    cheapest: str | None = None
    """The item that was cheapest at the start; all-pass discounts only it (core 17)."""


class Route(Struct):
    """A checked route of the current run, in the terms of the recorded format (core 9.6)."""

    train: str
    connections: list[list[str]]
    hexes: list[str]
    nodes: list[str]
    revenue: int
    subsidy: int = 0
    revenue_str: str = ""


class Turn(Struct):
    """Values of the turn in progress, reset for every entity."""

    actions: list[str] = []
    """Stock turn: kinds of purchases and sales done, in order."""
    bought: list[tuple[str, Ref]] = []
    """Stock turn: what was bought, as (corporation, source)."""
    tiles_laid: int = 0
    upgraded: bool = False
    laid_hexes: list[str] = []
    token_placed: bool = False
    routes: list[Route] = []
    extra_revenue: int = 0
    subsidy: int = 0
    teleported: str | None = None
    """Company whose teleport tile waits for its token."""
    special_lays: list[str] = []
    """Hexes of a company's lays that must be finished together."""
    last_sale: int = 0
    """Price per share of the president's last emergency sale this turn."""
    traded_in: bool = False


class Round(Struct):
    """The round in progress. ``index`` points into ``entities``; ``number`` counts ORs within the set."""

    kind: str
    number: int
    entities: list[Ref]
    steps: list[Step]
    index: int = 0
    at_start: bool = True
    finished: bool = False
    sold: dict[Ref, dict[str, str]] = {}
    """Stock round: player to corporation to ``"now"`` (this turn) or ``"prev"``."""
    pass_order: list[Ref] = []
    last_to_act: Ref | None = None
    pending_tokens: list[PendingToken] = []
    pending_par: list[str] = []
    auction: Auction | None = None
    turn: Turn = msgspec.field(default_factory=Turn)


class Trigger(Struct):
    """An end-of-game trigger in force (core 18)."""

    reason: str
    timing: str
    turn: int = 0


class Outcome(Struct):
    """How the game ended: ``result`` maps player id (as text) to score, highest first."""

    reason: str
    result: dict[str, int]


class GameState(Struct):
    """Everything there is to know about a game at one moment.

    ``mode`` is ``"live"`` (the rules as printed here are enforced) or ``"imported"`` (what the reference engine
    accepted in a recorded game is accepted too). ``action_count`` counts applied actions, automatic ones included.
    """

    title: str
    options: list[str]
    seed: int
    mode: str
    rng: int
    players: list[Player]
    player_order: list[int | str]
    corporations: dict[str, Corporation]
    corporation_order: list[str]
    companies: dict[str, Company]
    board: dict[str, Hex]
    supply: dict[str, list[int]]
    """Tile name to the copies that lie in the supply, lowest first taken last laid; unlimited tiles keep one copy."""
    market: dict[str, list[str]]
    """``"row,column"`` to the corporations standing there in order of arrival."""
    depot: Depot
    phase: int
    bank: int
    cert_limit: int
    operating_rounds: int
    turn: int = 1
    round_count: int = 0
    bank_broken: bool = False
    round: Round | None = None
    trigger: Trigger | None = None
    final_turn: int | None = None
    outcome: Outcome | None = None
    action_count: int = 0
    fired_events: list[str] = []
    """Train copies whose events have happened."""
    recent: list[tuple[int, Ref, str, str]] = []
    """Moves that standing orders look back on: (action number, who, kind, corporation)."""
