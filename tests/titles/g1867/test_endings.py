"""When a game stops: the bank, the last phase, and both at once (1867 6)."""

from __future__ import annotations

from services.rules.engine import ending, trains

from .table import Canada
from .test_loans import to_step
from .test_rounds import finish_round, in_phase


def last_phase(table: Canada) -> Canada:
    """The 7s are gone and the first 8 leaves the depot now."""
    table.game.state.phase = 5
    table.next_train("8")
    trains.export(table.game)
    assert table.game.phase.name == "8"
    table.game.touch()
    return table


def to_label(table: Canada, label: str) -> Canada:
    """Rounds pass without much happening until one begins."""
    for _ in range(12):
        if table.game.finished or table.game.round_label() == label:
            return table
        if table.game.round.kind == "stock":
            table.pass_stock_round()
        else:
            finish_round(table)
    raise AssertionError(f"{label} never came")


def ended(table: Canada, reason: str, label: str) -> None:
    outcome = table.game.state.outcome
    assert outcome is not None
    assert (outcome.reason, table.game.round_label()) == (reason, label)


def test_bank_that_breaks_in_a_stock_round_ends_the_next_operating_round() -> None:
    table = to_label(in_phase(1), "SR 6.1")
    table.game.state.bank_broken = True
    table.pass_stock_round()
    assert table.game.round_label() == "OR 6.1"
    finish_round(table)
    ended(table, "bank", "OR 6.1")


def test_first_8_in_the_first_round_of_a_set_leaves_that_set_two_rounds() -> None:
    table = last_phase(to_step(in_phase(5), "GWR", "track"))
    finish_round(table)
    assert table.game.round_label() == "OR 5.2"
    finish_round(table)
    assert table.game.round_label() == "SR 6.1"
    table.pass_stock_round()
    to_label(table, "OR 6.3")
    assert not table.game.finished
    finish_round(table)
    ended(table, "final_phase", "OR 6.3")


def test_first_8_before_the_round_is_over_postpones_the_end_by_the_bank() -> None:
    table = in_phase(5)
    table.game.state.bank_broken = True
    table.passes("KP")
    assert table.game.state.trigger is not None
    assert table.game.state.trigger.reason == "bank"
    last_phase(table)
    to_label(table, "OR 6.3")
    assert not table.game.finished
    finish_round(table)
    ended(table, "final_phase", "OR 6.3")


def test_bank_that_broke_before_the_set_makes_the_set_of_the_first_8_the_last() -> None:
    """Noted with the bank: next turn's set is the last and has three rounds, whatever ends the game (1867 6)."""
    table = in_phase(5, turn=5)
    table.game.state.operating_rounds = 1
    table.player("C").cash = 500
    finish_round(table)  # the only round of this set
    assert table.game.round_label() == "SR 6.1"
    state = table.game.state
    state.bank_broken, state.turn = True, 5  # as if it had broken in the merger round of turn 5
    ending.check(table.game)
    state.turn = 6
    assert state.final_turn == 6
    table.pass_stock_round()
    assert state.operating_rounds == 3
    last_phase(to_step(table, "GWR", "track"))
    to_label(table, "OR 6.3")
    assert not table.game.finished
    finish_round(table)
    ended(table, "final_phase", "OR 6.3")


def test_no_train_is_exported_when_the_game_ends() -> None:
    table = in_phase(3).next_train("5")
    table.game.state.bank_broken = True
    first = table.game.state.depot.upcoming[0]
    finish_round(table)
    assert table.game.finished
    assert table.game.state.depot.upcoming[0] == first


def test_doubled_trains_go_on_sale_with_the_last_phase() -> None:
    table = in_phase(5).next_train("8")
    names = {trains.rank(t) for t in trains.depot_trains(table.game)}
    assert names == {"8"}
    last_phase(table)
    names = {trains.rank(t) for t in trains.depot_trains(table.game)}
    assert names == {"8", "2+2", "5+5E"}
