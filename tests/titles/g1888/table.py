"""Games of 1888 to test rules on, and short ways to act in them."""

from __future__ import annotations

from typing import Any

from services.rules.engine import companies
from services.rules.engine.game import Game
from services.rules.titles import new_game
from tests.titles.acting import act, buy, describe, refused

__all__ = ["act", "buy", "describe", "refused"]
PLAYERS = ("J1", "J2", "J3", "J4", "J5", "J6")


def start(count: int = 4, options: tuple[str, ...] = (), mode: str = "live") -> Game:
    """A game of ``count`` players called J1, J2 ..."""
    return new_game("1888", [(name, name) for name in PLAYERS[:count]], seed=1, options=options, mode=mode)


def lay(game: Game, entity: str, hex_id: str, tile: str, rotation: int) -> None:
    act(game, entity, "lay_tile", hex=hex_id, tile=tile, rotation=rotation)


def train(game: Game, corporation: str, train_id: str, price: int, **fields: Any) -> None:
    act(game, corporation, "buy_train", train=train_id, price=price, **fields)


def hand_over(game: Game, company: str, owner: str) -> None:
    """Put a company into a corporation's or player's hands."""
    ref = f"corporation:{owner}" if owner in game.state.corporations else f"player:{owner}"
    companies.acquire(game, game.company(company), game.entity(ref))  # type: ignore[arg-type]
    game.touch()


def where(game: Game) -> str:
    """Who has to do what: ``J2:stock``."""
    step = game.rules.active_step(game)
    assert step is not None
    waiting = game.active_entities()[0]
    return f"{getattr(waiting, 'sym', None) or getattr(waiting, 'name', '')}:{step.kind}"


def auction(game: Game) -> None:
    """Everybody buys at face value; then the first stock round begins."""
    while game.round.kind == "auction":
        taker = game.active_entities()[0]
        auctioned = game.round.auction
        assert auctioned is not None
        act(game, taker.name, "bid", company=auctioned.items[0], price=game.company(auctioned.items[0]).value)  # type: ignore[union-attr]


def pass_round(game: Game, kind: str) -> None:
    """Pass until a round of this kind is over."""
    while game.round.kind == kind:
        waiting = game.active_entities()[0]
        act(game, getattr(waiting, "sym", None) or waiting.name, "pass")  # type: ignore[union-attr]
