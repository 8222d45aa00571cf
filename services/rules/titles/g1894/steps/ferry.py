"""Buying a ferry marker at any moment of the turn (1894 4.7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....engine import events
from ....engine.actions import SpecialBuy
from ....engine.money import spend
from ....engine.state import Corporation
from ....engine.steps.base import Entity, Move, Step, move, require
from .. import london
from ..routes import FERRY, LONDON_BONUS

if TYPE_CHECKING:
    from ....engine.game import Game


class Ferry(Step):
    """A marker opens London to its corporation for the rest of the game."""

    kind = "ferry"
    description = "buy a ferry marker"
    blocks = False

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current or not isinstance(entity, Corporation):
            return ()
        return ("special_buy",) if london.may_buy_ferry(game, entity) else ()

    def list_special_buy(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        yield move(entity, "special_buy", description=london.FERRY_NAME, cost=london.ferry_cost(game, entity))

    def do_special_buy(self, game: Game, action: SpecialBuy) -> None:
        corporation = game.operator
        cost = london.ferry_cost(game, corporation)
        require(action.description == london.FERRY_NAME, "not_for_sale", f"{action.description!r} is not for sale.")
        require(action.cost == cost, "wrong_price", f"A ferry marker costs {game.money(cost)}.", price=cost)
        spend(game, corporation, None, cost)
        game.state.board[LONDON_BONUS].icons.remove(FERRY)
        london.grant(corporation, FERRY)
        game.emit(events.Chosen(corporation.ref, london.FERRY_NAME))
        game.board_changed()
