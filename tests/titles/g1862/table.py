"""Games of 1862 to test rules on, and short ways to act in them."""

from __future__ import annotations

from services.rules.engine import shares
from services.rules.engine.game import Game
from services.rules.titles import new_game
from services.rules.titles.g1862.state import Corporation1862, of
from tests.titles.acting import act, buy, describe, refused

__all__ = ["act", "buy", "describe", "refused"]
PLAYERS = ("J1", "J2", "J3", "J4", "J5", "J6", "J7", "J8")


def start(count: int = 4, seed: int = 3, options: tuple[str, ...] = (), mode: str = "live") -> Game:
    """A game of ``count`` players called J1, J2 ..."""
    return new_game("1862", [(name, name) for name in PLAYERS[:count]], seed=seed, options=options, mode=mode)


def passes(game: Game, *entities: str) -> None:
    for entity in entities:
        act(game, entity, "pass")


def bid(game: Game, player: str, corporation: str, price: int) -> None:
    act(game, player, "bid", corporation=corporation, price=price)


def par(game: Game, player: str, corporation: str, cell: str) -> None:
    act(game, player, "par", corporation=corporation, share_price=cell)


def lay(game: Game, entity: str, hex_id: str, tile: str, rotation: int) -> None:
    act(game, entity, "lay_tile", hex=hex_id, tile=tile, rotation=rotation)


def run(game: Game, entity: str, *routes: tuple[str, list[list[str]]]) -> None:
    act(game, entity, "run_routes", routes=[{"train": train, "connections": links} for train, links in routes])


def cash(game: Game, name: str) -> int:
    """Money of a player or a corporation."""
    return game.player(name).cash if name in PLAYERS else game.corporation(name).cash


def corporation(game: Game, sym: str) -> Corporation1862:
    return of(game).corporations[sym]


def price(game: Game, sym: str) -> int:
    return shares.share_price(game, game.corporation(sym))


def trains(game: Game, sym: str) -> list[str]:
    """Names of a corporation's trains."""
    return [game.state.depot.trains[train].name for train in game.corporation(sym).trains]


def where(game: Game) -> str:
    """Who has to do what: ``J2:stock``."""
    step = game.rules.active_step(game)
    assert step is not None
    waiting = game.active_entities()[0]
    return f"{getattr(waiting, 'sym', None) or getattr(waiting, 'name', '')}:{step.kind}"


def launch(game: Game, player: str, sym: str, cell: str, *, price: int = 0) -> None:
    """Win a charter against nobody and float the corporation."""
    bid(game, player, sym, price)
    while of(game).launching is None:
        waiting = game.active_entities()[0]
        act(game, waiting.name, "pass")  # type: ignore[union-attr]
    par(game, player, sym, cell)
    buy(game, player, f"{sym}_1")
    buy(game, player, f"{sym}_2")


def hold(game: Game, sym: str, **holders: list[int]) -> None:
    """Hand out the certificates of a corporation; other keys are holders as the state names them."""
    game.corporation(sym).holdings = {
        f"player:{name}" if name in PLAYERS else name.replace("__", ":"): list(indexes)
        for name, indexes in holders.items()
        if indexes
    }
    game.touch()
