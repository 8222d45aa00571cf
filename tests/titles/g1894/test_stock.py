"""Stock rounds: gray zone, par prices, order of play, rises of sold-out corporations (1894 3, 9)."""

from __future__ import annotations

import pytest

from services.rules.engine import shares
from services.rules.engine.market import MarketCell

from .table import Table1894, auctioned

GRAY = (5, 0)


def second_round() -> Table1894:
    """SR 2 of the example with Nord started by C; nobody has traded in it yet. D is first."""
    table = auctioned()
    table.start_corporation("Nord", "C")
    table.passes("B", "C", "D", "A").pass_until("train")
    while table.game.round.kind == "operating":
        operator = table.game.operator.sym
        if table.step() == "train":
            table.give_train(operator, "2")
        table.pass_until("stock") if table.step() != "train" else table.passes(operator)
    return table


def test_no_sale_in_the_first_stock_round() -> None:
    table = auctioned()
    assert table.refused("B", "sell_shares", shares=["Est_7"], percent=10) == "wrong_action"
    assert table.offered("sell_shares") == []


def test_only_the_two_starters_stand_at_one_hundred() -> None:
    table = auctioned()
    assert table.refused("B", "par", corporation="PLM", share_price="100,3,5") == "not_a_par_cell"
    assert {move["share_price"] for move in table.offered("par")} == {"95,1,1", "80,4,3", "67,7,5"}


def test_late_corporations_wait_for_brown() -> None:
    table = auctioned()
    assert table.refused("B", "par", corporation="LF", share_price="67,7,5") == "cannot_par"
    table.phase("Brown")
    assert "LF" in {move["corporation"] for move in table.offered("par")}


def test_shares_without_a_price_cannot_be_sold() -> None:
    table = auctioned().phase("Green")
    table.state.turn = 2
    table.touch()
    table.passes("B", "C")
    assert table.refused("D", "sell_shares", shares=["Nord_8"], percent=10) == "not_parred"


def test_sell_buy_sell_in_one_turn_and_no_rebuy() -> None:
    table = second_round()
    first = str(table.acting()[0])
    own = table.game.corporation("Belge").holdings[f"player:{first}"][0]
    table.sell(first, f"Belge_{own}")
    assert table.refused(first, "buy_shares", shares=[f"Belge_{own}"], percent=10) == "sold_this_round"
    table.buy(first, "Est_1")
    assert table.refused(first, "buy_shares", shares=["Est_2"], percent=10) == "wrong_action"
    assert {move["type"] for move in table.game.moves()} == {"sell_shares", "pass"}
    other = table.game.corporation("Est").holdings[f"player:{first}"][0]
    table.sell(first, f"Est_{other}").passes(first)
    assert not table.game.player(first).passed


def test_selling_lowers_the_price_a_row_a_share_where_there_is_a_cell() -> None:
    table = second_round()
    table.price_at("Belge", (4, 3)).give_shares("D", "Belge", 1, 2)
    table.pass_until("stock", "D").sell("D", "Belge_1", "Belge_2")
    assert table.game.corporation("Belge").price == (6, 3)
    table = second_round()
    table.price_at("Belge", (7, 5)).give_shares("D", "Belge", 1, 2)
    table.pass_until("stock", "D").sell("D", "Belge_1", "Belge_2")
    assert table.game.corporation("Belge").price == (7, 5)


def test_president_buys_two_shares_of_a_gray_corporation() -> None:
    table = second_round().price_at("Belge", GRAY).pool("Belge", 4)
    table.pass_until("stock", "A").buy("A", "Belge_4", "Belge_1")
    assert table.game.corporation("Belge").holdings["player:A"] == [8, 0, 4, 1]
    assert table.refused("A", "buy_shares", shares=["Belge_2"], percent=10) == "wrong_action"


def test_others_buy_one_share_of_a_gray_corporation() -> None:
    table = second_round().price_at("Belge", GRAY)
    table.pass_until("stock", "D").buy("D", "Belge_1")
    assert table.refused("D", "buy_shares", shares=["Belge_2"], percent=10) == "wrong_action"


def test_second_gray_share_is_of_the_same_corporation_and_not_after_a_par() -> None:
    table = second_round().price_at("Belge", GRAY).price_at("Est", (6, 0))
    table.game.player("A").cash = 500
    table.pass_until("stock", "A").buy("A", "Belge_1")
    assert table.refused("A", "buy_shares", shares=["Est_1"], percent=10) == "already_bought"
    table = second_round().price_at("Belge", GRAY)
    table.game.player("A").cash = 500
    table.touch().pass_until("stock", "A").do("A", "par", corporation="AG", share_price="67,7,5")
    assert table.refused("A", "buy_shares", shares=["Belge_1"], percent=10) == "wrong_action"


def test_gray_shares_do_not_count_and_have_no_holding_limit() -> None:
    table = second_round().price_at("Belge", GRAY)
    player = table.game.player("A")
    before = shares.certificate_count(table.game, player)
    table.give_shares("A", "Belge", 1, 2, 3, 4)
    assert shares.certificate_count(table.game, player) == before
    assert shares.percent(table.game, table.game.corporation("Belge"), "player:A") == 70
    assert not shares.over_limit(table.game, player)
    table.price_at("Belge", (5, 1))
    assert [c.sym for c in shares.over_limit(table.game, player)] == ["Belge"]
    table.pass_until("stock", "A")
    assert {move["type"] for move in table.game.moves()} == {"sell_shares"}
    assert table.refused("A", "pass") == "wrong_action"
    assert table.refused("A", "buy_shares", shares=["Est_1"], percent=10) == "wrong_action"


def sold_out(table: Table1894, sym: str, president: str, owned: int, redeemed: int, cell: tuple[int, int]) -> None:
    """Spread a corporation over players and its own hands, with a marker on ``cell``."""
    corporation = table.game.corporation(sym)
    others = [p for p in "ABCD" if p != president]
    certificates = list(range(1, 9))
    corporation.holdings = {f"player:{president}": [0]}
    for _ in range(owned - 2):
        corporation.holdings[f"player:{president}"].append(certificates.pop(0))
    if redeemed:
        corporation.holdings["ipo"] = [certificates.pop(0) for _ in range(redeemed)]
        table.state.redeemed[sym] = list(corporation.holdings["ipo"])
    for index, certificate in enumerate(certificates):
        corporation.holdings.setdefault(f"player:{others[index % 3]}", []).append(certificate)
    corporation.president = f"player:{president}"
    corporation.floated = corporation.started = True
    corporation.par = (7, 5)
    table.price_at(sym, cell)


@pytest.mark.parametrize(
    ("cell", "owned", "redeemed", "price"),
    [
        ((4, 3), 5, 0, 87),
        ((4, 3), 8, 0, 95),
        ((4, 3), 6, 2, 95),
        ((4, 3), 5, 2, 87),
        ((5, 0), 5, 0, 69),
        ((5, 0), 6, 2, 75),
        ((6, 0), 5, 0, 64),
        ((8, 0), 5, 0, 50),
        ((0, 4), 8, 0, 124),
    ],
)
def test_sold_out_corporations_rise(cell: tuple[int, int], owned: int, redeemed: int, price: int) -> None:
    """One row; one more out of the gray zone; one more when president and corporation hold 80 %."""
    table = second_round()
    sold_out(table, "CFOR", "B", owned, redeemed, cell)
    table.game.title.move_sold_out(table.game, table.game.corporation("CFOR"))
    assert table.game.title.sold_out(table.game, table.game.corporation("CFOR"))
    assert table.price("CFOR") == price


def test_unsold_or_pool_shares_prevent_the_rise() -> None:
    table = second_round()
    cfor = table.game.corporation("CFOR")
    sold_out(table, "CFOR", "B", 5, 2, (4, 3))
    table.state.redeemed["CFOR"].pop()
    assert not table.game.title.sold_out(table.game, cfor)
    sold_out(table, "CFOR", "B", 5, 0, (4, 3))
    cfor.holdings["pool"] = [cfor.holdings["player:A"].pop()]
    assert not table.game.title.sold_out(table.game, cfor)


def test_450_reached_by_a_rise_ends_the_game_after_all_have_risen() -> None:
    table = second_round()
    sold_out(table, "CFOR", "B", 5, 0, (1, 13))
    sold_out(table, "PLM", "D", 5, 0, (4, 3))
    while not table.game.finished:
        table.passes(str(table.acting()[0]))
    assert table.game.state.outcome is not None
    assert table.game.state.outcome.reason == "stock_market"
    assert (table.price("CFOR"), table.price("PLM")) == (450, 87)


def test_next_order_is_that_of_first_passing_and_acting_forgets_it() -> None:
    table = second_round()
    order = list(table.state.player_order)
    first, second, third, fourth = (str(p) for p in order)
    table.passes(first).buy(second, "Est_2").pass_until("stock", third)
    table.passes(third, fourth, first)
    table.passes(second)
    assert table.state.player_order == [first, third, fourth, second]


def test_chart_has_the_gray_zone_and_four_par_cells() -> None:
    market = Table1894().game.title.market
    par: list[MarketCell] = market.par_cells
    assert [cell.id for cell in par] == ["100,3,5", "95,1,1", "80,4,3", "67,7,5"]
    gray = {cell.price for cell in market.cells.values() if cell.type == "unlimited"}
    assert gray == {10, 20, 30, 40, 50, 55, 56, 59}
    assert market.right((0, 12)) == (0, 13)
    assert market.up((1, 13)) == (0, 13)
    assert market.down((7, 5)) == (7, 5)
