"""Questions about trains and phases: limits, trade-ins, rust, events (core 14, 15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import companies
from ..state import Company, Corporation
from ..trains import Offer
from .base import TitleBase

if TYPE_CHECKING:
    from ..game import Game


class TrainHooks(TitleBase):
    """Questions about trains and phases: limits, trade-ins, rust, events (core 14, 15)."""

    def limit_kind(self, corporation: Corporation) -> str:
        """Key of a corporation in a phase's table of train limits."""
        return corporation.kind

    def may_trade_in(self, game: Game, buyer: Corporation, own: str, offer: Offer) -> bool:
        return not (self.train_rules.trade_in_once and game.round.turn.traded_in)

    def defers_rust(self, game: Game, train_id: str) -> bool:
        """Whether a train survives the moment it should rust."""
        return False

    def on_phase(self, game: Game) -> None:
        """Hook at every phase change: abilities that name the phase."""
        name = game.phase.name
        for company in list(game.state.companies.values()):
            if any(data.phase == name for _, data in companies.abilities(game, company, "close")):
                companies.close(game, company)

    def on_train_event(self, game: Game, event: str) -> None:
        """An event printed on a train copy."""
        if event == "companies_close":
            companies.close_all(game)

    def after_train(self, game: Game, train_id: str) -> None:
        """Hook after all effects of a train leaving the depot."""

    def closes_with_all(self, game: Game, company: Company) -> bool:
        """Whether the event "companies close" closes this one: not if its close ability names a phase of its own."""
        return not any(data.phase for _, data in companies.abilities(game, company, "close"))
