"""What a step is: one decision stage of a round (core 2.1-2.3).

Steps hold no state: ``position`` is their place in the round's list, the flags live in ``state.round.steps``.
Entities are the structs of ``engine.state``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from .. import events
from ..actions import Action
from ..errors import IllegalAction
from ..state import Company, Corporation, Player
from ..state import Step as Flags

if TYPE_CHECKING:
    from ..game import Game

Entity = Player | Corporation | Company
Move = dict[str, Any]


class Step:
    """Base step: active until passed, asks the round's current entity, blocks while it has legal actions."""

    kind: ClassVar[str] = ""
    description: ClassVar[str] = ""
    """What is awaited, for messages: "It is the turn of PRR to <description>"."""
    blocks: ClassVar[bool] = True
    implicit: ClassVar[bool] = False
    programs: ClassVar[tuple[str, ...]] = ()
    """Kinds of standing orders this step carries out (``engine.programs``)."""
    position: int = -1

    def flags(self, game: Game) -> Flags:
        return game.round.steps[self.position]

    def is_active(self, game: Game) -> bool:
        return not game.round.steps[self.position].passed

    def is_blocking_kind(self, game: Game) -> bool:
        """Whether this step may block now; some block only while something is unfinished."""
        return self.blocks

    def active_entities(self, game: Game) -> list[Entity]:
        current = game.current
        return [current] if current is not None else []

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        """Action types this entity may send now; empty means the step does not wait for it."""
        return ()

    def is_blocking(self, game: Game) -> bool:
        if not self.is_blocking_kind(game):
            return False
        entities = self.active_entities(game)
        if not entities or is_closed(entities[0]):
            return False
        return bool(self.actions(game, entities[0]))

    def setup(self, game: Game) -> None:
        """Reset for a new turn."""

    def skip(self, game: Game) -> None:
        """End silently because nothing is legal."""
        flags = self.flags(game)
        current = game.current
        if not flags.acted and current is not None:
            game.emit(events.Skipped(current.ref, self.kind))
        self.finish(game)

    def finish(self, game: Game) -> None:
        """This step is over for the turn."""
        self.flags(game).passed = True

    def movers(self, game: Game) -> list[Entity]:
        """Entities to ask for moves: the active ones of a blocking step, others where a step serves more."""
        return self.active_entities(game)

    def moves(self, game: Game, entity: Entity) -> Iterator[Move]:
        """Every legal move of an entity in this step: concrete, or templates with ranges (``engine.moves``)."""
        for kind in self.actions(game, entity):
            lister: Callable[[Game, Entity], Iterator[Move]] | None = getattr(self, f"list_{kind}", None)
            if lister is not None:
                yield from lister(game, entity)

    def apply(self, game: Game, action: Action) -> None:
        """Do it; raises :class:`IllegalAction` before anything changes for good."""
        getattr(self, f"do_{action.type}")(game, action)

    def do_pass(self, game: Game, action: Action) -> None:
        game.emit(events.Passed(action.ref, self.kind))
        self.finish(game)

    def list_pass(self, game: Game, entity: Entity) -> Iterator[Move]:
        yield move(entity, "pass")

    def auto_actions(self, game: Game, entity: Entity) -> list[Move]:
        """What the entity's standing orders, or the lack of alternatives, make it do now (core 1.7)."""
        return []


def is_closed(entity: Entity) -> bool:
    return not isinstance(entity, Player) and entity.closed


def entity_id(entity: Entity) -> int | str:
    return entity.id if isinstance(entity, Player) else entity.sym


def entity_type(entity: Entity) -> str:
    if isinstance(entity, Player):
        return "player"
    return "company" if isinstance(entity, Company) else entity.entity_type


def entity_name(entity: Entity) -> str:
    return entity.name if isinstance(entity, Player) else entity.sym


def move(entity: Entity, kind: str, /, **fields: Any) -> Move:
    """A legal move: an action, where a field may be a template (``engine.moves``)."""
    return {"type": kind, "entity": entity_id(entity), "entity_type": entity_type(entity), **fields}


def require(condition: bool, code: str, message: str, **details: Any) -> None:
    """Raise :class:`IllegalAction` unless ``condition``."""
    if not condition:
        raise IllegalAction(code, message, **details)
