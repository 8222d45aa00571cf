"""Kernel, twin and exhaustive search agree on random problems with every kind of rule."""

from __future__ import annotations

import functools
import itertools
import operator
import random

import numpy as np
import pytest

from services.route_problem import Solution, decode, encode
from services.routing import Engine, join_kernel, pricing, solve
from services.routing.bruteforce import solve_bruteforce, walks
from services.routing.checker import check_solution, objective
from services.routing.plan import words
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


class _Findings:
    """Keeps what a combining search reports."""

    def __init__(self, pool: pricing.Pool) -> None:
        self.lists = [list(zip(*pair, strict=True)) for pair in zip(pool.values, pool.masks, strict=True)]
        self.counts = list(pool.counts)
        self.best = 0
        self.bounds: list[int] = []

    def tick(self, states: int) -> None:
        """Nothing."""

    def better(self, value: int, choice: list[tuple[int, int]]) -> None:
        used = np.zeros(2, dtype=np.uint64)
        total = 0
        for group, row in choice:
            score, mask = self.lists[group][row]
            assert not (used & mask).any()
            used |= mask
            total += int(score)
        assert all([group for group, _ in choice].count(group) <= count for group, count in enumerate(self.counts))
        assert total == value > self.best
        self.best = value

    def bound(self, value: int) -> None:
        self.bounds.append(value)


@pytest.mark.parametrize("counts", [[2], [1, 1], [3], [2, 1], [1, 2, 1]])
def test_dividing_long_lists_finds_the_best_set(counts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join_kernel, "SAMPLES", (1,))
    monkeypatch.setattr(join_kernel, "FEW", 3)
    monkeypatch.setattr(join_kernel, "FEW_OF_MANY", 3)
    chance = random.Random(7)
    for _ in range(60):
        length = 24 if sum(counts) < 4 else 9
        lists = [
            [
                (chance.randrange(1, 40) * 10, sum(1 << 6 * bit for bit in chance.sample(range(21), 5)))
                for _ in range(length)
            ]
            for _ in counts
        ]
        pool = pricing.Pool.of(
            [np.array([score for score, _ in entries], dtype=np.int64) for entries in lists],
            [np.array([words(mask, 2) for _, mask in entries], dtype=np.uint64) for entries in lists],
            counts,
        )
        pool.upper, findings = 10_000, _Findings(pool)
        join_kernel.join(pool, 10, findings, proof=True)
        trains = [[(0, 0), *entries] for entries, count in zip(lists, counts, strict=True) for _ in range(count)]
        best = 0
        for chosen in itertools.product(*trains):
            masks = [mask for _, mask in chosen]
            if sum(masks) == functools.reduce(operator.or_, masks):
                best = max(best, sum(score for score, _ in chosen))
        assert findings.best == pool.lower == best
        assert findings.bounds[-1] == best <= min(findings.bounds)


def test_random_problems_survive_a_round_trip() -> None:
    for seed in range(200):
        problem = random_problem(seed)
        assert decode(encode(problem)) == problem


def test_equal_problems_get_equal_answers() -> None:
    for seed in range(100):
        problem = random_problem(seed)
        assert solve(problem).routes == solve(decode(encode(problem))).routes
