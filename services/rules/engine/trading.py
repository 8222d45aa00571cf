"""What a player may buy, par and sell in a stock turn (core 11.6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import companies, money, shares
from .errors import IllegalAction
from .shares import Bundle
from .state import IPO, Company, Corporation, Player, Ref

if TYPE_CHECKING:
    from .game import Game

PURCHASES = ("buy_shares", "par", "buy_company")


def has_bought(game: Game) -> bool:
    """Whether the turn's purchase has been made."""
    return any(kind in PURCHASES for kind in game.round.turn.actions)


def has_sold_corporation(game: Game, player: Player, corporation: Corporation) -> bool:
    """Whether the player sold some of it in this stock round, which forbids buying it back."""
    return corporation.sym in game.round.sold.get(player.ref, {})


# --- buying -----------------------------------------------------------------------------------------------------


def may_buy_more(game: Game, player: Player, corporation: Corporation, owner: Ref) -> bool:
    """Whether a further purchase fits the turn: the first one, or another of a brown-zone corporation."""
    if not has_bought(game):
        return True
    rules = game.title.stock
    turn = game.round.turn
    if shares.cell_type(game, corporation) not in rules.multiple_buy_types:
        return False
    if "par" in turn.actions:
        return False
    if any(sym != corporation.sym for sym, _ in turn.bought):
        return False
    if not game.title.may_buy_again(game, player, corporation):
        return False
    return not (rules.multiple_buy_only_from_pool and (owner == IPO or any(source == IPO for _, source in turn.bought)))


def refusal_to_buy(game: Game, player: Player, bundle: Bundle) -> IllegalAction | None:
    """Why the player may not buy a bundle now, or None."""
    corporation = game.corporation(bundle.corporation)
    if not corporation.started:
        return IllegalAction("not_parred", f"{corporation.sym} has not been parred.")
    if bundle.owner not in game.title.share_sources(game, corporation):
        return IllegalAction("not_on_sale", f"{bundle.shares[0]} is neither in the IPO nor in the pool.")
    if 0 in bundle.indexes and not game.title.is_buyable(game, corporation, 0, bundle.owner):
        return IllegalAction("president_certificate", f"The president certificate of {corporation.sym} is not on sale.")
    if not all(game.title.is_buyable(game, corporation, index, bundle.owner) for index in bundle.indexes):
        return IllegalAction("not_on_sale", f"{bundle.shares[0]} cannot be bought.")
    if has_sold_corporation(game, player, corporation):
        return IllegalAction("sold_this_round", f"{player.name} has sold {corporation.sym} in this stock round.")
    if not may_buy_more(game, player, corporation, bundle.owner):
        return IllegalAction("already_bought", f"{player.name} has already bought in this turn.")
    short = money.shortage(game, player, shares.bundle_price(game, bundle))
    if short is not None:
        return short
    if not shares.can_gain(game, player, bundle):
        return IllegalAction("over_limit", f"{player.name} may not hold that many shares or certificates.")
    return None


def offered_certificates(game: Game, corporation: Corporation) -> Iterator[Bundle]:
    """The first certificate of each size in every source, as a bundle of its own."""
    sizes = game.title.sizes[corporation.sym]
    for source in game.title.share_sources(game, corporation):
        seen: set[int] = set()
        for index in shares.held(corporation, source):
            if sizes[index] not in seen and game.title.is_buyable(game, corporation, index, source):
                seen.add(sizes[index])
                yield Bundle(corporation.sym, source, (index,), sizes[index])


def buyable(game: Game, player: Player) -> Iterator[Bundle]:
    """Certificates the player may buy now, one of each kind and place."""
    for corporation in game.corporations:
        if not corporation.started or has_sold_corporation(game, player, corporation):
            continue
        for bundle in offered_certificates(game, corporation):
            if shares.bundle_price(game, bundle) <= player.cash and refusal_to_buy(game, player, bundle) is None:
                yield bundle


# --- par --------------------------------------------------------------------------------------------------------


def president_bundle(game: Game, corporation: Corporation) -> Bundle:
    return Bundle(corporation.sym, IPO, (0,), game.title.sizes[corporation.sym][0])


def parrable(game: Game, player: Player) -> list[Corporation]:
    """Corporations the player may start and can pay at the lowest par."""
    if has_bought(game):
        return []
    result = []
    for corporation in game.corporations:
        if not game.title.can_par(game, corporation, player) or has_sold_corporation(game, player, corporation):
            continue
        bundle = president_bundle(game, corporation)
        cost = shares.bundle_price(game, bundle, game.title.lowest_par(corporation))
        if player.cash >= cost and shares.can_gain(game, player, bundle):
            result.append(corporation)
    return result


# --- selling ----------------------------------------------------------------------------------------------------


def timing_allows(game: Game, player: Player, bundle: Bundle) -> bool:
    """Whether the rules of when shares may be sold allow it (core 11.6, ``sell_after``)."""
    corporation = game.corporation(bundle.corporation)
    when = game.title.stock.sell_after
    if when == "first":
        return game.state.turn > 1
    if when == "operate":
        return corporation.operated
    if when == "round":
        bought = sum(
            game.title.sizes[sym][0] if source == "par" else shares.unit(game, corporation)
            for sym, source in game.title.bought_this_round(game, player)
            if sym == corporation.sym
        )
        return shares.percent(game, corporation, player.ref) - bought >= bundle.percent
    return True


def order_allows(game: Game) -> bool:
    """Whether selling still fits the order within the turn."""
    order = game.title.stock.sell_buy_order
    kinds = ["buy" if kind in PURCHASES else "sell" for kind in game.round.turn.actions]
    if order == "sell_buy":
        return "buy" not in kinds
    if order == "sell_buy_or_buy_sell":
        collapsed = [kind for i, kind in enumerate(kinds) if i == 0 or kinds[i - 1] != kind]
        return collapsed != ["sell", "buy"]
    return True


def refusal_to_sell(game: Game, player: Player, bundle: Bundle) -> IllegalAction | None:
    """Why the player may not sell a bundle now, or None."""
    corporation = game.corporation(bundle.corporation)
    sym = corporation.sym
    if bundle.owner != player.ref:
        return IllegalAction("not_owner", f"{bundle.shares[0]} does not belong to {player.name}.")
    if corporation.price is None:
        return IllegalAction("not_parred", f"{sym} has no share price yet.")
    if not timing_allows(game, player, bundle):
        return IllegalAction("too_early_to_sell", f"Shares of {sym} cannot be sold yet.")
    if not order_allows(game):
        return IllegalAction("sold_after_buying", "Shares are sold before buying.")
    if game.title.stock.must_sell_in_blocks and game.round.sold.get(player.ref, {}).get(sym) == "now":
        return IllegalAction("one_block", f"{sym} has been sold in this turn already.")
    return refusal_of_bundle(game, bundle)


def refusal_of_bundle(game: Game, bundle: Bundle) -> IllegalAction | None:
    """Why a bundle cannot go to the pool whatever the moment: pool limit, presidency."""
    sym = bundle.corporation
    if not shares.fits_pool(game, bundle):
        limit = game.title.stock.pool_limit
        return IllegalAction("pool_limit", f"The pool may hold at most {limit} % of {sym}.", limit=limit)
    if not game.title.may_dump(game, bundle):
        return IllegalAction("cannot_dump", f"Nobody else can take the presidency of {sym}.")
    sizes = game.title.sizes[sym]
    if bundle.percent < sum(sizes[i] for i in bundle.indexes) and 0 not in bundle.indexes:
        return IllegalAction("partial_bundle", "Only a president certificate can be sold in part.")
    return None


def sellable(game: Game, player: Player) -> Iterator[Bundle]:
    """Bundles the player may sell now."""
    for corporation in game.corporations:
        if not corporation.holdings.get(player.ref):
            continue
        for bundle in shares.offered_bundles(game, corporation, player.ref):
            if refusal_to_sell(game, player, bundle) is None:
                yield bundle


def must_sell(game: Game, player: Player) -> list[Bundle]:
    """Bundles one of which has to be sold because a limit is exceeded; empty when nothing has to be."""
    over = {corporation.sym for corporation in shares.over_limit(game, player)}
    if not over:
        return []
    return [bundle for bundle in sellable(game, player) if bundle.corporation in over]


# --- companies --------------------------------------------------------------------------------------------------


def companies_on_offer(game: Game, player: Player) -> list[Company]:
    """Companies of other players he may buy in his stock turn."""
    if "players_trade_companies" not in game.phase.status or game.state.turn < 2:
        return []
    if has_bought(game) or player.cash <= 0:
        return []
    return [company for company in companies.purchasable(game) if company.owner != player.ref]
