"""Two corporations of 1862 that may merge, set up directly."""

from __future__ import annotations

from services.rules.engine import shares
from services.rules.engine.board import tokens
from services.rules.engine.game import Game
from services.rules.titles.g1862 import mergers
from services.rules.titles.g1862.state import Merger, of

from .table import corporation, hold, start


def floated(game: Game, sym: str, column: int, *, chartered: bool = True, cash: int = 0) -> None:
    """A floated corporation on a market cell."""
    line = corporation(game, sym)
    line.capitalization = "full" if chartered else "incremental"
    line.chartered, line.floated = chartered, True
    shares.set_par(game, line, (0, column), "player:J1")
    line.president = "player:J1"
    line.base_par = (0, column)
    line.cash = cash
    game.state.bank -= cash
    line.trains = []


def put(game: Game, sym: str, *places: tuple[str, int]) -> None:
    """Tokens of a corporation on the map: (hex, slot)."""
    for index, (hex_id, slot) in enumerate(places):
        tokens.place(game.title.map, game.state, sym, index, hex_id, 0, slot)


def own_train(game: Game, sym: str, train: str, name: str) -> None:
    depot = game.state.depot
    depot.upcoming.remove(train)
    depot.trains[train].owner, depot.trains[train].name = sym, name
    corporation(game, sym).trains.append(train)


def two_corporations() -> Game:
    """EUR and N&E as in the example: EUR, chartered, acquires unchartered N&E at 100 each (1862 9, T4)."""
    game = start(3, seed=46925)
    floated(game, "EUR", 26, cash=220)
    floated(game, "N&E", 26, chartered=False, cash=76)
    own_train(game, "EUR", "A-0", "2E")
    own_train(game, "N&E", "A-1", "1F")
    hold(game, "EUR", J1=[0, 1, 2, 3], J2=[4, 5, 6, 7])
    hold(game, "N&E", J1=[0, 1, 2, 3, 4], ipo=[5, 6, 7])
    put(game, "EUR", ("E12", 0), ("B15", 0))
    put(game, "N&E", ("B13", 0))
    game.start_round("operating", 1)
    return game


def merge(game: Game, originator: str, other: str, *, survives: bool, at: str = "merge") -> None:
    merger = of(game).merger = Merger(originator, at, other=other)
    mergers.begin(game, merger, other, survives)
    game.touch()
