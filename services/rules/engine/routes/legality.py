"""Which routes may run (core 9.2, 9.3): one function a rule, each with its own error code."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import IllegalAction
from ..state import Train
from .context import RunContext
from .track import TracedRoute, Use
from .trains import within


def check_train(run: RunContext, train_id: str, seen: set[str]) -> Train:
    """The train with this id if it may run now (core 9.2, last paragraph)."""

    def fail(code: str, message: str) -> IllegalAction:
        return IllegalAction(code, message, train=train_id)

    train = run.state.depot.trains.get(train_id)
    if train is None:
        raise fail("unknown_train", f"There is no train {train_id}.")
    if train.owner != run.sym:
        raise fail("not_own_train", f"Train {train_id} does not belong to {run.sym}.")
    if train.ran:
        raise fail("train_already_ran", f"Train {train_id} has already run in this operating round.")
    if train_id in seen:
        raise fail("train_twice", f"Train {train_id} has two routes.")
    reason = run.rules.cannot_run(run, train)
    if reason is not None:
        raise fail("train_not_permitted", reason)
    seen.add(train_id)
    return train


def check_route(run: RunContext, route: TracedRoute) -> None:
    """Legality of one route (core 9.2 items 1-7 and 9, and track inside the route)."""
    _check_length(route)
    _check_repeats(run, route)
    _check_inner(route)
    _check_stops(run, route)
    if not any(stop.token for stop in route.stops):
        raise _illegal(route, "no_token", f"visits no city with a token of {run.sym}")
    _check_distance(route)
    check_track([route])
    run.rules.check_route(run, route)


def _illegal(route: TracedRoute, code: str, why: str, **details: object) -> IllegalAction:
    stops = [stop.ref for stop in route.stops]
    return IllegalAction(code, f"The route of train {route.train} {why}.", train=route.train, stops=stops, **details)


def _check_length(route: TracedRoute) -> None:
    if len(route.stops) < 2 and not route.spec.is_local:
        raise _illegal(route, "route_too_short", "needs at least two stops")


def _check_repeats(run: RunContext, route: TracedRoute) -> None:
    stops = route.stops
    if len(set(stops)) != len(stops):
        twice = next(stop for i, stop in enumerate(stops) if stop in stops[:i])
        raise _illegal(route, "stop_twice", f"visits {twice.ref} twice", stop=twice.ref)
    met: set[str] = set()
    for stop in stops:
        for key in run.rules.exclusive(run, stop):
            if key in met:
                raise _illegal(route, "place_twice", f"visits {key} twice", place=key)
            met.add(key)


def _check_inner(route: TracedRoute) -> None:
    for stop in route.stops[1:-1]:
        if stop.blocked:
            code = "passes_offboard" if stop.kind == "offboard" else "passes_blocked_city"
            why = "an off-board area" if stop.kind == "offboard" else "a city full of other tokens"
            raise _illegal(route, code, f"runs through {stop.ref}, {why}", stop=stop.ref)
    for hex_id, path in route.pieces[1:-1]:
        if path.terminal:
            raise _illegal(route, "passes_terminal_track", f"runs on past the end of the track on {hex_id}")


def _check_stops(run: RunContext, route: TracedRoute) -> None:
    rules, spec = run.rules, route.spec
    for stop in route.stops:
        reason = rules.forbidden(run, stop)
        if reason is not None:
            raise IllegalAction("forbidden_stop", reason, train=route.train, stop=stop.ref)
    for stop in route.ends:
        reason = rules.cannot_end(run, stop, spec)
        if reason is not None:
            raise IllegalAction("forbidden_end", reason, train=route.train, stop=stop.ref)
    first, last = (rules.end_class(run, stop) for stop in route.ends)
    if first is not None and first == last and len(route.stops) > 1:
        raise _illegal(route, "ends_alike", f"has two {first} ends", end_class=first)


def _check_distance(route: TracedRoute) -> None:
    spec = route.spec
    demand: dict[str, int] = {}
    for stop in route.stops:
        demand[stop.kind] = demand.get(stop.kind, 0) + stop.node.visit_cost
    if not within(spec.visit, demand):
        raise _illegal(route, "route_too_long", f"visits more or other stops than a {spec.name} train can")
    if spec.hex_limit is not None and hex_sides(route) > spec.hex_limit:
        raise _illegal(route, "route_too_long", f"is longer than {spec.hex_limit} hexes")


def hex_sides(route: TracedRoute) -> int:
    """Hex sides a route crosses."""
    return len(route.hexes) - 1


def check_track(routes: Sequence[TracedRoute]) -> None:
    """No track twice among these routes, each edge of a hex and each node-to-node path once (core 9.2.8)."""
    total = sum(len(route.uses) for route in routes)
    if len({use for route in routes for use in route.uses}) == total:
        return
    seen: dict[Use, TracedRoute] = {}
    for route in routes:
        for use in route.uses:
            other = seen.get(use)
            if other is not None:
                hex_id = use[0]
                also = "" if other is route else f" that train {other.train} also uses"
                code = "track_twice" if other is route else "track_shared"
                raise _illegal(
                    route,
                    code,
                    f"uses track on {hex_id} twice" if not also else f"uses track on {hex_id}{also}",
                    hex=hex_id,
                )
            seen[use] = route
