"""Parliament: charters are auctioned, the winner starts his corporation at once (1862 2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....engine import events, programs, shares, trading
from ....engine.actions import Action, BuyShares, Par
from ....engine.actions import Bid as BidAction
from ....engine.errors import IllegalAction
from ....engine.money import require_funds, spend
from ....engine.shares import Bundle
from ....engine.state import IPO, Bid, Corporation, Player
from ....engine.steps.base import Entity, Move, Step, move, require
from .. import charters
from ..state import CharterAuction, corporation_of, of

if TYPE_CHECKING:
    from ....engine.game import Game

INCREMENT = 5
FLOATS_AT = 50


def lowest_launch(game: Game) -> int:
    """Money a bidder must keep: a president certificate at the lowest par."""
    return charters.PRESIDENT_SHARES * charters.chartered_cells(game)[-1].price


def has_room(game: Game, player: Player) -> bool:
    """Whether the certificate limit leaves the player one more."""
    return shares.certificate_count(game, player) < game.state.cert_limit


def high_bid(auction: CharterAuction) -> Bid:
    return max(auction.bids, key=lambda bid: bid.price)


def next_bidder(auction: CharterAuction) -> int | str:
    """The bidder after the highest one, in the order of the table."""
    at = auction.bidders.index(high_bid(auction).player)
    return auction.bidders[(at + 1) % len(auction.bidders)]


class ParliamentStep(Step):
    """Open an auction or pass; raise or leave; par and buy up to half."""

    kind = "parliament"
    description = "bid for a charter or pass"
    programs = ("program_share_pass",)

    def active_entities(self, game: Game) -> list[Entity]:
        state = of(game)
        if state.launching is None and state.charter is not None:
            return [game.player(next_bidder(state.charter))]
        return super().active_entities(game)

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if not isinstance(entity, Player) or entity not in self.active_entities(game):
            return ()
        state = of(game)
        if state.launching is not None:
            return self.launch_actions(game, entity, game.corporation(state.launching))
        if state.charter is not None or self.may_open(game, entity):
            return ("bid", "pass")
        return ()

    def may_open(self, game: Game, player: Player) -> bool:
        if player.id in of(game).won or player.cash < lowest_launch(game) or not has_room(game, player):
            return False
        return bool(charters.offered(game))

    def launch_actions(self, game: Game, player: Player, corporation: Corporation) -> tuple[str, ...]:
        if not corporation.started:
            return ("par",)
        half = shares.percent(game, corporation, player.ref) >= FLOATS_AT
        if half or player.cash < shares.par_price(game, corporation):
            return ()
        return ("buy_shares", "pass")

    def finish(self, game: Game) -> None:
        """A player who did nothing has passed; who launched a corporation has not."""
        super().finish(game)
        of(game).launching = None
        player = game.current
        assert isinstance(player, Player)
        player.passed = not game.round.turn.actions

    # --- bids -------------------------------------------------------------------------------------------------------

    def low(self, game: Game) -> int:
        """Lowest legal bid."""
        auction = of(game).charter
        return 0 if auction is None else high_bid(auction).price + INCREMENT

    def list_bid(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        auction = of(game).charter
        low = self.low(game)
        high = (entity.cash - lowest_launch(game)) // INCREMENT * INCREMENT
        if high < low:
            return
        for sym in charters.may_be_started(game) if auction is None else [auction.corporation]:
            yield move(entity, "bid", corporation=sym, price={"min": low, "max": high, "step": INCREMENT})

    def do_bid(self, game: Game, action: BidAction) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        state = of(game)
        auction, sym = state.charter, action.corporation or ""
        if auction is None:
            offered = charters.may_be_started(game)
            require(sym in offered, "not_for_sale", f"{sym or 'Nothing'} is not offered a charter now.")
        else:
            require(sym == auction.corporation, "other_auction", f"The bidding is on {auction.corporation} now.")
        low, high = self.low(game), player.cash - lowest_launch(game)
        require(action.price >= low, "bid_too_low", f"The lowest bid on {sym} is {game.money(low)}.", min=low)
        require(action.price % INCREMENT == 0, "bid_step", f"Bids are multiples of {INCREMENT}.", step=INCREMENT)
        require(action.price <= high, "bid_too_high", f"{player.name} can bid at most {game.money(high)}.", max=high)
        if auction is None:
            seats = [p for ref in game.round.entities if isinstance(p := game.entity(ref), Player)]
            auction = state.charter = CharterAuction(sym, [], [p.id for p in seats])
        auction.bids = [bid for bid in auction.bids if bid.player != player.id]
        auction.bids.append(Bid(player.id, action.price))
        game.emit(events.BidPlaced(player.ref, sym, action.price))
        for other in list(auction.bidders):
            if other != player.id and not self.can_raise(game, game.player(other), action.price):
                self.leave(auction, other)
        self.settle(game, auction)

    def can_raise(self, game: Game, player: Player, price: int) -> bool:
        return player.cash >= price + INCREMENT + lowest_launch(game) and has_room(game, player)

    def leave(self, auction: CharterAuction, player: int | str) -> None:
        auction.bidders.remove(player)
        auction.bids = [bid for bid in auction.bids if bid.player != player]

    def do_pass(self, game: Game, action: Action) -> None:
        state = of(game)
        auction = state.charter
        if state.launching is not None or auction is None:
            super().do_pass(game, action)
            return
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        game.emit(events.BidWithdrawn(player.ref, auction.corporation))
        self.leave(auction, player.id)
        self.settle(game, auction)

    def settle(self, game: Game, auction: CharterAuction) -> None:
        """The last bidder pays and takes the turn to launch the corporation."""
        if len(auction.bidders) > 1:
            return
        state = of(game)
        bid = high_bid(auction)
        winner = game.player(bid.player)
        if winner.id not in state.won:
            state.won.append(winner.id)
        spend(game, winner, None, bid.price)
        company = game.company(auction.corporation)
        company.owner = winner.ref
        winner.companies.append(company.sym)
        corporation_of(game, company.sym).chartered = True
        state.charter = None
        state.launching = company.sym
        game.round.index = game.round.entities.index(winner.ref)
        game.emit(events.CompanyBought(winner.ref, company.sym, bid.price))

    # --- launching --------------------------------------------------------------------------------------------------

    def list_par(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        sym = of(game).launching
        for cell in charters.chartered_cells(game):
            if charters.PRESIDENT_SHARES * cell.price <= entity.cash:
                yield move(entity, "par", corporation=sym, share_price=cell.id)

    def do_par(self, game: Game, action: Par) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        sym = of(game).launching
        assert sym is not None
        require(action.corporation == sym, "wrong_corporation", f"{sym} has to be parred first.")
        corporation = corporation_of(game, sym)
        cell = next((c for c in charters.chartered_cells(game) if c.id == action.share_price), None)
        if cell is None:
            raise IllegalAction("not_a_par_cell", f"{action.share_price} is not a par price of chartered corporations.")
        bundle = trading.president_bundle(game, corporation)
        cost = shares.bundle_price(game, bundle, cell.price)
        require_funds(game, player, cost)
        shares.set_par(game, corporation, cell.cell, player.ref)
        corporation.base_par = cell.cell
        game.round.turn.actions.append("par")
        shares.buy(game, player, bundle, price=cost)

    def on_sale(self, game: Game) -> Iterator[Bundle]:
        """Ordinary certificates the winner may buy: those of his corporation (1862 2.2).

        In an imported game he may have bought others as well.
        """
        launching = game.corporation(of(game).launching or "")
        corporations = [launching] if game.live else [c for c in game.corporations if c.started]
        for corporation in corporations:
            sources = (IPO,) if game.live else game.title.share_sources(game, corporation)
            for source in sources:
                for index in shares.held(corporation, source):
                    if index != 0:
                        yield Bundle(corporation.sym, source, (index,), shares.unit(game, corporation))

    def list_buy_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        if not has_room(game, entity):
            return
        for bundle in self.on_sale(game):
            if shares.bundle_price(game, bundle) <= entity.cash:
                yield move(entity, "buy_shares", shares=bundle.shares, percent=bundle.percent)

    def do_buy_shares(self, game: Game, action: BuyShares) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        bundle = shares.parse_shares(game, action.shares, action.percent)
        require(
            bundle in self.on_sale(game),
            "wrong_share",
            f"One ordinary share of {of(game).launching} is bought at a time.",
        )
        require(has_room(game, player), "over_limit", f"{player.name} may not hold more certificates.")
        game.round.turn.actions.append("buy_shares")
        shares.buy(game, player, bundle)

    # --- standing orders --------------------------------------------------------------------------------------------

    def auto_actions(self, game: Game, entity: Entity) -> list[Move]:
        """A standing pass acts only while no auction is running."""
        if not isinstance(entity, Player) or of(game).charter is not None:
            return []
        if entity.program is None or entity.program.kind != "program_share_pass":
            return []
        return programs.stock_actions(game, self, entity)
