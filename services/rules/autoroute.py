"""Best routes found in this process, for bots and tools that play without a routing worker."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from services import routing

from . import route_problems
from .engine.game import Game


def best_routes(game: Game, sym: str, *, seconds: float | None = 5.0) -> list[dict[str, Any]]:
    """Routes of a ``run_routes`` action that earn most; [] when there is nothing to run.

    ``seconds`` of processor time, which do not depend on what else the machine does, bound the search, whose best
    answer so far is then taken. None: it goes on to the proof.
    """
    rules = game.title.route_rules
    if not route_problems.runnable_trains(game.title.map, game.state, sym, rules):
        return []
    problem = route_problems.build_problem(game.title.map, game.state, sym, rules)
    end = None if seconds is None else time.process_time() + seconds
    solution = routing.solve(problem, cancelled=lambda: end is not None and time.process_time() >= end)
    result = route_problems.routes_from_solution(game.title.map, game.state, sym, rules, solution)
    return [msgspec.to_builtins(route) for route in route_problems.recorded_routes(result)]
