"""What a nationalization takes, pays and leaves (1867 4.10), and the decisions that wait for it (2.4-2.6)."""

from __future__ import annotations

import pytest

from services.rules.engine import companies, ending, events, shares
from services.rules.engine.board import lays
from services.rules.titles.g1867 import national

from .table import Canada, start_major, start_minor
from .test_rounds import finish_round, in_phase


def started(*, phase: int = 3) -> Canada:
    """No round of its own: companies sold, majors on the list."""
    table = Canada(3).sell_companies()
    table.game.state.phase = phase
    table.game.title.on_train_event(table.game, "second_batch")
    return table


def take(table: Canada, sym: str) -> None:
    table.game.board_changed()
    table.game.touch()
    national.nationalize(table.game, table.company(sym), "no_train")


# --- what is paid -----------------------------------------------------------------------------------------------


def test_only_certificates_of_players_are_paid() -> None:
    """At 90 after the step left: 20 % and 10 % of A, 10 % of B; pool and treasury get nothing."""
    table = started()
    start_major(table, "GWR", "A", 100)
    major = table.company("GWR")
    for index, holder in ((1, "player:A"), (2, "player:B"), (3, "pool"), (4, "pool")):
        shares.give(table.game, major, index, holder, "test")
    major.cash = 37
    before, bank = table.cash(), table.game.state.bank
    take(table, "GWR")
    paid = [now - then for now, then in zip(table.cash(), before, strict=True)]
    assert paid == [3 * 90, 90, 0]
    assert table.game.state.bank == bank + 37 - 4 * 90
    assert table.company("CN").cash == 0


def test_a_minor_is_worth_two_shares() -> None:
    table = started()
    start_minor(table, "KP", "A", 70, "G15")
    before = table.player("A").cash
    take(table, "KP")
    assert table.player("A").cash == before + 2 * 65


def test_loans_are_repaid_as_far_as_cash_goes_and_the_rest_vanishes() -> None:
    """Three loans, 110 in the treasury: two are repaid and return to the stock, the third costs two more steps."""
    table = started()
    start_major(table, "GWR", "A", 135)
    major = table.company("GWR")
    major.loans, major.cash, table.state.loans_left = 3, 110, 69
    before = table.player("A").cash
    take(table, "GWR")
    assert table.state.loans_left == 71
    assert table.company("GWR").loans == 0
    assert table.player("A").cash == before + 2 * 100  # 135, 120, then 110 and 100


def test_companies_of_a_nationalized_corporation_close_for_good() -> None:
    table = started()
    start_major(table, "GWR", "A")
    company = table.game.company("MB")
    companies.acquire(table.game, company, table.company("GWR"))
    take(table, "GWR")
    assert company.closed
    assert company.owner is None


def test_trains_of_a_nationalized_major_leave_the_game() -> None:
    table = started()
    start_major(table, "GWR", "A")
    table.give("GWR", "4-0")
    take(table, "GWR")
    assert table.game.state.depot.trains["4-0"].owner is None
    assert table.game.state.depot.discarded == []


def test_a_company_that_has_not_floated_cannot_be_taken() -> None:
    table = started()
    before = table.game.encode()
    take(table, "GWR")
    take(table, "KP")
    assert table.game.encode() == before


# --- what is left -----------------------------------------------------------------------------------------------


def test_the_fresh_major_stands_where_the_old_one_stood_in_the_list() -> None:
    """It can be a target of a merger or be parred at once."""
    table = started()
    order = [c.sym for c in table.game.corporations]
    start_major(table, "GWR", "A")
    take(table, "GWR")
    assert [c.sym for c in table.game.corporations] == order
    fresh = table.company("GWR")
    assert not fresh.operated
    assert fresh.price is None
    player = str(table.acting()[0])
    table.player(player).cash = 500
    table.game.touch()
    assert "GWR" in {m.get("corporation") for m in table.game.moves() if m["type"] == "par"}


def test_a_nationalized_minor_never_comes_back() -> None:
    table = started(phase=1)
    start_minor(table, "KP", "A", 70, "G15")
    take(table, "KP")
    assert "KP" not in {c.sym for c in table.game.corporations}
    player = str(table.acting()[0])
    table.player(player).cash = 500
    table.refused("not_for_sale", player, "bid", corporation="KP", price=100)


def test_a_major_taken_before_its_turn_does_not_operate_in_that_round() -> None:
    """Nor does the fresh one of the same name."""
    table = in_phase(3)
    table.no_train("GWR")
    national.check_trainless(table.game)
    assert table.state.trainless == ["GWR"]
    table.do("GWR", "choose", choice="nationalize")
    assert table.game.operator.sym == "KP"
    assert "corporation:GWR" in table.game.round.entities
    finish_round(table)
    assert table.game.round_label() == "OR 5.2"
    assert table.game.round.entities == ["corporation:KP"]


def test_tokens_go_by_the_riches_of_their_cities_then_by_name() -> None:
    """Ottawa grows to 60, Quebec to 50, Guelph and Sudbury stay at 40: with one token to spare it takes the richest."""
    table = started()
    start_major(table, "GWR", "A")
    major = table.company("GWR")
    laid = {"J12": ("201", 0), "E15": ("57", 0), "D8": ("57", 0)}
    for hex_id, (tile, rotation) in laid.items():
        lays.lay(table.game.title.track_rules, table.game.state, hex_id, tile, rotation)
    for hex_id in ("D8", "E15", "J12"):
        table.token("GWR", hex_id)
    spent = ("N12", "M9", "C17", "I15", "G15")
    for hex_id in spent:
        table.token("CN", hex_id)
    assert sum(token.hex is None for token in table.company("CN").tokens) == 2  # one is kept for Montreal
    take(table, "GWR")
    assert [token.hex for token in table.company("CN").tokens if token.hex not in (*spent, None)] == ["F16", "J12"]
    assert all(token.hex is None for token in table.company("GWR").tokens)
    assert major.tokens == []


def test_equal_cities_go_by_name_from_the_end() -> None:
    table = started()
    start_major(table, "GWR", "A")
    for hex_id in ("D8", "E15"):
        table.token("GWR", hex_id)
    take(table, "GWR")
    assert table.on_map("CN")[:3] == ["F16", "E15", "D8"]


# --- decisions that wait ----------------------------------------------------------------------------------------


def without_minors(table: Canada) -> Canada:
    """KP has no train and no money, and is gone when it has laid its track."""
    table.no_train("KP").company("KP").cash = 0
    table.company("KP").loans = 2
    table.passes("KP")
    assert table.company("KP").closed
    return table


def test_trainless_majors_are_asked_in_a_merger_round_without_minors() -> None:
    """The exported 6 rusts the only 3 of GWR; nothing goes on before its president has said what he wants."""
    table = without_minors(in_phase(3)).next_train("6")
    table.no_train("GWR").give("GWR", "3-0")
    finish_round(table)
    assert table.game.round_label() == "MR 5.1"
    assert table.game.phase.name == "6"
    assert table.game.round.entities == []
    assert table.step() == "trainless_major"
    assert table.acting() == ["B"]
    assert {m["type"] for m in table.game.moves()} == {"choose", "pass"}
    table.passes("GWR")
    assert table.game.round_label() == "OR 5.2"


def test_majors_over_the_limit_discard_in_a_merger_round_without_minors() -> None:
    table = without_minors(in_phase(3)).next_train("6")
    table.give("GWR", "5-2").give("GWR", "5-3")
    finish_round(table)
    assert (table.game.round_label(), table.step()) == ("MR 5.1", "discard_train")
    table.refused("wrong_action", "GWR", "pass")
    table.refused("not_its_train", "GWR", "discard_train", train="5-0")
    table.do("GWR", "discard_train", train="5-1")
    assert table.game.round_label() == "OR 5.2"
    assert table.game.state.depot.discarded == ["5-1"]


def test_trainless_majors_are_asked_one_by_one_in_operating_order() -> None:
    table = in_phase(3)
    start_major(table, "CNR", "C", 120).token("CNR", "N12")
    table.no_train("GWR")
    national.check_trainless(table.game)
    assert table.state.trainless == ["CNR", "GWR"]
    assert table.acting() == ["C"]
    table.refused("not_your_turn", "GWR", "choose", choice="nationalize")
    table.passes("CNR")
    assert table.acting() == ["B"]
    table.do("GWR", "choose", choice="nationalize")
    assert table.company("CNR").floated
    assert not table.company("GWR").floated


@pytest.mark.parametrize("rank", ["4", "6", "8"])
def test_first_4_6_and_8_bring_the_check(rank: str) -> None:
    table = in_phase({"4": 1, "6": 3, "8": 5}[rank]).next_train(rank)
    table.no_train("GWR")
    table.company("KP").cash = 1000
    table.no_train("KP").passes("KP")
    table.train("KP", f"{rank}-0", {"4": 350, "6": 650, "8": 1000}[rank])
    assert table.state.trainless == ["GWR"]
    assert table.company("KP").closed is (rank == "8")


@pytest.mark.parametrize("rank", ["5", "7"])
def test_first_5_and_7_do_not(rank: str) -> None:
    table = in_phase({"5": 2, "7": 4}[rank]).next_train(rank)
    table.no_train("GWR")
    table.company("KP").cash = 1000
    table.no_train("KP").passes("KP")
    table.train("KP", table.game.state.depot.upcoming[0], {"5": 550, "7": 800}[rank])
    assert table.state.trainless == []


def test_the_log_says_why() -> None:
    table = in_phase(3)
    table.no_train("GWR")
    national.check_trainless(table.game)
    table.game.touch()
    applied = table.game.apply(
        {"type": "choose", "entity": "GWR", "entity_type": "corporation", "choice": "nationalize"}
    )
    assert events.Nationalized("GWR", "chosen") in applied.events


# --- the national's income --------------------------------------------------------------------------------------


def test_the_national_collects_the_revenue_of_companies_it_took() -> None:
    """They neither count as certificates nor in the score any more (1867 5)."""
    table = started(phase=4)
    game = table.game
    held = {p.id: shares.certificate_count(game, p) - len(p.companies) for p in game.state.players}
    game.title.on_train_event(game, "companies_bought_out")
    income = sum(company.revenue for company in game.state.companies.values())
    assert income == 10 + 15 + 20 + 25 + 30
    start_minor(table, "KP", "A", 90, "G15").give("KP", "5-0")
    cash = table.cash()
    game.start_round("operating", 1)
    assert table.company("CN").cash == income
    assert table.cash() == cash
    for player in game.state.players:
        extra = 1 if player.id == "A" else 0
        assert shares.certificate_count(game, player) == held[player.id] + extra
        assert ending.score(game, player) == player.cash + (180 if extra else 0)
