"""Searches that are watched, stopped or too large: bounds stay valid and nothing is called proven wrongly."""

from __future__ import annotations

import itertools
import time

import pytest

from services.route_problem import RouteProblem
from services.routing import Engine, contract, kernel_engine, solve, solver
from services.routing.checker import check_routes, check_solution
from services.routing.contract import contract as contract_network
from tests.routing.problems import graph, stop, train
from tests.routing.random_problems import random_problem

ENGINES: list[Engine] = ["kernel", "python"]
Reported = tuple[int, int, list[list[int] | None]]


def mesh(size: int, trains: int = 2) -> RouteProblem:
    """A square lattice of cities with more routes than can be walked."""
    stops = [stop(10 * (1 + (7 * number) % 5), token=number % 5 == 0) for number in range(size * size)]
    links = []
    for row, column in itertools.product(range(size), repeat=2):
        here = row * size + column
        links += [(here, here + 1)] if column + 1 < size else []
        links += [(here, here + size)] if row + 1 < size else []
    return graph(stops, links, [train() for _ in range(trains)])


@pytest.mark.parametrize("engine", ENGINES)
def test_bounds_only_get_closer(engine: Engine) -> None:
    for seed in range(150):
        problem = random_problem(seed)
        reports: list[Reported] = []
        solution = solve(problem, engine=engine, report=lambda *bounds: reports.append(bounds))  # noqa: B023
        for lower, upper, routes in reports:
            assert check_routes(problem, routes).revenue == lower <= solution.revenue <= upper
        for before, after in itertools.pairwise(reports):
            assert before[0] <= after[0] <= after[1] <= before[1]
        assert solution.revenue == 0 or reports


@pytest.mark.parametrize("engine", ENGINES)
def test_a_deadline_gives_the_best_so_far_and_a_bound(engine: Engine) -> None:
    problem = mesh(7)
    solution = solve(problem, deadline=0.3, engine=engine)
    check_solution(problem, solution)
    assert not solution.proven
    assert 0 < solution.revenue <= solution.upper_bound


@pytest.mark.parametrize("engine", ENGINES)
def test_a_search_asks_often_whether_it_is_cancelled(engine: Engine) -> None:
    asked: list[float] = []

    def cancelled() -> bool:
        asked.append(time.process_time())
        return len(asked) > 8

    solution = solve(mesh(7), cancelled=cancelled, engine=engine)
    assert not solution.proven
    assert solution.revenue > 0
    assert len(asked) == 9


def test_a_search_cancelled_from_the_start_claims_nothing() -> None:
    solution = solve(mesh(3), cancelled=lambda: True)
    assert (solution.revenue, solution.proven) == (0, False)
    assert solution.upper_bound >= solve(mesh(3)).revenue


def test_a_search_cancelled_while_the_network_is_built_still_has_a_valid_bound() -> None:
    problem = mesh(4)
    optimum = solve(problem).revenue
    for most in range(1, 40):
        asked = itertools.count()
        solution = solve(problem, cancelled=lambda: next(asked) > most)  # noqa: B023
        check_solution(problem, solution)
        assert solution.revenue <= optimum <= solution.upper_bound
    solution = solve(problem, cancelled=lambda: True)
    assert solution.stats["links"] == 0
    assert solution.upper_bound >= optimum


def test_a_network_cut_short_is_never_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "MAX_LINKS", 5)
    problem = graph(
        [stop(10, token=True), *(stop(10) for _ in range(6))],
        [{"ends": [number, 7]} for number in range(7)],
        [train("3", 3)],
        sides=0,
        junctions=1,
    )
    assert not contract_network(problem).complete
    solution = solve(problem)
    check_solution(problem, solution)
    assert not solution.proven


def test_a_cap_on_states_ends_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "MAX_STATES", 50_000)
    solution = solve(mesh(7))
    assert not solution.proven
    assert solution.stats["states"] < 1_000_000


def test_a_cap_on_routes_ends_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    complete = solve(mesh(4))
    monkeypatch.setattr(kernel_engine, "MAX_ROUTES", 2_000)
    solution = solve(mesh(4))
    assert not solution.proven or solution.revenue == complete.revenue
    assert solution.revenue <= complete.revenue <= solution.upper_bound


def test_the_same_problem_has_the_same_answer() -> None:
    first, second = solve(mesh(4)), solve(mesh(4))
    assert (first.routes, first.revenue) == (second.routes, second.revenue)
