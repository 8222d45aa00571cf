"""Sets of routes with several freight trains: kernel, twin and exhaustive search agree, listing order included."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from services.route_problem import RouteProblem, Solution, decode, encode
from services.routing import Engine, solve
from services.routing.bruteforce import solve_bruteforce, walks
from services.routing.checker import check_solution, objective
from tests.routing.random_problems import freight_problem

BLOCK = 20
MOST_COMBINATIONS = 600
ENGINES: tuple[Engine, ...] = ("kernel", "python")


def compare(seed: int) -> bool:
    """Solve a random problem with freight trains; whether it was small enough for exhaustion."""
    problem = freight_problem(seed)
    key = objective(problem)

    def score(solution: Solution) -> tuple[int, ...]:
        running = sum(route is not None for route in solution.routes)
        return key(solution.revenue, solution.subsidy, running)

    found = []
    for engine in ENGINES:
        solution = solve(problem, engine=engine)
        check_solution(problem, solution)
        assert solution.proven, f"seed {seed}, {engine}"
        found.append(score(solution))
    assert found[0] == found[1], f"seed {seed}"
    small: bool = len(list(walks(problem))) ** len(problem.trains) <= MOST_COMBINATIONS
    if small:
        assert found[0] == score(solve_bruteforce(problem)), f"seed {seed}"
    return small


@pytest.mark.parametrize("block", range(6))
def test_freight_trains_are_joined_in_the_best_way(block: int) -> None:
    assert sum(compare(seed) for seed in range(block * BLOCK, (block + 1) * BLOCK)) > BLOCK // 3


@pytest.mark.exhaustive
@pytest.mark.parametrize("block", range(6, 100))
def test_freight_trains_are_joined_in_the_best_way_on_many_more_maps(block: int) -> None:
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        compare(seed)


def test_late_positions_of_1862_with_many_trains() -> None:
    """Positions of generated games with up to nine trains, several of them freight."""
    lines = gzip.decompress((Path(__file__).parent / "data" / "sets_1862.jsonl.gz").read_bytes()).splitlines()
    for one in map(decode, lines):
        solution = solve(one)
        check_solution(one, solution)
        found = {"revenue": solution.revenue, "subsidy": solution.subsidy}
        assert (found, solution.proven) == (one.optimum, True), one.id
        assert solution.revenue >= one.recorded["revenue"]


def problem(ends: list[tuple[int, int]], trains: list[dict[str, Any]], revenue: list[int]) -> RouteProblem:
    """Stops two hexes apart on a line, each with a station, joined by one piece of track for each pair."""
    freight = {"name": "F", "visit": [{"kinds": ["city"], "max": 2}], "pay": "ends"}
    crow = {"rate": 0, "port_rate": 0}
    return decode(
        {
            "format": "route-problem/2",
            "hexes": [[f"A{2 * n}", 0, 2 * n] for n in range(len(revenue))],
            "stops": [
                {"kind": "city", "hex": n, "revenue": [amount] * len(trains), "token": True}
                for n, amount in enumerate(revenue)
            ],
            "sides": 0,
            "junctions": 0,
            "track": [{"ends": pair, "hex": pair[0], "uses": [n]} for n, pair in enumerate(ends)],
            "conflicts": len(ends),
            "trains": [{**freight, "crow": crow, **train} for train in trains],
            "rules": {"share_track": True, "count_once": True, "must_connect": True, "freight_chains": True},
        }
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_three_routes_from_one_stop_pay_all_their_ends(engine: Engine) -> None:
    """Two of them are joined, the third is a chain of its own and is paid for the common stop."""
    star = problem([(0, 1), (0, 2), (0, 3)], [{"permanent": True}] * 3, [10, 20, 30, 40])
    solution = solve(star, engine=engine)
    assert solution.revenue == solve_bruteforce(star).revenue == 100
    check_solution(star, solution)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_order_of_listing_is_told_where_it_decides(engine: Engine) -> None:
    """At stop 0 the first train that rusts continues along the other; only then is the permanent one on its own.

    In the order of the trains the last route would be joined instead and leave two of those that rust apart.
    """
    trains = [{"permanent": False}, {"permanent": True}, {"permanent": False}]
    star = problem([(0, 1), (0, 2), (0, 3)], trains, [10, 20, 30, 40])
    solution = solve(star, engine=engine)
    assert solution.revenue == solve_bruteforce(star).revenue
    check_solution(star, solution)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_trains_that_rust_meet_in_the_middle(engine: Engine) -> None:
    """Joined end to end they are one chain, paid at its outer ends."""
    line = problem([(0, 1), (1, 2)], [{"permanent": False}] * 2, [50, 10, 60])
    solution = solve(line, engine=engine)
    assert (solution.revenue, solution.proven) == (110, True)
    assert all(solution.routes)


@pytest.mark.parametrize("engine", ENGINES)
def test_trains_that_rust_do_not_run_apart(engine: Engine) -> None:
    apart = problem([(0, 1), (2, 3), (1, 2)], [{"permanent": False}] * 2, [50, 10, 10, 60])
    assert solve(apart, engine=engine).revenue == solve_bruteforce(apart).revenue == 70


def test_freight_trains_must_agree_on_what_a_chain_is_paid() -> None:
    data = json.loads(encode(problem([(0, 1)], [{"permanent": True}] * 2, [10, 20])))
    data["trains"][1]["crow"]["rate"] = 20
    with pytest.raises(ValueError, match=r"trains\[1\]\.crow"):
        decode(data)


def test_equal_freight_problems_get_equal_answers() -> None:
    for seed in random.Random(3).sample(range(1000), 20):
        one, other = (solve(freight_problem(seed)) for _ in range(2))
        assert (one.routes, one.order) == (other.routes, other.order)
