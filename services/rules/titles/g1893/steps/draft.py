"""The starting cards: the draft, and the auction of what it leaves over (1893 2.2, 2.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....engine import events
from ....engine.actions import Action
from ....engine.actions import Bid as BidAction
from ....engine.state import Company, Player
from ....engine.steps.base import Entity, Move, Step, move, require
from .. import cards
from ..access import state_of, unsold_cards

if TYPE_CHECKING:
    from ....engine.game import Game

LEFT_OVER = 1
"""The draft ends when this many cards are unsold."""
PRICE_STEP = 10


def card_named(game: Game, sym: str | None) -> Company:
    """A card on offer; raises :class:`IllegalAction`."""
    card = next((c for c in cards.on_offer(game) if c.sym == sym), None)
    require(card is not None, "not_on_offer", f"{sym or 'Nothing'} is not on offer.", company=sym)
    assert card is not None
    return card


def check_purchase(game: Game, player: Player, card: Company, given: int, price: int) -> None:
    """Raise :class:`IllegalAction` unless the player pays exactly the price."""
    require(given == price, "wrong_price", f"{card.sym} costs {game.money(price)}.", price=price)
    require(
        player.cash >= price,
        "insufficient_funds",
        f"{player.name} has {game.money(player.cash)}; {card.sym} costs {game.money(price)}.",
        cash=player.cash,
        amount=price,
    )


def players_of(game: Game) -> list[Player]:
    """The players of the round in its order."""
    return [p for ref in game.round.entities if isinstance(p := game.entity(ref), Player)]


class DraftStep(Step):
    """One card at a time at its face value; who passes is out (1893 2.2)."""

    kind = "draft"
    description = "buy a starting card or pass"

    def is_active(self, game: Game) -> bool:
        return len(unsold_cards(game)) > LEFT_OVER and not self.all_passed(game)

    def all_passed(self, game: Game) -> bool:
        return len(state_of(game).draft_passers) == len(game.round.entities)

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("bid", "pass") if entity is game.current else ()

    def list_bid(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        for card in cards.on_offer(game):
            if card.value <= entity.cash:
                yield move(entity, "bid", company=card.sym, price=card.value)

    def do_bid(self, game: Game, action: BidAction) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        card = card_named(game, action.company)
        check_purchase(game, player, card, action.price, card.value)
        cards.buy(game, player, card, card.value)
        if self.is_active(game):
            self.next_seat(game)
        else:
            game.round.index = (game.round.index + 1) % len(game.round.entities)

    def do_pass(self, game: Game, action: Action) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        passers = state_of(game).draft_passers
        passers.append(player.id)
        game.emit(events.Passed(action.ref, self.kind))
        if self.all_passed(game):
            game.round.index = next(i for i, p in enumerate(players_of(game)) if p.id == passers[0])
        else:
            self.next_seat(game)

    def next_seat(self, game: Game) -> None:
        """The next player who has not passed."""
        players = players_of(game)
        current = game.round
        while True:
            current.index = (current.index + 1) % len(players)
            if players[current.index].id not in state_of(game).draft_passers:
                return


class ForcedAuctionStep(Step):
    """Nominate a leftover card; it is offered at falling prices until somebody buys it or must (1893 2.3)."""

    kind = "forced_auction"
    description = "choose or buy a starting card"

    def is_active(self, game: Game) -> bool:
        return bool(unsold_cards(game))

    def item(self, game: Game) -> Company | None:
        sym = state_of(game).item
        return None if sym is None else game.company(sym)

    def price(self, card: Company) -> int:
        return card.value - card.discount

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current:
            return ()
        return ("bid",) if self.item(game) is None else ("bid", "pass")

    def list_bid(self, game: Game, entity: Entity) -> Iterator[Move]:
        item = self.item(game)
        for card in cards.on_offer(game) if item is None else [item]:
            yield move(entity, "bid", company=card.sym, price=self.price(card))

    def do_bid(self, game: Game, action: BidAction) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        item = self.item(game)
        if item is None:
            self.nominate(game, player, card_named(game, action.company))
            return
        require(action.company == item.sym, "other_card", f"{item.sym} is on offer now.", company=item.sym)
        check_purchase(game, player, item, action.price, self.price(item))
        self.sell(game, player, item, action.price)

    def nominate(self, game: Game, player: Player, card: Company) -> None:
        """Choose the card to be offered; nothing is paid."""
        state = state_of(game)
        state.item = card.sym
        state.selector = player.ref
        state.bidders = list(state.player_order)
        game.emit(events.Chosen(player.ref, card.sym))
        self.advance(game, card)

    def do_pass(self, game: Game, action: Action) -> None:
        player = game.entity(action.ref)
        item = self.item(game)
        assert isinstance(player, Player)
        assert item is not None
        state = state_of(game)
        player.passed = True
        state.bidders = [other for other in state.bidders if other != player.id]
        game.emit(events.Passed(action.ref, self.kind))
        if not all(p.passed for p in players_of(game)) or self.lower(game, item):
            self.advance(game, item)

    def advance(self, game: Game, card: Company) -> None:
        """Ask the next player who can pay; the others pass. A price that falls on such a pass skips one seat."""
        players = players_of(game)
        while True:
            game.round.index = (game.round.index + 1) % len(players)
            player = players[game.round.index]
            if all(p.passed for p in players):
                if not self.lower(game, card):
                    return
            elif player.cash >= self.price(card):
                return
            else:
                player.passed = True

    def lower(self, game: Game, card: Company) -> bool:
        """Everybody passed: lower the price, or at its floor sell the card. Whether it is still on offer."""
        if self.price(card) <= card.value // 2:
            self.force(game, card)
            return False
        card.discount += PRICE_STEP
        game.emit(events.DiscountRaised(card.sym, self.price(card)))
        self.clear_passed(game)
        return True

    def clear_passed(self, game: Game) -> None:
        for player in players_of(game):
            player.passed = False

    def force(self, game: Game, card: Company) -> None:
        """Who nominated the card buys it, else the next who can pay; if nobody can, for all he has."""
        players = players_of(game)
        start = next(i for i, p in enumerate(players) if p.ref == state_of(game).selector)
        around = players[start:] + players[:start]
        price = self.price(card)
        buyer = next((p for p in around if p.cash >= price), None)
        if buyer is None:
            buyer, price = around[0], around[0].cash
        self.sell(game, buyer, card, price)

    def sell(self, game: Game, player: Player, card: Company, price: int) -> None:
        """Sell the card; the seat after its nominator nominates next."""
        state = state_of(game)
        cards.buy(game, player, card, price)
        self.clear_passed(game)
        selector = state.selector
        assert selector is not None
        state.item, state.selector, state.bidders = None, None, []
        game.round.index = (game.round.entities.index(selector) + 1) % len(game.round.entities)
