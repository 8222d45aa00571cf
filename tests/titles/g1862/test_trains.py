"""Trains, warranties, dividends, emergencies and the end of the game (1862 4.3-4.8, 6)."""

from __future__ import annotations

from services.rules.engine import ending, shares
from services.rules.engine.board import tokens
from services.rules.engine.state import Trigger
from services.rules.engine.trains import rust
from services.rules.titles.g1862 import charters, depot, emergency
from services.rules.titles.g1862.state import of

from .operating import at_trains, found, give_train, line_of, operate, phase, running, tile, wvr
from .table import act, cash, corporation, hold, passes, price, refused, run, start, trains, where


def test_a_train_is_bought_in_a_class_with_paid_warranties() -> None:
    game = at_trains()
    assert refused(game, "WVR", "pass") == "wrong_action"
    assert refused(game, "WVR", "buy_train", train="A-0", price=100) == "unknown_variant"
    assert refused(game, "WVR", "buy_train", train="A-1", price=100, variant="2E*") == "not_on_sale"
    assert refused(game, "WVR", "buy_train", train="A-0", price=90, variant="2E*") == "wrong_price"
    three = refused(game, "WVR", "buy_train", train="A-0", price=100, variant="2E*", warranties=3)
    assert three == "too_many_warranties"
    act(game, "WVR", "buy_train", train="A-0", price=100, variant="2E*", warranties=2)
    assert (trains(game, "WVR"), cash(game, "WVR")) == (["2E***"], 300)
    act(game, "WVR", "buy_train", train="A-1", price=100, variant="1F*")
    act(game, "WVR", "buy_train", train="A-2", price=100, variant="1F*")
    act(game, "WVR", "buy_train", train="A-3", price=100, variant="1F*")
    assert cash(game, "WVR") == 0
    assert where(game) != "WVR:train"


def test_the_limit_counts_by_class_and_late_in_all() -> None:
    game = at_trains(2000)
    for number in range(3):
        act(game, "WVR", "buy_train", train=f"A-{number}", price=100, variant="2E*")
    assert refused(game, "WVR", "buy_train", train="A-3", price=100, variant="2E*") == "unknown_variant"
    assert {m["variant"] for m in game.moves() if m["type"] == "buy_train"} == {"1F*", "2L*"}
    phase(game, "G")
    assert not depot.has_room(game, corporation(game, "WVR"))


def test_a_used_train_has_a_fixed_price() -> None:
    game = wvr(cash=500)
    found(game, "N&S", 12, cash=10)
    line_of(game)
    train = give_train(game, "N&S", "2L**")
    operate(game)
    while where(game) != "WVR:train":
        act(game, "WVR", "pass")
    assert refused(game, "WVR", "buy_train", train=train, price=50) == "wrong_price"
    assert refused(game, "WVR", "buy_train", train=train, price=100, warranties=1) == "too_many_warranties"
    act(game, "WVR", "buy_train", train=train, price=100)
    assert trains(game, "WVR") == ["2L**"]
    phase(game, "B")
    assert depot.used_price(game, train) == 50
    corporation(game, "WVR").president = "pool"
    assert not [o for o in depot.offers(game, corporation(game, "N&S")) if o.owner == "WVR"]


def test_warranties_put_rust_off_by_one_turn_each() -> None:
    game = wvr(cash=500)
    line_of(game)
    first, second = give_train(game, "WVR", "2E*"), give_train(game, "WVR", "2E")
    third = give_train(game, "WVR", "3E", "C-0")
    rust(game, "C")
    assert corporation(game, "WVR").trains == [first, third]
    assert of(game).deferred_rust == [first]
    operate(game)
    passes(game, "WVR")
    if where(game) == "WVR:token":
        passes(game, "WVR")
    run(game, "WVR", (first, [["G8", "H7"]]))
    act(game, "WVR", "dividend", kind="withhold")
    assert corporation(game, "WVR").trains == [third]
    assert second not in corporation(game, "WVR").trains
    assert of(game).deferred_rust == []


def test_the_hudson_maneuver_tops_revenue_up_from_the_treasury() -> None:
    game = running(18)
    assert {m["kind"] for m in game.moves()} == {"payout", "withhold", "hudson"}
    act(game, "WVR", "dividend", kind="hudson")
    assert (cash(game, "J1"), cash(game, "WVR"), price(game, "WVR")) == (600 + 35, 70, 74)


def test_no_hudson_maneuver_without_the_money() -> None:
    game = running(26, money=50)
    assert {m["kind"] for m in game.moves()} == {"payout", "withhold"}
    assert refused(game, "WVR", "dividend", kind="hudson") == "unknown_dividend"
    act(game, "WVR", "dividend", kind="payout")
    assert (cash(game, "J1"), price(game, "WVR")) == (620, 100)


def test_withholding_moves_two_cells_left() -> None:
    game = running(26)
    act(game, "WVR", "dividend", kind="withhold")
    assert (cash(game, "WVR"), price(game, "WVR")) == (140, 90)


def test_only_permitted_classes_run_and_the_list_may_be_empty() -> None:
    game = wvr(cash=100)
    line_of(game)
    give_train(game, "WVR", "2L*")
    give_train(game, "WVR", "2E*")
    operate(game)
    while where(game) != "WVR:route":
        passes(game, "WVR")
    local = [{"train": "A-0", "connections": [["G8", "H7"]]}]
    assert refused(game, "WVR", "run_routes", routes=local) != ""
    away = [{"train": "A-1", "connections": [["H7", "H5"]]}]
    assert refused(game, "WVR", "run_routes", routes=away) in ("home_not_visited", "no_token")
    run(game, "WVR")
    assert price(game, "WVR") == 90


def test_a_second_local_train_of_a_kind_runs() -> None:
    game = start(4, seed=3)
    found(game, "N&S", cash=100)
    corporation(game, "N&S").permits = ["local"]
    phase(game, "B")
    tile(game, "G8", "57", 1)
    tile(game, "H7", "6", 1)
    tile(game, "H5", "202", 0)
    tokens.place(game.title.map, game.state, "N&S", 0, "H7", 0, 0)
    first, second = give_train(game, "N&S", "2/3L", "B-0"), give_train(game, "N&S", "2/3L", "B-1")
    operate(game)
    while where(game) != "N&S:route":
        passes(game, "N&S")
    run(game, "N&S", (first, [["G8", "H7"]]), (second, [["H7", "H5"]]))
    assert sum(route.revenue for route in game.round.turn.routes) == 70
    assert game.round.turn.subsidy == 30


def test_two_freight_trains_that_rust_run_when_joined_end_to_end() -> None:
    game = start(4, seed=3)
    found(game, "N&S", cash=100)
    corporation(game, "N&S").permits = ["freight"]
    tile(game, "G8", "57", 1)
    tile(game, "H7", "6", 1)
    tile(game, "H5", "202", 0)
    tokens.place(game.title.map, game.state, "N&S", 0, "H7", 0, 0)
    first, second = give_train(game, "N&S", "1F*"), give_train(game, "N&S", "1F*")
    operate(game)
    while where(game) != "N&S:route":
        passes(game, "N&S")
    run(game, "N&S", (first, [["G8", "H7"]]), (second, [["H7", "H5"]]))
    assert [route.revenue for route in game.round.turn.routes] == [20 + 20, 30]


# --- without means ---------------------------------------------------------------------------------------------------


def test_own_shares_are_sold_for_a_train() -> None:
    game = at_trains(50, chartered=False, J1=[0, 1, 2], ipo=[3, 4, 5, 6, 7])
    assert where(game) == "WVR:train"
    assert {m["type"] for m in game.moves()} == {"convert", "pass"}
    passes(game, "WVR")
    line = corporation(game, "WVR")
    assert where(game) == "WVR:train"
    assert price(game, "WVR") == 86
    assert line.holdings["pool"] == [3]
    assert cash(game, "WVR") == 50 + 90
    assert [m["type"] for m in game.moves() if m["type"] == "pass"] == []


def test_refinancing_halves_every_holding() -> None:
    game = at_trains(50, J1=[0, 1, 2], ipo=[3, 4, 5, 6, 7])
    assert where(game) == "J1:option_share"
    act(game, "J1", "choose", choice="redeem")
    line = corporation(game, "WVR")
    assert line.holdings["player:J1"] != []
    assert cash(game, "WVR") >= 900


def test_without_means_a_corporation_goes_bankrupt() -> None:
    game = wvr(cash=0, column=2, J1=[0, 1, 2], pool=[3, 4, 5, 6, 7])
    corporation(game, "WVR").base_par = None
    line_of(game)
    phase(game, "B")
    assert not emergency.can_sell(game, corporation(game, "WVR"))
    emergency.raise_money(game, corporation(game, "WVR"))
    assert not corporation(game, "WVR").started
    assert game.state.board["G8"].icons == ["WVR"]


def test_a_share_is_redeemed_at_its_price() -> None:
    game = at_trains(500, J1=[0, 1, 2], pool=[5, 3], ipo=[4, 6, 7])
    act(game, "WVR", "buy_train", train="A-0", price=100, variant="2E*")
    passes(game, "WVR")
    assert where(game) == "WVR:redeem"
    assert refused(game, "WVR", "buy_shares", shares=["WVR_3"], percent=10) == "wrong_share"
    act(game, "WVR", "buy_shares", shares=["WVR_5"], percent=10)
    assert cash(game, "WVR") == 400 - price(game, "WVR")
    assert corporation(game, "WVR").holdings["corporation:WVR"] == [5]


# --- the end ---------------------------------------------------------------------------------------------------------


def test_the_first_h_train_brings_the_lner_after_the_set() -> None:
    game = at_trains(2000)
    found(game, "N&S", 26, president="J2")
    phase(game, "G")
    game.state.depot.upcoming = ["H-0"]
    game.touch()
    act(game, "WVR", "buy_train", train="H-0", price=800, variant="6E")
    assert of(game).lner == "triggered"
    while game.round.kind != "stock":
        act(game, where(game).split(":")[0], "pass")
    assert of(game).lner == "formed"
    assert game.state.cert_limit == 5
    assert charters.offered(game) == []
    assert not corporation(game, "ENR").in_play
    assert "ipo" not in corporation(game, "WVR").holdings
    assert game.state.trigger is None
    act(game, "J1", "sell_shares", shares=["WVR_1"], percent=10)
    before = price(game, "WVR")
    assert game.state.trigger == Trigger("lner", "full_or", game.state.turn)
    assert price(game, "WVR") == before


def test_a_broken_bank_ends_the_set_before_the_lner() -> None:
    game = running(26)
    game.state.bank = 0
    act(game, "WVR", "dividend", kind="payout")
    assert game.state.bank_broken
    assert game.state.trigger is not None
    assert (game.state.trigger.reason, game.state.trigger.timing) == ("bank", "full_or")


def test_a_dividend_to_the_top_of_the_market_ends_the_round() -> None:
    game = running(26)
    line = corporation(game, "WVR")
    shares.move_price(game, line, "right", 30)
    assert price(game, "WVR") == 1000
    assert ending.check(game) is None
    shares.move_price(game, line, "left", 1)
    hold(game, "WVR", J1=[0, 1, 2], ipo=[3, 4, 5, 6, 7])
    line.cash = 1000
    game.touch()
    act(game, "WVR", "dividend", kind="hudson")
    assert of(game).top_reached
    assert game.state.trigger is not None
    assert game.state.trigger.reason == "stock_market"
