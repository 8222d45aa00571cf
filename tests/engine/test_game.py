"""Promises of ``Game``: errors leave no trace, nothing but engine errors escapes, encoding is the identity."""

from __future__ import annotations

import random
from typing import Any

import pytest

from services.rules.bot import Bot, choose
from services.rules.engine.errors import EngineError, IllegalAction, MalformedAction
from services.rules.engine.game import Game
from services.rules.titles import TITLES, get_title, new_game

PLAYERS = [(1, "Ann"), (2, "Bob"), (3, "Cem")]


def mid_game(title: str, actions: int, seed: int = 3) -> Game:
    """A game after so many actions of a bot, or just before its end if that comes earlier."""
    game = new_game(title, PLAYERS, seed=seed)
    bot = Bot(seed)
    for _ in range(actions):
        before = game.encode()
        game.apply(choose(game, bot, with_routes=False), encoded=before)
        if game.finished:
            return Game.decode(game.title, before)
    return game


JUNK: list[Any] = [None, -1, 0, 1, 10**12, "", "x", "../../etc", [], {}, [[]], True, 3.5, "PRR_99", "57-0", "H12"]


def mutated(action: dict[str, Any], rng: random.Random) -> Any:
    """A valid action with something wrong in it."""
    broken = dict(action)
    for _ in range(rng.randint(1, 2)):
        choice = rng.random()
        key = rng.choice(list(broken) or ["type"])
        if choice < 0.6:
            broken[key] = rng.choice(JUNK)
        elif choice < 0.8:
            broken.pop(key, None)
        else:
            broken[rng.choice(["foo", "price", "shares", "hex", "auto_actions"])] = rng.choice(JUNK)
    return broken


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("actions", [0, 12, 60, 150, 300])
def test_only_engine_errors_escape_and_the_state_is_untouched(title: str, actions: int) -> None:
    game = mid_game(title, actions)
    rng = random.Random(actions)
    before = game.encode()
    bot = Bot(actions)
    for _ in range(250):
        action = mutated(choose(game, bot, with_routes=False), rng)
        try:
            game.apply(action)
        except EngineError as error:
            assert error.code and error.message.endswith(".")
        else:
            game = Game.decode(game.title, before)
        assert game.encode() == before


def test_action_must_be_an_object() -> None:
    game = mid_game("1830", 0)
    with pytest.raises(MalformedAction):
        game.apply({"type": "fly", "entity": 1, "entity_type": "player"})
    with pytest.raises(MalformedAction, match="no field"):
        game.apply({"type": "pass", "entity": 1, "entity_type": "player", "speed": 3})


def test_not_your_turn_says_whose_turn_it_is() -> None:
    game = mid_game("1830", 0)
    with pytest.raises(IllegalAction, match="Ann must") as caught:
        game.apply({"type": "pass", "entity": 2, "entity_type": "player"})
    assert caught.value.code == "not_your_turn"


def test_finished_game_takes_only_messages() -> None:
    game = mid_game("1830", 0)
    game.apply({"type": "end_game", "entity": 1, "entity_type": "player"})
    assert game.finished and game.moves() == []
    with pytest.raises(IllegalAction, match="over"):
        game.apply({"type": "pass", "entity": 1, "entity_type": "player"})
    game.apply({"type": "message", "entity": 1, "entity_type": "player", "message": "well played"})


@pytest.mark.parametrize("title", TITLES)
def test_encoded_state_is_small_and_decodes_to_the_same(title: str) -> None:
    game = mid_game(title, 300)
    data = game.encode()
    assert Game.decode(get_title(title, game.state.options), data).encode() == data
    assert len(data) < 200_000


def test_who_may_send_an_action() -> None:
    game = mid_game("1830", 60)
    for move in game.moves():
        deciding = [p for p, _ in PLAYERS if game.may_send(move, p)]
        assert deciding, move
    assert not game.may_send({"type": "pass", "entity": 1, "entity_type": "player"}, 2)
    assert not game.may_send({"type": "pass", "entity": "nobody", "entity_type": "player"}, 2)
