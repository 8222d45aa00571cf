"""The stock turn of 1893: cards and bonds of the bank, the EVA, the FdSD and the RAG (1893 section 3, 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....engine import companies, programs, shares, trading
from ....engine.actions import Action, Assign, BuyCompany, BuyShares, Par, SellCompany
from ....engine.errors import IllegalAction
from ....engine.market import MarketCell
from ....engine.money import require_funds, spend
from ....engine.shares import Bundle
from ....engine.state import IPO, POOL, Company, Corporation, Player
from ....engine.steps.base import Entity, Move, move, require
from ....engine.steps.stock import BuySellParShares
from .. import cards, fdsd
from ..access import BOND, FDSD, RAG, owns, state_of, title_of
from ..eva import eva_for_sale, pay_for_eva

if TYPE_CHECKING:
    from ....engine.game import Game


class StockTurn(BuySellParShares):
    """Sales, then one purchase, which may also be a card of the bank or the EVA of another player."""

    # --- what may be done ---------------------------------------------------------------------------------------

    def movers(self, game: Game) -> list[Entity]:
        movers: list[Entity] = [*self.active_entities(game)]
        company = game.company(FDSD)
        if any(company.owner == entity.ref for entity in movers):
            movers.append(company)
        return movers

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if isinstance(entity, Company):
            player = game.current
            usable = isinstance(player, Player) and entity.sym == FDSD and entity.owner == player.ref
            return ("buy_shares", "pass") if usable and self.may_exchange(game, player) else ()
        return super().actions(game, entity)

    def may_exchange(self, game: Game, player: Entity | None) -> bool:
        """Whether the FdSD can be given up for shares as the purchase of this turn (1893 3.1, 5)."""
        if not isinstance(player, Player) or self.is_out(game, player) or state_of(game).fdsd_par is not None:
            return False
        return fdsd.can_exchange(game, player)

    def is_out(self, game: Game, player: Player) -> bool:
        """Whether the player has passed in the first stock round, or in the draft before it (1893 2.4)."""
        return player.id in state_of(game).draft_passers

    def turn_actions(self, game: Game, player: Player) -> tuple[str, ...]:
        if self.is_out(game, player):
            return ()
        if state_of(game).fdsd_par is not None:
            return ("assign", "pass")
        from_bank = not trading.has_bought(game) and bool(cards.for_sale_in_turn(game, player))
        bonds = self.may_sell_bonds(game, player)
        exchange = self.may_exchange(game, player)
        if trading.must_sell(game, player):
            others = [kind for kind, possible in (("buy_company", from_bank), ("sell_company", bonds)) if possible]
            return ("sell_shares", *others, "pass") if others or exchange else ("sell_shares",)
        kinds = []
        if any(True for _ in self.buyable(game, player)):
            kinds.append("buy_shares")
        if self.parrable(game, player):
            kinds.append("par")
        if from_bank:
            kinds.append("buy_company")
        if any(True for _ in trading.sellable(game, player)):
            kinds.append("sell_shares")
        if not from_bank and kinds and self.eva(game, player) is not None:
            kinds.insert(len(kinds) - ("sell_shares" in kinds), "buy_company")
        if exchange and "buy_shares" not in kinds:
            kinds.insert(0, "buy_shares")
        if not kinds and not bonds:
            return ()
        tail = ["pass", "sell_company"] if kinds else ["sell_company", "pass"]
        return (*kinds, *(kind for kind in tail if bonds or kind != "sell_company"))

    # --- buying shares ------------------------------------------------------------------------------------------

    def refusal_to_buy(self, game: Game, player: Player, bundle: Bundle) -> IllegalAction | None:
        """Why a certificate cannot be bought; the owner of the FdSD may exceed every limit of the RAG (1893 5.1)."""
        refusal = trading.refusal_to_buy(game, player, bundle)
        lifted = ("sold_this_round", "over_limit")
        if refusal is None or refusal.code not in lifted or not fdsd.lifts_limits(game, player, bundle.corporation):
            return refusal
        price = shares.bundle_price(game, bundle)
        return None if price <= player.cash and not trading.has_bought(game) else refusal

    def buyable(self, game: Game, player: Player) -> Iterator[Bundle]:
        for corporation in game.corporations:
            if not corporation.started:
                continue
            for bundle in trading.offered_certificates(game, corporation):
                if self.refusal_to_buy(game, player, bundle) is None:
                    yield bundle

    def list_buy_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        if isinstance(entity, Company):
            yield from self.list_exchange(game, entity)
            return
        assert isinstance(entity, Player)
        for bundle in self.buyable(game, entity):
            for index in self.alike(game, bundle):
                sym = bundle.corporation
                yield move(entity, "buy_shares", shares=[f"{sym}_{index}"], percent=bundle.percent)

    def alike(self, game: Game, bundle: Bundle) -> list[int]:
        """Certificates of the same size in the same place, any of which may be named."""
        corporation = game.corporation(bundle.corporation)
        sizes = game.title.sizes[bundle.corporation]
        return [i for i in shares.held(corporation, bundle.owner) if sizes[i] == bundle.percent and i != 0]

    def do_buy_shares(self, game: Game, action: BuyShares) -> None:
        entity = game.entity(action.ref)
        if isinstance(entity, Company):
            self.do_exchange(game, entity, action)
            return
        player = self._player(game, action)
        bundle = shares.parse_shares(game, action.shares, action.percent)
        require(len(bundle.indexes) == 1, "one_certificate", "One certificate is bought at a time.")
        size = game.title.sizes[bundle.corporation][bundle.indexes[0]]
        require(bundle.percent == size, "partial_bundle", "Certificates are bought whole.")
        refusal = self.refusal_to_buy(game, player, bundle)
        if refusal is not None:
            raise refusal
        shares.buy(game, player, bundle)
        self.note_purchase(game, player, bundle)
        if state_of(game).fdsd_closing and owns(game, player, FDSD):
            fdsd.close(game)

    def note_purchase(self, game: Game, player: Player, bundle: Bundle) -> None:
        game.round.turn.bought.append((bundle.corporation, bundle.owner))
        self._acted(game, player, "buy_shares")
        programs.note(game, player, "buy", bundle.corporation)

    # --- the FdSD -----------------------------------------------------------------------------------------------

    def list_exchange(self, game: Game, company: Company) -> Iterator[Move]:
        player = companies.owner_purse(game, company)
        assert isinstance(player, Player)
        if not fdsd.fits_limit(game, player):
            return
        for index in shares.held(game.corporation(RAG), POOL):
            yield move(company, "buy_shares", shares=[f"{RAG}_{index}"], percent=game.title.sizes[RAG][index])

    def do_exchange(self, game: Game, company: Company, action: BuyShares) -> None:
        """The FdSD is given up for market shares of the RAG (1893 5.1)."""
        player = companies.owner_purse(game, company)
        assert isinstance(player, Player)
        bundle = shares.parse_shares(game, action.shares, action.percent)
        require(
            bundle.corporation == RAG and bundle.owner == POOL and len(bundle.indexes) == 1,
            "cannot_exchange",
            f"{company.sym} is exchanged for shares of {RAG} from the market.",
        )
        require(
            not game.live or fdsd.fits_limit(game, player),
            "over_limit",
            f"{player.name} holds too much of {RAG} already.",
        )
        self.note_purchase(game, player, fdsd.exchange(game, player, bundle))
        if not game.live:  # recorded games show the priority as if nobody had acted yet
            game.round.last_to_act = company.ref

    # --- par ----------------------------------------------------------------------------------------------------

    def parrable(self, game: Game, player: Player) -> list[Corporation]:
        """Corporations the player may start; with the FdSD the RAG in any case (1893 3.1, 3.4)."""
        possible = trading.parrable(game, player)
        rag = game.corporation(RAG)
        if owns(game, player, FDSD) and not rag.started and not trading.has_bought(game) and rag not in possible:
            possible.append(rag)
        return possible

    def list_par(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        for corporation in self.parrable(game, entity):
            free = corporation.sym == RAG and owns(game, entity, FDSD)
            bundle = trading.president_bundle(game, corporation)
            for cell in game.title.par_cells(game, corporation):
                if free or shares.bundle_price(game, bundle, cell.price) <= entity.cash:
                    yield move(entity, "par", corporation=corporation.sym, share_price=cell.id)

    def do_par(self, game: Game, action: Par) -> None:
        player = self._player(game, action)
        corporation = game.state.corporations.get(action.corporation)
        if corporation is None or corporation not in self.parrable(game, player):
            raise IllegalAction("cannot_par", f"{player.name} cannot start {action.corporation} now.")
        cells = {cell.id: cell for cell in game.title.par_cells(game, corporation)}
        cell = cells.get(action.share_price)
        if cell is None:
            raise IllegalAction("not_a_par_cell", f"{action.share_price} is not a par price of {corporation.sym}.")
        cost = shares.bundle_price(game, trading.president_bundle(game, corporation), cell.price)
        if corporation.sym == RAG and owns(game, player, FDSD):
            if player.cash >= cost:
                state_of(game).fdsd_par = cell.id
            else:
                self.start(game, player, corporation, cell, cost, with_fdsd=True)
            return
        require_funds(game, player, cost)
        self.start(game, player, corporation, cell, cost)

    def start(
        self,
        game: Game,
        player: Player,
        corporation: Corporation,
        cell: MarketCell,
        cost: int,
        *,
        with_fdsd: bool = False,
    ) -> None:
        """Par a corporation: its president certificate is bought, all other certificates go to the market."""
        if with_fdsd:
            fdsd.close(game)
            spend(game, None, player, cost)
        shares.set_par(game, corporation, cell.cell, player.ref)
        shares.buy(game, player, trading.president_bundle(game, corporation), price=cost)
        for index in list(shares.held(corporation, IPO)):
            shares.move_certificate(corporation, index, IPO, POOL)
        self._acted(game, player, "par")
        programs.note(game, player, "par", corporation.sym)
        game.title.after_par(game, corporation, player)

    def list_assign(self, game: Game, entity: Entity) -> Iterator[Move]:
        yield move(entity, "assign", target=FDSD, target_type="company")

    def do_assign(self, game: Game, action: Assign) -> None:
        """The FdSD pays for the RAG."""
        self.answer(game, action, with_fdsd=True)

    def answer(self, game: Game, action: Action, *, with_fdsd: bool) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        state = state_of(game)
        rag = game.corporation(RAG)
        cell = next(cell for cell in game.title.par_cells(game, rag) if cell.id == state.fdsd_par)
        state.fdsd_par = None
        cost = shares.bundle_price(game, trading.president_bundle(game, rag), cell.price)
        self.start(game, player, rag, cell, cost, with_fdsd=with_fdsd)

    def list_pass(self, game: Game, entity: Entity) -> Iterator[Move]:
        if isinstance(entity, Player):
            yield move(entity, "pass")

    def do_pass(self, game: Game, action: Action) -> None:
        entity = game.entity(action.ref)
        require(isinstance(entity, Player) or not game.live, "player_passes", "The player passes, not his company.")
        state = state_of(game)
        if state.fdsd_par is not None:
            self.answer(game, action, with_fdsd=False)
            return
        player = game.current
        assert isinstance(player, Player)
        if state.turn == 1:
            state.draft_passers.append(player.id)
        super().do_pass(game, action)

    def auto_actions(self, game: Game, entity: Entity) -> list[Move]:
        """Standing orders do not answer how the RAG is paid for."""
        return [] if state_of(game).fdsd_par is not None else super().auto_actions(game, entity)

    def finish(self, game: Game) -> None:
        player = game.current
        super().finish(game)
        if title_of(game).fdsd_closes_in_time and isinstance(player, Player):
            fdsd.close_in_time(game, player)

    # --- cards, the EVA and bonds -------------------------------------------------------------------------------

    def eva(self, game: Game, player: Player) -> Company | None:
        """The EVA, if another player owns it and this turn's purchase is open."""
        return None if trading.has_bought(game) else eva_for_sale(game, player)

    def list_buy_company(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        for card in cards.for_sale_in_turn(game, entity):
            yield move(entity, "buy_company", company=card.sym, price=card.value)
        eva = self.eva(game, entity)
        if eva is not None and entity.cash >= 1 and not trading.must_sell(game, entity):
            yield move(entity, "buy_company", company=eva.sym, price={"min": 1, "max": entity.cash, "step": 1})

    def do_buy_company(self, game: Game, action: BuyCompany) -> None:
        player = self._player(game, action)
        card = next((c for c in cards.for_sale_in_turn(game, player) if c.sym == action.company), None)
        eva = self.eva(game, player)
        if card is not None:
            face = card.value
            require(action.price == face, "wrong_price", f"{card.sym} costs {game.money(face)}.", price=face)
            cards.buy(game, player, card, action.price)
        elif eva is not None and action.company == eva.sym and not trading.must_sell(game, player):
            pay_for_eva(game, player, eva, action.price, to_owner=title_of(game).eva_pays_owner)
        else:
            raise IllegalAction("not_for_sale", f"{player.name} cannot buy {action.company} now.")
        self._acted(game, player, "buy_company")

    def may_sell_bonds(self, game: Game, player: Player) -> bool:
        """Bonds go back before the turn's purchase, and not in the first stock round (1893 3.5)."""
        return game.state.turn > 1 and not trading.has_bought(game) and bool(cards.bonds_of(game, player))

    def list_sell_company(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        for bond in cards.bonds_of(game, entity):
            yield move(entity, "sell_company", company=bond.sym, price=bond.value)

    def do_sell_company(self, game: Game, action: SellCompany) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        cards.sell_bond(game, player, cards.bond_named(game, player, action.company, action.price))
        game.round.sold.setdefault(player.ref, {})[BOND] = "now"
        self._acted(game, player, "sell_company")
