"""Track of 1893: one lay a turn, the Rhine, Leverkusen, terrain, tokens from the start (1893 1.5, 1.6, 4.1)."""

from __future__ import annotations

import pytest

from services.rules.engine.board import lays
from services.rules.engine.steps.token import parse_city

from .table import (
    Game,
    act,
    drafted,
    kinds,
    lay,
    put_tile,
    refused,
    set_phase,
    skip_stock_round,
    start,
    treasuries,
    turn_of,
    where,
)

ALL = lays.ALL_EDGES


def legal(game: Game, hex_id: str, tile: str) -> list[int]:
    """Rotations in which a tile may go on a hex now, whoever reaches it."""
    colors = game.colors
    found = lays.legal_lays(game.title.track_rules, game.state, hex_id, ALL, colors, tiles=[tile])
    return [rotation for _, rotation in found]


def exits(game: Game, tile: str, rotation: int) -> frozenset[int]:
    return game.title.map.tiles[tile].rotated(rotation).exits


def operating(options: tuple[str, ...] = ()) -> Game:
    """All minors belong to the two players; EKB acts first."""
    game = drafted(2, options)
    skip_stock_round(game)
    return game


def test_minors_and_hgk_stand_on_the_map_from_the_start() -> None:
    board = start(2).state.board
    homes = {"T3": "EKB", "L3": "KFBE", "P7": "KSZ", "O4": "KBE", "I2": "BKB", "J5": "HGK", "H5": "N"}
    assert {hex_id: board[hex_id].cities[0].slots[0] for hex_id in homes} == homes
    for hex_id, sym in (("O2", "DE"), ("R7", "RSE"), ("D5", "RAG")):
        assert board[hex_id].cities[0].reserved == [sym]


def test_one_lay_or_upgrade_a_turn() -> None:
    game = operating()
    lay(game, "EKB", "T3", "57", 2)
    assert where(game) == "EKB:train"


def test_nothing_lies_on_n5_and_p5_before_the_first_three_train() -> None:
    game = operating()
    tiles = game.title.data.tiles
    assert not any(legal(game, hex_id, tile) for hex_id in ("N5", "P5") for tile in tiles)
    turn_of(game, "EKB", "train")
    set_phase(game, "2", first="3")
    act(game, "EKB", "buy_train", train="3-0", price=180, variant="3")
    assert legal(game, "N5", "9") and legal(game, "P5", "4")


def test_the_first_tile_of_n5_crosses_the_rhine() -> None:
    game = operating()
    game.title.on_train_event(game, "blocked_hexes_open")
    set_phase(game, "3")
    for tile in ("7", "8", "9"):
        assert all(4 in exits(game, tile, rotation) for rotation in legal(game, "N5", tile))
    assert set(legal(game, "N5", "9")) == {1, 4}, "edges 1 and 4 either way"


@pytest.mark.parametrize(("hex_id", "tile"), [("L5", "K201"), ("S6", "K6"), ("S6", "K57")])
def test_no_track_crosses_at_cologne_and_bonn_in_phase_2(hex_id: str, tile: str) -> None:
    game = operating()
    before = legal(game, hex_id, tile)
    assert before and all(4 not in exits(game, tile, rotation) for rotation in before)
    set_phase(game, "3")
    assert any(4 in exits(game, tile, rotation) for rotation in legal(game, hex_id, tile))


def test_the_other_bank_may_point_at_the_river() -> None:
    game = operating()
    assert any(1 in exits(game, "4", rotation) for rotation in legal(game, "K6", "4"))
    assert any(1 in exits(game, "57", rotation) for rotation in legal(game, "R7", "57"))


def test_a4_and_b5_cross_the_rhine_in_phase_2() -> None:
    game = operating()
    tile = game.title.map.printed["B5"].rotated(0)
    assert {path.ends for path in tile.paths} == {(2, 0), (2, 5)}
    assert game.title.map.neighbour(game.state, "D5", 3) == "B5"


def test_leverkusen_takes_two_yellow_tiles_in_two_rotations() -> None:
    game = operating()
    for tile in ("K1", "K55"):
        assert sorted(legal(game, "G6", tile)) == [2, 5]
        assert all(exits(game, tile, rotation) == {0, 2, 3, 5} for rotation in (2, 5))
    assert not legal(game, "G6", "58")


@pytest.mark.parametrize("tile", ["K1", "K55"])
@pytest.mark.parametrize("rotation", [2, 5])
def test_leverkusen_becomes_one_city(tile: str, rotation: int) -> None:
    game = operating()
    put_tile(game, "G6", tile, rotation)
    set_phase(game, "3")
    green = [name for name, data in game.title.data.tiles.items() if data.color == "green" and legal(game, "G6", name)]
    assert green == ["K314"] and legal(game, "G6", "K314") == [0]
    put_tile(game, "G6", "K314", 0)
    assert len(game.state.board["G6"].cities) == 1
    set_phase(game, "5")
    assert legal(game, "G6", "K170") == [0]


def test_leverkusen_is_upgraded_by_who_reaches_it() -> None:
    game = operating()
    put_tile(game, "G6", "K1", 2)
    set_phase(game, "3")
    assert refused(game, "EKB", "lay_tile", hex="G6", tile="K314-0", rotation=0) == "not_connected"


def test_terrain_is_paid_with_the_first_tile() -> None:
    game = operating()
    put_tile(game, "O4", "57", 2)
    put_tile(game, "P3", "8", 0)
    assert game.title.map.printed["P3"].rotated(0).cost == 40 and game.title.map.tile_at(game.state, "P3").cost == 0
    assert sum(1 for data in game.title.data.map.hexes.values() if data.cost == 40) == 10


def test_a_lay_that_cannot_be_paid_is_refused() -> None:
    game = operating()
    turn_of(game, "EKB", "track")
    put_tile(game, "T3", "57", 1)
    game.corporation("EKB").cash = 39
    game.touch()
    assert not any(move.get("hex") == "S4" for move in game.moves())
    assert refused(game, "EKB", "lay_tile", hex="S4", tile="9-0", rotation=1) == "insufficient_funds"
    game.corporation("EKB").cash = 40
    game.touch()
    lay(game, "EKB", "S4", "9", 1)
    assert treasuries(game, "EKB") == [0]


def test_bonn_and_benrath_end_in_green() -> None:
    game = operating()
    set_phase(game, "3")
    put_tile(game, "S6", "K57", 1)
    green = [(tile, rotation) for tile in ("K14", "K15") for rotation in legal(game, "S6", tile)]
    assert green and not legal(game, "S6", "14")
    put_tile(game, "S6", *green[0])
    set_phase(game, "5")
    assert not any(legal(game, "S6", tile) for tile, data in game.title.data.tiles.items() if data.color == "brown")


def test_track_goes_on_without_a_token_step_for_minors() -> None:
    game = operating()
    lay(game, "EKB", "T3", "57", 2)
    assert "place_token" not in kinds(game)


def test_a_token_goes_on_a_tile_that_bears_the_name_of_a_hex() -> None:
    """K6 is a yellow tile for Bonn and Benrath, and a hex."""
    game = operating()
    put_tile(game, "S6", "K6", 0)
    assert game.title.hexes_of_tile(game.state, "K6", 0) == ["S6"]
    assert game.title.hexes_of_tile(game.state, "K6", 1) == ["K6"]
    assert parse_city(game, "K6-0-0") == ("S6", 0)


# --- options (1893 6) -------------------------------------------------------------------------------------------


def test_an_eighth_two_train() -> None:
    assert start(2).state.depot.upcoming[6:8] == ["2-6", "3-0"]
    assert start(2, ("optional_2_train",)).state.depot.upcoming[6:8] == ["2-6", "2-7"]


def test_gray_cologne_costs_money_at_every_step() -> None:
    game = start(2, ("optional_grey_phase",))
    supply = game.state.supply
    assert not {"K201", "K269", "K255"} & set(supply) and {"KV201", "KV269", "KV255", "KV333", "KV259"} <= set(supply)
    game.state.phase = 5
    costs = []
    for tile in ("KV201", "KV269", "KV255", "KV333"):
        rotation = legal(game, "L5", tile)[0]
        costs.append(game.title.map.tile_at(game.state, "L5").cost)
        put_tile(game, "L5", tile, rotation)
    assert costs == [40, 40, 40, 60]
    assert not start(2).state.supply.get("KV333")


def test_gray_tiles_for_other_brown_cities() -> None:
    game = start(2, ("optional_grey_phase",))
    game.state.phase = 5
    put_tile(game, "I8", "57", 0)
    put_tile(game, "I8", "14", legal(game, "I8", "14")[0])
    put_tile(game, "I8", "611", legal(game, "I8", "611")[0])
    assert not any(legal(game, "I8", tile) for tile in ("KV259",)), "I8 has no sixth neighbor"
    put_tile(game, "O4", "57", 2)
    put_tile(game, "O4", "14", legal(game, "O4", "14")[0])
    put_tile(game, "O4", "611", legal(game, "O4", "611")[0])
    game.title.on_train_event(game, "blocked_hexes_open")
    assert game.title.track_rules.upgrade_allowed(
        "O4", game.title.map.tile_at(game.state, "O4"), game.title.map.tiles["KV259"], None, False
    )


def test_existing_track_in_solingen_and_grevenbroich() -> None:
    game = start(2, ("optional_existing_track",))
    game.state.phase = 1
    assert game.title.map.tile_at(game.state, "E2").exits == {0, 3}
    assert game.title.map.tile_at(game.state, "D7").exits == {1, 4}
    assert legal(game, "D7", "KV619") and not legal(game, "D7", "619")
    assert legal(game, "E2", "619") and not legal(game, "E2", "KV619")
    put_tile(game, "D7", "KV619", legal(game, "D7", "KV619")[0])
    game.state.phase = 3
    assert legal(game, "D7", "KV63") and not legal(game, "D7", "611")


def test_options_may_be_combined() -> None:
    game = start(3, ("optional_2_train", "optional_grey_phase", "optional_existing_track", "corrected_d9"))
    assert {"KV619", "KV333"} <= set(game.state.supply) and "2-7" in game.state.depot.upcoming
    hexes = game.title.data.map.hexes
    assert hexes["D9"].nodes[0].group == hexes["B9"].nodes[0].group


def test_d9_and_b9_are_two_areas_without_the_correction() -> None:
    hexes = start(2).title.data.map.hexes
    assert hexes["D9"].nodes[0].group != hexes["B9"].nodes[0].group and hexes["D9"].track == ["2-a!"]
