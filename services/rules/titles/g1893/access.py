"""The state and the title of a game of 1893, with their own types."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ...engine.state import Company, Corporation, Player
from .state import State1893

if TYPE_CHECKING:
    from ...engine.game import Game
    from .rules import Title1893

FDSD = "FdSD"
EVA = "EVA"
RAG = "RAG"
BOND_PREFIX = "AdSK-"
BOND = "bond"
"""How the sale of a bond is remembered during a stock round."""
BANK = "bank"


def state_of(game: Game) -> State1893:
    return cast("State1893", game.state)


def title_of(game: Game) -> Title1893:
    return cast("Title1893", game.title)


def is_bond(sym: str) -> bool:
    return sym.startswith(BOND_PREFIX)


def is_minor(corporation: Corporation) -> bool:
    return corporation.entity_type == "minor"


def in_bank(company: Company) -> bool:
    """Whether nobody has bought the card yet."""
    return not company.closed and company.owner == BANK


def unsold_cards(game: Game) -> list[Company]:
    """Starting cards that are still the bank's, in the order of the list."""
    return [c for c in game.state.companies.values() if in_bank(c) and not is_bond(c.sym)]


def owns(game: Game, player: Player, sym: str) -> bool:
    """Whether the player holds an open card."""
    return game.company(sym).owner == player.ref
