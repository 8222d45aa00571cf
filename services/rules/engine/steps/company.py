"""Private companies in play: selling them to corporations, exchanging them for shares (core 16)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import companies, events, shares
from ..actions import BuyCompany, BuyShares
from ..data import AbilityData
from ..errors import IllegalAction
from ..money import spend
from ..shares import Bundle
from ..state import IPO, POOL, Company, Corporation, Player
from .base import Entity, Move, Step, move, require
from .track import usable_now

if TYPE_CHECKING:
    from ..game import Game


class BuyCompanyStep(Step):
    """A corporation buys companies at any moment of its turn."""

    kind = "buy_company"
    description = "buy a private company"
    blocks = False

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("buy_company",) if entity is game.current and self.can_buy(game, entity) else ()

    def can_buy(self, game: Game, entity: Entity) -> bool:
        """The phase allows it and the cheapest company on offer can be paid (core 16.2)."""
        if not isinstance(entity, Corporation) or entity.entity_type == "minor":
            return False
        if "can_buy_companies" not in game.phase.status:
            return False
        return any(companies.sale_bounds(game, c)[0] <= entity.cash for c in companies.purchasable(game))

    def list_buy_company(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        for company in companies.purchasable(game):
            low, high = companies.sale_bounds(game, company)
            high = min(high, entity.cash)
            if low <= high:
                yield move(entity, "buy_company", company=company.sym, price={"min": low, "max": high, "step": 1})

    def do_buy_company(self, game: Game, action: BuyCompany) -> None:
        corporation = game.entity(action.ref)
        assert isinstance(corporation, Corporation)
        company = game.state.companies.get(action.company)
        if company is None or company not in companies.purchasable(game):
            raise IllegalAction("not_for_sale", f"{action.company} is not for sale.", company=action.company)
        low, high = companies.sale_bounds(game, company)
        require(
            low <= action.price <= high,
            "wrong_price",
            f"{company.sym} costs {game.money(low)} to {game.money(high)}.",
            min=low,
            max=high,
        )
        seller = companies.owner_purse(game, company)
        seller_ref = company.owner or "bank"
        spend(game, corporation, seller, action.price)
        companies.acquire(game, company, corporation)
        companies.fire_sold(game, company)
        game.emit(events.CompanyBought(corporation.ref, company.sym, action.price, seller_ref))
        game.board_changed()


class BuyCompanyAtEnd(BuyCompanyStep):
    """The last step of the turn: waits while something can be bought, or a company's power is unused."""

    kind = "company"
    description = "buy a private company or pass"
    blocks = True

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current:
            return ()
        if self.can_buy(game, entity):
            return ("buy_company", "pass")
        return ("pass",) if isinstance(entity, Corporation) and self.has_power(game, entity) else ()

    def has_power(self, game: Game, operator: Corporation) -> bool:
        """Whether a company of the operator has a power usable at this moment (core 2.3)."""
        for sym in operator.companies:
            company = game.company(sym)
            for ability in company.abilities:
                data = companies.printed(game, company, ability)
                if data.when and companies.owner_kind_ok(company, data) and self.is_power(ability.kind, data):
                    return True
        return False

    def is_power(self, kind: str, data: AbilityData) -> bool:
        return kind in ("tile_lay", "token") and "owning_corp_or_turn" in data.when


class ExchangeStep(Step):
    """A company is given up for a certificate (core 16.5 ``exchange``)."""

    kind = "exchange"
    description = "exchange a company"
    blocks = False

    def movers(self, game: Game) -> list[Entity]:
        return [c for c in game.state.companies.values() if companies.has_ability(game, c, "exchange")]

    def ability(self, game: Game, company: Company) -> AbilityData | None:
        for _, data in companies.abilities(game, company, "exchange"):
            if companies.owner_kind_ok(company, data) and usable_now(game, data):
                return data
        return None

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if not isinstance(entity, Company):
            return ()
        return ("buy_shares",) if any(True for _ in self.gains(game, entity)) else ()

    def gains(self, game: Game, company: Company) -> Iterator[Bundle]:
        """Certificates the owner could get, each as a bundle."""
        data = self.ability(game, company)
        owner = companies.owner_purse(game, company)
        if data is None or not isinstance(owner, Player):
            return
        for sym in self.corporations(game, data):
            corporation = game.corporation(sym)
            sizes = game.title.sizes[sym]
            for source in self.sources(data):
                for index in shares.held(corporation, source):
                    bundle = Bundle(sym, source, (index,), sizes[index])
                    if index != 0 and shares.can_gain(game, owner, bundle, exchange=True):
                        yield bundle

    def corporations(self, game: Game, data: AbilityData) -> list[str]:
        return data.corporations

    def sources(self, data: AbilityData) -> list[str]:
        return [{"ipo": IPO, "market": POOL}[name] for name in data.sources]

    def list_buy_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Company)
        for bundle in self.gains(game, entity):
            yield move(entity, "buy_shares", shares=bundle.shares, percent=bundle.percent)

    def do_buy_shares(self, game: Game, action: BuyShares) -> None:
        company = game.entity(action.ref)
        assert isinstance(company, Company)
        bundle = shares.parse_shares(game, action.shares, action.percent)
        if bundle not in list(self.gains(game, company)):
            raise IllegalAction("cannot_exchange", f"{company.sym} cannot be exchanged for {bundle.shares[0]}.")
        owner = companies.owner_purse(game, company)
        assert isinstance(owner, Player)
        corporation = game.corporation(bundle.corporation)
        shares.give(game, corporation, bundle.indexes[0], owner.ref, company.sym)
        companies.close(game, company)
