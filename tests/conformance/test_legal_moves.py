"""Legal moves are complete and true: what was played is listed, what is listed can be played."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.rules.conformance.replay import read_game
from services.rules.engine.game import Game
from services.rules.engine.history import effective_indexes
from services.rules.engine.moves import contains, sample
from services.rules.recorded import start
from services.rules.titles import TITLES
from tests.shared import recorded_games

GAMES = [game for title in TITLES for game in recorded_games(title)]
NO_MOVES = ("message", "log", "end_game")
"""Actions that are always possible and never listed, with standing orders."""


def positions(path: Path) -> Iterator[tuple[Game, dict[str, Any]]]:
    """Every position of a game with the action played in it, automatic actions included."""
    recorded = read_game(path)
    game = start(recorded)
    for index in effective_indexes(recorded.actions):
        raw = recorded.actions[index]
        for action in [{k: v for k, v in raw.items() if k != "auto_actions"}, *(raw.get("auto_actions") or [])]:
            yield game, action
            game.replay(action)


def is_listed(action: dict[str, Any]) -> bool:
    return action["type"] not in NO_MOVES and not action["type"].startswith("program_")


@pytest.mark.parametrize("path", GAMES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_recorded_actions_are_among_the_legal_moves(path: Path) -> None:
    for game, action in positions(path):
        if is_listed(action):
            assert contains(game.moves(), action), action


def check_samples(path: Path, every: int, count: int) -> None:
    """``count`` random moves of every ``every``-th position are accepted."""
    rng = random.Random(path.stem)
    for number, (game, _) in enumerate(positions(path)):
        if number % every or game.finished:
            continue
        moves = game.moves()
        before = game.encode()
        for move in rng.sample(moves, min(count, len(moves))):
            other = Game.decode(game.title, before)
            other.apply(sample(move, rng), encoded=before)
        assert game.encode() == before


@pytest.mark.parametrize("path", GAMES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_listed_moves_are_accepted(path: Path) -> None:
    check_samples(path, every=17, count=5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", GAMES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_listed_moves_are_accepted_in_every_position(path: Path) -> None:
    check_samples(path, every=1, count=20)
