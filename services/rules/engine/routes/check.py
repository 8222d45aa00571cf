"""The entry point: check a recorded or submitted run and work out what it earns (core 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, product
from typing import Any

import msgspec

from ..actions import RecordedRoute
from ..board.map import Map
from ..errors import IllegalAction, MalformedAction
from ..state import GameState, Route
from .context import RunContext
from .legality import check_route, check_track, check_train
from .reconstruct import candidates
from .rules import RouteRules
from .track import Chain, TracedRoute

MAX_COMBINATIONS = 1024


class CheckedRoute(msgspec.Struct):
    """A legal route: ``stops`` it visits and those ``counted`` as ``HEX-ref``, in running order."""

    train: str
    revenue: int
    subsidy: int
    stops: list[str]
    counted: list[str]
    connections: list[list[str]]
    hexes: list[str]
    bonuses: list[str] = []

    @property
    def revenue_str(self) -> str:
        """The route as a person reads it: hexes of its stops, and the names of its bonuses."""
        return "-".join(self.hexes) + "".join(f" + {name}" for name in self.bonuses)

    def to_state(self) -> Route:
        """The route as the state and the recorded format keep it (core 9.6)."""
        return Route(
            train=self.train,
            connections=self.connections,
            hexes=self.hexes,
            nodes=self.stops,
            revenue=self.revenue,
            subsidy=self.subsidy,
            revenue_str=self.revenue_str,
        )


class RunResult(msgspec.Struct):
    """What a run earns: ``total`` of the routes, ``subsidy`` for the treasury, and ``extra`` revenue."""

    routes: list[CheckedRoute]
    total: int
    subsidy: int
    extra: int = 0


def check_run(
    map: Map,
    state: GameState,
    sym: str,
    routes: Sequence[RecordedRoute | Mapping[str, Any]],
    rules: RouteRules,
) -> RunResult:
    """Legality and revenue of the routes of a ``run_routes`` action of corporation or minor ``sym``.

    Amounts in ``routes`` are ignored and computed anew. Raises :class:`MalformedAction` for routes that are
    not in the recorded format and :class:`IllegalAction` for routes that may not run; nothing is changed in
    either case.
    """
    run = RunContext(map, state, sym, rules)
    traced = trace_run(run, routes)
    results = rules.results(run, traced)
    checked = []
    for route, result in zip(traced, results, strict=True):
        checked.append(
            CheckedRoute(
                train=route.train,
                revenue=result.revenue,
                subsidy=result.subsidy,
                stops=[stop.ref for stop in route.stops],
                counted=[stop.ref for stop in result.counted],
                connections=connections_of(run, route),
                hexes=[stop.hex for stop in route.stops],
                bonuses=result.bonuses,
            )
        )
    return RunResult(
        routes=checked,
        total=sum(result.revenue for result in results),
        subsidy=sum(result.subsidy for result in results),
        extra=rules.extra_revenue(run, traced),
    )


def trace_run(run: RunContext, routes: Sequence[RecordedRoute | Mapping[str, Any]]) -> list[TracedRoute]:
    """The routes on the board, checked one by one and together."""
    rules = run.rules
    seen: set[str] = set()
    options: list[list[TracedRoute]] = []
    for recorded in typed_routes(routes):
        train = check_train(run, recorded.train, seen)
        options.append(_legal(run, candidates(run, recorded, rules.spec(train.name))))
    traced = [ways[0] for ways in options]
    if not rules.set_rules.share_track:
        traced = _apart(traced, options)
    rules.check_set(run, traced)
    return traced


def typed_routes(routes: Sequence[RecordedRoute | Mapping[str, Any]]) -> list[RecordedRoute]:
    """Typed routes; raises :class:`MalformedAction` naming the field that is wrong."""
    try:
        return [r if isinstance(r, RecordedRoute) else msgspec.convert(r, RecordedRoute) for r in routes]
    except msgspec.ValidationError as error:
        raise MalformedAction("malformed_route", f"A route is not in the recorded format: {error}.") from error


def _legal(run: RunContext, ways: list[TracedRoute]) -> list[TracedRoute]:
    """The legal ones among the ways to lay a route; if there is none, the error of the first."""
    first_error: IllegalAction | None = None
    legal = []
    for route in ways:
        try:
            check_route(run, route)
        except IllegalAction as error:
            first_error = first_error or error
        else:
            legal.append(route)
    if first_error is not None and not legal:
        raise first_error
    return legal


def _apart(traced: list[TracedRoute], options: list[list[TracedRoute]]) -> list[TracedRoute]:
    """Ways to lay the routes that share no track, the preferred ones if they do not."""
    try:
        check_track(traced)
    except IllegalAction:
        for ways in islice(product(*options), MAX_COMBINATIONS):
            uses = [use for route in ways for use in route.uses]
            if len(set(uses)) == len(uses):
                return list(ways)
        raise
    return traced


def connections_of(run: RunContext, route: TracedRoute) -> list[list[str]]:
    """Connections in the recorded format, in running order (core 9.6)."""
    if not route.chains:
        return [["local", route.stops[0].hex]]
    return [_connection(run, chain, chain.a is stop) for stop, chain in zip(route.stops, route.chains, strict=False)]


def _connection(run: RunContext, chain: Chain, forward: bool) -> list[str]:
    pieces = chain.pieces if forward else chain.pieces[::-1]
    if len(pieces) == 1 and not pieces[0][1].edges:
        hex_id = pieces[0][0]
        inner = sum(not path.edges for path in run.tile(hex_id).paths)
        if inner > 1:
            ends = (chain.a, chain.b) if forward else (chain.b, chain.a)
            return [f"{hex_id} {ends[0].node.ref}.{ends[1].node.ref}"]
    return [hex_id for hex_id, _ in pieces]
