"""Freight routes joined end to end: which stops pay and how far it is as the crow flies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Position = tuple[int, int, bool]
"""Doubled coordinates an end is measured from, and whether the end itself is an off-board location."""


def crow_distance(first: Position, second: Position) -> int:
    """Hexes strictly between two ends of a run, plus one for each off-board end, never below 0."""
    dx, dy = abs(first[0] - second[0]), abs(first[1] - second[1])
    between = -1 if dx == dy == 0 else max(0, dx + max(0, (dy - dx) // 2) - 1)
    return max(0, between + first[2] + second[2])


@dataclass(frozen=True)
class FreightRoute:
    """One freight route as far as chains are concerned; `ends` are stops, `positions` belong to them."""

    train: int
    ends: tuple[int, int]
    positions: tuple[Position, Position]
    permanent: bool


@dataclass(frozen=True)
class Chain:
    """Freight routes that share ends, in order of addition; `free` has the two stops that pay (equal in a
    ring).
    """

    routes: tuple[FreightRoute, ...]
    free: tuple[int, int]
    distance: int


class ChainError(ValueError):
    """The freight routes cannot be run together; the text says why."""


def build_chains(routes: Sequence[FreightRoute]) -> list[Chain]:
    """The chains of `routes`, given in train order; raises `ChainError` if the set is not allowed."""
    remaining = list(routes)
    chains = []
    while remaining:
        start = next((route for route in remaining if not route.permanent), remaining[0])
        remaining.remove(start)
        members = [start]
        for end in start.ends:
            branch, remaining = _extend(end, remaining)
            members += branch
        chains.append(_chain(members))
    mixed = [chain for chain in chains if not all(route.permanent for route in chain.routes)]
    if len(mixed) > 1:
        raise ChainError("freight trains that are not permanent run in more than one chain")
    if mixed and len(chains) > 1 and not any(route.permanent for route in mixed[0].routes):
        raise ChainError("a chain of freight trains that are not permanent must be the only chain")
    return chains


def _extend(end: int, remaining: list[FreightRoute]) -> tuple[list[FreightRoute], list[FreightRoute]]:
    """Routes that continue from stop `end`, and what remains without them."""
    best: tuple[list[FreightRoute], list[FreightRoute]] = ([], remaining)
    for candidate in [route for route in remaining if end in route.ends]:
        rest = [route for route in remaining if route is not candidate]
        other = candidate.ends[1] if candidate.ends[0] == end else candidate.ends[0]
        branch, rest = _extend(other, rest)
        branch = [candidate, *branch]
        if not all(route.permanent for route in branch):
            return branch, rest
        if len(branch) > len(best[0]):
            best = branch, rest
    return best


def _chain(members: list[FreightRoute]) -> Chain:
    listed = [(stop, place) for route in members for stop, place in zip(route.ends, route.positions, strict=True)]
    stops = [stop for stop, _ in listed]
    free = [(stop, place) for stop, place in listed if stops.count(stop) == 1]
    if not free:
        return Chain(tuple(members), (stops[0], stops[0]), int(listed[0][1][2]))
    if len(free) == 1:
        raise ChainError("the freight routes form a loop with a tail")
    (first, here), (second, there) = free[0], free[1]
    return Chain(tuple(members), (first, second), crow_distance(here, there))
