"""Redeeming shares from the pool and reissuing them (1894 4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from ....engine import events, shares
from ....engine.actions import BuyShares, SellShares
from ....engine.money import spend
from ....engine.shares import Bundle
from ....engine.state import IPO, POOL, Cell, Corporation
from ....engine.steps.base import Entity, Move, Step, move, require
from ..state import of

if TYPE_CHECKING:
    from ....engine.game import Game

NO_REDEEM = "no_redeem"
REISSUE_PRICE = 100


def redeemed(game: Game, corporation: Corporation) -> list[int]:
    """Indexes of the shares a corporation has bought back."""
    return of(game).redeemed.get(corporation.sym, [])


def most(game: Game) -> int:
    """Shares that may be redeemed in a turn: two in the first operating round of a set."""
    return 2 if game.round.number == 1 else 1


def may_reissue(game: Game, corporation: Corporation) -> bool:
    """More shares redeemed than never sold."""
    held = redeemed(game, corporation)
    return len(held) > len(shares.held(corporation, IPO)) - len(held)


def reissue_cell(game: Game) -> Cell:
    """The par cell of the reissue price."""
    return next(cell.cell for cell in game.title.market.par_cells if cell.price == REISSUE_PRICE)


class Redeem(Step):
    """Buy own shares out of the pool, or sell all of them again; one action ends the step."""

    kind = "redeem"
    description = "redeem or reissue shares or pass"

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current or not isinstance(entity, Corporation):
            return ()
        if any(ability.kind == NO_REDEEM for ability in entity.abilities):
            return ()
        offered = []
        if self._on_sale(entity) and shares.share_price(game, entity) <= entity.cash:
            offered.append("buy_shares")
        if may_reissue(game, entity):
            offered.append("sell_shares")
        return (*offered, "pass") if offered else ()

    def _on_sale(self, corporation: Corporation) -> list[int]:
        return [index for index in shares.held(corporation, POOL) if index != 0]

    def list_buy_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        price = shares.share_price(game, entity)
        sizes = game.title.sizes[entity.sym]
        for count in range(1, most(game) + 1):
            if price * count > entity.cash:
                return
            for indexes in combinations(self._on_sale(entity), count):
                ids = [f"{entity.sym}_{index}" for index in indexes]
                yield move(entity, "buy_shares", shares=ids, percent=sum(sizes[i] for i in indexes))

    def do_buy_shares(self, game: Game, action: BuyShares) -> None:
        corporation = game.operator
        bundle = self._own_bundle(game, corporation, action)
        require(
            bundle.owner == POOL and 0 not in bundle.indexes,
            "not_on_sale",
            f"{corporation.sym} redeems shares of the pool only.",
        )
        limit = most(game)
        require(
            len(bundle.indexes) <= limit,
            "too_many_shares",
            f"{corporation.sym} may redeem {limit} share{'s' if limit > 1 else ''} in this round.",
            limit=limit,
        )
        price = shares.bundle_price(game, bundle)
        spend(game, corporation, None, price)
        game.emit(events.SharesBought(corporation.ref, corporation.sym, bundle.shares, bundle.percent, price, POOL))
        shares.transfer(game, bundle, IPO)
        of(game).redeemed.setdefault(corporation.sym, []).extend(bundle.indexes)
        game.state.recent.append((game.state.action_count, corporation.ref, "redeem", corporation.sym))
        self.finish(game)

    def _own_bundle(self, game: Game, corporation: Corporation, action: BuyShares | SellShares) -> Bundle:
        bundle = shares.parse_shares(game, action.shares, action.percent)
        total = sum(game.title.sizes[bundle.corporation][index] for index in bundle.indexes)
        require(
            bundle.corporation == corporation.sym and bundle.percent == total,
            "not_own_shares",
            f"{corporation.sym} trades whole shares of its own only.",
        )
        return bundle

    def list_sell_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        indexes = redeemed(game, entity)
        percent = sum(game.title.sizes[entity.sym][index] for index in indexes)
        ids = [f"{entity.sym}_{index}" for index in indexes]
        yield move(entity, "sell_shares", shares=ids, percent=percent, share_price=REISSUE_PRICE)

    def do_sell_shares(self, game: Game, action: SellShares) -> None:
        corporation = game.operator
        bundle = self._own_bundle(game, corporation, action)
        held = redeemed(game, corporation)
        require(
            may_reissue(game, corporation),
            "cannot_reissue",
            f"{corporation.sym} has not redeemed more shares than it has left unsold.",
        )
        require(
            sorted(bundle.indexes) == sorted(held),
            "reissue_all",
            f"{corporation.sym} reissues all its redeemed shares at once.",
        )
        proceeds = REISSUE_PRICE * len(held)
        spend(game, None, corporation, proceeds)
        game.emit(events.SharesSold(corporation.ref, corporation.sym, bundle.percent, proceeds))
        corporation.par = reissue_cell(game)
        del of(game).redeemed[corporation.sym]
        self.finish(game)
