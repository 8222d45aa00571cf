"""Hexes, labels, upgrade chains and terrain of North China (1888 1.7)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from services.rules.engine import laying
from services.rules.engine.board import lays
from services.rules.engine.board.upgrades import can_upgrade
from services.rules.engine.game import Game
from services.rules.engine.laying import LayTerms
from services.rules.engine.steps.token import slot_in

from .table import act, start
from .test_walkthrough import auction, first_stock_round


def legal(game: Game, hex_id: str, *colors: str) -> set[tuple[str, int]]:
    """Tiles and rotations that fit a hex, whoever lays them."""
    return set(lays.legal_lays(game.title.track_rules, game.state, hex_id, lays.ALL_EDGES, colors))


@pytest.mark.parametrize("hex_id", ["A17", "D20", "I5", "A19", "E17", "F16", "H2", "I11", "A1", "A7", "D14", "H16"])
def test_printed_red_gray_and_blue_hexes_take_no_normal_tile(hex_id: str) -> None:
    assert legal(start(), hex_id, "yellow", "green", "brown", "gray") == set()


def test_beijing_is_upgraded_three_ways_to_its_four_cities() -> None:
    game = start()
    assert legal(game, "C9", "yellow") == set()
    assert legal(game, "C9", "green") == {("L42", 0), ("L42", 2), ("L42", 4)}


@pytest.mark.parametrize(("hex_id", "cost"), [("C9", 10), ("H4", 20), ("B18", 0), ("B20", 0), ("G15", 30), ("B4", 40)])
def test_terrain_is_paid_with_the_first_tile_also_on_printed_yellow_hexes(hex_id: str, cost: int) -> None:
    game = start()
    corporation = game.corporation("JZR")
    assert laying.terrain_cost(game, corporation, hex_id, LayTerms()) == cost
    tile, rotation = sorted(legal(game, hex_id, "yellow", "green"))[0]
    lays.lay(game.title.track_rules, game.state, hex_id, tile, rotation)
    assert laying.terrain_cost(game, corporation, hex_id, LayTerms()) == 0


@pytest.mark.parametrize(
    "chain",
    [
        ("5", "14", "611", "51"),
        ("6", "15", "611", "51"),
        ("57", "14", "611", "51"),
        ("8858", "X7", "512"),
        ("8865", "X7", "512"),
        ("L42", "8892", "8893"),
    ],
)
def test_upgrade_chains(chain: tuple[str, ...]) -> None:
    tiles = start().title.map.tiles
    for old, new in pairwise(chain):
        assert can_upgrade(tiles[old].rotated(0), tiles[new])


@pytest.mark.parametrize("name", ["1", "2", "3", "4", "55", "56", "58", "69", "L39", "L40a", "L40b", "L41"])
def test_town_and_company_tiles_have_no_upgrade(name: str) -> None:
    tiles = start().title.map.tiles
    assert not any(can_upgrade(tiles[name].rotated(0), other) for other in tiles.values())


def test_double_city_hexes_take_double_city_tiles_only() -> None:
    game = start()
    for hex_id in ("B18", "B20", "H4"):
        names = {name for name, _ in legal(game, hex_id, "green")}
        assert names
        assert names <= {"8858", "8859", "8860", "8863", "8864", "8865"}


@pytest.mark.parametrize(("a", "edge", "b"), [("F14", 1, "F12"), ("D16", 2, "C15"), ("C17", 1, "C15")])
def test_impassable_borders(a: str, edge: int, b: str) -> None:
    game = start()
    assert game.title.map.adjacent[a][edge] == b
    assert game.title.map.neighbour(game.state, a, edge) is None
    assert game.title.map.neighbour(game.state, b, (edge + 3) % 6) is None


@pytest.mark.parametrize(("rotation", "city"), [(0, 3), (2, 1), (4, 0)])
def test_a_reserved_home_in_beijing_moves_to_the_city_with_its_exit(rotation: int, city: int) -> None:
    """JHR has not operated yet: its home is the city with exit 5 (1888 9, 18)."""
    game = start()
    lays.lay(game.title.track_rules, game.state, "C9", "L42", rotation)
    exits = game.title.map.tile_at(game.state, "C9").node_edges
    kept = {sym: index for index, c in enumerate(game.state.board["C9"].cities) for sym in c.reserved if sym}
    assert kept["JHR"] == city
    assert (set(exits[kept["JHR"]]), set(exits[kept["JZR"]])) == ({5}, {1})


def test_changchun_is_kept_for_its_corporation() -> None:
    game = start()
    assert slot_in(game, game.corporation("CDL"), "A19", 0) == 0
    assert slot_in(game, game.corporation("SSL"), "A19", 0) is None


def test_the_sea_opens_between_the_ferry_tiles_only() -> None:
    game = start()
    neighbour = game.title.map.neighbour
    assert neighbour(game.state, "E17", 0) is None
    rules = game.title.track_rules
    lays.lay(rules, game.state, "E17", "L40a", 0, special=True)
    lays.lay(rules, game.state, "F16", "L40b", 0, special=True)
    assert neighbour(game.state, "E17", 0) == "F16"
    assert neighbour(game.state, "F16", 3) == "E17"


def test_the_home_token_needs_no_tile() -> None:
    game = start()
    auction(game)
    first_stock_round(game)
    assert game.corporation("LYR").tokens[0].hex == "F16"
    act(game, "LYR", "pass")
    act(game, "LYR", "buy_train", train="2-0", price=80)
    act(game, "LYR", "pass")
    assert game.corporation("HJR").tokens[0].hex == "F6"
    assert game.state.board["F6"].tile is None
