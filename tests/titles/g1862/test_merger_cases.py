"""Mergers beyond the examples: prices, money, missing donors, turns (1862 4.9)."""

from __future__ import annotations

import pytest

from services.rules.engine import shares
from services.rules.engine.game import Game
from services.rules.engine.state import IPO, POOL
from services.rules.titles.g1862 import mergers
from services.rules.titles.g1862.state import Question, of
from services.rules.titles.g1862.takeover import placed

from .merging import floated, merge, own_train, put, two_corporations
from .operating import tile
from .table import act, cash, corporation, hold, price, refused, start, trains, where


def question(game: Game) -> Question:
    merger = of(game).merger
    assert merger is not None
    assert merger.question is not None
    return merger.question


def finish(game: Game, choice: str = "sell") -> list[tuple[str, int]]:
    """Answer every question; returns who was asked, and what for in percent."""
    asked = []
    while of(game).merger is not None and of(game).removal is None:
        asked.append((question(game).holder, question(game).percent))
        mergers.answer(game, choice)
    return asked


def at_prices(survivor: int, other: int, *, trainless: tuple[str, ...] = ()) -> Game:
    """EUR and N&E on these columns of the market."""
    game = two_corporations()
    for sym, column in (("EUR", survivor), ("N&E", other)):
        line = corporation(game, sym)
        shares.move_price(game, line, "left", 40)
        shares.move_price(game, line, "right", column // 2)
    for sym in trainless:
        corporation(game, sym).trains = []
    return game


@pytest.mark.parametrize(
    ("columns", "trainless", "expected"),
    [
        ((26, 26), (), 150),
        ((26, 20), (), 122),
        ((20, 26), (), 122),
        ((26, 26), ("N&E",), 100),
        ((26, 26), ("EUR", "N&E"), 74),
        ((8, 8), (), 65),
        ((8, 8), ("EUR", "N&E"), 31),
    ],
)
def test_the_price_of_a_merger(columns: tuple[int, int], trainless: tuple[str, ...], expected: int) -> None:
    """The lower effective price and half the higher one: above both, or below the price of one without trains."""
    game = at_prices(*columns, trainless=trainless)
    merge(game, "EUR", "N&E", survives=True)
    assert price(game, "EUR") == expected


def test_base_par_is_the_lowest_par_where_the_price_is_below_it() -> None:
    game = at_prices(8, 8, trainless=("EUR", "N&E"))
    merge(game, "EUR", "N&E", survives=True)
    assert corporation(game, "EUR").base_par == (0, 12)


def test_the_marker_is_queued_anew_on_its_cell() -> None:
    game = two_corporations()
    for sym in ("EUR", "N&E"):
        shares.move_price(game, corporation(game, sym), "left", 40)
        shares.move_price(game, corporation(game, sym), "right", 1)
    game.state.market["0,3"] = ["SVR"]
    merge(game, "EUR", "N&E", survives=True)
    assert price(game, "EUR") == 20
    assert game.state.market["0,3"] == ["SVR", "EUR"]


def test_only_the_originator_pools_the_partners_cash_and_only_for_an_odd_certificate() -> None:
    game = two_corporations()
    corporation(game, "EUR").cash, corporation(game, "N&E").cash = 10, 290
    merge(game, "EUR", "N&E", survives=True)
    assert question(game).holder == "player:J1"
    assert (cash(game, "EUR"), cash(game, "N&E")) == (10, 290), "players use their own money"
    act(game, "J1", "choose", choice="sell")
    assert question(game).holder == "corporation:EUR"
    assert (cash(game, "EUR"), cash(game, "N&E")) == (300, 0)
    assert where(game) == "EUR:option_share"
    act(game, "EUR", "choose", choice="redeem")
    assert cash(game, "EUR") == 225


def test_without_an_odd_certificate_cash_moves_with_the_assets() -> None:
    game = two_corporations()
    hold(game, "EUR", J1=[0, 1, 2, 3], J2=[4, 5, 6, 7])
    hold(game, "N&E", J1=[0, 1, 2, 3, 4], J2=[5, 6, 7])
    merge(game, "EUR", "N&E", survives=True)
    asked = finish(game)
    assert all(holder != "corporation:EUR" for holder, _ in asked)
    assert (cash(game, "EUR"), cash(game, "N&E")) == (296, 0)


def test_who_cannot_redeem_sells_without_being_asked() -> None:
    game = two_corporations()
    game.player("J1").cash = 74
    merge(game, "EUR", "N&E", survives=True)
    assert question(game).holder == "corporation:EUR"
    assert cash(game, "J1") == 74 + 75


def test_the_option_of_the_other_corporation_is_paid_where_nobody_has_the_survivors() -> None:
    """J1 has redeemed the survivor's president certificate, so J2's 40 % are worth twice the price."""
    game = two_corporations()
    hold(game, "EUR", J1=[0, 1], J3=[2, 3, 4, 5, 6, 7])
    hold(game, "N&E", J2=[0, 1], J3=[2, 3, 4, 5, 6, 7])
    corporation(game, "N&E").president = "player:J2"
    before = cash(game, "J2")
    merge(game, "EUR", "N&E", survives=True)
    assert (question(game).holder, question(game).percent) == ("player:J1", 40)
    act(game, "J1", "choose", choice="redeem")
    assert cash(game, "J2") - before == 2 * 150
    assert shares.percent(game, corporation(game, "EUR"), "player:J2") == 0
    finish(game)
    assert corporation(game, "EUR").president == "player:J3", "the largest holder has the certificate from J1"


def test_the_option_of_the_other_corporation_is_exchanged_for_the_survivors() -> None:
    """J1, first in order, holds N&E's president certificate; EUR's lies with J2, who comes after him."""
    game = two_corporations()
    hold(game, "EUR", J2=[0, 1, 2, 3, 4, 5, 6], J1=[7])
    hold(game, "N&E", J1=[0], ipo=[1, 2, 3, 4, 5, 6, 7])
    corporation(game, "EUR").president = "player:J2"
    merge(game, "N&E", "EUR", survives=False)
    assert (question(game).holder, question(game).corporation, question(game).index) == ("player:J1", "EUR", 0)
    assert (question(game).percent, question(game).sell, question(game).redeem) == (40, 300, 150)
    finish(game, "redeem")
    line = corporation(game, "EUR")
    assert line.president == "player:J2", "the largest holder has the certificate back for three of his"
    assert line.holdings["player:J1"] == [1, 2, 3]
    everything = sorted(i for held in corporation(game, "EUR").holdings.values() for i in held)
    assert everything == list(range(8))


def test_corporations_of_different_presidents_merge_without_asking_the_other() -> None:
    game = two_corporations()
    tile(game, "D13", "57", 1)
    corporation(game, "N&E").president = "player:J2"
    merge(game, "EUR", "N&E", survives=True)
    finish(game)
    assert corporation(game, "EUR").started
    assert not corporation(game, "N&E").started


def test_two_chartered_corporations_stay_chartered() -> None:
    game = two_corporations()
    line = corporation(game, "N&E")
    line.capitalization, line.chartered = "full", True
    merge(game, "EUR", "N&E", survives=True)
    finish(game)
    line = corporation(game, "EUR")
    assert (line.chartered, line.capitalization) == (True, "full")


def test_an_unchartered_survivor_stays_so() -> None:
    game = two_corporations()
    merge(game, "N&E", "EUR", survives=True)
    finish(game)
    line = corporation(game, "N&E")
    assert (line.chartered, line.capitalization, line.permits) == (False, "incremental", ["freight", "express"])
    assert corporation(game, "EUR").permits == ["express"]
    assert trains(game, "N&E") == ["1F", "2E"]


def test_permits_of_a_corporation_that_ends_are_its_first_one() -> None:
    game = two_corporations()
    corporation(game, "N&E").permits = ["freight", "local"]
    merge(game, "EUR", "N&E", survives=True)
    finish(game)
    assert corporation(game, "EUR").permits == ["express", "freight", "local"]
    assert corporation(game, "N&E").permits == ["freight"]


@pytest.mark.parametrize(
    ("originator", "survivor", "turns", "index", "after", "skips"),
    [
        ("EUR", "EUR", ["EUR", "N&E"], 0, ["EUR"], False),
        ("EUR", "EUR", ["N&E", "EUR"], 1, ["N&E", "EUR"], True),
        ("N&E", "EUR", ["EUR", "N&E"], 1, ["EUR", "EUR"], True),
        ("N&E", "EUR", ["N&E", "EUR"], 0, ["EUR"], False),
    ],
)
def test_the_list_of_turns(
    originator: str, survivor: str, turns: list[str], index: int, after: list[str], skips: bool
) -> None:
    """Where the survivor has had its turn it is skipped, else it goes on in the turn of the one that ended."""
    game = two_corporations()
    game.round.entities = [f"corporation:{sym}" for sym in turns]
    game.round.index = index
    other = "N&E" if originator == "EUR" else "EUR"
    merge(game, originator, other, survives=survivor == originator)
    finish(game)
    assert [ref.partition(":")[2] for ref in game.round.entities] == after
    assert of(game).skip_turn == ([survivor] if skips else [])


def neighbors() -> Game:
    """EUR's turn; N&E has a token in Colchester too."""
    game = two_corporations()
    tile(game, "E12", "790", 0)
    for slot, sym in enumerate(("EUR", "N&E")):
        line = corporation(game, sym)
        line.tokens = [type(token)(price=0) for token in line.tokens]
        game.state.board["E12"].cities[0].slots[slot] = None
        put(game, sym, ("E12", slot))
    game.state.board["B13"].cities[0].slots[0] = None
    game.board_changed()
    game.start_round("operating", 1)
    return game


def test_an_acquisition_ends_the_turn() -> None:
    game = neighbors()
    assert where(game) == "EUR:merge"
    assert refused(game, "EUR", "merge", corporation="SVR") == "not_a_candidate"
    while where(game) != "EUR:acquire":
        act(game, "EUR", "pass")
    act(game, "EUR", "merge", corporation="N&E")
    assert refused(game, "EUR", "pass") == "wrong_action", "no way back"
    assert refused(game, "EUR", "choose", choice="N&E") == "unknown_choice"
    act(game, "EUR", "choose", choice="first")
    while of(game).merger is not None:
        act(game, where(game).split(":")[0], "choose", choice="sell")
    assert game.round.kind == "parliament"
    assert not corporation(game, "N&E").started


def test_a_merger_at_the_start_leaves_the_rest_of_the_turn() -> None:
    game = neighbors()
    act(game, "EUR", "merge", corporation="N&E")
    act(game, "EUR", "choose", choice="last")
    while of(game).merger is not None:
        act(game, where(game).split(":")[0], "choose", choice="sell")
    assert where(game) == "N&E:track"
    assert not corporation(game, "EUR").started


def test_half_of_the_holdings_is_returned_the_other_corporations_first() -> None:
    """J1's 60 % are N&E's president certificate and EUR's: he gives up N&E's and keeps the other."""
    game = two_corporations()
    hold(game, "EUR", J1=[0], J2=[1, 2, 3, 4, 5, 6, 7])
    hold(game, "N&E", J1=[0], J2=[1, 2, 3], ipo=[4, 5, 6, 7])
    merge(game, "EUR", "N&E", survives=True)
    finish(game)
    line = corporation(game, "EUR")
    assert (line.president, line.holdings["player:J1"]) == ("player:J2", [1, 2, 3]), "30 % are left, changed for J2's"
    assert corporation(game, "N&E").holdings == {IPO: list(range(8))}


def test_a_merger_can_leave_the_survivor_without_a_president() -> None:
    """J1 sells his option and nobody else keeps 30 %: the survivor does not run in this turn."""
    game = start(4, seed=46925)
    floated(game, "EUR", 26, cash=400)
    floated(game, "N&E", 26, chartered=False, cash=76)
    own_train(game, "EUR", "A-0", "2E")
    hold(game, "EUR", J1=[0], J2=[1, 2], J3=[3, 4], J4=[5, 6, 7])
    hold(game, "N&E", J2=[1, 2], J3=[3, 4], J4=[5, 6], pool=[7, 0])
    put(game, "EUR", ("E12", 0))
    put(game, "N&E", ("B13", 0))
    game.start_round("operating", 1)
    merge(game, "EUR", "N&E", survives=True)
    assert finish(game) == [("player:J1", 30), ("player:J4", 10)]
    line = corporation(game, "EUR")
    assert line.holdings == {"player:J2": [1, 2], "player:J3": [3, 4], "player:J4": [5, 6], POOL: [0, 7]}
    assert (line.president, of(game).does_not_run) == (POOL, "EUR")


def test_eight_tokens_remove_one_less() -> None:
    for options, excess in (((), 2), (("eight_tokens",), 1)):
        game = start(3, seed=46925, options=options)
        floated(game, "EUR", 26, cash=220)
        floated(game, "N&E", 26, chartered=False, cash=76)
        hold(game, "EUR", J1=[0, 1, 2, 3], J2=[4, 5, 6, 7])
        hold(game, "N&E", J1=[0, 1, 2, 3, 4], ipo=[5, 6, 7])
        corporation(game, "N&E").tokens *= 2
        corporation(game, "N&E").tokens = [type(t)(price=0) for t in corporation(game, "N&E").tokens]
        put(game, "EUR", ("E12", 0), ("D13", 0), ("D11", 0))
        put(game, "N&E", ("B13", 0), ("C10", 0), ("G12", 0), ("H7", 0), ("E8", 0), ("F7", 0))
        game.start_round("operating", 1)
        merge(game, "EUR", "N&E", survives=True)
        finish(game)
        removal = of(game).removal
        assert removal is not None
        assert removal.count == excess
        assert len(placed(corporation(game, "EUR"))) == 3
