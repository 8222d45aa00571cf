"""A corporation of 1862 in its turn, set up directly."""

from __future__ import annotations

from services.rules.engine import shares
from services.rules.engine.board import lays
from services.rules.engine.game import Game

from .table import corporation, hold, start


def found(
    game: Game,
    sym: str,
    column: int = 26,
    *,
    chartered: bool = True,
    cash: int = 0,
    president: str = "J1",
    **holders: list[int],
) -> None:
    """A floated corporation on a market cell, its certificates with these holders."""
    line = corporation(game, sym)
    line.capitalization = "full" if chartered else "incremental"
    line.chartered, line.floated = chartered, True
    shares.set_par(game, line, (0, column), f"player:{president}")
    line.president = f"player:{president}"
    line.base_par = (0, column)
    line.cash = cash
    game.state.bank -= cash
    hold(game, sym, **(holders or {president: [0, 1, 2], "ipo": [3, 4, 5, 6, 7]}))


def give_train(game: Game, sym: str, name: str, train: str = "") -> str:
    """The first train of the depot, or the one named, under a name; phases do not react."""
    depot = game.state.depot
    train = train or depot.upcoming[0]
    depot.upcoming.remove(train)
    depot.trains[train].owner, depot.trains[train].name = sym, name
    corporation(game, sym).trains.append(train)
    return train


def tile(game: Game, hex_id: str, name: str, rotation: int) -> None:
    """Put a tile on the map."""
    lays.lay(game.title.track_rules, game.state, hex_id, name, rotation)
    game.board_changed()


def phase(game: Game, name: str) -> None:
    """Let a phase begin."""
    names = [data.name for data in game.title.data.phases]
    game.state.phase = names.index(name)
    game.touch()


def operate(game: Game) -> None:
    """Begin an operating round; automatic passes are made."""
    game.start_round("operating", 1)
    while automatic := game.automatic_actions():
        for action in automatic:
            game.apply(action)


def wvr(**keywords: object) -> Game:
    """WVR, an express corporation at Beccles, alone in the game."""
    game = start(4, seed=3)
    found(game, "WVR", **keywords)  # type: ignore[arg-type]
    return game
