"""Home tokens and the turn's token (1894 4.1, 4.6)."""

from __future__ import annotations

from .table import Table1894, operating


def test_two_homes_get_their_tokens_free() -> None:
    table = operating().start_corporation("Ouest", "A")
    table.operate("Ouest")
    assert (table.cities("B3"), table.cities("E6")) == ([["Ouest"]], [["Ouest"]])
    assert table.treasury("Ouest") == 670
    assert (table.reserved("B3"), table.reserved("E6")) == ([[None], []], [[None], []])


def test_gray_home_of_cfor() -> None:
    table = operating().start_corporation("CFOR", "A")
    table.operate("CFOR")
    assert (table.cities("D3"), table.cities("H3")) == ([["CFOR"]], [["CFOR"]])


def placing() -> Table1894:
    """Belge, with a train, is to place a token: Brussels and Antwerp are connected."""
    table = operating().phase("Green").tile("E16", "57", 0).tile("F15", "X2", 1).tile("D17", "57", 0)
    table.give_train("Belge", "3")
    table.operate("Belge")
    return table.pass_until("token")


def test_tokens_cost_40_then_100_one_a_turn() -> None:
    table = placing()
    cash = table.treasury("Belge")
    assert {m["city"] for m in table.offered("place_token")} == {"57-1-0", "X2-0-0"}
    table.do("Belge", "place_token", city="X2-0-0")
    assert table.treasury("Belge") == cash - 40
    assert table.active() == "Belge:route"
    table.operate("Belge", 2).pass_until("token")
    table.do("Belge", "place_token", city="57-1-0")
    assert table.treasury("Belge") == cash - 140
    table.operate("Belge", 3).pass_until("route")
    assert table.refused("Belge", "place_token", city="57-1-0") == "wrong_action"


def test_token_needs_connection_slot_money_and_no_reservation() -> None:
    table = placing()
    assert table.refused("Belge", "place_token", city="C14-0-0") == "not_connected"
    assert table.refused("Belge", "place_token", city="57-0-0") == "no_slot"
    assert table.refused("Belge", "place_token", city="A12-0-0") == "not_connected"
    assert table.refused("Belge", "place_token", city="nowhere") == "unknown_city"
    table.tile("D17", "14", 5).tile("D15", "57", 1)
    assert table.refused("Belge", "place_token", city="57-1-0") in ("not_connected", "no_slot", "unknown_city")
    table.game.corporation("Belge").cash = 39
    table.touch()
    assert table.step() != "token"


def test_first_turn_ends_steps_that_ask_nothing() -> None:
    table = operating()
    assert table.active() == "Est:track"
    table.passes("Est")
    assert table.active() == "Est:train"
