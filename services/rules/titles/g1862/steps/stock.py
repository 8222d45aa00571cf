"""The stock round of 1862: tokens of new corporations, forced sales, trading (1862 2.3, 2.4, 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....engine import events, programs, shares, trading
from ....engine.actions import BuyShares, Choose, Par, SellShares
from ....engine.errors import IllegalAction, MalformedAction
from ....engine.market import MarketCell
from ....engine.money import require_funds, spend
from ....engine.state import POOL, Player, Token
from ....engine.steps.base import Entity, Move, Step, move, require
from ....engine.steps.stock import BuySellParShares
from .. import charters
from ..state import corporation_of, of
from .parliament import has_room, lowest_launch

if TYPE_CHECKING:
    from ....engine.game import Game

FEWEST_TOKENS, MOST_TOKENS = 2, 7


class BuyTokens(Step):
    """The president of an unchartered corporation that has floated says how many tokens it buys (1862 2.3)."""

    kind = "buy_tokens"
    description = "choose how many tokens to buy"

    def is_active(self, game: Game) -> bool:
        return of(game).buy_tokens is not None

    def active_entities(self, game: Game) -> list[Entity]:
        sym = of(game).buy_tokens
        assert sym is not None
        player = game.title.acting_player(game, game.corporation(sym))
        return [player] if player is not None else []

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("choose",) if entity in self.active_entities(game) else ()

    def choices(self, game: Game) -> list[int]:
        sym = of(game).buy_tokens
        assert sym is not None
        cash = game.corporation(sym).cash
        return [n for n in range(FEWEST_TOKENS, MOST_TOKENS + 1) if n * charters.TOKEN_PRICE <= cash]

    def list_choose(self, game: Game, entity: Entity) -> Iterator[Move]:
        yield move(entity, "choose", choice={"choices": self.choices(game)})

    def do_choose(self, game: Game, action: Choose) -> None:
        sym = of(game).buy_tokens
        assert sym is not None
        number = action.choice
        if isinstance(number, str):
            if not number.isdecimal():
                raise MalformedAction("unknown_choice", f"{number!r} is not a number of tokens.")
            number = int(number)
        require(number in self.choices(game), "unknown_choice", f"{sym} cannot buy {number} tokens.")
        corporation = game.corporation(sym)
        spend(game, corporation, None, number * charters.TOKEN_PRICE)
        corporation.tokens = [Token(price=0) for _ in range(number)]
        of(game).buy_tokens = None
        game.emit(events.Chosen(action.ref, f"{sym}: {number}"))


class ForcedSales(Step):
    """Players with an unpaid fine sell until it is paid or they have nothing left (1862 2.4)."""

    kind = "forced_sale"
    description = "sell shares to pay the fine"

    def is_active(self, game: Game) -> bool:
        return bool(of(game).forced_sales)

    def active_entities(self, game: Game) -> list[Entity]:
        return [game.player(of(game).forced_sales[0].player)]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("sell_shares",) if entity in self.active_entities(game) else ()

    def list_sell_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        for bundle in charters.forced_bundles(game, entity):
            yield move(entity, "sell_shares", shares=bundle.shares, percent=bundle.percent)

    def do_sell_shares(self, game: Game, action: SellShares) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        bundle = shares.parse_shares(game, action.shares, action.percent)
        require(bundle.owner == player.ref, "not_owner", f"{bundle.shares[0]} does not belong to {player.name}.")
        refusal = trading.refusal_of_bundle(game, bundle)
        if refusal is not None:
            raise refusal
        charters.sell(game, player, bundle)
        game.round.sold.setdefault(player.ref, {})[bundle.corporation] = "now"
        self.pay(game, player)

    def pay(self, game: Game, player: Player) -> None:
        """What the sale brought goes to the bank; a debt nobody can sell for is forgiven."""
        debts = of(game).forced_sales
        paid = min(player.cash, debts[0].amount)
        spend(game, player, None, paid)
        debts[0].amount -= paid
        charters.forgive(game)


class Trade(BuySellParShares):
    """Sell, then buy one certificate or start an unchartered corporation (1862 2.3)."""

    def turn_actions(self, game: Game, player: Player) -> tuple[str, ...]:
        if of(game).lner != "formed" and trading.must_sell(game, player):
            return ("sell_shares",)
        offered = self.offered(game, player)
        return (*offered, "pass") if offered else ()

    def offered(self, game: Game, player: Player) -> list[str]:
        offered = []
        if any(True for _ in trading.buyable(game, player)) or self.pool_president_affordable(game, player):
            offered.append("buy_shares")
        if self.may_par(game, player):
            offered.append("par")
        if any(True for _ in trading.sellable(game, player)):
            offered.append("sell_shares")
        return offered

    def pool_president_affordable(self, game: Game, player: Player) -> bool:
        """A pool with a president certificate alone counts as on sale, though nobody can buy it (1862 2.3)."""
        if trading.has_bought(game) or not has_room(game, player):
            return False
        return any(
            corporation.holdings.get(POOL) == [0]
            and not trading.has_sold_corporation(game, player, corporation)
            and player.cash >= charters.PRESIDENT_SHARES * shares.share_price(game, corporation)
            for corporation in game.corporations
            if corporation.started
        )

    def may_par(self, game: Game, player: Player) -> bool:
        """Money and room, and something is not started, even if it cannot be yet (1862 2.3)."""
        if trading.has_bought(game) or player.cash < lowest_launch(game) or not has_room(game, player):
            return False
        return any(not corporation.started for corporation in game.corporations)

    def list_sell_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        for bundle in trading.sellable(game, entity):
            yield move(entity, "sell_shares", shares=bundle.shares, percent=bundle.percent)

    def do_sell_shares(self, game: Game, action: SellShares) -> None:
        player = self._player(game, action)
        bundle = shares.parse_shares(game, action.shares, action.percent)
        refusal = trading.refusal_to_sell(game, player, bundle)
        if refusal is not None:
            raise refusal
        charters.sell(game, player, bundle)
        game.round.sold.setdefault(player.ref, {})[bundle.corporation] = "now"
        self._acted(game, player, "sell_shares")
        programs.note(game, player, "sell", bundle.corporation)

    def do_buy_shares(self, game: Game, action: BuyShares) -> None:
        player = self._player(game, action)
        super().do_buy_shares(game, action)
        sym, source = game.round.turn.bought[-1]
        self.remember(game, player, sym, source)

    def remember(self, game: Game, player: Player, sym: str, source: str) -> None:
        """Certificates bought in this stock round cannot be sold in it."""
        of(game).bought.setdefault(player.ref, []).append((sym, source))

    # --- starting an unchartered corporation ------------------------------------------------------------------------

    def cells(self, game: Game, player: Player) -> list[MarketCell]:
        return [c for c in game.title.market.par_cells if charters.PRESIDENT_SHARES * c.price <= player.cash]

    def list_par(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        if not self.may_par(game, entity):
            return
        for sym in charters.may_be_started(game):
            if trading.has_sold_corporation(game, entity, game.corporation(sym)):
                continue
            for cell in self.cells(game, entity):
                yield move(entity, "par", corporation=sym, share_price=cell.id)

    def do_par(self, game: Game, action: Par) -> None:
        player = self._player(game, action)
        sym = action.corporation
        require(self.may_par(game, player), "cannot_par", f"{player.name} cannot start a corporation now.")
        require(sym in charters.may_be_started(game), "cannot_par", f"{sym} cannot be started now.")
        corporation = corporation_of(game, sym)
        if game.live and trading.has_sold_corporation(game, player, corporation):
            raise IllegalAction("sold_this_round", f"{player.name} has sold {sym} in this stock round.")
        cell = next((c for c in game.title.market.par_cells if c.id == action.share_price), None)
        if cell is None:
            raise IllegalAction("not_a_par_cell", f"{action.share_price} is not a par price of {sym}.")
        bundle = trading.president_bundle(game, corporation)
        cost = shares.bundle_price(game, bundle, cell.price)
        require_funds(game, player, cost)
        charters.found_unchartered(game, corporation)
        shares.set_par(game, corporation, cell.cell, player.ref)
        corporation.base_par = charters.base_par(game, cell.price)
        shares.buy(game, player, bundle, price=cost)
        self.remember(game, player, sym, "par")
        self._acted(game, player, "par")
        programs.note(game, player, "par", sym)
