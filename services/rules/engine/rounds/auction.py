"""The initial auction of private companies (core 17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..state import Auction, Ref
from .base import PlayerRound

if TYPE_CHECKING:
    from ..game import Game


class AuctionRound(PlayerRound):
    kind = "auction"
    short = "AR"
    name = "Auction Round"

    def entities(self, game: Game) -> list[Ref]:
        items = sorted(
            (company for company in game.state.companies.values() if not company.closed and company.owner is None),
            key=lambda company: company.value,
        )
        syms = [company.sym for company in items]
        game.round.auction = Auction(items=syms, cheapest=syms[0] if syms else None)
        return super().entities(game)

    def setup(self, game: Game) -> None:
        self.start_turn(game)
        self.skip_steps(game)
