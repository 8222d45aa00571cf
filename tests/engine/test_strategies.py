"""Bots with strategies: general enough for every title, and sensible where it counts."""

from __future__ import annotations

import pytest

from services.rules.bot import Bot, play
from services.rules.engine.game import Game
from services.rules.engine.shares import move_price
from services.rules.strategies import STRATEGIES, UNWANTED, Insight
from services.rules.titles import TITLES, get_title, new_game
from tests.titles.g1862.merging import two_corporations
from tests.titles.g1862.operating import at_trains, line_of, operate, wvr
from tests.titles.g1862.table import act, start

STEPS = 120


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_plays_every_title(title: str, strategy: str) -> None:
    count = min(int(seats) for seats in get_title(title).data.facts.starting_cash)
    game = new_game(title, [(i + 1, f"Player {i + 1}") for i in range(count)], seed=5)
    done = play(game, Bot(5, STRATEGIES[strategy]), max_actions=STEPS, with_routes=False)
    assert done == STEPS or game.finished


def test_a_bot_without_strategy_needs_no_insight() -> None:
    """Its choices depend on the moves alone, as a client over HTTP sees them."""
    game, other = start(), start()
    first, second = Bot(3), Bot(3)
    for _ in range(60):
        action = first.choose(game.moves(), trading=True)
        assert action == second.choose(other.moves(), trading=True)
        game.apply(action)
        other.apply(action)


def insight(game: Game, strategy: str = "investor") -> Insight:
    return Insight(game, STRATEGIES[strategy])


def test_trains_nobody_may_run_are_unwanted_and_so_is_one_too_many() -> None:
    game = at_trains(1000)
    values = {m["variant"]: insight(game).appraise(m) for m in game.moves() if m["type"] == "buy_train"}
    assert values == {"1F*": UNWANTED, "2L*": UNWANTED, "2E*": 1.0}
    for train in ("A-0", "A-1"):
        act(game, "WVR", "buy_train", train=train, price=100, variant="2E*", warranties=0)
    offers = [m for m in game.moves() if m.get("variant") == "2E*"]
    assert [insight(game).appraise(m) for m in offers] == [UNWANTED]
    assert [insight(game, "tycoon").appraise(m) for m in offers] == [1.0]


def test_track_to_more_stops_is_worth_more() -> None:
    game = wvr(cash=500)
    line_of(game)
    game.state.board["H5"].tile = None
    game.board_changed()
    operate(game)
    values = {m["hex"]: insight(game).appraise(m) for m in game.moves() if m["type"] == "lay_tile"}
    assert values["H5"] > 1.0, "a city of 30 more is reached"
    assert game.state.board["H5"].tile is None, "the trial is taken back"


def test_a_start_needs_money_to_float_and_ends_with_enough_corporations() -> None:
    game = start()
    par_at = {"type": "par", "entity": "J1", "entity_type": "player", "corporation": "WVR", "share_price": "100,0,26"}
    assert insight(game).appraise(par_at) == 1.0
    game.player("J1").cash = 499
    assert insight(game).appraise(par_at) == UNWANTED
    game.player("J1").cash = 900
    game.corporation("ENR").president = "player:J1"
    assert insight(game).appraise(par_at) == 1.0
    assert insight(game, "tycoon").appraise(par_at) == UNWANTED


def test_a_cheap_start_is_preferred_by_who_wants_a_rising_price() -> None:
    game = start()
    par_at = {"type": "par", "entity": "J1", "entity_type": "player", "corporation": "WVR"}
    low, high = ({**par_at, "share_price": cell} for cell in ("54,0,12", "100,0,26"))
    assert insight(game).appraise(low) < insight(game).appraise(high)
    assert insight(game, "speculator").appraise(low) > insight(game, "speculator").appraise(high)


def test_mergers_are_worth_more_the_higher_the_lower_price() -> None:
    game = two_corporations()
    move = {"type": "merge", "entity": "EUR", "entity_type": "corporation", "corporation": "N&E"}
    assert insight(game).appraise(move) == 1.0
    move_price(game, game.corporation("EUR"), "right", 10)
    assert insight(game).appraise(move) == 1.0
    move_price(game, game.corporation("N&E"), "right", 10)
    assert insight(game).appraise(move) > 1.0
