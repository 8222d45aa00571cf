"""Games of a simple mover end without an error and reach every step of 1862; the coverage is printed."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from services.routing.checker import RouteCheckError
from services.rules.autoroute import best_routes
from services.rules.bot import Bot
from services.rules.engine import events
from services.rules.engine.errors import EngineError
from services.rules.engine.game import Game
from services.rules.engine.moves import Move, sample
from services.rules.titles.g1862.state import of

from .table import start

LIMIT = 3000
QUICK = 6
MONEY = 15000
SEARCH = 0.1
"""Seconds for a search of routes."""
OPTIONS: tuple[tuple[str, ...], ...] = (
    (),
    ("short_length",),
    ("long_length",),
    ("eight_tokens",),
    ("short_length", "long_length", "eight_tokens"),
)
FEATURES = {
    *(f"step {kind}" for kind in ("parliament", "stock", "buy_tokens", "forced_sale", "home_upgrade", "merge")),
    *(f"step {kind}" for kind in ("option_share", "remove_tokens", "track", "token", "route", "dividend", "train")),
    *(f"step {kind}" for kind in ("redeem", "acquire")),
    "charter won",
    "charter lost",
    "fine",
    "unchartered start",
    "permit freight",
    "permit local",
    "permit express",
    "warranty used up",
    "merger",
    "acquisition",
    "refinancing",
    "own shares sold",
    "bankruptcy",
    "receivership",
    "Hudson",
    "used train",
    "London link",
    "LNER",
    "end lner",
    "end dnf",
}


class Director(Bot):
    """Launches what it has won, keeps shares, and lets companies grow."""

    def settle(self, game: Game, moves: list[Move]) -> list[Move]:
        """Only the sensible ones among the moves of a position, where there is a choice."""
        own = {c.sym for c in game.state.companies.values() if c.owner is not None}
        wanted = [m for m in moves if m["type"] == "buy_shares" and m["shares"][0].rpartition("_")[0] in own]
        if wanted and self.rng.random() < 0.95:
            return wanted
        if game.round.kind == "parliament" and of(game).charter is None and of(game).launching is None:
            player = game.active_entities()[0]
            if getattr(player, "cash", 0) < 300 and any(m["type"] == "pass" for m in moves):
                return [m for m in moves if m["type"] == "pass"]
        cheap = [m for m in moves if m["type"] == "par" and int(m["share_price"].split(",")[0]) <= 68]
        return cheap or moves

    def weight(self, kind: str, moves: Any, trading: bool) -> float:
        if kind == "sell_shares":
            return 0.5
        if kind == "bid":
            return 1.5 if moves[0]["price"]["min"] else 6.0
        return super().weight(kind, moves, trading)


def routes(game: Game, sym: str) -> list[dict[str, Any]]:
    """Good routes; the rules are tested here, not the search: where that fails the trains stay idle."""
    try:
        return best_routes(game, sym, deadline=SEARCH)
    except RouteCheckError:
        return []


def act_of(game: Game, bot: Director) -> dict[str, Any]:
    moves = bot.settle(game, game.moves())
    return bot.choose(
        moves,
        trading=game.rules.over_players,
        find_routes=lambda sym: routes(game, sym),
    )


def features(game: Game, step: str, action: dict[str, Any], happened: list[events.Event]) -> list[str]:
    """What of the title an action touched."""
    found = [f"step {step}"]
    kind = action["type"]
    if kind == "par":
        found.append("charter won" if game.round.kind == "parliament" else "unchartered start")
    if kind == "merge":
        found.append("merger" if step == "merge" else "acquisition")
    if kind == "convert":
        found.append("refinancing")
    if kind == "dividend" and action["kind"] == "hudson":
        found.append("Hudson")
    if kind == "buy_train" and not action.get("variant"):
        found.append("used train")
    if kind == "place_token" and action["city"][:3] in ("B15", "D15"):
        found.append("London link")
    if kind == "run_routes":
        permits = of(game).corporations[action["entity"]].permits
        found += [f"permit {permit}" for permit in permits if action["routes"]]
    for event in happened:
        if isinstance(event, events.BidWithdrawn):
            found.append("charter lost")
        elif isinstance(event, events.SharesSold) and event.seller.startswith("corporation:"):
            found.append("own shares sold")
        elif isinstance(event, events.PresidentChanged) and event.president == "pool":
            found.append("receivership")
        elif isinstance(event, events.CorporationClosed) and step not in ("merge", "acquire", "remove_tokens"):
            found.append("fine" if game.round.kind != "parliament" and step == "stock" else "bankruptcy")
        elif isinstance(event, events.TrainRusted) and event.owner is not None and kind in ("dividend", "run_routes"):
            found.append("warranty used up")
    if of(game).lner == "formed":
        found.append("LNER")
    return found


def check_books(game: Game) -> None:
    """No money and no certificate is lost."""
    state = game.state
    held = sum(player.cash for player in state.players) + sum(c.cash for c in state.corporations.values())
    assert state.bank + held == MONEY
    for corporation in state.corporations.values():
        indexes = sorted(i for indexes in corporation.holdings.values() for i in indexes)
        assert indexes == list(range(8)), corporation.sym


def check_samples(game: Game, seed: int) -> None:
    """Random samples of the legal moves are accepted."""
    rng = random.Random(seed)
    encoded = game.encode()
    moves = game.moves()
    for move in rng.sample(moves, min(6, len(moves))):
        action = sample(move, rng)
        try:
            Game.decode(game.title, encoded).apply(action)
        except EngineError as error:
            raise AssertionError(f"{action} was refused: {error.code}") from error


def play(seed: int) -> Counter[str]:
    """A game with 2 to 8 players; returns how often what was touched."""
    game = start(2 + seed % 7, seed=seed, options=OPTIONS[seed % 5])
    bot = Director(seed)
    touched: Counter[str] = Counter()
    for count in range(LIMIT):
        if game.finished:
            break
        step = game.rules.active_step(game)
        assert step is not None
        action = act_of(game, bot)
        applied = game.apply(action)
        touched.update(features(game, step.kind, action, applied.events))
        check_books(game)
        if count % 40 == 0:
            check_samples(game, seed * LIMIT + count)
    assert game.state.outcome is not None, "endless game"
    touched[f"end {game.state.outcome.reason}"] += 1
    return touched


def report(touched: Counter[str]) -> None:
    for name in sorted(FEATURES):
        print(f"{touched[name]:6} {name}")


def test_a_few_games_end() -> None:
    touched: Counter[str] = Counter()
    for seed in range(QUICK):
        touched += play(seed)
    report(touched)
    assert len(FEATURES - set(touched)) <= 12, FEATURES - set(touched)


@pytest.mark.exhaustive
def test_150_games_reach_every_step() -> None:
    touched: Counter[str] = Counter()
    for seed in range(150):
        touched += play(seed)
    report(touched)
    assert not FEATURES - set(touched)
