"""Late corporations and their homes (1894 3.3, 4.1)."""

from __future__ import annotations

import pytest

from services.rules.engine.board import tokens
from services.rules.titles.g1894 import split

from .table import Table1894, auctioned

FRENCH = ["B3", "B9", "B11", "D3", "D9", "D11", "E2", "E6", "E10", "G4", "G6", "G10", "H9", "I10"]


def par(sym: str, *tiles: tuple[str, str, int], imported: bool = False) -> Table1894:
    """B starts a late corporation in SR 1 of a game that is brown already."""
    table = auctioned().phase("Brown")
    if imported:
        table.state.mode = "imported"
    for hex_id, tile, rotation in tiles:
        table.tile(hex_id, tile, rotation)
    table.do("B", "par", corporation=sym, share_price="67,7,5")
    return table


def offered(table: Table1894) -> list[str]:
    """Hexes of the choices."""
    choices = table.offered("choose")[0]["choice"]["choices"]
    return [text[text.index("(") + 1 : -1] for text in choices]


def test_home_is_chosen_at_once_from_white_hexes_with_room() -> None:
    table = par("LF")
    assert offered(table) == ["B9", "B11", "D11", "E2", "E10", "G6", "G10", "H9"]
    assert {move["type"] for move in table.game.moves()} == {"choose"}
    assert table.refused("B", "pass") == "wrong_action"
    assert table.refused("B", "choose", choice="Reims (I10)") == "not_a_choice"
    assert table.refused("B", "choose", choice="Le Havre (B3)") == "not_a_choice"
    assert table.refused("C", "choose", choice="Calais (B9)") == "not_your_turn"
    assert table.refused("LRC", "choose", choice="Calais (B9)") == "not_your_turn"
    table.do("B", "choose", choice="Calais (B9)")
    assert table.game.corporation("LF").home == ["B9"]
    assert table.reserved("B9") == [["LF"], []]


def test_belgian_list() -> None:
    assert offered(par("LB")) == ["C14", "D17", "F15", "H17"]


def test_without_white_hexes_those_with_track_and_room() -> None:
    white = [("C14", "57", 0), ("D17", "57", 0), ("F15", "X2", 0), ("F15", "X6", 0), ("H17", "57", 0)]
    table = par("LB", *white, ("D15", "57", 0), ("D15", "14", 0))
    assert offered(table) == ["C14", "D15", "D17", "F15", "G18", "H17"]
    table.do("B", "choose", choice="Gent (D15)")
    assert table.reserved("D15") == [["AG", "LB"], []]


def test_paris_means_city_1() -> None:
    table = par("LF").do("B", "choose", choice="Paris (G6)")
    assert table.reserved("G6") == [["PLM"], ["LF"], []]
    table.tile("G6", "X1", 0).tile("G6", "X4", 0).tile("G6", "X9", 0)
    assert table.reserved("G6")[:2] == [["PLM"], ["LF"]]
    table.give_shares("B", "LF", 1, 2, 3, 4).operate("LF")
    assert table.cities("G6") == [[None], ["LF", None]]


@pytest.mark.parametrize("imported", [True, False])
def test_paris_turned_so_that_city_1_is_plms(imported: bool) -> None:
    """A live game keeps the free city; an imported one always names city 1."""
    others = [h for h in FRENCH if h not in ("G6", "G4", "I10", "D11")]
    table = auctioned().phase("Brown").tile("G6", "X1", 0).token("PLM", "G6", 0).tile("G6", "X5", 3)
    assert table.cities("G6") == [[None], ["PLM"]]
    for hex_id in others:
        table.state.board[hex_id].reserved.append("X")
    for hex_id in ("G4", "I10", "D11"):
        table.state.board[hex_id].reserved.append("X")
    table.state.mode = "imported" if imported else "live"
    action = {"entity": "B", "entity_type": "player"}
    table.game.replay({"type": "par", "corporation": "LF", "share_price": "67,7,5", **action})
    table.game.replay({"type": "choose", "choice": "Paris (G6)", **action})
    assert ("LF" in table.reserved("G6")[1 if imported else 0]) is True


def test_brown_city_with_room_on_one_side_keeps_that_side() -> None:
    table = auctioned().phase("Brown")
    for hex_id in ("C14", "D17", "F15", "H17", "G18", "E16", "G14"):
        table.state.board[hex_id].reserved.append("X")
    table.tile("D15", "57", 0).tile("D15", "14", 0).tile("D15", "X16", 0)
    table.state.board["D15"].reserved.clear()
    for city in table.state.board["D15"].cities:
        city.reserved.clear()
    table.token("Est", "D15", 0)
    table.do("B", "par", corporation="LB", share_price="67,7,5").do("B", "choose", choice="Gent (D15)")
    assert table.reserved("D15") == [[], ["LB"], []]


def test_brown_city_with_room_on_both_sides_is_kept_whole() -> None:
    table = auctioned().phase("Brown")
    for hex_id in ("C14", "D17", "F15", "H17", "G18", "E16", "G14"):
        table.state.board[hex_id].reserved.append("X")
    table.tile("D15", "57", 0).tile("D15", "14", 0).tile("D15", "X16", 0)
    for city in table.state.board["D15"].cities:
        city.reserved.clear()
    table.do("B", "par", corporation="LB", share_price="67,7,5").do("B", "choose", choice="Gent (D15)")
    assert table.reserved("D15") == [[], [], ["LB"]]
    slot = tokens.slot_for(table.game.title.map, table.state, "D15", 0, "Est")
    assert slot == 0
    table.token("Est", "D15", 0)
    assert table.reserved("D15") == [[], ["LB"], []]
    assert tokens.slot_for(table.game.title.map, table.state, "D15", 1, "Nord") is None
    assert split.is_split(table.state.board["D15"])


def test_home_on_a_green_city_keeps_the_first_open_slot() -> None:
    table = auctioned().phase("Brown").tile("D15", "57", 0).tile("D15", "14", 0)
    for hex_id in ("C14", "D17", "F15", "H17"):
        table.state.board[hex_id].reserved.append("X")
    table.do("B", "par", corporation="LB", share_price="80,4,3").do("B", "choose", choice="Gent (D15)")
    assert table.reserved("D15") == [["AG", "LB"], []]
    assert tokens.slot_for(table.game.title.map, table.state, "D15", 0, "Nord") is None
    assert tokens.slot_for(table.game.title.map, table.state, "D15", 0, "LB") == 1
    assert table.active() == "C:stock"
