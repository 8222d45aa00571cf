"""Options and the facts that follow from them (1888 1.1, 1.2)."""

from __future__ import annotations

import pytest

from services.rules.engine.errors import MalformedAction
from services.rules.engine.game import Game
from services.rules.titles import get_title, new_game, offered_title

from .table import start

NORTH_TILES = {"4": 4, "15": 4, "43": 1, "51": 2, "58": 5, "611": 6}
PROTOTYPE_TILES = {"4": 5, "15": 3, "43": 2, "51": 1, "58": 4, "611": 5}


def facts(game: Game) -> tuple[int, int, int, int]:
    """Bank and cash after dealing, certificate limit, float threshold."""
    float_percent = game.title.data.corporations["LYR"].float_percent
    return game.state.bank, game.state.players[0].cash, game.state.cert_limit, float_percent


def tiles(game: Game) -> dict[str, int]:
    return {name: len(game.state.supply[name]) for name in NORTH_TILES}


@pytest.mark.parametrize(
    ("players", "cash", "limit"), [(2, 1200, 20), (3, 800, 20), (4, 600, 16), (5, 480, 13), (6, 400, 11)]
)
def test_a_game_started_here_has_the_north_rules(players: int, cash: int, limit: int) -> None:
    game = start(players)
    assert facts(game) == (6600, cash, limit, 60)
    assert tiles(game) == NORTH_TILES
    assert sum(len(copies) for copies in game.state.supply.values()) == 111


@pytest.mark.parametrize("options", [(), ("north",), ("small_bank",), ("north", "small_bank"), ("north_for_two",)])
@pytest.mark.parametrize("players", [2, 4])
def test_nobody_starts_a_prototype_here(players: int, options: tuple[str, ...]) -> None:
    game = start(players, options)
    assert tiles(game) == NORTH_TILES
    assert game.title.data.corporations["LYR"].float_percent == 60


@pytest.mark.parametrize("players", [2, 3, 6])
def test_a_recorded_game_without_option_is_the_prototype(players: int) -> None:
    game = start(players, (), "imported")
    assert facts(game)[0] == 7600
    assert facts(game)[3] == 50
    assert tiles(game) == PROTOTYPE_TILES
    assert sum(len(copies) for copies in game.state.supply.values()) == 109


def test_two_recorded_players_cannot_have_the_north_option() -> None:
    game = start(2, ("north",), "imported")
    assert game.state.options == []
    assert facts(game) == (7600, 1200, 20, 50)


@pytest.mark.parametrize("options", [("small_bank",), ("something_else",)])
def test_any_other_option_makes_a_recorded_game_a_small_bank_one(options: tuple[str, ...]) -> None:
    game = start(3, options, "imported")
    assert game.state.options == ["small_bank"]
    assert facts(game) == (6600, 800, 20, 60)
    assert tiles(game) == PROTOTYPE_TILES


def test_north_wins_over_the_small_bank() -> None:
    game = start(3, ("small_bank", "north"), "imported")
    assert facts(game) == (6600, 800, 20, 60)
    assert tiles(game) == NORTH_TILES


def test_the_north_game_of_two_keeps_its_rules_when_it_is_taken_over_elsewhere() -> None:
    options = start(2).state.options
    game = start(2, tuple(options), "imported")
    assert game.state.options == options
    assert facts(game) == facts(start(2))
    assert tiles(game) == NORTH_TILES
    again = Game.decode(get_title("1888", options), game.encode())
    assert facts(again) == facts(game)


def test_the_east_map_is_refused_where_it_would_be_in_force() -> None:
    with pytest.raises(MalformedAction) as error:
        start(3, ("east",), "imported")
    assert error.value.code == "unsupported_option"
    assert start(2, ("east",), "imported").state.options == []


@pytest.mark.parametrize("players", [1, 7])
def test_two_to_six_players(players: int) -> None:
    with pytest.raises(MalformedAction):
        new_game("1888", [(i, str(i)) for i in range(players)], seed=1)


def test_the_title_is_described_as_it_is_played_here() -> None:
    title = offered_title("1888-N")
    assert title.name == "1888"
    assert title.data.facts.bank == 9000
    assert title.data.corporations["JHR"].float_percent == 60
    assert title.data.facts.notes
