"""The initial auction: one private company at a time, dearer ones later (1867 2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from ....engine import companies, events
from ....engine.actions import Action
from ....engine.actions import Bid as BidAction
from ....engine.errors import IllegalAction
from ....engine.game import Game
from ....engine.money import spend
from ....engine.state import Player
from ....engine.steps.base import Entity, Move, Step, move
from .. import bidding as bids
from ..access import state_of
from ..state import Bidding


class CompanyAuction(Step):
    """Bid on the company in front or pass."""

    kind = "auction"
    description = "bid or pass"

    def is_active(self, game: Game) -> bool:
        return state_of(game).bidding is not None

    def bidding(self, game: Game) -> Bidding:
        current = state_of(game).bidding
        assert current is not None
        return current

    def active_entities(self, game: Game) -> list[Entity]:
        return [bids.next_bidder(game, self.bidding(game))]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("bid", "pass") if entity in self.active_entities(game) else ()

    def price(self, game: Game, sym: str) -> int:
        """Lowest first bid on a company."""
        company = game.company(sym)
        return max(company.value - company.discount, 0)

    def min_bid(self, game: Game) -> int:
        current = self.bidding(game)
        best = bids.highest(current)
        return self.price(game, current.item) if best is None else best.price + bids.INCREMENT

    # --- the sale of one company --------------------------------------------------------------------------------

    def open_next(self, game: Game) -> None:
        """Put the next company up; companies nobody can pay get cheaper at once."""
        state = state_of(game)
        state.bidding = None
        if not state.items:
            return
        state.bidding = Bidding(state.items[0], self.participants(game, state.items[0]))
        if not state.bidding.bidders:
            self.reduce(game)

    def participants(self, game: Game, sym: str) -> list[int | str]:
        """Players who can pay the minimum, beginning with the round's current one."""
        entities, index = game.round.entities, game.round.index
        players = [game.entity(ref) for ref in (*entities[index:], *entities[:index])]
        low = self.price(game, sym)
        return [player.id for player in players if isinstance(player, Player) and player.cash >= low]

    def reduce(self, game: Game) -> None:
        """Nobody wants it: five cheaper; at nothing the first player gets it without being asked."""
        current = self.bidding(game)
        company = game.company(current.item)
        while True:
            company.discount += bids.INCREMENT
            price = self.price(game, company.sym)
            game.emit(events.DiscountRaised(company.sym, price))
            if not current.reduced and current.bidders:
                current.reduced, current.declined = True, []
            else:
                current.reduced, current.bidders = True, self.participants(game, company.sym)
            if price <= 0:
                self.sell(game, game.player(self.participants(game, company.sym)[0]), 0)
                return
            if current.bidders:
                return

    def sell(self, game: Game, player: Player, price: int) -> None:
        """Hand the company over; the player after the winner begins with the next one."""
        state = state_of(game)
        company = game.company(state.items.pop(0))
        spend(game, player, None, price)
        companies.acquire(game, company, player)
        game.emit(events.CompanyBought(player.ref, company.sym, price))
        game.round.index = (game.round.entities.index(player.ref) + 1) % len(game.round.entities)
        self.open_next(game)

    # --- moves --------------------------------------------------------------------------------------------------

    def list_bid(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        prices = bids.price_range(self.min_bid(game), entity)
        if prices is not None:
            yield move(entity, "bid", company=self.bidding(game).item, price=prices)

    def do_bid(self, game: Game, action: BidAction) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        current = self.bidding(game)
        if action.company != current.item:
            raise IllegalAction("other_auction", f"The bidding is on {current.item} now.", item=current.item)
        bids.check_price(game, player, self.min_bid(game), action.price)
        if current.reduced:
            self.sell(game, player, action.price)
            return
        bids.place(game, current, player, action.price)
        self.settle(game)

    def do_pass(self, game: Game, action: Action) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        current = self.bidding(game)
        if not current.bids and not current.reduced:
            game.emit(events.Passed(player.ref, self.kind))
            current.declined.append(player.id)
            if len(current.declined) == len(current.bidders):
                self.reduce(game)
            return
        bids.withdraw(game, current, player)
        if current.bidders:
            self.settle(game)
        else:
            self.reduce(game)

    def settle(self, game: Game) -> None:
        """The last one in has won."""
        won = bids.won_by(self.bidding(game))
        if won is not None:
            self.sell(game, game.player(won.player), won.price)
