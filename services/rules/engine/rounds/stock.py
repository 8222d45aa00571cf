"""The stock round (core 2.4, 12.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..actions import Action
from ..state import Player, Ref
from .base import PlayerRound

if TYPE_CHECKING:
    from ..game import Game


class StockRound(PlayerRound):
    """Players trade in turn until all of them have passed."""

    kind = "stock"
    short = "SR"
    name = "Stock Round"

    def entities(self, game: Game) -> list[Ref]:
        return [player.ref for player in game.players_in_order if not player.bankrupt]

    def setup(self, game: Game) -> None:
        self.start_turn(game)
        self.skip_steps(game)
        if self.active_step(game) is None:
            self.next_entity(game)

    def is_finished(self, game: Game) -> bool:
        return game.round.finished

    def all_passed(self, game: Game) -> bool:
        return all(p.passed for ref in game.round.entities if isinstance(p := game.entity(ref), Player))

    def after_process(self, game: Game, action: Action) -> None:
        if self.active_step(game) is None:
            self.next_entity(game)

    def next_entity(self, game: Game) -> None:
        """Turn to the next player with something to do, or finish (core 2.4)."""
        while True:
            self.next_index(game)
            if self.all_passed(game):
                game.round.finished = True
                self.finish(game)
                return
            self.start_turn(game)
            self.skip_steps(game)
            if self.active_step(game) is not None:
                return

    def start_turn(self, game: Game) -> None:
        sold = game.round.sold
        for by_corporation in sold.values():
            for sym in by_corporation:
                by_corporation[sym] = "prev"
        super().start_turn(game)

    def finish(self, game: Game) -> None:
        """Sold-out corporations rise, in the operating order before any move."""
        if not game.title.stock.sold_out_increase:
            return
        for corporation in game.market_order([c for c in game.corporations if c.floated and c.kind != "minor"]):
            if game.title.sold_out(game, corporation):
                game.title.move_sold_out(game, corporation)

    def reorder_players(self, game: Game) -> None:
        if game.title.stock.next_order == "after_last_to_act":
            super().reorder_players(game)
            return
        order = [p.id for ref in game.round.pass_order if isinstance(p := game.entity(ref), Player)]
        rest = [player_id for player_id in game.state.player_order if player_id not in order]
        game.state.player_order = order + rest
