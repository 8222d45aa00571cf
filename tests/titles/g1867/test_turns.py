"""Who is paid for shares, where homes may be, what passes by itself (1867 2.4, 2.5, 3.3, 3.4, 4.6, 9.2)."""

from __future__ import annotations

import pytest

from services.rules.engine import shares
from services.rules.engine.board import lays

from .table import Canada, start_major, start_minor
from .test_loans import to_step
from .test_rounds import finish_round, in_phase


def stock_round() -> Canada:
    """A stock round in which GWR at 100 has certificates in its treasury and in the pool."""
    table = Canada(3).sell_companies()
    table.game.state.phase = 2
    table.game.title.on_train_event(table.game, "second_batch")
    start_major(table, "GWR", str(table.game.state.player_order[2]), 100)
    shares.give(table.game, table.company("GWR"), 5, "pool", "test")
    for player in table.game.state.players:
        player.cash = 300
    table.game.touch()
    return table


# --- shares -----------------------------------------------------------------------------------------------------


def test_treasury_certificates_pay_the_corporation_pool_ones_the_bank() -> None:
    table = stock_round().at_price("GWR", 120)
    first, second = (str(player) for player in table.game.state.player_order[:2])
    bank = table.game.state.bank
    table.buy(first, "GWR_1")
    assert (table.company("GWR").cash, table.game.state.bank) == (120, bank)
    table.buy(second, "GWR_5")
    assert (table.company("GWR").cash, table.game.state.bank) == (120, bank + 120)


def test_one_purchase_ends_the_turn() -> None:
    table = stock_round()
    first, second = (str(player) for player in table.game.state.player_order[:2])
    table.buy(first, "GWR_1")
    assert table.acting() == [second]


def test_sales_come_before_the_purchase() -> None:
    """After a sale a minor may still be put up; what was sold may not be bought back in this round."""
    table = stock_round()
    first = str(table.game.state.player_order[0])
    shares.give(table.game, table.company("GWR"), 2, f"player:{first}", "test")
    table.do(first, "sell_shares", shares=["GWR_2"], percent=10)
    assert table.acting() == [first]
    table.refused("wrong_action", first, "buy_shares", shares=["GWR_1"], percent=10)
    table.bid(first, "KP", 100).home("KP", "G15-0-0")
    assert table.state.bidding is not None


def test_the_pool_holds_half_at_most() -> None:
    table = stock_round()
    first, _, third = (str(player) for player in table.game.state.player_order)
    for index, player in ((6, third), (7, third), (1, first), (2, first), (3, first), (4, first)):
        shares.give(table.game, table.company("GWR"), index, f"player:{player}", "test")
    table.game.touch()
    sizes = {len(m["shares"]) for m in table.game.moves() if m["type"] == "sell_shares"}
    assert sizes == {1, 2, 3, 4}
    shares.give(table.game, table.company("GWR"), 8, "pool", "test")
    table.refused("pool_limit", first, "sell_shares", shares=["GWR_1", "GWR_2", "GWR_3", "GWR_4"], percent=40)


def test_nobody_holds_more_than_60_percent_of_a_major() -> None:
    table = stock_round()
    third = str(table.game.state.player_order[2])
    for index in (1, 2, 3, 4):
        shares.give(table.game, table.company("GWR"), index, f"player:{third}", "test")
    table.passes(*(str(player) for player in table.game.state.player_order[:2]))
    assert table.acting() == [third]
    assert "buy_shares" not in {m["type"] for m in table.game.moves()}


def test_two_players_may_hold_70_percent() -> None:
    table = Canada(2).sell_companies()
    table.game.title.on_train_event(table.game, "second_batch")
    start_major(table, "GWR", "A", 100)
    title, game = table.game.title, table.game
    assert title.max_ownership(game, table.company("GWR")) == 70
    assert title.max_ownership(game, table.company("KP")) == 100


def test_dividends_go_to_players_and_to_the_treasury_for_its_own_certificates() -> None:
    """100 on ten shares: 20 % president, 10 % of A, 10 % in the pool paid to nobody, 60 % in the treasury."""
    table = in_phase(3)
    major = table.company("GWR")
    shares.give(table.game, major, 1, "player:A", "test")
    shares.give(table.game, major, 2, "pool", "test")
    rules, state = table.game.title.track_rules, table.game.state
    lays.lay(rules, state, "O7", "201", 5)
    table.game.board_changed()
    to_step(table, "GWR", "route")
    table.run("GWR", {"5-1": ["O7-P8"]})
    assert {m["kind"] for m in table.game.moves() if m["type"] == "dividend"} == {"payout", "half", "withhold"}
    cash, treasury, bank = table.cash(), major.cash, state.bank
    table.do("GWR", "dividend", kind="payout")
    paid = [now - then for now, then in zip(table.cash(), cash, strict=True)]
    assert paid == [7, 14, 0]
    assert major.cash - treasury == 6 * 7
    assert bank - state.bank == 63
    assert table.price("GWR") == 100  # 70 is less than its price


# --- homes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("city", "code"),
    [
        ("D2-0-0", "wrong_hex"),  # the neutral marker stands there
        ("F16-0-0", "no_slot"),  # the national's city
        ("F8-1-1", "unknown_city"),
        ("A7-0-0", "unknown_city"),
        ("E13-2-0", "wrong_hex"),  # KP's
    ],
)
def test_a_minor_starts_in_an_empty_city(city: str, code: str) -> None:
    table = Canada(3).sell_companies()
    first = str(table.acting()[0])
    start_minor(table, "KP", "A", 90, "E13")
    table.bid(first, "CV", 100)
    table.refused(code, "CV", "place_token", city=city, slot=0)
    table.refused("wrong_action", str(table.acting()[0]), "pass")
    table.home("CV", "F16-0-1")
    assert table.on_map("CV") == ["F16"]


def test_an_empty_city_of_a_hex_with_tokens_will_do_for_a_minor() -> None:
    """Montreal's free cities are open to minors whoever stands in the third."""
    table = Canada(3).sell_companies()
    start_minor(table, "KP", "A", 90, "L12", 0)
    title = table.game.title
    assert "L12" in title.home_hexes(table.game, table.company("CV"))
    assert "L12" in title.home_hexes(table.game, table.company("BO"))
    table.token("CV", "L12", 1)
    assert "L12" not in title.home_hexes(table.game, table.company("BO"))


def test_a_major_may_not_start_beside_a_token() -> None:
    """Unlike a minor it needs a hex without tokens; neutral markers do not count (1867 3.5)."""
    table = Canada(3).sell_companies()
    table.game.state.phase = 2
    table.game.title.on_train_event(table.game, "second_batch")
    start_minor(table, "KP", "A", 90, "L12", 0)
    homes = table.game.title.home_hexes(table.game, table.company("GWR"))
    assert "L12" not in homes
    assert "F16" not in homes
    assert "D2" in homes


def test_no_home_no_par() -> None:
    table = Canada(3).sell_companies()
    table.game.state.phase = 2
    table.game.title.on_train_event(table.game, "second_batch")
    first = str(table.acting()[0])
    table.player(first).cash = 500
    for on_hex in table.game.state.board.values():
        for city in on_hex.cities:
            city.slots = ["CN" for _ in city.slots]
    table.game.touch()
    assert "par" not in {m["type"] for m in table.game.moves()}
    table.refused("no_home", first, "par", corporation="GWR", share_price="100,0,10")
    table.refused("no_home", first, "bid", corporation="KP", price=100)


# --- what passes by itself --------------------------------------------------------------------------------------


def test_the_token_step_passes_when_no_city_can_be_paid() -> None:
    """20 are enough to open it, 20 a hex is what a token costs: from Quebec to Trois-Rivières 40."""
    for cash, asked in ((39, False), (40, True)):
        table = in_phase(3)
        major = table.company("GWR")
        rules, state = table.game.title.track_rules, table.game.state
        lays.lay(rules, state, "O7", "621", 1)
        lays.lay(rules, state, "N8", "9", 1)
        lays.lay(rules, state, "M9", "57", 1)
        table.game.board_changed()
        to_step(table, "GWR", "track")
        major.cash = cash
        assert ("M9", 0) in table.game.network(major).connected_cities
        assert table.game.title.token_cost(table.game, major, "M9") == 40
        table.game.touch()
        applied = table.game.apply({"type": "pass", "entity": "GWR", "entity_type": "corporation"})
        automatic = [action["type"] for action in applied.action.get("auto_actions", [])]
        assert automatic[:1] == ([] if asked else ["pass"])
        assert (table.step() == "token") is asked


def test_the_company_step_before_loans_passes_without_loans() -> None:
    """With a loan the money is worth a decision, without one the later step does as well (1867 9.2)."""
    for held, asked in ((0, "company"), (1, "company_before_loans")):
        table = in_phase(3)
        minor = table.company("KP")
        minor.cash, minor.loans = 30, held
        table.passes("KP")
        if table.step() == "route":
            table.run("KP", {})
        assert (table.game.operator.sym, table.step()) == ("KP", asked)


def test_a_player_without_money_or_shares_is_passed_over() -> None:
    table = Canada(3).sell_companies()
    first, second, third = (str(player) for player in table.game.state.player_order)
    table.player(second).cash = 99
    table.game.touch()
    table.passes(first)
    assert table.acting() == [third]


def test_the_round_over_minors_and_majors_goes_by_price_in_each_group() -> None:
    table = in_phase(3)
    start_major(table, "CNR", "C", 180).token("CNR", "N12").give("CNR", "5-2")
    start_minor(table, "CV", "C", 110, "D16").give("CV", "5-3")
    while table.game.round_label() != "OR 5.2":
        finish_round(table)
    names = [ref.partition(":")[2] for ref in table.game.round.entities]
    assert names == ["CV", "KP", "CNR", "GWR"]
