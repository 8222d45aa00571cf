"""Bot games of 1888 end without an error and reach every step and power of the title."""

from __future__ import annotations

from collections import Counter

import pytest

from services.rules.bot import Bot, choose
from services.rules.engine import events
from services.rules.engine.game import Game

from .table import start

LIMIT = 4000
QUICK = 5
FEATURES = {
    "step auction",
    "step company",
    "step discard_train",
    "step dividend",
    "step route",
    "step special_track",
    "step stock",
    "step token",
    "step track",
    "step train",
    "tile of TA",
    "tile of HS",
    "tile of CW",
    "tile of YRF",
    "CW declines its second tile",
    "exchange of FC",
    "trade-in",
    "emergency sale",
    "emergency money",
    "auction price lowered",
    "train exported",
    "companies closed",
    "port visited",
    "mine visited",
    "destination reached",
    "end bank",
    "end bankrupt",
}


def features(game: Game, action: dict[str, object], happened: list[events.Event]) -> list[str]:
    """What of the title an action touched."""
    found = []
    kind, entity, who = action["type"], action["entity"], action["entity_type"]
    if who == "company":
        found.append({"lay_tile": f"tile of {entity}", "buy_shares": f"exchange of {entity}"}.get(str(kind), ""))
        if kind == "pass":
            found.append(f"{entity} declines its second tile")
    if kind == "buy_train" and action.get("exchange"):
        found.append("trade-in")
    if kind == "sell_shares" and game.round.kind == "operating":
        found.append("emergency sale")
    for event in happened:
        if isinstance(event, events.Contributed):
            found.append("emergency money")
        elif isinstance(event, events.DiscountRaised):
            found.append("auction price lowered")
        elif isinstance(event, events.TrainExported):
            found.append("train exported")
        elif isinstance(event, events.CompanyClosed) and event.company != "FC":
            found.append("companies closed")
    if kind == "run_routes":
        found.extend("port visited" for route in game.round.turn.routes if "H16" in route.hexes)
        found.extend("mine visited" for route in game.round.turn.routes if route.subsidy)
        found.extend("destination reached" for route in game.round.turn.routes if "dest" in route.revenue_str)
    return [name for name in found if name]


def play(seed: int) -> Counter[str]:
    """A bot game with 2 to 6 players; returns how often what was touched."""
    game = start(2 + seed % 5)
    bot = Bot(seed)
    touched: Counter[str] = Counter()
    for _ in range(LIMIT):
        if game.finished:
            break
        step = game.rules.active_step(game)
        assert step is not None
        touched[f"step {step.kind}"] += 1
        action = choose(game, bot)
        applied = game.apply(action)
        touched.update(features(game, action, applied.events))
    assert game.state.outcome is not None, "endless game"
    touched[f"end {game.state.outcome.reason}"] += 1
    return touched


def report(touched: Counter[str]) -> None:
    for name in sorted(FEATURES):
        print(f"{touched[name]:6} {name}")


def test_a_few_bot_games_end() -> None:
    touched: Counter[str] = Counter()
    for seed in range(QUICK):
        touched += play(seed)
    report(touched)
    missing = FEATURES - set(touched)
    assert len(missing) <= 4, missing


@pytest.mark.exhaustive
def test_a_hundred_bot_games_touch_every_step_and_power() -> None:
    touched: Counter[str] = Counter()
    for seed in range(100):
        touched += play(seed)
    report(touched)
    assert not FEATURES - set(touched)
