"""Several freight trains at one stop: which routes form a chain depends on the direction they are listed in."""

from __future__ import annotations

from pathlib import Path

from services import routing
from services.route_problem import decode
from services.routing.checker import check_solution

PROBLEM = Path(__file__).parent / "data" / "freight_star.json"


def test_every_set_found_on_the_way_is_legal_as_listed() -> None:
    """Every report is valued by the checker, which refuses routes that do not join as the search meant."""
    problem = decode(PROBLEM.read_bytes())
    found: list[int] = []
    solution = routing.solve(problem, report=lambda lower, upper, routes: found.append(lower))
    assert found == sorted(found)
    assert found[-1] == solution.revenue >= 340
    assert solution.proven
    check_solution(problem, solution)
