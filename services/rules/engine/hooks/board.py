"""Questions about the map: homes, tokens, the money for track (core 4-8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..board.lays import LayResult
from ..money import spend
from ..state import Corporation, GameState
from .base import TitleBase

if TYPE_CHECKING:
    from ..game import Game


class BoardHooks(TitleBase):
    """Questions about the map: homes, tokens, the money for track (core 4-8)."""

    def home_hexes(self, game: Game, corporation: Corporation) -> list[str]:
        """Hexes where the home token may go."""
        return corporation.home

    def token_cost(self, game: Game, corporation: Corporation, hex_id: str) -> int:
        """Price of the next token on a hex, before abilities."""
        token = next((t for t in corporation.tokens if t.hex is None), None)
        return token.price if token else 0

    def has_spare_token(self, game: Game, corporation: Corporation) -> bool:
        return any(token.hex is None for token in corporation.tokens)

    def hexes_of_tile(self, state: GameState, name: str, copy: int) -> list[str]:
        """Where a tile lies: the hexes a copy of the supply was laid on, or that of a printed tile id.

        A tile of the supply may have the name of a hex.
        """
        laid = [hex_id for hex_id, h in state.board.items() if h.tile == name and h.copy == copy]
        if laid:
            return laid
        if name in self.map.printed:
            return [] if _has_tile(state, name) else [name]
        printed = self.map.by_print_id.get(f"{name}-{copy}")
        return [printed] if printed is not None and not _has_tile(state, printed) else []

    def track_funds(self, game: Game, operator: Corporation) -> int:
        """Money an operator can raise for track."""
        return operator.cash

    def pay_for_track(self, game: Game, operator: Corporation, cost: int) -> None:
        """Pay for a lay; raises :class:`IllegalAction` when the operator is short."""
        spend(game, operator, None, cost)

    def track_held_open(self, game: Game, operator: Corporation) -> bool:
        """Whether a company's lay keeps the track step open when the allowance is used up (core 6.1)."""
        return False

    def counts_as_upgrade(self, game: Game, result: LayResult) -> bool:
        return result.is_upgrade

    def after_lay(self, game: Game, operator: Corporation, result: LayResult) -> None:
        """Hook after a tile has been laid and paid."""

    def after_token(self, game: Game, corporation: Corporation, hex_id: str) -> None:
        """Hook after a token has been placed."""

    def network_walls(self, game: Game, corporation: Corporation) -> frozenset[str]:
        """Hexes whose nodes a corporation cannot pass or connect through."""
        return frozenset()


def _has_tile(state: GameState, hex_id: str) -> bool:
    on_hex = state.board.get(hex_id)
    return on_hex is not None and on_hex.tile is not None
