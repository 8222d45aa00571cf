"""A player's stock turn: sell, buy, par, trade companies (core 11.6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import companies, events, programs, shares, trading
from ..actions import BuyCompany, BuyShares, Par, SellShares
from ..errors import IllegalAction
from ..money import require_funds, spend
from ..shares import Bundle
from ..state import Player
from .base import Entity, Move, Step, move, require

if TYPE_CHECKING:
    from ..game import Game


class BuySellParShares(Step):
    """The trading step of the stock round."""

    kind = "stock"
    description = "buy or sell shares"
    programs = ("program_share_pass", "program_buy_shares")

    def setup(self, game: Game) -> None:
        player = game.current
        if isinstance(player, Player):
            programs.forget(game, player)

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current or not isinstance(entity, Player):
            return ()
        return game.remember((self, entity.ref), lambda: self.turn_actions(game, entity))

    def turn_actions(self, game: Game, player: Player) -> tuple[str, ...]:
        """Action types of the player whose turn it is."""
        if trading.must_sell(game, player):
            return ("sell_shares",)
        offered = self.offered(game, player)
        return (*offered, "pass") if offered else ()

    def offered(self, game: Game, player: Player) -> list[str]:
        """Action types for which something is possible, in the order of core 11.6."""
        offered = []
        if any(True for _ in trading.buyable(game, player)):
            offered.append("buy_shares")
        if trading.parrable(game, player):
            offered.append("par")
        if trading.companies_on_offer(game, player):
            offered.append("buy_company")
        if any(True for _ in trading.sellable(game, player)):
            offered.append("sell_shares")
        return offered

    def finish(self, game: Game) -> None:
        """End of the turn: passing with nothing done counts as a pass (core 2.4)."""
        super().finish(game)
        player = game.current
        assert isinstance(player, Player)
        order = game.round.pass_order
        if game.round.turn.actions:
            player.passed = False
            if player.ref in order:
                order.remove(player.ref)
        else:
            player.passed = True
            if player.ref not in order:
                order.append(player.ref)

    def _acted(self, game: Game, player: Player, kind: str) -> None:
        game.round.turn.actions.append(kind)
        game.round.last_to_act = player.ref

    def _player(self, game: Game, action: BuyShares | SellShares | Par | BuyCompany) -> Player:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        return player

    # --- buying -------------------------------------------------------------------------------------------------

    def list_buy_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        for bundle in trading.buyable(game, entity):
            corporation = game.corporation(bundle.corporation)
            sizes = game.title.sizes[corporation.sym]
            for index in shares.held(corporation, bundle.owner):
                if sizes[index] == bundle.percent and game.title.is_buyable(game, corporation, index, bundle.owner):
                    yield move(entity, "buy_shares", shares=[f"{corporation.sym}_{index}"], percent=bundle.percent)

    def do_buy_shares(self, game: Game, action: BuyShares) -> None:
        player = self._player(game, action)
        bundle = shares.parse_shares(game, action.shares, action.percent)
        require(len(bundle.indexes) == 1, "one_certificate", "One certificate is bought at a time.")
        refusal = trading.refusal_to_buy(game, player, bundle)
        if refusal is not None:
            raise refusal
        shares.buy(game, player, bundle)
        game.round.turn.bought.append((bundle.corporation, bundle.owner))
        self._acted(game, player, "buy_shares")
        programs.note(game, player, "buy", bundle.corporation)

    # --- par ----------------------------------------------------------------------------------------------------

    def list_par(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        for corporation in trading.parrable(game, entity):
            bundle = trading.president_bundle(game, corporation)
            for cell in game.title.par_cells(game, corporation):
                if shares.bundle_price(game, bundle, cell.price) <= entity.cash:
                    yield move(entity, "par", corporation=corporation.sym, share_price=cell.id)

    def do_par(self, game: Game, action: Par) -> None:
        player = self._player(game, action)
        corporation = game.state.corporations.get(action.corporation)
        if corporation is None or corporation not in trading.parrable(game, player):
            raise IllegalAction("cannot_par", f"{player.name} cannot start {action.corporation} now.")
        cells = {cell.id: cell for cell in game.title.par_cells(game, corporation)}
        cell = cells.get(action.share_price)
        if cell is None:
            raise IllegalAction("not_a_par_cell", f"{action.share_price} is not a par price of {corporation.sym}.")
        bundle = trading.president_bundle(game, corporation)
        cost = shares.bundle_price(game, bundle, cell.price)
        require_funds(game, player, cost)
        shares.set_par(game, corporation, cell.cell, player.ref)
        shares.buy(game, player, bundle, price=cost)
        self._acted(game, player, "par")
        programs.note(game, player, "par", corporation.sym)
        game.title.after_par(game, corporation, player)

    # --- selling ------------------------------------------------------------------------------------------------

    def list_sell_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        forced = trading.must_sell(game, entity)
        for bundle in forced or trading.sellable(game, entity):
            yield move(entity, "sell_shares", shares=bundle.shares, percent=bundle.percent)

    def do_sell_shares(self, game: Game, action: SellShares) -> None:
        player = self._player(game, action)
        bundle = shares.parse_shares(game, action.shares, action.percent)
        self.check_sale(game, player, bundle)
        shares.sell(game, player, bundle)
        game.round.sold.setdefault(player.ref, {})[bundle.corporation] = "now"
        self._acted(game, player, "sell_shares")
        programs.note(game, player, "sell", bundle.corporation)

    def check_sale(self, game: Game, player: Player, bundle: Bundle) -> None:
        """Raise :class:`IllegalAction` if the bundle may not be sold now."""
        forced = {corporation.sym for corporation in shares.over_limit(game, player)}
        if forced and bundle.corporation not in forced and trading.must_sell(game, player):
            raise IllegalAction("over_limit", f"{player.name} must sell {' or '.join(sorted(forced))} first.")
        refusal = trading.refusal_to_sell(game, player, bundle)
        if refusal is not None:
            raise refusal

    # --- companies ----------------------------------------------------------------------------------------------

    def list_buy_company(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        for company in trading.companies_on_offer(game, entity):
            yield move(entity, "buy_company", company=company.sym, price={"min": 1, "max": entity.cash, "step": 1})

    def do_buy_company(self, game: Game, action: BuyCompany) -> None:
        player = self._player(game, action)
        company = game.state.companies.get(action.company)
        if company is None or company not in trading.companies_on_offer(game, player):
            raise IllegalAction("not_for_sale", f"{player.name} cannot buy {action.company} now.")
        require(action.price >= 1, "wrong_price", "A company costs at least 1.")
        seller = companies.owner_purse(game, company)
        spend(game, player, seller, action.price)
        seller_ref = company.owner or "bank"
        companies.acquire(game, company, player)
        game.title.after_company_traded(game, company, player)
        game.emit(events.CompanyBought(player.ref, company.sym, action.price, seller_ref))
        game.round.turn.actions.append("buy_company")

    def auto_actions(self, game: Game, entity: Entity) -> list[Move]:
        return programs.stock_actions(game, self, entity) if isinstance(entity, Player) else []
