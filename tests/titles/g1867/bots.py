"""Bots with a bent, which reach what an even-handed one meets rarely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.rules.bot import Bot, RouteFinder
from services.rules.engine.moves import Move
from services.rules.engine.title import Title

COLORS = ("white", "yellow", "green", "brown", "gray")


class Spender(Bot):
    """Builds and buys whatever it can, pays everything out and lets companies go for all their money."""

    def weight(self, kind: str, moves: Sequence[Move], trading: bool) -> float:
        weight = super().weight(kind, moves, trading)
        if kind == "pass" and not trading:
            return weight * 0.2
        return weight * 10.0 if kind == "buy_company" else weight

    def pick(self, moves: Sequence[Move]) -> Move:
        payouts = [move for move in moves if move.get("kind") == "payout"]
        return payouts[0] if payouts else super().pick(moves)

    def fill(self, move: Move, find_routes: RouteFinder | None) -> dict[str, Any]:
        action = super().fill(move, find_routes)
        if move["type"] == "buy_company":
            action["price"] = move["price"]["max"]
        return action


class Builder(Bot):
    """Upgrades where it can, cities first, and keeps its trains running rather than trading."""

    def __init__(self, seed: int, title: Title) -> None:
        super().__init__(seed)
        self.tiles = title.data.tiles

    def weight(self, kind: str, moves: Sequence[Move], trading: bool) -> float:
        weight = super().weight(kind, moves, trading)
        return weight * 5.0 if kind == "lay_tile" else weight

    def pick(self, moves: Sequence[Move]) -> Move:
        if moves[0]["type"] != "lay_tile":
            return super().pick(moves)
        return self.rng.choices(moves, [self.urgency(move) for move in moves])[0]

    def urgency(self, move: Move) -> float:
        """Later colors and labelled tiles first."""
        tile = move["tile"]
        name = (tile["choices"][0] if isinstance(tile, dict) else tile).rpartition("-")[0]
        data = self.tiles[name]
        return 4.0 ** COLORS.index(data.color) * (4.0 if data.label else 1.0)
