"""Mistakes a route search can make, each with the smallest problem that shows it."""

from __future__ import annotations

from typing import Any

import pytest

from services.route_problem import RouteProblem
from services.routing import Engine, solve
from services.routing.bruteforce import solve_bruteforce
from services.routing.checker import RouteCheckError, check_routes, check_solution
from tests.routing.problems import ALL_KINDS, graph, stop, train

ENGINES: list[Engine] = ["kernel", "python"]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return request.param  # type: ignore[no-any-return]


def revenue(problem: RouteProblem, engine: Engine) -> int:
    """The proven optimum, which must also be what exhaustion finds."""
    solution = solve(problem, engine=engine)
    check_solution(problem, solution)
    assert solution.proven
    assert solution.revenue == solve_bruteforce(problem).revenue
    return solution.revenue


def express(most: int, **fields: Any) -> dict[str, Any]:
    """A train that visits anything and is paid for `most` stops of its choice."""
    return train("E", pay=[{"kinds": ALL_KINDS, "max": most}], **fields)


def test_stops_that_cost_no_range_are_not_counted_against_it(engine: Engine) -> None:
    line = [stop(20, token=True), stop(10, cost=0), stop(10, cost=0), stop(50), stop(90)]
    problem = graph(line, [(0, 1), (1, 2), (2, 3), (3, 4)], [train("2", 2)])
    assert revenue(problem, engine) == 90


def test_a_trimmed_route_keeps_its_station(engine: Engine) -> None:
    """The station pays nothing, yet without it the two dear stops may not be run."""
    problem = graph([stop(10, token=True), stop(50), stop(60)], [(0, 1), (1, 2)], [express(2)])
    assert revenue(problem, engine) == 110


def test_a_closed_loop_is_no_route(engine: Engine) -> None:
    """A ring of dear stops out of reach earns nothing, and a train without a station stays idle."""
    ring = [stop(10, token=True), stop(90), stop(90), stop(90)]
    problem = graph(ring, [(1, 2), (2, 3), (3, 1)], [train(), train()])
    assert revenue(problem, engine) == 0


def test_turning_back_at_a_second_station_leaves_no_marks(engine: Engine) -> None:
    """Routes through both stations in either direction, and sideways from each."""
    stops = [stop(20, token=True), stop(30, token=True), stop(40), stop(50), stop(60)]
    links = [(0, 1), (1, 2), (0, 3), (1, 4), (0, 4), (2, 3)]
    assert revenue(graph(stops, links, [train(), train("3", 3)]), engine) == 310


def test_pieces_that_meet_at_an_edge_exclude_each_other(engine: Engine) -> None:
    """Two pieces of one tile with an edge in common: not in one route, not in two."""
    stops = [stop(10, token=True), stop(40), stop(50)]
    forked: list[tuple[int, int] | dict[str, Any]] = [
        {"ends": [0, 1], "uses": [1000]},
        {"ends": [0, 2], "uses": [1000]},
    ]
    assert revenue(graph(stops, forked, [train(), train()]), engine) == 60


def test_a_junction_is_crossed_once_by_a_route_but_by_two_trains(engine: Engine) -> None:
    """Four arms meet in a junction: two trains may cross there, one may not come back to it."""
    stops = [stop(10, token=True), stop(20), stop(30, token=True), stop(40)]
    arms = [{"ends": [number, 4]} for number in range(4)]
    both = graph(stops, arms, [train(), train()], junctions=1)
    assert revenue(both, engine) == 100
    alone = graph(stops, [*arms, (1, 3)], [train()], junctions=1)
    assert revenue(alone, engine) == 90


def test_one_place_of_several_stops_is_visited_once(engine: Engine) -> None:
    stops = [stop(50), stop(10, token=True), stop(60)]
    links = [(0, 1), (1, 2)]
    assert revenue(graph(stops, links, [train()], exclusive=[[0, 2]]), engine) == 70


@pytest.mark.parametrize("kind", ["offboard", "city"])
def test_a_blocked_stop_ends_a_route_and_pays(kind: str, engine: Engine) -> None:
    stops = [stop(10, token=True), stop(30, kind, blocked=True), stop(90)]
    assert revenue(graph(stops, [(0, 1), (1, 2)], [train()]), engine) == 40


def test_a_station_on_a_blocked_stop_starts_routes_but_is_not_run_through(engine: Engine) -> None:
    stops = [stop(30, token=True, blocked=True), stop(20), stop(50)]
    assert revenue(graph(stops, [(0, 1), (0, 2)], [train()]), engine) == 80


def test_forced_stops_cannot_be_left_out_of_the_choice(engine: Engine) -> None:
    """The cheap off-board at the end pays instead of a dear city; not going there is better."""
    stops = [stop(50, token=True), stop(60), stop(10, "offboard", blocked=True)]
    links = [(0, 1), (1, 2)]
    assert revenue(graph(stops, links, [express(2, always_pay=["offboard"])]), engine) == 110
    only = graph([stop(50, token=True), stop(10, "offboard", blocked=True)], [(0, 1)], [express(1)])
    assert revenue(only, engine) == 50


def test_one_of_the_paying_stops_must_be_a_station(engine: Engine) -> None:
    stops = [stop(10, token=True), stop(50), stop(60), stop(70)]
    links = [(0, 1), (1, 2), (2, 3)]
    assert revenue(graph(stops, links, [express(2, token_must_pay=True)]), engine) == 80


def test_towns_fill_only_the_places_cities_leave(engine: Engine) -> None:
    """A train of 1867: any number of towns, but of all stops only as many pay as it may visit cities."""
    fields = {
        "name": "3",
        "visit": [{"kinds": ["city", "offboard"], "max": 3}, {"kinds": ["town"], "max": None}],
        "pay": [{"kinds": ALL_KINDS, "max": 3}],
        "always_pay": ["city", "offboard"],
        "token_must_pay": True,
    }
    stops = [stop(20, token=True), stop(10, "town"), stop(30), stop(10, "town"), stop(20)]
    links = [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert revenue(graph(stops, links, [fields]), engine) == 70
    assert revenue(graph(stops[:4], links[:3], [fields]), engine) == 60


def test_a_bonus_can_be_worth_a_cheaper_stop(engine: Engine) -> None:
    stops = [stop(30, token=True), stop(10), stop(40), stop(20)]
    bonus = {"kind": "set", "all_of": [[1], [3]], "amount": [100]}
    links = [(0, 1), (1, 2), (2, 3)]
    assert revenue(graph(stops, links, [express(3)], bonuses=[bonus]), engine) == 170


def test_a_bonus_that_repeats_the_dearest_stop_is_in_the_bound(engine: Engine) -> None:
    """Luxembourg and London of 1894: only the end of the longer way makes the echo worth it."""
    stops = [stop(10, token=True), stop(60), stop(0), stop(50), stop(40)]
    links = [(0, 1), (0, 2), (2, 3), (1, 4)]
    echo = {"kind": "echo_max", "if_any": [2], "except": []}
    assert revenue(graph(stops, links, [train("3", 3)], bonuses=[echo]), engine) == 130
    london = {"kind": "echo_max", "if_any": [3], "except": [3]}
    assert revenue(graph(stops, links, [train("3", 3)], bonuses=[london]), engine) == 110


def test_a_bonus_is_paid_by_each_route(engine: Engine) -> None:
    stops = [stop(10, token=True), stop(20)]
    bonus = {"kind": "set", "all_of": [[0], [1]], "amount": [20, 40]}
    assert revenue(graph(stops, [(0, 1), (0, 1)], [train(), train()], bonuses=[bonus]), engine) == 120


def test_a_longer_parallel_link_is_kept_if_only_it_meets_a_bonus_hex(engine: Engine) -> None:
    links: list[tuple[int, int] | dict[str, Any]] = [
        {"ends": [0, 1], "hex": 0},
        {"ends": [0, 1], "hex": 1, "uses": [1000]},
    ]
    bonus = {"kind": "hex", "hexes": [1], "amount": [30]}
    assert revenue(graph([stop(10, token=True), stop(20)], links, [train()], bonuses=[bonus]), engine) == 60


def test_a_longer_parallel_link_does_not_replace_a_shorter_one_within_a_hex_limit(engine: Engine) -> None:
    """The way without conflicts crosses two sides, one more than the train may."""
    links: list[tuple[int, int] | dict[str, Any]] = [
        {"ends": [0, 3], "uses": [1000]},
        {"ends": [3, 1], "uses": [1001]},
        {"ends": [0, 4]},
        {"ends": [4, 5]},
        {"ends": [5, 1]},
        (1, 2),
    ]
    stops = [stop(10, token=True), stop(20), stop(5)]
    assert revenue(graph(stops, links, [train(hex_limit=1)], sides=3), engine) == 35


def test_freight_from_an_offboard_is_measured_from_the_hex_before_it(engine: Engine) -> None:
    """Two ways into the off-board location differ in the distance they pay for."""
    hexes = [["Q", 0, 0], ["A", 0, 4], ["B", 1, 1], ["C", 2, 0]]
    stops = [stop(10, token=True, hex=1), stop(50, "offboard", blocked=True, hex=0)]
    links = [
        {"ends": [0, 2], "hex": 2},
        {"ends": [2, 1], "hex": 0},
        {"ends": [0, 3], "hex": 3},
        {"ends": [3, 1], "hex": 0},
    ]
    freight = train("F", pay="ends", crow={"rate": 20, "port_rate": 30})
    assert revenue(graph(stops, links, [freight], sides=2, hexes=hexes), engine) == 60 + 20 * 3


def test_a_train_may_stay_idle(engine: Engine) -> None:
    problem = graph([stop(40, token=True), stop(20)], [(0, 1)], [train(), train()])
    solution = solve(problem, engine=engine)
    assert solution.routes.count(None) == 1
    assert solution.revenue == 60


def test_home_may_force_a_poorer_set(engine: Engine) -> None:
    rules = {"share_track": True, "count_once": True, "must_connect": True, "must_include_any": [2]}
    stops = [stop(50, token=True), stop(60), stop(10, token=True), stop(10)]
    assert revenue(graph(stops, [(0, 1), (2, 3)], [train("2", 2)], rules=rules), engine) == 20
    assert revenue(graph(stops, [(0, 1), (2, 3), (0, 3)], [train("2", 2)] * 3, rules=rules), engine) == 130


def test_track_used_by_another_train_is_refused_by_the_checker() -> None:
    problem = graph([stop(40, token=True), stop(20)], [(0, 1)], [train(), train()])
    with pytest.raises(RouteCheckError, match="uses track of train 0"):
        check_routes(problem, [[0], [0]])
