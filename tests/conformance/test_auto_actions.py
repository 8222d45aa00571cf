"""Standing orders act as in recorded games: what a live game would add is what was recorded (core 1.7)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from services.rules.conformance.replay import read_game
from services.rules.engine.history import effective_indexes
from services.rules.recorded import start
from services.rules.titles import TITLES
from tests.shared import recorded_games

AGREEMENT = 0.97
"""Part that has to agree. What a newer server did by itself may stand in an older recording as the next action."""


def what(action: dict[str, Any] | None) -> tuple[Any, ...] | None:
    return None if action is None else (action["type"], action["entity"], tuple(action.get("shares") or ()))


def pairs(title: str) -> Iterator[tuple[dict[str, Any] | None, dict[str, Any] | None]]:
    """(generated, recorded) automatic actions after every recorded action; None where there is none."""
    for path in recorded_games(title):
        recorded = read_game(path)
        game = start(recorded)
        order = effective_indexes(recorded.actions)
        for index, next_index in pairwise([*order, None]):
            assert index is not None
            raw = recorded.actions[index]
            following = None if next_index is None else recorded.actions[next_index]
            game.replay({key: value for key, value in raw.items() if key != "auto_actions"})
            waiting: list[dict[str, Any]] = []
            for auto in [*(raw.get("auto_actions") or []), None]:
                waiting = waiting or game.automatic_actions()
                generated = waiting.pop(0) if waiting else None
                if auto is None and generated is not None and what(generated) == what(following):
                    auto_or_by_hand = following
                else:
                    auto_or_by_hand = auto
                if generated is not None or auto is not None:
                    yield generated, auto_or_by_hand
                if auto is not None:
                    game.replay(auto)


@pytest.mark.parametrize("title", TITLES)
def test_generated_auto_actions_are_those_recorded(title: str) -> None:
    found = list(pairs(title))
    if not found:
        pytest.skip("no recorded automatic actions")
    same = sum(what(generated) == what(recorded) for generated, recorded in found)
    assert same >= AGREEMENT * len(found), (same, len(found))
