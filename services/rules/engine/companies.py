"""Private companies: revenue, abilities, sale and closing (core section 16)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import events
from .data import AbilityData
from .money import Purse, spend
from .state import Ability, Company, Corporation, Player

if TYPE_CHECKING:
    from .game import Game


def owner_purse(game: Game, company: Company) -> Purse:
    """Player or corporation owning a company; None for the bank."""
    if company.owner is None or company.owner == "bank":
        return None
    owner = game.entity(company.owner)
    return owner if isinstance(owner, Player | Corporation) else None


def printed(game: Game, company: Company, ability: Ability) -> AbilityData:
    """The printed text of a live ability, as data."""
    return game.title.data.companies[company.sym].abilities[ability.index]


def abilities(game: Game, company: Company, kind: str) -> Iterator[tuple[Ability, AbilityData]]:
    """Live abilities of a kind, whoever owns the company."""
    if company.closed:
        return
    for ability in company.abilities:
        if ability.kind == kind:
            yield ability, printed(game, company, ability)


def has_ability(game: Game, company: Company, kind: str) -> bool:
    return not company.closed and any(ability.kind == kind for ability in company.abilities)


def owner_kind_ok(company: Company, data: AbilityData) -> bool:
    """Whether the ability is in force for the present kind of owner (core 16.4, ``owner_type``)."""
    by_corporation = company.owner is not None and not company.owner.startswith("player:")
    if data.owner == "corporation":
        return by_corporation
    if data.owner == "player":
        return not by_corporation
    return True


def use(game: Game, company: Company, ability: Ability) -> None:
    """Count one use; a used-up ability is gone."""
    if ability.uses is None:
        return
    ability.uses -= 1
    if ability.uses <= 0:
        company.abilities.remove(ability)


def drop_ability(company: Company, ability: Ability) -> None:
    company.abilities.remove(ability)


def blockers(game: Game, hex_id: str) -> list[Company]:
    """Companies that keep a hex closed now (core 16.5 ``blocks_hexes``)."""
    result = []
    for sym in game.title.hex_blockers.get(hex_id, ()):
        company = game.state.companies[sym]
        if company.closed:
            continue
        for _, data in abilities(game, company, "blocks_hexes"):
            if hex_id in data.hexes and owner_kind_ok(company, data):
                result.append(company)
                break
    return result


def acquire(game: Game, company: Company, buyer: Player | Corporation) -> None:
    """A company changes hands."""
    previous = owner_purse(game, company)
    if previous is not None:
        previous.companies.remove(company.sym)
    company.owner = buyer.ref
    buyer.companies.append(company.sym)


def close(game: Game, company: Company) -> None:
    """Close a company: it leaves its owner and loses its abilities (core 16.3)."""
    if company.closed:
        return
    owner = owner_purse(game, company)
    if owner is not None:
        owner.companies.remove(company.sym)
    company.closed = True
    company.owner = None
    company.revenue = company.value = company.discount = 0
    company.abilities = []
    game.emit(events.CompanyClosed(company.sym))


def close_all(game: Game) -> None:
    """Event "companies close": all but those whose close ability names another moment (core 16.3)."""
    for company in game.state.companies.values():
        if not company.closed and game.title.closes_with_all(game, company):
            close(game, company)


def pay_revenues(game: Game) -> None:
    """Every owned company pays its owner: players' first in player order, then corporations' (core 16.1)."""
    owners: list[Player | Corporation] = [*game.players_in_order, *game.state.corporations.values()]
    for owner in owners:
        owned = [game.state.companies[sym] for sym in owner.companies]
        for company in sorted(owned, key=lambda c: (c.revenue, game.title.data.companies[c.sym].name)):
            if company.revenue > 0:
                spend(game, None, owner, company.revenue)
                game.emit(events.CompanyRevenuePaid(company.sym, owner.ref, company.revenue))


def fire(game: Game, occasion: str, corporation: Corporation) -> None:
    """Close abilities fired by a corporation: ``bought_train``, ``ran_train``, ``operated``, ``par`` (core 16.4)."""
    for company in list(game.state.companies.values()):
        for _, data in list(abilities(game, company, "close")):
            if occasion in data.when and data.corporation in (None, corporation.sym):
                close(game, company)
                break


def fire_sold(game: Game, company: Company) -> None:
    """Abilities triggered by the sale to a corporation."""
    for _, data in abilities(game, company, "revenue_change"):
        if "sold" in data.when:
            company.revenue = data.amount
            game.emit(events.CompanyRevenueChanged(company.sym, company.revenue))


def sale_bounds(game: Game, company: Company) -> tuple[int, int]:
    """Lowest and highest price of a sale to a corporation (core 16.2)."""
    data = game.title.data.companies[company.sym]
    low = data.min_price if data.min_price is not None else -(-company.value // 2)
    high = data.max_price if data.max_price is not None else company.value * 2
    return low, high


def purchasable(game: Game) -> list[Company]:
    """Companies a corporation may buy: owned by a player and for sale."""
    return [
        company
        for company in game.state.companies.values()
        if not company.closed
        and company.owner is not None
        and company.owner.startswith("player:")
        and not has_ability(game, company, "no_buy")
    ]
