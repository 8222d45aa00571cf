"""Parliament: who may bid what, the launch, the end of the round (1862 2.2)."""

from __future__ import annotations

from services.rules.engine import shares
from services.rules.titles.g1862.state import of

from .table import bid, buy, cash, corporation, par, passes, refused, start, where


def test_bids_are_multiples_of_five_and_leave_money_for_the_cheapest_launch() -> None:
    game = start()
    assert refused(game, "J1", "bid", corporation="WVR", price=3) == "bid_step"
    assert refused(game, "J1", "bid", corporation="WVR", price=440) == "bid_too_high"
    assert refused(game, "J1", "bid", corporation="EUR", price=0) == "not_for_sale"
    assert refused(game, "J2", "bid", corporation="WVR", price=0) == "not_your_turn"
    bid(game, "J1", "WVR", 10)
    assert refused(game, "J2", "bid", corporation="WVR", price=10) == "bid_too_low"
    assert refused(game, "J2", "bid", corporation="ENR", price=20) == "other_auction"


def test_who_cannot_raise_is_out() -> None:
    game = start()
    game.player("J3").cash = 170
    bid(game, "J1", "WVR", 5)
    auction = of(game).charter
    assert auction is not None
    assert auction.bidders == ["J1", "J2", "J4"]


def test_a_bid_nobody_can_raise_wins_at_once() -> None:
    game = start()
    bid(game, "J1", "WVR", 435)
    assert of(game).launching == "WVR"
    assert cash(game, "J1") == 165
    assert corporation(game, "WVR").chartered
    assert game.company("WVR").owner == "player:J1"


def test_the_turn_goes_on_behind_the_winner() -> None:
    game = start()
    bid(game, "J1", "WVR", 0)
    passes(game, "J2")
    bid(game, "J3", "WVR", 5)
    passes(game, "J4", "J1")
    assert where(game) == "J3:parliament"
    par(game, "J3", "WVR", "54,0,12")
    buy(game, "J3", "WVR_1")
    passes(game, "J3")
    assert where(game) == "J4:parliament"


def test_a_winner_raises_but_opens_no_more() -> None:
    game = start()
    bid(game, "J1", "WVR", 435)
    par(game, "J1", "WVR", "54,0,12")
    assert where(game) == "J2:parliament"
    bid(game, "J2", "ENR", 0)
    auction = of(game).charter
    assert auction is not None
    assert auction.bidders == ["J2", "J3", "J4"]
    game.player("J2").cash = 600
    passes(game, "J3", "J4")
    par(game, "J2", "ENR", "54,0,12")
    passes(game, "J2", "J3", "J4")
    assert of(game).parliaments == 2


def test_the_launch_takes_chartered_prices_and_up_to_half() -> None:
    game = start()
    bid(game, "J1", "WVR", 100)
    passes(game, "J2", "J3", "J4")
    assert refused(game, "J1", "pass") == "wrong_action"
    assert refused(game, "J1", "par", corporation="WVR", share_price="56,0,13") == "not_a_par_cell"
    assert refused(game, "J1", "par", corporation="ENR", share_price="54,0,12") == "wrong_corporation"
    par(game, "J1", "WVR", "100,0,26")
    assert cash(game, "J1") == 200
    assert refused(game, "J1", "buy_shares", shares=["WVR_0"], percent=30) != ""
    buy(game, "J1", "WVR_1")
    buy(game, "J1", "WVR_2")
    assert corporation(game, "WVR").floated
    assert cash(game, "WVR") == 10 * 100 - 180
    assert game.company("WVR").owner is None
    assert where(game) == "J2:parliament"


def test_a_standing_pass_rests_during_an_auction() -> None:
    game = start()
    game.apply({"type": "program_share_pass", "entity": "J2", "entity_type": "player", "indefinite": True})
    bid(game, "J1", "WVR", 0)
    assert where(game) == "J2:parliament"
    passes(game, "J2", "J3", "J4")
    par(game, "J1", "WVR", "54,0,12")
    passes(game, "J1")
    assert where(game) == "J3:parliament"
    passes(game, "J3", "J4")
    assert game.player("J2").program is None
    assert of(game).parliaments == 2


def test_parliament_moves_no_price_and_keeps_the_order() -> None:
    game = start()
    bid(game, "J1", "WVR", 0)
    passes(game, "J2", "J3", "J4")
    par(game, "J1", "WVR", "54,0,12")
    passes(game, "J1", "J2", "J3", "J4", "J1", "J2", "J3", "J4")
    assert game.round_label() == "SR 1.1"
    assert game.state.player_order == ["J1", "J2", "J3", "J4"]
    assert shares.share_price(game, game.corporation("WVR")) == 54
