"""Order of rounds, exports and the end of the game (1867 2.3, 4.9, 6)."""

from __future__ import annotations

from services.rules.engine import ending, market, shares

from .table import Canada, start_major, start_minor


def in_phase(phase: int, *, turn: int = 5) -> Canada:
    """The first operating round of a set; KP of A and GWR of B have trains of their own."""
    table = Canada(3).sell_companies()
    state = table.game.state
    state.phase, state.turn = phase, turn
    table.game.title.on_train_event(table.game, "second_batch")
    start_minor(table, "KP", "A", 90, "G15").give("KP", "5-0")
    start_major(table, "GWR", "B", 100).give("GWR", "5-1").token("GWR", "O7")
    for player in state.players:
        player.cash = 0
    table.game.touch()
    table.game.board_changed()
    table.game.start_round("operating", 1)
    return table


def finish_round(table: Canada) -> Canada:
    """Everybody does as little as possible until the round is over."""
    start = table.game.round_label()
    while table.game.round_label() == start and not table.game.finished:
        entity = table.game.active_entities()[0]
        sym = getattr(entity, "sym", None) or str(getattr(entity, "id", ""))
        if table.step() == "route":
            table.run(sym, {})
        else:
            table.passes(sym)
    return table


def upcoming(table: Canada) -> str:
    return table.game.state.depot.upcoming[0]


def test_no_merger_round_and_no_export_in_phase_two() -> None:
    table = Canada(3).sell_companies()
    start_minor(table, "KP", "A", 90, "G15").give("KP", "3-0")
    for player in table.game.state.players:
        player.cash = 0
    table.game.start_round("operating", 1)
    finish_round(table)
    assert table.game.round_label() == "OR 1.2"
    assert upcoming(table) == "2-0"


def test_merger_round_after_every_operating_round_from_phase_three() -> None:
    table = in_phase(1)
    before = table.game.state.round_count
    finish_round(table)
    assert table.game.round_label() == "OR 5.2"  # KP has no partner: its round is over at once
    assert upcoming(table) == "2-0"
    assert table.game.state.round_count == before + 2


def test_a_train_is_exported_after_every_operating_round_of_phases_four_to_seven() -> None:
    table = in_phase(2).next_train("4")
    assert upcoming(table) == "4-0"
    finish_round(table)
    assert upcoming(table) == "4-1"
    assert table.game.state.depot.trains["4-0"].owner is None


def test_export_changes_the_phase_and_rusts() -> None:
    table = in_phase(4).next_train("7")
    table.give("GWR", "4-0")
    finish_round(table)
    assert table.game.phase.name == "7"
    table.next_train("8")
    finish_round(table)
    assert table.game.phase.name == "8"
    assert table.company("KP").closed
    assert "4-0" not in table.company("GWR").trains
    assert table.game.state.final_turn == 6
    assert table.game.round_label() == "SR 6.1"  # neither export nor merger round in phase 8
    table.pass_stock_round()
    assert table.game.state.operating_rounds == 3
    for number in (2, 3):
        finish_round(table)
        assert table.game.round_label() == f"OR 6.{number}"
    finish_round(table)
    assert table.game.finished
    assert table.game.state.outcome is not None
    assert table.game.state.outcome.reason == "final_phase"


def test_bank_ends_the_game_with_the_operating_round() -> None:
    table = in_phase(1)
    table.game.state.bank_broken = True
    finish_round(table)
    assert table.game.state.outcome is not None
    assert table.game.state.outcome.reason == "bank"


def test_last_phase_goes_before_the_bank() -> None:
    table = in_phase(5)
    table.game.state.bank_broken = True
    assert ending.check(table.game) == "current_or"
    table.game.state.phase = 6
    assert ending.check(table.game) == "one_more_full_or_set"
    assert table.game.state.final_turn == 6
    assert not ending.ends_now(table.game, "one_more_full_or_set")


def test_loans_lower_the_price_at_the_end_and_in_the_score() -> None:
    table = in_phase(1)
    table.company("KP").loans, table.company("GWR").loans = 2, 3
    table.state.loans_left = 67
    assert ending.score(table.game, table.player("A")) == table.player("A").cash + 2 * 70 + sum(
        table.game.company(sym).value for sym in table.player("A").companies
    )
    table.do("A", "end_game")
    assert table.price("GWR") == 70
    assert table.company("KP").loans == 0
    assert table.state.loans_left == 72
    assert table.game.state.outcome is not None
    assert table.game.state.outcome.result["B"] == table.player("B").cash + 2 * 70 + sum(
        table.game.company(sym).value for sym in table.player("B").companies
    )


def test_sold_out_major_rises_at_the_end_of_a_stock_round() -> None:
    table = Canada(3).sell_companies()
    start_major(table, "GWR", "A", 100)
    start_minor(table, "KP", "B", 90, "G15")
    for index in range(1, 9):
        shares.give(table.game, table.company("GWR"), index, f"player:{'ABC'[index % 3]}", "test")
    table.company("GWR").operated = False
    table.pass_stock_round()
    assert table.price("GWR") == 110
    assert table.price("KP") == 90
    assert market.key(table.company("GWR").price or (0, 0)) == "0,11"


def test_companies_are_sold_to_corporations_between_1_and_face_value() -> None:
    table = in_phase(1)
    owner = str(table.game.state.companies["MB"].owner).partition(":")[2]
    table.company("KP").cash = 200
    table.refused("wrong_price", "KP", "buy_company", company="MB", price=61)
    table.refused("wrong_price", "KP", "buy_company", company="MB", price=0)
    before = table.player(owner).cash
    table.do("KP", "buy_company", company="MB", price=60)
    assert table.player(owner).cash == before + 60
    assert table.company("KP").companies == ["MB"]
    table.refused("not_for_sale", "KP", "buy_company", company="3", price=1)


def test_companies_are_not_sold_before_phase_three() -> None:
    table = in_phase(0)
    table.company("KP").cash = 200
    table.refused("wrong_action", "KP", "buy_company", company="MB", price=40)


def test_unpaid_interest_ends_the_turn_of_a_major() -> None:
    table = in_phase(3)
    major = table.company("GWR")
    major.loans, major.cash = 5, 12
    table.state.interest_due = {"GWR": 5}
    while table.game.operator.sym == "KP":
        if table.step() == "route":
            table.run("KP", {})
        else:
            table.passes("KP")
    owner = table.player("B").cash
    table.passes("GWR")  # no track
    assert table.step() == "company_before_loans"
    table.passes("GWR")
    assert not table.company("GWR").floated
    assert table.player("B").cash > owner
    assert table.game.state.depot.trains["5-1"].owner is None
    assert table.game.round_label() == "OR 5.2"


def test_minor_that_buys_the_first_8_is_swept_away_by_it() -> None:
    table = in_phase(5).next_train("8").no_train("KP")
    table.company("KP").cash = 1000
    table.passes("KP").train("KP", "8-0", 1000)
    assert table.game.phase.name == "8"
    assert table.company("KP").closed
    assert table.game.state.depot.trains["8-0"].owner is None
    assert table.game.operator.sym == "GWR"
    assert table.state.trainless == []
