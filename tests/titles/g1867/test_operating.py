"""Loans, trains, tokens, track and the national in operating rounds (1867 4)."""

from __future__ import annotations

import pytest

from services.rules.engine import companies, market, shares
from services.rules.engine.board import lays
from services.rules.engine.trains import exchange_offers
from services.rules.titles.g1867 import loans, national

from .table import Canada, start_major


def operating(*, phase: int = 0, options: tuple[str, ...] = ()) -> Canada:
    """The first operating round: the first player runs KP in Peterborough, the second CV in Berlin."""
    table = Canada(3, options=options).sell_companies()
    first, second, _ = (str(player) for player in table.game.state.player_order)
    for name in (first, second):
        table.player(name).cash = 500
    table.bid(first, "KP", 180).home("KP", "G15-0-0")
    while table.state.bidding is not None:
        table.passes(str(table.acting()[0]))
    while table.acting() != [second]:
        table.passes(str(table.acting()[0]))
    table.bid(second, "CV", 100).home("CV", "D16-1-0")
    while table.state.bidding is not None:
        table.passes(str(table.acting()[0]))
    for player in table.game.state.players:
        player.cash = 100
    table.game.state.phase = phase
    if phase:
        table.game.title.on_train_event(table.game, "second_batch")
    table.pass_stock_round()
    assert table.game.round_label() == "OR 1.1"
    assert table.game.operator.sym == "KP"
    return table


def owner_of(table: Canada, sym: str) -> str:
    president = table.company(sym).president
    assert president is not None
    return president.partition(":")[2]


# --- loans ------------------------------------------------------------------------------------------------------


def test_second_tile_costs_20_and_takes_a_loan_if_need_be() -> None:
    table = operating().give("KP", "2-0")
    table.company("KP").cash = 0
    table.lay("KP", "G15", "57-0", 1)
    second = next(m for m in table.game.moves() if m["type"] == "lay_tile")
    tile = second["tile"]
    tile = tile if isinstance(tile, str) else tile["choices"][0]
    table.do("KP", "lay_tile", hex=second["hex"], tile=tile, rotation=second["rotation"])
    assert table.company("KP").loans == 1
    assert table.company("KP").cash == 25
    assert table.state.loans_left == 71


def test_same_hex_and_second_upgrade_are_refused() -> None:
    table = operating(phase=1)
    table.lay("KP", "G15", "57-0", 1)
    table.refused("same_hex", "KP", "lay_tile", hex="G15", tile="14-0", rotation=0)


def test_first_tile_covers_the_stub() -> None:
    table = operating()
    table.refused("track_not_kept", "KP", "lay_tile", hex="G15", tile="57-0", rotation=0)


def test_blocked_hex_opens_with_the_first_3() -> None:
    table = operating()
    assert [c.sym for c in companies.blockers(table.game, "M13")] == ["3"]
    table.company("KP").cash = 1000
    table.next_train("3")
    table.passes("KP").train("KP", "3-0", 225)
    assert table.game.phase.name == "3"
    assert table.game.state.companies["3"].closed
    assert table.company("GWR").in_play
    assert table.company("BBG").in_play
    assert table.game.state.board["D2"].cities[0].slots == [None]
    assert table.game.state.board["L12"].cities[2].slots == [None]


def test_compulsory_train_takes_loans_and_interest_is_owed_next_time() -> None:
    table = operating()
    table.company("KP").cash = 20
    table.passes("KP")
    table.refused("wrong_action", "KP", "pass")
    table.train("KP", "2-0", 100)
    assert (table.company("KP").cash, table.company("KP").loans) == (10, 2)
    assert table.state.interest_due == {}


def test_interest_before_repayment_before_trains() -> None:
    """Example: two loans at the start, 120 in the treasury: 10 are paid, then 100 repaid."""
    table = operating()
    minor = table.company("KP")
    minor.loans, minor.cash = 2, 120
    table.state.loans_left = 70
    loans.set_interest(table.game)
    assert table.state.interest_due == {"KP": 2}
    table.give("KP", "2-0").passes("KP")
    assert minor.loans == 0
    assert minor.cash == 10
    assert table.state.loans_left == 72


def test_unpaid_interest_nationalizes() -> None:
    """A price of 180 with five loans: eleven steps left, to 60; 40 % get 240 (1867 4.10)."""
    table = operating(phase=3)
    owner = owner_of(table, "CV")
    start_major(table, "GWR", owner, 180)
    major = table.company("GWR")
    for index in (1, 2):
        shares.give(table.game, major, index, f"player:{owner}", "test")
    major.loans, major.cash = 5, 12
    table.state.interest_due = {"GWR": 5}
    table.token("GWR", "O7")
    assert not loans.pay_interest(table.game, major)
    before = table.player(owner).cash
    national.nationalize(table.game, major, "unpaid_interest")
    assert table.player(owner).cash - before == 240
    fresh = table.company("GWR")
    assert fresh is not major
    assert not fresh.floated
    assert fresh.in_play
    assert [token.price for token in fresh.tokens] == [0, 20, 40]
    assert fresh.holdings == {"ipo": list(range(9))}
    assert table.on_map("CN")[:2] == ["F16", "O7"]


# --- trains -----------------------------------------------------------------------------------------------------


def test_second_hand_trains_are_never_paid_with_loans() -> None:
    table = operating()
    table.give("CV", "2-9")
    table.company("KP").cash = 30
    table.passes("KP")
    table.refused("wrong_price", "KP", "buy_train", train="2-9", price=31)
    table.train("KP", "2-9", 30)
    assert table.company("CV").cash == 130
    assert table.company("KP").trains == ["2-9"]


def test_step_closed_without_a_train_nationalizes_at_once() -> None:
    """With no money to reach a train the minor is gone without any action."""
    table = operating()
    owner = owner_of(table, "KP")
    table.company("KP").cash = 5
    before = table.player(owner).cash
    table.passes("KP")
    assert table.company("KP").closed
    assert table.player(owner).cash > before
    assert table.game.operator.sym == "CV"
    assert table.on_map("CN")[:2] == ["F16", "G15"]


def test_trainless_may_pass_only_when_loans_do_not_reach_the_depot() -> None:
    table = operating()
    table.give("CV", "2-9")
    table.company("KP").cash = 9
    table.passes("KP")
    assert {m["type"] for m in table.game.moves()} == {"buy_train", "pass"}
    table.passes("KP")
    assert table.company("KP").closed


def test_loans_that_reach_exactly_make_the_purchase_compulsory() -> None:
    table = operating()
    table.company("KP").cash = 10
    table.passes("KP")
    assert {m["type"] for m in table.game.moves()} == {"buy_train"}


def test_trade_in_lowers_the_price_in_phase_8_only() -> None:
    table = operating(phase=5)
    owner = owner_of(table, "KP")
    start_major(table, "GWR", owner, 200)
    table.give("GWR", "6-0").give("GWR", "5-0")
    major = table.company("GWR")
    major.cash = 2000
    table.next_train("8")
    assert exchange_offers(table.game, major) == []
    table.game.state.phase = 6
    offers = {(own, offer.name): offer.price for own, offer in exchange_offers(table.game, major)}
    assert offers == {
        ("6-0", "8"): 675,
        ("5-0", "8"): 725,
        ("6-0", "2+2"): 275,
        ("5-0", "2+2"): 325,
        ("6-0", "5+5E"): 1175,
        ("5-0", "5+5E"): 1225,
    }


# --- the national -----------------------------------------------------------------------------------------------


def test_first_4_takes_trainless_minors_and_asks_trainless_majors() -> None:
    table = operating(phase=1)
    owner = owner_of(table, "KP")
    start_major(table, "GWR", owner)
    table.token("GWR", "O7")
    table.company("CV").operated = True
    table.give("KP", "2-0").passes("KP")
    table.company("KP").cash = 1000
    table.next_train("4").no_train("KP")
    table.train("KP", "4-0", 350)
    assert table.game.phase.name == "4"
    assert table.company("CV").closed
    assert table.state.trainless == ["GWR"]
    assert table.step() == "trainless_major"
    table.refused("unknown_choice", "GWR", "choose", choice="go on")
    table.do("GWR", "choose", choice="nationalize")
    assert not table.company("GWR").floated
    assert table.state.trainless == []


def test_trainless_major_may_go_on() -> None:
    table = operating(phase=1)
    start_major(table, "GWR", owner_of(table, "KP"))
    national.check_trainless(table.game)
    assert table.state.trainless == ["GWR"]
    table.passes("GWR")
    assert table.company("GWR").floated


def test_companies_that_have_not_operated_are_immune() -> None:
    table = operating(phase=1)
    start_major(table, "GWR", owner_of(table, "KP"))
    table.company("GWR").operated = False
    national.check_trainless(table.game)
    assert table.state.trainless == []
    assert table.company("KP").floated


def test_first_5_removes_unstarted_minors_first_6_buys_companies_first_8_takes_minors() -> None:
    table = operating(phase=3)
    title, game = table.game.title, table.game
    title.on_train_event(game, "minor_start_ends")
    assert table.company("BO").closed
    assert not table.company("KP").closed
    owner = str(game.state.companies["MB"].owner).partition(":")[2]
    before = table.player(owner).cash
    held = [game.company(sym).value for sym in table.player(owner).companies]
    title.on_train_event(game, "companies_bought_out")
    assert table.player(owner).cash == before + sum(held)
    assert table.player(owner).companies == []
    assert game.state.companies["MB"].owner == "corporation:CN"
    table.give("KP", "4-0")
    title.on_train_event(game, "minors_absorbed")
    assert table.company("KP").closed
    assert table.company("CV").closed
    assert game.state.depot.trains["4-0"].owner is None


def test_national_stands_once_on_a_tile_and_keeps_a_token_for_montreal() -> None:
    table = operating(phase=1)
    cn = table.company("CN")
    for hex_id in ("D8", "F8", "E13", "E15", "C17", "I15"):
        table.token("CN", hex_id)
    assert sum(1 for t in cn.tokens if t.hex is None) == 1
    assert not national.may_take(table.game, "G15")
    assert national.may_take(table.game, "L12")
    assert not national.may_take(table.game, "D8")


def test_tile_639_brings_the_national_to_montreal() -> None:
    table = operating(phase=5)
    state, rules = table.game.state, table.game.title.track_rules
    before = lays.lay(rules, state, "L12", "637", 0)
    lays.lay(rules, state, "L12", "X5", before.new.rotation)
    result = lays.lay(rules, state, "L12", "639", 0)
    table.game.title.after_lay(table.game, table.company("KP"), result)
    assert table.state.national_reservations == []
    assert "CN" in state.board["L12"].cities[0].slots


# --- tokens, dividends ------------------------------------------------------------------------------------------


def test_token_costs_its_price_times_the_distance() -> None:
    table = operating(phase=2)
    start_major(table, "GWR", owner_of(table, "KP"))
    table.token("GWR", "L12")
    assert table.game.title.token_cost(table.game, table.company("GWR"), "D2") == 180
    table.token("GWR", "D8")
    assert table.game.title.token_cost(table.game, table.company("GWR"), "D2") == 120


@pytest.mark.parametrize(
    ("kind", "revenue", "kept", "moves"),
    [
        ("payout", 230, 0, (("right", 1),)),
        ("payout", 90, 0, ()),
        ("half", 230, 110, (("right", 1),)),
        ("half", 190, 90, (("right", 1),)),
        ("half", 180, 90, ()),
        ("withhold", 230, 230, (("left", 1),)),
    ],
)
def test_dividends_of_a_major_at_100(kind: str, revenue: int, kept: int, moves: tuple[tuple[str, int], ...]) -> None:
    table = operating(phase=2)
    start_major(table, "GWR", owner_of(table, "KP"))
    option = table.game.title.dividend_option(table.game, table.company("GWR"), kind, revenue)
    assert option.kept == kept
    assert option.moves == moves


def test_minor_keeps_half_rounded_down() -> None:
    table = operating()
    table.give("KP", "2-0").lay("KP", "G15", "57-0", 1).passes("KP")
    owner, before = owner_of(table, "KP"), table.company("KP").cash
    cash = table.player(owner).cash
    table.run("KP", {"2-0": ["G15-F16"]})
    assert table.company("KP").cash - before == 25
    assert table.player(owner).cash - cash == 25
    assert table.price("KP") == 100


def test_major_redeems_once_a_turn() -> None:
    table = operating(phase=2)
    owner = owner_of(table, "KP")
    start_major(table, "GWR", owner)
    major = table.company("GWR")
    shares.give(table.game, major, 3, "pool", "test")
    shares.give(table.game, major, 4, "pool", "test")
    major.cash = 150
    table.token("GWR", "O7")
    for _ in range(2):
        table.give(table.game.operator.sym, "2-0" if table.game.operator.sym == "KP" else "2-1")
        sym = table.game.operator.sym
        while table.game.round.kind == "operating" and table.game.operator.sym == sym:
            if table.step() == "route":
                table.run(sym, {})
            else:
                table.passes(sym)
    while table.game.operator.sym != "GWR":
        sym = table.game.operator.sym
        table.run(sym, {}) if table.step() == "route" else table.passes(sym)
    assert table.step() == "redeem"
    bundles = [m["shares"] for m in table.game.moves() if m["type"] == "buy_shares"]
    assert bundles == [["GWR_3"], ["GWR_4"]]
    table.refused("insufficient_funds", "GWR", "buy_shares", shares=["GWR_3", "GWR_4"], percent=20)
    table.buy("GWR", "GWR_4")
    major = table.company("GWR")
    assert major.cash == 50
    assert major.holdings["ipo"][-1] == 4
    assert table.step() != "redeem"
    assert market.key(major.price or (0, 0)) == "0,10"
