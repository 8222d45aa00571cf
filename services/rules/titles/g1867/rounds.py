"""Rounds of 1867 and 1861 (1867 2.3-2.6)."""

from __future__ import annotations

from ...engine.actions import Action
from ...engine.game import Game
from ...engine.rounds.base import PlayerRound, RoundRules
from ...engine.rounds.operating import OperatingRound
from ...engine.state import Corporation, Ref
from . import loans
from .access import majors, minors, state_of
from .state import Merger
from .steps.auction import CompanyAuction


class CompanyAuctionRound(PlayerRound):
    """The private companies are auctioned one after the other."""

    kind = "auction"
    short = "AR"
    name = "Auction Round"

    def setup(self, game: Game) -> None:
        sold = [c for c in game.state.companies.values() if c.revenue and not c.closed]
        state_of(game).items = [c.sym for c in sorted(sold, key=lambda company: company.value)]
        self.start_turn(game)
        step = self.steps[0]
        assert isinstance(step, CompanyAuction)
        step.open_next(game)


class LoanOperatingRound(OperatingRound):
    """Minors, then majors; interest is fixed at the start."""

    def entities(self, game: Game) -> list[Ref]:
        return [c.ref for c in [*minors(game), *majors(game)]]

    def setup(self, game: Game) -> None:
        loans.set_interest(game)
        super().setup(game)

    def can_operate(self, game: Game, operator: Corporation) -> bool:
        """A nationalized major of the same name is another one."""
        return operator.floated and not operator.closed

    def turn_goes_on(self, game: Game) -> bool:
        return super().turn_goes_on(game) and self.can_operate(game, game.operator)

    def after_process(self, game: Game, action: Action) -> None:
        last = game.round.index == len(game.round.entities) - 1
        if last and not self.turn_goes_on(game) and self.waits(game):
            return
        super().after_process(game, action)


class MergerRound(RoundRules):
    """Every minor may convert or merge, in operating order."""

    kind = "merger"
    short = "MR"
    name = "Merger Round"

    def entities(self, game: Game) -> list[Ref]:
        return [c.ref for c in minors(game)]

    def create(self, game: Game, number: int) -> None:
        state_of(game).merger = Merger()
        super().create(game, number)

    def setup(self, game: Game) -> None:
        self.start_turn(game)
        self.skip_steps(game)
        self.go_on(game)

    def is_finished(self, game: Game) -> bool:
        return game.round.finished

    def after_process(self, game: Game, action: Action) -> None:
        self.go_on(game)

    def go_on(self, game: Game) -> None:
        """Next minor once nothing waits; the list of minors comes back when a new major is complete."""
        current = game.round
        merger = state_of(game).merger
        assert merger is not None
        while self.active_step(game) is None:
            if merger.major is not None:
                current.entities, current.index = merger.rest, merger.place
                merger.major, merger.minors, merger.rest = None, [], []
                for player in game.state.players:
                    player.passed = False
            if not current.entities or current.index == len(current.entities) - 1:
                current.finished = True
                state_of(game).merger = None
                return
            current.index += 1
            self.start_turn(game)
            self.skip_steps(game)
