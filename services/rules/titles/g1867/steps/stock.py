"""A player's stock turn: trade, par a major, or put a minor up for bid (1867 3)."""

from __future__ import annotations

from collections.abc import Iterator

from ....engine import programs, shares, trading
from ....engine.actions import Action, Par
from ....engine.actions import Bid as BidAction
from ....engine.errors import IllegalAction
from ....engine.game import Game
from ....engine.money import spend
from ....engine.state import Corporation, Player
from ....engine.steps.base import Entity, Move, move
from ....engine.steps.stock import BuySellParShares
from ....engine.steps.token import HomeToken
from .. import bidding as bids
from ..access import state_of, title_of
from ..state import Bidding

MINIMUM = 100
HIGHEST_START = 135


class StarterHomeToken(HomeToken):
    """The home of a new minor or major: its player is asked, the token's owner acts (1867 2.4)."""

    def is_blocking(self, game: Game) -> bool:
        return self.is_active(game)

    def active_entities(self, game: Game) -> list[Entity]:
        current = game.current
        return [current] if current is not None else []

    def owner(self, game: Game) -> Corporation:
        return game.corporation(game.round.pending_tokens[0].corporation)

    def movers(self, game: Game) -> list[Entity]:
        return [self.owner(game)]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("place_token",) if entity is self.owner(game) else ()


class TradeOrBid(BuySellParShares):
    """The trading step, with the auction of a minor inside a turn."""

    description = "buy, sell, bid or pass"

    def active_entities(self, game: Game) -> list[Entity]:
        bidding = state_of(game).bidding
        if bidding is not None:
            return [bids.next_bidder(game, bidding)]
        return super().active_entities(game)

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if state_of(game).bidding is not None:
            return ("bid", "pass") if entity in self.active_entities(game) else ()
        actions = super().actions(game, entity)
        if actions == ("sell_shares",) or entity is not game.current or not isinstance(entity, Player):
            return actions
        if self.can_open(game, entity):
            actions = (*actions, "bid")
            if "pass" not in actions:
                actions = (*actions, "pass")
        return actions

    # --- minors -------------------------------------------------------------------------------------------------

    def can_open(self, game: Game, player: Player) -> bool:
        """Whether the player may put a minor up: money, a minor and room under the certificate limit (1867 3.1)."""
        if trading.has_bought(game) or player.cash < MINIMUM:
            return False
        return self.below_limit(game, player) and any(self.unstarted(game))

    def below_limit(self, game: Game, player: Player) -> bool:
        return shares.certificate_count(game, player) < game.state.cert_limit

    def unstarted(self, game: Game) -> Iterator[Corporation]:
        """Minors nobody has started."""
        return (c for c in game.corporations if c.kind == "minor" and not c.started)

    def min_bid(self, game: Game) -> int:
        bidding = state_of(game).bidding
        best = None if bidding is None else bids.highest(bidding)
        return MINIMUM if best is None else best.price + bids.INCREMENT

    def list_bid(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        bidding = state_of(game).bidding
        prices = bids.price_range(self.min_bid(game), entity)
        if prices is None:
            return
        if bidding is not None:
            yield move(entity, "bid", corporation=bidding.item, price=prices)
            return
        for minor in self.unstarted(game):
            if title_of(game).minor_refusal(game, minor) is None:
                yield move(entity, "bid", corporation=minor.sym, price=prices)

    def do_bid(self, game: Game, action: BidAction) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        programs.note(game, player, "bid", action.corporation or "")
        bidding = state_of(game).bidding
        if bidding is None:
            self.open(game, player, action)
            return
        if action.corporation != bidding.item:
            raise IllegalAction("other_auction", f"The bidding is on {bidding.item} now.", item=bidding.item)
        bids.check_price(game, player, self.min_bid(game), action.price)
        bids.place(game, bidding, player, action.price)
        self.settle(game, bidding)

    def open(self, game: Game, player: Player, action: BidAction) -> None:
        """Put a minor up with a first bid; its home token is placed before anybody else bids."""
        minor = game.state.corporations.get(action.corporation or "")
        if minor is None or minor not in list(self.unstarted(game)):
            raise IllegalAction(
                "not_for_sale", f"{action.corporation or 'Nothing'} is not a minor that can be started."
            )
        refusal = title_of(game).minor_refusal(game, minor)
        if refusal is not None:
            raise refusal
        bids.check_price(game, player, MINIMUM, action.price)
        players = [p for ref in game.round.entities if isinstance(p := game.entity(ref), Player)]
        least = action.price + bids.INCREMENT
        able = [p.id for p in players if p is player or (p.cash >= least and self.below_limit(game, p))]
        bidding = state_of(game).bidding = Bidding(minor.sym, able)
        bids.place(game, bidding, player, action.price)
        title_of(game).place_home(game, minor)
        self.settle(game, bidding)

    def settle(self, game: Game, bidding: Bidding) -> None:
        """The last one in has won: he starts the minor, and the turn goes to the player after him (1867 3.4)."""
        won = bids.won_by(bidding)
        if won is None:
            return
        state_of(game).bidding = None
        winner = game.player(won.player)
        minor = game.corporation(bidding.item)
        top = min(won.price // 2, HIGHEST_START)
        cell = next(cell for cell in title_of(game).par_cells(game, minor) if cell.price <= top)
        shares.set_par(game, minor, cell.cell, winner.ref)
        spend(game, winner, minor, won.price)
        shares.give(game, minor, 0, winner.ref, "auction")
        game.round.index = game.round.entities.index(winner.ref)
        self._acted(game, winner, "par")
        programs.note(game, winner, "par", minor.sym)
        self.finish(game)

    def do_pass(self, game: Game, action: Action) -> None:
        bidding = state_of(game).bidding
        if bidding is None:
            super().do_pass(game, action)
            return
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        bids.withdraw(game, bidding, player)
        self.settle(game, bidding)

    def auto_actions(self, game: Game, entity: Entity) -> list[Move]:
        """Standing orders do not bid."""
        return [] if state_of(game).bidding is not None else super().auto_actions(game, entity)

    # --- majors -------------------------------------------------------------------------------------------------

    def list_par(self, game: Game, entity: Entity) -> Iterator[Move]:
        homes: dict[str, bool] = {}
        for item in super().list_par(game, entity):
            sym = item["corporation"]
            if sym not in homes:
                homes[sym] = bool(title_of(game).home_hexes(game, game.corporation(sym)))
            if homes[sym]:
                yield item

    def do_par(self, game: Game, action: Par) -> None:
        corporation = game.state.corporations.get(action.corporation)
        major = corporation if corporation is not None and corporation.kind == "major" else None
        if major is not None and not title_of(game).home_hexes(game, major):
            raise IllegalAction("no_home", f"There is no city where {major.sym} could start.")
        super().do_par(game, action)
