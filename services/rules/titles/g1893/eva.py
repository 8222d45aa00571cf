"""The EVA, the only card players sell each other (1893 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import companies, events
from ...engine.money import spend
from ...engine.steps.base import require
from .access import EVA

if TYPE_CHECKING:
    from ...engine.game import Game
    from ...engine.state import Company, Player


def eva_for_sale(game: Game, buyer: Player) -> Company | None:
    """The EVA, if it belongs to another player."""
    eva = game.company(EVA)
    by_player = eva.owner is not None and eva.owner.startswith("player:")
    return eva if by_player and eva.owner != buyer.ref else None


def pay_for_eva(game: Game, buyer: Player, eva: Company, price: int, *, to_owner: bool) -> None:
    """Buy the EVA at any agreed price; raises :class:`IllegalAction` when the buyer is short."""
    require(price >= 1, "wrong_price", f"{eva.sym} costs at least {game.money(1)}.", min=1)
    seller = companies.owner_purse(game, eva)
    spend(game, buyer, seller if to_owner else None, price)
    former = eva.owner or ""
    companies.acquire(game, eva, buyer)
    game.emit(events.CompanyBought(buyer.ref, eva.sym, price, former))
