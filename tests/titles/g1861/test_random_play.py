"""Bot games of 1861 end without an error, reach all of the title and never contradict themselves."""

from __future__ import annotations

import pytest

from tests.titles.g1867.test_random_play import MANY, QUICK, play_many


def test_some_bot_games_end() -> None:
    assert len(play_many("1861", QUICK).counts) > 30


@pytest.mark.exhaustive
def test_many_bot_games_reach_everything() -> None:
    assert play_many("1861", MANY, 2 * MANY).missing() == []
