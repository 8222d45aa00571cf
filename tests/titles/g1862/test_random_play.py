"""Bots of several minds play games to the end without an error and reach every rule of 1862; coverage is printed."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from services.rules.bot import Bot, choose
from services.rules.engine.errors import EngineError
from services.rules.engine.game import Game
from services.rules.engine.moves import sample
from services.rules.strategies import STRATEGIES
from services.rules.titles.g1862.state import of

from .coverage import FEATURES, Before, of_action, of_events, report
from .table import start

GAMES, QUICK = 150, 5
MOST = 300
"""Games played where something has not been reached: few end at the top of the market before the bank breaks."""
LIMIT = 4000
"""Actions after which a game without result counts as endless."""
MONEY = 15000
SEARCH = 0.03
"""CPU seconds for a search of routes; the rules are tested here, not the search."""
OPTIONS: tuple[tuple[str, ...], ...] = (
    (),
    ("short_length",),
    ("long_length",),
    ("eight_tokens",),
    ("short_length", "long_length"),
    ("short_length", "long_length", "eight_tokens"),
    ("long_length", "eight_tokens"),
    ("short_length", "eight_tokens"),
)
TABLES: tuple[tuple[str, ...], ...] = (
    ("investor",),
    ("tycoon",),
    ("speculator",),
    ("careless",),
    ("investor", "tycoon", "merger", "engineer", "trader", "speculator"),
    ("trader", "careless", "merger"),
    ("merger", "investor"),
)
"""Strategies around the table, repeated; a careless player has none."""


def check_books(game: Game) -> None:
    """No money and no certificate is lost."""
    state = game.state
    held = sum(player.cash for player in state.players) + sum(c.cash for c in state.corporations.values())
    assert state.bank + held == MONEY
    for corporation in state.corporations.values():
        indexes = sorted(i for indexes in corporation.holdings.values() for i in indexes)
        assert indexes == list(range(8)), corporation.sym
        assert corporation.cash >= 0, corporation.sym
    assert all(player.cash >= 0 for player in state.players)


def check_samples(game: Game, seed: int) -> None:
    """Random samples of the legal moves are accepted."""
    rng = random.Random(seed)
    encoded = game.encode()
    moves = game.moves()
    for move in rng.sample(moves, min(6, len(moves))):
        action = sample(move, rng)
        try:
            Game.decode(game.title, encoded).apply(action)
        except EngineError as error:
            raise AssertionError(f"{action} was refused: {error.code}") from error


def seats(game: Game, seed: int) -> dict[int | str, Bot]:
    """A bot for every player."""
    names = TABLES[seed % len(TABLES)]
    minds = [STRATEGIES.get(names[(seed + seat) % len(names)]) for seat in range(len(game.state.players))]
    ids = [player.id for player in game.state.players]
    return {who: Bot(seed * 10 + seat, mind) for seat, (who, mind) in enumerate(zip(ids, minds, strict=True))}


def play(seed: int) -> Counter[str]:
    """A game with 2 to 8 players; returns how often what was touched."""
    count, options = 2 + seed // len(TABLES) % 7, OPTIONS[seed % len(OPTIONS)]
    game = start(count, seed=seed, options=options)
    bots = seats(game, seed)
    touched: Counter[str] = Counter([f"{count} players", *(f"option {name}" for name in options or ("none",))])
    for number in range(LIMIT):
        if game.finished:
            break
        action = choose(game, bots[game.acting_players()[0]], search=SEARCH)
        before = Before(game, action)
        applied = game.apply(action)
        touched.update(of_action(game, before, action))
        touched.update(of_events(game, before, action["type"], applied.events))
        check_books(game)
        if number % 40 == 0 and not game.finished:
            check_samples(game, seed * LIMIT + number)
    assert game.state.outcome is not None, "endless game"
    assert game.state.outcome.reason != "lner" or of(game).lner == "formed"
    touched[f"end {game.state.outcome.reason}"] += 1
    return touched


def test_a_few_games_end() -> None:
    touched: Counter[str] = Counter()
    for seed in range(QUICK):
        touched += play(seed)
    report(touched)
    assert len(FEATURES - set(touched)) <= 20, FEATURES - set(touched)


@pytest.mark.exhaustive
def test_150_games_reach_everything() -> None:
    touched: Counter[str] = Counter()
    for seed in range(MOST):
        if seed >= GAMES and set(touched) >= FEATURES:
            break
        touched += play(seed)
    report(touched)
    assert not FEATURES - set(touched)
