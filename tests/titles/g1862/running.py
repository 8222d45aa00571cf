"""Track on the real map and runs checked directly, for the tests of routes."""

from __future__ import annotations

from itertools import pairwise

from services.rules.engine.board import tokens
from services.rules.engine.errors import IllegalAction
from services.rules.engine.game import Game
from services.rules.engine.routes.check import RunResult, check_run

from .operating import give_train, phase, tile
from .table import corporation, start

Links = list[list[str]]


def board(sym: str, *laid: tuple[str, str, int], count: int = 4, seed: int = 195901436, at: str = "B") -> Game:
    """A game in a phase with these tiles (hex, tile, rotation) and a token of ``sym`` at home."""
    game = start(count, seed=seed)
    for hex_id, name, rotation in laid:
        tile(game, hex_id, name, rotation)
    phase(game, at)
    corporation(game, sym).permits = ["express", "local", "freight"]
    stand(game, sym, corporation(game, sym).home[0])
    return game


def stand(game: Game, sym: str, hex_id: str, slot: int = 0) -> None:
    """The next token of a corporation on a city; London's link spaces are B15 and D15."""
    index = next(i for i, token in enumerate(corporation(game, sym).tokens) if token.hex is None)
    tokens.place(game.title.map, game.state, sym, index, hex_id, 0, slot)
    game.board_changed()


def own(game: Game, sym: str, *names: str) -> list[str]:
    """Trains of these names; the copies are those of the depot's first trains."""
    return [give_train(game, sym, name) for name in names]


def links(*hexes: str) -> Links:
    """Connections between stops of neighboring hexes."""
    return [[a, b] for a, b in pairwise(hexes)]


def check(game: Game, sym: str, *routes: tuple[str, Links]) -> RunResult:
    recorded = [{"train": train, "connections": links} for train, links in routes]
    return check_run(game.title.map, game.state, sym, recorded, game.title.route_rules)


def paid(game: Game, sym: str, *routes: tuple[str, Links]) -> list[int]:
    """Revenue of every route."""
    return [route.revenue for route in check(game, sym, *routes).routes]


def forbidden(game: Game, sym: str, *routes: tuple[str, Links]) -> str:
    """The code of the error the routes meet."""
    try:
        check(game, sym, *routes)
    except IllegalAction as error:
        return error.code
    raise AssertionError("the routes may run")
