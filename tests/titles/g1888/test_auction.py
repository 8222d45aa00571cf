"""The waterfall auction and what happens when everybody passes (1888 2.1)."""

from __future__ import annotations

from services.rules.engine.game import Game

from .table import act, refused, start, where


def everybody_passes(game: Game) -> None:
    for _ in game.state.players:
        act(game, where(game).split(":")[0], "pass")


def test_the_cheapest_company_costs_exactly_its_price() -> None:
    game = start()
    assert refused(game, "J1", "bid", company="KT", price=30) == "wrong_price"
    assert refused(game, "J1", "bid", company="KT", price=20) == "wrong_price"
    act(game, "J1", "bid", company="KT", price=25)
    assert game.company("KT").owner == "player:J1"


def test_bids_need_five_more_but_no_multiple_of_five() -> None:
    game = start()
    assert refused(game, "J1", "bid", company="FC", price=154) == "bid_too_low"
    act(game, "J1", "bid", company="FC", price=157)
    assert refused(game, "J2", "bid", company="FC", price=161) == "bid_too_low"
    act(game, "J2", "bid", company="FC", price=162)
    assert refused(game, "J3", "bid", company="CW", price=601) == "bid_too_high"


def test_cash_of_standing_bids_is_not_available() -> None:
    game = start()
    act(game, "J1", "bid", company="FC", price=590)
    for player in ("J2", "J3", "J4"):
        act(game, player, "pass")
    assert refused(game, "J1", "bid", company="KT", price=25) == "bid_too_high"
    act(game, "J1", "bid", company="FC", price=600)
    assert game.player("J1").cash == 600


def test_a_sold_company_cannot_be_bid_on() -> None:
    game = start()
    act(game, "J1", "bid", company="KT", price=25)
    assert refused(game, "J2", "bid", company="KT", price=30) == "not_for_sale"


def test_the_lowest_bidder_decides_in_a_closed_auction_and_play_goes_on_behind_the_buyer() -> None:
    game = start()
    act(game, "J1", "bid", company="TA", price=55)
    act(game, "J2", "bid", company="TA", price=60)
    act(game, "J3", "bid", company="KT", price=25)
    assert where(game) == "J1:auction"
    assert refused(game, "J4", "bid", company="TA", price=70) == "not_your_turn"
    assert refused(game, "J1", "bid", company="HS", price=80) == "other_auction"
    act(game, "J1", "bid", company="TA", price=65)
    act(game, "J2", "pass")
    assert game.company("TA").owner == "player:J1"
    assert game.player("J1").cash == 600 - 65
    assert where(game) == "J4:auction", "J3 bought and started it"


def test_the_tramway_gets_cheaper_and_is_forced_on_the_next_player_for_nothing() -> None:
    game = start(3)
    for left in (20, 15, 10, 5):
        everybody_passes(game)
        company = game.company("KT")
        assert company.value - company.discount == left
        assert where(game) == "J1:auction"
    everybody_passes(game)
    assert game.company("KT").owner == "player:J1"
    assert game.player("J1").cash == 800
    assert game.company("KT").value == 25, "the face value stays"
    assert where(game) == "J2:auction"


def test_when_all_pass_after_the_first_sale_incomes_are_paid_and_a_train_is_exported() -> None:
    game = start(3)
    act(game, "J1", "bid", company="KT", price=25)
    everybody_passes(game)
    assert game.player("J1").cash == 775 + 5
    assert game.company("TA").discount == 0
    assert game.state.depot.upcoming[0] == "2-1"
    assert where(game) == "J2:auction"


def test_exports_of_the_auction_can_change_the_phase() -> None:
    game = start(3)
    act(game, "J1", "bid", company="KT", price=25)
    for _ in range(8):
        everybody_passes(game)
    assert game.phase.name == "3"
    assert game.state.depot.upcoming[0] == "3-1"


def test_the_player_behind_the_last_buyer_has_the_priority_deal() -> None:
    game = start()
    for player, company, price in (("J1", "KT", 25), ("J2", "TA", 50), ("J3", "HS", 75), ("J4", "CW", 100)):
        act(game, player, "bid", company=company, price=price)
    act(game, "J1", "bid", company="YRF", price=125)
    act(game, "J2", "bid", company="FC", price=150)
    assert game.round_label() == "SR 1.1"
    assert where(game) == "J3:stock"
    assert game.state.player_order == ["J3", "J4", "J1", "J2"]
