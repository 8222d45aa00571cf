"""Certificates and turns: what is easily got wrong (1862 section 10, "Certificates and lists", "Turn order")."""

from __future__ import annotations

from services.rules.engine import shares
from services.rules.engine.dividends import payouts
from services.rules.engine.state import IPO, POOL
from services.rules.titles.g1862 import charters, emergency, mergers
from services.rules.titles.g1862.state import of
from services.rules.titles.g1862.steps.operating import dividend_option

from .merging import merge, two_corporations
from .operating import at_trains, found, give_train, operate
from .table import act, bid, buy, cash, corporation, hold, par, passes, price, refused, start, where
from .test_stock import floated, stock_round

# --- certificates ----------------------------------------------------------------------------------------------------


def test_certificates_move_in_order_and_only_a_restart_sorts_them() -> None:
    game = stock_round()
    floated(game, J1=[4, 2, 0], J2=[7, 1], ipo=[6, 3, 5])
    corporation(game, "WVR").chartered = True
    mergers._release_bank_shares(corporation(game, "WVR"))
    assert corporation(game, "WVR").holdings[POOL] == [6, 3, 5]
    buy(game, "J1", "WVR_3")
    assert corporation(game, "WVR").holdings["player:J1"] == [4, 2, 0, 3]
    charters.restart(game, corporation(game, "WVR"))
    assert corporation(game, "WVR").holdings == {IPO: list(range(8))}


def test_a_bundle_moves_first_then_the_first_of_the_pool_is_the_change() -> None:
    game = stock_round()
    floated(game, J1=[0, 5, 3], J2=[7], pool=[6, 1], ipo=[2, 4])
    act(game, "J1", "sell_shares", shares=["WVR_5", "WVR_3", "WVR_0"], percent=40)
    line = corporation(game, "WVR")
    assert line.holdings["player:J1"] == [6]
    assert line.holdings[POOL] == [1, 5, 3, 0]


def test_change_may_be_what_was_just_sold() -> None:
    game = stock_round()
    floated(game, J1=[0, 5, 3], J2=[7], ipo=[6, 1, 2, 4])
    act(game, "J1", "sell_shares", shares=["WVR_5", "WVR_3", "WVR_0"], percent=30)
    assert corporation(game, "WVR").holdings["player:J1"] == [5, 3]


def test_the_way_of_founding_is_no_property_of_a_corporation() -> None:
    """Founded unchartered, ended, and founded with a charter: owner, price and tokens change each time."""
    game = stock_round()
    par(game, "J1", "WVR", "65,0,17")
    line = corporation(game, "WVR")
    assert (line.capitalization, line.chartered, len(line.tokens), line.cash) == ("incremental", False, 2, 195)
    game.state.bank += line.cash
    line.cash = 0
    charters.restart(game, line)
    assert (line.capitalization, line.chartered, len(line.tokens)) == ("full", False, 3)
    passes(game, "J2", "J3", "J4", "J1")
    first, *others = [player.name for player in game.players_in_order]
    bid(game, first, "WVR", 0)
    passes(game, *others)
    par(game, first, "WVR", "62,0,16")
    line = corporation(game, "WVR")
    assert (line.capitalization, line.chartered, len(line.tokens), line.cash) == ("full", True, 3, 0)
    shares.move_price(game, line, "right", 3)
    before = cash(game, first)
    buy(game, first, "WVR_1")
    assert before - cash(game, first) == 62


def test_redeemed_certificates_of_a_chartered_corporation() -> None:
    """They cost the share price, which it is paid; those of the bank still cost par and pay it nothing."""
    game = stock_round()
    floated(game, J1=[0, 1, 2], corporation__WVR=[3], ipo=[4, 5, 6, 7])
    corporation(game, "WVR").chartered = True
    shares.move_price(game, corporation(game, "WVR"), "right", 2)
    assert price(game, "WVR") == 122
    passes(game, "J1")
    buy(game, "J2", "WVR_3")
    assert (cash(game, "J2"), cash(game, "WVR")) == (600 - 122, 122)
    buy(game, "J3", "WVR_4")
    assert (cash(game, "J3"), cash(game, "WVR")) == (500, 122)


def test_redeemed_certificates_are_sold_in_an_emergency() -> None:
    game = at_trains(50, J1=[0, 1, 2], corporation__WVR=[5], ipo=[3, 4, 6, 7])
    line = corporation(game, "WVR")
    assert emergency.can_sell(game, line)
    passes(game, "WVR")
    assert corporation(game, "WVR").holdings[POOL] == [5]
    assert cash(game, "WVR") == 50 + 90


def test_redeemed_certificates_earn_dividends_and_pool_and_bank_do_not() -> None:
    game = stock_round()
    floated(game, J1=[0, 1], corporation__WVR=[3, 5], pool=[2], ipo=[4, 6, 7])
    line = corporation(game, "WVR")
    paid = payouts(game, line, dividend_option(game, line, "payout", 150))
    assert [(holder.ref, amount) for holder, amount in paid] == [("player:J1", 60), ("corporation:WVR", 30)]


def test_redeemed_certificates_of_the_partner_go_to_the_originator() -> None:
    game = two_corporations()
    hold(game, "EUR", J1=[0, 1, 2, 3], J2=[4, 5], corporation__EUR=[7, 6])
    merge(game, "N&E", "EUR", survives=True)
    assert "corporation:N&E" not in corporation(game, "N&E").holdings
    assert game.state.board["B13"].cities[0].slots[0] == "N&E"


def test_a_chartered_survivor_of_an_unchartered_partner_sells_its_own_certificates() -> None:
    game = two_corporations()
    hold(game, "EUR", J1=[0, 1, 2, 3], J2=[4, 5], ipo=[6, 7])
    merge(game, "EUR", "N&E", survives=True)
    while of(game).merger is not None:
        act(game, where(game).split(":")[0], "choose", choice="sell")
    line = corporation(game, "EUR")
    assert (line.capitalization, line.chartered) == ("incremental", False)
    assert game.title.always_market_price(line)


# --- turns -----------------------------------------------------------------------------------------------------------


def test_flags_stick_and_a_parliament_ends_with_the_last_missing_one() -> None:
    game = start()
    passes(game, "J1", "J2")
    bid(game, "J3", "WVR", 0)
    passes(game, "J4", "J1", "J2")
    par(game, "J3", "WVR", "54,0,12")
    passes(game, "J3")
    assert [player.passed for player in game.state.players] == [True, True, False, False]
    passes(game, "J4", "J1")
    assert of(game).parliaments == 1
    passes(game, "J2")
    assert of(game).parliaments == 2, "J3 has won and is skipped, which sets the last flag"


def test_the_skip_of_a_winner_sets_his_flag() -> None:
    game = start(2)
    bid(game, "J1", "WVR", 0)
    passes(game, "J2")
    par(game, "J1", "WVR", "54,0,12")
    buy(game, "J1", "WVR_1")
    buy(game, "J1", "WVR_2")
    assert where(game) == "J2:parliament"
    passes(game, "J2")
    assert of(game).parliaments == 2


def test_a_loser_of_an_auction_keeps_his_flag() -> None:
    """J1 opened and lost: his turn is over, but he has not passed."""
    game = start(3)
    bid(game, "J1", "WVR", 0)
    bid(game, "J2", "WVR", 5)
    passes(game, "J3", "J1")
    par(game, "J2", "WVR", "54,0,12")
    passes(game, "J2", "J3")
    assert where(game) == "J1:parliament"
    assert not game.player("J1").passed


def test_the_certificate_limit_removes_bidders_and_hides_par() -> None:
    game = start()
    hold(game, "ENR", J3=[0, 1, 2, 3, 4, 5, 6])
    hold(game, "WNR", J3=[0, 1, 2, 3, 4, 5, 6])
    bid(game, "J1", "WVR", 5)
    auction = of(game).charter
    assert auction is not None
    assert auction.bidders == ["J1", "J2", "J4"]
    game = stock_round()
    hold(game, "ENR", J1=[0, 1, 2, 3, 4, 5, 6])
    hold(game, "WNR", J1=[0, 1, 2, 3, 4, 5])
    assert "par" not in {m["type"] for m in game.moves()}
    assert refused(game, "J1", "par", corporation="WVR", share_price="54,0,12") == "nothing_to_do"


def test_a_winner_without_room_for_more_passes() -> None:
    game = start()
    hold(game, "ENR", J1=[0, 1, 2, 3, 4, 5, 6])
    hold(game, "WNR", J1=[0, 1, 2, 3, 4])
    bid(game, "J1", "WVR", 0)
    passes(game, "J2", "J3", "J4")
    par(game, "J1", "WVR", "54,0,12")
    assert {m["type"] for m in game.moves()} == {"pass"}
    assert refused(game, "J1", "buy_shares", shares=["WVR_1"], percent=10) == "over_limit"
    passes(game, "J1")
    assert where(game) == "J2:parliament"


def test_a_survivor_that_has_run_stands_twice_in_the_list_of_turns() -> None:
    game = two_corporations()
    game.round.entities = ["corporation:EUR", "corporation:N&E"]
    game.round.index = 1
    merge(game, "N&E", "EUR", survives=False)
    of(game).merger.holders = []  # type: ignore[union-attr]
    while of(game).merger is not None and of(game).merger.question is not None:  # type: ignore[union-attr]
        mergers.answer(game, "sell")
    assert game.round.entities == ["corporation:EUR", "corporation:EUR"]
    assert of(game).skip_turn == ["EUR"]


def test_a_skipped_corporation_keeps_its_price_and_its_warranties() -> None:
    game = start(4, seed=3)
    found(game, "WVR", 26)
    found(game, "ENR", 20, president="J2")
    give_train(game, "WVR", "2E**")
    give_train(game, "ENR", "2L**")
    of(game).skip_turn = ["WVR"]
    operate(game)
    assert where(game).startswith("ENR")
    assert (price(game, "WVR"), game.state.depot.trains["A-0"].name) == (100, "2E**")


def test_an_open_question_blocks_the_other_steps() -> None:
    game = two_corporations()
    merge(game, "EUR", "N&E", survives=True)
    assert where(game) == "J1:option_share"
    assert {m["type"] for m in game.moves()} == {"choose"}
    assert refused(game, "EUR", "pass") == "not_your_turn"
    assert refused(game, "J2", "choose", choice="sell") == "not_your_turn"


def test_choose_is_read_by_what_is_pending() -> None:
    """The same action counts tokens, names the survivor and settles a half share, by player or corporation."""
    game = stock_round()
    par(game, "J1", "WVR", "54,0,12")
    buy(game, "J2", "WVR_1")
    buy(game, "J3", "WVR_2")
    assert refused(game, "J1", "choose", choice="sell") == "unknown_choice"
    assert refused(game, "J1", "choose", choice="first") == "unknown_choice"
    act(game, "J1", "choose", choice=2)
    game = two_corporations()
    merge(game, "EUR", "N&E", survives=True)
    assert refused(game, "J1", "choose", choice="first") == "unknown_choice"
    assert refused(game, "J1", "choose", choice=2) == "unknown_choice"


def test_an_automatic_refinancing_has_looked_past_redeeming() -> None:
    """Nothing could be redeemed when the emergency began by itself, and nothing is after the purchase."""
    game = at_trains(50, J1=[0, 1, 2], ipo=[3, 4, 5, 6, 7])
    assert where(game) == "J1:option_share"
    act(game, "J1", "choose", choice="redeem")
    act(game, "WVR", "buy_train", train="A-0", price=100, variant="2E*", warranties=0)
    passes(game, "WVR")
    assert cash(game, "WVR") > price(game, "WVR")
    assert corporation(game, "WVR").holdings[POOL] != []
    assert not where(game).startswith("WVR")


def test_an_emergency_by_passing_leaves_redeeming_for_later() -> None:
    game = at_trains(50, chartered=False, J1=[0, 1, 2], ipo=[3, 4, 5, 6, 7])
    passes(game, "WVR")
    corporation(game, "WVR").cash += 400
    act(game, "WVR", "buy_train", train="A-0", price=100, variant="2E*", warranties=0)
    passes(game, "WVR")
    assert where(game) == "WVR:redeem"
