"""What positions of 1867 and 1861 say beyond the common keys (``conformance.keys``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import shares
from ...engine.state import Player
from . import bidding as bids
from .access import national_of, state_of
from .steps.auction import CompanyAuction
from .steps.operating import MajorTrainless
from .steps.stock import StarterHomeToken

if TYPE_CHECKING:
    from ...engine.game import Game


def extra_keys(game: Game) -> dict[str, object]:
    """Title-specific keys of a position."""
    state = state_of(game)
    keys: dict[str, object] = {
        "loans_left": state.loans_left,
        "national_reservations": list(state.national_reservations),
        "interest_due": dict(state.interest_due),
        "pending/trainless": list(state.trainless) or None,
        f"corp/{national_of(game).sym}/certificates": {},
    }
    for corporation in game.title.visible_corporations(game):
        if corporation.price is not None:  # what treasury certificates cost
            price = shares.share_price(game, corporation)
            keys[f"corp/{corporation.sym}/par"] = f"{price}@{corporation.price[0]},{corporation.price[1]}"
    for company in state.companies.values():
        if not company.closed:
            keys[f"company/{company.sym}/revenue"] = company.revenue
    keys.update(_bidding(game))
    keys.update(_merger(game))
    keys.update(_decisions(game))
    return keys


def _bidding(game: Game) -> dict[str, object]:
    state = state_of(game)
    bidding = state.bidding
    if bidding is None or game.round.pending_tokens:
        return {}
    keys: dict[str, object] = {
        "auction/current": bidding.item,
        "auction/bidders": list(bidding.bidders),
        "auction/dutch": bidding.reduced or None,
    }
    if bidding.bids:
        keys[f"auction/bids/{bidding.item}"] = [[bid.player, bid.price] for bid in bidding.bids]
    step = game.rules.steps[0]
    if isinstance(step, CompanyAuction):
        best = bids.highest(bidding)
        prices = {sym: step.price(game, sym) for sym in state.items}
        if best is not None:
            prices[bidding.item] = best.price + bids.INCREMENT
        keys["auction/items"] = list(state.items)
        keys["auction/min"] = prices
    return keys


def _merger(game: Game) -> dict[str, object]:
    merger = state_of(game).merger
    if merger is None:
        return {}
    return {
        "pending/merging": list(merger.collected) or None,
        "pending/converting": merger.converting,
        "pending/converted": merger.major,
        "pending/share_buyers": list(merger.buyers) or None,
        "pending/reduce_tokens": [merger.major, *merger.minors] if merger.reduce else None,
    }


def _decisions(game: Game) -> dict[str, object]:
    step = None if game.finished else game.rules.active_step(game)
    keys: dict[str, object] = {}
    active = game.active_entities()
    if game.rules.over_players and active and not isinstance(active[0], Player):
        keys["priority"] = game.state.player_order[0]
    if isinstance(step, MajorTrainless):
        keys["choices"] = [MajorTrainless.NATIONALIZE]
    if isinstance(step, StarterHomeToken):
        asked: dict[str, list[str]] = {str(player): [] for player in game.acting_players()}
        keys["accepts"] = {**asked, step.owner(game).sym: ["place_token"]}
    return keys
