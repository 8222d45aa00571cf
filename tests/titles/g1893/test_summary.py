"""Every rule of the summary of 1893 and of its eight comparisons with 1830, as this server plays them."""

from __future__ import annotations

import pytest

from services.rules.engine import shares
from services.rules.titles import get_title
from services.rules.titles.g1893 import mergers

from .table import (
    act,
    at,
    bid,
    buy,
    cash,
    drafted,
    floated,
    give_money,
    give_train,
    hand_over,
    hold,
    holdings,
    kinds,
    line,
    merger_round,
    par,
    passes,
    price,
    refused,
    sell,
    set_phase,
    skip_stock_round,
    start,
    state_of,
    to_stock_round,
    train,
    treasuries,
    turn,
    turn_of,
    vote,
    where,
)

FACTS = get_title("1893").data
TRAINS = {data.name: data for data in FACTS.trains}


# --- the summary ------------------------------------------------------------------------------------------------


def test_a_corporation_gets_ten_times_its_price_when_half_is_sold() -> None:
    game = floated()
    assert treasuries(game, "DE") == [600] and holdings(game, "DE")["pool"] == [4, 5, 6, 7, 8]


def test_half_sold_is_the_only_threshold() -> None:
    assert {corporation.float_percent for corporation in FACTS.corporations.values()} == {50}


def test_nobody_holds_more_than_sixty_percent() -> None:
    game = floated()
    hold(game, "DE", P2=[0, 2, 4, 5, 6], P1=[1, 3], pool=[7, 8])
    give_money(game, "P2", 500)
    assert "buy_shares" not in kinds(game, "P2")
    assert refused(game, "P2", "buy_shares", shares=["DE_7"], percent=10) in ("over_limit", "wrong_action")


@pytest.mark.parametrize(("players", "limit", "money"), [(2, 18, 900), (3, 12, 600), (4, 9, 450)])
def test_limits_and_starting_money(players: int, limit: int, money: int) -> None:
    game = start(players)
    assert game.state.cert_limit == limit and cash(game) == [money] * players
    assert game.state.bank == 7200 - money * players == 5400


def test_the_game_ends_with_the_bank_or_a_bankruptcy() -> None:
    assert dict(get_title("1893").ending.triggers) == {"bank": "full_or", "bankrupt": "immediate"}


def test_six_phases_begin_with_their_trains() -> None:
    assert [phase.on for phase in FACTS.phases] == ["2", "3", "4", "5", "6", "8+x"]


def test_agv_votes_in_phase_4_and_hgk_votes_in_phase_5() -> None:
    assert [event.event for event in TRAINS["4"].events] == ["agv_opens"]
    assert [event.event for event in TRAINS["5"].events] == ["agv_forced", "hgk_opens", "fdsd_deadline"]
    assert [event.event for event in TRAINS["6"].events] == ["hgk_forced", "eva_closes"]


@pytest.mark.parametrize(
    ("name", "price_", "count", "rusts"),
    [
        ("2", 80, 7, "4"),
        ("3", 180, 4, "6"),
        ("4", 300, 4, "8+x"),
        ("5", 450, 2, None),
        ("6", 630, 3, None),
        ("8+x", 800, 3, None),
    ],
)
def test_trains(name: str, price_: int, count: int, rusts: str | None) -> None:
    data = TRAINS[name]
    assert (data.price, data.count, data.rusts_on) == (price_, count, rusts)


def test_a_traded_train_counts_half_its_printed_price() -> None:
    for data in FACTS.trains:
        for old, credit in data.discount.items():
            assert credit * 2 == TRAINS[old].price


def test_an_eight_runs_to_eight_cities_and_any_number_of_towns() -> None:
    rows = {tuple(row.kinds): (row.pay, row.visit) for row in TRAINS["8+x"].allowances}
    assert rows == {("city", "offboard"): (8, 8), ("town",): (None, None)}
    assert TRAINS["8+x"].available_on == "6"


def test_the_first_six_closes_the_eva() -> None:
    game = drafted(2)
    hand_over(game, "HdSK", "P1")
    skip_stock_round(game)
    set_phase(game, "5", first="6")
    game.corporation("EKB").cash = 630
    turn_of(game, "EKB", "train")
    train(game, "EKB", "6-0", 630)
    assert game.company("EVA").closed


@pytest.mark.parametrize(
    ("sym", "value", "income"),
    [
        ("FdSD", 180, 20),
        ("EVA", 150, 30),
        ("HdSK", 100, 10),
        ("EKB", 210, 0),
        ("KFBE", 200, 0),
        ("KSZ", 100, 0),
        ("KBE", 220, 0),
        ("BKB", 180, 0),
        ("AdSK-1", 100, 10),
        ("AdSK-10", 100, 10),
    ],
)
def test_cards(sym: str, value: int, income: int) -> None:
    data = FACTS.companies[sym]
    assert (data.value, data.revenue) == (value, income)


def test_ten_bonds() -> None:
    assert sum(sym.startswith("AdSK") for sym in FACTS.companies) == 10


def test_homes() -> None:
    homes = {sym: data.home for sym, data in {**FACTS.corporations, **FACTS.minors}.items()}
    assert homes == {
        "DE": ["O2"],
        "RSE": ["R7"],
        "RAG": ["D5"],
        "AGV": [],
        "HGK": [],
        "EKB": ["T3"],
        "KFBE": ["L3"],
        "KSZ": ["P7"],
        "KBE": ["O4"],
        "BKB": ["I2"],
    }


def test_cards_become_certificates() -> None:
    game = drafted(2)
    hand_over(game, "HdSK", "P1")
    skip_stock_round(game)
    set_phase(game, "6")
    merger_round(game, "AGV", "HGK", forced=("AGV", "HGK"))
    assert holdings(game, "AGV")["P1"] == [0, 1, 2] and holdings(game, "HGK") == {
        "P2": [0, 2],
        "P1": [1],
        "pool": [3, 4, 5, 6, 7],
    }


def test_only_the_eva_is_sold_between_players() -> None:
    game = drafted(2)
    par(game, "P2", "DE", "60,5,1")
    others = {m["company"] for m in game.moves() if m["type"] == "buy_company"}
    assert others == {"HdSK", "AdSK-1", "EVA"}, "the first two are the bank's"


def test_minors_pay_half() -> None:
    game = drafted(2)
    skip_stock_round(game)
    line(game)
    give_train(game, "KBE", "2-0")
    turn_of(game, "KBE", "route")
    before = cash(game)[1], game.corporation("KBE").cash
    route = {"train": "2-0", "connections": [["O4", "N3", "O2"]], "hexes": ["O4", "O2"]}
    act(game, "KBE", "run_routes", routes=[route])
    assert (cash(game)[1], game.corporation("KBE").cash) == (before[0] + 20, before[1] + 20)


def test_in_an_emergency_a_corporation_is_helped_as_in_1830() -> None:
    game = floated()
    line(game)
    skip_stock_round(game)
    turn_of(game, "DE", "track")
    game.corporation("DE").cash = 20
    turn_of(game, "DE", "train")
    assert kinds(game, "DE") == {"buy_train"} and "sell_shares" not in kinds(game)
    train(game, "DE", "2-0", 80)
    assert game.corporation("DE").cash == 0


def test_the_owner_of_a_minor_pays_the_deficit_and_sells_nothing() -> None:
    game = drafted(2)
    skip_stock_round(game)
    set_phase(game, "3")
    give_train(game, "KFBE", "2-0")
    turn_of(game, "KSZ", "train")
    before = cash(game)[0]
    assert "sell_shares" not in kinds(game)
    train(game, "KSZ", "3-0", 180)
    assert cash(game)[0] == before - 80 and treasuries(game, "KSZ") == [0]


# --- the comparisons with 1830 ----------------------------------------------------------------------------------


def test_comparison_1_two_to_four_players() -> None:
    assert (FACTS.facts.min_players, FACTS.facts.max_players) == (2, 4)


def test_comparison_2_the_starting_cards_are_offered_in_turn_at_falling_prices() -> None:
    game = start(2)
    bid(game, "P1", "EKB", 210)
    assert turn(game) == "P2", "a purchase, not a bid"
    passes(game, "P2", "P1")
    while game.round.kind == "operating":
        act(game, turn(game), "pass")
    first, other = turn(game), "P1" if turn(game) == "P2" else "P2"
    bid(game, first, "HdSK", 100)
    passes(game, other, first)
    assert game.company("HdSK").value - game.company("HdSK").discount == 90


def test_comparison_3_minors_merge_by_vote() -> None:
    game = drafted(2)
    hand_over(game, "HdSK", "P1")
    skip_stock_round(game)
    set_phase(game, "4")
    merger_round(game, "AGV")
    assert where(game) == "P1:merger_vote"
    vote(game, "P1", "yes")
    assert game.corporation("AGV").floated and game.corporation("EKB").closed


def test_comparison_4_certificates() -> None:
    for sym in ("DE", "RSE", "RAG"):
        assert FACTS.corporations[sym].shares == [20] + [10] * 8
    for sym in ("AGV", "HGK"):
        assert sorted(FACTS.corporations[sym].shares) == [10] * 6 + [20, 20]


def test_comparison_5_half_floats_and_there_is_no_bank_pool() -> None:
    game = floated()
    to_stock_round(game)
    if turn(game) == "P2":
        passes(game, "P2")
    hold(game, "DE", P2=[0, 2], P1=[1, 3, 4, 5], pool=[6, 7, 8])
    at(game, "DE", 3, 3)
    before = cash(game)[0]
    sell(game, "P1", "DE_1", percent=10)
    assert cash(game)[0] == before + 80, "at the price before the sale"
    assert price(game, "DE") == 75 and holdings(game, "DE")["pool"] == [1, 6, 7, 8]


def test_comparison_5_dividends_of_the_market_stay_with_the_bank() -> None:
    game = floated()
    line(game)
    skip_stock_round(game)
    give_train(game, "DE", "2-0")
    turn_of(game, "DE", "route")
    before = sum(cash(game)), game.corporation("DE").cash
    route = {"train": "2-0", "connections": [["O2", "N3", "O4"]], "hexes": ["O2", "O4"]}
    act(game, "DE", "run_routes", routes=[route])
    act(game, "DE", "dividend", kind="payout")
    assert sum(cash(game)) == before[0] + 20 and game.corporation("DE").cash == before[1], "half of 40 is paid"


def test_comparison_6_the_rhine_opens_with_the_first_three_train() -> None:
    game = drafted(2)
    skip_stock_round(game)
    assert game.state.board["N5"].icons == ["closed"]
    set_phase(game, "2", first="3")
    turn_of(game, "EKB", "train")
    train(game, "EKB", "3-0", 180)
    assert game.state.board["N5"].icons == [] == game.state.board["P5"].icons
    assert "rhine_closed" not in game.phase.status


def test_comparison_7_a_train_is_traded_for_half_its_price_and_sold_on_at_the_full_one() -> None:
    game = drafted(2)
    skip_stock_round(game)
    set_phase(game, "3")
    give_train(game, "EKB", "2-0")
    turn_of(game, "EKB", "train")
    act(game, "EKB", "buy_train", train="3-0", price=140, variant="3", exchange="2-0")
    assert game.state.depot.discarded == ["2-0"]
    turn_of(game, "KFBE", "train")
    train(game, "KFBE", "2-0", 80)
    assert game.corporation("KFBE").trains == ["2-0"]


def test_comparison_8_one_bankruptcy_ends_the_game() -> None:
    game = floated()
    line(game)
    skip_stock_round(game)
    turn_of(game, "DE", "track")
    game.corporation("DE").cash = 0
    hold(game, "DE", P2=[0], P1=[1, 3], pool=[2, 4, 5, 6, 7, 8])
    give_money(game, "P2", 79)
    turn_of(game, "DE", "train")
    assert kinds(game, "DE") == {"bankrupt"}
    act(game, "DE", "bankrupt")
    assert game.finished and state_of(game).outcome is not None


def test_shares_of_the_agv_cannot_be_bought_before_phase_4() -> None:
    game = floated()
    give_money(game, "P2", 500)
    assert refused(game, "P2", "buy_shares", shares=["AGV_3"], percent=10) == "not_parred"
    mergers.put_on_sale(game, "AGV")
    game.touch()
    buy(game, "P2", "AGV_3")
    assert shares.percent(game, game.corporation("AGV"), "player:P2") == 10
