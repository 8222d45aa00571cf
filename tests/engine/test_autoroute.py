"""Routes for bots."""

from __future__ import annotations

from services.rules.autoroute import best_routes
from services.rules.engine.game import Game
from tests.titles.g1862.running import board, check, own

COAST = (("G8", "57", 1), ("H7", "14", 0), ("H5", "53y", 0))


def coast(*trains: str) -> Game:
    game = board("N&S", *COAST)
    own(game, "N&S", *trains)
    return game


def test_the_best_routes_together() -> None:
    routes = best_routes(coast("2E", "2L"), "N&S")
    assert sum(route["revenue"] for route in routes) == 60 + 30 + 50


def test_a_short_time_still_gives_routes_the_rules_accept() -> None:
    game = coast("2E", "2L")
    routes = best_routes(game, "N&S", seconds=0.0)
    assert check(game, "N&S", *((route["train"], route["connections"]) for route in routes)).total <= 140


def test_nothing_to_run() -> None:
    assert best_routes(coast(), "N&S") == []
