"""Redeeming and reissuing shares (1894 4.2)."""

from __future__ import annotations

from services.rules.engine import shares

from .table import Table1894, operating


def cfor(number: int = 1, *, pool: tuple[int, ...] = (6, 7, 8), cash: int = 1000) -> Table1894:
    """CFOR, started at 67 by A, is first in an operating round; some of its shares lie in the pool."""
    table = operating().start_corporation("CFOR", "A").pool("CFOR", *pool)
    table.operate("CFOR", number).price_at("CFOR", (4, 3))
    table.game.corporation("CFOR").cash = cash
    return table.touch()


def redeem(*indexes: int) -> dict[str, object]:
    return {"shares": [f"CFOR_{i}" for i in indexes], "percent": 10 * len(indexes)}


def test_two_shares_in_the_first_round_of_a_set_one_later() -> None:
    table = cfor()
    table.do("CFOR", "buy_shares", **redeem(6, 7))
    assert table.treasury("CFOR") == 1000 - 2 * 80
    assert table.state.redeemed == {"CFOR": [6, 7]}
    assert table.price("CFOR") == 80
    assert table.active() == "CFOR:track"
    table = cfor(2)
    assert table.refused("CFOR", "buy_shares", **redeem(6, 7)) == "too_many_shares"
    assert all(len(move["shares"]) == 1 for move in table.offered("buy_shares"))
    table.do("CFOR", "buy_shares", **redeem(7))
    assert table.refused("CFOR", "buy_shares", **redeem(6)) == "wrong_action"


def test_three_shares_and_unsold_ones_are_not_redeemed() -> None:
    table = cfor()
    assert table.refused("CFOR", "buy_shares", **redeem(6, 7, 8)) == "too_many_shares"
    assert table.refused("CFOR", "buy_shares", **redeem(5)) == "not_on_sale"
    assert table.refused("CFOR", "buy_shares", shares=["Est_8"], percent=10) == "not_own_shares"


def test_the_treasury_has_to_pay() -> None:
    table = cfor(cash=100)
    assert table.refused("CFOR", "buy_shares", **redeem(6, 7)) == "insufficient_funds"
    assert len(table.offered("buy_shares")) == 3
    assert cfor(cash=79).step() == "track"
    table = operating().start_corporation("CFOR", "A").pool("CFOR", 6)
    table.game.corporation("CFOR").cash = 10
    table.operate("CFOR")
    assert table.step() == "track"


def test_starters_never_redeem() -> None:
    table = operating().pool("Est", 2, 3)
    table.operate("Est")
    assert table.active() == "Est:track"
    assert table.refused("Est", "buy_shares", shares=["Est_2"], percent=10) == "wrong_action"


def test_redeemed_shares_are_not_for_sale_and_pay_the_treasury() -> None:
    table = cfor()
    table.do("CFOR", "buy_shares", **redeem(6, 7))
    corporation = table.game.corporation("CFOR")
    assert not table.game.title.is_buyable(table.game, corporation, 6, "ipo")
    assert table.game.title.is_buyable(table.game, corporation, 5, "ipo")
    assert table.game.title.own_dividend_sources(table.game, corporation) == ("ipo",)
    assert shares.percent(table.game, corporation, "ipo") == 30
    assert corporation.floated


def test_reissue_of_all_at_100_sets_the_par() -> None:
    table = cfor()
    assert table.refused("CFOR", "sell_shares", shares=["CFOR_6"], percent=10) == "wrong_action"
    table.do("CFOR", "buy_shares", **redeem(6, 7))
    table.operate("CFOR", 2).price_at("CFOR", (4, 3))
    assert table.refused("CFOR", "sell_shares", shares=["CFOR_6"], percent=10) == "reissue_all"
    offered = table.offered("sell_shares", "CFOR")
    assert [move["shares"] for move in offered] == [["CFOR_6", "CFOR_7"]]
    table.do("CFOR", "sell_shares", shares=["CFOR_6", "CFOR_7"], percent=20, share_price=100)
    corporation = table.game.corporation("CFOR")
    assert corporation.cash == 1000 - 160 + 200
    assert shares.par_price(table.game, corporation) == 100
    assert table.price("CFOR") == 80
    assert table.state.redeemed == {}
    assert table.active() == "CFOR:track"


def test_reissue_needs_more_redeemed_than_unsold_shares() -> None:
    table = cfor(pool=(8,))
    table.do("CFOR", "buy_shares", **redeem(8))
    table.operate("CFOR", 2)
    assert table.step() == "track"
    assert table.refused("CFOR", "sell_shares", shares=["CFOR_8"], percent=10) == "wrong_action"
