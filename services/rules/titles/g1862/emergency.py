"""Money for a train the treasury cannot pay: own certificates, refinancing, or the end (1862 4.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import events, shares, trains
from ...engine.money import spend
from ...engine.state import POOL, Corporation
from . import charters, mergers
from .state import as_1862, of

if TYPE_CHECKING:
    from ...engine.game import Game

REFINANCED_SHARES = 10


def depot_price(game: Game) -> int:
    """List price of the first train of the depot."""
    return trains.min_depot_price(game)


def short(game: Game, operator: Corporation) -> int:
    """Money missing for it."""
    return depot_price(game) - operator.cash


def can_sell(game: Game, operator: Corporation) -> bool:
    """Whether the treasury's own certificates are worth the money missing."""
    sizes = game.title.sizes[operator.sym]
    owned = sum(sizes[index] for index in charters.treasury_shares(operator))
    units = owned // shares.unit(game, operator)
    return units * shares.share_price(game, operator) >= short(game, operator)


def refinancing(game: Game, operator: Corporation) -> int:
    """What refinancing brings."""
    par = as_1862(operator).base_par
    return 0 if par is None else REFINANCED_SHARES * game.title.market.at(par).price


def can_refinance(game: Game, operator: Corporation) -> bool:
    return refinancing(game, operator) >= short(game, operator)


def raise_money(game: Game, operator: Corporation) -> None:
    """Sell if possible, else refinance if possible, else go bankrupt."""
    if can_sell(game, operator):
        sell(game, operator)
    elif can_refinance(game, operator):
        refinance(game, operator)
    else:
        go_bankrupt(game, operator)


def sell(game: Game, operator: Corporation) -> None:
    """As many certificates as needed go to the pool, from the front of the treasury's list."""
    price = shares.share_price(game, operator)
    count = -(-short(game, operator) // price)
    place = charters.own_place(operator)
    sizes = game.title.sizes[operator.sym]
    percent = 0
    for index in list(charters.treasury_shares(operator))[:count]:
        shares.move_certificate(operator, index, place, POOL)
        percent += sizes[index]
    units = percent // shares.unit(game, operator)
    spend(game, None, operator, units * price)
    game.emit(events.SharesSold(operator.ref, operator.sym, percent, units * price))
    of(game).emergency = True
    shares.move_price(game, operator, "down", units)
    charters.check_bankruptcy(game, operator)


def refinance(game: Game, operator: Corporation) -> None:
    """Every holder gives up half; the bank then pays ten base pars (1862 4.9)."""
    of(game).emergency = True
    mergers.begin_refinancing(game, operator)


def go_bankrupt(game: Game, operator: Corporation) -> None:
    charters.bankrupt(game, operator)
