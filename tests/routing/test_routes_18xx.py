"""How the benchmark describes a route problem to the package routes-18xx."""

from __future__ import annotations

from typing import Any

import pytest

from services.route_problem import RouteProblem
from tests.bench.routes_18xx import CELLS, NotExpressible, describe
from tests.routing.problems import graph, stop, train

# Nodes: the two cities, the two sides of the hex between them, a side of the first city without track behind it.
FIRST, SECOND, NEAR, FAR, OPEN = range(5)


def board(**fields: Any) -> RouteProblem:
    """Two cities of 1889 with a hex of straight track between them."""
    links = [
        {"ends": [FIRST, NEAR], "hex": 0},
        {"ends": [FIRST, OPEN], "hex": 0},
        {"ends": [FAR, NEAR], "hex": 1},
        {"ends": [SECOND, FAR], "hex": 2},
    ]
    return graph(
        [stop(30, token=True, hex=0), stop(20, blocked=True, hex=2)],
        fields.pop("links", links),
        fields.pop("trains", [train("4", 4), train()]),
        hexes=[["F9", 5, 8], ["E8", 4, 7], ["D7", 3, 6]],
        sides=3,
        title="1889",
        phase="4",
        **fields,
    )


def test_sides_are_named_by_the_hex_behind_them() -> None:
    description = describe(board(), CELLS["1889"])
    first, between, second = description["hexes"]
    assert first == {
        "cell": "G10",
        "stops": [{"kind": "city", "revenue": [30, 30], "token": True, "blocked": False, "sides": ["G8", OPEN]}],
        "track": [],
    }
    assert between == {"cell": "G8", "stops": [], "track": [["G10", "G6"]]}
    assert second["stops"][0]["sides"] == ["G8"]
    assert second["stops"][0]["blocked"]


def test_trains_are_told_by_the_stops_that_pay_and_that_they_visit() -> None:
    rows = [{"kinds": ["city", "offboard"], "max": 4}]
    trains = [train("4", 4), train(), {**train("4/6", 6), "pay": rows}]
    assert describe(board(trains=trains), CELLS["1889"])["trains"] == [(4, 4), (None, None), (4, 6)]


def test_bonuses_and_exclusive_stops_are_told_by_their_places() -> None:
    bonus = {"kind": "set", "all_of": [[FIRST], [SECOND]], "amount": [50, 50]}
    description = describe(board(bonuses=[bonus], exclusive=[[SECOND, FIRST]]), CELLS["1889"])
    assert description["pairs"] == [["G10", "G6", 50]]
    assert description["exclusive"] == [["G10", "G6"]]


@pytest.mark.parametrize(
    "fields",
    [
        {"rules": {"share_track": True}},
        {"bonuses": [{"kind": "set", "all_of": [[FIRST]], "amount": [30, 30]}]},
        {"trains": [train("E", 4, pay=[{"kinds": ["town"], "max": 2}])]},
        {"trains": [train("H", 4, hex_limit=4)]},
        {"links": [{"ends": [FIRST, NEAR], "hex": 0}, {"ends": [SECOND, NEAR], "hex": 2}]},
        {"links": [{"ends": [FIRST, NEAR], "hex": 0}, {"ends": [NEAR, OPEN], "hex": 0}]},
    ],
    ids=["rules", "bonus of one place", "unpaid kinds", "hexes", "no common side", "track beside a stop"],
)
def test_what_the_package_does_not_know_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(NotExpressible):
        describe(board(**fields), CELLS["1889"])


def test_hexes_have_the_names_of_the_package() -> None:
    assert [CELLS["1846"](x, y) for x, y in [(5, 3), (0, 8), (11, 7)]] == ["D6", "I1", "H12"]
    assert [CELLS["1889"](x, y) for x, y in [(5, 8), (8, 3), (10, 3), (4, 1), (11, 6), (5, 0)]] == [
        "G10",
        "C12",
        "B15",
        "D5",
        "C18",
        "C6",
    ]
