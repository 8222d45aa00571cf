"""The Forbidden City becomes a share of a corporation with a token in Beijing (1888 5.6)."""

from __future__ import annotations

import pytest

from services.rules.engine import shares
from services.rules.engine.game import Game
from services.rules.engine.state import POOL

from .table import act, auction, buy, hand_over, pass_round, refused, start, train, where


def beijing_operates(game: Game) -> Game:
    """Stock round 2 of three players: JZR has its token in Beijing, J3 the Forbidden City, HJR has not operated."""
    auction(game)
    assert game.company("FC").owner == "player:J3"
    act(game, "J1", "par", corporation="JZR", share_price="70,6,3")
    buy(game, "J2", "JZR_1")
    buy(game, "J3", "JZR_2")
    buy(game, "J1", "JZR_3")
    buy(game, "J2", "JZR_4")
    act(game, "J3", "par", corporation="HJR", share_price="70,6,3")
    pass_round(game, "stock")
    act(game, "JZR", "pass")
    train(game, "JZR", "2-0", 80)
    act(game, "JZR", "pass")
    assert game.round_label() == "SR 2.1"
    return game


def north() -> Game:
    return beijing_operates(start(3))


def exchanges(game: Game) -> list[str]:
    """Shares on offer for the company."""
    return [move["shares"][0] for move in game.moves() if move["entity"] == "FC"]


def to_turn_of(game: Game, player: str) -> None:
    """The others pass until it is the player's turn."""
    while where(game) != f"{player}:stock":
        act(game, where(game).split(":")[0], "pass")


def test_the_exchange_is_the_purchase_of_the_owners_turn() -> None:
    game = north()
    to_turn_of(game, "J3")
    cash = game.player("J3").cash
    bank = game.state.bank
    assert exchanges(game) == ["JZR_5", "JZR_6", "JZR_7", "JZR_8"]
    act(game, "FC", "buy_shares", shares=["JZR_6"], percent=10)
    assert (game.player("J3").cash, game.state.bank) == (cash, bank)
    assert shares.percent(game, game.corporation("JZR"), "player:J3") == 20
    assert game.company("FC").closed
    assert not game.player("J3").passed
    assert where(game) != "J3:stock", "his turn is over"
    assert "FC" not in game.player("J3").companies


def test_the_exchange_is_not_possible_in_anothers_turn() -> None:
    game = north()
    if where(game) == "J3:stock":
        act(game, "J3", "pass")
    assert exchanges(game) == []
    assert refused(game, "FC", "buy_shares", shares=["JZR_5"], percent=10) == "not_your_turn"


def test_the_exchange_is_not_possible_after_a_sale_in_the_turn() -> None:
    game = north()
    to_turn_of(game, "J3")
    act(game, "J3", "sell_shares", shares=["JZR_2"], percent=10)
    assert exchanges(game) == []
    assert refused(game, "FC", "buy_shares", shares=["JZR_5"], percent=10) == "not_your_turn"


def test_a_corporation_sold_earlier_in_the_round_may_be_taken_from_the_pool() -> None:
    game = north()
    to_turn_of(game, "J3")
    act(game, "J3", "sell_shares", shares=["JZR_2"], percent=10)
    act(game, "J3", "pass")
    to_turn_of(game, "J3")
    assert "JZR_2" in exchanges(game)
    act(game, "FC", "buy_shares", shares=["JZR_2"], percent=10)
    assert shares.percent(game, game.corporation("JZR"), POOL) == 0


def test_only_ordinary_shares_of_corporations_in_beijing() -> None:
    game = north()
    to_turn_of(game, "J3")
    assert refused(game, "FC", "buy_shares", shares=["HJR_1"], percent=10) == "cannot_exchange"
    assert refused(game, "FC", "buy_shares", shares=["JZR_0"], percent=20) == "cannot_exchange"
    assert refused(game, "FC", "buy_shares", shares=["JZR_1"], percent=10) == "cannot_exchange"
    assert refused(game, "FC", "buy_shares", shares=["JZR_5", "JZR_6"], percent=20) == "cannot_exchange"


def test_sixty_percent_hold_for_the_exchange_the_certificate_limit_does_not() -> None:
    game = north()
    to_turn_of(game, "J3")
    game.state.cert_limit = 1
    game.touch()
    assert exchanges(game)
    jzr = game.corporation("JZR")
    for index in (5, 6, 7, 8):
        shares.give(game, jzr, index, "player:J3", "test")
    shares.give(game, jzr, 1, "player:J3", "test")
    shares.move_certificate(jzr, 4, "player:J2", POOL)
    game.touch()
    assert shares.percent(game, jzr, "player:J3") >= 60
    assert exchanges(game) == []


def test_the_presidency_may_change_by_the_exchange() -> None:
    game = north()
    jzr = game.corporation("JZR")
    shares.give(game, jzr, 5, "player:J3", "test")
    shares.give(game, jzr, 6, "player:J3", "test")
    assert jzr.president == "player:J1"
    to_turn_of(game, "J3")
    act(game, "FC", "buy_shares", shares=["JZR_7"], percent=10)
    assert jzr.president == "player:J3"


def test_a_usable_exchange_does_not_keep_a_turn_open() -> None:
    game = north()
    for player in game.state.players:
        player.cash = 0
    game.corporation("JZR").holdings = {"player:J1": [0], "ipo": [1, 2, 3, 4, 5, 6, 7, 8]}
    game.corporation("HJR").holdings = {"player:J3": [0], "ipo": [1, 2, 3, 4, 5, 6, 7, 8]}
    game.touch()
    step = game.title.rounds["stock"].steps[-1]
    assert step.actions(game, game.player("J3")) == ()


def test_a_corporation_can_buy_it_which_ends_the_exchange() -> None:
    game = north()
    hand_over(game, "FC", "JZR")
    to_turn_of(game, "J3")
    assert exchanges(game) == []
    bank_cash = game.corporation("JZR").cash
    pass_round(game, "stock")
    assert game.corporation("JZR").cash == bank_cash + 30


@pytest.mark.parametrize("options", [(), ("small_bank",)])
def test_in_the_prototype_it_is_exchanged_at_any_time_of_a_stock_round(options: tuple[str, ...]) -> None:
    game = beijing_operates(start(3, options, "imported"))
    to_turn_of(game, "J3")
    act(game, "J3", "sell_shares", shares=["JZR_2"], percent=10)
    assert "JZR_2" not in exchanges(game), "from the initial offering only"
    act(game, "J3", "pass")
    waiting = where(game)
    assert waiting != "J3:stock"
    assert exchanges(game) == ["JZR_5", "JZR_6", "JZR_7", "JZR_8"]
    act(game, "FC", "buy_shares", shares=["JZR_5"], percent=10)
    assert where(game) == waiting, "the turn in progress is not touched"
    assert shares.percent(game, game.corporation("JZR"), "player:J3") == 10


def test_in_the_prototype_it_leaves_the_owner_his_purchase() -> None:
    game = beijing_operates(start(3, (), "imported"))
    to_turn_of(game, "J3")
    act(game, "FC", "buy_shares", shares=["JZR_5"], percent=10)
    assert where(game) == "J3:stock"
    act(game, "J3", "pass")
    assert game.round.kind == "operating", "the exchange is not part of his turn: all have passed"


def test_it_cannot_be_exchanged_in_an_operating_round() -> None:
    game = beijing_operates(start(3, (), "imported"))
    pass_round(game, "stock")
    assert game.round.kind == "operating"
    assert exchanges(game) == []
    assert refused(game, "FC", "buy_shares", shares=["JZR_5"], percent=10) == "not_your_turn"
