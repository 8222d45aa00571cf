"""Questions about certificates: par, limits, prices, floating, who may buy and sell (core 11, 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import companies, shares
from ..market import MarketCell
from ..money import Purse
from ..shares import Bundle
from ..state import IPO, POOL, Cell, Company, Corporation, Player, Ref
from .base import TitleBase

if TYPE_CHECKING:
    from ..game import Game


class ShareHooks(TitleBase):
    """Questions about certificates: par, limits, prices, floating, who may buy and sell (core 11, 12)."""

    @property
    def bank_can_break(self) -> bool:
        return self.data.facts.bank is not None

    def lowest_par(self, corporation: Corporation) -> int:
        return min(cell.price for cell in self.market.par_cells)

    def par_cells(self, game: Game, corporation: Corporation) -> list[MarketCell]:
        """Cells where a corporation may be parred, dearest first."""
        return self.market.par_cells

    def auction_par_cells(self, game: Game, corporation: Corporation) -> list[MarketCell]:
        """Cells for a corporation whose president certificate came with a private company."""
        return self.market.par_cells

    def after_company_auctioned(self, game: Game, company: Company, player: Player) -> None:
        """Hook when a company has been sold in the initial auction."""

    def after_company_traded(self, game: Game, company: Company, player: Player) -> None:
        """Hook when a player has bought a company from another.

        An imported game may have handed out the company's certificates again if the bank held them (core 16.5).
        """
        if game.live:
            return
        for _, data in companies.abilities(game, company, "shares"):
            for share in data.shares:
                sym, _, index = share.rpartition("_")
                corporation = game.corporation(sym)
                if shares.owner_of(corporation, int(index)) in (IPO, POOL):
                    shares.give(game, corporation, int(index), player.ref, company.sym)

    def can_par(self, game: Game, corporation: Corporation, player: Player) -> bool:
        """Whether the title lets a player start this corporation now (money and limits aside)."""
        return not corporation.started and corporation.in_play

    def always_market_price(self, corporation: Corporation) -> bool:
        return self.operating_data[corporation.sym].always_market_price

    def counted_companies(self, game: Game, player: Player) -> int:
        """Certificates the player's private companies count for."""
        return len(player.companies) if self.stock.privates_count else 0

    def max_ownership(self, game: Game, corporation: Corporation) -> int:
        return self.operating_data[corporation.sym].max_ownership

    def share_sources(self, game: Game, corporation: Corporation) -> tuple[Ref, ...]:
        """Where players buy certificates of a corporation."""
        return (IPO, POOL)

    def is_buyable(self, game: Game, corporation: Corporation, index: int, holder: Ref) -> bool:
        """Whether a certificate in the IPO or pool may be bought by players; the president's only by ``par``."""
        return index != 0

    def may_buy_again(self, game: Game, player: Player, corporation: Corporation) -> bool:
        """Whether a multiple-buy corporation may be bought once more in the turn (core 11.6)."""
        return True

    def may_dump(self, game: Game, bundle: Bundle) -> bool:
        """Whether the president certificate of a bundle may go (core 11.5, dump rule)."""
        return shares.can_dump(game, bundle)

    def bought_this_round(self, game: Game, player: Player) -> list[tuple[str, str]]:
        """(corporation, source) of the player's purchases in this stock round, where the title remembers them."""
        return []

    def can_be_led(self, game: Game, corporation: Corporation) -> bool:
        """Whether a corporation has a president yet; until then purchases make none."""
        return True

    def certificates_for_president(self, game: Game, corporation: Corporation, president: Ref) -> list[int]:
        """Certificates a new president hands over for the president certificate (his first ones)."""
        return [index for index in corporation.holdings[president] if index != 0]

    def sale_receiver(self, game: Game, corporation: Corporation, owner: Ref) -> Purse:
        """Who gets the money for a certificate bought from ``owner`` (core 11.2)."""
        if owner.startswith("player:"):
            entity = game.entity(owner)
            return entity if isinstance(entity, Player) else None
        if owner == IPO:
            return corporation if corporation.capitalization == "incremental" else None
        if owner == POOL:
            return None
        entity = game.entity(owner)
        return entity if isinstance(entity, Corporation) else None

    def can_float(self, game: Game, corporation: Corporation) -> bool:
        """Whether enough percent have left the IPO (core 11.3)."""
        data = self.operating_data[corporation.sym]
        return data.floatable and shares.percent(game, corporation, IPO) <= 100 - data.float_percent

    def capital_at_float(self, game: Game, corporation: Corporation) -> int:
        """Money the bank pays when a corporation floats; nothing before it has a price (core 11.3)."""
        if corporation.capitalization != "full" or corporation.par is None:
            return 0
        return self.market.at(corporation.par).price * (100 // self.units[corporation.sym])

    def after_float(self, game: Game, corporation: Corporation) -> None:
        """Hook when a corporation floats."""

    def after_par(self, game: Game, corporation: Corporation, player: Player) -> None:
        """Hook when a corporation has been parred."""
        companies.fire(game, "par", corporation)

    def next_cell(self, game: Game, corporation: Corporation, direction: str) -> Cell:
        """Where one step takes a marker."""
        assert corporation.price is not None
        cell: Cell = getattr(self.market, direction)(corporation.price)
        return cell

    def sale_drop(self, game: Game, corporation: Corporation, bundle: Bundle, was_president: bool) -> int:
        """Steps down for a sale (core 12.4)."""
        movement = self.stock.sell_movement
        if movement == "down_share":
            return -(-bundle.percent // self.units[corporation.sym])
        if movement == "down_block" or (movement == "down_block_pres" and was_president):
            return 1
        return 0

    def sold_out(self, game: Game, corporation: Corporation) -> bool:
        """Whether players hold everything (core 12.5)."""
        return sum(owned for _, owned in shares.player_holders(game, corporation)) == 100

    def move_sold_out(self, game: Game, corporation: Corporation) -> None:
        shares.move_price(game, corporation, "up")
