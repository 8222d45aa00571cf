"""London: ferry markers, and the token of London shipping (1894 4.7, 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.state import Ability, Corporation
from .routes import FERRY, LONDON, LONDON_BONUS, has_ferry

if TYPE_CHECKING:
    from ...engine.game import Game

SHIPPING = "LS"
FERRY_NAME = "Ferry marker"
BONUS = "london_bonus"


def ferry_cost(game: Game, corporation: Corporation) -> int:
    """Price of a ferry marker; the owner of London shipping pays less."""
    costs: dict[str, int] = game.title.data.facts.parameters["ferry"]
    return costs["shipping_cost"] if SHIPPING in corporation.companies else costs["cost"]


def may_buy_ferry(game: Game, corporation: Corporation) -> bool:
    """A marker is left, the corporation has none, reaches London and can pay."""
    if has_ferry(corporation) or FERRY not in game.state.board[LONDON_BONUS].icons:
        return False
    if corporation.cash < ferry_cost(game, corporation):
        return False
    return LONDON in game.network(corporation).reachable_hexes


def grant(corporation: Corporation, kind: str) -> None:
    """Give a corporation a lasting power."""
    corporation.abilities.append(Ability(kind, -1))


def spare_tokens(game: Game, corporation: Corporation) -> list[int]:
    """Unused tokens that do not wait for a place of their own."""
    waiting = {pending.token for pending in game.round.pending_tokens if pending.corporation == corporation.sym}
    return [i for i, token in enumerate(corporation.tokens) if token.hex is None and i not in waiting]


def may_use_shipping(game: Game, corporation: Corporation) -> bool:
    """Whether London shipping can still give its owner a token beside London."""
    if SHIPPING not in corporation.companies or all(token.hex is not None for token in corporation.tokens):
        return False
    if not any(ability.kind == "token" for ability in game.company(SHIPPING).abilities):
        return False
    return not any(token.hex == LONDON_BONUS for token in corporation.tokens)
