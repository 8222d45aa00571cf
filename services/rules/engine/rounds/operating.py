"""The operating round (core 2.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import companies, homes
from ..actions import Action
from ..state import Corporation, Ref
from .base import RoundRules

if TYPE_CHECKING:
    from ..game import Game


class OperatingRound(RoundRules):
    """Floated minors, then floated corporations, act once each in operating order."""

    kind = "operating"
    short = "OR"
    name = "Operating Round"

    def entities(self, game: Game) -> list[Ref]:
        minors = [c for c in game.operators_in_order if c.entity_type == "minor" and c.floated]
        corporations = [c for c in game.corporations if c.entity_type != "minor" and c.floated]
        return [c.ref for c in [*minors, *game.market_order(corporations)]]

    def setup(self, game: Game) -> None:
        companies.pay_revenues(game)
        timing = game.title.track.home_token_timing
        for ref in game.round.entities:
            corporation = game.entity(ref)
            if isinstance(corporation, Corporation):
                if timing == "operating_round":
                    homes.place_home_token(game, corporation)
                for train_id in corporation.trains:
                    game.state.depot.trains[train_id].ran = False
        if game.round.entities:
            self.start_operating(game)

    def is_finished(self, game: Game) -> bool:
        return game.round.finished or not game.round.entities

    def start_operating(self, game: Game) -> None:
        """Begin turns until one waits for a decision or the round is over."""
        current = game.round
        while True:
            operator = game.operator
            if self.can_operate(game, operator):
                self.start_turn(game)
                self.begin_turn(game, operator)
                self.skip_steps(game)
                if self.waits(game):
                    return
                self.end_turn(game, operator)
            if current.index == len(current.entities) - 1:
                current.finished = True
                for flags in current.steps:
                    flags.passed = True
                return
            current.index += 1

    def can_operate(self, game: Game, operator: Corporation) -> bool:
        """Whether an operator takes its turn when it comes; others are jumped over."""
        return not operator.closed

    def begin_turn(self, game: Game, operator: Corporation) -> None:
        """What happens before the first step."""
        if game.title.track.home_token_timing == "operate":
            homes.place_home_token(game, operator)

    def waits(self, game: Game) -> bool:
        """Whether a step waits for somebody, so that the turn goes on."""
        return self.active_step(game) is not None

    def end_turn(self, game: Game, operator: Corporation) -> None:
        """Hook at the end of an operator's turn."""

    def turn_goes_on(self, game: Game) -> bool:
        """Whether the operator still acts: a step waits and somebody leads the company."""
        if not self.waits(game):
            return False
        operator = game.operator
        return operator.president is not None and not operator.closed

    def after_process(self, game: Game, action: Action) -> None:
        if self.turn_goes_on(game):
            return
        current = game.round
        self.end_turn(game, game.operator)
        if current.index == len(current.entities) - 1:
            current.finished = True
            for flags in current.steps:
                flags.passed = True
            return
        current.index += 1
        self.start_operating(game)

    def resort(self, game: Game) -> None:
        """Re-order the operators still to come after share sales (core 2.5)."""
        current = game.round
        head = current.entities[: current.index + 1]
        rest = [c for ref in current.entities[current.index + 1 :] if isinstance(c := game.entity(ref), Corporation)]
        minors = [c for c in rest if c.entity_type == "minor"]
        others = [c for c in rest if c.entity_type != "minor"]
        current.entities = head + [c.ref for c in [*minors, *game.market_order(others)]]
