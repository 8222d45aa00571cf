"""Waterfall auction and the par that follows from it (core 17)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import companies, events, shares
from ..actions import Action, Par
from ..actions import Bid as BidAction
from ..errors import IllegalAction
from ..money import spend
from ..state import Auction, Bid, Company, Player
from .base import Entity, Move, Step, move, require

if TYPE_CHECKING:
    from ..game import Game


def grant_shares(game: Game, company: Company, player: Player) -> None:
    """Certificates that come with a company at its first sale; a president certificate waits for its par."""
    for _, data in list(companies.abilities(game, company, "shares")):
        for share in data.shares:
            sym, _, index = share.rpartition("_")
            if index == "0":
                game.round.pending_par.append(company.sym)
            else:
                shares.give(game, game.corporation(sym), int(index), player.ref, company.sym)


class CompanyPendingPar(Step):
    """The buyer of a company with a president certificate pars that corporation at once; the certificate is free."""

    kind = "par_pending"
    description = "choose a par price"

    def is_active(self, game: Game) -> bool:
        return bool(game.round.pending_par)

    def _company(self, game: Game) -> Company:
        return game.company(game.round.pending_par[0])

    def _corporation(self, game: Game) -> str:
        for _, data in companies.abilities(game, self._company(game), "shares"):
            for share in data.shares:
                if share.endswith("_0"):
                    return share[:-2]
        raise AssertionError("a pending company carries a president certificate")

    def active_entities(self, game: Game) -> list[Entity]:
        owner = companies.owner_purse(game, self._company(game))
        return [owner] if owner is not None else []

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("par",) if entity in self.active_entities(game) else ()

    def list_par(self, game: Game, entity: Entity) -> Iterator[Move]:
        sym = self._corporation(game)
        for cell in game.title.auction_par_cells(game, game.corporation(sym)):
            yield move(entity, "par", corporation=sym, share_price=cell.id)

    def do_par(self, game: Game, action: Par) -> None:
        sym = self._corporation(game)
        require(action.corporation == sym, "wrong_corporation", f"{sym} has to be parred first.")
        corporation = game.corporation(sym)
        cells = {cell.id: cell for cell in game.title.auction_par_cells(game, corporation)}
        cell = cells.get(action.share_price)
        if cell is None:
            raise IllegalAction("not_a_par_cell", f"{action.share_price} is not a par price of {sym}.")
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        game.round.pending_par.pop(0)
        shares.set_par(game, corporation, cell.cell, player.ref)
        shares.give(game, corporation, 0, player.ref, "par")
        game.title.after_par(game, corporation, player)


class WaterfallAuction(Step):
    """Buy the cheapest company, or bid on a dearer one."""

    kind = "auction"
    description = "bid on or buy a company"

    def is_active(self, game: Game) -> bool:
        return bool(self._auction(game).items)

    def _auction(self, game: Game) -> Auction:
        auction = game.round.auction
        assert auction is not None
        return auction

    def active_entities(self, game: Game) -> list[Entity]:
        auction = self._auction(game)
        if auction.current is not None:
            bids = auction.bids[auction.current]
            return [game.player(min(bids, key=lambda bid: bid.price).player)]
        return super().active_entities(game)

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("bid", "pass") if entity in self.active_entities(game) else ()

    # --- amounts ------------------------------------------------------------------------------------------------

    def base_price(self, game: Game, sym: str) -> int:
        company = game.company(sym)
        return max(company.value - company.discount, 0)

    def min_bid(self, game: Game, sym: str) -> int:
        """Lowest legal bid: the price itself for the cheapest company nobody bid on."""
        auction = self._auction(game)
        bids = auction.bids.get(sym)
        if not bids and sym == auction.items[0]:
            return self.base_price(game, sym)
        high = max((bid.price for bid in bids), default=0) if bids else self.base_price(game, sym)
        return high + game.title.auction.increment

    def committed(self, game: Game, player: Player, except_for: str) -> int:
        """Cash bound in the player's other bids."""
        return sum(
            bid.price
            for sym, bids in self._auction(game).bids.items()
            if sym != except_for
            for bid in bids
            if bid.player == player.id
        )

    def max_bid(self, game: Game, player: Player, sym: str) -> int:
        return player.cash - self.committed(game, player, sym)

    # --- moves --------------------------------------------------------------------------------------------------

    def list_bid(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        auction = self._auction(game)
        step = game.title.auction.increment if game.title.auction.multiples_only else 1
        for sym in [auction.current] if auction.current else auction.items:
            low, high = self.min_bid(game, sym), self.max_bid(game, entity, sym)
            if high < low:
                continue
            if self._buys_at_once(game, sym):
                yield move(entity, "bid", company=sym, price=low)
            else:
                yield move(entity, "bid", company=sym, price={"min": low, "max": high, "step": step})

    def _buys_at_once(self, game: Game, sym: str) -> bool:
        auction = self._auction(game)
        return auction.current is None and sym == auction.items[0]

    def do_bid(self, game: Game, action: BidAction) -> None:
        auction = self._auction(game)
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        sym = action.company or ""
        require(sym in auction.items, "not_for_sale", f"{sym or 'Nothing'} is not in this auction.", company=sym)
        if auction.current is not None:
            require(sym == auction.current, "other_auction", f"The bidding is on {auction.current} now.")
        self._check_price(game, player, sym, action.price)
        player.passed = False
        if self._buys_at_once(game, sym):
            game.round.last_to_act = player.ref
            self._sell(game, sym, player, action.price)
            self._cascade(game)
            self._next(game)
            return
        self._place(game, player, sym, action.price)
        if auction.current is None:
            self._next(game)

    def _check_price(self, game: Game, player: Player, sym: str, price: int) -> None:
        low = self.min_bid(game, sym)
        rules = game.title.auction
        if self._buys_at_once(game, sym):
            require(price == low, "wrong_price", f"{sym} costs {game.money(low)}.", price=low)
        require(price >= low, "bid_too_low", f"The lowest bid on {sym} is {game.money(low)}.", min=low)
        require(
            not rules.multiples_only or (price - low) % rules.increment == 0,
            "bid_step",
            f"Bids on {sym} rise in steps of {rules.increment} from {game.money(low)}.",
        )
        high = self.max_bid(game, player, sym)
        require(price <= high, "bid_too_high", f"{player.name} can bid at most {game.money(high)} on {sym}.", max=high)

    def _place(self, game: Game, player: Player, sym: str, price: int) -> None:
        bids = self._auction(game).bids.setdefault(sym, [])
        bids[:] = [bid for bid in bids if bid.player != player.id]
        bids.append(Bid(player.id, price))
        game.emit(events.BidPlaced(player.ref, sym, price))

    def do_pass(self, game: Game, action: Action) -> None:
        auction = self._auction(game)
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        if auction.current is not None:
            self._withdraw(game, player)
            return
        game.emit(events.Passed(player.ref, self.kind))
        player.passed = True
        if all(p.passed for ref in game.round.entities if isinstance(p := game.entity(ref), Player)):
            self._all_passed(game)
        else:
            self._next(game)

    def _withdraw(self, game: Game, player: Player) -> None:
        auction = self._auction(game)
        assert auction.current is not None
        sym = auction.current
        auction.bids[sym] = [bid for bid in auction.bids[sym] if bid.player != player.id]
        game.emit(events.BidWithdrawn(player.ref, sym))
        self._cascade(game)

    def _all_passed(self, game: Game) -> None:
        """Everybody passed: the cheapest company gets cheaper, or pays if it is sold already (core 17)."""
        auction = self._auction(game)
        for ref in game.round.entities:
            player = game.entity(ref)
            if isinstance(player, Player):
                player.passed = False
        self._next(game)
        if auction.items[0] != auction.cheapest:
            self.pay_all(game)
            return
        company = game.company(auction.items[0])
        company.discount += game.title.auction.increment
        price = self.base_price(game, company.sym)
        game.emit(events.DiscountRaised(company.sym, price))
        if price <= 0:
            taker = game.current
            assert isinstance(taker, Player)
            self._sell(game, company.sym, taker, 0)
            self._cascade(game)
            self._next(game)

    def pay_all(self, game: Game) -> None:
        """Private companies pay once."""
        companies.pay_revenues(game)

    # --- sales --------------------------------------------------------------------------------------------------

    def _next(self, game: Game) -> None:
        game.round.index = (game.round.index + 1) % len(game.round.entities)

    def _sell(self, game: Game, sym: str, player: Player, price: int) -> None:
        auction = self._auction(game)
        company = game.company(sym)
        auction.items.remove(sym)
        auction.bids.pop(sym, None)
        spend(game, player, None, price)
        companies.acquire(game, company, player)
        game.emit(events.CompanyBought(player.ref, sym, price))
        grant_shares(game, company, player)
        game.title.after_company_auctioned(game, company, player)

    def _cascade(self, game: Game) -> None:
        """Sell every next company with one bid; several bids start an auction (core 17)."""
        auction = self._auction(game)
        auction.current = None
        while auction.items:
            sym = auction.items[0]
            bids = auction.bids.get(sym, [])
            if not bids:
                return
            if len(bids) > 1:
                auction.current = sym
                return
            self._sell(game, sym, game.player(bids[0].player), bids[0].price)
