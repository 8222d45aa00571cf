"""The same seed and choices give the same game in every process, however Python seeds its hashes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from services.rules.titles import TITLES

SCRIPT = """
import hashlib, sys
from services.rules.bot import Bot, play
from services.rules.titles import get_title, new_game
title = sys.argv[1]
count = get_title(title).data.facts.min_players + 1
game = new_game(title, [(i, str(i)) for i in range(count)], seed=5)
play(game, Bot(5), max_actions=160, with_routes=False)
print(hashlib.sha256(game.encode()).hexdigest(), len(game.moves()))
"""


@pytest.mark.parametrize("title", TITLES)
def test_a_game_does_not_depend_on_the_process(title: str) -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT, title],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
