"""Stock rounds: obligations, receivership, prices, unchartered corporations (1862 2.3, 2.4, 3)."""

from __future__ import annotations

from services.rules.engine import ending, shares
from services.rules.engine.game import Game
from services.rules.titles.g1862 import charters
from services.rules.titles.g1862.state import of

from .table import act, bid, buy, cash, corporation, hold, launch, par, passes, price, refused, start, trains, where


def obligations(game: Game) -> None:
    """J1 launches L&D, wins N&S and leaves it at 30 % (1862 9, T1)."""
    launch(game, "J1", "L&D", "90,0,24")
    assert (cash(game, "J1"), cash(game, "L&D")) == (350, 720)
    passes(game, "J2", "J3")
    bid(game, "J1", "N&S", 0)
    passes(game, "J2", "J3")
    par(game, "J1", "N&S", "100,0,26")
    assert cash(game, "J1") == 50
    passes(game, "J2", "J3")
    passes(game, "J1")
    buy(game, "J2", "N&S_1")
    passes(game, "J3", "J1")


def test_a_missed_obligation_costs_all_shares_and_forces_sales() -> None:
    game = start(3, seed=1)
    obligations(game)
    assert cash(game, "J2") == 700
    passes(game, "J2")
    assert where(game) == "J1:forced_sale"
    assert [(d.player, d.amount) for d in of(game).forced_sales] == [("J1", 300)]
    assert cash(game, "J1") == 0
    assert not corporation(game, "N&S").started
    assert shares.percent(game, game.corporation("N&S"), "ipo") == 100
    assert refused(game, "J1", "pass") == "wrong_action"
    act(game, "J1", "sell_shares", shares=["L&D_1"], percent=10)
    assert price(game, "L&D") == 86
    assert of(game).forced_sales[0].amount == 255
    assert refused(game, "J1", "sell_shares", shares=["L&D_2", "L&D_0"], percent=20) == "cannot_dump"
    before = game.state.bank
    act(game, "J1", "sell_shares", shares=["L&D_2", "L&D_0"], percent=40)
    assert game.state.bank == before + 100
    assert cash(game, "J1") == 0
    assert game.state.player_order == ["J3", "J1", "J2"]
    line = corporation(game, "L&D")
    assert line.president == "pool"
    assert price(game, "L&D") == 65
    assert (trains(game, "L&D"), cash(game, "L&D")) == (["1F*"], 620)
    assert line.tokens[0].hex is None
    assert game.round_label() == "PR 2.1"


def test_two_obligations_are_enforced_one_after_the_other() -> None:
    game = start(3, seed=1)
    bid(game, "J1", "L&D", 300)
    passes(game, "J2", "J3")
    par(game, "J1", "L&D", "100,0,26")
    passes(game, "J1", "J2", "J3")
    bid(game, "J1", "N&S", 0)
    passes(game, "J2", "J3")
    par(game, "J1", "N&S", "54,0,12")
    assert cash(game, "J1") == 38
    passes(game, "J2", "J3", "J1", "J2", "J3")
    assert cash(game, "J1") == 0
    assert not corporation(game, "L&D").started
    assert not corporation(game, "N&S").started
    assert game.round.kind == "parliament"


def stock_round(count: int = 4, seed: int = 3) -> Game:
    """The first stock round, without any corporation."""
    game = start(count, seed=seed)
    while game.round.kind == "parliament":
        act(game, game.active_entities()[0].name, "pass")  # type: ignore[union-attr]
    return game


def test_an_unchartered_corporation_sells_its_own_shares() -> None:
    game = stock_round()
    game.player("J1").cash = 700
    assert refused(game, "J1", "par", corporation="EUR", share_price="56,0,13") == "cannot_par"
    assert refused(game, "J1", "par", corporation="WVR", share_price="210,0,41") == "not_a_par_cell"
    par(game, "J1", "WVR", "200,0,40")
    line = corporation(game, "WVR")
    assert (line.capitalization, line.cash, len(line.tokens)) == ("incremental", 600, 2)
    assert line.base_par == (0, 26)
    buy(game, "J2", "WVR_1")
    assert line.cash == 800
    buy(game, "J3", "WVR_2")
    assert where(game) == "J1:buy_tokens"
    assert refused(game, "J1", "choose", choice=8) == "unknown_choice"
    assert refused(game, "J1", "choose", choice="many") == "unknown_choice"
    assert refused(game, "J1", "pass") == "wrong_action"
    act(game, "J1", "choose", choice="5")
    line = corporation(game, "WVR")
    assert (line.cash, len(line.tokens)) == (1000 - 200, 5)
    assert where(game) == "J4:stock"


def test_shares_bought_in_the_round_are_not_sold_in_it() -> None:
    game = stock_round()
    par(game, "J1", "WVR", "54,0,12")
    passes(game, "J2", "J3", "J4")
    assert refused(game, "J1", "sell_shares", shares=["WVR_0"], percent=30) == "wrong_action"


def floated(game: Game, **holders: list[int]) -> None:
    """WVR is floated at 100 with these certificates."""
    line = corporation(game, "WVR")
    hold(game, "WVR", **holders)
    shares.set_par(game, line, (0, 26), "player:J1")
    line.floated, line.president = True, "player:J1"
    line.base_par = (0, 26)


def test_a_sale_without_trains_brings_half_and_the_president_may_leave() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    act(game, "J1", "sell_shares", shares=["WVR_1", "WVR_2", "WVR_0"], percent=50, share_price=999)
    line = corporation(game, "WVR")
    assert cash(game, "J1") == 600 + 250
    assert line.president == "pool"
    assert price(game, "WVR") == 78
    assert refused(game, "J1", "buy_shares", shares=["WVR_1"], percent=10) == "wrong_action"
    passes(game, "J1")
    assert refused(game, "J2", "buy_shares", shares=["WVR_0"], percent=30) == "president_certificate"
    buy(game, "J2", "WVR_1")
    line = corporation(game, "WVR")
    assert line.president == "player:J2"
    assert line.holdings["player:J2"] == [0]
    assert line.holdings["pool"] == [2, 3, 4, 1]


def test_a_part_of_the_president_certificate_needs_change_in_the_pool() -> None:
    game = stock_round()
    floated(game, J1=[0], J2=[3, 4], pool=[1, 2], ipo=[5, 6, 7])
    act(game, "J1", "sell_shares", shares=["WVR_0"], percent=20)
    line = corporation(game, "WVR")
    assert line.holdings["player:J1"] == [1]
    assert line.president == "pool"


def test_the_next_president_needs_thirty_percent() -> None:
    game = stock_round()
    floated(game, J1=[0], J2=[1, 2, 3], J3=[4, 5], ipo=[6, 7])
    act(game, "J1", "sell_shares", shares=["WVR_0"], percent=30)
    line = corporation(game, "WVR")
    assert line.president == "player:J2"
    assert line.holdings == {"player:J2": [0], "player:J3": [4, 5], "ipo": [6, 7], "pool": [1, 2, 3]}


def test_forgiven_shares_do_not_move_the_price_unless_the_president_sells() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    line = corporation(game, "WVR")
    shares.move_price(game, line, "right", 10)
    assert price(game, "WVR") == 275
    passes(game, "J1")
    act(game, "J2", "sell_shares", shares=["WVR_3", "WVR_4"], percent=20)
    assert price(game, "WVR") == 260
    passes(game, "J2", "J3", "J4")
    act(game, "J1", "sell_shares", shares=["WVR_1"], percent=10)
    assert price(game, "WVR") == 245


def test_a_price_of_nothing_ends_a_corporation() -> None:
    game = stock_round()
    floated(game, J1=[0, 1, 2], J2=[3, 4], ipo=[5, 6, 7])
    line = corporation(game, "WVR")
    line.cash = 300
    game.state.bank -= 300
    shares.move_price(game, line, "left", 12)
    assert price(game, "WVR") == 14
    act(game, "J1", "sell_shares", shares=["WVR_1", "WVR_2"], percent=20)
    assert not line.started
    assert (line.cash, line.holdings) == (0, {"ipo": list(range(8))})
    assert line.base_par == (0, 26)
    assert game.state.board["G8"].icons == ["WVR"]
    assert "WVR" in charters.offered(game)


def test_the_score_halves_certificates_of_corporations_without_trains() -> None:
    game = stock_round()
    floated(game, J1=[0, 1], J2=[3], ipo=[2, 4, 5, 6, 7])
    line = corporation(game, "WVR")
    shares.move_price(game, line, "down", 1)
    assert price(game, "WVR") == 95
    assert ending.score(game, game.player("J1")) == 600 + 142 + 47
    line.trains = ["A-0"]
    assert ending.score(game, game.player("J1")) == 600 + 285 + 95
