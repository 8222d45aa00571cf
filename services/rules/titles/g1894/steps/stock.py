"""The stock turn of 1894: base trading, and the home of a late corporation (1894 2.4, 3.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....engine import events
from ....engine.actions import Choose
from ....engine.state import Company, Player
from ....engine.steps.base import Entity, Move, move, require
from ....engine.steps.stock import BuySellParShares
from .. import late
from ..state import of

if TYPE_CHECKING:
    from ....engine.game import Game


class Stock(BuySellParShares):
    """While the home of a late corporation is open nothing else is possible."""

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if of(game).choosing_home is None:
            return super().actions(game, entity)
        return ("choose",) if entity is game.current or isinstance(entity, Company) else ()

    def list_choose(self, game: Game, entity: Entity) -> Iterator[Move]:
        if isinstance(entity, Player):
            yield move(entity, "choose", choice={"choices": list(late.choices(game))})

    def do_choose(self, game: Game, action: Choose) -> None:
        player = game.entity(action.ref)
        require(player is game.current, "not_your_turn", "The player who started the corporation chooses its home.")
        sym = of(game).choosing_home
        late.choose(game, action.choice)
        game.emit(events.Chosen(action.ref, f"{sym}: {action.choice}"))
