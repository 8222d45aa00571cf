"""The starting cards: which are on offer, and what happens when one is bought from the bank (1893 2.2, 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import companies, events, shares
from ...engine.errors import IllegalAction
from ...engine.money import spend
from .access import BANK, BOND, in_bank, is_bond, unsold_cards

if TYPE_CHECKING:
    from ...engine.game import Game
    from ...engine.state import Company, Player

LEAST_TREASURY = 100
MINORS_ON_OFFER = 2


def on_offer(game: Game) -> list[Company]:
    """Unsold private companies and the two unsold minors with the lowest numbers (1893 2.2)."""
    unsold = unsold_cards(game)
    minors = [card for card in unsold if card.sym in game.title.data.minors]
    return [card for card in unsold if card not in minors[MINORS_ON_OFFER:]]


def buy(game: Game, player: Player, card: Company, price: int) -> None:
    """Pay the bank for a card; a minor gets what was paid, at least 100, and starts to operate."""
    spend(game, player, None, price)
    companies.acquire(game, card, player)
    game.emit(events.CompanyBought(player.ref, card.sym, price))
    if card.sym not in game.title.data.minors:
        return
    minor = game.corporation(card.sym)
    minor.president = player.ref
    minor.floated = True
    capital = max(price, LEAST_TREASURY)
    spend(game, None, minor, capital)
    game.emit(events.CorporationFloated(minor.sym, capital))


def for_sale_in_turn(game: Game, player: Player) -> list[Company]:
    """Cards the bank sells a player in his stock turn: leftovers and the first free bond (1893 3.1, 3.3)."""
    if shares.certificate_count(game, player) >= game.state.cert_limit:
        return []
    cards = unsold_cards(game)
    if BOND not in game.round.sold.get(player.ref, {}):
        free = [c for c in game.state.companies.values() if is_bond(c.sym) and in_bank(c)]
        cards += free[:1]
    return [card for card in cards if card.value <= player.cash]


def bonds_of(game: Game, player: Player) -> list[Company]:
    return [game.company(sym) for sym in player.companies if is_bond(sym)]


def sell_bond(game: Game, player: Player, bond: Company) -> None:
    """The bank takes a bond back at its face value (1893 3.5)."""
    spend(game, None, player, bond.value)
    player.companies.remove(bond.sym)
    bond.owner = BANK
    game.emit(events.CompanySold(player.ref, bond.sym, bond.value))


def bond_named(game: Game, player: Player, sym: str, price: int) -> Company:
    """The player's bond that is sold; raises :class:`IllegalAction` for another card or price."""
    bond = next((b for b in bonds_of(game, player) if b.sym == sym), None)
    if bond is None:
        raise IllegalAction("not_for_sale", f"{player.name} cannot sell {sym} to the bank.")
    if price != bond.value:
        raise IllegalAction("wrong_price", f"The bank pays {game.money(bond.value)} for {sym}.", price=bond.value)
    return bond


def close(game: Game, sym: str) -> None:
    """A card leaves the game, whoever owns it."""
    companies.close(game, game.company(sym))
