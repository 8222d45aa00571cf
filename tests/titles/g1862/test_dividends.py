"""Dividends, price steps, warranties (1862 4.5) and what is easily got wrong about money."""

from __future__ import annotations

import pytest

from services.rules.engine import shares
from services.rules.engine.game import Game
from services.rules.engine.trains import rust
from services.rules.titles.g1862.state import of
from services.rules.titles.g1862.steps.operating import dividend_option, hudson_extra

from .operating import give_train, line_of, operate, running, wvr
from .table import act, cash, corporation, passes, price, refused, run, trains, where


@pytest.mark.parametrize(
    ("revenue", "steps"), [(0, 0), (99, 0), (100, 1), (199, 1), (200, 2), (300, 3), (400, 4), (999, 4)]
)
def test_a_payout_moves_a_step_for_every_price_it_reaches_at_most_four(revenue: int, steps: int) -> None:
    game = wvr()
    option = dividend_option(game, corporation(game, "WVR"), "payout", revenue)
    assert option.moves == ((("right", steps),) if steps else ())


def test_a_step_is_two_cells() -> None:
    game = wvr()
    line = corporation(game, "WVR")
    for direction, expected in (("right", 110), ("left", 100), ("left", 90)):
        shares.move_price(game, line, direction, 1)
        assert price(game, "WVR") == expected
    shares.move_price(game, line, "left", 40)
    assert price(game, "WVR") == 0
    shares.move_price(game, line, "right", 99)
    assert price(game, "WVR") == 1000


def test_a_move_against_the_wall_does_not_queue_the_marker_anew() -> None:
    game = running(66)
    others = game.state.market["0,66"]
    others.append("ENR")
    line = corporation(game, "WVR")
    shares.move_price(game, line, "right", 1)
    assert others == ["WVR", "ENR"]


def test_a_price_that_stays_reaches_no_end() -> None:
    game = running(66)
    corporation(game, "WVR").cash = 2000
    act(game, "WVR", "dividend", kind="hudson")
    assert price(game, "WVR") == 1000
    assert not of(game).top_reached


@pytest.mark.parametrize(("now", "revenue", "extra"), [(65, 40, 30), (62, 40, 30), (60, 40, 20), (292, 240, 60)])
def test_hudson_adds_the_missing_tens(now: int, revenue: int, extra: int) -> None:
    assert hudson_extra(now, revenue) == extra


def test_hudson_moves_one_step_by_the_price_before_the_move() -> None:
    """The larger amount paid counts for the one step, however far it is above the next price."""
    game = running(14)
    act(game, "WVR", "dividend", kind="hudson")
    assert price(game, "WVR") == 62
    assert cash(game, "WVR") == 100 - 20


def test_no_hudson_at_or_above_the_price() -> None:
    game = running(7)
    assert {m["kind"] for m in game.moves()} == {"payout", "withhold"}
    assert refused(game, "WVR", "dividend", kind="hudson") == "unknown_dividend"
    assert refused(game, "WVR", "dividend", kind="half") == "unknown_dividend"


def local(kind: str, money: int = 0, column: int = 26) -> Game:
    """WVR, a local corporation, has run for 40 and a subsidy of 20."""
    game = wvr(cash=money, column=column)
    corporation(game, "WVR").permits = ["local"]
    line_of(game)
    give_train(game, "WVR", "2L*")
    operate(game)
    while where(game) != "WVR:route":
        passes(game, "WVR")
    run(game, "WVR", ("A-0", [["G8", "H7"]]))
    assert game.round.turn.subsidy == 20
    if kind:
        act(game, "WVR", "dividend", kind=kind)
    return game


def test_the_subsidy_goes_to_the_treasury_whatever_is_done_with_revenue() -> None:
    game = local("withhold", 300)
    assert (cash(game, "WVR"), cash(game, "J1")) == (300 + 40 + 20, 600)
    game = local("payout", 300)
    assert (cash(game, "WVR"), cash(game, "J1")) == (300 + 20, 600 + 20)


def test_the_subsidy_pays_for_hudson_before_the_treasury() -> None:
    game = local("", 40)
    assert "hudson" in {m["kind"] for m in game.moves()}
    act(game, "WVR", "dividend", kind="hudson")
    assert (cash(game, "WVR"), cash(game, "J1")) == (0, 600 + 50)
    assert price(game, "WVR") == 110
    assert "hudson" not in {m["kind"] for m in local("", 39).moves()}


def test_nothing_is_paid_for_certificates_in_the_bank() -> None:
    game = running(20)
    before = game.state.bank
    act(game, "WVR", "dividend", kind="payout")
    assert before - game.state.bank == 20, "five shares of ten, 4 each"


def test_warranties_are_used_up_without_a_run() -> None:
    game = wvr(cash=500)
    line_of(game)
    give_train(game, "WVR", "2L**")
    give_train(game, "WVR", "2E***")
    operate(game)
    while where(game) != "WVR:route":
        passes(game, "WVR")
    run(game, "WVR")
    assert trains(game, "WVR") == ["2L*", "2E**"]
    assert price(game, "WVR") == 90


def test_a_deferred_train_stays_on_the_list_of_a_new_owner() -> None:
    game = wvr(cash=500)
    line_of(game)
    corporation(game, "WVR").permits = ["local"]
    first, second = give_train(game, "WVR", "2E**"), give_train(game, "WVR", "3E", "C-0")
    rust(game, "C")
    assert of(game).deferred_rust == [first]
    game.state.depot.trains[first].owner = "ENR"
    corporation(game, "WVR").trains.remove(first)
    corporation(game, "ENR").trains.append(first)
    operate(game)
    while where(game) != "WVR:train":
        passes(game, "WVR")
    assert (of(game).deferred_rust, game.state.depot.trains[first].name) == ([first], "2E**")
    assert corporation(game, "WVR").trains == [second]


def test_trains_with_one_warranty_run_once_more_when_their_killer_is_bought() -> None:
    game = wvr(cash=500)
    line_of(game)
    train = give_train(game, "WVR", "2E*")
    rust(game, "C")
    operate(game)
    while where(game) != "WVR:route":
        passes(game, "WVR")
    run(game, "WVR", (train, [["G8", "H7"]]))
    act(game, "WVR", "dividend", kind="payout")
    assert trains(game, "WVR") == []
    assert where(game) == "WVR:train", "without a train it must buy in the same turn"
    assert refused(game, "WVR", "pass") == "wrong_action"


def test_the_bank_pays_on_below_zero() -> None:
    game = running(26)
    game.state.bank = 5
    act(game, "WVR", "dividend", kind="payout")
    assert game.state.bank == 5 - 20
    assert cash(game, "J1") == 620
