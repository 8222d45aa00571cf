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
MOST_TRAINS = 3
OTHER_MARKET = {"1867": "grid_market", "1861": "column_market"}


def start(title: str, seed: int) -> tuple[Game, Bot]:
    """Ten seeds in a row are every number of players on both markets, played by one kind of bot."""
    options = [OTHER_MARKET[title]] if seed % 2 else []
    game = new_game(title, [(i, f"P{i}") for i in range(1, 3 + seed % 5)], seed=seed, options=options)
    kind = seed // 10 % 3
    if kind == 0:
        return game, Bot(seed)
    return game, Spender(seed, game.title) if kind == 1 else Builder(seed, game.title)


def routes(game: Game, sym: str) -> list[dict[str, Any]]:
    """The best routes of a company's first trains.

    No deadline, so that a game does not depend on how busy the machine is; a national railway may own more trains
    than can be searched to the end in a moment, and leaves the later ones idle.
    """
    copy = Game.decode(game.title, game.encode())
    for train_id in copy.corporation(sym).trains[MOST_TRAINS:]:
        copy.state.depot.trains[train_id].ran = True
    return best_routes(copy, sym, seconds=None)


def choose(game: Game, bot: Bot) -> dict[str, Any]:
    """The bot's move."""
    trading = is_trading(game.round_label())
    return bot.choose(game.moves(), trading=trading, find_routes=lambda sym: routes(game, sym))


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


def play_many(title: str, games: int, at_most: int = 0) -> Coverage:
    """Games to their ends, and up to ``at_most`` until all was reached; prints the table of what they reached."""
    coverage = Coverage(title)
    for seed in range(max(games, at_most)):
        if seed >= games and not coverage.missing():
            break
        assert play(title, seed, coverage).finished, seed
    print(f"\n{coverage.table()}")
    return coverage


def test_some_bot_games_end() -> None:
    assert len(play_many("1867", QUICK).counts) > 30


@pytest.mark.exhaustive
def test_many_bot_games_reach_everything() -> None:
    assert play_many("1867", MANY, 2 * MANY).missing() == []
