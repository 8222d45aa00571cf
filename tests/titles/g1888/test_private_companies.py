"""The powers of the private companies (1888 section 5), used by corporations that bought them in phase 3."""

from __future__ import annotations

from typing import Any

import pytest

from services.rules.engine import trains
from services.rules.engine.board import lays
from services.rules.engine.game import Game
from services.rules.titles import get_title

from .table import act, lay, pass_round, refused, train, where
from .test_walkthrough import played

POWERS = ("TA", "HS", "CW", "YRF")
COMPANY_TILES = {"L39", "L40a", "L40b", "L41"}


def lanyan_operates(*bought: str) -> Game:
    """LYR's turn in operating round 3.1 (phase 3), after buying these companies at their lowest price."""
    game = played()
    pass_round(game, "stock")
    assert where(game) == "LYR:track"
    for company in bought:
        act(game, "LYR", "buy_company", company=company, price=game.title.data.companies[company].min_price)
    return game


def lays_of(game: Game, company: str) -> list[dict[str, Any]]:
    """Listed lays of a company."""
    return [move for move in game.moves() if move["type"] == "lay_tile" and move["entity"] == company]


@pytest.mark.parametrize("company", POWERS)
def test_powers_need_a_corporation_as_owner(company: str) -> None:
    game = lanyan_operates()
    assert lays_of(game, company) == []
    site = {"TA": ("H2", "L39-0", 5), "HS": ("C5", "L41-0", 0), "CW": ("B10", "7-0", 4), "YRF": ("E17", "L40a-0", 0)}
    hex_id, tile, rotation = site[company]
    assert refused(game, company, "lay_tile", hex=hex_id, tile=tile, rotation=rotation) == "not_your_turn"


def test_no_corporation_lays_the_companies_tiles_itself() -> None:
    game = lanyan_operates(*POWERS)
    for hex_id in game.state.board:
        listed = lays.legal_lays(game.title.track_rules, game.state, hex_id, lays.ALL_EDGES)
        assert not COMPANY_TILES & {name for name, _ in listed}, hex_id


# --- Terracotta Army --------------------------------------------------------------------------------------------


def test_xian_gets_its_tile_without_connection_beside_the_turns_lay() -> None:
    game = lanyan_operates("TA")
    cash = game.corporation("LYR").cash
    assert [(move["hex"], move["rotation"]) for move in lays_of(game, "TA")] == [("H2", 5)]
    assert refused(game, "TA", "lay_tile", hex="H2", tile="L39-0", rotation=4) == "track_not_kept"
    assert refused(game, "TA", "lay_tile", hex="H4", tile="L39-0", rotation=5) == "wrong_hex"
    lay(game, "TA", "H2", "L39-0", 5)
    assert game.corporation("LYR").cash == cash
    assert game.round.turn.tiles_laid == 0
    assert where(game) == "LYR:track"
    assert not game.company("TA").closed
    assert lays_of(game, "TA") == []


def test_a_power_may_be_used_late_in_the_turn_but_not_in_anothers() -> None:
    game = lanyan_operates("TA", "HS")
    act(game, "LYR", "pass")
    assert where(game) == "LYR:token"
    lay(game, "TA", "H2", "L39-0", 5)
    act(game, "LYR", "pass")
    act(game, "LYR", "run_routes", routes=[])
    act(game, "LYR", "pass")
    assert where(game) == "LYR:company"
    act(game, "LYR", "pass")
    assert where(game).startswith("HJR:")
    assert refused(game, "HS", "lay_tile", hex="C5", tile="L41-0", rotation=0) == "not_your_turn"


# --- Heng Shan --------------------------------------------------------------------------------------------------


def test_heng_shan_keeps_its_mountain_closed_while_a_player_owns_it() -> None:
    game = lanyan_operates()
    assert refused(game, "LYR", "lay_tile", hex="C5", tile="8-0", rotation=0) == "hex_blocked"
    act(game, "LYR", "buy_company", company="HS", price=38)
    assert refused(game, "LYR", "lay_tile", hex="C5", tile="8-0", rotation=0) == "not_connected"


@pytest.mark.parametrize("rotation", range(6))
def test_the_mine_takes_any_rotation_once(rotation: int) -> None:
    game = lanyan_operates("HS")
    cash = game.corporation("LYR").cash
    lay(game, "HS", "C5", "L41-0", rotation)
    assert game.corporation("LYR").cash == cash
    assert lays_of(game, "HS") == []


def test_the_mine_needs_a_blank_mountain() -> None:
    game = lanyan_operates("HS")
    lays.lay(game.title.track_rules, game.state, "C5", "8", 0)
    game.board_changed()
    assert lays_of(game, "HS") == []
    assert refused(game, "HS", "lay_tile", hex="C5", tile="L41-0", rotation=0) == "wrong_hex"


# --- Great Wall -------------------------------------------------------------------------------------------------


def test_the_wall_is_built_free_with_two_joined_tiles() -> None:
    game = lanyan_operates("CW")
    cash = game.corporation("LYR").cash
    lay(game, "CW", "B10", "7-0", 4)
    assert where(game) == "CW:special_track"
    assert refused(game, "LYR", "pass") == "not_your_turn"
    assert refused(game, "LYR", "buy_company", company="TA", price=25) == "not_your_turn"
    assert refused(game, "CW", "lay_tile", hex="C11", tile="9-1", rotation=1) == "paths_not_joined"
    assert refused(game, "CW", "lay_tile", hex="C7", tile="9-1", rotation=1) == "paths_not_joined"
    assert {move["hex"] for move in lays_of(game, "CW")} == {"C11"}
    lay(game, "CW", "C11", "9-1", 2)
    assert where(game) == "LYR:track"
    assert game.corporation("LYR").cash == cash
    assert lays_of(game, "CW") == []
    assert not game.company("CW").closed


def test_declining_the_second_tile_forfeits_it() -> None:
    game = lanyan_operates("CW")
    assert refused(game, "CW", "pass") == "nothing_to_decline"
    lay(game, "CW", "B10", "7-0", 4)
    act(game, "CW", "pass")
    assert where(game) == "LYR:track"
    assert lays_of(game, "CW") == []


def test_a_recorded_second_tile_need_not_be_joined() -> None:
    game = lanyan_operates("CW")
    lay(game, "CW", "B10", "7-0", 4)
    game.state.mode = "imported"
    lay(game, "CW", "C7", "9-1", 1)
    assert where(game) == "LYR:track"


def test_towns_and_cities_of_wall_hexes_get_their_own_kind_of_tile() -> None:
    game = lanyan_operates("CW")
    assert refused(game, "CW", "lay_tile", hex="B10", tile="57-0", rotation=0) == "tile_does_not_fit"
    assert refused(game, "CW", "lay_tile", hex="C13", tile="7-0", rotation=0) == "tile_does_not_fit"
    assert refused(game, "CW", "lay_tile", hex="C9", tile="7-0", rotation=0) == "wrong_hex"
    assert refused(game, "CW", "lay_tile", hex="B10", tile="16-0", rotation=0) == "wrong_tile"
    kinds = {move["hex"]: game.title.map.printed[move["hex"]] for move in lays_of(game, "CW")}
    assert {"B10", "C13", "B16", "D2"} <= set(kinds)


def test_single_lays_do_not_interrupt_the_wall() -> None:
    game = lanyan_operates(*POWERS)
    lay(game, "CW", "B10", "7-0", 4)
    assert refused(game, "YRF", "lay_tile", hex="E17", tile="L40a-0", rotation=0) == "not_your_turn"
    assert refused(game, "TA", "pass") == "nothing_to_decline"
    lay(game, "TA", "H2", "L39-0", 5)
    assert where(game) == "CW:special_track"
    lay(game, "HS", "C5", "L41-0", 0)
    assert {move["hex"] for move in lays_of(game, "CW")} == {"C11"}
    act(game, "CW", "pass")
    assert where(game) == "LYR:track"


# --- Yanda Railway Ferry ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [("E17", "F16"), ("F16", "E17")])
def test_both_ferry_tiles_are_laid_together(order: tuple[str, str]) -> None:
    tiles = {"E17": "L40a-0", "F16": "L40b-0"}
    game = lanyan_operates(*POWERS)
    assert sorted((m["hex"], m["tile"], m["rotation"]) for m in lays_of(game, "YRF")) == [
        ("E17", "L40a-0", 0),
        ("F16", "L40b-0", 0),
    ]
    first, second = order
    lay(game, "YRF", first, tiles[first], 0)
    assert where(game) == "YRF:special_track"
    assert [move["hex"] for move in game.moves()] == [second], "nothing else may be done"
    assert refused(game, "YRF", "pass") == "wrong_action"
    assert refused(game, "TA", "lay_tile", hex="H2", tile="L39-0", rotation=5) == "not_your_turn"
    assert refused(game, "LYR", "pass") == "not_your_turn"
    lay(game, "YRF", second, tiles[second], 0)
    assert where(game) == "LYR:track"
    assert ("E17", 0) in game.network(game.corporation("LYR")).connected_cities
    assert game.corporation("LYR").tokens[0].hex == "F16"
    assert game.state.board["F16"].cities[0].slots == ["LYR", None]


def test_ferry_tiles_lie_one_way_only() -> None:
    game = lanyan_operates("YRF")
    for rotation in range(1, 6):
        refused(game, "YRF", "lay_tile", hex="E17", tile="L40a-0", rotation=rotation)
        refused(game, "YRF", "lay_tile", hex="F16", tile="L40b-0", rotation=rotation)
    for rotation in range(6):
        refused(game, "YRF", "lay_tile", hex="F16", tile="L40a-0", rotation=rotation)
        refused(game, "YRF", "lay_tile", hex="E17", tile="L40b-0", rotation=rotation)


# --- closing ----------------------------------------------------------------------------------------------------


def test_the_first_5_closes_every_company() -> None:
    game = lanyan_operates("TA", "CW")
    lay(game, "CW", "B10", "7-0", 4)
    act(game, "CW", "pass")
    while game.state.depot.upcoming[0] != "5-0":
        trains.export(game)
    game.corporation("LYR").cash = 1000
    for step in ("track", "token"):
        assert where(game) == f"LYR:{step}"
        act(game, "LYR", "pass")
    act(game, "LYR", "run_routes", routes=[])
    train(game, "LYR", "5-0", 500)
    assert all(company.closed for company in game.state.companies.values())
    assert refused(game, "TA", "lay_tile", hex="H2", tile="L39-0", rotation=5) in ("not_your_turn", "nothing_to_do")
    assert all(not player.companies for player in game.state.players)


def test_the_last_step_waits_while_the_cheapest_company_of_a_player_can_be_paid() -> None:
    game = lanyan_operates("TA", "HS", "CW", "YRF")
    lyr = game.corporation("LYR")
    lyr.cash = 75
    game.touch()
    act(game, "LYR", "buy_company", company="FC", price=75)
    assert game.company("FC").owner == "corporation:LYR"
    step = game.title.rounds["operating"].steps[-1]
    assert step.kind == "company"
    assert step.actions(game, lyr) == ("pass",), "unused lays keep it open"


def test_the_data_of_the_north_rules_are_the_titles_own() -> None:
    north, prototype = get_title("1888", ["north"]), get_title("1888")
    assert north.data.companies["FC"].abilities[0].sources == ["ipo", "market"]
    assert prototype.data.companies["FC"].abilities[0].sources == ["ipo"]
