"""The LNER, the three ends of the game and what is kept of a corporation that ended (1862 6)."""

from __future__ import annotations

from services.rules.engine import ending, shares
from services.rules.engine.game import Game
from services.rules.engine.state import IPO, POOL
from services.rules.titles.g1862 import charters
from services.rules.titles.g1862.state import of

from .merging import merge, two_corporations
from .operating import at_trains, found, give_train, line_of, operate, phase, running, sell_out, wvr
from .table import act, bid, buy, cash, corporation, hold, par, passes, price, refused, run, start, trains, where


def pass_on(game: Game, until: str) -> None:
    """Pass, run nothing and buy what must be bought until a round like ``SR`` begins."""
    while not game.finished and not game.round_label().startswith(until):
        kinds = {m["type"]: m for m in game.moves()}
        who = where(game).split(":")[0]
        if "pass" in kinds:
            act(game, who, "pass")
        elif "run_routes" in kinds:
            run(game, who)
        else:
            return


def last_cycle() -> Game:
    """WVR has bought the first H train and the set is over."""
    game = at_trains(2000)
    found(game, "N&S", 26, president="J2")
    give_train(game, "N&S", "6F", "E-0")
    phase(game, "G")
    sell_out(game, "H")
    act(game, "WVR", "buy_train", train="H-0", price=800, variant="6E", warranties=0)
    pass_on(game, "SR")
    return game


# --- the last cycle --------------------------------------------------------------------------------------------------


def test_no_parliament_and_a_new_limit_before_the_last_cycle() -> None:
    game = last_cycle()
    assert game.round_label() == "SR 2.1"
    assert game.state.cert_limit == 5
    assert of(game).parliaments == 1


def test_bank_certificates_of_chartered_corporations_go_to_the_pool_and_the_rest_leaves() -> None:
    game = last_cycle()
    assert corporation(game, "WVR").holdings[POOL] == [3, 4, 5, 6, 7]
    assert [c.sym for c in game.corporations] == ["N&S", "WVR"]
    assert game.state.board["F3"].icons == []
    assert {m["type"] for m in game.moves()} & {"par"} == set()


def test_the_last_set_only_runs_pays_buys_and_redeems() -> None:
    game = last_cycle()
    seen = set()
    while not game.finished:
        if game.round.kind == "operating":
            seen.add(where(game).split(":")[1])
        kinds = {m["type"]: m for m in game.moves()}
        who = where(game).split(":")[0]
        if "pass" in kinds:
            act(game, who, "pass")
        else:
            run(game, who)
    assert seen == {"route", "train", "redeem"}
    assert game.state.outcome is not None
    assert game.state.outcome.reason == "lner"
    assert game.state.turn == 2


def test_a_broken_bank_in_the_last_cycle_changes_nothing() -> None:
    game = last_cycle()
    game.state.bank_broken = True
    passes(game, "J1")
    assert game.state.trigger is not None
    assert game.state.trigger.reason == "lner"


def test_a_broken_bank_before_keeps_the_lner_from_forming() -> None:
    game = at_trains(2000)
    phase(game, "G")
    sell_out(game, "H")
    game.state.bank_broken = True
    act(game, "WVR", "buy_train", train="H-0", price=800, variant="6E", warranties=0)
    assert of(game).lner == "triggered"
    pass_on(game, "SR")
    assert game.finished
    assert game.state.outcome is not None
    assert game.state.outcome.reason == "bank"
    assert of(game).lner == "triggered"


# --- triggers --------------------------------------------------------------------------------------------------------


def test_the_top_of_the_market_ends_the_round_though_the_set_would_go_on() -> None:
    game = running(65, money=1000)
    game.state.operating_rounds = 3
    game.state.bank_broken = True
    act(game, "WVR", "dividend", kind="hudson")
    assert game.state.trigger is not None
    assert (game.state.trigger.reason, game.state.trigger.timing) == ("stock_market", "current_or")
    pass_on(game, "OR 1.2")
    assert game.finished
    assert game.state.outcome is not None
    assert game.state.outcome.reason == "stock_market"


def test_a_broken_bank_ends_the_set_not_the_round() -> None:
    game = running(26)
    game.state.operating_rounds = 2
    game.state.bank_broken = True
    act(game, "WVR", "dividend", kind="payout")
    pass_on(game, "OR 1.2")
    assert game.round_label() == "OR 1.2"
    assert not game.finished
    pass_on(game, "PR")
    assert game.finished


def test_a_bank_broken_in_a_stock_round_ends_the_next_set() -> None:
    game = running(26)
    act(game, "WVR", "dividend", kind="payout")
    pass_on(game, "PR")
    game.state.bank_broken = True
    pass_on(game, "SR")
    assert not game.finished
    pass_on(game, "OR")
    assert not game.finished
    pass_on(game, "PR")
    assert game.finished


def test_an_end_once_recorded_stays() -> None:
    game = running(26)
    game.state.bank_broken = True
    act(game, "WVR", "dividend", kind="payout")
    game.state.bank_broken = False
    of(game).lner = "formed"
    assert ending.check(game) == "full_or"
    assert game.state.trigger is not None
    assert game.state.trigger.reason == "bank"


def test_a_merger_to_the_top_is_no_end() -> None:
    game = two_corporations()
    for sym in ("EUR", "N&E"):
        shares.move_price(game, corporation(game, sym), "right", 19)
    assert price(game, "EUR") == 900
    merge(game, "EUR", "N&E", survives=True)
    assert price(game, "EUR") == 1000
    assert not of(game).top_reached
    assert ending.check(game) is None


# --- what is kept and what is not ------------------------------------------------------------------------------------


def test_a_restart_keeps_base_par_and_the_mark_of_having_operated() -> None:
    game = running(26)
    act(game, "WVR", "dividend", kind="payout")
    line = corporation(game, "WVR")
    line.permits = ["express", "local"]
    charters.bankrupt(game, line)
    assert (line.base_par, line.operated) == ((0, 26), True)
    assert (line.par, line.price, line.president, line.trains, line.permits) == (None, None, None, [], ["express"])
    assert line.holdings == {IPO: list(range(8))}
    assert [(token.hex, token.price) for token in line.tokens] == [(None, 0)] * 3
    assert of(game).offer.index("WVR") == 4
    assert of(game).starts_in["WVR"] == "A"


def test_a_bankrupt_corporation_pays_half_without_trains_and_nothing_at_zero() -> None:
    game = wvr(cash=77, J1=[0, 1], J2=[2], pool=[3], ipo=[4, 5, 6, 7])
    bank = game.state.bank
    charters.bankrupt(game, corporation(game, "WVR"))
    assert (cash(game, "J1"), cash(game, "J2")) == (600 + 200, 600 + 50)
    assert game.state.bank == bank + 77 - 250
    game = wvr(cash=77, column=0)
    charters.bankrupt(game, corporation(game, "WVR"))
    assert cash(game, "J1") == 600


def test_trains_of_a_bankrupt_corporation_leave_the_game() -> None:
    game = wvr()
    train = give_train(game, "WVR", "2E**")
    of(game).deferred_rust = [train]
    charters.bankrupt(game, corporation(game, "WVR"))
    assert game.state.depot.trains[train].owner is None
    assert of(game).deferred_rust == []
    assert of(game).left_trains == {}


def test_in_an_imported_game_they_are_still_for_sale() -> None:
    game = start(4, seed=3, mode="import")
    found(game, "WVR")
    train = give_train(game, "WVR", "2E*")
    charters.bankrupt(game, corporation(game, "WVR"))
    assert of(game).left_trains == {train: "WVR"}


def test_a_marker_returns_unless_another_one_lies_there() -> None:
    game = wvr()
    line_of(game)
    for lying, after in ((["ENR"], ["ENR"]), ([], ["WVR"])):
        game.state.board["G8"].icons[:] = lying
        charters.restart(game, corporation(game, "WVR"))
        assert game.state.board["G8"].icons == after
    assert game.state.board["G8"].cities[0].slots == [None]


def test_a_corporation_restarted_is_offered_in_its_place_and_may_be_started_either_way() -> None:
    game = wvr()
    charters.bankrupt(game, corporation(game, "WVR"))
    assert charters.offered(game)[4] == "WVR"
    game.start_round("parliament", 1)
    bid(game, "J1", "WVR", 0)
    passes(game, "J2", "J3", "J4")
    par(game, "J1", "WVR", "54,0,12")
    buy(game, "J1", "WVR_1")
    assert corporation(game, "WVR").base_par == (0, 12)


def test_the_score_counts_no_treasury() -> None:
    game = wvr(cash=1000)
    give_train(game, "WVR", "2E*")
    hold(game, "WVR", J1=[0, 1, 2], corporation__WVR=[3, 4], ipo=[5, 6, 7])
    assert ending.score(game, game.player("J1")) == 600 + 500
    assert trains(game, "WVR") == ["2E*"]


def test_a_player_without_money_goes_on() -> None:
    """There is no bankruptcy of players."""
    game = running(26)
    game.player("J1").cash = 0
    act(game, "WVR", "dividend", kind="withhold")
    assert not game.finished
    assert refused(game, "J1", "bankrupt") != ""
    operate(game)
    assert not game.player("J1").bankrupt
