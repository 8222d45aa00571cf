"""Kernel, twin and a constraint model on raw track agree."""

from __future__ import annotations

import pytest

from services.routing import solve
from tests.routing.conftest import load_problems
from tests.routing.cpsat import can_express, solve_cpsat
from tests.routing.random_problems import random_problem


def agree(seed: int) -> bool:
    """Compare on a random problem, if the model can express it."""
    problem = random_problem(seed)
    if not can_express(problem):
        return False
    verdict = solve_cpsat(problem)
    assert verdict.proven
    assert verdict.revenue == solve(problem).revenue == solve(problem, engine="python").revenue, f"seed {seed}"
    return True


def test_a_constraint_model_agrees_on_random_problems() -> None:
    assert sum(agree(seed) for seed in range(1600)) > 80


@pytest.mark.exhaustive
def test_a_constraint_model_agrees_on_many_random_problems() -> None:
    assert sum(agree(seed) for seed in range(1600, 8000)) > 300


def test_a_constraint_model_agrees_on_recorded_positions() -> None:
    problems = [problem for problem in load_problems("corpus/seven.jsonl.gz") if can_express(problem)]
    for problem in problems[::25]:
        verdict = solve_cpsat(problem)
        assert (verdict.revenue, verdict.proven) == (solve(problem).revenue, True), problem.id
