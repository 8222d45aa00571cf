"""The Russian State Railway in operation: runs, loans, trains it buys and is given (1861 4.2, 4.3, 5)."""

from __future__ import annotations

from services.rules.autoroute import best_routes
from services.rules.engine import companies
from services.rules.engine.board import lays
from services.rules.titles.g1867 import loans, national
from tests.titles.g1867.table import Canada, start_minor

from .test_rules import operating, russia, to_national

NATIONAL = "RSR"
INCOME = 100
"""Revenue of the five companies, which it owns from the first 6 on, at the start of the next round."""


def through_route(table: Canada) -> Canada:
    """The others do little, the national leaves its trains idle; its purchases have been made."""
    to_national(table)
    assert table.step() == "route"
    return table.run(NATIONAL, {})


def test_its_revenue_stays_in_its_treasury() -> None:
    """From the capital over Tver to Moscow: no dividend is asked for, and the priority player acts for it."""
    table = operating(3).next_train("7")
    railway = table.company(NATIONAL)
    table.give(NATIONAL, "5-2")
    to_national(table)
    assert table.step() == "route"
    assert table.acting() == [table.game.state.player_order[0]]
    assert [m["type"] for m in table.game.moves()] == ["run_routes"]
    (route,) = best_routes(table.game, NATIONAL, seconds=None)
    assert sorted(route["hexes"]) == ["E1", "G5", "H8"]
    assert (railway.cash, route["revenue"]) == (0, 40 + 10 + 40)
    label = table.game.round_label()
    table.do(NATIONAL, "run_routes", routes=[route])
    assert railway.cash == route["revenue"]
    assert table.game.round_label() != label


def test_trains_that_have_run_this_round_do_not_run_again_for_it() -> None:
    table = operating(3)
    train = table.game.state.depot.trains["5-0"]
    train.ran = True
    national.nationalize(table.game, table.company("N"), "no_train")
    assert table.company(NATIONAL).trains == ["5-0"]
    assert train.ran


def test_interest_is_borrowed_without_end() -> None:
    """It is never taken over: 20 loans, nothing in the treasury, 100 owed: three loans more."""
    table = operating(3)
    railway = table.company(NATIONAL)
    railway.loans, railway.cash, table.state.loans_left = 20, 0, 152
    loans.set_interest(table.game)
    assert table.state.interest_due[NATIONAL] == 20
    assert loans.pay_interest(table.game, railway)
    assert (railway.loans, railway.cash) == (23, 35)
    national.nationalize(table.game, railway, "unpaid_interest")
    assert railway.loans == 23


def test_a_train_from_the_pool_is_good_enough_as_its_first() -> None:
    """The cheapest on sale: a discarded 3 rather than the depot's 5."""
    table = operating(3).next_train("5")
    table.game.state.depot.trains["3-6"].owner = "pool"
    table.game.state.depot.discarded.append("3-6")
    table.company(NATIONAL).cash = 100
    table.game.touch()
    to_national(table)
    railway = table.company(NATIONAL)
    assert railway.trains == ["3-6"]
    assert (railway.loans, railway.cash) == (3, 10)


def test_later_trains_come_from_the_depot_only() -> None:
    table = operating(3).next_train("5")
    table.game.state.depot.trains["3-6"].owner = "pool"
    table.game.state.depot.discarded.append("3-6")
    table.give(NATIONAL, "4-3")
    table.company(NATIONAL).cash = 400
    table.game.touch()
    to_national(table)
    assert table.company(NATIONAL).trains == ["4-3"]
    assert table.company(NATIONAL).loans == 0


def test_its_purchase_changes_the_phase_and_rusts_its_own_trains() -> None:
    table = operating(3).next_train("6")
    table.give(NATIONAL, "3-0")
    table.company(NATIONAL).cash = 650
    through_route(table)
    assert table.game.phase.name == "6"
    assert table.company(NATIONAL).trains == ["6-0"]
    assert table.game.state.depot.trains["3-0"].owner is None


def test_companies_are_bought_out_before_trainless_majors_choose() -> None:
    """The national's own 6 asks the majors in its turn; their companies have been paid (1861 8, 14)."""
    table = operating(3).next_train("6").no_train("NW")
    company = next(c for c in table.game.state.companies.values() if c.sym == "MRR")
    companies.acquire(table.game, company, table.company("NW"))
    table.give(NATIONAL, "4-0")
    table.company(NATIONAL).cash = 650
    nw = table.company("NW")
    nw.loans, nw.cash = 5, 0
    table.give("NW", "3-0")
    through_route(table)
    assert table.step() == "trainless_major"
    assert table.acting() == ["B"]
    assert nw.cash == company.value
    assert company.owner == table.company(NATIONAL).ref


def test_cash_of_a_major_that_gives_up_buys_the_next_train() -> None:
    """In the national's own turn it buys again when a choice brings it money (1861 4.2, 8 13)."""
    table = operating(3).next_train("6").no_train("NW")
    table.give(NATIONAL, "4-0").give("NW", "3-0")
    table.company(NATIONAL).cash = 660
    through_route(table)
    nw = table.company("NW")
    assert table.step() == "trainless_major"
    assert (table.company(NATIONAL).trains, table.company(NATIONAL).cash) == (["4-0", "6-0"], 10)
    nw.cash = 640
    table.do("NW", "choose", choice="nationalize")
    assert table.company(NATIONAL).trains == ["4-0", "6-0", "6-1"]
    assert table.company(NATIONAL).cash == INCOME


def test_no_second_look_when_nothing_more_could_be_bought() -> None:
    """Without a coin left after its purchase the step is over, whatever comes in later in its turn."""
    table = operating(3).next_train("6").no_train("NW")
    table.give(NATIONAL, "4-0").give("NW", "3-0")
    table.company(NATIONAL).cash = 650
    through_route(table)
    table.company("NW").cash = 700
    table.do("NW", "choose", choice="nationalize")
    assert table.company(NATIONAL).trains == ["4-0", "6-0"]
    assert table.company(NATIONAL).cash == 700 + INCOME


def test_companies_add_to_its_routes() -> None:
    """Moscow's two companies add 10 each to its route, as to any corporation's."""
    table = operating(3).next_train("7")
    table.give(NATIONAL, "5-2")
    for sym in ("MYR", "MRR"):
        companies.acquire(table.game, table.game.company(sym), table.company(NATIONAL))
    to_national(table)
    (route,) = best_routes(table.game, NATIONAL, seconds=None)
    assert route["revenue"] == 40 + 10 + 40 + 20


def test_it_is_jumped_over_in_the_last_phase() -> None:
    table = operating(5)
    national.nationalize_minors(table.game)
    table.game.state.phase = 6
    table.next_train("8").give(NATIONAL, "7-0")
    table.company(NATIONAL).cash = 5000
    table.game.touch()
    table.game.board_changed()
    table.game.start_round("operating", 1)
    assert table.game.round.entities == ["corporation:NW", f"corporation:{NATIONAL}"]
    while table.game.round_label() == "OR 5.1":
        assert table.game.operator.sym == "NW"
        table.passes("NW")
    assert table.game.round_label() == "OR 5.2"
    assert table.company(NATIONAL).cash == 5000
    assert "7-0" in table.company(NATIONAL).trains


def test_a_place_kept_for_an_unstarted_minor_is_no_home_of_a_major() -> None:
    """K17 is kept for TR, until the minors nobody started are out."""
    table = operating(3)
    game = table.game
    lays.lay(game.title.track_rules, game.state, "K17", "57", 0)
    city = game.state.board["K17"].cities[0]
    assert city.reserved == ["TR"]
    assert "K17" not in game.title.home_hexes(game, table.company("SE"))
    game.title.on_train_event(game, "minor_start_ends")
    assert "K17" in game.title.home_hexes(game, table.company("SE"))


def test_order_of_free_tokens_follows_the_prices_of_minors() -> None:
    """With two tokens beyond those it keeps back the two dearest minors' cities become the national's."""
    table = russia().sell_companies()
    for sym, owner, price, hex_id, city in (
        ("RO", "A", 110, "B4", 0),
        ("OK", "B", 90, "D20", 0),
        ("MV", "C", 70, "I13", 0),
    ):
        start_minor(table, sym, owner, price, hex_id, city)
    for hex_id in ("F18", "L12", "M7", "M19"):
        table.token(NATIONAL, hex_id)
    national.nationalize_minors(table.game)
    assert [token.hex for token in table.company(NATIONAL).tokens][4:] == ["B4", "D20", None, None]
