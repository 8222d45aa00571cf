"""Private companies one by one, minors inside a stock turn (1867 2.2, 3.4)."""

from __future__ import annotations

import pytest

from services.rules.engine.errors import IllegalAction

from .table import Canada


def opened(players: int = 3) -> Canada:
    """A game in its first stock round."""
    return Canada(players).sell_companies()


def test_decliners_are_back_in_after_the_first_bid() -> None:
    table = Canada(3).passes("A", "B").bid("C", "C&SL", 20)
    assert table.acting() == ["A"]
    table.bid("A", "C&SL", 25).passes("B", "C")
    assert table.player("A").companies == ["C&SL"]
    assert table.acting() == ["B"]


def test_who_cannot_raise_drops_out_at_once() -> None:
    table = Canada(3)
    table.player("B").cash = 24
    table.player("C").cash = 24
    table.bid("A", "C&SL", 20)
    assert table.player("A").companies == ["C&SL"]


def test_price_falls_when_all_decline_and_the_next_bid_buys_at_once() -> None:
    table = Canada(3).passes("A", "B", "C")
    assert table.acting() == ["A"]
    table.passes("A").bid("B", "C&SL", 15)
    assert table.player("B").cash == 405
    assert table.player("B").companies == ["C&SL"]
    assert table.acting() == ["C"]


def test_company_nobody_wants_goes_to_the_first_player_for_nothing() -> None:
    table = Canada(3).passes("A", "B", "C")
    for _ in range(3):
        table.passes("A", "B", "C")
    assert table.player("A").companies == ["C&SL"]
    assert table.player("A").cash == 420
    assert table.acting() == ["B"]


@pytest.mark.parametrize(("code", "price"), [("bid_too_low", 15), ("bid_step", 22), ("bid_too_high", 425)])
def test_wrong_bids_are_refused(code: str, price: int) -> None:
    Canada(3).refused(code, "A", "bid", company="C&SL", price=price)


def test_only_the_company_in_front_is_sold() -> None:
    Canada(3).refused("other_auction", "A", "bid", company="NFB", price=30)
    Canada(3).refused("not_your_turn", "B", "bid", company="C&SL", price=20)


def test_technical_company_is_not_auctioned_and_closes_a_hex() -> None:
    table = Canada(3)
    assert table.state.items == ["C&SL", "NFB", "MB", "QB", "SCT"]
    assert table.game.state.companies["3"].owner is None


def test_home_token_comes_before_other_bids() -> None:
    table = opened()
    starter = str(table.acting()[0])
    table.bid(starter, "KP", 105)
    assert table.step() == "home_token"
    table.refused("wrong_action", starter, "bid", corporation="KP", price=110)
    table.refused("wrong_hex", "KP", "place_token", city="D2-0-0", slot=0)
    table.refused("no_slot", "KP", "place_token", city="L12-0-2", slot=0)
    table.home("KP", "M9-0-0")
    assert table.step() == "stock"
    assert table.acting() != [starter]


def test_losing_starter_keeps_his_turn_order_and_play_goes_on_after_the_winner() -> None:
    table = opened()
    first, second, third = (str(player) for player in table.game.state.player_order)
    table.bid(first, "KP", 100).home("KP", "M9-0-0").bid(second, "KP", 130).passes(third, first)
    assert table.acting() == [third]
    assert table.of("KP") == (130, 65, [])
    assert table.company("KP").president == f"player:{second}"
    assert table.game.round.last_to_act == f"player:{second}"


@pytest.mark.parametrize(("bid", "par"), [(100, 50), (115, 55), (175, 80), (330, 135), (400, 135)])
def test_minor_starts_at_half_the_bid(bid: int, par: int) -> None:
    table = opened()
    starter = str(table.acting()[0])
    for player in table.game.state.players:
        player.cash = 1000 if player.id == starter else 0
    table.bid(starter, "KP", bid)
    assert table.price("KP") == par
    assert table.company("KP").cash == bid
    assert table.player(starter).cash == 1000 - bid
    assert table.step() == "home_token"


def test_player_at_the_certificate_limit_neither_starts_nor_bids() -> None:
    table = opened()
    starter = str(table.acting()[0])
    others = [str(p) for p in table.game.state.player_order if p != starter]
    full = next(name for name in others if table.player(name).companies)
    table.player(starter).companies = []
    table.game.state.cert_limit = len(table.player(full).companies)
    table.bid(starter, "KP", 100)
    bidding = table.state.bidding
    assert bidding is None or full not in bidding.bidders
    table.home("KP", "M9-0-0")
    table = opened()
    starter = str(table.acting()[0])
    table.player(starter).companies = ["MB"]
    table.game.state.cert_limit = 1
    assert "bid" not in {m["type"] for m in table.game.moves()}


def test_started_and_unknown_minors_are_not_for_sale() -> None:
    table = opened()
    starter = str(table.acting()[0])
    table.refused("not_for_sale", starter, "bid", corporation="BBG", price=100)
    table.refused("not_for_sale", starter, "bid", corporation="GWR", price=100)
    table.refused("not_for_sale", starter, "bid", corporation="NONE", price=100)
    table.bid(starter, "KP", 100).home("KP", "M9-0-0")
    while table.state.bidding is not None:
        table.passes(str(table.acting()[0]))
    nobody = str(table.acting()[0])
    table.refused("not_for_sale", nobody, "bid", corporation="KP", price=100)


def test_minor_cannot_be_sold() -> None:
    table = opened()
    starter = str(table.acting()[0])
    table.bid(starter, "KP", 100).home("KP", "M9-0-0")
    while table.state.bidding is not None:
        table.passes(str(table.acting()[0]))
    table.company("KP").operated = True
    for name in [str(p) for p in table.game.state.player_order]:
        if name != starter and table.acting() == [name]:
            table.passes(name)
    if table.acting() == [starter]:
        with pytest.raises(IllegalAction):
            table.do(starter, "sell_shares", shares=["KP_0"], percent=100)


@pytest.mark.parametrize(("seed", "removed"), [(1, {"NFB", "MB"}), (2, {"C&SL", "MB"}), (12345, {"QB", "NFB"})])
def test_two_players_leave_companies_and_trains_out(seed: int, removed: set[str]) -> None:
    table = Canada(2, seed=seed)
    names = {"C&SL", "NFB", "MB", "QB", "SCT"}
    assert names - set(table.game.state.companies) == removed
    ranks = [train.rpartition("-")[0] for train in table.game.state.depot.upcoming]
    assert [ranks.count(rank) for rank in ("2", "3", "4", "5", "6", "7")] == [7, 5, 3, 3, 1, 1]
    assert "2-7" not in table.game.state.depot.upcoming
    assert table.game.title.max_ownership(table.game, table.company("GWR")) == 70
    assert table.player("A").cash == 420
