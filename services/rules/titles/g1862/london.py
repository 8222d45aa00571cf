"""London's link spaces, and which trains a corporation may run (1862 1.8, 4.2, 4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...engine.errors import IllegalAction
from ...engine.state import Corporation
from ...engine.steps.base import require
from .routes import LONDON, LONDON_LINKS
from .state import as_1862

if TYPE_CHECKING:
    from ...engine.game import Game

CLASSES = {"F": "freight", "L": "local", "E": "express"}


def class_of(name: str) -> str:
    """Class of a train by its name, warranties or not (1862 1.5)."""
    return CLASSES[name.rstrip("*")[-1]]


def has_runnable_train(game: Game, corporation: Corporation) -> bool:
    """Whether it owns a train of a permitted class that has not run in this round."""
    trains = game.state.depot.trains
    permits = as_1862(corporation).permits
    return any(
        not trains[train_id].ran and class_of(trains[train_id].name) in permits for train_id in corporation.trains
    )


def has_link(corporation: Corporation) -> bool:
    """Whether it has a token in a link space."""
    return any(token.hex in LONDON_LINKS for token in corporation.tokens)


def reaches_london(game: Game, corporation: Corporation) -> bool:
    """Whether its network meets one of London's off-board areas."""
    for hex_id, index in game.network(corporation).nodes:
        if game.title.map.tile_at(game.state, hex_id).nodes[index].group == LONDON:
            return True
    return False


def may_link(game: Game, operator: Corporation) -> bool:
    """Whether the operator may place its token of this turn in London, as far as it depends on itself (1862 4.2)."""
    return not game.round.turn.tiles_laid and not has_link(operator) and reaches_london(game, operator)


def free_spaces(game: Game) -> Iterator[str]:
    """Link hexes with a free space."""
    for hex_id in LONDON_LINKS:
        if None in game.state.board[hex_id].cities[0].slots:
            yield hex_id


def check_link(game: Game, operator: Corporation) -> None:
    """Raise :class:`IllegalAction` unless the operator may link to London."""
    require(not game.round.turn.tiles_laid, "tile_laid", "The London link takes the place of track in a turn.")
    require(not has_link(operator), "has_link", f"{operator.sym} has its London link.")
    if not reaches_london(game, operator):
        raise IllegalAction("not_connected", f"{operator.sym} does not reach London.")
