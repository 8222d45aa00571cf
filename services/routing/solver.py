"""Solving one problem from start to end."""

from __future__ import annotations

from collections.abc import Callable

from services.route_problem import RouteProblem, Solution
from services.routing import Engine, Report
from services.routing.bruteforce import solve_bruteforce


def solve_problem(
    problem: RouteProblem,
    *,
    deadline: float | None = None,
    cancelled: Callable[[], bool] | None = None,
    report: Report | None = None,
    engine: Engine = "auto",
) -> Solution:
    """See `services.routing.solve`."""
    solution = solve_bruteforce(problem)
    if report is not None:
        report(solution.revenue, solution.upper_bound, solution.routes)
    return solution


def warm_up() -> float:
    """See `services.routing.warm_up`."""
    return 0.0
