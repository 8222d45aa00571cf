"""Set-up and opening auction (1894 2.1, 2.2)."""

from __future__ import annotations

import pytest

from services.rules.engine.errors import MalformedAction
from services.rules.titles import new_game

from .table import Table1894, auctioned


@pytest.mark.parametrize(
    ("seed", "leader", "removed"),
    [
        (1, "Ouest", "GLG"),
        (2, "PLM", "GLG"),
        (3, "Ouest", "SAC"),
        (8, "PLM", "SAC"),
        (9, "Nord", "SAC"),
        (11, "Est", "GLG"),
        (17, "Est", "SAC"),
        (1255283704, "Nord", "SAC"),
    ],
)
def test_smallest_draw_leads_and_smallest_station_leaves(seed: int, leader: str, removed: str) -> None:
    table = Table1894(seed=seed)
    assert table.state.french_leader == leader
    assert [sym for sym in ("GLG", "SAC") if table.game.company(sym).closed] == [removed]
    majors = {"PLM": "PLMMS", "Ouest": "OMMS", "Nord": "NMS", "Est": "EMS", "CFOR": "CMS"}
    assert [sym for sym, major in majors.items() if not table.game.company(major).closed] == [leader]


def test_three_players_put_a_share_of_each_starter_into_the_pool() -> None:
    table = Table1894(3)
    for sym in ("Est", "Belge"):
        holdings = table.game.corporation(sym).holdings
        assert holdings["pool"] == [5]
        assert [holdings[f"player:{p}"] for p in "ABC"] == [[8], [7], [6]]
    assert table.cash() == [570, 570, 570]
    assert table.state.cert_limit == 18


@pytest.mark.parametrize("count", [2, 5])
def test_only_three_or_four_play(count: int) -> None:
    with pytest.raises(MalformedAction):
        new_game("1894", [(i, str(i)) for i in range(count)], seed=1)


def test_bids_rise_by_five_and_never_exceed_free_cash() -> None:
    table = Table1894()
    assert table.refused("A", "bid", company="AR", price=27) == "bid_too_low"
    assert table.refused("A", "bid", company="AR", price=32) == "bid_step"
    assert table.refused("A", "bid", company="LRC", price=25) == "wrong_price"
    assert table.refused("A", "bid", company="AR", price=485) == "bid_too_high"
    assert table.refused("B", "bid", company="LRC", price=20) == "not_your_turn"
    table.do("A", "bid", company="BMS", price=400).passes("B", "C", "D")
    assert table.refused("A", "bid", company="AR", price=85) == "bid_too_high"


def test_contested_company_goes_to_the_last_bidder() -> None:
    table = Table1894()
    table.do("A", "bid", company="AR", price=30).do("B", "bid", company="AR", price=35).passes("C")
    table.do("D", "bid", company="LRC", price=20)
    assert table.acting() == ["A"]
    assert table.refused("B", "bid", company="AR", price=45) == "not_your_turn"
    table.do("A", "bid", company="AR", price=40).passes("B")
    assert table.game.company("AR").owner == "player:A"
    assert table.acting() == ["A"]


def test_all_passing_lowers_the_first_company_to_a_gift_but_not_its_value() -> None:
    table = Table1894()
    for _ in range(4):
        table.passes("A", "B", "C", "D")
    lrc = table.game.company("LRC")
    assert (lrc.owner, lrc.value, table.cash()[0]) == ("player:A", 20, 480)
    assert table.acting() == ["B"]
    table.passes("B", "C", "D", "A")
    assert table.cash() == [485, 480, 480, 480]


def test_nord_minor_shareholding_gives_a_share_but_no_presidency() -> None:
    table = Table1894(seed=9)
    assert table.state.french_leader == "Nord"
    for player, company, price in (("A", "LRC", 20), ("B", "AR", 25), ("C", "GLG", 50), ("D", "SQG", 70)):
        table.do(player, "bid", company=company, price=price)
    table.do("A", "bid", company="LS", price=90).do("B", "bid", company="NMinorS", price=140)
    nord = table.game.corporation("Nord")
    assert nord.holdings["player:B"] == [7, 4]
    assert nord.president is None
    assert not nord.floated
    table.do("C", "bid", company="NMS", price=180).do("C", "par", corporation="Nord", share_price="67,7,5")
    assert nord.president == "player:C"
    assert (nord.floated, nord.cash) == (True, 670)


def test_owner_of_a_major_pars_before_anything_else() -> None:
    table = Table1894()
    for player, company, price in (("A", "LRC", 20), ("B", "AR", 25), ("C", "GLG", 50), ("D", "SQG", 70)):
        table.do(player, "bid", company=company, price=price)
    table.do("A", "bid", company="BMS", price=205)
    table.do("B", "bid", company="LS", price=90).do("C", "bid", company="NMinorS", price=140)
    table.do("D", "bid", company="EMS", price=180)
    assert table.state.round is not None
    assert table.state.round.pending_par == ["EMS", "BMS"]
    assert table.acting() == ["D"]
    assert table.refused("D", "pass") == "wrong_action"
    assert table.refused("D", "par", corporation="Belge", share_price="100,3,5") == "wrong_corporation"
    assert table.refused("D", "par", corporation="Est", share_price="100,1,2") == "not_a_par_cell"
    assert {move["share_price"] for move in table.offered("par")} == {"100,3,5", "95,1,1", "80,4,3", "67,7,5"}
    table.do("D", "par", corporation="Est", share_price="80,4,3")
    table.do("A", "par", corporation="Belge", share_price="80,4,3")
    assert table.state.market["4,3"] == ["Est", "Belge"]
    assert (table.treasury("Est"), table.treasury("Belge")) == (800, 800)
    assert table.game.round_label() == "SR 1.1"


def test_first_seat_follows_the_last_normal_turn_of_the_auction() -> None:
    table = auctioned()
    assert table.acting() == ["B"]
    assert table.state.player_order == ["B", "C", "D", "A"]
