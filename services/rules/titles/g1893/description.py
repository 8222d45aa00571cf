"""What positions of 1893 say beyond the common keys (``conformance.keys``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import shares
from ...engine.state import Player
from . import cards, fdsd
from .access import FDSD, state_of, title_of

if TYPE_CHECKING:
    from ...engine.game import Game
    from ...engine.steps.base import Entity


def advertised(game: Game, entity: Entity, kinds: list[str]) -> list[str]:
    """Bonds sold in need are not announced; buying a minor is, beside the bank's cards, though nobody can.

    The FdSD shows its exchange in every player's turn.
    """
    if entity is game.company(FDSD) and game.round.kind == "stock":
        return ["buy_shares", "pass"] if fdsd.is_useful(game) else []
    if game.round.kind == "operating":
        return [kind for kind in kinds if kind != "sell_company"]
    if game.round.kind != "stock" or not isinstance(entity, Player) or "buy_company" not in kinds:
        return kinds
    return [*kinds, "buy_corporation"] if cards.for_sale_in_turn(game, entity) else kinds


def extra_keys(game: Game) -> dict[str, object]:
    """Title-specific keys of a position."""
    state = state_of(game)
    keys: dict[str, object] = {
        "fdsd_closing": state.fdsd_closing,
        "draft_passers": list(state.draft_passers) or None,
        "merge_discard": list(state.merge_discard) or None,
    }
    for sym in title_of(game).parameters.mergers:
        corporation = game.corporation(sym)
        keys[f"{sym.lower()}_open"] = sym in state.on_sale and sym not in state.forced
        keys[f"{sym.lower()}_auto"] = sym in state.forced
        kept = 0 if corporation.floated else _kept(game, sym)
        keys[f"corp/{sym}/reserved"] = kept or None
    for corporation in game.corporations:
        if corporation.price is not None:
            row, column = corporation.price
            keys[f"corp/{corporation.sym}/par"] = f"{shares.share_price(game, corporation)}@{row},{column}"
    keys.update(_vote(game))
    keys.update(_auction(game))
    return keys


def _kept(game: Game, sym: str) -> int:
    """Percent kept for the cards."""
    sizes = game.title.sizes[sym]
    return sum(sizes[index] for index in title_of(game).parameters.mergers[sym].certificates.values())


def _vote(game: Game) -> dict[str, object]:
    vote = state_of(game).vote
    if vote is None:
        return {}
    return {
        "vote/target": [vote.target] if vote.target else [],
        "vote/yes": vote.yes,
        "vote/no": vote.no,
        "vote/weights": dict(vote.weights),
    }


def _auction(game: Game) -> dict[str, object]:
    state = state_of(game)
    if game.finished or game.round.kind not in ("draft", "forced_auction"):
        return {}
    offered = cards.on_offer(game)
    return {
        "auction/items": [card.sym for card in offered],
        "auction/min": {card.sym: card.value - card.discount for card in offered},
        "auction/current": state.item,
        "auction/bidders": list(state.bidders) or None,
    }
