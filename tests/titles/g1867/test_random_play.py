"""Bot games of 1867 end without an error and reach every step and mechanism of the title."""

from __future__ import annotations

from collections import Counter

import pytest

from services.rules.bot import Bot, choose
from services.rules.engine import events
from services.rules.engine.game import Game
from services.rules.titles import new_game
from services.rules.titles.g1867.access import state_of

LIMIT = 4000
QUICK = 4
MANY = 100
FEATURES = {
    "step auction",
    "step company",
    "step company_before_loans",
    "step discard_train",
    "step dividend",
    "step home_token",
    "step merge",
    "step merger_shares",
    "step redeem",
    "step reduce_tokens",
    "step route",
    "step stock",
    "step token",
    "step track",
    "step train",
    "step trainless_major",
    "auction price lowered",
    "minor auctioned",
    "minor converted",
    "two minors merged",
    "more minors merged",
    "nationalized in train step",
    "nationalized by choice",
    "minors without train nationalized",
    "minors nationalized by the first 8",
    "companies bought out",
    "loans to the limit",
    "compulsory train with loans",
    "trade-in",
    "end final_phase",
    "end bank",
}
NOT_IN_1861 = {"trade-in"}


def features(game: Game, step: str, action: dict[str, object], happened: list[events.Event]) -> set[str]:
    """What of the title an action touched."""
    found = {f"step {step}"}
    kind = action["type"]
    closed = [event.corporation for event in happened if isinstance(event, events.CorporationClosed)]
    phases = {event.phase for event in happened if isinstance(event, events.PhaseChanged)}
    merger = state_of(game).merger
    if any(isinstance(event, events.DiscountRaised) for event in happened):
        found.add("auction price lowered")
    if step == "stock" and kind in ("bid", "pass") and any(isinstance(e, events.CorporationParred) for e in happened):
        found.add("minor auctioned")
    if step == "merge" and closed:
        found.add({1: "minor converted", 2: "two minors merged"}.get(len(closed), "more minors merged"))
    if merger is not None and merger.reduce:
        found.add("tokens reduced")
    if step == "train" and kind == "pass" and closed:
        found.add("nationalized in train step")
    if kind == "choose":
        found.add("nationalized by choice")
    if closed and phases & {"4", "6"}:
        found.add("minors without train nationalized")
    if closed and "8" in phases:
        found.add("minors nationalized by the first 8")
    national = f"corporation:{game.title.national}"  # type: ignore[attr-defined]
    if any(isinstance(event, events.CompanyBought) and event.buyer == national for event in happened):
        found.add("companies bought out")
    for event in happened:
        if isinstance(event, events.LoanTaken):
            corporation = game.corporation(event.corporation)
            if corporation.loans == {"minor": 2, "major": 5}.get(corporation.kind):
                found.add("loans to the limit")
            if kind == "buy_train":
                found.add("compulsory train with loans")
        if isinstance(event, events.TrainBought) and event.exchanged:
            found.add("trade-in")
        if isinstance(event, events.GameEnded):
            found.add(f"end {event.reason}")
    return found


def play(title: str, seed: int, reached: Counter[str]) -> Game:
    """A bot game with 2 to 6 players on either market; every state survives encoding."""
    option = {"1867": "grid_market", "1861": "column_market"}[title]
    options = [option] if seed % 3 == 2 else []
    game = new_game(title, [(i, f"P{i}") for i in range(1, 3 + seed % 5)], seed=seed, options=options)
    bot = Bot(seed)
    encoded = game.encode()
    for _ in range(LIMIT):
        if game.finished:
            break
        waiting = game.rules.active_step(game)
        assert waiting is not None
        action = choose(game, bot)
        applied = game.apply(action, encoded=encoded)
        encoded = game.encode()
        assert Game.decode(game.title, encoded).encode() == encoded
        reached.update(features(game, waiting.kind, action, applied.events))
    return game


def report(title: str, reached: Counter[str]) -> None:
    for feature, count in sorted(reached.items()):
        print(f"{title} {count:6} {feature}")
    print(f"{title} not reached: {sorted(expected(title) - set(reached))}")


def expected(title: str) -> set[str]:
    return FEATURES if title == "1867" else FEATURES - NOT_IN_1861


def test_some_bot_games_end() -> None:
    reached: Counter[str] = Counter()
    for seed in range(QUICK):
        assert play("1867", seed, reached).finished
    report("1867", reached)
    assert len(reached) > 20


@pytest.mark.exhaustive
def test_many_bot_games_reach_everything() -> None:
    reached: Counter[str] = Counter()
    for seed in range(MANY):
        assert play("1867", seed, reached).finished
    report("1867", reached)
    assert expected("1867") <= set(reached)
