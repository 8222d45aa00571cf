"""A kind of round: an ordered list of steps and how turns follow each other (core 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..actions import Action
from ..errors import IllegalAction
from ..state import Player, Ref, Round, Turn
from ..state import Step as Flags
from ..steps.base import Entity, Move, Step, entity_name, is_closed
from ..steps.implicit import IMPLICIT_STEPS

if TYPE_CHECKING:
    from ..game import Game


class RoundRules:
    """Rules of one kind of round. ``counts`` is what a finished round adds to the round counter."""

    kind: ClassVar[str] = ""
    short: ClassVar[str] = ""
    name: ClassVar[str] = ""
    counts: int = 1
    over_players: ClassVar[bool] = False
    keeps_programs: ClassVar[bool] = False
    """Whether standing orders for other rounds outlast the start of this one."""

    def __init__(self, *steps: Step) -> None:
        self.steps = steps
        for position, step in enumerate(steps):
            step.position = position

    # --- life of a round ----------------------------------------------------------------------------------------

    def create(self, game: Game, number: int) -> None:
        """Make this the round in progress, with its entities."""
        game.state.round = Round(
            kind=self.kind, number=number, entities=[], steps=[Flags(step.kind) for step in self.steps]
        )
        game.state.round.entities = self.entities(game)

    def entities(self, game: Game) -> list[Ref]:
        """Who takes turns."""
        return [player.ref for player in game.players_in_order]

    def setup(self, game: Game) -> None:
        """Begin: reset the steps and skip what nobody can do."""
        self.start_turn(game)

    def start_turn(self, game: Game) -> None:
        """Reset everything that belongs to one entity's turn."""
        game.round.turn = Turn()
        for flags in game.round.steps:
            flags.passed = False
            flags.acted = False
        for step in self.steps:
            step.setup(game)
        game.touch()

    def is_finished(self, game: Game) -> bool:
        return self.active_step(game) is None

    def reorder_players(self, game: Game) -> None:
        """Player order for the next round (core 2.7)."""

    def resort(self, game: Game) -> None:
        """Order the entities still to come anew, where the kind of round has an order."""

    # --- steps --------------------------------------------------------------------------------------------------

    def active_step(self, game: Game) -> Step | None:
        """The first active step that blocks."""
        for step in self.steps:
            if step.is_active(game) and step.is_blocking(game):
                return step
        return None

    def skip_steps(self, game: Game) -> None:
        """End every step before the first blocking one (core 2.2.4)."""
        for step in self.steps:
            current = game.current
            if not step.is_active(game) or not step.is_blocking_kind(game) or (current and is_closed(current)):
                continue
            if step.is_blocking(game):
                return
            step.skip(game)
            game.touch()

    def step_for(self, game: Game, action: Action, entity: Entity) -> Step:
        """The step that takes an action; raises :class:`IllegalAction` when a blocking step refuses it."""
        for implicit in IMPLICIT_STEPS:
            if action.type in implicit.actions(game, entity):
                return implicit
        for step in self.steps:
            if not step.is_active(game):
                continue
            if action.type in step.actions(game, entity):
                return step
            if step.is_blocking(game):
                raise self.refusal(game, step, action, entity)
        raise IllegalAction("nothing_to_do", f"Nothing is waiting for a {action.type} now.", type=action.type)

    def refusal(self, game: Game, step: Step, action: Action, entity: Entity) -> IllegalAction:
        """Why a blocking step does not take an action."""
        waiting = step.active_entities(game)
        names = " or ".join(entity_name(e) for e in waiting)
        if not any(e is entity for e in waiting):
            return IllegalAction(
                "not_your_turn",
                f"It is not the turn of {entity_name(entity)}: {names} must {step.description}.",
                step=step.kind,
                waiting_for=[e.ref for e in waiting],
            )
        accepted = step.actions(game, entity)
        return IllegalAction(
            "wrong_action",
            f"{entity_name(entity)} must {step.description}; {action.type} is not possible now.",
            step=step.kind,
            accepts=list(accepted),
        )

    def process(self, game: Game, action: Action) -> None:
        """One action: find its step, do it, skip what has become impossible, move on (core 2.2)."""
        entity = game.entity(action.ref)
        step = self.step_for(game, action, entity)
        if step.implicit:
            step.apply(game, action)
            return
        step.flags(game).acted = True
        step.apply(game, action)
        game.touch()
        game.round.at_start = False
        self.skip_steps(game)
        self.after_process(game, action)

    def after_process(self, game: Game, action: Action) -> None:
        """What follows when an action has been done."""

    # --- legal moves --------------------------------------------------------------------------------------------

    def moves(self, game: Game) -> list[Move]:
        """All moves of all entities: of the steps before the first blocking one, and of that one."""
        result: list[Move] = []
        for step in self.steps:
            if not step.is_active(game):
                continue
            for entity in step.movers(game):
                result.extend(step.moves(game, entity))
            if step.is_blocking(game):
                break
        return result


class PlayerRound(RoundRules):
    """A round in which players take turns until the title ends it."""

    over_players = True

    def reorder_players(self, game: Game) -> None:
        """Rotate so that the player at the round's index comes first, skipping bankrupt ones."""
        index = game.round.index
        entities = game.round.entities
        order = [*entities[index:], *entities[:index]]
        players = [p for ref in order if isinstance(p := game.entity(ref), Player)]
        alive = [p for p in players if not p.bankrupt]
        if alive:
            start = players.index(alive[0])
            players = players[start:] + players[:start]
        game.state.player_order = [player.id for player in players]

    def next_index(self, game: Game) -> None:
        """Turn to the next entity, cyclically."""
        game.round.index = (game.round.index + 1) % len(game.round.entities)
