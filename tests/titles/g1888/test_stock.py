"""Stock rounds, the market and the end of the game (1888 1.3, 3, 6)."""

from __future__ import annotations

import pytest

from services.rules.engine import ending, shares
from services.rules.engine.board import lays
from services.rules.engine.dividends import payouts
from services.rules.engine.game import Game
from services.rules.engine.market import place

from .table import act, auction, buy, pass_round, refused, start, where
from .test_forbidden_city import north, to_turn_of


@pytest.mark.parametrize("price", [95, 90, 85, 80, 75, 70])
def test_six_par_prices(price: int) -> None:
    game = start()
    auction(game)
    cells = {move["share_price"] for move in game.moves() if move["type"] == "par"}
    assert len(cells) == 6
    cell = next(cell for cell in cells if cell.startswith(f"{price},"))
    player = where(game).split(":")[0]
    cash = game.player(player).cash
    act(game, player, "par", corporation="TJL", share_price=cell)
    assert game.player(player).cash == cash - 2 * price
    assert not game.corporation("TJL").floated


def test_nothing_is_sold_in_the_first_stock_round() -> None:
    game = start()
    auction(game)
    first = where(game).split(":")[0]
    act(game, first, "par", corporation="TJL", share_price="70,6,3")
    for _ in range(3):
        act(game, where(game).split(":")[0], "pass")
    assert where(game) == f"{first}:stock"
    assert not any(move["type"] == "sell_shares" for move in game.moves())
    buy(game, first, "TJL_1")
    act(game, where(game).split(":")[0], "pass")
    assert (
        refused(game, where(game).split(":")[0], "buy_shares", shares=["TJL_2", "TJL_3"], percent=20)
        == "one_certificate"
    )


def test_selling_comes_before_the_one_purchase_of_a_turn() -> None:
    game = north()
    to_turn_of(game, "J1")
    act(game, "J1", "sell_shares", shares=["JZR_3"], percent=10)
    assert where(game) == "J1:stock"
    assert refused(game, "J1", "buy_shares", shares=["JZR_5"], percent=10) == "sold_this_round"
    buy(game, "J1", "HJR_1")
    assert where(game) != "J1:stock", "nothing may be sold after buying"


def test_the_pool_holds_half_and_the_president_certificate_needs_a_taker() -> None:
    game = north()
    to_turn_of(game, "J1")
    jzr = game.corporation("JZR")
    jzr.holdings = {"player:J1": [0, 1], "player:J3": [6], "pool": [2, 3, 4, 5], "ipo": [7, 8]}
    game.touch()
    listed = {
        move["percent"] for move in game.moves() if move["type"] == "sell_shares" and move["shares"][0] == "JZR_1"
    }
    assert listed == {10}
    assert refused(game, "J1", "sell_shares", shares=["JZR_1", "JZR_0"], percent=30) == "pool_limit"
    jzr = game.corporation("JZR")
    jzr.holdings = {"player:J1": [0, 1], "player:J3": [6], "pool": [2], "ipo": [3, 4, 5, 7, 8]}
    game.touch()
    assert refused(game, "J1", "sell_shares", shares=["JZR_1", "JZR_0"], percent=30) == "cannot_dump"


def test_every_share_sold_moves_the_price_down_a_row_but_not_over_a_ragged_edge() -> None:
    game = north()
    jzr = game.corporation("JZR")
    place(game.state, jzr, (3, 11))
    shares.move_price(game, jzr, "down")
    assert jzr.price == (3, 11), "row 4 has no such column"
    place(game.state, jzr, (3, 5))
    shares.move_price(game, jzr, "down", 2)
    assert jzr.price == (5, 5)
    place(game.state, jzr, (1, 1))
    shares.move_price(game, jzr, "left")
    assert jzr.price == (2, 1), "left of a blank is down"
    place(game.state, jzr, (0, 2))
    shares.move_price(game, jzr, "up")
    assert jzr.price == (0, 2)
    place(game.state, jzr, (4, 9))
    shares.move_price(game, jzr, "right")
    assert jzr.price == (3, 9), "the end of a row leads up"


def test_yellow_cells_free_certificates_not_the_holding_limit() -> None:
    game = north()
    player = game.player("J1")
    before = shares.certificate_count(game, player)
    place(game.state, game.corporation("JZR"), (6, 1))
    assert shares.certificate_count(game, player) == before - 2
    game.corporation("JZR").holdings = {"player:J1": [0, 1, 2, 3, 4], "ipo": [5, 6, 7, 8]}
    game.touch()
    to_turn_of(game, "J1")
    assert refused(game, "J1", "buy_shares", shares=["JZR_5"], percent=10) == "over_limit"


def test_over_the_certificate_limit_something_is_sold_before_anything_else() -> None:
    game = north()
    to_turn_of(game, "J1")
    game.state.cert_limit = 2
    game.touch()
    assert {move["type"] for move in game.moves() if move["entity"] == "J1"} == {"sell_shares"}
    assert refused(game, "J1", "pass") == "wrong_action"


def test_sold_out_corporations_rise_whatever_the_pool() -> None:
    game = north()
    jzr = game.corporation("JZR")
    jzr.holdings = {"player:J1": [0, 1, 2, 3], "player:J2": [4, 5, 6, 7, 8]}
    game.touch()
    row, column = jzr.price or (0, 0)
    pass_round(game, "stock")
    assert game.corporation("JZR").price == (row - 1, column)


def test_dividends_of_pool_shares_go_to_the_treasury_those_of_the_offering_to_nobody() -> None:
    game = north()
    jzr = game.corporation("JZR")
    jzr.holdings = {"player:J1": [0, 3], "player:J2": [1], "pool": [2, 4], "ipo": [5, 6, 7, 8]}
    game.touch()
    option = game.title.dividend_option(game, jzr, "payout", 100)
    assert [(holder.ref, amount) for holder, amount in payouts(game, jzr, option)] == [
        ("player:J1", 30),
        ("player:J2", 10),
        ("corporation:JZR", 20),
    ]
    assert option.moves == (("right", 1),)
    assert game.title.dividend_option(game, jzr, "withhold", 100).moves == (("left", 1),)


def run_to_the_mine(game: Game) -> None:
    """JZR's turn with a train, track from Beijing to the mine and its routes run."""
    rules = game.title.track_rules
    lays.lay(rules, game.state, "C7", "9", 1)
    lays.lay(rules, game.state, "C5", "L41", 0, special=True)
    game.board_changed()
    pass_round(game, "stock")
    act(game, "JZR", "pass")
    route = {"train": "2-0", "connections": [["C9", "C7", "C5"]], "hexes": ["C9", "C5"], "nodes": ["C9-0", "C5-0"]}
    act(game, "JZR", "run_routes", routes=[route])


@pytest.mark.parametrize(("kind", "treasury", "steps"), [("payout", 40, 1), ("withhold", 70, -1)])
def test_the_mine_pays_the_treasury_and_is_no_revenue(kind: str, treasury: int, steps: int) -> None:
    game = north()
    run_to_the_mine(game)
    jzr = game.corporation("JZR")
    assert game.round.turn.subsidy == 40
    assert [route.revenue for route in game.round.turn.routes] == [30]
    cash, (row, column), player = jzr.cash, jzr.price or (0, 0), game.player("J1").cash
    act(game, "JZR", "dividend", kind=kind)
    assert game.corporation("JZR").cash == cash + treasury
    assert game.corporation("JZR").price == (row, column + steps)
    assert game.player("J1").cash == player + (9 if kind == "payout" else 0)


def test_the_bank_breaks_below_zero_and_the_set_is_played_to_its_end() -> None:
    game = north()
    game.state.bank = 105
    pass_round(game, "stock")
    assert game.state.bank == 0, "105 of incomes leave exactly nothing"
    assert not game.state.bank_broken
    act(game, "JZR", "pass")
    game.state.bank = -1
    game.state.bank_broken = True
    head = game.state.depot.upcoming[0]
    act(game, "JZR", "pass")
    assert game.finished
    assert game.state.outcome is not None
    assert game.state.outcome.reason == "bank"
    assert game.state.depot.upcoming[0] == head, "no export at the end of the game"


def test_the_score_is_cash_shares_and_companies() -> None:
    game = north()
    player = game.player("J1")
    jzr = game.corporation("JZR")
    price = shares.share_price(game, jzr)
    owned = shares.percent(game, jzr, player.ref) // 10
    companies = sum(game.company(sym).value for sym in player.companies)
    assert ending.score(game, player) == player.cash + price * owned + companies
