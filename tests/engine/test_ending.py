"""How every game ends at the latest (core 2.7)."""

from __future__ import annotations

import pytest

from services.rules.bot import Bot, choose
from services.rules.engine import events
from services.rules.engine.ending import LAST_TURN
from services.rules.engine.game import Game
from services.rules.titles import TITLES, new_game

MOST_ACTIONS = 1500


def play_from(game: Game, seed: int) -> list[events.Event]:
    """A bot plays to the end; what happened in the last action."""
    bot = Bot(seed)
    happened: list[events.Event] = []
    for _ in range(MOST_ACTIONS):
        if game.finished:
            break
        happened = game.apply(choose(game, bot, with_routes=False)).events
    return happened


@pytest.mark.parametrize("title", TITLES)
def test_turn_100_breaks_the_game_off(title: str) -> None:
    game = new_game(title, [(1, "Ann"), (2, "Bob"), (3, "Cem")], seed=1)
    game.state.turn = LAST_TURN - 1
    happened = play_from(game, 1)
    outcome = game.state.outcome
    assert outcome is not None
    assert (outcome.reason, game.state.turn) == ("dnf", 100)
    assert set(outcome.result) == {"1", "2", "3"}
    assert isinstance(happened[-1], events.GameEnded)
    assert game.round.kind != "stock"


def test_the_turn_before_is_played() -> None:
    game = new_game("1830", [(1, "Ann"), (2, "Bob"), (3, "Cem")], seed=1)
    game.state.turn = LAST_TURN - 2
    bot = Bot(1)
    while game.state.turn < LAST_TURN - 1:
        game.apply(choose(game, bot, with_routes=False))
    assert not game.finished
    assert game.round_label() == "SR 99.1"
