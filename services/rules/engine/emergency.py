"""Compulsory train purchases: who must buy, what the president may pay and sell, bankruptcy (core 15.3-15.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import events, shares, trading, trains
from .errors import IllegalAction
from .money import spend
from .shares import Bundle
from .state import Corporation, Player

if TYPE_CHECKING:
    from .game import Game


def must_buy(game: Game, operator: Corporation) -> bool:
    """Whether the operator has to buy a train now."""
    rule = game.title.train_rules.must_buy
    if operator.trains or rule == "never" or not trains.depot_trains(game):
        return False
    return rule == "always" or game.title.route_for_purchase(game, operator)


def needed_price(game: Game) -> int:
    """Price the president has to make possible: that of the cheapest depot train, or the dearest (core 15.4)."""
    prices = [offer.price for offer in trains.depot_offers(game)]
    if not prices:
        return 0
    return min(prices) if game.title.train_rules.cheapest_only else max(prices)


def missing(game: Game, operator: Corporation, president: Player) -> int:
    """Money still missing after treasury and president's cash; negative when there is more than enough."""
    return needed_price(game) - operator.cash - president.cash


def in_emergency(game: Game, operator: Corporation) -> bool:
    """Whether the president's money is called for."""
    return must_buy(game, operator) and operator.cash < trains.min_depot_price(game)


def may_sell(game: Game, player: Player, operator: Corporation) -> bool:
    """Whether the president may sell shares now: cash short for a compulsory train.

    An imported game may hold sales made while no train was compulsory (core 1.9, 6), and then only the size of
    the bundle counts.
    """
    if game.president_of(operator) is not player:
        return False
    return not game.live or (must_buy(game, operator) and missing(game, operator, player) > 0)


def refusal_to_sell(game: Game, player: Player, operator: Corporation, bundle: Bundle) -> IllegalAction | None:
    """Why the president may not sell a bundle for the train."""
    if bundle.owner != player.ref:
        return IllegalAction("not_owner", f"{bundle.shares[0]} does not belong to {player.name}.")
    corporation = game.corporation(bundle.corporation)
    if corporation.price is None or not game.title.emergency_sale_timing(game, player, bundle):
        return IllegalAction("too_early_to_sell", f"Shares of {bundle.corporation} cannot be sold yet.")
    if game.title.stock.must_sell_in_blocks and game.round.sold.get(player.ref, {}).get(corporation.sym):
        return IllegalAction("one_block", f"{corporation.sym} has been sold in this turn already.")
    refusal = trading.refusal_of_bundle(game, bundle)
    if refusal is not None:
        return refusal
    if _loses_presidency(game, player, operator, bundle):
        return IllegalAction("presidency", f"The sale would cost {player.name} the presidency of {bundle.corporation}.")
    short = missing(game, operator, player)
    if shares.bundle_price(game, bundle) - _least_price(game, corporation, bundle) >= short:
        needed = max(short, 0)
        return IllegalAction("sells_too_much", f"Fewer shares raise the missing {game.money(needed)}.", missing=needed)
    return None


def _least_price(game: Game, corporation: Corporation, bundle: Bundle) -> int:
    """What could be left out of a bundle: its smallest certificate, a share unit of a president certificate.

    An imported game may hold sales measured by whole certificates, part of a president certificate among them
    (core 15.4).
    """
    sizes = game.title.sizes[bundle.corporation]
    unit = shares.unit(game, corporation)
    smallest = min(sizes[i] for i in bundle.indexes)
    if game.live and 0 in bundle.indexes:
        smallest = min(smallest, unit)
    return shares.share_price(game, corporation) * smallest // unit


def _loses_presidency(game: Game, player: Player, operator: Corporation, bundle: Bundle) -> bool:
    """Whether a sale takes away a presidency the player must keep."""
    corporation = game.corporation(bundle.corporation)
    if corporation.president != player.ref:
        return False
    if corporation is not operator and game.title.train_rules.emergency_changes_presidency:
        return False
    left = shares.percent(game, corporation, player.ref) - bundle.percent
    sizes = game.title.sizes[corporation.sym]
    return any(
        owned > left and owned >= sizes[0]
        for holder, owned in shares.player_holders(game, corporation)
        if holder is not player
    )


def sellable(game: Game, player: Player, operator: Corporation) -> Iterator[Bundle]:
    """Bundles the president may sell for the train."""
    for corporation in game.corporations:
        if not corporation.holdings.get(player.ref):
            continue
        for bundle in shares.offered_bundles(game, corporation, player.ref):
            if refusal_to_sell(game, player, operator, bundle) is None:
                yield bundle


def liquid_bundles(game: Game, player: Player, operator: Corporation, corporation: Corporation) -> list[Bundle]:
    """Bundles of a corporation the player could turn into money at all, however much is needed."""
    result = []
    for bundle in shares.offered_bundles(game, corporation, player.ref):
        if corporation.price is None or not game.title.emergency_sale_timing(game, player, bundle):
            continue
        if trading.refusal_of_bundle(game, bundle) is None and not _loses_presidency(game, player, operator, bundle):
            result.append(bundle)
    return result


def liquidity(game: Game, player: Player, operator: Corporation) -> int:
    """Cash plus the largest sellable bundle of each corporation (core 15.5)."""
    total = player.cash + game.title.other_liquidity(game, player)
    for corporation in game.corporations:
        if corporation.holdings.get(player.ref):
            values = [shares.bundle_price(game, b) for b in liquid_bundles(game, player, operator, corporation)]
            total += max(values, default=0)
    return total


def is_insolvent(game: Game, operator: Corporation) -> bool:
    """Whether the president cannot pay the cheapest train even by selling all he may."""
    president = game.president_of(operator)
    if president is None:
        return False
    return liquidity(game, president, operator) + operator.cash < trains.min_depot_price(game)


def go_bankrupt(game: Game, operator: Corporation) -> None:
    """Sell all that can be sold, hand the cash to the bank (core 15.5)."""
    president = game.president_of(operator)
    assert president is not None
    held = [c for c in game.corporations if c.holdings.get(president.ref)]
    for corporation in game.market_order(held):
        while True:
            bundles = liquid_bundles(game, president, operator, corporation)
            if not bundles:
                break
            best = max(bundles, key=lambda bundle: shares.bundle_price(game, bundle))
            shares.sell(game, president, best)
    if president.cash:
        spend(game, president, None, president.cash)
    president.bankrupt = True
    game.emit(events.PlayerBankrupt(president.ref))
