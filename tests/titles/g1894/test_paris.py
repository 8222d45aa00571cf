"""Paris (1894 4.5)."""

from __future__ import annotations

import pytest

from services.rules.engine.board import lays

from .table import Table1894, operating


def rotations(table: Table1894, tile: str) -> list[int]:
    rules = table.game.title.track_rules
    return lays.legal_rotations(rules, table.state, "G6", tile, lays.ALL_EDGES)


def paris(*tiles: tuple[str, int], phase: str = "Brown") -> Table1894:
    table = operating().phase(phase).start_corporation("PLM", "A")
    for tile, rotation in tiles:
        table.tile("G6", tile, rotation)
    return table


def test_first_tile_keeps_token_and_reservation_by_city() -> None:
    table = paris(phase="Green")
    assert table.reserved("G6") == [["PLM"], [], []]
    table.operate("PLM")
    assert table.cities("G6") == [["PLM"], [None]]
    table.lay("PLM", "G6", "X1-0", 1)
    assert table.cities("G6") == [["PLM"], [None]]
    assert table.active() == "PLM:track"


def test_rotations_of_green_paris() -> None:
    table = paris(("X1", 2))
    assert rotations(table, "X4") == [2]
    assert rotations(table, "X5") == [2, 5]


def test_plm_keeps_its_side_when_x5_is_turned() -> None:
    table = paris(("X1", 2))
    table.operate("PLM").tile("G6", "X5", 5)
    assert table.cities("G6") == [[None], ["PLM"]]
    assert rotations(table, "X10") == rotations(table, "X12") == [2]
    table.tile("G6", "X10", 2)
    assert table.cities("G6") == [["PLM"], [None, None]]


@pytest.mark.parametrize(("green", "brown"), [("X4", ("X9", "X11")), ("X5", ("X10", "X12"))])
def test_brown_paris_follows_green_in_the_same_rotation(green: str, brown: tuple[str, str]) -> None:
    table = paris(("X1", 1), (green, 1))
    for tile in ("X9", "X10", "X11", "X12"):
        assert rotations(table, tile) == ([1] if tile in brown else [])


def test_brown_paris_needs_a_connection_to_the_hex_only() -> None:
    table = paris(("X1", 0), ("X4", 0))
    table.tile("G4", "14", 4).tile("H5", "9", 0)
    rules = table.game.title.track_rules
    assert lays.legal_rotations(rules, table.state, "G6", "X9", {4, 5}) == [0]
    assert lays.legal_rotations(rules, table.state, "G6", "X16", {4, 5}) == []


def test_extra_tile_of_lrc_lifts_the_tokens_for_the_operator() -> None:
    table = paris(phase="Green").own("PLM", "LRC")
    table.operate("PLM").lay("LRC", "G6", "X1-0", 1)
    assert table.treasury("PLM") == 670 + 5 - 60
    assert table.active() == "PLM:home_token"
    assert table.cities("G6") == [[None], [None]]
    table.do("PLM", "place_token", city="X1-0-1")
    assert table.cities("G6") == [[None], ["PLM"]]
    assert table.active() == "PLM:track"
    assert table.state.round is not None
    assert table.state.round.turn.tiles_laid == 0


def test_lrc_lays_paris_for_all_who_stand_there() -> None:
    table = paris(phase="Brown").own("Belge", "LRC")
    table.operate("PLM")
    table.start_corporation("LF", "B").game.corporation("LF").home = ["G6"]
    table.token("LF", "G6", 1).token("Belge", "G4")
    table.operate("Belge").lay("LRC", "G6", "X1-0", 1)
    assert table.active() == "Belge:home_token"
    assert table.state.round is not None
    assert [pending.corporation for pending in table.state.round.pending_tokens] == ["PLM", "LF"]
    table.do("Belge", "place_token", city="X1-0-0").do("Belge", "place_token", city="X1-0-1")
    assert table.cities("G6") == [["PLM"], ["LF"]]
