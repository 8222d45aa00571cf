"""Typed structs of a route problem and its solution.

Nodes of the track graph are numbered in one sequence: stops first (`0 .. S-1`), then hex sides
(points where the track of two hexes meets), then junctions (track meeting inside a hex without a
stop). Money is in whole units of the title's currency, already adjusted for phase and train.

What each rule kind means for a solver is stated with the kind. Two properties matter:

* *bound*: how much the kind may add to the value of a partial route. A bound that leaves a kind out
  is wrong, one that adds it in full is merely weak.
* *dominance*: whether a route may be dropped because another one uses a subset of its track and is
  worth no less. That is safe as long as nothing else tells the two apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

Kind = Literal["city", "town", "halt", "offboard"]
KINDS: tuple[Kind, ...] = ("city", "town", "halt", "offboard")


class RouteProblemError(ValueError):
    """A problem is malformed. `field` names the place, for example `track[3].ends`."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        self.reason = message


class _Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all structs here: immutable, unknown fields refused, defaults left out of the JSON."""


class Stop(_Data, frozen=True):
    """A place a train can stop at.

    `hex` indexes `RouteProblem.hexes`. `revenue` has one amount a train. `token`: the company has a
    station here. `blocked`: trains may end here but not run through. `cost`: how much of a train's
    range the stop takes; 0 is allowed, so a bound on the number of further stops must not count
    stops without cost against the range.
    """

    kind: Kind
    hex: int
    revenue: list[int]
    token: bool = False
    blocked: bool = False
    cost: int = 1


class Track(_Data, frozen=True):
    """One piece of track inside one hex, joining the two nodes of `ends`.

    `uses` lists conflict ids: two pieces with an id in common never go together, neither in one route
    nor (unless `Rules.share_track`) in two. `terminal`: only the first or the last piece of a route.
    Terminal pieces restrict extension, so a parallel connection without them dominates, not the reverse.
    """

    ends: tuple[int, int]
    hex: int
    uses: list[int]
    terminal: bool = False


class Row(_Data, frozen=True):
    """An allowance: at most `max` units (no limit if null) for stops of these kinds together."""

    kinds: list[Kind]
    max: int | None = None


class Crow(_Data, frozen=True):
    """Distance payment of a freight train: so much for each hex strictly between the ends as the crow
    flies.

    `port_rate` replaces `rate` if an end is in `port_stops`. An end at an off-board location is measured
    from the last hex before it (its own if the track to the next stop never leaves it) and adds one. With
    doubled coordinates and absolute differences dx, dy the hexes between are `max(0, dx + max(0, (dy - dx)
    // 2) - 1)`, and -1 when both ends are measured from the same hex; after adding one for each off-board
    end the distance is never below 0.

    Bound: at most the greatest distance between any two ends. Dominance: routes with the same ends differ
    if they enter an off-board end from different hexes, or visit different stops.
    """

    rate: int
    port_rate: int
    port_stops: list[int] = []


class Train(_Data, frozen=True):
    """What one train may visit and what it is paid for.

    `visit`: every visited stop uses its `cost` in rows that name its kind; a kind no row names cannot
    be visited. `pay`: null, every visited stop pays; a list of rows, at most that many stops pay, each
    in a row naming its kind, chosen for the best total; `"ends"`, only the two end stops pay.
    `always_pay`: kinds that cannot be left out of that choice. `token_must_pay`: a paying stop must have a
    station. With a choice of paying stops a longer route is worth no less than any part of it with
    a station; forced kinds are the exception, since they displace dearer stops.

    `no_end_stops`, `no_end_kinds`, `end_pairs_forbidden` restrict the ends only: a route that breaks them
    may still be extended into a legal one. `no_kinds` and `hex_limit` (hex sides crossed) only get worse with
    length, so a search may cut there; a connection crossing fewer sides is not dominated by one with less
    conflicting track.

    `permanent` matters for `Rules.freight_chains`. `name` and `type` are for people.
    """

    name: str
    visit: list[Row]
    pay: Literal["ends"] | list[Row] | None = None
    type: str = ""
    always_pay: list[Kind] = []
    token_must_pay: bool = False
    no_end_stops: list[int] = []
    no_end_kinds: list[Kind] = []
    no_kinds: list[Kind] = []
    end_pairs_forbidden: list[list[int]] = []
    hex_limit: int | None = None
    crow: Crow | None = None
    permanent: bool = False


class SetBonus(_Data, frozen=True, tag_field="kind", tag="set"):
    """`amount[train]`, once a route, if the paying stops meet every list of `all_of`.

    Bound: the full amount while it can still be met. Dominance: part of the route's value, safe.
    """

    all_of: list[list[int]]
    amount: list[int]


class HexBonus(_Data, frozen=True, tag_field="kind", tag="hex"):
    """`amount[train]` for each hex of `hexes` in which the route has track.

    Bound: the amount for every hex not yet entered. Dominance: of two parallel connections the one through
    more bonus hexes is not dominated; between finished routes it is part of the value, safe.
    """

    hexes: list[int]
    amount: list[int]


class EchoMaxBonus(_Data, frozen=True, tag_field="kind", tag="echo_max", rename={"except_": "except"}):
    """If a paying stop is in `if_any`: the highest revenue of the paying stops not in `except`, again.

    Bound: the dearest stop that can still be met. Dominance: part of the route's value, safe.
    """

    if_any: list[int]
    except_: list[int] = []


class EndBonus(_Data, frozen=True, tag_field="kind", tag="end"):
    """For each end of the route that pays and is in `any_of`, if at least two stops pay: its revenue again.

    Bound: the two dearest stops of `any_of`. Dominance: safe between finished routes, but extending a
    route can lose the bonus, so a longer route need not be better.
    """

    any_of: list[int]


Bonus = SetBonus | HexBonus | EchoMaxBonus | EndBonus


class StopSubsidy(_Data, frozen=True, tag_field="kind", tag="stops"):
    """Treasury money: `amount[train]`, once a route, if it visits one of `stops` (paying or not).

    Counts only between sets of routes with equal revenue (`Rules.prefer`). Bound: the amount for every train.
    """

    stops: list[int]
    amount: list[int]


class HexSubsidy(_Data, frozen=True, tag_field="kind", tag="hexes"):
    """Treasury money: `amount` for each different hex in which the routes of `trains`, together, have
    track.

    Counts only between sets of routes with equal revenue (`Rules.prefer`). Because a hex counts once for
    the company, it belongs into the combination of routes, not into their values. One a problem, not for
    freight. Bound: every hex in reach. Dominance: a route whose track lies in fewer hexes is not better.
    """

    amount: int
    trains: list[int]


Subsidy = StopSubsidy | HexSubsidy


class Rules(_Data, frozen=True):
    """Rules over the whole set of routes.

    `share_track`: conflict ids bind only within a route. `count_once`: a stop pays once, however many
    trains count it; stops of one list of `count_once_groups` are the same place. `must_connect`: the
    routes, seen as sets of visited stops, hang together. `must_include_any`: some route visits one of these
    (only when there is a route at all). Both conditions make the best single route and the best set
    differ, and make a route that visits more stops useful even if it pays the same.

    `freight_chains`: routes of trains paid by `"ends"` that have an end in common are joined. Only stops
    that are an end of exactly one route of a chain pay, and the distance payment is made once a chain,
    between these two. A ring pays its first end once; a chain with one free end is illegal. At most one
    chain may contain trains that are not `permanent`, and if it contains nothing else it is the only chain.
    Adding a route can lower the revenue, so neither bound nor dominance may assume the contrary.

    `prefer`: what decides between sets of equal revenue, most important first: more subsidy, fewer trains.
    """

    share_track: bool = False
    count_once: bool = False
    must_connect: bool = False
    must_include_any: list[int] = []
    count_once_groups: list[list[int]] = []
    freight_chains: bool = False
    prefer: list[Literal["subsidy", "fewer_trains"]] = []


class RouteProblem(_Data, frozen=True):
    """A question for the solver. `decode` checks it; a problem built in code should go through `validate`.

    `exclusive`: of each list a route visits at most one stop (same hex, same named place). `forbidden`:
    stops no route visits. `id`, `title`, `phase`, `recorded`, `optimum`, `best_known`, `published` and
    `size` describe where the problem comes from and what is known about it; they influence neither the
    answer nor the content hash.
    """

    format: Literal["route-problem/1", "route-problem/2"]
    hexes: list[tuple[str, int, int]]
    stops: list[Stop]
    sides: int
    junctions: int
    track: list[Track]
    conflicts: int
    trains: list[Train]
    bonuses: list[Bonus] = []
    exclusive: list[list[int]] = []
    forbidden: list[int] = []
    subsidies: list[Subsidy] = []
    rules: Rules = Rules()
    id: str = ""
    title: str = ""
    phase: str = ""
    recorded: Any = None
    optimum: Any = None
    best_known: Any = None
    published: Any = None
    size: Any = None


def listed(trains: int, order: Sequence[int]) -> list[int]:
    """Train numbers in the order in which routes are listed: those of `order` first (see `Solution.order`)."""
    return sorted(range(trains), key=lambda train: order.index(train) if train in order else trains)


class Solution(_Data, frozen=True):
    """An answer: `revenue` is attained by `routes`, and no set of routes earns more than `upper_bound`.

    `routes` and `route_values` have one entry a train: a list of track piece ids in running order, or
    null for an idle train. With `Rules.count_once` a stop is credited to the first train that counts it.
    `subsidy` is the treasury money of these routes, `route_subsidies` its share by train. `proven`: nothing
    is better, `Rules.prefer` included. `order`: the trains that run, in the order in which their routes have to
    be listed; empty where the order of the trains will do. It matters only where three or more freight
    routes end at one stop, or some form a ring (`Rules.freight_chains`). `stats` holds search statistics
    (`seconds`, `states`, `engine`, `cached`...).
    """

    revenue: int
    upper_bound: int
    proven: bool
    routes: list[list[int] | None]
    route_values: list[int]
    subsidy: int = 0
    route_subsidies: list[int] = []
    order: list[int] = []
    stats: dict[str, Any] = {}
