"""Buying, selling and starting in a stock round, rule by rule (1862 2.3, 2.4, 3)."""

from __future__ import annotations

import pytest

from services.rules.engine import shares
from services.rules.engine.game import Game
from services.rules.titles.g1862 import charters
from services.rules.titles.g1862.state import of

from .operating import give_train
from .table import act, bid, buy, cash, corporation, hold, launch, par, passes, price, refused, start, where
from .test_stock import floated, stock_round


def sell(game: Game, player: str, percent: int, *numbers: int) -> None:
    act(game, player, "sell_shares", shares=[f"WVR_{n}" for n in numbers], percent=percent)


# --- buying ----------------------------------------------------------------------------------------------------------


def test_one_purchase_a_turn_which_ends_it() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], ipo=[3, 4, 5, 6, 7])
    assert refused(game, "J1", "buy_shares", shares=["WVR_3", "WVR_4"], percent=20) == "one_certificate"
    buy(game, "J1", "WVR_3")
    assert where(game) == "J2:stock"


def test_no_purchase_after_a_sale_of_the_same_corporation_in_the_round() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    par(game, "J1", "ENR", "54,0,12")
    sell(game, "J2", 10, 3)
    assert refused(game, "J2", "buy_shares", shares=["WVR_5"], percent=10) == "sold_this_round"
    passes(game, "J2", "J3", "J4", "J1")
    assert where(game) == "J2:stock", "a turn with a sale is no pass"
    assert refused(game, "J2", "buy_shares", shares=["WVR_5"], percent=10) == "sold_this_round"


def test_who_ends_a_corporation_by_a_sale_does_not_start_it_again_in_the_round() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    shares.move_price(game, corporation(game, "WVR"), "left", 12)
    sell(game, "J1", 20, 1, 2)
    assert not corporation(game, "WVR").started
    assert refused(game, "J1", "par", corporation="WVR", share_price="54,0,12") == "sold_this_round"
    assert "WVR" not in {m["corporation"] for m in game.moves() if m["type"] == "par"}
    passes(game, "J1")
    par(game, "J2", "WVR", "54,0,12")


def test_no_certificate_of_another_player_and_no_second_purchase_with_a_par() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    assert refused(game, "J1", "buy_shares", shares=["WVR_3"], percent=10) == "not_on_sale"
    par(game, "J1", "ENR", "54,0,12")
    assert where(game) == "J2:stock"


def test_the_reported_priority_is_behind_the_last_who_acted() -> None:
    game = start()
    passes(game, "J1")
    assert game.priority_player().id == "J1", "none in Parliament"
    game = stock_round()
    assert game.priority_player().id == "J1"
    par(game, "J1", "WVR", "54,0,12")
    assert game.priority_player().id == "J2"
    passes(game, "J2")
    assert game.priority_player().id == "J2"


def test_a_charter_may_float_by_another_players_purchase() -> None:
    """The obligation ends and the tokens are paid in the stock round, and nobody is asked."""
    game = start()
    bid(game, "J1", "WVR", 0)
    passes(game, "J2", "J3", "J4")
    par(game, "J1", "WVR", "68,0,18")
    passes(game, "J1", "J2", "J3", "J4", "J1", "J2", "J3", "J4")
    passes(game, "J1")
    buy(game, "J2", "WVR_1")
    buy(game, "J3", "WVR_2")
    line = corporation(game, "WVR")
    assert (line.floated, line.cash, len(line.tokens)) == (True, 680 - 180, 3)
    assert game.company("WVR").owner is None
    assert game.player("J1").companies == []
    assert where(game) == "J4:stock"


def test_an_unchartered_corporation_pays_its_president_certificate_to_itself() -> None:
    game = stock_round()
    par(game, "J1", "WVR", "95,0,25")
    line = corporation(game, "WVR")
    assert line.cash == 285
    assert game.title.market.at(line.base_par).price == 90  # type: ignore[arg-type]
    assert line.holdings["ipo"] == [1, 2, 3, 4, 5, 6, 7]


def test_its_certificates_cost_the_share_price_not_par() -> None:
    game = stock_round()
    par(game, "J1", "WVR", "56,0,13")
    shares.move_price(game, corporation(game, "WVR"), "right", 2)
    buy(game, "J2", "WVR_1")
    assert cash(game, "J2") == 600 - 65


# --- selling ---------------------------------------------------------------------------------------------------------


def test_what_was_bought_in_parliament_is_sold_at_once() -> None:
    game = start()
    launch(game, "J1", "WVR", "68,0,18")
    passes(game, "J2", "J3", "J4", "J1", "J2", "J3", "J4")
    assert game.round.kind == "stock"
    sell(game, "J1", 20, 1, 2)
    assert cash(game, "J1") == 600 - 5 * 68 + 2 * 34


def test_older_certificates_are_sold_in_the_round_of_a_purchase() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    passes(game, "J1")
    buy(game, "J2", "WVR_5")
    passes(game, "J3", "J4", "J1")
    assert refused(game, "J2", "sell_shares", shares=["WVR_3", "WVR_4", "WVR_5"], percent=30) == "too_early_to_sell"
    sell(game, "J2", 20, 3, 4)


def test_one_bundle_of_a_corporation_a_turn_and_none_after_buying() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    sell(game, "J1", 10, 1)
    assert refused(game, "J1", "sell_shares", shares=["WVR_2"], percent=10) in ("one_block", "wrong_action")
    passes(game, "J1")
    assert not game.player("J1").passed


def test_several_corporations_are_sold_in_a_turn() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    line = corporation(game, "ENR")
    shares.set_par(game, line, (0, 20), "player:J1")
    line.floated, line.president = True, "player:J1"
    hold(game, "ENR", J1=[0, 1, 2], ipo=[3, 4, 5, 6, 7])
    sell(game, "J1", 10, 1)
    act(game, "J1", "sell_shares", shares=["ENR_1"], percent=10)
    passes(game, "J1")


def test_full_price_with_a_train() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    give_train(game, "WVR", "2E*")
    sell(game, "J1", 20, 1, 2)
    assert cash(game, "J1") == 800


def test_bundles_are_prefixes_with_the_president_certificate_last_and_in_parts() -> None:
    game = stock_round()
    floated(game, J1=[0, 5, 1], J2=[3, 4, 6], ipo=[2, 7])
    bundles = {(tuple(m["shares"]), m["percent"]) for m in game.moves() if m["type"] == "sell_shares"}
    whole = ("WVR_5", "WVR_1", "WVR_0")
    assert bundles == {(whole[:1], 10), (whole[:2], 20), (whole, 50), (whole, 40), (whole, 30)}


def test_another_holder_of_thirty_percent_takes_a_part_of_the_certificate() -> None:
    """Ten of the thirty are sold: the new president gives three, and the seller gets two of them as change."""
    game = stock_round()
    floated(game, J1=[0], J2=[3, 4, 6], ipo=[1, 2, 5, 7])
    sell(game, "J1", 10, 0)
    line = corporation(game, "WVR")
    assert line.president == "player:J2"
    assert line.holdings["player:J2"] == [0]
    assert line.holdings["player:J1"] == [3, 4]
    assert line.holdings["pool"] == [6]


def test_a_certificate_without_taker_or_change_stays() -> None:
    game = stock_round()
    floated(game, J1=[0], J2=[3, 4], pool=[1], ipo=[2, 5, 6, 7])
    assert refused(game, "J1", "sell_shares", shares=["WVR_0"], percent=10) == "cannot_dump"
    sell(game, "J1", 20, 0)
    assert corporation(game, "WVR").holdings["player:J1"] == [1]


def at_column(column: int, *, is_floated: bool = True, **holders: list[int]) -> Game:
    """WVR at a cell, held by J2, and J2's turn."""
    game = stock_round()
    line = corporation(game, "WVR")
    hold(game, "WVR", **(holders or {"J1": [0, 1], "J2": [2, 3, 4], "ipo": [5, 6, 7]}))
    shares.set_par(game, line, (0, column), "player:J1")
    line.floated, line.president = is_floated, "player:J1"
    passes(game, "J1")
    return game


def test_prices_of_sales_by_others_than_the_president() -> None:
    """Column of the market, shares sold, column after it."""
    for column, sold, after in (
        (6, 1, 6),
        (6, 3, 4),
        (7, 1, 6),
        (26, 2, 24),
        (40, 1, 39),
        (41, 1, 41),
        (51, 2, 50),
        (52, 2, 52),
        (60, 3, 59),
        (60, 1, 60),
    ):
        game = at_column(column)
        sell(game, "J2", 10 * sold, *(2, 3, 4)[:sold])
        cell = corporation(game, "WVR").price
        assert cell == (0, after), (column, sold)


def test_nothing_moves_before_the_float_or_after_the_lner() -> None:
    game = at_column(26, is_floated=False)
    sell(game, "J2", 20, 2, 3)
    assert price(game, "WVR") == 100
    game = at_column(26)
    of(game).lner = "formed"
    game.touch()
    sell(game, "J2", 20, 2, 3)
    assert price(game, "WVR") == 100


@pytest.mark.parametrize("place", ["J3", "pool"])
def test_no_price_moves_at_the_end_of_the_round(place: str) -> None:
    """Neither for corporations that are sold out nor for those in the pool."""
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], **{place: [5, 6, 7]})
    passes(game, "J1", "J2", "J3", "J4")
    assert where(game) == "WVR:track"
    assert price(game, "WVR") == 100


def test_above_the_certificate_limit_only_sales() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    hold(game, "ENR", J1=[0, 1, 2, 3, 4, 5, 6])
    hold(game, "WNR", J1=[1, 2, 3, 4])
    assert {m["type"] for m in game.moves()} == {"sell_shares"}
    assert refused(game, "J1", "pass") == "wrong_action"
    of(game).lner = "formed"
    game.touch()
    assert {m["type"] for m in game.moves()} == {"sell_shares", "pass"}


def test_a_bankruptcy_in_a_stock_round_ends_all_standing_orders() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    shares.move_price(game, corporation(game, "WVR"), "left", 12)
    for name in ("J2", "J3"):
        game.apply({"type": "program_share_pass", "entity": name, "entity_type": "player", "indefinite": True})
    sell(game, "J1", 20, 1, 2)
    assert not corporation(game, "WVR").started
    assert [game.player(name).program for name in ("J2", "J3")] == [None, None]


# --- obligations -----------------------------------------------------------------------------------------------------


def obliged(money: int) -> Game:
    """J1 holds 40 % of chartered WVR at 54 and some money when the stock round ends."""
    game = start()
    bid(game, "J1", "WVR", 0)
    passes(game, "J2", "J3", "J4")
    par(game, "J1", "WVR", "54,0,12")
    buy(game, "J1", "WVR_1")
    passes(game, "J1", "J2", "J3", "J4", "J1", "J2", "J3", "J4")
    game.player("J1").cash = money
    return game


def test_a_fine_is_paid_in_money_first() -> None:
    game = obliged(300)
    passes(game, "J1", "J2", "J3", "J4")
    assert cash(game, "J1") == 30
    assert not corporation(game, "WVR").started


def test_what_certificates_bring_above_the_fine_is_paid_out() -> None:
    """70 are owed after 200 in money: 27 for an ordinary certificate, 81 for the president's."""
    game = obliged(200)
    passes(game, "J1", "J2", "J3", "J4")
    assert cash(game, "J1") == 27 + 81 - 70


def test_a_corporation_ended_by_a_fine_can_start_again() -> None:
    game = obliged(0)
    passes(game, "J1", "J2", "J3", "J4")
    line = corporation(game, "WVR")
    assert (line.chartered, line.capitalization, line.base_par) == (False, "full", (0, 12))
    assert "WVR" in charters.offered(game)
    assert of(game).forced_sales == []
