"""Trains a corporation must buy and cannot pay (1862 4.6, 4.7; section 10, "Money and trains")."""

from __future__ import annotations

from services.rules.engine import shares
from services.rules.engine.game import Game
from services.rules.engine.state import IPO, POOL
from services.rules.engine.trains import rust
from services.rules.titles.g1862 import emergency, mergers
from services.rules.titles.g1862.state import of

from .operating import at_trains, found, give_train, line_of, operate, phase, sell_out, wvr
from .table import act, cash, corporation, hold, passes, price, refused, run, trains, where


def bought(game: Game, sym: str, train: str, variant: str, price: int = 100) -> None:
    act(game, sym, "buy_train", train=train, price=price, variant=variant, warranties=0)


def test_a_train_must_be_bought_even_without_a_route() -> None:
    game = wvr(cash=500)
    operate(game)
    act(game, "WVR", "lay_tile", hex="G8", tile="57-0", rotation=1)
    while where(game) != "WVR:train":
        passes(game, "WVR")
    assert refused(game, "WVR", "pass") == "wrong_action"


def test_a_corporation_whose_trains_have_rusted_buys_in_its_next_turn() -> None:
    game = at_trains(600)
    bought(game, "WVR", "A-0", "1F*")
    passes(game, "WVR")
    game.state.depot.trains["A-0"].name = "1F"
    rust(game, "C")
    assert trains(game, "WVR") == []
    operate(game)
    while where(game) != "WVR:train":
        passes(game, "WVR")
    assert refused(game, "WVR", "pass") == "wrong_action"


def used_on_offer(money: int) -> Game:
    """WVR has no train; N&S sells one for half of 200, the depot asks 280."""
    game = wvr(cash=money, chartered=False, J1=[0, 1, 2], ipo=[3, 4, 5, 6, 7])
    found(game, "N&S", 12, president="J2", cash=10)
    line_of(game)
    give_train(game, "N&S", "2/3L", "B-0")
    give_train(game, "N&S", "2F", "B-1")
    sell_out(game, "C")
    phase(game, "C")
    operate(game)
    while where(game) != "WVR:train":
        passes(game, where(game).partition(":")[0])
    return game


def test_a_used_train_ends_the_need_without_an_emergency() -> None:
    game = used_on_offer(120)
    assert emergency.short(game, corporation(game, "WVR")) == 280 - 120
    assert {m["type"] for m in game.moves()} == {"buy_train", "convert", "pass"}
    act(game, "WVR", "buy_train", train="B-0", price=100)
    assert (trains(game, "WVR"), cash(game, "WVR")) == (["2/3L"], 20)
    assert corporation(game, "WVR").holdings[IPO] == [3, 4, 5, 6, 7]


def test_after_raising_money_only_the_depot_sells() -> None:
    """The amount is that of the depot's train though a used one could be paid."""
    game = used_on_offer(120)
    passes(game, "WVR")
    assert corporation(game, "WVR").holdings[POOL] == [3, 4]
    assert {m["train"] for m in game.moves()} == {"C-0"}
    assert {m["type"] for m in game.moves()} == {"buy_train"}
    assert refused(game, "WVR", "buy_train", train="B-0", price=100) == "not_on_sale"
    bought(game, "WVR", "C-0", "3E", 280)
    assert {m["train"] for m in game.moves() if m["type"] == "buy_train"} <= {"B-0", "B-1", "C-1"}


def test_refinancing_may_be_chosen_where_both_are_possible() -> None:
    game = used_on_offer(120)
    act(game, "WVR", "convert")
    while of(game).merger is not None:
        mergers.answer(game, "sell")
    assert cash(game, "WVR") >= 120 + 1000
    assert corporation(game, "WVR").tokens[0].hex == "G8"
    assert price(game, "WVR") == 90, "as after its turn without a run"


def test_no_choice_where_only_one_way_is_open() -> None:
    game = used_on_offer(120)
    hold(game, "WVR", J1=[0, 1, 2], pool=[3, 4, 5, 6, 7])
    assert {m["type"] for m in game.moves()} == {"buy_train", "pass"}
    assert refused(game, "WVR", "convert") == "wrong_action"


def test_as_many_certificates_as_needed_are_sold_from_the_front() -> None:
    game = used_on_offer(0)
    line = corporation(game, "WVR")
    line.holdings[IPO] = [7, 3, 6, 4, 5]
    passes(game, "WVR")
    assert corporation(game, "WVR").holdings[POOL] == [7, 3, 6, 4], "280 at 90 each"
    assert cash(game, "WVR") == 360
    assert price(game, "WVR") == 74, "a cell a share, none forgiven"


def test_an_emergency_sale_moves_the_price_after_the_lner_too() -> None:
    game = used_on_offer(120)
    of(game).lner = "formed"
    emergency.sell(game, corporation(game, "WVR"))
    assert price(game, "WVR") == 82


def test_an_emergency_sale_may_end_the_corporation_before_it_buys() -> None:
    game = used_on_offer(275)
    line = corporation(game, "WVR")
    shares.move_price(game, line, "left", 20)
    shares.move_price(game, line, "right", 1)
    shares.move_price(game, line, "down", 1)
    assert price(game, "WVR") == 7
    passes(game, "WVR")
    assert not corporation(game, "WVR").started
    assert not where(game).startswith("WVR")
    assert "C-0" in game.state.depot.upcoming


def test_president_and_players_pay_nothing() -> None:
    game = used_on_offer(0)
    money = [cash(game, name) for name in ("J1", "J2", "J3", "J4")]
    passes(game, "WVR")
    assert [cash(game, name) for name in ("J1", "J2", "J3", "J4")] == money


def test_half_prices_are_rounded_down() -> None:
    """An odd certificate at 375 is sold and redeemed for 187; the two sides of an option need not add up."""
    game = wvr(cash=0, column=51, J1=[0, 1, 2], J2=[3], pool=[4, 5, 6, 7])
    corporation(game, "WVR").base_par = (0, 12)
    mergers.begin_refinancing(game, corporation(game, "WVR"))
    merger = of(game).merger
    assert merger is not None
    question = merger.question
    assert question is not None
    assert (question.sell, question.redeem) == (187, 187)
    game = wvr(cash=0, column=51, J1=[0, 1, 2], J2=[3], ipo=[4, 5, 6, 7], chartered=False)
    mergers.begin_refinancing(game, corporation(game, "WVR"))
    merger = of(game).merger
    assert merger is not None
    question = merger.question
    assert question is not None
    assert (question.percent, question.sell, question.redeem) == (50, 375 * 50 // 20, 375 * 10 // 20)
    assert question.sell + question.redeem != 375 * 3


def test_used_trains_are_gone_with_the_lner() -> None:
    game = used_on_offer(120)
    of(game).lner = "formed"
    game.touch()
    assert "buy_train" not in {m["type"] for m in game.moves()}
    assert refused(game, "WVR", "buy_train", train="B-0", price=100) == "wrong_action"


def test_warranties_are_part_of_what_must_be_paid() -> None:
    game = at_trains(160)
    bids = next(m for m in game.moves() if m.get("variant") == "2E*")
    assert bids["warranties"] == {"min": 0, "max": 1, "step": 1}
    two = refused(game, "WVR", "buy_train", train="A-0", price=100, variant="2E*", warranties=2)
    assert two == "insufficient_funds"


def test_a_corporation_does_not_buy_its_own_train() -> None:
    game = at_trains(500)
    bought(game, "WVR", "A-0", "2E*")
    assert refused(game, "WVR", "buy_train", train="A-0", price=100) == "not_on_sale"


def test_two_of_a_class_is_the_limit_of_phases_e_and_f() -> None:
    game = at_trains(3000)
    phase(game, "E")
    sell_out(game, "E")
    for number in range(2):
        bought(game, "WVR", f"E-{number}", "4/5E", 500)
    assert refused(game, "WVR", "buy_train", train="E-2", price=500, variant="4/5E") == "unknown_variant"
    bought(game, "WVR", "E-2", "6F", 500)


def test_a_lower_limit_makes_nobody_discard() -> None:
    game = at_trains(1000)
    for name in ("2E*", "2E*", "2E*"):
        bought(game, "WVR", game.state.depot.upcoming[0], name)
    phase(game, "E")
    passes(game, "WVR")
    assert len(trains(game, "WVR")) == 3
    operate(game)
    assert where(game) != "WVR:discard"
    while where(game) != "WVR:route":
        passes(game, "WVR")
    run(game, "WVR")
    assert len(trains(game, "WVR")) == 3
