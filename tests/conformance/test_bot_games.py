"""Games played by bots end without an error, and every state on the way survives encoding."""

from __future__ import annotations

import pytest

from services.rules.bot import Bot, choose
from services.rules.engine.game import Game
from services.rules.titles import TITLES, get_title, new_game

LIMIT = 4000
"""Actions after which a game without result counts as endless."""
MANY = {"1830": 200, "1862": 150, "1893": 150, **dict.fromkeys(("1861", "1867", "1888", "1894"), 100)}
"""Bot games a title."""


def play_checked(title: str, players: int, seed: int) -> Game:
    """Play a bot game, decoding and re-encoding the state after every action."""
    game = new_game(title, [(i + 1, f"Player {i + 1}") for i in range(players)], seed=seed)
    bot = Bot(seed)
    before = game.encode()
    for _ in range(LIMIT):
        if game.finished:
            break
        assert game.moves(), game.round_label()
        game.apply(choose(game, bot), encoded=before)
        before = game.encode()
        assert Game.decode(game.title, before).encode() == before
    return game


def player_counts(title: str) -> list[int]:
    return sorted(int(count) for count in get_title(title).data.facts.starting_cash)


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("seed", range(3))
def test_bot_game_ends(title: str, seed: int) -> None:
    counts = player_counts(title)
    assert play_checked(title, counts[seed % len(counts)], seed).finished


@pytest.mark.exhaustive
@pytest.mark.parametrize(("title", "seed"), [(title, seed) for title in TITLES for seed in range(3, MANY[title])])
def test_many_bot_games_end(title: str, seed: int) -> None:
    counts = player_counts(title)
    assert play_checked(title, counts[seed % len(counts)], seed).finished


@pytest.mark.parametrize("title", TITLES)
def test_same_seed_and_actions_give_the_same_bytes(title: str) -> None:
    count = player_counts(title)[0]
    players = [(i + 1, f"Player {i + 1}") for i in range(count)]
    first, second = new_game(title, players, seed=7), new_game(title, players, seed=7)
    bot = Bot(7)
    for _ in range(150):
        if first.finished:
            break
        action = choose(first, bot)
        first.apply(action)
        second.apply(action)
        assert first.encode() == second.encode()
