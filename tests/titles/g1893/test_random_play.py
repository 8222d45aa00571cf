"""Bot games of 1893 end without an error and reach every step and special of the title."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from services.rules.autoroute import best_routes
from services.rules.bot import Bot
from services.rules.engine import events
from services.rules.engine.game import Game

from .table import start, state_of

LIMIT = 4000
QUICK = 6
OPTIONS = ("optional_2_train", "optional_grey_phase", "optional_existing_track")
FEATURES = {
    "step draft",
    "step forced_auction",
    "step stock",
    "step merger_vote",
    "step merger_discard",
    "step track",
    "step token",
    "step route",
    "step dividend",
    "step train",
    "step discard_train",
    "AGV founded by vote",
    "AGV founded by event",
    "HGK founded by vote",
    "HGK founded by event",
    "founding rejected",
    "train discarded at founding",
    "bond bought",
    "bond sold",
    "bond sold in need",
    "EVA changed hands in a stock round",
    "EVA changed hands in an operating round",
    "EVA closed",
    "FdSD exchanged",
    "FdSD paid for the RAG",
    "FdSD kept at the par of the RAG",
    "FdSD closed in time",
    "HdSK exchanged",
    "minor card exchanged",
    "price lowered",
    "card bought because it had to be",
    "nobody wanted the starting cards",
    "owner paid for a minor's train",
    "president paid for a train",
    "shares sold in need",
    "trade-in",
    "train of another company",
    "Rhine opened",
    "Leverkusen became a city",
    "gray tile",
    "8+x run",
    "minor's income",
    "end bank",
    "end bankrupt",
}


def of_action(game: Game, action: dict[str, Any]) -> list[str]:
    """What an action will touch, seen from the position before it."""
    kind, company = action["type"], str(action.get("company", ""))
    trading = game.round.kind == "stock"
    if kind == "sell_company":
        return ["bond sold" if trading else "bond sold in need"]
    if kind == "buy_company" and company == "EVA" and game.company("EVA").owner != "bank":
        return [f"EVA changed hands in {'a stock' if trading else 'an operating'} round"]
    if kind == "buy_company" and company.startswith("AdSK"):
        return ["bond bought"]
    if kind == "assign":
        return ["FdSD paid for the RAG"]
    if kind == "pass" and state_of(game).fdsd_par is not None:
        return ["FdSD kept at the par of the RAG"]
    if kind == "buy_shares" and action["entity"] == "FdSD":
        return ["FdSD exchanged"]
    if kind == "buy_shares" and state_of(game).fdsd_closing:
        return ["FdSD closed in time"] if game.company("FdSD").owner == f"player:{action['entity']}" else []
    if kind == "sell_shares" and not trading:
        return ["shares sold in need"]
    if kind == "buy_train":
        return ["trade-in"] if action.get("exchange") else []
    if kind == "lay_tile":
        name = action["tile"].rpartition("-")[0]
        found = ["Leverkusen became a city"] if name == "K314" else []
        return [*found, "gray tile"] if game.title.data.tiles[name].color == "gray" else found
    if kind == "discard_train" and game.round.kind == "merger":
        return ["train discarded at founding"]
    return []


def of_events(game: Game, action: dict[str, Any], happened: list[events.Event], forced: list[str]) -> list[str]:
    """What happened."""
    found = []
    for event in happened:
        if isinstance(event, events.DiscountRaised):
            found.append("price lowered")
        elif isinstance(event, events.CompanyBought) and action["type"] == "pass" and game.state.turn > 1:
            found.append("card bought because it had to be")
        elif isinstance(event, events.Contributed):
            minor = event.corporation in game.title.data.minors
            found.append("owner paid for a minor's train" if minor else "president paid for a train")
        elif isinstance(event, events.TrainBought) and event.seller not in ("depot", "pool"):
            found.append("train of another company")
        elif isinstance(event, events.PhaseChanged) and event.phase == "3":
            found.append("Rhine opened")
        elif isinstance(event, events.CompanyClosed):
            name = {"EVA": "EVA closed", "HdSK": "HdSK exchanged", "FdSD": ""}.get(event.company)
            found.append("minor card exchanged" if name is None else name)
        elif isinstance(event, events.CorporationFloated) and event.corporation in ("AGV", "HGK"):
            found.append(f"{event.corporation} founded by {'event' if event.corporation in forced else 'vote'}")
        elif isinstance(event, events.RoutesRun) and any(text.startswith("8+x") for text in event.routes):
            found.append("8+x run")
        elif isinstance(event, events.DividendPaid) and event.dividend == "half":
            found.append("minor's income")
    if action["type"] == "special_buy" and game.round.kind != "merger" and action["description"] == "no":
        found.append("founding rejected")
    return found


def habits(game: Game, moves: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """Moves a bot with habits chooses from, so that rare things happen too.

    Some wait for low prices of the starting cards, some never want a merger, some keep the FdSD, some buy bonds; in
    need bonds go first.
    """

    def only(wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        return [move for move in moves if wanted(move)] or moves

    if seed % 4 == 0 and game.round.kind == "forced_auction":
        return only(lambda move: move["type"] == "pass")
    if seed % 6 == 1 and game.round.kind == "merger":
        return only(lambda move: move.get("description") != "yes")
    if game.round.kind == "operating" and any(move["type"] == "sell_company" for move in moves):
        return only(lambda move: move["type"] == "sell_company")
    if seed % 3 == 0 and game.round.kind == "stock":
        bonds = [move for move in moves if str(move.get("company", "")).startswith("AdSK")]
        if bonds and game.state.turn % 3 == 1 and bonds[0]["type"] == "buy_company":
            return bonds
    if seed % 5 == 0 and game.round.kind == "stock" and not game.company("FdSD").closed:
        return only(lambda move: move["entity"] != "FdSD" and move.get("corporation") != "RAG")
    return moves


def decide(game: Game, bot: Bot, seed: int) -> dict[str, Any]:
    """The bot's action."""
    moves = habits(game, game.moves(), seed)
    return bot.choose(moves, trading=game.rules.over_players, find_routes=lambda sym: best_routes(game, sym))


def play(seed: int, options: tuple[str, ...] = ()) -> Counter[str]:
    """A bot game with 2 to 4 players; returns how often what was touched."""
    game = start(2 + seed % 3, options)
    bot = Bot(seed)
    touched: Counter[str] = Counter()
    for _ in range(LIMIT):
        if game.finished:
            break
        step = game.rules.active_step(game)
        assert step is not None
        touched[f"step {step.kind}"] += 1
        action = decide(game, bot, seed)
        drafting = game.round.kind == "draft"
        touched.update(of_action(game, action))
        forced = list(state_of(game).forced)
        if action["type"] == "buy_train":
            forced += {"5": ["AGV"], "6": ["HGK"]}.get(str(action.get("variant")), [])
        applied = game.apply(action)
        touched.update(name for name in of_events(game, action, applied.events, forced) if name)
        if drafting and game.round.kind == "operating":
            touched["nobody wanted the starting cards"] += 1
    assert game.state.outcome is not None, "endless game"
    touched[f"end {game.state.outcome.reason}"] += 1
    return touched


def options_of(seed: int) -> tuple[str, ...]:
    """Every combination of the printed options in turn."""
    return tuple(option for i, option in enumerate(OPTIONS) if seed // 3 >> i & 1)


def report(touched: Counter[str]) -> None:
    for name in sorted(FEATURES):
        print(f"{touched[name]:6} {name}")


def test_a_few_bot_games_end() -> None:
    touched: Counter[str] = Counter()
    for seed in range(QUICK):
        touched += play(seed, options_of(seed))
    report(touched)
    assert {"step draft", "step stock", "step merger_vote", "step train"} <= set(touched)


@pytest.mark.exhaustive
def test_150_bot_games_touch_every_step_and_special() -> None:
    touched: Counter[str] = Counter()
    for seed in range(150):
        touched += play(seed, options_of(seed))
    report(touched)
    assert not FEATURES - set(touched)
