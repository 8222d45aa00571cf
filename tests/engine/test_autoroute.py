"""Routes for bots: the best ones, and where time is short those of single trains."""

from __future__ import annotations

from services.rules import route_problems
from services.rules.autoroute import _one_by_one, best_routes
from services.rules.engine.game import Game
from tests.titles.g1862.running import board, check, own

COAST = (("G8", "57", 1), ("H7", "14", 0), ("H5", "53y", 0))


def coast(*trains: str) -> Game:
    game = board("N&S", *COAST)
    own(game, "N&S", *trains)
    return game


def single(game: Game) -> int:
    """What trains searched for one by one are paid."""
    rules = game.title.route_rules
    problem = route_problems.build_problem(game.title.map, game.state, "N&S", rules)
    result = _one_by_one(game, "N&S", problem, 5.0)
    return check(game, "N&S", *((route.train, route.connections) for route in result.routes)).total


def test_the_best_routes_together() -> None:
    routes = best_routes(coast("2E", "2L"), "N&S")
    assert sum(route["revenue"] for route in routes) == 60 + 30 + 50


def test_trains_one_by_one_keep_what_adds_to_the_sum() -> None:
    game = coast("2E")
    assert single(game) == sum(route["revenue"] for route in best_routes(game, "N&S")) == 90
    assert single(coast("2E", "2L")) == 140
    assert single(coast("2E", "2E")) == 90, "the same route again adds nothing"


def test_routes_that_may_not_run_together_are_left_out() -> None:
    """Alone each freight train takes the same route, which as a ring is paid less."""
    game = coast("2F", "2F")
    assert single(game) == single(coast("2F"))


def test_nothing_to_run() -> None:
    assert best_routes(coast(), "N&S") == []
