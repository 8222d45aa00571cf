"""Corporations nobody leads: what they still do (1862 2.6, 3.4, 4.7)."""

from __future__ import annotations

from services.rules.engine.game import Game
from services.rules.titles.g1862 import depot
from services.rules.titles.g1862.state import of

from .operating import found, give_train, line_of, operate, phase, wvr
from .table import act, cash, corporation, price, run, trains, where


def led_by_nobody(money: int, *names: str, **holders: list[int]) -> Game:
    """WVR stands in Beccles with money, trains, and no president."""
    game = wvr(cash=money, **(holders or {"J2": [1, 2], "J3": [3, 4], "pool": [0], "ipo": [5, 6, 7]}))
    line_of(game)
    for name in names:
        give_train(game, "WVR", name)
    corporation(game, "WVR").president = "pool"
    return game


def test_it_runs_by_its_largest_holder_and_keeps_what_it_earns() -> None:
    game = led_by_nobody(50, "2E*", J2=[1, 2], J3=[3, 4], J4=[5], pool=[0], ipo=[6, 7])
    operate(game)
    assert where(game) == "WVR:route"
    assert game.acting_players() == ["J2"]
    run(game, "WVR", ("A-0", [["G8", "H7"]]))
    assert (cash(game, "WVR"), price(game, "WVR")) == (90, 90)
    assert [cash(game, name) for name in ("J2", "J3")] == [600, 600]


def test_it_buys_a_train_a_turn_when_it_can_pay() -> None:
    game = led_by_nobody(250, "2E*")
    operate(game)
    run(game, "WVR")
    assert trains(game, "WVR") == ["2E", "2E*"]
    assert cash(game, "WVR") == 150


def test_it_buys_the_first_of_its_classes_with_room() -> None:
    game = led_by_nobody(250, "2E*", "2E*", "2E*")
    corporation(game, "WVR").permits = ["local", "freight", "express"]
    operate(game)
    run(game, "WVR")
    assert trains(game, "WVR")[3:] == ["1F*"]
    game = led_by_nobody(250, "2E*", "2E*", "2E*")
    operate(game)
    run(game, "WVR")
    assert len(trains(game, "WVR")) == 3, "no permit with room"


def test_it_can_bring_the_lner() -> None:
    game = led_by_nobody(900, "6E")
    phase(game, "G")
    game.state.depot.upcoming = ["H-0"]
    operate(game)
    run(game, "WVR")
    assert of(game).lner == "formed", "the set of one round is over"
    assert trains(game, "WVR") == ["6E", "6E"]


def test_it_goes_bankrupt_without_a_train_it_can_pay() -> None:
    game = led_by_nobody(90)
    operate(game)
    assert not corporation(game, "WVR").started
    assert cash(game, "J2") == 600 + 2 * 45, "half of 90 a share, for want of trains"


def test_it_neither_builds_nor_redeems_nor_merges() -> None:
    game = led_by_nobody(900, "2E*")
    operate(game)
    steps = set()
    while game.round.kind == "operating" and where(game).startswith("WVR"):
        steps.add(where(game))
        run(game, "WVR")
    assert steps == {"WVR:route"}


def test_nobody_buys_its_trains() -> None:
    game = led_by_nobody(900, "2E*")
    found(game, "N&S", 20, president="J2", cash=500)
    offers = depot.offers(game, corporation(game, "N&S"))
    assert {offer.owner for offer in offers} == {"depot"}


def test_a_president_below_thirty_percent_stays_while_nobody_has_them() -> None:
    """Losing the certificate is what ends an office, not a small holding."""
    game = wvr(J1=[0], J2=[1, 2], ipo=[3, 4, 5, 6, 7])
    while game.round.kind == "parliament":
        act(game, game.active_entities()[0].name, "pass")  # type: ignore[union-attr]
    act(game, "J1", "pass")
    act(game, "J2", "buy_shares", shares=["WVR_3"], percent=10)
    assert corporation(game, "WVR").president == "player:J1", "a tie changes nothing"
    act(game, "J3", "pass")
    act(game, "J4", "pass")
    act(game, "J1", "pass")
    act(game, "J2", "buy_shares", shares=["WVR_4"], percent=10)
    line = corporation(game, "WVR")
    assert line.president == "player:J2"
    assert line.holdings["player:J2"] == [4, 0]
    assert line.holdings["player:J1"] == [1, 2, 3]
