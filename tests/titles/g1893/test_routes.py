"""Routes of 1893: every stop pays, an 8+x goes through towns, J5 is the HGK's (1893 1.3, 1.5, 4.4, 9)."""

from __future__ import annotations

import pytest

from services.rules.engine.actions import RecordedRoute
from services.rules.engine.board import tokens
from services.rules.engine.errors import IllegalAction
from services.rules.engine.routes.check import RunResult, check_run

from .table import Game, give_train, put_tile, set_phase, start

LONG = [["A4", "B5", "D5"], ["D5", "F5", "G6"], ["G6", "I6", "K6"], ["K6", "L5"], ["L5", "N5", "O4"]]


def run(game: Game, sym: str, train_id: str, connections: list[list[str]]) -> RunResult:
    route = RecordedRoute(train=train_id, connections=connections)
    return check_run(game.title.map, game.state, sym, [route], game.title.route_rules)


def place(game: Game, sym: str, hex_id: str) -> None:
    """Put the next token of a corporation on a hex."""
    corporation = game.corporation(sym)
    index = next(i for i, token in enumerate(corporation.tokens) if token.hex is None)
    slot = tokens.slot_for(game.title.map, game.state, hex_id, 0, sym)
    assert slot is not None
    tokens.place(game.title.map, game.state, sym, index, hex_id, 0, slot)
    game.board_changed()


def brown_cologne(phase: str = "6") -> Game:
    game = start(2)
    set_phase(game, phase)
    for tile, rotation in (("K201", 2), ("K269", 0), ("K255", 0)):
        put_tile(game, "L5", tile, rotation)
    return game


def across_the_rhine(phase: str = "6") -> Game:
    """Track from Düsseldorf over Leverkusen and Cologne to Brühl."""
    game = brown_cologne(phase)
    lays = [("D5", "K57", 0), ("G6", "K1", 2), ("G6", "K314", 0), ("I6", "9", 0), ("K6", "58", 1)]
    for hex_id, tile, rotation in [*lays, ("N5", "9", 1), ("N5", "24", 1), ("O4", "57", 1)]:
        put_tile(game, hex_id, tile, rotation)
    place(game, "RAG", "D5")
    return game


def test_the_hgk_runs_through_j5_to_h5() -> None:
    game = brown_cologne()
    give_train(game, "HGK", "6-0")
    result = run(game, "HGK", "6-0", [["L5", "J5"], ["J5", "H5"]])
    assert result.total == 70 + 20 + 20


def test_others_reach_j5_but_not_h5() -> None:
    game = brown_cologne()
    place(game, "RSE", "L5")
    give_train(game, "RSE", "6-0")
    cities = game.network(game.corporation("RSE")).connected_cities
    assert ("J5", 0) in cities and ("H5", 0) not in cities
    assert run(game, "RSE", "6-0", [["L5", "J5"]]).total == 90
    with pytest.raises(IllegalAction):
        run(game, "RSE", "6-0", [["L5", "J5"], ["J5", "H5"]])


def test_an_eight_is_paid_for_cities_and_towns() -> None:
    game = across_the_rhine()
    give_train(game, "RAG", "8+x-0")
    result = run(game, "RAG", "8+x-0", LONG)
    assert result.total == 50 + 20 + 30 + 10 + 70 + 20


def test_towns_count_for_other_trains() -> None:
    game = across_the_rhine()
    give_train(game, "RAG", "6-0")
    assert run(game, "RAG", "6-0", LONG).total == 200
    game.corporation("RAG").trains.append("5-0")
    with pytest.raises(IllegalAction):
        run(game, "RAG", "5-0", LONG)


@pytest.mark.parametrize(("phase", "value"), [("2", 20), ("3", 30), ("5", 50), ("8+x", 50)])
def test_off_board_values_follow_the_phase_and_stay_brown_in_gray(phase: str, value: int) -> None:
    game = across_the_rhine(phase)
    give_train(game, "RAG", "6-0")
    assert run(game, "RAG", "6-0", [["A4", "B5", "D5"]]).total == value + 20


def test_aachen_is_visited_once() -> None:
    hexes = start(2).title.data.map.hexes
    assert hexes["N1"].nodes[0].group == hexes["P1"].nodes[0].group == "Aachen"
