"""When loans are taken, how far they reach, what they cost (1867 4.3, 4.7)."""

from __future__ import annotations

import pytest

from services.rules.engine import shares
from services.rules.engine.board import lays
from services.rules.engine.errors import IllegalAction
from services.rules.titles.g1867 import loans

from .table import Canada, start_major, start_minor
from .test_rounds import in_phase


def to_step(table: Canada, sym: str, step: str) -> Canada:
    """Pass on until a company is asked for a step; trains run nothing."""
    while (table.game.operator.sym, table.step()) != (sym, step):
        operator = table.game.operator.sym
        if table.step() == "route":
            table.run(operator, {})
        else:
            table.passes(operator)
    return table


# --- interest ---------------------------------------------------------------------------------------------------


def test_loans_are_taken_for_interest_until_it_can_be_paid() -> None:
    """25 owed, 4 in the treasury, four loans: one more brings 49, of which 24 are left."""
    table = in_phase(3)
    major = table.company("GWR")
    major.loans, major.cash, table.state.loans_left = 4, 4, 68
    table.state.interest_due = {"GWR": 5}
    assert loans.pay_interest(table.game, major)
    assert (major.loans, major.cash, table.state.loans_left) == (5, 24, 67)


def test_interest_is_due_for_the_loans_at_the_start_of_the_round() -> None:
    """A loan taken in the turn is free of interest until the next round, and repaid at once if there is money."""
    table = in_phase(3)
    minor = table.company("KP")
    minor.loans, minor.cash = 1, 5
    loans.set_interest(table.game)
    assert table.state.interest_due == {"KP": 1}
    table.lay("KP", "G15", "57-0", 1)
    table.lay("KP", "H14", "58-0", 1)
    assert (minor.loans, minor.cash) == (2, 30)
    to_step(table, "KP", "company_before_loans")
    minor.cash += 30
    table.passes("KP")
    assert (minor.loans, minor.cash) == (1, 5)  # 60 less 5 of interest, then 50 repaid
    assert table.state.interest_due == {"KP": 1}


def test_without_cash_or_credit_the_step_after_the_run_is_the_last() -> None:
    table = in_phase(3)
    minor = table.company("KP")
    minor.loans, minor.cash = 2, 9
    loans.set_interest(table.game)
    to_step(table, "KP", "company_before_loans")
    table.passes("KP")
    assert minor.closed
    assert table.game.operator.sym == "GWR"


def test_ten_are_enough_for_two_loans() -> None:
    table = in_phase(3)
    minor = table.company("KP")
    minor.loans, minor.cash = 2, 10
    loans.set_interest(table.game)
    to_step(table, "GWR", "track")
    assert (minor.closed, minor.cash, minor.loans) == (False, 0, 2)


def test_a_company_bought_before_the_loan_step_spends_what_repayment_would_take() -> None:
    table = in_phase(3)
    minor = table.company("KP")
    minor.loans, minor.cash = 1, 60
    loans.set_interest(table.game)
    to_step(table, "KP", "company_before_loans")
    table.do("KP", "buy_company", company="MB", price=50)
    to_step(table, "GWR", "track")
    assert (minor.loans, minor.cash) == (1, 5)


# --- track ------------------------------------------------------------------------------------------------------


def test_no_more_loans_than_the_cost_needs() -> None:
    """The green tile of Ottawa's hex costs 20: a treasury of 19 takes one loan, one of 20 none."""
    for cash, left, taken in ((19, 44, 1), (20, 0, 0)):
        table = in_phase(3)
        table.game.state.board["G15"].cities[0].slots = [None]
        minor = table.company("KP")
        minor.tokens[0].hex = None
        table.token("KP", "J12")
        minor.cash = cash
        table.do("KP", "lay_tile", hex="J12", tile="201-0", rotation=3)
        assert (minor.cash, minor.loans) == (left, taken)


def test_track_beyond_all_credit_is_refused() -> None:
    """5 in the treasury and one loan more make 50."""
    table = in_phase(3)
    game, minor = table.game, table.company("KP")
    minor.cash, minor.loans = 5, 1
    assert loans.full(game, minor) == 50
    with pytest.raises(IllegalAction, match="can raise"):
        game.title.pay_for_track(game, minor, 51)
    game.title.pay_for_track(game, minor, 50)
    assert (minor.cash, minor.loans) == (0, 2)


def test_the_second_lay_is_not_offered_below_20() -> None:
    """With 19 and no credit the step closes by itself after the first lay."""
    for cash, open_ in ((19, False), (20, True)):
        table = in_phase(3)
        minor = table.company("KP")
        minor.cash, minor.loans = cash, 2
        table.lay("KP", "G15", "57-0", 1)
        assert (table.step() == "track") is open_


def test_crossing_the_river_costs_80_once() -> None:
    """The side between M9 and M11 is paid by whoever joins it, and free for those after him."""
    table = in_phase(3)
    rules, state = table.game.title.track_rules, table.game.state
    first = lays.lay(rules, state, "M9", "57", 0)
    assert (first.border_cost, first.borders) == (0, [])
    joined = lays.lay(rules, state, "M11", "9", 0)
    assert joined.border_cost == 80
    edges = {edge for edge, kind, _ in state.board["M9"].borders if kind == "water"}
    assert edges == {5}
    assert {edge for edge, kind, _ in state.board["M11"].borders if kind == "water"} == {2}
    assert lays.lay(rules, state, "M9", "14", 0).border_cost == 0


# --- limits -----------------------------------------------------------------------------------------------------


def test_minors_borrow_two_majors_five_and_all_together_72() -> None:
    table = in_phase(3)
    game = table.game
    assert loans.full(game, table.company("KP")) == 90
    assert loans.full(game, table.company("GWR")) == 225
    table.state.loans_left = 1
    assert loans.full(game, table.company("GWR")) == 45
    table.state.loans_left = 0
    assert loans.full(game, table.company("GWR")) == 0
    assert Canada(3).state.loans_left == 72


def test_a_dearer_train_than_the_cheapest_is_bought_with_loans_as_far_as_they_reach() -> None:
    table = in_phase(1).no_train("GWR")
    to_step(table, "GWR", "track")
    table.company("GWR").cash = 10
    table.next_train("3")
    table.game.state.depot.trains["2-9"].owner = "pool"
    table.game.state.depot.discarded.append("2-9")
    table.game.touch()
    to_step(table, "GWR", "train")
    bought = {
        m["train"]: m["price"] for m in table.game.moves() if m["type"] == "buy_train" and m["price"] in (100, 225)
    }
    assert bought == {"2-9": 100, "3-0": 225}
    table.train("GWR", "3-0", 225)
    assert (table.company("GWR").cash, table.company("GWR").loans) == (10, 5)


def test_a_second_train_is_paid_from_the_treasury_alone() -> None:
    table = in_phase(1)
    to_step(table, "GWR", "track")
    table.company("GWR").cash = 90
    to_step(table, "GWR", "train")
    assert not [m for m in table.game.moves() if m["type"] == "buy_train" and m["train"] == "2-0"]
    table.refused("insufficient_funds", "GWR", "buy_train", train="2-0", price=100)


def test_a_discarded_train_makes_the_purchase_compulsory() -> None:
    """The depot's 4 is out of reach, the 3 in the train pool is not (1867 9, 11)."""
    table = in_phase(2).next_train("4").no_train("GWR")
    to_step(table, "GWR", "track")
    table.company("GWR").cash = 20
    table.game.state.depot.trains["3-6"].owner = "pool"
    table.game.state.depot.discarded.append("3-6")
    table.game.touch()
    to_step(table, "GWR", "train")
    table.refused("wrong_action", "GWR", "pass")
    table.train("GWR", "3-6", 225)
    assert table.company("GWR").trains == ["3-6"]
    assert (table.company("GWR").cash, table.company("GWR").loans) == (20, 5)


# --- loans and mergers ------------------------------------------------------------------------------------------


def test_a_merged_major_owes_interest_from_the_next_round() -> None:
    table = Canada(3).sell_companies()
    table.game.state.phase, table.game.state.turn = 1, 5
    table.game.title.on_train_event(table.game, "second_batch")
    start_minor(table, "KP", "A", 110, "G15").give("KP", "5-0")
    table.company("KP").loans = 2
    for player in table.game.state.players:
        player.cash = 0
    table.game.start_round("merger", 1)
    table.do("KP", "convert").merge("KP", "GWR")
    assert table.game.round_label() == "OR 5.2"
    assert table.state.interest_due == {"GWR": 2}
    assert loans.full(table.game, table.company("GWR")) == 135


def test_loans_count_against_a_president_while_the_game_goes_on() -> None:
    """A step left for every loan, in the value of a player as in the final score (1867 6)."""
    table = in_phase(3)
    start_major(table, "CNR", "C", 100)
    table.company("CNR").loans = 2
    title = table.game.title
    assert title.holding_value(table.game, table.company("CNR"), table.player("C")) == 2 * 80
    assert shares.share_price(table.game, table.company("CNR")) == 100
