"""Private companies: sale, income and powers (1894 4.11, 5)."""

from __future__ import annotations

from .table import Table1894, operating


def green(sym: str = "Belge") -> Table1894:
    """A corporation operates in the green phase; Mechelen and Brussels have track."""
    table = operating().phase("Green").tile("E16", "57", 0).tile("F15", "X2", 1)
    for owner in ("Belge", "Nord", "Est"):
        table.give_train(owner, "3")
    table.operate(sym)
    return table


def test_corporations_buy_from_green_to_brown_for_half_to_double() -> None:
    table = green()
    prices = {m["company"]: (m["price"]["min"], m["price"]["max"]) for m in table.offered("buy_company")}
    assert prices == {
        "LRC": (10, 40),
        "AR": (13, 50),
        "GLG": (25, 100),
        "SQG": (35, 140),
        "LS": (45, 180),
        "NMinorS": (70, 280),
    }
    assert table.refused("Belge", "buy_company", company="AR", price=12) == "wrong_price"
    assert table.refused("Belge", "buy_company", company="AR", price=51) == "wrong_price"
    assert table.refused("Belge", "buy_company", company="BMS", price=200) == "not_for_sale"
    assert table.refused("Est", "buy_company", company="AR", price=20) == "not_your_turn"
    for phase in ("Yellow", "Red", "Gray"):
        assert table.phase(phase) and table.offered("buy_company") == []


def test_ar_earns_ten_for_a_corporation_and_the_money_goes_to_the_seller() -> None:
    table = green()
    before = table.game.player("C").cash
    table.do("Belge", "buy_company", company="AR", price=50)
    assert table.game.player("C").cash == before + 50
    assert table.game.company("AR").revenue == 10
    cash = table.treasury("Belge")
    table.operate("Belge")
    assert table.treasury("Belge") == cash + 10


def test_nord_share_stays_with_the_player() -> None:
    table = green()
    table.do("Belge", "buy_company", company="NMinorS", price=70)
    assert 8 in table.game.corporation("Nord").holdings["player:D"]


def test_lrc_adds_a_yellow_tile_for_60_and_terrain() -> None:
    table = green().own("Belge", "LRC")
    cash = table.treasury("Belge")
    assert table.refused("LRC", "lay_tile", hex="D17", tile="14-0", rotation=5) == "wrong_tile"
    assert table.refused("LRC", "lay_tile", hex="B3", tile="57-1", rotation=0) == "wrong_hex"
    table.lay("LRC", "D17", "57-1", 0)
    assert table.treasury("Belge") == cash - 60
    assert table.state.round is not None
    assert (table.state.round.turn.tiles_laid, table.state.round.turn.laid_hexes) == (0, ["D17"])
    assert table.refused("LRC", "lay_tile", hex="E18", tile="8-0", rotation=0) in ("wrong_action", "not_your_turn")
    table.lay("Belge", "D17", "14-0", 5)
    assert table.refused("Belge", "lay_tile", hex="D17", tile="57-1", rotation=0) != ""


def test_hex_of_lrc_lay_is_closed_for_the_second_tile() -> None:
    table = green().own("Belge", "LRC").lay("LRC", "D17", "57-1", 0).lay("Belge", "F13", "9-0", 1)
    assert table.refused("Belge", "lay_tile", hex="D17", tile="14-0", rotation=5) == "same_hex"


def test_unused_lrc_keeps_the_track_step_open_after_two_tiles() -> None:
    table = green().own("Belge", "LRC").lay("Belge", "D17", "57-1", 0).lay("Belge", "F13", "9-0", 1)
    assert table.active() == "Belge:track"
    assert table.offered("lay_tile", "Belge") == []
    assert table.refused("Belge", "lay_tile", hex="E18", tile="8-1", rotation=0) == "no_lay_left"
    table.passes("Belge")
    assert table.active() != "Belge:track"
    assert table.refused("LRC", "lay_tile", hex="E18", tile="8-1", rotation=0) == "not_your_turn"


def test_lrc_of_a_player_keeps_it_open_while_it_can_be_bought() -> None:
    table = green().lay("Belge", "D17", "57-1", 0).lay("Belge", "F13", "9-0", 1)
    assert table.active() == "Belge:track"
    table.do("Belge", "buy_company", company="LRC", price=10)
    assert table.active() == "Belge:track"
    table = green()
    table.game.corporation("Belge").cash = 9
    table.touch().lay("Belge", "D17", "57-1", 0).lay("Belge", "F13", "9-0", 1)
    assert table.active() != "Belge:track"


def test_players_companies_close_their_hexes() -> None:
    table = green().token("Belge", "G18")
    assert table.refused("Belge", "lay_tile", hex="H17", tile="57-1", rotation=0) == "hex_blocked"
    assert "H17" not in {m["hex"] for m in table.offered("lay_tile")}
    table.own("Est", "GLG").lay("Belge", "H17", "57-1", 0)
    assert table.active() == "Belge:track"


def test_station_company_lays_without_connection_and_places_a_free_token() -> None:
    table = green().own("Belge", "GLG")
    rotations = sorted({m["rotation"] for m in table.offered("lay_tile", "GLG")})
    assert rotations
    assert {m["hex"] for m in table.offered("lay_tile", "GLG")} == {"H17"}
    table.lay("GLG", "H17", "57-1", rotations[0])
    assert table.active() == "GLG:special_token"
    assert table.refused("Belge", "pass") == "not_your_turn"
    assert table.refused("Belge", "buy_company", company="AR", price=20) == "not_your_turn"
    cash = table.treasury("Belge")
    table.do("GLG", "place_token", city="57-1-0")
    assert table.treasury("Belge") == cash
    assert table.cities("H17") == [["Belge"]]
    assert table.state.round is not None
    assert (table.state.round.turn.tiles_laid, table.state.round.turn.token_placed) == (1, True)
    table.pass_until("route")
    assert not table.offered("lay_tile", "GLG")


def test_station_company_upgrades_a_yellow_tile_as_the_upgrade_of_the_turn() -> None:
    table = green().own("Belge", "GLG").tile("H17", "57", 0)
    offered = {(c.split("-")[0], m["rotation"]) for m in table.offered("lay_tile", "GLG") for c in m["tile"]["choices"]}
    assert {name for name, _ in offered} == {"14", "15", "619"}
    name, rotation = min(offered)
    table.lay("GLG", "H17", f"{name}-0", rotation)
    assert table.state.round is not None
    assert table.state.round.turn.upgraded
    table.passes("GLG")
    assert table.active() == "Belge:track"
    assert not table.state.round.turn.token_placed
    assert [ability.kind for ability in table.game.company("GLG").abilities] == ["blocks_hexes"]
    assert table.refused("Belge", "lay_tile", hex="F15", tile="X6-0", rotation=1) == "no_upgrade_left"


def test_station_company_obeys_the_allowance() -> None:
    table = green().own("Belge", "GLG").tile("H17", "57", 0).lay("Belge", "F15", "X6-0", 1)
    assert table.offered("lay_tile", "GLG") == []
    assert table.refused("GLG", "lay_tile", hex="H17", tile="14-0", rotation=0) == "no_upgrade_left"
    table = green().own("Belge", "GLG").own("Est", "LRC").lay("Belge", "D17", "57-1", 0).lay("Belge", "F13", "9-0", 1)
    assert table.refused("GLG", "lay_tile", hex="H17", tile="57-2", rotation=0) in ("no_lay_left", "not_your_turn")


def test_station_without_a_token_left_asks_nothing() -> None:
    table = green().own("Belge", "GLG").token("Belge", "F15").token("Belge", "C14")
    rotation = table.offered("lay_tile", "GLG")[0]["rotation"]
    table.lay("GLG", "H17", "57-1", rotation)
    assert table.active() == "Belge:track"
    assert [ability.kind for ability in table.game.company("GLG").abilities] == ["blocks_hexes"]


def test_powers_of_others_and_of_players_are_not_usable() -> None:
    table = green().own("Est", "LRC")
    assert table.refused("LRC", "lay_tile", hex="D17", tile="57-1", rotation=0) == "not_your_turn"
    assert table.refused("GLG", "lay_tile", hex="H17", tile="57-1", rotation=0) == "not_your_turn"
    assert table.refused("LS", "place_token", city="A12-0-0") == "not_your_turn"


def test_saint_quentin_pays_by_the_color_of_its_tile() -> None:
    table = operating().phase("Brown")
    assert table.game.company("SQG").revenue == 0
    table.tile("G10", "57", 0).tile("G8", "8", 0)
    table.token("Belge", "G10").operate("Belge")
    tile = next(m for m in table.offered("lay_tile") if m["hex"] == "G10")
    table.lay("Belge", "G10", tile["tile"]["choices"][0], tile["rotation"])
    assert table.game.company("SQG").revenue == 70
    table.operate("Belge", 2)
    tile = next(m for m in table.offered("lay_tile") if m["hex"] == "G10")
    table.lay("Belge", "G10", tile["tile"]["choices"][0], tile["rotation"])
    assert table.game.company("SQG").revenue == 100
    cash = table.game.player("B").cash
    table.operate("Est", 3)
    assert table.game.player("B").cash >= cash + 100


def test_majors_close_after_the_first_dividend_step() -> None:
    table = operating()
    assert [table.game.company(sym).closed for sym in ("EMS", "BMS")] == [False, False]
    table.passes("Est")
    assert table.active() == "Est:train"
    assert [table.game.company(sym).closed for sym in ("EMS", "BMS")] == [True, False]
