"""Bot games of 1867 end without an error, reach every step and mechanism of the title and never contradict themselves.

Two to six players on either market; every third ten of them by each kind of bot.
"""

from __future__ import annotations

from typing import Any

import pytest

from services.rules.autoroute import best_routes
from services.rules.bot import Bot, is_trading
from services.rules.engine.game import Game
from services.rules.titles import new_game
from tests.titles.g1867 import invariants
from tests.titles.g1867.bots import Builder, Spender
from tests.titles.g1867.coverage import Coverage

LIMIT = 4000
QUICK = 4
MANY = 100
OTHER_MARKET = {"1867": "grid_market", "1861": "column_market"}


def start(title: str, seed: int) -> tuple[Game, Bot]:
    """Ten seeds in a row are every number of players on both markets, played by one kind of bot."""
    options = [OTHER_MARKET[title]] if seed % 2 else []
    game = new_game(title, [(i, f"P{i}") for i in range(1, 3 + seed % 5)], seed=seed, options=options)
    kind = seed // 10 % 3
    return game, Bot(seed) if kind == 0 else Spender(seed) if kind == 1 else Builder(seed, game.title)


def choose(game: Game, bot: Bot) -> dict[str, Any]:
    """The bot's move. It waits for the best routes, so that a game does not depend on how busy the machine is."""
    trading = is_trading(game.round_label())
    return bot.choose(game.moves(), trading=trading, find_routes=lambda sym: best_routes(game, sym, deadline=None))


def play(title: str, seed: int, coverage: Coverage) -> Game:
    """A bot game; every state survives encoding."""
    game, bot = start(title, seed)
    coverage.begin(game)
    encoded = game.encode()
    for _ in range(LIMIT):
        if game.finished:
            break
        action = choose(game, bot)
        coverage.before(game, action)
        applied = game.apply(action, encoded=encoded)
        coverage.after(game, action, applied.events)
        invariants.check(game)
        encoded = game.encode()
        assert Game.decode(game.title, encoded).encode() == encoded
    return game


def play_many(title: str, seeds: range) -> Coverage:
    """Games to their ends, with the table of what they reached printed."""
    coverage = Coverage(title)
    for seed in seeds:
        assert play(title, seed, coverage).finished, seed
    print(f"\n{coverage.table()}")
    return coverage


def test_some_bot_games_end() -> None:
    assert len(play_many("1867", range(QUICK)).counts) > 30


@pytest.mark.exhaustive
def test_many_bot_games_reach_everything() -> None:
    assert play_many("1867", range(MANY)).missing() == []
