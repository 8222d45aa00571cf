"""Every recorded game gives the expected state after every action."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.rules.conformance.replay import read_game, read_trace, run
from services.rules.engine import ending
from services.rules.titles import TITLES
from tests.shared import need, recorded_games, trace_of

GAMES = [game for title in TITLES for game in recorded_games(title)]


@pytest.mark.parametrize("path", GAMES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_recorded_game_is_identical(path: Path) -> None:
    report = run(read_game(path), read_trace(need(trace_of(path))))
    assert not report.differences, [(d.index, d.key, d.expected, d.actual) for d in report.differences]
    assert report.actions > 0


@pytest.mark.parametrize("path", GAMES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_recorded_scores_are_reached(path: Path) -> None:
    recorded = read_game(path)
    game = run(recorded, None).game
    assert recorded.result == {str(player.id): ending.score(game, player) for player in game.state.players}
    outcome = game.state.outcome
    assert recorded.game_end_reason == (None if outcome is None else outcome.reason)
