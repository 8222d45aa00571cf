"""Rounds of 1862: Parliament, stock and operating rounds (1862 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.rounds.operating import OperatingRound
from ...engine.rounds.stock import StockRound
from ...engine.state import Corporation
from . import charters
from .homes import begin_at_home
from .state import of

if TYPE_CHECKING:
    from ...engine.game import Game


class ParliamentRound(StockRound):
    """Players in turn open auctions until all have passed (1862 2.2)."""

    kind = "parliament"
    short = "PR"
    name = "Parliament Round"

    def create(self, game: Game, number: int) -> None:
        state = of(game)
        state.parliaments += 1
        state.won = []
        super().create(game, number)

    def finish(self, game: Game) -> None:
        """Nothing moves on the market."""

    def reorder_players(self, game: Game) -> None:
        """The order stays."""


class Stock1862(StockRound):
    """After the last pass the obligations are enforced, perhaps with forced sales (1862 2.4)."""

    def create(self, game: Game, number: int) -> None:
        state = of(game)
        state.bought = {}
        state.enforced = False
        super().create(game, number)

    def next_entity(self, game: Game) -> None:
        state = of(game)
        if state.enforced:
            game.round.finished = True
            return
        super().next_entity(game)

    def finish(self, game: Game) -> None:
        state = of(game)
        state.enforced = True
        charters.enforce_obligations(game)
        game.touch()
        game.round.finished = not state.forced_sales


class Operating1862(OperatingRound):
    """Homes with upgrades; who merged or went bankrupt does nothing more (1862 2.5, 2.6)."""

    def begin_turn(self, game: Game, operator: Corporation) -> None:
        of(game).emergency = False
        of(game).does_not_run = None
        if operator.sym not in of(game).skip_turn:
            begin_at_home(game, operator)

    def turn_goes_on(self, game: Game) -> bool:
        """A half-done merger has to be finished whatever has become of the operator."""
        state = of(game)
        if state.merger is not None or state.removal is not None:
            return True
        return super().turn_goes_on(game)
