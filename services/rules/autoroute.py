"""Best routes found in this process, for bots and tools that play without a routing worker."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from services import routing
from services.route_problem import RouteProblem, Solution

from . import route_problems
from .engine.errors import EngineError
from .engine.game import Game
from .engine.routes.check import RunResult

MOST_ALONE = 2
"""Trains that are tried one by one where the search for all together has found nothing in time."""


def best_routes(game: Game, sym: str, *, seconds: float = 5.0) -> list[dict[str, Any]]:
    """Routes of a ``run_routes`` action that earn most; [] when there is nothing to run.

    ``seconds`` of processor time bound the search, whose best answer so far is then taken. Where it has found none,
    each train is given the same time for itself, and those are kept that add to the sum.
    """
    rules = game.title.route_rules
    if not route_problems.runnable_trains(game.title.map, game.state, sym, rules):
        return []
    problem = route_problems.build_problem(game.title.map, game.state, sym, rules)
    solution = _solve(problem, seconds)
    if solution.proven or any(solution.routes):
        result = route_problems.routes_from_solution(game.title.map, game.state, sym, rules, solution)
    else:
        result = _one_by_one(game, sym, problem, seconds)
    return [msgspec.to_builtins(route) for route in route_problems.recorded_routes(result)]


def _solve(problem: RouteProblem, seconds: float) -> Solution:
    """An answer within a processor time, which is the same on a busy machine."""
    end = time.process_time() + seconds
    return routing.solve(problem, cancelled=lambda: time.process_time() >= end)


def _one_by_one(game: Game, sym: str, problem: RouteProblem, seconds: float) -> RunResult:
    """Best routes of single trains, as far as they may run together and add to the sum."""
    kept: list[list[int] | None] = [None] * len(problem.trains)
    best = _value(game, sym, kept)
    for number, train in enumerate(problem.trains[:MOST_ALONE]):
        alone = _solve(msgspec.structs.replace(problem, trains=[train]), seconds)
        tried = [*kept[:number], alone.routes[0], *kept[number + 1 :]]
        try:
            result = _value(game, sym, tried)
        except EngineError:
            continue
        if result.total > best.total:
            kept, best = tried, result
    return best


def _value(game: Game, sym: str, routes: list[list[int] | None]) -> RunResult:
    """What the engine pays for routes in track pieces of the problem."""
    return route_problems.run_of_pieces(game.title.map, game.state, sym, game.title.route_rules, routes)
