"""Route problems say what the rules say: same legality, same money, on both sides of the boundary."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from services.route_problem import HexSubsidy, RouteProblem, SetBonus, Solution, content_hash
from services.route_problem.validate import validate
from services.routing import solve
from services.routing.bruteforce import solve_bruteforce
from services.routing.checker import check_routes
from services.rules.engine.errors import MalformedAction
from services.rules.engine.routes.check import trace_run
from services.rules.engine.routes.context import RunContext
from services.rules.engine.routes.reach import Reach
from services.rules.engine.routes.rules import RouteRules
from services.rules.route_problems import (
    RouteDisagreement,
    build_problem,
    recorded_routes,
    routes_from_solution,
    run_of_pieces,
    runnable_trains,
)
from tests.engine.routes.small_map import DATA, MAP, RULES, position, run
from tests.engine.routes.traces import Recorded, games, recorded_runs

TITLES = ("1830", "1861", "1862", "1867", "1888", "1893", "1894")
HOME: dict[tuple[str, int], list[str | None]] = {("A3", 0): ["X", None], ("A7", 0): ["X"]}


def sample(title: str, every: int) -> Iterator[Recorded]:
    number = 0
    for game in games(title):
        for recorded in recorded_runs(game):
            number += 1
            if number % every == 0:
                yield recorded


def as_pieces(recorded: Recorded, problem: RouteProblem) -> list[list[int] | None]:
    """The recorded routes in the numbers of the problem."""
    where = recorded.where
    context = RunContext(where.map, recorded.state, recorded.sym, where.rules)
    number = {(hex_id, path.index): i for i, (hex_id, path) in enumerate(Reach(context).pieces)}
    trains = runnable_trains(where.map, recorded.state, recorded.sym, where.rules)
    routes: list[list[int] | None] = [None] * len(problem.trains)
    for route in trace_run(context, recorded.routes):
        routes[trains.index(route.train)] = [number[hex_id, path.index] for hex_id, path in route.pieces]
    return routes


def compare(recorded: Recorded) -> None:
    """The route search's checker takes the recorded run for legal and pays what the engine pays."""
    where = recorded.where
    problem = validate(build_problem(where.map, recorded.state, recorded.sym, where.rules))
    routes = as_pieces(recorded, problem)
    report = check_routes(problem, routes)
    paid = (recorded.run["total"], recorded.run["subsidy"])
    assert (report.revenue, report.subsidy) == paid, recorded.name
    answer = Solution(
        report.revenue,
        report.revenue,
        False,
        routes,
        report.route_values,
        report.subsidy,
        report.route_subsidies,
    )
    result = routes_from_solution(where.map, recorded.state, recorded.sym, where.rules, answer)
    assert (result.total, result.subsidy) == paid, recorded.name


@pytest.mark.parametrize("title", TITLES)
def test_recorded_runs_are_legal_and_worth_the_same_in_the_problem(title: str) -> None:
    for recorded in sample(title, 16):
        compare(recorded)


@pytest.mark.exhaustive
@pytest.mark.parametrize("title", TITLES)
def test_every_recorded_run_is_legal_and_worth_the_same_in_the_problem(title: str) -> None:
    for recorded in sample(title, 1):
        compare(recorded)


@pytest.mark.parametrize("title", TITLES)
def test_the_best_routes_are_legal_and_no_worse_than_the_recorded_ones(title: str) -> None:
    solved = 0
    for recorded in sample(title, 16):
        where = recorded.where
        problem = build_problem(where.map, recorded.state, recorded.sym, where.rules)
        answer = solve(problem)
        result = routes_from_solution(where.map, recorded.state, recorded.sym, where.rules, answer)
        assert result.total >= recorded.run["total"], recorded.name
        solved += 1
    assert solved > 5


def test_the_best_routes_of_a_small_map() -> None:
    """The upper row, 30 + 20 + 10 + 30 + 40, and 30 + 40 from A7 to B8."""
    state = position(HOME, ["D", "2"])
    answer = solve_bruteforce(build_problem(MAP, state, "X", RULES))
    result = routes_from_solution(MAP, state, "X", RULES, answer)
    assert result.total == 200
    assert run(state, *map(msgspec.to_builtins, recorded_routes(result))) == result


def test_routes_are_listed_in_the_order_of_the_answer() -> None:
    state = position(HOME, ["D", "2"])
    answer = solve_bruteforce(build_problem(MAP, state, "X", RULES))
    turned = msgspec.structs.replace(answer, order=[1, 0])
    plain, other = (routes_from_solution(MAP, state, "X", RULES, one) for one in (answer, turned))
    assert [route.train for route in other.routes] == [route.train for route in reversed(plain.routes)]
    assert other.total == plain.total


def test_an_answer_the_engine_does_not_confirm_is_refused() -> None:
    state = position(HOME, ["D"])
    answer = solve_bruteforce(build_problem(MAP, state, "X", RULES))
    too_much = msgspec.structs.replace(answer, revenue=answer.revenue + 10)
    with pytest.raises(RouteDisagreement):
        routes_from_solution(MAP, state, "X", RULES, too_much)
    state.depot.trains["D-0"].ran = True
    state.depot.trains["2-1"] = msgspec.structs.replace(state.depot.trains["D-0"], name="2", ran=False)
    state.corporations["X"].trains.append("2-1")
    with pytest.raises(RouteDisagreement):
        routes_from_solution(MAP, state, "X", RULES, answer)


def test_track_behind_a_blocked_city_is_left_out() -> None:
    state = position({("A3", 0): ["X", None], ("A7", 0): ["Y"]})
    problem = build_problem(MAP, state, "X", RULES)
    names = {problem.hexes[stop.hex][0] for stop in problem.stops}
    assert names == {"A1", "A3", "A5", "A7"}
    (blocked,) = [s for s in problem.stops if s.blocked and s.kind == "city"]
    assert problem.hexes[blocked.hex][0] == "A7"


def test_dead_ends_are_left_out() -> None:
    state = position({("C1", 0): ["X"]})
    MAP.hex_state(state, "C1").borders = [(4, "impassable", 0)]
    problem = build_problem(MAP, state, "X", RULES)
    assert ([name for name, _, _ in problem.hexes], problem.sides) == (["C1"], 0)


def test_equal_positions_ask_the_same_question() -> None:
    first = build_problem(MAP, position(HOME, ["D"]), "X", RULES)
    second = build_problem(MAP, position(dict(reversed(HOME.items())), ["D"]), "X", RULES)
    assert content_hash(first) == content_hash(second)


def test_trains_that_have_run_are_left_out() -> None:
    state = position(HOME, ["D", "2"])
    state.depot.trains["D-0"].ran = True
    assert runnable_trains(MAP, state, "X", RULES) == ["2-1"]
    assert [train.name for train in build_problem(MAP, state, "X", RULES).trains] == ["2"]


def test_groups_become_exclusive_stops() -> None:
    problem = build_problem(MAP, position(HOME), "X", RULES)
    (group,) = problem.exclusive
    assert [problem.hexes[problem.stops[stop].hex][0] for stop in group] == ["A9", "B8"]


def test_a_problem_without_a_stop_that_must_be_visited_has_no_trains() -> None:
    class Homeless(RouteRules):
        def must_include(self, run: RunContext) -> tuple[str, ...] | None:
            return ("C9-0",)

    assert build_problem(MAP, position(HOME), "X", Homeless(DATA)).trains == []


def with_train(title: str, text: str) -> RouteProblem:
    """The problem of the first recorded run of an operator with a train of such a name."""
    recorded = next(
        r
        for r in sample(title, 1)
        if any(text in r.state.depot.trains[train].name for train in r.state.corporations[r.sym].trains)
    )
    where = recorded.where
    return build_problem(where.map, recorded.state, recorded.sym, where.rules)


def test_multiplied_bonuses_are_given_by_train() -> None:
    problem = with_train("1867", "2+2")
    names = [train.name for train in problem.trains]
    pairs = [bonus.amount for bonus in problem.bonuses if isinstance(bonus, SetBonus)]
    assert [80 if name in ("2+2", "5+5E") else 40 for name in names] in pairs


def test_rules_of_the_set_and_subsidies_are_named() -> None:
    problem = with_train("1862", "L")
    assert problem.rules.count_once and problem.rules.prefer == ["subsidy", "fewer_trains"]
    assert any(isinstance(subsidy, HexSubsidy) for subsidy in problem.subsidies)


def test_freight_trains_are_paid_by_their_ends_and_the_distance() -> None:
    freight = [train for train in with_train("1862", "F").trains if train.type == "freight"]
    assert freight
    for train in freight:
        assert train.pay == "ends" and train.crow is not None and train.hex_limit is not None
        assert (train.crow.rate, train.crow.port_rate) == (20, 30)


@pytest.mark.parametrize(
    ("trains", "routes", "message"),
    [
        (["D"], [None, None], "must have one entry, for X's trains D in this order .*, not 2"),
        (["D", "3"], [], "must have 2 entries, for X's trains D, 3 in this order .*, not 0"),
        ([], [None], "X has no train that runs, so the list of routes must be empty"),
        (["D", "3"], [None, [0, 0, 0]], "Route 2 of 2 does not run along track"),
    ],
)
def test_a_list_that_cannot_be_the_routes_is_said_to_be_what_it_is(
    trains: list[str], routes: list[list[int] | None], message: str
) -> None:
    with pytest.raises(MalformedAction, match=message):
        run_of_pieces(MAP, position(HOME, trains=trains), "X", RULES, routes)
