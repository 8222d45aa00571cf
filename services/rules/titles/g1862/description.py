"""What positions of 1862 say beyond the common keys (``conformance.keys``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import shares
from ...engine.state import Player
from . import charters
from .state import Corporation1862, Question, of
from .steps.merging import MergeStep
from .steps.parliament import ParliamentStep
from .steps.stock import BuyTokens

if TYPE_CHECKING:
    from ...engine.game import Game

Keys = dict[str, object]


def extra_keys(game: Game) -> Keys:
    """Title-specific keys of a position."""
    state = of(game)
    keys: Keys = {
        "startable": list(charters.offered(game)),
        "skip_turn": list(state.skip_turn) or None,
        "deferred_rust": list(state.deferred_rust) or None,
        "base_tiles_out": list(state.base_tiles_out) or None,
        "lner": state.lner or None,
    }
    for company in state.companies.values():
        keys[f"company/{company.sym}/value"] = company.value
    for corporation in state.corporations.values():
        if corporation.in_play:
            keys.update(_corporation(game, corporation))
    keys.update(_parliament(game))
    keys.update(_pending(game))
    keys.update(_choices(game))
    return keys


def _corporation(game: Game, corporation: Corporation1862) -> Keys:
    prefix = f"corp/{corporation.sym}"
    full = corporation.capitalization == "full"
    market = game.title.market
    base_par = corporation.base_par
    keys: Keys = {
        f"{prefix}/permits": list(corporation.permits),
        f"{prefix}/chartered": corporation.chartered or None,
        f"{prefix}/capital": corporation.capitalization,
        f"{prefix}/treasury": shares.percent(game, corporation, corporation.ref) if full else None,
        f"{prefix}/base_par": None if base_par is None else f"{market.at(base_par).price}@0,{base_par[1]}",
    }
    if not full and corporation.price is not None:
        keys[f"{prefix}/par"] = f"{shares.share_price(game, corporation)}@0,{corporation.price[1]}"
    return keys


def _parliament(game: Game) -> Keys:
    step = game.rules.steps[0]
    if not isinstance(step, ParliamentStep):
        return {}
    state = of(game)
    keys: Keys = {
        "auction/items": list(charters.offered(game)) or None,
        "auction/won": list(state.won) or None,
        "turn/actions": list(game.round.turn.actions),
    }
    auction = state.charter
    if auction is not None:
        keys["auction/current"] = auction.corporation
        keys["auction/bidders"] = list(auction.bidders)
        keys[f"auction/bids/{auction.corporation}"] = [[bid.player, bid.price] for bid in auction.bids]
        keys["auction/min"] = {auction.corporation: step.low(game)}
    return keys


def _who(game: Game, ref: str) -> int | str:
    entity = game.entity(ref)
    return entity.id if isinstance(entity, Player) else entity.sym


def _question(game: Game, question: Question) -> Keys:
    return {
        "entity": _who(game, question.holder),
        "share": f"{question.corporation}_{question.index}",
        "percent": question.percent,
        "sell": question.sell,
        "redeem": question.redeem,
    }


def _pending(game: Game) -> Keys:
    state = of(game)
    merger, removal = state.merger, state.removal
    keys: Keys = {
        "pending/buy_tokens": state.buy_tokens,
        "pending/home_upgrade": [state.home_upgrade] if state.home_upgrade else None,
        "pending/forced_sales": [{"entity": d.player, "amount": d.amount} for d in state.forced_sales] or None,
    }
    if merger is not None:
        if merger.question is not None:
            keys["pending/options"] = [_question(game, merger.question)]
        if merger.at == "merge" and not merger.survivor:
            keys["pending/merging"] = [merger.originator, merger.other]
    if removal is not None:
        keys["pending/removals"] = [
            {
                "survivor": removal.survivor,
                "other": removal.other,
                "count": removal.count,
                "hexes": list(removal.hexes),
            }
        ]
    return keys


def _choices(game: Game) -> Keys:
    step = None if game.finished else game.rules.active_step(game)
    if step is None:
        return {}
    if isinstance(step, BuyTokens):
        return {"choices": [str(n) for n in step.choices(game)]}
    current = step.active_entities(game)
    if not current or "choose" not in step.actions(game, current[0]):
        return {}
    return {"choices": ["first", "last"] if isinstance(step, MergeStep) else ["sell", "redeem"]}
