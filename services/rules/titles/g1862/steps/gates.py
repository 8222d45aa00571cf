"""When a step of the operating turn is closed (1862 2.6, "Gates")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....engine.state import Corporation
from ....engine.steps.base import Entity
from .. import charters
from ..state import Corporation1862, of

if TYPE_CHECKING:
    from ....engine.game import Game


def skips(game: Game, operator: Corporation) -> bool:
    """Whether a corporation does nothing more in this round, after a merger or its bankruptcy."""
    return operator.sym in of(game).skip_turn


def operator_of(game: Game, entity: Entity) -> Corporation1862 | None:
    """The corporation whose turn it is, if it is the one asked and still acts in this round."""
    if entity is not game.current or not isinstance(entity, Corporation1862) or skips(game, entity):
        return None
    return entity if entity.started else None


def director_of(game: Game, entity: Entity) -> Corporation1862 | None:
    """As :func:`operator_of`, for what only a corporation with a president does."""
    operator = operator_of(game, entity)
    return None if operator is None or charters.in_receivership(operator) else operator


def builder_of(game: Game, entity: Entity) -> Corporation1862 | None:
    """As :func:`director_of`, for what ends when the LNER is formed."""
    return None if of(game).lner == "formed" else director_of(game, entity)
