"""Route rules that titles add to core 9, and the errors that come with them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

import pytest

from services.rules.engine.board.tiles import Node
from services.rules.engine.data import NodeData
from services.rules.engine.errors import IllegalAction
from services.rules.engine.routes.check import RunResult, check_run
from services.rules.engine.routes.track import Chain, Stop, TracedRoute
from services.rules.engine.routes.trains import KINDS, Row, TrainSpec
from services.rules.titles.g1862.freight import FreightChain, build_chains
from tests.engine.routes.traces import Recorded, games, recorded_runs, setting


def runs(title: str) -> Iterator[Recorded]:
    for game in games(title):
        yield from recorded_runs(game)


def find(title: str, wanted: Callable[[Recorded], bool]) -> Recorded:
    """The first recorded run like that, on a copy of its position."""
    recorded = next(r for r in runs(title) if wanted(r))
    return recorded._replace(state=copy.deepcopy(recorded.state))


def visits(*hexes: str) -> Callable[[Recorded], bool]:
    def wanted(recorded: Recorded) -> bool:
        return any(
            set(hexes) <= {stop.partition("-")[0] for stop in route["stops"]} for route in recorded.run["routes"]
        )

    return wanted


def check(recorded: Recorded) -> RunResult:
    where = recorded.where
    return check_run(where.map, recorded.state, recorded.sym, recorded.routes, where.rules)


def refused(recorded: Recorded) -> IllegalAction:
    with pytest.raises(IllegalAction) as caught:
        check(recorded)
    return caught.value


def test_1894_london_needs_a_ferry_marker() -> None:
    recorded = find("1894", visits("A10"))
    assert check(recorded).total == recorded.run["total"]
    recorded.state.corporations[recorded.sym].abilities = []
    assert refused(recorded).code == "forbidden_stop"


def test_1894_the_london_bonus_needs_the_token() -> None:
    def with_bonus(recorded: Recorded) -> bool:
        tokens = recorded.state.corporations[recorded.sym].tokens
        return visits("A10")(recorded) and any(token.hex == "A12" for token in tokens)

    recorded = find("1894", with_bonus)
    paid = check(recorded).total
    recorded.state.corporations[recorded.sym].tokens = []
    assert check(recorded).total < paid


def test_1888_the_mine_pays_the_treasury_for_every_route() -> None:
    recorded = find("1888", lambda r: r.run["subsidy"] == 80)
    result = check(recorded)
    assert [route.subsidy for route in result.routes if "C5-0" in route.stops] == [40, 40]


def test_1888_the_destination_bonus_belongs_to_the_owner_of_home_and_destination() -> None:
    rules = setting("1888").rules
    for recorded in runs("1888"):
        for route in check(recorded).routes:
            met = {stop.partition("-")[0] for stop in route.stops}
            printed = rules.data.corporations[recorded.sym]
            expected = bool(met & set(printed.home)) and bool(met & set(printed.destinations))
            assert (route.bonuses == ["destination"]) == expected, recorded.name


def test_1867_a_company_of_another_owner_gives_no_bonus() -> None:
    recorded = find("1867", lambda r: any("NFB" in route.bonuses for route in check(r).routes))
    paid = check(recorded).total
    recorded.state.corporations[recorded.sym].companies = []
    assert check(recorded).total < paid


def test_1862_a_run_visits_the_home_station() -> None:
    recorded = find("1862", lambda r: bool(r.routes))
    recorded.state.corporations[recorded.sym].home = ["E0"]
    assert refused(recorded).code == "home_not_visited"


def test_1862_trains_need_a_permit() -> None:
    recorded = find("1862", lambda r: bool(r.routes))
    setattr(recorded.state.corporations[recorded.sym], "permits", [])  # noqa: B010
    assert refused(recorded).code == "train_not_permitted"


def test_1862_london_needs_a_link() -> None:
    london = ("A14", "C14", "B15", "D15")
    recorded = find("1862", lambda r: any(visits(hex_id)(r) for hex_id in london))
    for hex_id in ("B15", "D15"):
        recorded.state.board.pop(hex_id, None)
    assert refused(recorded).code == "forbidden_end"


def freight(name: str, first: Stop, last: Stop, permanent: bool = True) -> TracedRoute:
    spec = TrainSpec(name=name, visit=(Row(KINDS),), pay="ends", permanent=permanent)
    return TracedRoute(name, spec, [first, last], [Chain(first, last, [])])


def stops(*hexes: str) -> list[Stop]:
    return [Stop(hex_id, Node(NodeData("city"), 0, 0), False) for hex_id in hexes]


def chained(routes: list[TracedRoute]) -> list[tuple[list[str], list[str]]]:
    return [([r.train for r in c.routes], [s.hex for s in c.free]) for c in build_chains(routes)]


def test_1862_freight_routes_with_a_common_end_are_one_chain() -> None:
    a, b, c, d = stops("A1", "B1", "C1", "D1")
    routes = [freight("1", a, b), freight("2", c, d), freight("3", b, c)]
    assert chained(routes) == [(["1", "3", "2"], ["A1", "D1"])]


def test_1862_a_ring_pays_its_first_end_once() -> None:
    a, b, c = stops("C4", "C8", "D9")
    (ring,) = build_chains([freight("1", a, b), freight("2", b, c), freight("3", c, a)])
    assert [stop.hex for stop in ring.free] == ["C4", "C4"]
    assert ring.distance(setting("1862").map) == 0


def test_1862_at_a_fork_the_longest_branch_is_taken() -> None:
    a, b, c, d, e = stops("A1", "B1", "C1", "D1", "E1")
    routes = [freight("1", a, b), freight("2", b, c), freight("3", b, d), freight("4", d, e)]
    assert chained(routes) == [(["1", "3", "4"], ["A1", "E1"]), (["2"], ["B1", "C1"])]


def test_1862_a_branch_with_a_train_that_rusts_goes_first() -> None:
    a, b, c, d, e = stops("A1", "B1", "C1", "D1", "E1")
    routes = [freight("1", a, b, False), freight("2", b, c, False), freight("3", b, d), freight("4", d, e)]
    assert refused_chains([*routes[:2], freight("5", e, a, False), freight("6", d, c)]) == ""
    assert refused_chains(routes) == "freight_not_joined"


def refused_chains(routes: list[TracedRoute]) -> str:
    try:
        build_chains(routes)
    except IllegalAction as error:
        return error.code
    return ""


def test_1862_freight_trains_that_rust_run_in_one_chain() -> None:
    a, b, c, d = stops("A1", "B1", "C1", "D1")
    assert refused_chains([freight("1", a, b, False), freight("2", c, d, False)]) == "freight_not_chained"


def test_1862_a_lasso_is_illegal() -> None:
    a, b, c = stops("A1", "B1", "C1")
    routes = [freight("1", a, b), freight("2", b, c), freight("3", c, b)]
    with pytest.raises(IllegalAction) as caught:
        FreightChain(routes)
    assert caught.value.code == "freight_lasso"


def test_1862_distance_is_counted_between_the_hexes_of_the_ends() -> None:
    a, b = stops("B9", "F3")
    (chain,) = build_chains([freight("1", a, b)])
    assert chain.distance(setting("1862").map) == 4
