"""What travels over HTTP: request bodies, query parameters and answers, as typed structs.

The OpenAPI document is made from these types, and requests are validated by decoding into them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Version = Annotated[
    int,
    Meta(
        ge=0,
        le=2**53,
        description="Number of entries of the game's log, undo and redo included; 0: the start.",
    ),
]
Name = Annotated[str, Meta(min_length=1, max_length=100)]
PLAYER_ID = r"^[^\x00-\x1f\x7f]{1,64}\Z"
PATTERNS = {PLAYER_ID: "a player's id (1 to 64 characters, no control characters)"}
"""What texts must match, in words."""

PlayerId = Annotated[str, Meta(pattern=PLAYER_ID, description="Id of a player, as text.")]
Milliseconds = Annotated[int, Meta(description="Unix time in milliseconds.")]
Symbol = Annotated[str, Meta(max_length=32)]
Scope = Literal["read", "play", "create", "routes"]

SCOPES: dict[str, str] = {
    "read": "see games, their moves, logs, pictures and events",
    "play": "send actions, undo and redo for the token's player",
    "create": "start and import games in which the token's player sits",
    "routes": "start, see and cancel route optimization jobs",
    "operator": "administer: issue and revoke tokens, act for anybody",
}


class Struct(msgspec.Struct, kw_only=True):
    """Base of answers."""


class Input(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of bodies and query parameters: unknown names are errors."""


# ---- games


class Seat(Struct):
    """A player at the table; `id` is what actions use."""

    id: str
    name: str


class SeatInput(Input):
    """A player of a new game. A number as `id` is the same as its text."""

    id: Annotated[int, Meta(ge=0, le=2**53)] | PlayerId
    name: Name


class NewGame(Input):
    """A game to start; `players` in seating order."""

    title: Annotated[str, Meta(min_length=1, max_length=40, description="Id of a title, see `GET /titles`.")]
    players: Annotated[list[SeatInput], Meta(min_length=1, max_length=12)]
    options: Annotated[list[Name], Meta(max_length=40)] = []
    seed: Annotated[int, Meta(ge=0, le=2**53, description="Of the random set-up; absent: drawn.")] | None = None
    description: Annotated[str, Meta(max_length=500)] = ""


class GameSummary(Struct):
    """A game at its newest version, without its position."""

    id: str
    title: str
    players: list[Seat]
    options: list[str]
    seed: int
    version: Version
    status: Annotated[str, Meta(description="`active` or `finished`.")]
    description: str
    round: Annotated[str, Meta(description="Round in progress, e.g. `OR 2.1`.")]
    acting: Annotated[list[str], Meta(description="Ids of the players who must act now.")]
    created_at: Milliseconds
    updated_at: Milliseconds
    result: Annotated[dict[str, int], Meta(description="Final scores by player id, when finished.")]
    end_reason: str
    mode: Annotated[str, Meta(description="`live` or `imported`.")]


class Game(GameSummary):
    """A game with its position: `position.state` is the state tree, the other keys follow from it."""

    position: dict[str, Any] | msgspec.Raw


class GameList(Struct):
    """One page of games; `next_page` is the value of `page` for the next one, absent on the last."""

    games: list[GameSummary]
    next_page: str | msgspec.UnsetType = msgspec.UNSET


class GamesQuery(Input):
    """Filters; all must hold."""

    player: Annotated[
        str,
        Meta(max_length=64, description="Games of this player; `*`: of anybody. Default: the token's player."),
    ] = ""
    status: Literal["", "active", "finished"] = ""
    acting: Annotated[str, Meta(max_length=64, description="Games in which this player must act.")] = ""
    title: Annotated[str, Meta(max_length=40, description="Id of a title, see `GET /titles`.")] = ""
    limit: Annotated[int, Meta(ge=1, le=200)] = 50
    page: Annotated[str, Meta(max_length=500, description="`next_page` of the page before.")] = ""


class VersionQuery(Input):
    """Time travel."""

    version: Version | None = None


# ---- moves, actions, log


class MovesQuery(Input):
    """Which moves to list."""

    version: Version | None = None
    player: Annotated[str, Meta(max_length=64, description="Only moves this player may send.")] = ""


class Moves(Struct):
    """Every legal move: actions, or templates with ranges and choices."""

    version: Version
    moves: list[dict[str, Any]] | msgspec.Raw


class Action(msgspec.Struct, kw_only=True):
    """An action in the recorded-game vocabulary: `type`, `entity`, `entity_type` and the fields of its
    type.
    """

    type: Annotated[str, Meta(min_length=1, max_length=64)]
    entity: int | str | None = None
    entity_type: str | None = None


class UndoInput(Input):
    """How far to undo."""

    action_id: (
        Annotated[
            int,
            Meta(ge=0, le=2**53, description="Undo everything after this action; absent: the last action."),
        ]
        | None
    ) = None


class RedoInput(Input):
    """Redo takes no parameters."""


class ActionResult(Struct):
    """The game after an action, the action as logged and the events it caused."""

    game: GameSummary
    action: dict[str, Any] | msgspec.Raw
    events: list[dict[str, Any]] | msgspec.Raw


class LogQuery(Input):
    """Which entries of the log."""

    from_: Annotated[int, Meta(ge=1, le=2**53, description="First version wanted.")] = msgspec.field(
        name="from", default=1
    )
    limit: Annotated[int, Meta(ge=1, le=5000)] = 1000


class LogEntry(Struct):
    """The action that made `version` and the events it caused."""

    version: Version
    action: dict[str, Any] | msgspec.Raw
    events: list[dict[str, Any]] | msgspec.Raw
    created_at: Milliseconds


class Log(Struct):
    """Entries in order; `version` is the newest version of the game."""

    version: Version
    entries: list[LogEntry]


class EventsQuery(Input):
    """Where to start, and the token for clients that cannot send headers."""

    after: Annotated[int, Meta(ge=0, le=2**53, description="As `Last-Event-ID`, which wins.")] | None = None
    access_token: Annotated[str, Meta(max_length=4096)] = ""


class Update(Struct, tag_field="type", tag="update"):
    """A new version of a game. `game` is missing in entries that are sent again on resume."""

    game_id: str
    version: Version
    action: dict[str, Any] | msgspec.Raw
    events: list[dict[str, Any]] | msgspec.Raw
    created_at: Milliseconds
    game: GameSummary | msgspec.UnsetType = msgspec.UNSET


class Ready(Struct, tag_field="type", tag="ready"):
    """First line of a stream: from here on nothing is missed. `version` is that of the game watched."""

    version: int | msgspec.UnsetType = msgspec.UNSET


# ---- routes


class RoutesInput(Input):
    """Whose routes to optimize and for how long (seconds of search)."""

    corporation: Annotated[Symbol, Meta(description="Default: the operating corporation.")] = ""
    version: Version | None = None
    deadline: Annotated[float, Meta(gt=0, le=3600)] = 60.0
    queue: Literal["interactive", "background"] = "interactive"


class Bounds(Struct):
    """Revenue of the best routes so far and proven upper bound."""

    lower: int | None = None
    upper: int | None = None


class RouteAnswer(Struct):
    """Best routes; `action` is the complete `run_routes` action, checked by the rules service."""

    revenue: int
    upper_bound: int
    proven: bool
    subsidy: int
    routes: Annotated[
        list[list[int] | None],
        Meta(description="For each train the ids of its track pieces in running order."),
    ]
    action: dict[str, Any] | msgspec.Raw
    order: Annotated[
        list[int],
        Meta(description="Trains in the order to list their routes in; empty where their own order will do."),
    ] = []


class Job(Struct, omit_defaults=True):
    """A search. `state`: `queued`, `running`, `done`, `failed` or `cancelled`."""

    id: str
    state: str
    game_id: str
    version: Version
    corporation: str
    progress: Bounds
    result: RouteAnswer | None = None
    error: str | None = None


class CheckInput(Input):
    """Routes to check, as a solver answers them."""

    routes: Annotated[list[Annotated[list[int], Meta(max_length=400)] | None], Meta(max_length=40)]
    order: Annotated[list[Annotated[int, Meta(ge=0, lt=40)]], Meta(max_length=40)] = []
    corporation: Symbol = ""
    version: Version | None = None


class CheckedRoutes(Struct):
    """The `run_routes` action for the routes, and what they bring."""

    action: dict[str, Any] | msgspec.Raw
    revenue: int
    subsidy: int
    version: Version


# ---- titles, tokens, pictures, service


class Title(Struct):
    """A title; `options` are its optional rules by name with their meaning."""

    id: str
    name: str
    designer: str
    publisher: str
    min_players: int
    max_players: int
    options: dict[str, str]
    notes: list[str]


class TitleList(Struct):
    """All titles."""

    titles: list[Title]


class TitleFacts(Title):
    """A title with its facts: map, tiles, market, trains, companies."""

    facts: dict[str, Any] | msgspec.Raw


class TitleQuery(Input):
    """Optional rules in force."""

    options: Annotated[str, Meta(max_length=1000, description="Names, comma-separated.")] = ""


class PictureQuery(Input):
    """Time travel, and the token for clients that cannot send headers."""

    version: Version | None = None
    access_token: Annotated[str, Meta(max_length=4096)] = ""


class MapQuery(PictureQuery):
    """What to draw over the board."""

    job: Annotated[str, Meta(max_length=200, description="Draw the routes this job found.")] = ""


class TokenInput(Input):
    """A token to issue. `expires_in` in seconds; absent: it never expires."""

    player: Annotated[int, Meta(ge=0, le=2**53)] | PlayerId
    scopes: Annotated[list[Scope], Meta(min_length=1)] = msgspec.field(
        default_factory=lambda: ["read", "play", "create", "routes"]
    )
    expires_in: Annotated[int, Meta(ge=1, le=10 * 366 * 24 * 3600)] | None = None


class TokenInfo(Struct, omit_defaults=True):
    """Whom a token acts for."""

    id: str
    player: str
    scopes: list[str]
    issued_at: Milliseconds
    expires_at: Milliseconds | None = None


class IssuedToken(TokenInfo, kw_only=True):
    """`token` goes into `Authorization: Bearer`; it is not stored and cannot be shown again."""

    token: str


class RevokeQuery(Input):
    """Whose tokens to revoke."""

    player: PlayerId


class Health(Struct):
    """`ok`, or what is wrong with each dependency."""

    status: str
    checks: dict[str, str] = {}


class ProblemKind(Struct):
    """A type of problem document."""

    type: str
    status: int
    title: str
    meaning: str
