"""What of 1862 a game touches, counted by name: steps, and the events that are rare."""

from __future__ import annotations

from collections import Counter
from typing import Any

from services.rules.engine import events
from services.rules.engine.game import Game
from services.rules.titles.g1862.charters import in_receivership
from services.rules.titles.g1862.routes import LONDON_LINKS
from services.rules.titles.g1862.state import of
from services.rules.titles.g1862.track import base_name

STEPS = (
    *("parliament", "stock", "buy_tokens", "forced_sale", "home_upgrade", "option_share", "remove_tokens", "merge"),
    *("track", "token", "route", "dividend", "train", "redeem", "acquire"),
)
FEATURES = {
    *(f"step {kind}" for kind in STEPS),
    *(f"permit {kind}" for kind in ("freight", "local", "express")),
    *(f"phase {name}" for name in "ABCDEFGH"),
    *(f"end {reason}" for reason in ("bank", "stock_market", "lner")),
    *(f"option {name}" for name in ("none", "short_length", "long_length", "eight_tokens")),
    *(f"{count} players" for count in range(2, 9)),
    "charter won",
    "charter lost",
    "fine",
    "unchartered start",
    "chartered restart",
    "warranty paid",
    "warranty used up",
    "merger",
    "acquisition",
    "originator survives",
    "other survives",
    "half share redeemed",
    "half share sold",
    "refinancing",
    "refinancing chosen",
    "own shares sold",
    "bankruptcy",
    "receivership",
    "receivership left",
    "receivership buys",
    "dividend payout",
    "dividend withhold",
    "dividend hudson",
    "used train",
    "London link",
    "town added",
    "LNER triggered",
    "LNER formed",
}


class Before:
    """What has to be known of a position to see what an action did."""

    def __init__(self, game: Game, action: dict[str, Any]) -> None:
        state = of(game)
        step = game.rules.active_step(game)
        assert step is not None
        self.step, self.round = step.kind, game.round.kind
        self.receivership = {c.sym for c in game.corporations if in_receivership(c)}
        self.owed = {company.sym for company in state.companies.values() if company.owner is not None}
        self.refinancing = state.merger is not None and state.merger.at == "refinance"
        self.known = {c.sym for c in state.corporations.values() if c.base_par is not None}
        self.tile = ""
        if action["type"] == "lay_tile":
            self.tile = game.title.map.tile_at(state, action["hex"]).name


def of_action(game: Game, before: Before, action: dict[str, Any]) -> list[str]:
    """Names of what an action itself is."""
    kind, step = action["type"], before.step
    found = [f"step {step}", f"phase {game.phase.name}"]
    if kind == "par":
        found.append("charter won" if before.round == "parliament" else "unchartered start")
        if before.round == "parliament" and action["corporation"] in before.known:
            found.append("chartered restart")
    elif kind == "merge":
        found.append("merger" if step == "merge" else "acquisition")
    elif kind == "choose" and step in ("merge", "acquire"):
        found.append("originator survives" if action["choice"] == "first" else "other survives")
    elif kind == "choose" and step == "option_share":
        found.append("half share redeemed" if action["choice"] == "redeem" else "half share sold")
    elif kind == "convert":
        found.append("refinancing chosen")
    elif kind == "dividend":
        found.append(f"dividend {action['kind']}")
    elif kind == "buy_train":
        if action.get("warranties"):
            found.append("warranty paid")
        if not action.get("variant"):
            found.append("used train")
    elif kind == "place_token" and action["city"][:3] in LONDON_LINKS:
        found.append("London link")
    elif kind == "lay_tile" and base_name(before.tile) == base_name(action["tile"].rpartition("-")[0]):
        found.append("town added")
    elif kind == "run_routes" and action["routes"]:
        trains = game.state.depot.trains
        names = {"F": "freight", "L": "local", "E": "express"}
        ran = [trains[route["train"]].name.rstrip("*")[-1] for route in action["routes"]]
        found += [f"permit {names[letter]}" for letter in ran]
    return found


def of_events(game: Game, before: Before, kind: str, happened: list[events.Event]) -> list[str]:
    """Names of what followed from an action."""
    found = []
    for event in happened:
        if isinstance(event, events.BidWithdrawn):
            found.append("charter lost")
        elif isinstance(event, events.SharesSold) and event.seller.startswith("corporation:"):
            found.append("own shares sold")
        elif isinstance(event, events.PresidentChanged):
            if event.president == "pool":
                found.append("receivership")
            elif event.corporation in before.receivership:
                found.append("receivership left")
        elif isinstance(event, events.CorporationClosed):
            if before.step not in ("merge", "acquire", "remove_tokens", "option_share"):
                found.append("fine" if event.corporation in before.owed else "bankruptcy")
        elif isinstance(event, events.TrainRusted) and event.owner is not None and kind in ("dividend", "run_routes"):
            found.append("warranty used up")
        elif isinstance(event, events.TrainBought) and kind != "buy_train":
            found.append("receivership buys")
    merger = of(game).merger
    if not before.refinancing and merger is not None and merger.at == "refinance":
        found.append("refinancing")
    if of(game).lner:
        found.append(f"LNER {of(game).lner}")
    return found


def report(touched: Counter[str]) -> None:
    """Print the coverage."""
    for name in sorted(FEATURES):
        print(f"{touched[name]:7} {name}")
