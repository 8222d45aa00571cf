"""Kernel, twin and exhaustive search agree on random problems with every kind of rule."""

from __future__ import annotations

import pytest

from services.route_problem import Solution, decode, encode
from services.routing import Engine, solve
from services.routing.bruteforce import solve_bruteforce, walks
from services.routing.checker import check_solution, objective
from tests.routing.random_problems import random_problem

BLOCK = 50
MOST_COMBINATIONS = 20_000


def compare(seed: int) -> None:
    """Solve a random problem three ways."""
    problem = random_problem(seed)
    score = objective(problem)

    def outcome(solution: Solution) -> tuple[int, ...]:
        running = sum(route is not None for route in solution.routes)
        return score(solution.revenue, solution.subsidy, running)

    found = []
    engines: list[Engine] = ["kernel", "python"]
    for engine in engines:
        solution = solve(problem, engine=engine)
        check_solution(problem, solution)
        assert solution.proven, f"seed {seed}, {engine}"
        assert solution.upper_bound == solution.revenue
        found.append(outcome(solution))
    assert found[0] == found[1], f"seed {seed}"
    if len(list(walks(problem))) ** len(problem.trains) <= MOST_COMBINATIONS:
        assert found[0] == outcome(solve_bruteforce(problem)), f"seed {seed}"


@pytest.mark.parametrize("block", range(20))
def test_three_solvers_agree(block: int) -> None:
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        compare(seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("block", range(20, 200))
def test_three_solvers_agree_on_many_more(block: int) -> None:
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        compare(seed)


def test_random_problems_survive_a_round_trip() -> None:
    for seed in range(200):
        problem = random_problem(seed)
        assert decode(encode(problem)) == problem


def test_equal_problems_get_equal_answers() -> None:
    for seed in range(100):
        problem = random_problem(seed)
        assert solve(problem).routes == solve(decode(encode(problem))).routes
