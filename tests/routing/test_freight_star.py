"""Several freight trains at one stop: which routes form a chain depends on the direction they are listed in."""

from __future__ import annotations

from pathlib import Path

from services import routing
from services.route_problem import decode

PROBLEM = Path(__file__).parent / "data" / "freight_star.json"


def test_every_set_found_on_the_way_is_legal_as_listed() -> None:
    found: list[int] = []
    solution = routing.solve(
        decode(PROBLEM.read_bytes()), deadline=1.0, report=lambda lower, upper, routes: found.append(lower)
    )
    assert found == sorted(found)
    assert solution.revenue >= 340
