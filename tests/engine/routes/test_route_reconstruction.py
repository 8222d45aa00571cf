"""Core 9.6: from recorded hexes to track on the board."""

from __future__ import annotations

import pytest

from services.rules.engine.errors import IllegalAction
from tests.engine.routes.small_map import position, route, run

TWO_CITIES = {("C7", 0): ["X"], ("C7", 1): ["X"]}


def test_nodes_decide_between_tracks_with_the_same_hexes() -> None:
    state = position(TWO_CITIES)
    for node, total in (("C7-0", 30), ("C7-1", 70)):
        assert run(state, route("D-0", "C7 - C9", nodes=[node, "C9-0"])).total == total


def test_without_nodes_a_legal_reading_is_taken() -> None:
    state = position({("C7", 1): ["X"]})
    result = run(state, route("D-0", "C7 - C9"))
    assert result.routes[0].stops == ["C7-1", "C9-0"]


def test_without_nodes_routes_are_laid_apart() -> None:
    """Both routes fit either track; together they need one each, but both end at the same hex side."""
    state = position(TWO_CITIES, ["2", "2"])
    with pytest.raises(IllegalAction) as caught:
        run(state, route("2-0", "C7 - C9"), route("2-1", "C7 - C9"))
    assert caught.value.code == "track_shared"


def test_a_connection_may_be_written_from_either_end() -> None:
    state = position({("A3", 0): ["X", None]})
    forward = run(state, route("D-0", "A3 - A5", "A5 - A7"))
    mixed = run(state, route("D-0", "A5 - A3", "A5 - A7"))
    assert mixed.routes[0].stops == forward.routes[0].stops
    assert mixed.routes[0].connections == [["A3", "A5"], ["A5", "A7"]]


def test_links_inside_a_hex() -> None:
    state = position({("C1", 0): ["X"]})
    for text in ("C1", "C1 0.1", "C1 1.0"):
        assert run(state, {"train": "D-0", "connections": [[text]]}).total == 60
    with pytest.raises(IllegalAction) as caught:
        run(state, {"train": "D-0", "connections": [["C1 0.2"]]})
    assert caught.value.code == "not_connected"


def test_the_track_between_two_stops_names_its_hexes() -> None:
    state = position({("A3", 0): ["X", None]})
    result = run(state, route("D-0", "A3 - B4 - B6 - A7"))
    assert result.routes[0].connections == [["A3", "B4", "B6", "A7"]]
    assert result.routes[0].hexes == ["A3", "A7"]
    assert result.routes[0].revenue_str == "A3-A7"


def test_a_checked_route_reads_back_as_itself() -> None:
    state = position({("A3", 0): ["X", None]})
    first = run(state, route("D-0", "A1 - A3", "A3 - A5")).routes[0].to_state()
    again = run(state, {"train": first.train, "connections": first.connections}).routes[0].to_state()
    assert again == first
