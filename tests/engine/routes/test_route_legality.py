"""Core 9.2 and 9.3: every rule a route can break, each with its own error code."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rules.engine.board.map import Map
from services.rules.engine.errors import EngineError, IllegalAction, MalformedAction
from services.rules.engine.routes.check import check_run
from services.rules.engine.routes.context import RunContext
from services.rules.engine.routes.rules import RouteRules, SetRules
from services.rules.engine.routes.track import Stop
from services.rules.engine.routes.trains import TrainSpec
from services.rules.engine.state import GameState
from tests.engine.routes.small_map import DATA, MAP, RULES, position, route, run

HOME = {("A3", 0): ["X", None]}


def forbidden(code: str, state: GameState, *routes: dict[str, Any], rules: RouteRules = RULES) -> IllegalAction:
    with pytest.raises(IllegalAction) as caught:
        run(state, *routes, rules=rules)
    assert caught.value.code == code
    assert caught.value.message.endswith(".")
    return caught.value


def test_a_route_between_two_stops_with_a_token_is_legal() -> None:
    result = run(position(HOME), route("D-0", "A3 - A5", "A5 - A7"))
    assert (result.total, result.routes[0].stops) == (60, ["A3-0", "A5-0", "A7-0"])


def test_no_routes_are_legal_and_earn_nothing() -> None:
    assert run(position(HOME)).total == 0


def test_item_1_a_route_needs_two_stops() -> None:
    forbidden("route_too_short", position(HOME, ["2"]), route("2-0", "local - A3"))


def test_item_1_a_local_train_may_stand_in_one_city() -> None:
    result = run(position(HOME, ["1"]), route("1-0", "local - A3"))
    assert (result.total, result.routes[0].connections) == (20, [["local", "A3"]])


def test_item_2_a_route_visits_a_token_of_the_owner() -> None:
    forbidden("no_token", position({("A3", 0): ["Y", None]}), route("D-0", "A3 - A5"))


def test_item_2_a_token_outside_the_slots_counts() -> None:
    state = position(HOME)
    state.board["A3"].cities[0].slots = ["Y", "Y"]
    state.board["A3"].cities[0].extra = ["X"]
    assert run(state, route("D-0", "A1 - A3", "A3 - A5")).total == 60


def test_item_2_a_neutral_token_is_nobodys() -> None:
    forbidden("no_token", position({("A3", 0): ["~X", None]}), route("D-0", "A3 - A5"))


def test_item_3_two_stops_of_a_group() -> None:
    state = position({("A7", 0): ["X"]})
    error = forbidden("place_twice", state, route("D-0", "A9 - A7", "A7 - B8"))
    assert error.details["place"] == "East"


def test_item_4_terminal_track_ends_a_route() -> None:
    state = position({("C3", 0): ["X"]})
    forbidden("passes_terminal_track", state, route("D-0", "C1 - C3", "C3 - C5"))
    assert run(state, route("D-0", "C1 - C3")).total == 70


def test_item_5_title_rules_for_one_route_and_for_all() -> None:
    class NoTowns(RouteRules):
        def check_route(self, run: RunContext, route: Any) -> None:
            if any(stop.kind == "town" for stop in route.stops):
                raise IllegalAction("town", "No towns today.")

        def check_set(self, run: RunContext, routes: Any) -> None:
            if len(routes) > 1:
                raise IllegalAction("one_route", "One route only.")

    rules = NoTowns(DATA)
    state = position({**HOME, ("A7", 0): ["X"]}, ["D", "2"])
    forbidden("town", state, route("D-0", "A3 - A5"), rules=rules)
    routes = route("D-0", "A1 - A3"), route("2-1", "A7 - A9")
    forbidden("one_route", state, *routes, rules=rules)
    assert run(state, *routes).total == 120


def test_item_6_no_stop_twice() -> None:
    loop = route("D-0", "A3 - A5", "A5 - A7", "A7 - B6 - B4 - A3")
    error = forbidden("stop_twice", position(HOME), loop)
    assert error.details["stop"] == "A3-0"


@pytest.mark.parametrize("train", ("2", "2E", "3"))
def test_item_7_distance(train: str) -> None:
    long = route(f"{train}-0", "A1 - A3", "A3 - A5", "A5 - A7", "A7 - A9")
    state = position({**HOME, ("A7", 0): ["X"]}, [train])
    if train == "2E":
        assert run(state, long).total == 70
    else:
        forbidden("route_too_long", state, long)


def test_item_7_a_table_serves_kinds_with_fewer_rows_first() -> None:
    """Cities take the common row, the town then finds only its own (core 9.3)."""
    state = position({**HOME, ("A7", 0): ["X"]}, ["2+1"])
    assert run(state, route("2+1-0", "A3 - A5", "A5 - A7")).total == 60
    forbidden("route_too_long", state, route("2+1-0", "A1 - A3", "A3 - A5", "A5 - A7"))


def test_item_7_a_stop_may_take_no_distance() -> None:
    free = msgspec.structs.replace(DATA.map.hexes["A1"].nodes[0], visit_cost=0)
    west = msgspec.structs.replace(DATA.map.hexes["A1"], nodes=[free])
    new_map = msgspec.structs.replace(DATA.map, hexes={**DATA.map.hexes, "A1": west})
    data = msgspec.structs.replace(DATA, map=new_map)
    routes = [route("2-0", "A1 - A3", "A3 - A5")]
    assert check_run(Map(data), position(HOME, ["2"]), "X", routes, RouteRules(data)).total == 60


def test_item_8_track_twice_within_a_route() -> None:
    forbidden("track_twice", position(HOME), route("D-0", "A3 - B4 - B6 - A7", "A7 - B6 - B4 - A5"))


def test_item_8_track_shared_by_two_routes() -> None:
    state = position(HOME, ["2", "3"])
    routes = route("2-0", "A3 - A5"), route("3-1", "A3 - A5", "A5 - A7")
    error = forbidden("track_shared", state, *routes)
    assert error.details["train"] == "3-1"


def test_item_8_two_routes_may_share_a_stop() -> None:
    state = position(HOME, ["2", "2"])
    assert run(state, route("2-0", "A1 - A3"), route("2-1", "A3 - A5")).total == 80


def test_item_8_a_title_may_let_routes_share_track() -> None:
    class Shared(RouteRules):
        set_rules = SetRules(share_track=True)

    state = position(HOME, ["2", "2"])
    routes = route("2-0", "A3 - A5"), route("2-1", "A3 - A5")
    assert run(state, *routes, rules=Shared(DATA)).total == 60


def test_item_9_no_running_through_a_full_city_of_others() -> None:
    state = position({**HOME, ("A7", 0): ["Y"]})
    error = forbidden("passes_blocked_city", state, route("D-0", "A3 - A5", "A5 - A7", "A7 - A9"))
    assert error.details["stop"] == "A7-0"
    assert run(state, route("D-0", "A3 - A5", "A5 - A7")).total == 60


def test_item_9_a_neutral_token_lets_trains_through() -> None:
    state = position({**HOME, ("A7", 0): ["~N"]})
    assert run(state, route("D-0", "A3 - A5", "A5 - A7", "A7 - A9")).total == 100


def test_item_9_no_running_through_an_offboard() -> None:
    state = position({("A7", 0): ["X"]})
    forbidden("passes_offboard", state, route("D-0", "A7 - A9", "A9 - A11"))


def test_item_9_no_running_across_an_impassable_side() -> None:
    state = position(HOME)
    MAP.hex_state(state, "A3").borders = [(4, "impassable", 0)]
    forbidden("not_connected", state, route("D-0", "A3 - A5"))


def test_item_9_connections_must_follow_track() -> None:
    forbidden("not_connected", position(HOME), route("D-0", "A3 - A7"))
    forbidden("not_connected", position(HOME), route("D-0", "B4 - A3"))


def test_item_9_connections_must_meet() -> None:
    forbidden("not_connected", position(HOME), route("D-0", "A1 - A3", "A5 - A7"))


@pytest.mark.parametrize(
    ("code", "train"), [("unknown_train", "9-9"), ("not_own_train", "3-9"), ("train_already_ran", "2-1")]
)
def test_a_route_needs_a_train_of_the_operator_that_has_not_run(code: str, train: str) -> None:
    state = position(HOME, ["D", "2"])
    state.depot.trains["2-1"].ran = True
    assert forbidden(code, state, route(train, "A3 - A5")).details["train"] == train


def test_a_train_runs_once() -> None:
    forbidden("train_twice", position(HOME), route("D-0", "A1 - A3"), route("D-0", "A3 - A5"))


def test_a_title_may_forbid_trains_stops_and_ends() -> None:
    class Strict(RouteRules):
        def cannot_run(self, run: RunContext, train: Any) -> str | None:
            return "No big trains." if train.name == "D" else None

        def forbidden(self, run: RunContext, stop: Stop) -> str | None:
            return "The west is closed." if stop.hex == "A1" else None

        def cannot_end(self, run: RunContext, stop: Stop, spec: TrainSpec) -> str | None:
            return "Not at a town." if stop.kind == "town" else None

        def end_class(self, run: RunContext, stop: Stop) -> str | None:
            return "city" if stop.kind == "city" else None

    rules = Strict(DATA)
    state = position({**HOME, ("A7", 0): ["X"]}, ["D", "3"])
    forbidden("train_not_permitted", state, route("D-0", "A3 - A5"), rules=rules)
    forbidden("forbidden_stop", state, route("3-1", "A1 - A3"), rules=rules)
    forbidden("forbidden_end", state, route("3-1", "A3 - A5"), rules=rules)
    forbidden("ends_alike", state, route("3-1", "A3 - A5", "A5 - A7"), rules=rules)
    assert run(state, route("3-1", "A7 - A9"), rules=rules).total == 70


def test_a_title_may_allow_one_stop_a_hex() -> None:
    class OneStop(RouteRules):
        one_stop_per_hex = True

    state = position({("C1", 0): ["X"], ("C1", 1): ["X"]})
    inside = route("D-0", "C1", "C1 - C3")
    assert run(state, inside).total == 90
    assert forbidden("place_twice", state, inside, rules=OneStop(DATA)).details["place"] == "C1"


def test_a_train_may_have_a_limit_of_hexes() -> None:
    class Short(RouteRules):
        def spec(self, name: str) -> TrainSpec:
            return msgspec.structs.replace(super().spec(name), hex_limit=2)

    state = position({**HOME, ("A7", 0): ["X"]})
    assert run(state, route("D-0", "A3 - A5", "A5 - A7"), rules=Short(DATA)).total == 60
    forbidden("route_too_long", state, route("D-0", "A3 - B4 - B6 - A7"), rules=Short(DATA))


@pytest.mark.parametrize(
    "wrong",
    [
        {"train": "D-0"},
        {"train": "D-0", "connections": "A3"},
        {"train": 4, "connections": []},
        {"train": "D-0", "connections": []},
        {"train": "D-0", "connections": [[]]},
        {"train": "D-0", "connections": [["A3", "Z99"]]},
        {"train": "D-0", "connections": [["local", "Z99"]]},
        {"train": "D-0", "connections": [["local"]]},
    ],
)
def test_routes_out_of_format_are_malformed(wrong: dict[str, Any]) -> None:
    with pytest.raises(MalformedAction):
        run(position(HOME), wrong)


def test_a_rejected_run_changes_nothing() -> None:
    state = position(HOME)
    before = msgspec.msgpack.encode(state)
    forbidden("not_connected", state, route("D-0", "A3 - A7"))
    assert msgspec.msgpack.encode(state) == before


NAMES = st.sampled_from(["A1", "A3", "A5", "A7", "A9", "B4", "B6", "B8", "C1", "C7", "local", "C1 0.1", "", "Q1"])
ROUTES = st.fixed_dictionaries(
    {
        "train": st.sampled_from(["D-0", "1-1", "2E-2", "3-9", ""]),
        "connections": st.lists(st.lists(NAMES, max_size=5), max_size=5),
    },
    optional={"nodes": st.lists(NAMES, max_size=3), "hexes": st.lists(NAMES, max_size=3)},
)


@given(st.lists(ROUTES, max_size=3))
def test_nothing_but_engine_errors_escapes(routes: list[dict[str, Any]]) -> None:
    state = position({**HOME, ("A7", 0): ["X"], ("C1", 0): ["X"]}, ["D", "1", "2E"])
    try:
        result = run(state, *routes)
    except EngineError:
        return
    assert result.total == sum(route.revenue for route in result.routes)
