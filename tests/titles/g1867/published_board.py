"""The last board of a published game as a position of the engine, from ``tests/data/boards/1867_final.toml``."""

from __future__ import annotations

import tomllib
from typing import Any

from services.rules.engine import trains
from services.rules.engine.board import lays
from tests.shared import REPOSITORY
from tests.titles.g1867.table import Canada, start_major

FACTS: dict[str, Any] = tomllib.loads((REPOSITORY / "tests/data/boards/1867_final.toml").read_text())
COMPANIES: dict[str, dict[str, Any]] = FACTS["companies"]


def lay_tiles(table: Canada) -> None:
    """Put the tiles on the map out of the supply, with what a lay brings besides."""
    game = table.game
    for hex_id, (tile, rotation) in FACTS["tiles"].items():
        result = lays.lay(game.title.track_rules, game.state, hex_id, tile, rotation)
        game.title.after_lay(game, table.company("GWR"), result)
    game.board_changed()


def next_of(table: Canada, rank: str) -> str | None:
    """Who gets the next train of a rank."""
    for sym, facts in COMPANIES.items():
        held = [trains.rank(train) for train in table.company(sym).trains]
        if facts["trains"].count(rank) > held.count(rank):
            return sym
    return None


def hand_out_trains(table: Canada) -> None:
    """Empty the depot in order, with all that follows; what nobody holds on the board is exported."""
    game = table.game
    while game.phase.name != FACTS["phase"]:
        train = game.state.depot.upcoming[0]
        owner = next_of(table, trains.rank(train))
        if owner is None:
            trains.export(game)
        else:
            table.give(owner, train)
            trains.react(game, train)
    for train in trains.depot_trains(game):
        while (owner := next_of(table, trains.rank(train))) is not None:
            offer = next(t for t in game.state.depot.upcoming if trains.rank(t) == trains.rank(train))
            table.give(owner, offer)


def published_board() -> Canada:
    """An operating round on that board, in which the three majors act in turn."""
    table = Canada(3).sell_companies()
    table.game.title.on_train_event(table.game, "second_batch")
    lay_tiles(table)
    for sym, owner, price in zip(COMPANIES, "ABC", (300, 270, 245), strict=True):
        start_major(table, sym, owner, price)
        for hex_id in COMPANIES[sym]["tokens"]:
            table.token(sym, hex_id)
    hand_out_trains(table)
    table.state.turn = 8
    table.game.touch()
    table.game.start_round("operating", 1)
    return table
