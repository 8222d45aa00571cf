"""Acting in a game in few words: what the tests of several titles have in common."""

from __future__ import annotations

from typing import Any

from services.rules.engine.errors import EngineError
from services.rules.engine.game import Game


def describe(game: Game, entity: str, type_: str, /, **fields: Any) -> dict[str, Any]:
    """An action; a sym means the company that operates unless ``entity_type`` says otherwise."""
    kind = fields.pop("entity_type", None)
    if kind is None:
        if any(player.id == entity for player in game.state.players):
            kind = "player"
        elif entity in game.state.corporations:
            kind = game.corporation(entity).entity_type
        else:
            kind = "company"
    return {"type": type_, "entity": entity, "entity_type": kind, **fields}


def act(game: Game, entity: str, type_: str, /, **fields: Any) -> None:
    """Play an action; imported games replay it."""
    action = describe(game, entity, type_, **fields)
    if game.live:
        game.apply(action)
    else:
        game.replay(action)


def refused(game: Game, entity: str, type_: str, /, **fields: Any) -> str:
    """The code of the error an action meets; it must leave the state as it was."""
    before = game.encode()
    try:
        game.apply(describe(game, entity, type_, **fields))
    except EngineError as error:
        assert game.encode() == before
        return error.code
    raise AssertionError(f"{type_} by {entity} was accepted")


def buy(game: Game, player: str, share: str, percent: int = 10) -> None:
    act(game, player, "buy_shares", shares=[share], percent=percent)
