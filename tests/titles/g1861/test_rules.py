"""What 1861 changes in 1867: homes, the first minor, the national railway, the end (1861)."""

from __future__ import annotations

import pytest

from services.rules.engine import shares
from services.rules.engine.board import lays
from services.rules.engine.trains import depot_trains
from services.rules.titles.g1867 import loans, national
from services.rules.titles.g1867.mergers import price_for
from tests.titles.g1867.table import Canada, start_major, start_minor


def russia(players: int = 3, *, seed: int = 1, options: tuple[str, ...] = ()) -> Canada:
    return Canada(players, title="1861", seed=seed, options=options)


def operating(phase: int, *, turn: int = 5, number: int = 1) -> Canada:
    """An operating round in which N of A and NW of B act before the national."""
    table = russia().sell_companies()
    state = table.game.state
    state.phase, state.turn = phase, turn
    table.game.title.on_train_event(table.game, "second_batch")
    start_minor(table, "N", "A", 90, "H8", 1).give("N", "5-0")
    start_major(table, "NW", "B", 100).give("NW", "5-1").token("NW", "L12")
    for player in state.players:
        player.cash = 0
    table.game.touch()
    table.game.board_changed()
    table.game.start_round("operating", number)
    return table


def to_national(table: Canada) -> Canada:
    """N and NW do as little as possible."""
    while table.game.round.kind == "operating" and table.game.operator.kind != "national":
        sym = table.game.operator.sym
        if table.step() == "route":
            table.run(sym, {})
        else:
            table.passes(sym)
    return table


# --- homes ------------------------------------------------------------------------------------------------------


def test_first_minor_is_n_and_its_token_needs_no_action() -> None:
    table = russia().sell_companies()
    first = str(table.acting()[0])
    table.refused("first_minor", first, "bid", corporation="RO", price=100)
    table.bid(first, "N", 100)
    assert table.on_map("N") == ["H8"]
    assert table.game.state.board["H8"].cities[1].slots == ["N"]
    assert table.step() == "stock"
    while table.state.bidding is not None:
        table.passes(str(table.acting()[0]))
    table.bid(str(table.acting()[0]), "RO", 100)
    assert table.on_map("RO") == ["B4"]


def test_closing_n_opens_the_other_minors() -> None:
    table = russia().sell_companies()
    national.leave(table.game, table.company("N"))
    table.bid(str(table.acting()[0]), "RO", 100)


def test_homes_are_reserved_until_the_first_5() -> None:
    table = russia()
    board = table.game.state.board
    assert board["E1"].cities[0].reserved == ["SPW"]
    assert board["E1"].cities[1].reserved == ["RSR"]
    assert board["D14"].cities[1].reserved == ["KB"]
    assert board["Q3"].cities[0].reserved == ["E"]
    table.game.title.on_train_event(table.game, "minor_start_ends")
    assert board["D14"].cities[1].reserved == [None]
    assert board["E1"].cities[1].reserved == ["RSR"]


def test_majors_start_in_unconnected_empty_cities_that_nobody_keeps() -> None:
    table = russia().sell_companies()
    table.game.title.on_train_event(table.game, "second_batch")
    homes = table.game.title.home_hexes(table.game, table.company("MVR"))
    assert set(homes) == {"D14", "F18", "K7", "L12", "M7", "M19", "P2", "P8"}


@pytest.mark.parametrize(("seed", "removed"), [(1, {"BSS", "MYR"}), (2, {"TSR", "MYR"}), (12345, {"MRR", "BSS"})])
def test_two_players_leave_companies_out(seed: int, removed: set[str]) -> None:
    table = russia(2, seed=seed)
    assert {"TSR", "BSS", "MYR", "MRR", "WVR"} - set(table.game.state.companies) == removed


@pytest.mark.parametrize(
    ("price", "cell"), [(165, (1, 7)), (150, (2, 7)), (135, (2, 6)), (120, (3, 6)), (110, (3, 5)), (100, (4, 5))]
)
def test_conversion_moves_to_the_par_cell_of_the_price(price: int, cell: tuple[int, int]) -> None:
    assert price_for(russia().game, price).cell == cell


def test_column_market_is_that_of_1867() -> None:
    table = russia(options=("column_market",))
    assert table.game.title.market.kind == "column"
    assert table.game.title.market.at((0, 15)).price == 165
    assert russia().game.title.market.kind == "grid"


# --- the national -----------------------------------------------------------------------------------------------


def test_national_is_last_and_jumped_over_before_phase_four() -> None:
    table = operating(1)
    assert table.game.round.entities[-1] == "corporation:RSR"
    first = table.game.state.player_order[0]
    assert table.company("RSR").president == f"player:{first}"
    to_national(table)
    assert table.company("RSR").trains == []
    assert table.on_map("RSR") == [None] * 8


def test_first_turn_buys_a_train_with_loans_and_takes_the_capital() -> None:
    """With 61 and no train: seven loans, the 4 for 350, 26 left (1861 4.2)."""
    table = operating(2).next_train("4")
    table.company("RSR").cash = 61
    to_national(table)
    company = table.company("RSR")
    assert company.trains == ["4-0"]
    assert (company.cash, company.loans) == (26, 7)
    assert table.on_map("RSR")[0] == "E1"
    assert table.game.state.board["E1"].cities[1].slots == ["RSR"]
    assert table.state.national_reservations == ["H8"]
    assert table.state.loans_left == 165


def test_later_turns_run_pay_interest_and_repay() -> None:
    """A run of 120 pays 35 of interest and two loans (1861 4.2)."""
    table = operating(2)
    national_railway = table.company("RSR")
    national_railway.cash, national_railway.loans = 26 + 120, 7
    loans.set_interest(table.game)
    assert loans.pay_interest(table.game, national_railway)
    loans.repay(table.game, national_railway)
    assert (national_railway.cash, national_railway.loans) == (11, 5)


def test_national_buys_every_next_train_it_can_pay() -> None:
    table = operating(2).next_train("4")
    table.give("RSR", "4-0")
    table.company("RSR").cash = 1300
    to_national(table)
    if table.step() == "route":
        table.run("RSR", {})
    assert table.company("RSR").trains[:3] == ["4-0", "4-1", "4-2"]
    assert "4-3" in table.company("RSR").trains
    assert table.company("RSR").cash < 550


def test_trains_of_the_national_are_not_for_sale() -> None:
    table = operating(2).next_train("4")
    table.give("RSR", "4-0").no_train("N")
    table.company("N").cash = 10
    table.passes("N")
    assert {m["train"] for m in table.game.moves() if m["type"] == "buy_train"} == {"5-1"}
    table.refused("not_on_sale", "N", "buy_train", train="4-0", price=5)


def test_foreign_train_of_the_national_keeps_the_train_step_open() -> None:
    table = operating(1).next_train("4")
    table.give("RSR", "4-0").no_train("NW")
    table.company("N").cash = 10
    table.passes("N")
    if table.step() == "route":
        table.run("N", {})
    while table.step() not in ("train", "") and table.game.operator.sym == "N":
        table.passes("N")
    assert table.game.operator.sym == "N"
    assert table.step() == "train"
    assert {m["type"] for m in table.game.moves()} == {"buy_company", "pass"}


def test_nationalization_gives_all_to_the_national() -> None:
    """One loan, price 90, 21 in the treasury: 90, 80, 70; the owner gets 140, the national 21 (1861 5)."""
    table = russia(options=("column_market",)).sell_companies()
    start_minor(table, "N", "A", 90, "H8", 1).give("N", "2-0")
    minor = table.company("N")
    minor.loans, minor.cash = 1, 21
    held = table.player("A").companies[:1] or ["TSR"]
    table.game.state.companies[held[0]].owner = minor.ref
    minor.companies = list(held)
    if held[0] in table.player("A").companies:
        table.player("A").companies.remove(held[0])
    before = table.player("A").cash
    national.nationalize(table.game, minor, "no_train")
    assert table.player("A").cash == before + 140
    railway = table.company("RSR")
    assert railway.cash == 21
    assert railway.trains == ["2-0"]
    assert railway.companies == held
    assert table.game.state.board["H8"].cities[1].slots == ["RSR"]
    assert table.state.national_reservations == ["E1"]


def test_taking_the_capital_frees_the_reserved_place() -> None:
    table = russia().sell_companies()
    start_minor(table, "SPW", "A", 90, "E1", 0)
    national.nationalize(table.game, table.company("SPW"), "no_train")
    assert table.game.state.board["E1"].cities[0].slots == ["RSR"]
    assert table.game.state.board["E1"].cities[1].reserved == [None]
    assert table.state.national_reservations == ["H8"]


def test_tile_639_brings_the_national_to_moscow() -> None:
    table = operating(5)
    rules, state = table.game.title.track_rules, table.game.state
    lays.lay(rules, state, "H8", "637", 0)
    lays.lay(rules, state, "H8", "638", 0)
    result = lays.lay(rules, state, "H8", "639", 0)
    table.game.title.after_lay(table.game, table.company("N"), result)
    assert "RSR" in state.board["H8"].cities[0].slots
    assert table.state.national_reservations == ["E1"]


def test_first_6_leaves_the_national_its_companies() -> None:
    table = russia().sell_companies()
    company = table.game.state.companies["MRR"]
    owner = table.player(str(company.owner).partition(":")[2])
    owner.companies.remove("MRR")
    company.owner = "corporation:RSR"
    table.company("RSR").companies = ["MRR"]
    cash = owner.cash
    held = sum(table.game.company(sym).value for sym in owner.companies)
    table.game.title.on_train_event(table.game, "companies_bought_out")
    assert owner.cash == cash + held
    assert company.owner == "corporation:RSR"
    assert set(table.company("RSR").companies) == {"TSR", "BSS", "MYR", "MRR", "WVR"}


def test_no_trade_in_and_no_export() -> None:
    table = operating(6)
    assert not any(data.discount for data in table.game.title.data.trains)
    assert not any("train_export" in phase.status for phase in table.game.title.data.phases)
    assert depot_trains(table.game)


# --- the end ----------------------------------------------------------------------------------------------------


def test_last_phase_in_the_first_round_of_a_set_makes_it_the_last() -> None:
    table = operating(6)
    table.game.title.after_action(table.game)
    assert (table.game.state.final_turn, table.game.state.operating_rounds) == (5, 3)


def test_last_phase_in_the_second_round_makes_the_next_set_the_last() -> None:
    table = operating(6, number=2)
    table.game.title.after_action(table.game)
    assert (table.game.state.final_turn, table.game.state.operating_rounds) == (6, 2)


def test_bank_alone_changes_nothing_but_the_end() -> None:
    table = operating(1)
    table.game.state.bank_broken = True
    table.passes("N")
    assert table.game.state.final_turn is None
    to_national(table)
    assert table.game.finished
    assert table.game.state.outcome is not None
    assert table.game.state.outcome.reason == "bank"


def test_national_has_no_part_in_the_score() -> None:
    table = operating(2)
    assert shares.player_holders(table.game, table.company("RSR")) == []
    assert table.company("RSR").price is None
