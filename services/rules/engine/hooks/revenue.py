"""Questions about runs, dividends, scores and the end of the game (core 9, 10, 18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .. import dividends, shares
from ..shares import Bundle
from ..state import Corporation, Player, Ref, Trigger
from ..trains import remove_train
from .base import TitleBase

if TYPE_CHECKING:
    from ..game import Game


class RevenueHooks(TitleBase):
    """Questions about runs, dividends, scores and the end of the game (core 9, 10, 18)."""

    def dividend_kinds(self, game: Game, corporation: Corporation) -> tuple[str, ...]:
        return ("payout", "withhold")

    def dividend_option(self, game: Game, corporation: Corporation, kind: str, revenue: int) -> dividends.Option:
        """Amounts and price moves of one kind of dividend."""
        return dividends.base_option(game, corporation, kind, revenue)

    def dividend_moves(self, game: Game, corporation: Corporation, kind: str, paid: int) -> tuple[tuple[str, int], ...]:
        """Price steps for an amount paid out (core 10.3)."""
        if corporation.price is None:
            return ()
        return (("right", 1),) if paid > 0 else (("left", 1),)

    def own_dividend_sources(self, game: Game, corporation: Corporation) -> tuple[Ref, ...]:
        """Holders whose certificates pay into the corporation's treasury (core 10.1)."""
        return dividends.own_sources(corporation)

    def route_available(self, game: Game, corporation: Corporation) -> bool:
        """Whether it has somewhere to run (core 7.4)."""
        return game.network(corporation).route_available

    def route_for_purchase(self, game: Game, corporation: Corporation) -> bool:
        """Whether a route makes owning a train compulsory (core 7.4)."""
        return game.network(corporation).route_for_purchase

    def emergency_sale_timing(self, game: Game, player: Player, bundle: Bundle) -> bool:
        """Whether a bundle may be sold in an operating round as far as timing goes."""
        if self.stock.sell_after == "operate":
            return game.corporation(bundle.corporation).operated
        return True

    def other_liquidity(self, game: Game, player: Player) -> int:
        """Money a president could raise for a compulsory train other than by selling shares."""
        return 0

    def rust_obsolete(self, game: Game, corporation: Corporation) -> None:
        """Obsolete trains have had their last run."""
        for train_id in list(corporation.trains):
            if game.state.depot.trains[train_id].obsolete:
                remove_train(game, train_id)

    def after_run(self, game: Game, corporation: Corporation) -> None:
        """Hook after routes have been accepted."""

    def after_dividend(self, game: Game, corporation: Corporation, option: dividends.Option) -> None:
        """Hook at the end of the dividend step."""

    def share_value(self, game: Game, corporation: Corporation, percent: int) -> int:
        """Worth of a holding when scored."""
        if corporation.price is None:
            return 0
        return self.market.at(corporation.price).price * percent // self.units[corporation.sym]

    def holding_value(self, game: Game, corporation: Corporation, player: Player) -> int:
        """Worth of a player's certificates of a corporation when scored."""
        return self.share_value(game, corporation, shares.percent(game, corporation, player.ref))

    final_round_counts: ClassVar[int] = 0
    """What the end of the game adds to the round counter."""

    def before_scoring(self, game: Game) -> None:
        """Hook when the game ends, before the scores are fixed."""

    def after_action(self, game: Game) -> None:
        """Hook after every action, before end triggers are evaluated."""

    def note_final_turn(self, game: Game, trigger: Trigger) -> None:
        """Fix the last turn, asked after every action while a trigger is in force (core 18)."""
        if trigger.timing == "one_more_full_or_set" and game.state.final_turn is None:
            game.state.final_turn = game.state.turn + 1

    def end_reason_holds(self, game: Game, reason: str) -> bool:
        """Conditions of core 18."""
        state = game.state
        if reason == "bank":
            return state.bank_broken
        if reason == "bankrupt":
            return any(player.bankrupt for player in state.players)
        if reason == "stock_market":
            return any(
                "endgame" in self.market.at(c.price).types for c in state.corporations.values() if c.price is not None
            )
        if reason == "final_phase":
            return state.phase == len(self.data.phases) - 1
        if reason == "final_train":
            return not state.depot.upcoming
        return False
