"""Kinds of rounds that 1893 adds: draft, forced auction, merger round (1893 2.2, 2.3, 2.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.rounds.base import PlayerRound, RoundRules
from . import mergers
from .access import state_of

if TYPE_CHECKING:
    from ...engine.game import Game
    from ...engine.state import Ref


class DraftRound(PlayerRound):
    """The starting cards at face value."""

    kind = "draft"
    short = "DR"
    name = "Draft Round"


class ForcedAuctionRound(PlayerRound):
    """What the draft left over, at falling prices."""

    kind = "forced_auction"
    short = "DR"
    name = "Draft Round"


class MergerRound(RoundRules):
    """Foundings that are due, then a vote; over at once when there is neither."""

    kind = "merger"
    short = "MR"
    name = "Merger Round"
    keeps_programs = True

    def create(self, game: Game, number: int) -> None:
        mergers.found_forced(game)
        state_of(game).vote = mergers.vote_due(game)
        super().create(game, number)

    def entities(self, game: Game) -> list[Ref]:
        """The voters in voting order."""
        vote = state_of(game).vote
        return [] if vote is None else [f"player:{voter}" for voter in vote.weights]
