"""A corporation of 1862 in its turn, set up directly."""

from __future__ import annotations

from services.rules.engine import shares
from services.rules.engine.board import lays, tokens
from services.rules.engine.game import Game

from .table import act, corporation, hold, passes, run, start, where


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


def sell_out(game: Game, rank: str) -> None:
    """The depot's next train is the first of a rank; those before have been sold and have rusted."""
    depot = game.state.depot
    for train in [train for train in depot.upcoming if train[0] < rank]:
        depot.upcoming.remove(train)
        depot.trains[train].owner = None
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


def line_of(game: Game) -> None:
    """Beccles, Lowestoft and Great Yarmouth joined, WVR at home."""
    tile(game, "G8", "57", 1)
    tile(game, "H7", "6", 1)
    tile(game, "H5", "202", 0)
    tokens.place(game.title.map, game.state, "WVR", 0, "G8", 0, 0)


def at_trains(money: int = 500, **keywords: object) -> Game:
    """WVR has built and buys trains."""
    game = wvr(cash=money, **keywords)
    line_of(game)
    operate(game)
    while where(game).startswith("WVR") and where(game) != "WVR:train":
        act(game, "WVR", "pass")
    return game


def running(column: int, money: int = 100) -> Game:
    """WVR runs for 40 at some price."""
    game = wvr(cash=money, column=column)
    line_of(game)
    give_train(game, "WVR", "2E*")
    operate(game)
    while where(game) != "WVR:route":
        passes(game, "WVR")
    run(game, "WVR", ("A-0", [["G8", "H7"]]))
    return game
