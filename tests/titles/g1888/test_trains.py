"""Trains: export, the duty to own one, trade-ins, emergency money, discards (1888 4.6-4.8)."""

from __future__ import annotations

from services.rules.engine import shares, trains
from services.rules.engine.game import Game

from .table import act, auction, lay, pass_round, refused, start, train, where
from .test_walkthrough import auction as example_auction
from .test_walkthrough import first_stock_round, played


def in_first_operating_round() -> Game:
    """LYR's turn in operating round 1.1 of the example."""
    game = start()
    example_auction(game)
    first_stock_round(game)
    return game


def at_train_step(cash: int, head: str, president_cash: int = 0) -> Game:
    """LYR owns no train and has ``cash``; ``head`` is the first train of the depot."""
    game = in_first_operating_round()
    while game.state.depot.upcoming[0] != head:
        trains.export(game)
    act(game, "LYR", "pass")
    game.corporation("LYR").cash = cash
    game.player("J1").cash = president_cash
    game.touch()
    assert where(game) == "LYR:train"
    return game


def operate_idly(game: Game, label: str) -> None:
    """Corporations do nothing until the round with this label is over."""
    while game.round_label() == label:
        sym, step = where(game).split(":")
        if step == "route":
            act(game, sym, "run_routes", routes=[])
        else:
            act(game, sym, "pass")


def trains_listed(game: Game) -> list[str]:
    return [move["train"] for move in game.moves() if move["type"] == "buy_train"]


# --- export -----------------------------------------------------------------------------------------------------


def test_one_train_is_exported_after_a_set_of_two_rounds() -> None:
    game = played()
    pass_round(game, "stock")
    upcoming = list(game.state.depot.upcoming)
    operate_idly(game, "OR 3.1")
    assert game.round_label() == "OR 3.2"
    assert game.state.depot.upcoming == upcoming
    operate_idly(game, "OR 3.2")
    assert game.round_label() == "SR 4.1"
    assert game.state.depot.upcoming == upcoming[1:]


def test_nobody_floats_and_a_train_is_exported_all_the_same() -> None:
    game = start()
    auction(game)
    cash = [player.cash for player in game.state.players]
    for _ in range(4):
        act(game, where(game).split(":")[0], "pass")
    assert game.round_label() == "SR 2.1"
    assert game.state.depot.upcoming[0] == "2-1"
    assert sum(player.cash for player in game.state.players) == sum(cash) + 5 + 10 + 15 + 20 + 25 + 30


def test_trains_from_rank_5_on_are_not_exported() -> None:
    game = start()
    auction(game)
    while game.state.depot.upcoming[0] != "5-0":
        trains.export(game)
    for _ in range(4):
        act(game, where(game).split(":")[0], "pass")
    assert game.state.depot.upcoming[0] == "5-0"
    assert not game.company("KT").closed


def discarding() -> Game:
    """Stock round 2 begins in phase 4 with HJR owning four trains."""
    game = start()
    example_auction(game)
    first_stock_round(game)
    hjr, lyr, zdr = (game.corporation(sym) for sym in ("HJR", "LYR", "ZDR"))
    while game.state.depot.upcoming[0] != "3-0":
        trains.export(game)
    for number in range(4):
        trains.give_train(game, f"3-{number}", hjr)
    trains.give_train(game, "3-4", lyr)
    trains.give_train(game, "3-5", zdr)
    trains.react(game, "3-0")
    game.touch()
    assert game.state.depot.upcoming[0] == "4-0"
    operate_idly(game, "OR 1.1")
    return game


def test_discards_after_an_export_come_first_in_the_stock_round() -> None:
    game = discarding()
    assert game.round_label() == "SR 2.1"
    assert game.phase.name == "4"
    assert where(game) == "HJR:discard_train"
    assert refused(game, "J3", "pass") == "not_your_turn"
    act(game, "HJR", "discard_train", train="3-1")
    assert game.state.depot.discarded == ["3-1"]
    assert where(game) == "J3:stock"


def test_a_discarded_train_is_sold_at_its_price() -> None:
    game = discarding()
    act(game, "HJR", "discard_train", train="3-1")
    pass_round(game, "stock")
    assert where(game) == "LYR:track"
    act(game, "LYR", "pass")
    assert where(game) == "LYR:train"
    assert refused(game, "LYR", "buy_train", train="3-1", price=100) == "wrong_price"
    train(game, "LYR", "3-1", 180)
    assert game.state.depot.discarded == []


# --- what is on sale --------------------------------------------------------------------------------------------


def test_diesels_are_sold_after_both_6s() -> None:
    game = at_train_step(2000, "6-0")
    assert trains_listed(game) == ["6-0"]
    train(game, "LYR", "6-0", 630)
    assert trains_listed(game) == ["6-1"]
    train(game, "LYR", "6-1", 630)
    game.corporation("LYR").cash = 2000
    assert game.state.depot.upcoming == ["D-0"]


def test_a_trade_in_needs_no_room_and_goes_to_the_pool() -> None:
    game = at_train_step(3000, "6-0")
    train(game, "LYR", "6-0", 630)
    train(game, "LYR", "6-1", 630)
    assert game.corporation("LYR").cash == 3000 - 1260
    assert where(game) == "LYR:train", "a full corporation with 700 has to pass"
    assert refused(game, "LYR", "buy_train", train="D-0", price=900) == "train_limit"
    assert refused(game, "LYR", "buy_train", train="D-0", price=900, exchange="6-0") == "wrong_price"
    assert refused(game, "LYR", "buy_train", train="D-0", price=700, exchange="5-0") == "no_trade_in"
    train(game, "LYR", "D-0", 700, variant="D", exchange="6-0")
    assert game.corporation("LYR").trains == ["6-1", "D-0"]
    assert game.state.depot.discarded == ["6-0"]
    assert game.phase.name == "D"
    assert game.state.depot.upcoming == ["D-1"]


def test_the_first_diesel_rusts_a_4_that_was_traded_in() -> None:
    game = at_train_step(3000, "4-0")
    train(game, "LYR", "4-0", 300)
    while game.state.depot.upcoming[0] != "D-0":
        trains.export(game)
    game.corporation("LYR").cash = 800
    game.touch()
    train(game, "LYR", "D-0", 700, exchange="4-0")
    assert game.corporation("LYR").trains == ["D-0"]
    assert game.state.depot.discarded == []
    assert game.state.depot.trains["4-0"].owner is None


def test_a_depot_train_costs_its_price() -> None:
    game = at_train_step(1000, "2-0")
    assert refused(game, "LYR", "buy_train", train="2-0", price=79) == "wrong_price"
    assert refused(game, "LYR", "buy_train", train="3-0", price=180) == "not_on_sale"


def test_trains_of_anothers_corporation_are_for_sale_in_phase_2() -> None:
    game = in_first_operating_round()
    lay(game, "LYR", "G15", "9-0", 0)
    train(game, "LYR", "2-0", 80)
    act(game, "LYR", "pass")
    act(game, "HJR", "pass")
    assert game.phase.name == "2"
    assert refused(game, "HJR", "buy_train", train="2-0", price=0) == "wrong_price"
    train(game, "HJR", "2-0", 1)
    assert game.corporation("LYR").cash == 741
    assert game.corporation("HJR").trains == ["2-0"]


# --- the duty to own a train ------------------------------------------------------------------------------------


def test_a_corporation_without_train_must_buy_although_it_has_no_route() -> None:
    game = at_train_step(500, "2-0")
    assert not game.title.route_for_purchase(game, game.corporation("LYR"))
    assert refused(game, "LYR", "pass") == "wrong_action"


def test_the_president_pays_what_the_treasury_lacks_for_the_cheapest_train_only() -> None:
    game = at_train_step(50, "2-0", president_cash=100)
    train(game, "LYR", "2-0", 80)
    assert game.corporation("LYR").cash == 0
    assert game.player("J1").cash == 70


def test_the_president_does_not_help_while_the_treasury_suffices_for_the_cheapest() -> None:
    game = discarding()
    act(game, "HJR", "discard_train", train="3-1")
    pass_round(game, "stock")
    act(game, "LYR", "pass")
    trains.remove_train(game, "3-4")
    game.corporation("LYR").cash = 200
    game.player("J1").cash = 1000
    game.touch()
    assert refused(game, "LYR", "buy_train", train="4-1", price=300) == "insufficient_funds"
    assert refused(game, "J1", "sell_shares", shares=["LYR_1"], percent=10) == "no_money_needed"
    game.corporation("LYR").cash = 100
    game.touch()
    assert refused(game, "LYR", "buy_train", train="4-1", price=300) == "not_on_sale"
    train(game, "LYR", "3-1", 180)
    assert (game.corporation("LYR").cash, game.player("J1").cash) == (0, 920)


def test_anothers_train_is_paid_by_the_treasury_alone_and_before_any_sale() -> None:
    game = discarding()
    act(game, "HJR", "discard_train", train="3-1")
    pass_round(game, "stock")
    act(game, "LYR", "pass")
    trains.remove_train(game, "3-4")
    game.corporation("LYR").cash = 10
    game.player("J1").cash = 100
    game.touch()
    assert refused(game, "LYR", "buy_train", train="3-0", price=11) == "wrong_price"
    assert "3-0" in trains_listed(game)
    shares.give(game, game.corporation("ZDR"), 5, "player:J1", "test")
    shares.give(game, game.corporation("ZDR"), 6, "player:J1", "test")
    game.touch()
    act(game, "J1", "sell_shares", shares=["ZDR_5"], percent=10)
    assert "3-0" not in trains_listed(game)
    assert refused(game, "LYR", "buy_train", train="3-0", price=10) == "not_on_sale"


def test_shares_are_sold_only_up_to_the_need_and_not_the_operators_presidency() -> None:
    game = at_train_step(0, "2-0", president_cash=20)
    zdr = game.corporation("ZDR")
    for index in (5, 6, 7):
        shares.give(game, zdr, index, "player:J1", "test")
    game.touch()
    assert refused(game, "LYR", "buy_train", train="2-0", price=80) == "insufficient_funds"
    assert refused(game, "J1", "sell_shares", shares=["ZDR_5", "ZDR_6"], percent=20) == "sells_too_much"
    assert refused(game, "J2", "sell_shares", shares=["HJR_2"], percent=10) == "not_your_turn"
    act(game, "J1", "sell_shares", shares=["ZDR_5"], percent=10)
    assert game.player("J1").cash == 90
    assert game.state.turn == 1, "the ban of the first stock round does not apply"
    train(game, "LYR", "2-0", 80)
    assert (game.corporation("LYR").cash, game.player("J1").cash) == (0, 10)


def test_bankruptcy_ends_the_game_at_once() -> None:
    game = at_train_step(0, "2-0", president_cash=79)
    lyr = game.corporation("LYR")
    lyr.holdings = {"player:J1": [0], "ipo": [1, 3, 5, 6, 7, 8], "player:J2": [2, 4]}
    lyr.president = "player:J1"
    game.touch()
    assert [move["type"] for move in game.moves()] == ["bankrupt"]
    act(game, "LYR", "bankrupt")
    assert game.finished
    assert game.state.outcome is not None
    assert game.state.outcome.reason == "bankrupt"
    assert game.player("J1").cash == 0
    assert game.state.outcome.result["J1"] == 25 + 2 * 80, "company and unsold certificate count, after the price drop"


def test_a_solvent_president_cannot_go_bankrupt() -> None:
    game = at_train_step(0, "2-0", president_cash=80)
    assert refused(game, "LYR", "bankrupt") == "not_insolvent"
