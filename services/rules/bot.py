"""A player that plays any title to its end by choosing among the legal moves.

Seeded and so repeatable. Weights make games develop: companies get sold, corporations float, track grows, trains are
bought and revenue is paid out. It knows no title; everything comes from ``Game.moves``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from .autoroute import best_routes
from .engine.game import Game
from .engine.moves import Move, is_template, sample
from .strategies import Insight, Strategy

RouteFinder = Callable[[str], list[dict[str, Any]]]
"""Finds the recorded-format routes a corporation (by sym) is to run; [] for none."""

WEIGHTS: dict[str, float] = {
    "pass": 2.0,
    "bid": 6.0,
    "par": 6.0,
    "buy_shares": 12.0,
    "sell_shares": 1.0,
    "buy_company": 0.6,
    "sell_company": 0.5,
    "lay_tile": 20.0,
    "place_token": 4.0,
    "run_routes": 1000.0,
    "dividend": 10.0,
    "buy_train": 10.0,
    "discard_train": 10.0,
    "bankrupt": 50.0,
    "convert": 4.0,
    "merge": 4.0,
    "choose": 10.0,
    "special_buy": 4.0,
    "assign": 4.0,
    "remove_token": 10.0,
    "take_loan": 0.2,
    "payoff_loan": 2.0,
}

SEEN = 12
"""Moves of a type that are appraised."""


def nearly_spent(price: Any) -> bool:
    """Whether a bid would take the last money, which is better saved for what can be bought at once."""
    return is_template(price) and "max" in price and price["max"] - price["min"] < price["min"] // 3


class Bot:
    """Chooses moves; looks at nothing but them and the kind of round, unless it has a strategy and insight."""

    def __init__(self, seed: int, strategy: Strategy | None = None) -> None:
        self.rng = random.Random(seed)
        self.strategy = strategy

    def choose(
        self,
        moves: Sequence[Move],
        *,
        trading: bool,
        find_routes: RouteFinder | None = None,
        insight: Insight | None = None,
    ) -> dict[str, Any]:
        """A concrete action: first the type by weight, then one of its moves.

        ``trading`` says that players trade in turn (stock and auction rounds). ``find_routes`` supplies routes; without
        it trains stay idle. ``insight`` looks at the position; of many moves of a type it sees a few.
        """
        by_type: dict[str, list[Move]] = {}
        for move in moves:
            by_type.setdefault(move["type"], []).append(move)
        kinds = list(by_type)
        weights = {kind: self.weight(kind, by_type[kind], trading) for kind in kinds}
        values: dict[str, list[float]] = {}
        if insight is not None:
            for kind in kinds:
                if len(by_type[kind]) > SEEN:
                    by_type[kind] = self.rng.sample(by_type[kind], SEEN)
                values[kind] = [insight.appraise(move) for move in by_type[kind]]
                weights[kind] *= max(values[kind])
        kind = self.rng.choices(kinds, [weights[kind] for kind in kinds])[0]
        return self.fill(self.pick(by_type[kind], values.get(kind)), find_routes)

    def weight(self, kind: str, moves: Sequence[Move], trading: bool) -> float:
        """Weight of an action type in this position."""
        weight = WEIGHTS.get(kind, 1.0)
        if self.strategy is not None:
            weight *= self.strategy.factors.get(kind, 1.0)
        if kind == "pass" and trading:
            return weight * 1.5
        if kind == "buy_train" and all(is_template(move["price"]) for move in moves):
            return weight * 0.1
        if kind == "bid" and all(nearly_spent(move["price"]) for move in moves):
            return weight * 0.1
        if kind == "sell_shares" and not trading and moves[0]["entity_type"] == "player":
            return weight * 3.0
        return weight

    def pick(self, moves: Sequence[Move], values: Sequence[float] | None = None) -> Move:
        """One move of a type: payouts and depot trains are preferred, small bundles are sold first."""
        weights = [1.0] * len(moves)
        for i, move in enumerate(moves):
            if move["type"] == "dividend":
                weights[i] = {"payout": 6.0, "half": 2.0}.get(move["kind"], 1.0)
                if self.strategy is not None:
                    weights[i] *= self.strategy.dividend(move["kind"])
            elif move["type"] == "buy_train":
                weights[i] = 0.1 if is_template(move["price"]) else 3.0
            elif move["type"] == "sell_shares":
                weights[i] = 1.0 / len(move["shares"])
        if values is not None:
            weights = [weight * value for weight, value in zip(weights, values, strict=True)]
        return self.rng.choices(moves, weights)[0]

    def fill(self, move: Move, find_routes: RouteFinder | None) -> dict[str, Any]:
        """Make a move concrete: routes from the finder, amounts mostly at their low end."""
        action: dict[str, Any] = {}
        for key, value in move.items():
            if is_template(value) and "routes" in value:
                action[key] = find_routes(value["routes"]) if find_routes is not None else []
            elif is_template(value) and "min" in value and self.rng.random() < 0.8:
                action[key] = self.amount(value)
            else:
                action[key] = sample({key: value}, self.rng)[key]
        return action

    def amount(self, template: dict[str, int]) -> int:
        """A number near the low end of a range."""
        step = template.get("step", 1)
        room = (template.get("max", template["min"]) - template["min"]) // step
        return template["min"] + step * self.rng.randint(0, min(room, 4))


def is_trading(round_label: str) -> bool:
    """Whether players trade in turn in a round labelled like ``SR 2.1``."""
    return round_label[:2] in ("AR", "DR", "PR", "SR")


def choose(game: Game, bot: Bot, *, with_routes: bool = True, search: float = 1.0) -> dict[str, Any]:
    """The bot's action in a game of this process; ``with_routes`` runs the best of ``search`` CPU seconds."""
    finder = (lambda sym: best_routes(game, sym, seconds=search)) if with_routes else None
    insight = None if bot.strategy is None else Insight(game, bot.strategy)
    return bot.choose(game.moves(), trading=is_trading(game.round_label()), find_routes=finder, insight=insight)


def play(game: Game, bot: Bot, *, max_actions: int, with_routes: bool = True) -> int:
    """Play until the game ends or ``max_actions`` are done; returns the number of actions."""
    for count in range(max_actions):
        if game.finished:
            return count
        game.apply(choose(game, bot, with_routes=with_routes))
    return max_actions
