"""Bots with a bent, which reach what an even-handed one meets rarely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.rules.bot import Bot, RouteFinder
from services.rules.engine.moves import Move
from services.rules.engine.title import Title
from services.rules.strategies import Insight

COLORS = ("white", "yellow", "green", "brown", "gray")


class Spender(Bot):
    """Builds and buys whatever it can, pays everything out and buys companies that take a treasury's last money."""

    def __init__(self, seed: int, title: Title) -> None:
        super().__init__(seed)
        self.companies = title.data.companies

    def empties(self, move: Move) -> bool:
        """Whether a company costs a treasury all it has."""
        return bool(move["price"]["max"] < self.companies[move["company"]].value)

    def weight(self, kind: str, moves: Sequence[Move], trading: bool) -> float:
        weight = super().weight(kind, moves, trading)
        if kind == "buy_company":
            return weight * (200.0 if any(map(self.empties, moves)) else 0.5)
        return weight * 0.2 if kind == "pass" and not trading else weight

    def pick(self, moves: Sequence[Move], values: Sequence[float] | None = None) -> Move:
        wanted = [move for move in moves if move.get("kind") == "payout"]
        if moves[0]["type"] == "buy_company":
            wanted = [move for move in moves if self.empties(move)]
        return wanted[0] if wanted else super().pick(moves, values)

    def fill(self, move: Move, find_routes: RouteFinder | None) -> dict[str, Any]:
        action = super().fill(move, find_routes)
        if move["type"] == "buy_company":
            action["price"] = move["price"]["max"]
        return action


class Builder(Bot):
    """Upgrades where it can, great cities first, makes majors of minors and keeps companies supplied with trains."""

    def __init__(self, seed: int, title: Title) -> None:
        super().__init__(seed)
        self.tiles = title.data.tiles

    def choose(
        self,
        moves: Sequence[Move],
        *,
        trading: bool,
        find_routes: RouteFinder | None = None,
        insight: Insight | None = None,
    ) -> dict[str, Any]:
        """Nobody goes without a train or stays a minor where that can be helped."""
        if any(move["type"] in ("buy_train", "convert") for move in moves):
            moves = [move for move in moves if move["type"] != "pass"]
        return super().choose(moves, trading=trading, find_routes=find_routes, insight=insight)

    def weight(self, kind: str, moves: Sequence[Move], trading: bool) -> float:
        weight = super().weight(kind, moves, trading)
        factors = {"lay_tile": 5.0, "convert": 10.0, "merge": 5.0, "choose": 0.02}
        return weight * factors.get(kind, 1.0)

    def pick(self, moves: Sequence[Move], values: Sequence[float] | None = None) -> Move:
        if moves[0]["type"] != "lay_tile":
            return super().pick(moves, values)
        return self.rng.choices(moves, [self.urgency(move) for move in moves])[0]

    def urgency(self, move: Move) -> float:
        """Later colors and labelled tiles first."""
        tile = move["tile"]
        name = (tile["choices"][0] if isinstance(tile, dict) else tile).rpartition("-")[0]
        data = self.tiles[name]
        return 4.0 ** COLORS.index(data.color) * {None: 1.0, "M": 64.0}.get(data.label, 4.0)
