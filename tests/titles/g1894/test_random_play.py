"""Random games of 1894 end, and together they use every step and every power (printed with ``-s``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from services.rules.bot import Bot, choose
from services.rules.engine.game import Game
from services.rules.engine.moves import Move
from services.rules.titles import new_game
from services.rules.titles.g1894.track import SPLIT_TILES

STEPS = {
    "auction": {"bid", "pass"},
    "par_pending": {"par"},
    "stock": {"buy_shares", "sell_shares", "par", "pass", "choose"},
    "redeem": {"buy_shares", "sell_shares", "pass"},
    "track": {"lay_tile", "pass", "buy_company"},
    "token": {"place_token", "pass"},
    "special_token": {"place_token", "pass"},
    "home_token": {"place_token"},
    "replace_tokens": {"place_token"},
    "route": {"run_routes"},
    "dividend": {"dividend"},
    "discard_train": {"discard_train"},
    "train": {"buy_train", "pass", "sell_shares", "bankrupt"},
    "company": {"buy_company", "pass"},
}
"""Steps and what has to be seen in them."""
POWERS = {
    "lay by LRC",
    "lay by GLG",
    "lay by SAC",
    "token by GLG",
    "token by SAC",
    "token by LS",
    "ferry",
    "trade-in",
    "split",
    "choice of LF",
    "choice of LB",
    "Saint-Quentin 70",
    "Saint-Quentin 100",
}
ENDS = {"last set", "end: bankrupt", "end: final_phase", "end: stock_market"}


class Saver(Bot):
    """Buys few trains and keeps money in the treasuries, so that games last until the late phases."""

    def weight(self, kind: str, moves: Sequence[Move], trading: bool) -> float:
        factor = {"buy_train": 0.03, "bankrupt": 1e-6, "par": 0.3, "special_buy": 5.0}
        return super().weight(kind, moves, trading) * factor.get(kind, 1.0)


def note(game: Game, action: dict[str, Any], seen: Counter[str]) -> None:
    """Count what an action about to be played shows."""
    kind, entity = action["type"], action["entity"]
    step = game.rules.active_step(game)
    assert step is not None
    seen[f"{step.kind}: {kind}"] += 1
    if action["entity_type"] == "company" and kind in ("lay_tile", "place_token"):
        seen[f"{'lay' if kind == 'lay_tile' else 'token'} by {entity}"] += 1
    if kind == "lay_tile" and action["tile"].rpartition("-")[0] in SPLIT_TILES:
        seen["split"] += 1
    if kind == "special_buy":
        seen["ferry"] += 1
    if kind == "choose":
        seen[f"choice of {game.state.choosing_home}"] += 1  # type: ignore[attr-defined]
    if action.get("exchange"):
        seen["trade-in"] += 1


def play(seed: int, bot: Bot, seen: Counter[str]) -> Game:
    """Play one game to its end."""
    players = 3 + seed % 2
    game = new_game("1894", [(i + 1, f"Player {i + 1}") for i in range(players)], seed=seed)
    while not game.finished:
        action = choose(game, bot)
        note(game, action, seen)
        game.apply(action)
        if action["type"] == "lay_tile" and action["hex"] == "G10":
            seen[f"Saint-Quentin {game.company('SQG').revenue}"] += 1
        assert game.state.action_count < 6000, game.round_label()
    if game.state.last_set:  # type: ignore[attr-defined]
        seen["last set"] += 1
    assert game.state.outcome is not None
    seen[f"end: {game.state.outcome.reason}"] += 1
    return game


def missing(seen: Counter[str]) -> set[str]:
    """Steps and powers not seen."""
    wanted = {f"{step}: {kind}" for step, kinds in STEPS.items() for kind in kinds} | POWERS | ENDS
    return wanted - seen.keys()


def report(seen: Counter[str]) -> None:
    for name, count in sorted(seen.items()):
        print(f"{count:7} {name}")


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("bot", [Bot, Saver])
def test_random_game_ends(bot: type[Bot], seed: int) -> None:
    seen: Counter[str] = Counter()
    assert play(seed, bot(seed), seen).finished
    report(seen)


@pytest.mark.exhaustive
def test_hundred_random_games_use_every_step_and_power() -> None:
    seen: Counter[str] = Counter()
    for seed in range(100):
        play(seed, Saver(seed) if seed % 2 else Bot(seed), seen)
    report(seen)
    assert not missing(seen)
