"""The first two stock and operating rounds of the rules' example, action by action (1888 section 8)."""

from __future__ import annotations

import pytest

from services.rules.engine import ending
from services.rules.engine.game import Game

from .table import act, buy, lay, refused, start, train, where


def money(game: Game) -> list[int]:
    """Cash of the players by seat, then of the bank."""
    return [*(player.cash for player in game.state.players), game.state.bank]


def lanyan(game: Game) -> tuple[int, int | None, list[str]]:
    """Treasury, share price and trains of LYR."""
    corporation = game.corporation("LYR")
    price = None if corporation.price is None else game.title.market.at(corporation.price).price
    return corporation.cash, price, corporation.trains


def auction(game: Game) -> None:
    """J1 takes the Kaiping Tramway, the others the rest."""
    assert money(game) == [600, 600, 600, 600, 6600]
    assert game.state.cert_limit == 16
    for player, company, price, after in (
        ("J1", "KT", 25, [575, 600, 600, 600, 6625]),
        ("J2", "TA", 50, [575, 550, 600, 600, 6675]),
        ("J3", "HS", 75, [575, 550, 525, 600, 6750]),
        ("J4", "CW", 100, [575, 550, 525, 500, 6850]),
    ):
        act(game, player, "bid", company=company, price=price)
        assert money(game) == after
    act(game, "J1", "pass")
    act(game, "J2", "pass")
    act(game, "J3", "bid", company="YRF", price=125)
    assert money(game) == [575, 550, 400, 500, 6975]
    act(game, "J4", "bid", company="FC", price=150)
    assert money(game) == [575, 550, 400, 350, 7125]
    assert where(game) == "J1:stock"


def first_stock_round(game: Game) -> None:
    act(game, "J1", "par", corporation="LYR", share_price="85,3,3")
    assert money(game) == [405, 550, 400, 350, 7295]
    assert lanyan(game) == (0, 85, [])
    act(game, "J2", "par", corporation="HJR", share_price="70,6,3")
    act(game, "J3", "par", corporation="ZDR", share_price="70,6,3")
    for player, share, after in (
        ("J4", "HJR_1", [405, 410, 260, 280, 7645]),
        ("J1", "LYR_1", [320, 410, 260, 280, 7730]),
        ("J2", "LYR_2", [320, 325, 260, 280, 7815]),
        ("J3", "ZDR_1", [320, 325, 190, 280, 7885]),
        ("J4", "ZDR_2", [320, 325, 190, 210, 7955]),
        ("J1", "LYR_3", [235, 325, 190, 210, 8040]),
        ("J2", "HJR_2", [235, 255, 190, 210, 8110]),
        ("J3", "ZDR_3", [235, 255, 120, 210, 8180]),
    ):
        buy(game, player, share)
        assert money(game) == after
    act(game, "J4", "pass")
    assert not game.corporation("LYR").floated
    buy(game, "J1", "LYR_4")
    assert money(game) == [150, 255, 120, 210, 7415]
    assert lanyan(game) == (850, 85, [])
    buy(game, "J2", "HJR_3")
    buy(game, "J3", "ZDR_4")
    assert money(game) == [150, 185, 50, 210, 6855]
    act(game, "J4", "pass")
    act(game, "J1", "pass")
    buy(game, "J2", "HJR_4")
    assert money(game) == [150, 115, 50, 210, 6225]
    assert where(game) == "J4:stock", "J3 cannot pay anything and is skipped"
    act(game, "J4", "pass")
    act(game, "J1", "pass")
    assert game.round_label() == "SR 1.1"
    act(game, "J2", "pass")


def first_operating_round(game: Game) -> None:
    assert game.round_label() == "OR 1.1"
    assert money(game) == [155, 125, 90, 260, 6120]
    assert game.corporation("LYR").tokens[0].hex == "F16"
    assert game.priority_player().name == "J3"
    assert where(game) == "LYR:track"
    lay(game, "LYR", "G15", "9-0", 0)
    assert lanyan(game) == (820, 80, []), "30 for the mountain; without a train the price moves left"
    assert money(game) == [155, 125, 90, 260, 6150]
    assert where(game) == "LYR:train"
    train(game, "LYR", "2-0", 80)
    assert lanyan(game) == (740, 80, ["2-0"])
    assert game.phase.name == "2"
    act(game, "LYR", "pass")
    act(game, "HJR", "pass")
    for number in range(1, 5):
        assert where(game) == "HJR:train"
        train(game, "HJR", f"2-{number}", 80)
    assert where(game) == "ZDR:track", "the train limit ends the step"
    act(game, "ZDR", "pass")
    train(game, "ZDR", "2-5", 80)
    act(game, "ZDR", "pass")
    assert money(game) == [155, 125, 90, 260, 6630]
    assert game.state.depot.upcoming[0] == "3-0", "the last 2 is exported"
    assert game.state.depot.trains["2-6"].owner is None
    assert game.phase.name == "2"


def second_stock_round(game: Game) -> None:
    assert game.round_label() == "SR 2.1"
    assert where(game) == "J3:stock"
    act(game, "J3", "pass")
    act(game, "J4", "pass")
    buy(game, "J1", "LYR_5")
    assert money(game) == [70, 125, 90, 260, 6715]
    for player in ("J2", "J3", "J4", "J1"):
        act(game, player, "pass")


def second_operating_round(game: Game) -> None:
    assert game.round_label() == "OR 2.1"
    assert money(game) == [75, 135, 130, 310, 6610]
    assert game.priority_player().name == "J2"
    lay(game, "LYR", "H14", "5-0", 3)
    assert lanyan(game) == (740, 80, ["2-0"])
    assert where(game) == "LYR:token"
    act(game, "LYR", "pass")
    route = {
        "train": "2-0",
        "connections": [["F16", "G15", "H14"], ["H14", "H16"]],
        "hexes": ["F16", "H14", "H16"],
        "nodes": ["F16-0", "H14-0", "H16-0"],
        "revenue": 90,
    }
    act(game, "LYR", "run_routes", routes=[route])
    assert [run.revenue for run in game.round.turn.routes] == [90]
    assert where(game) == "LYR:dividend"
    act(game, "LYR", "dividend", kind="payout")
    assert money(game) == [129, 144, 130, 310, 6547]
    assert lanyan(game) == (740, 85, ["2-0"])
    train(game, "LYR", "3-0", 180)
    assert lanyan(game) == (560, 85, ["2-0", "3-0"])
    assert game.phase.name == "3"
    assert where(game) == "LYR:train"
    act(game, "LYR", "buy_company", company="KT", price=37)
    assert money(game) == [166, 144, 130, 310, 6727]
    assert lanyan(game) == (523, 85, ["2-0", "3-0"])
    for sym, step in (
        ("LYR", "train"),
        ("LYR", "company"),
        ("HJR", "track"),
        ("HJR", "company"),
        ("ZDR", "track"),
        ("ZDR", "train"),
        ("ZDR", "company"),
    ):
        assert where(game) == f"{sym}:{step}"
        act(game, sym, "pass")
    assert game.round_label() == "SR 3.1"


def played() -> Game:
    """The position at the end of the example."""
    game = start()
    auction(game)
    first_stock_round(game)
    first_operating_round(game)
    second_stock_round(game)
    second_operating_round(game)
    return game


def test_every_figure_of_the_example() -> None:
    game = played()
    assert where(game) == "J2:stock"
    assert game.phase.name == "3"
    assert game.state.depot.upcoming[0] == "3-2", "a 3 is exported"
    assert money(game) == [166, 144, 130, 310, 6727]
    assert lanyan(game) == (523, 85, ["2-0", "3-0"])
    for sym, cash, trains in (("HJR", 380, ["2-1", "2-2", "2-3", "2-4"]), ("ZDR", 620, ["2-5"])):
        corporation = game.corporation(sym)
        assert corporation.price is not None
        assert (corporation.cash, game.title.market.at(corporation.price).price) == (cash, 60)
        assert corporation.trains == trains
    assert [ending.score(game, player) for player in game.state.players] == [676, 579, 630, 680]


def test_two_operating_rounds_follow_once_phase_3_has_begun() -> None:
    game = played()
    while game.round.kind == "stock":
        act(game, game.active_entities()[0].name, "pass")  # type: ignore[union-attr]
    assert game.state.operating_rounds == 2
    assert game.company("KT").owner == "corporation:LYR"
    assert game.corporation("LYR").cash == 523 + 5, "the tramway pays its corporation now"


@pytest.mark.parametrize("price", [12, 38])
def test_a_private_company_costs_half_to_one_and_a_half_times_its_face(price: int) -> None:
    game = start()
    auction(game)
    first_stock_round(game)
    first_operating_round(game)
    second_stock_round(game)
    lay(game, "LYR", "H14", "5-0", 3)
    assert refused(game, "LYR", "buy_company", company="KT", price=20) == "wrong_action", "phase 2"
    act(game, "LYR", "pass")
    act(game, "LYR", "run_routes", routes=[])
    train(game, "LYR", "3-0", 180)
    assert refused(game, "LYR", "buy_company", company="KT", price=price) == "wrong_price"
