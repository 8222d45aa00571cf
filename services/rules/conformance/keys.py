"""A game described as flat keys with plain values, for comparing positions.

``describe`` gives every key of a position; ``changes`` what differs between two of them. The same keys are used by the
traces of expected states: players and their numbers, corporations, companies, the map, supplies, auctions, and what may
be done. Keys whose value is empty, zero or false are left out unless they are always listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..engine import companies, ending, shares, trains
from ..engine.board.tokens import owner as token_owner
from ..engine.game import Game
from ..engine.state import IPO, POOL, Company, Corporation, Hex, Player, Ref
from ..engine.steps.auction import WaterfallAuction
from ..engine.steps.base import Entity, entity_id
from ..engine.steps.route import DividendStep
from ..engine.steps.stock import BuySellParShares
from ..engine.steps.track import SpecialTrack, Track

Keys = dict[str, Any]

TIMINGS = {
    "immediate": "now",
    "current_round": "this_round",
    "current_or": "this_operating_round",
    "full_or": "this_set",
    "one_more_full_or_set": "next_set",
}
ABILITIES = {
    "blocks_hexes": "keeps_hexes_closed",
    "tile_lay": "extra_tile",
    "teleport": "teleport_tile_and_token",
    "exchange": "swap_for_share",
    "shares": "comes_with_share",
    "close": "closes",
    "hex_bonus": "route_bonus",
    "revenue_change": "income_change",
    "token": "special_token",
    "no_buy": "not_sellable",
}
CORPORATION_ABILITIES = {"no_buy": "not_buyable"}
PLACES = {IPO: "ipo", POOL: "market"}


def describe(game: Game) -> Keys:
    """Every key of a position."""
    keys: Keys = {}
    keys.update(_game(game))
    for player in game.state.players:
        keys.update(_player(game, player))
    for corporation in game.title.visible_corporations(game):
        keys.update(_corporation(game, corporation))
    for company in game.state.companies.values():
        keys.update(_company(game, company))
    for hex_id, on_hex in game.state.board.items():
        keys.update(_hex(game, hex_id, on_hex))
    keys.update(_blocked(game))
    keys.update(_supply(game))
    keys.update(_auction(game))
    keys.update(_pending(game))
    keys.update(_possible(game))
    keys.update(game.title.extra_keys(game))
    return {key: value for key, value in keys.items() if value is not None}


def changes(before: Keys, after: Keys) -> Keys:
    """New values of the keys that differ; None for a key that is gone."""
    result = {key: value for key, value in after.items() if key not in before or before[key] != value}
    result.update({key: None for key in before if key not in after})
    return result


def name(game: Game, ref: Ref | None) -> int | str | None:
    """An entity or place as the keys write it."""
    if ref is None:
        return None
    if ref in PLACES:
        return PLACES[ref]
    entity = game.find(ref)
    return ref if entity is None else entity_id(entity)


def cell(game: Game, at: tuple[int, int] | None) -> str | None:
    return None if at is None else f"{game.title.market.at(at).price}@{at[0]},{at[1]}"


def _game(game: Game) -> Keys:
    state = game.state
    over = game.finished
    step = None if over else game.rules.active_step(game)
    trigger = state.trigger
    return {
        "bank": state.bank,
        "bank_broken": state.bank_broken or None,
        "round": game.round_label(),
        "round_count": state.round_count,
        "phase": game.phase.name,
        "step": None if step is None else step.kind,
        "active": [entity_id(e) for e in game.active_entities()],
        "acting_players": game.acting_players(),
        "priority": None if over else game.priority_player().id,
        "player_order": list(state.player_order),
        "round_entities": [name(game, ref) for ref in game.round.entities],
        "market_order": [c.sym for c in game.title.operating_order(game)],
        "finished": over,
        "ors_in_set": state.operating_rounds,
        "cert_limit": state.cert_limit,
        "end_trigger": [trigger.reason, TIMINGS[trigger.timing]] if trigger is not None else None,
        "final_turn": state.final_turn,
        "end_reason": state.outcome.reason if state.outcome is not None else None,
        "result": state.outcome.result if state.outcome is not None else None,
    }


def _player(game: Game, player: Player) -> Keys:
    prefix = f"player/{player.id}"
    sold = game.round.sold.get(player.ref, {})
    keys: Keys = {
        f"{prefix}/cash": player.cash,
        f"{prefix}/value": ending.score(game, player),
        f"{prefix}/certs": shares.certificate_count(game, player),
        f"{prefix}/companies": list(player.companies) or None,
        f"{prefix}/passed": player.passed or None,
        f"{prefix}/bankrupt": player.bankrupt or None,
        f"{prefix}/sold": sorted(f"{sym}:{when}" for sym, when in sold.items()) or None,
        f"{prefix}/program": [player.program.kind] if player.program is not None else None,
    }
    for corporation in game.state.corporations.values():
        owned = shares.percent(game, corporation, player.ref)
        if owned:
            keys[f"{prefix}/shares/{corporation.sym}"] = owned
    return keys


def _tokens(game: Game, corporation: Corporation) -> list[int | str]:
    result: list[int | str] = []
    for token in corporation.tokens:
        if token.hex is None:
            result.append(token.price)
            continue
        ref = game.title.map.tile_at(game.state, token.hex).city(token.city).ref
        result.append(f"{token.hex}:{ref}:{'x' if token.slot is None else token.slot}")
    return result


def _corporation(game: Game, corporation: Corporation) -> Keys:
    prefix = f"corp/{corporation.sym}"
    if corporation.closed and not corporation.in_play:
        return {f"{prefix}/out": True}
    depot = game.state.depot
    certificates = {
        str(name(game, holder)) if holder != corporation.ref else "treasury": sorted(indexes)
        for holder, indexes in corporation.holdings.items()
    }
    has_shares = bool(game.title.sizes[corporation.sym])
    return {
        f"{prefix}/cash": corporation.cash,
        f"{prefix}/loans": corporation.loans or None,
        f"{prefix}/price": cell(game, corporation.price),
        f"{prefix}/par": cell(game, corporation.par),
        f"{prefix}/started": corporation.started if has_shares else None,
        f"{prefix}/floated": corporation.floated,
        f"{prefix}/operated": corporation.operated,
        f"{prefix}/president": name(game, corporation.president),
        f"{prefix}/ipo": shares.percent(game, corporation, IPO) if has_shares else None,
        f"{prefix}/market": shares.percent(game, corporation, POOL) if has_shares else None,
        f"{prefix}/certificates": certificates or None,
        f"{prefix}/trains": [f"{train_id}|{depot.trains[train_id].name}" for train_id in corporation.trains],
        f"{prefix}/ran": [t for t in corporation.trains if depot.trains[t].ran] or None,
        f"{prefix}/obsolete": [t for t in corporation.trains if depot.trains[t].obsolete] or None,
        f"{prefix}/tokens": _tokens(game, corporation),
        f"{prefix}/companies": list(corporation.companies) or None,
        f"{prefix}/home": (corporation.home[0] if len(corporation.home) == 1 else corporation.home) or None,
        f"{prefix}/abilities": [CORPORATION_ABILITIES.get(a.kind, a.kind) for a in corporation.abilities] or None,
        f"{prefix}/closed": corporation.closed or None,
        f"{prefix}/assigned": list(corporation.assigned) or None,
    }


def _company(game: Game, company: Company) -> Keys:
    prefix = f"company/{company.sym}"
    uses = [ABILITIES.get(a.kind, a.kind) + ("" if a.uses is None else f"={a.uses}") for a in company.abilities]
    return {
        f"{prefix}/owner": name(game, company.owner),
        f"{prefix}/revenue": (company.revenue or None) if company.closed else company.revenue,
        f"{prefix}/value": company.value or None,
        f"{prefix}/discount": company.discount or None,
        f"{prefix}/abilities": uses or None,
        f"{prefix}/closed": company.closed or None,
    }


def _hex(game: Game, hex_id: str, on_hex: Hex) -> Keys:
    prefix = f"hex/{hex_id}"
    tile = game.title.map.tile_at(game.state, hex_id)
    tokens: dict[str, list[str | None]] = {}
    reserved: dict[str, list[str | None]] = {"any": list(on_hex.reserved)} if on_hex.reserved else {}
    for node, city in zip(tile.cities, on_hex.cities, strict=False):
        slots = [None if slot is None else token_owner(slot) for slot in city.slots]
        if any(slots) or city.extra:
            tokens[str(node.ref)] = [*slots, *(f"+{token_owner(extra)}" for extra in city.extra)]
        if any(city.reserved):
            reserved[str(node.ref)] = list(city.reserved)
    borders = [f"{e}:{kind}" + (f":{cost}" if cost or kind == "water" else "") for e, kind, cost in on_hex.borders]
    return {
        prefix: None if on_hex.tile is None else f"{on_hex.tile}-{on_hex.copy}@{on_hex.rotation}",
        f"{prefix}/tokens": tokens or None,
        f"{prefix}/reserved": reserved or None,
        f"{prefix}/borders": borders or None,
        f"{prefix}/icons": list(on_hex.icons) or None,
    }


def _blocked(game: Game) -> Keys:
    """Companies registered as keeping a hex without a tile closed, whether or not the condition holds."""
    keys: Keys = {}
    for hex_id, syms in game.title.hex_blockers.items():
        live = [s for s in syms if companies.has_ability(game, game.state.companies[s], "blocks_hexes")]
        on_hex = game.state.board.get(hex_id)
        if live and (on_hex is None or on_hex.tile is None):
            keys[f"hex/{hex_id}/blocked"] = live
    return keys


def _supply(game: Game) -> Keys:
    state = game.state
    runs: list[list[Any]] = []
    for train_id in state.depot.upcoming:
        rank = trains.rank(train_id)
        if runs and runs[-1][0] == rank:
            runs[-1][1] += 1
        else:
            runs.append([rank, 1])
    for run in runs:
        if game.title.trains[run[0]].count is None:
            run[1] = "*"
    keys: Keys = {
        "depot/upcoming": runs,
        "depot/next": state.depot.upcoming[0] if state.depot.upcoming else None,
        "depot/discarded": [f"{t}|{state.depot.trains[t].name}" for t in state.depot.discarded] or None,
    }
    for tile, copies in state.supply.items():
        if game.title.data.tiles[tile].count is not None:
            keys[f"supply/{tile}"] = len(copies) or None
    for at, syms in state.market.items():
        keys[f"market/{at}"] = list(syms)
    return keys


def _auction(game: Game) -> Keys:
    auction = game.round.auction
    if auction is None or not auction.items or game.round.pending_par:
        return {}
    step = next((s for s in game.rules.steps if isinstance(s, WaterfallAuction)), None)
    keys: Keys = {"auction/current": auction.current, "auction/items": list(auction.items)}
    if step is not None:
        keys["auction/min"] = {sym: step.min_bid(game, sym) for sym in auction.items}
    for sym, bids in auction.bids.items():
        if bids:
            keys[f"auction/bids/{sym}"] = [[bid.player, bid.price] for bid in bids]
    return keys


def _pending(game: Game) -> Keys:
    current = game.round
    return {
        "pending/tokens": [f"{p.corporation}:{'|'.join(p.hexes)}" for p in current.pending_tokens] or None,
        "pending/par": list(current.pending_par) or None,
    }


def _possible(game: Game) -> Keys:
    """What may be done: accepted action types, dividends, the turn so far."""
    keys: Keys = {}
    turn = game.round.turn
    if any(isinstance(step, BuySellParShares) for step in game.rules.steps):
        keys["turn/actions"] = list(turn.actions)
    if any(isinstance(step, Track | SpecialTrack) for step in game.rules.steps):
        keys["turn/tiles_laid"] = turn.tiles_laid
        keys["turn/upgraded"] = turn.upgraded
    keys["accepts"] = dict(_accepts(game))
    if game.finished:
        return keys
    for company in game.state.companies.values():
        kinds = _accepted(game, company)
        if kinds and not company.closed:
            keys[f"can/{company.sym}"] = kinds
    step = game.rules.active_step(game)
    if isinstance(step, DividendStep):
        keys["dividend_kinds"] = _dividend_kinds(game, step)
    return keys


def _accepts(game: Game) -> Iterator[tuple[str, list[str]]]:
    asked: list[Entity] = list(game.active_entities())
    for entity in list(asked):
        player = game.title.acting_player(game, entity)
        if player is not None and player not in asked:
            asked.append(player)
    for entity in asked:
        kinds = _accepted(game, entity)
        if kinds:
            yield str(entity_id(entity)), kinds


def _accepted(game: Game, entity: Entity) -> list[str]:
    """Action types an entity may send, step by step up to the first blocking one."""
    kinds: list[str] = []
    for step in game.rules.steps:
        if not step.is_active(game):
            continue
        kinds.extend(kind for kind in step.actions(game, entity) if kind not in kinds)
        if step.is_blocking(game):
            break
    return game.title.advertised(game, entity, kinds)


def _dividend_kinds(game: Game, step: DividendStep) -> Keys:
    operator = game.operator
    result: Keys = {}
    for option in step.options(game, operator):
        per_share = option.per_share
        result[option.kind] = {
            "per_share": per_share.numerator if per_share.denominator == 1 else float(per_share),
            "company": option.kept,
            "move": [f"{direction}:{steps}" for direction, steps in option.moves],
        }
    return result
