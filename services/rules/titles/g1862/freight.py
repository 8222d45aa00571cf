"""Freight routes of 1862 joined end to end (1862 section 4.4)."""

from __future__ import annotations

from collections.abc import Sequence

from services.rules.engine.board.map import Map
from services.rules.engine.errors import IllegalAction
from services.rules.engine.routes.track import Stop, TracedRoute


class FreightChain:
    """Freight routes that share ends, in order of addition, and the two stops they carry between.

    ``free`` are the stops at which exactly one route of the chain ends, twice the same stop for a ring.
    """

    def __init__(self, routes: list[TracedRoute]) -> None:
        self.routes = routes
        listed = [(stop, route) for route in routes for stop in route.ends]
        stops = [stop for stop, _ in listed]
        free = [(stop, route) for stop, route in listed if stops.count(stop) == 1]
        if len(free) == 1:
            raise IllegalAction(
                "freight_lasso",
                "The freight routes form a loop with a tail.",
                trains=[route.train for route in routes],
            )
        (first, _), (last, _) = self._carried = free[:2] if free else [listed[0], listed[0]]
        self.free: tuple[Stop, Stop] = (first, last)

    def distance(self, map: Map) -> int:
        """Hexes strictly between the free ends as the crow flies, an off-board end counting one more."""
        (first, start), (last, end) = self._carried
        between = map.distance(_measured_from(first, start), _measured_from(last, end)) - 1
        return max(0, between + (first.kind == "offboard") + (last.kind == "offboard"))


def _measured_from(stop: Stop, route: TracedRoute) -> str:
    """The hex of an end, or of the track before it if the end is off the board."""
    if stop.kind != "offboard":
        return stop.hex
    hexes = route.hexes
    return hexes[1] if route.stops[0] is stop else hexes[-2]


def build_chains(routes: Sequence[TracedRoute]) -> list[FreightChain]:
    """Join freight routes (1862 section 4.3, S3); raises :class:`IllegalAction` where that is forbidden."""
    remaining = list(routes)
    temporary = [route for route in remaining if not route.spec.permanent]
    chains: list[FreightChain] = []
    while remaining:
        start = temporary[0] if temporary and not chains else remaining[0]
        remaining.remove(start)
        members = [start]
        for stop in start.ends:
            members += _extend(stop, remaining)
        chains.append(FreightChain(members))
    _check(chains)
    return chains


def _extend(stop: Stop, remaining: list[TracedRoute]) -> list[TracedRoute]:
    """Routes that continue a chain at a stop; they are taken out of ``remaining``."""
    options = [route for route in remaining if stop in route.ends]
    if not options:
        return []
    branches = []
    for route in options:
        left = [other for other in remaining if other is not route]
        onward = route.ends[1] if route.ends[0] is stop else route.ends[0]
        branches.append([route, *_extend(onward, left)])
    best = max(branches, key=len)
    branch = next((b for b in branches if any(not route.spec.permanent for route in b)), best)
    for route in branch:
        remaining.remove(route)
    return branch


def _check(chains: Sequence[FreightChain]) -> None:
    """At most one chain has trains that rust; if it has no others, it must be the only chain."""
    mixed = [chain for chain in chains if any(not route.spec.permanent for route in chain.routes)]
    trains = [route.train for chain in chains for route in chain.routes]
    if len(mixed) > 1:
        raise IllegalAction(
            "freight_not_chained", "Freight trains that rust must run in one chain of routes.", trains=trains
        )
    if mixed and len(chains) > 1 and all(not route.spec.permanent for route in mixed[0].routes):
        raise IllegalAction(
            "freight_not_joined",
            "Freight trains that rust must be joined with the permanent freight trains that run.",
            trains=trains,
        )
