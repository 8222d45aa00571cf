"""Bidding for one item: private companies, then minors (1867 2.2, 3.4)."""

from __future__ import annotations

from ...engine import events
from ...engine.errors import IllegalAction
from ...engine.game import Game
from ...engine.state import Bid, Player
from .state import Bidding

INCREMENT = 5


def highest(bidding: Bidding) -> Bid | None:
    """The best bid, the first of equals."""
    return max(bidding.bids, key=lambda bid: bid.price, default=None)


def next_bidder(game: Game, bidding: Bidding) -> Player:
    """Who must bid or pass: the one after the best bidder, or the first who has not declined."""
    best = highest(bidding)
    if best is None:
        return game.player(next(p for p in bidding.bidders if p not in bidding.declined))
    index = bidding.bidders.index(best.player)
    return game.player(bidding.bidders[(index + 1) % len(bidding.bidders)])


def check_price(game: Game, player: Player, low: int, price: int) -> None:
    """Raise :class:`IllegalAction` unless a bid is high enough, in steps, and can be paid."""
    if price < low:
        raise IllegalAction("bid_too_low", f"The lowest bid is {game.money(low)}.", min=low)
    if (price - low) % INCREMENT:
        raise IllegalAction("bid_step", f"Bids rise in steps of {INCREMENT} from {game.money(low)}.", step=INCREMENT)
    if price > player.cash:
        raise IllegalAction(
            "bid_too_high", f"{player.name} can bid at most {game.money(player.cash)}.", max=player.cash
        )


def price_range(low: int, player: Player) -> dict[str, int] | None:
    """Template of the bids a player can make, None if there is none."""
    if player.cash < low:
        return None
    return {"min": low, "max": player.cash - (player.cash - low) % INCREMENT, "step": INCREMENT}


def place(game: Game, bidding: Bidding, player: Player, price: int) -> None:
    """A bid replaces the player's former one; who cannot raise it is out. Decliners are back in."""
    bidding.declined = []
    bidding.bids = [bid for bid in bidding.bids if bid.player != player.id]
    bidding.bids.append(Bid(player.id, price))
    game.emit(events.BidPlaced(player.ref, bidding.item, price))
    for other in list(bidding.bidders):
        if other != player.id and game.player(other).cash < price + INCREMENT:
            withdraw(game, bidding, game.player(other))


def withdraw(game: Game, bidding: Bidding, player: Player) -> None:
    """A player is out for this item."""
    bidding.bidders.remove(player.id)
    bidding.bids = [bid for bid in bidding.bids if bid.player != player.id]
    game.emit(events.BidWithdrawn(player.ref, bidding.item))


def won_by(bidding: Bidding) -> Bid | None:
    """The winning bid once nobody else is in."""
    best = highest(bidding)
    return best if best is not None and len(bidding.bidders) == 1 else None
