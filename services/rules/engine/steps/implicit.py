"""The steps that precede every list: ending the game, messages, standing orders (core 2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import ending, events, programs
from ..actions import Action, Message, ProgramDisable
from ..state import Company, Player
from .base import Entity, Step

if TYPE_CHECKING:
    from ..game import Game


class EndGameStep(Step):
    kind = "end_game"
    blocks = False
    implicit = True

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return () if isinstance(entity, Company) else ("end_game",)

    def apply(self, game: Game, action: Action) -> None:
        ending.finish(game, "manually_ended")


class MessageStep(Step):
    kind = "message"
    blocks = False
    implicit = True

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("message", "log") if isinstance(entity, Player) else ("log",)

    def apply(self, game: Game, action: Action) -> None:
        if isinstance(action, Message):
            game.emit(events.Said(action.ref, action.message))


class ProgramStep(Step):
    kind = "program"
    blocks = False
    implicit = True

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return programs.TYPES if isinstance(entity, Player) else ()

    def apply(self, game: Game, action: Action) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        if isinstance(action, ProgramDisable):
            programs.remove(game, player, action.reason or "")
        else:
            programs.accept(game, player, action)


IMPLICIT_STEPS: tuple[Step, ...] = (EndGameStep(), MessageStep(), ProgramStep())
