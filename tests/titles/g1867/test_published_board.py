"""The published last board of 1867: the engine's position, its route problems and what the engine pays for them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from services.route_problem import RouteProblem, Solution, Train, decode
from services.routing import solve
from services.rules.engine import trains
from services.rules.engine.routes.check import RunResult
from services.rules.route_problems import build_problem, recorded_routes, routes_from_solution
from tests.shared import SHARED, need
from tests.titles.g1867.published_board import COMPANIES, published_board
from tests.titles.g1867.table import Canada

FILES = {"GWR": "GW", "C&O": "CO", "CNR": "CNR"}
PUBLISHED_CNR: dict[str, list[str]] = {
    "5-1": ["D16-E17", "E17-F16", "F16-F14-G13-H12-I11-J12", "J12-K11-L12"],
    "5+5E-0": [
        "M15-M13",
        "M13-L12",
        "L12-K13",
        "K13-J12",
        "J12-J14-I15",
        "I15-H14",
        "H14-G15",
        "G15-F16",
        "F16-E15",
        "E15-E17",
        "E17-D18-C17",
        "C17-B18",
        "B18-A17",
    ],
}
"""The best run with Berlin at the end of the 5-train's route instead of Buffalo."""


def problem_of(table: Canada, sym: str) -> RouteProblem:
    game = table.game
    return build_problem(game.title.map, game.state, sym, game.title.route_rules)


def confirmed(table: Canada, sym: str, solution: Solution) -> RunResult:
    """The answer as the engine checks and values it."""
    game = table.game
    return routes_from_solution(game.title.map, game.state, sym, game.title.route_rules, solution)


def to_routes(table: Canada, sym: str) -> Canada:
    """Pass until a company is to run; those before it run nothing."""
    while (table.game.operator.sym, table.step()) != (sym, "route"):
        operator = table.game.operator.sym
        if table.step() == "route":
            table.run(operator, {})
        else:
            table.passes(operator)
    return table


def as_routes(routes: dict[str, list[str]]) -> list[dict[str, Any]]:
    return [{"train": train, "connections": [link.split("-") for link in links]} for train, links in routes.items()]


def paid(table: Canada, sym: str, routes: list[dict[str, Any]]) -> int:
    """Revenue of a ``run_routes`` action, as its dividend then offers it."""
    table.do(sym, "run_routes", routes=routes)
    assert table.step() == "dividend"
    assert {move["kind"] for move in table.game.moves() if move["type"] == "dividend"} == {
        "payout",
        "half",
        "withhold",
    }
    before = table.company(sym).cash
    table.do(sym, "dividend", kind="withhold")
    return table.company(sym).cash - before


def test_the_position_is_whole() -> None:
    """Nothing is decided before the first turn, and the state survives encoding."""
    table = published_board()
    game = table.game
    assert (game.phase.name, table.state.trainless, trains.crowded(game)) == ("8", [], [])
    assert {c.sym for c in game.corporations if c.floated} == set(COMPANIES)
    assert table.on_map("CN")[:2] == ["F16", "L12"]
    assert game.decode(game.title, game.encode()).encode() == game.encode()
    for sym, facts in COMPANIES.items():
        assert table.on_map(sym) == facts["tokens"]
        assert table.of(sym)[2] == facts["trains"]


@pytest.mark.parametrize("sym", COMPANIES)
def test_best_run_is_proven_and_paid(sym: str) -> None:
    table = to_routes(published_board(), sym)
    solution = solve(problem_of(table, sym))
    best = COMPANIES[sym]["best"]
    assert (solution.revenue, solution.upper_bound, solution.proven) == (best, best, True)
    result = confirmed(table, sym, solution)
    assert result.total == best
    assert paid(table, sym, [msgspec.to_builtins(route) for route in recorded_routes(result)]) == best


def test_published_run_is_legal_but_not_the_best() -> None:
    """1130 can be run, and no search that ends with it has found the best."""
    table = to_routes(published_board(), "CNR")
    published = COMPANIES["CNR"]["published"]
    assert solve(problem_of(table, "CNR")).revenue > published
    assert paid(table, "CNR", as_routes(PUBLISHED_CNR)) == published
    over_buffalo = ["F18-E17", *PUBLISHED_CNR["5-1"][1:]]
    better = as_routes({**PUBLISHED_CNR, "5-1": over_buffalo})
    assert paid(to_routes(published_board(), "CNR"), "CNR", better) == COMPANIES["CNR"]["best"]


# --- against the published encoding -----------------------------------------------------------------------------


def stops(problem: RouteProblem, only: set[int]) -> set[tuple[Any, ...]]:
    """What each stop is and pays."""
    return {
        (problem.hexes[s.hex][0], s.kind, tuple(s.revenue), s.token, s.blocked)
        for number, s in enumerate(problem.stops)
        if number in only
    }


def reached(problem: RouteProblem) -> set[int]:
    """Stops that track joins to a station of the company."""
    around: dict[int, list[int]] = {}
    for piece in problem.track:
        a, b = piece.ends
        around.setdefault(a, []).append(b)
        around.setdefault(b, []).append(a)
    waiting = [number for number, stop in enumerate(problem.stops) if stop.token]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        if node < len(problem.stops) and problem.stops[node].blocked:
            continue
        for other in around.get(node, ()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return {node for node in seen if node < len(problem.stops)}


def limits(train: Train) -> tuple[Any, ...]:
    """Name, reach and pay of a train; there are no halts on this map."""
    assert isinstance(train.pay, list)
    rows = [[(sorted(set(row.kinds) - {"halt"}), row.max) for row in rows] for rows in (train.visit, train.pay)]
    return (train.name, *rows, sorted(train.always_pay), train.token_must_pay)


@pytest.mark.parametrize("sym", COMPANIES)
def test_problem_is_the_published_one(sym: str) -> None:
    """Same stops within reach, same trains, same best."""
    given = decode(need(SHARED / "routes" / "bench" / f"1867_bc_{FILES[sym]}.json").read_bytes())
    ours = problem_of(published_board(), sym)
    assert stops(ours, set(range(len(ours.stops)))) == stops(given, reached(given))
    assert [limits(train) for train in ours.trains] == [limits(train) for train in given.trains]
    answer = solve(given)
    assert (answer.revenue, answer.proven) == (COMPANIES[sym]["best"], True)
