"""Bot games of 1861 end without an error and reach every step and mechanism of the title."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.titles.g1867.test_random_play import MANY, QUICK, expected, play, report


def test_some_bot_games_end() -> None:
    reached: Counter[str] = Counter()
    for seed in range(QUICK):
        assert play("1861", seed, reached).finished
    report("1861", reached)
    assert len(reached) > 20


@pytest.mark.exhaustive
def test_many_bot_games_reach_everything() -> None:
    reached: Counter[str] = Counter()
    for seed in range(MANY):
        assert play("1861", seed, reached).finished
    report("1861", reached)
    assert expected("1861") <= set(reached)
