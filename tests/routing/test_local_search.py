"""The local search for maps too large to walk: every set it reports is legal and worth what it says."""

from __future__ import annotations

import pytest

from services.route_problem import RouteProblem
from services.routing import solve
from services.routing.checker import check_routes
from services.routing.contract import contract
from services.routing.engine import Path, path_pieces
from services.routing.kernel_engine import KernelEngine
from services.routing.rules import Weights, classes
from tests.routing.conftest import load_problems
from tests.routing.random_problems import random_problem
from tests.routing.test_anytime import mesh


def search(problem: RouteProblem, coolings: int) -> list[tuple[int, list[Path | None]]] | None:
    """Sets reported by a search that begins with no routes; None where the problem has none for it."""
    network = contract(problem)
    groups = classes(problem, network, Weights.of(problem))
    engine = KernelEngine(groups, network, [(x, y) for _, x, y in problem.hexes])
    number = {train: place for place, rules in enumerate(groups) for train in rules.trains}
    improver = engine.improver([number[train] for train in range(len(problem.trains))])
    if improver is None:
        return None
    found: list[tuple[int, list[Path | None]]] = []
    improver.start([None] * len(problem.trains))
    for _ in range(coolings):
        lower = found[-1][0] if found else 0
        improver.cool(lower, lambda score, paths: found.append((score, list(paths))), lambda count: None)
    return found


def routes(problem: RouteProblem, paths: list[Path | None]) -> list[list[int] | None]:
    """Track pieces of a set of routes."""
    network = contract(problem)
    return [None if path is None else path_pieces(network, path) for path in paths]


def test_reported_sets_are_legal_and_worth_their_score() -> None:
    optimal = tried = 0
    for seed in range(150):
        problem = random_problem(seed)
        found = None if problem.rules.count_once else search(problem, 5)
        if found is None:
            continue
        weights = Weights.of(problem)
        for score, paths in found:
            report = check_routes(problem, routes(problem, paths))
            running = sum(path is not None for path in paths)
            assert weights.score(report.revenue, report.subsidy, running) == score, f"seed {seed}"
        best = solve(problem)
        running = sum(route is not None for route in best.routes)
        optimum = weights.score(best.revenue, best.subsidy, running)
        reached = found[-1][0] if found else 0
        assert reached <= optimum, f"seed {seed}"
        tried += 1
        optimal += reached == optimum
    assert tried > 60
    assert optimal > 0.97 * tried


@pytest.mark.parametrize("trains", [1, 2, 3])
def test_a_lattice_is_routed_as_well_as_by_listing_all_routes(trains: int) -> None:
    problem = mesh(4, trains)
    found = search(problem, 20)
    assert found
    assert found[-1][0] == solve(problem).revenue


def test_searches_repeat_themselves_exactly() -> None:
    assert search(mesh(6), 3) == search(mesh(6), 3)


def test_the_best_route_known_of_maps_that_nobody_can_walk() -> None:
    """Both have about 2,000 links; their optima come from a constraint model."""
    problems = [p for p in load_problems("bench/stress.jsonl.gz") if p.id and p.id.startswith("synthetic-lawson-12x10")]
    single = [problem for problem in problems if len(problem.trains) == 1]
    assert len(single) == 2
    for problem in single:
        found = search(problem, 40)
        assert found
        assert found[-1][0] == problem.optimum["revenue"]
