"""1894: what differs from 1830 (section numbers are those of the 1894 rules)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...engine import companies, events, rng, shares
from ...engine.board.lays import LayResult
from ...engine.market import MarketCell
from ...engine.policies import AuctionRules, EndRules, StockRules, TileLay, TrackAllowance, TrainRules
from ...engine.rounds.auction import AuctionRound
from ...engine.rounds.base import RoundRules
from ...engine.rounds.operating import OperatingRound
from ...engine.rounds.stock import StockRound
from ...engine.state import IPO, POOL, Company, Corporation, Player, Ref
from ...engine.steps.auction import CompanyPendingPar, WaterfallAuction
from ...engine.steps.company import BuyCompanyAtEnd, BuyCompanyStep
from ...engine.steps.route import DividendStep, RouteStep
from ...engine.steps.train import BankruptStep, DiscardTrainStep, TrainStep
from ...engine.title import Title
from . import late, london, split
from .routes import LONDON, Routes, has_ferry
from .state import State1894, of
from .steps.ferry import Ferry
from .steps.redeem import NO_REDEEM, Redeem, redeemed
from .steps.stock import Stock
from .steps.token import CompanyToken, HomeToken1894, ReplaceTokens, Token1894, waiting_tokens
from .steps.track import CompanyTrack, Track1894
from .track import TrackRules1894, splits

if TYPE_CHECKING:
    from ...engine.game import Game

BELGE = "Belge"
NORD = "Nord"
NORD_SHARE = "NMinorS"
LRC = "LRC"
SAINT_QUENTIN = "G10"
SAINT_QUENTIN_LINE = "SQG"
STARTER_PAR = 100
"""Par price that only the corporations started in the auction may have (3.3)."""
LARGE_HOLDING = 80
"""Percent that president and corporation hold together for the second rise of a sold-out one (3.5)."""


class Operating1894(OperatingRound):
    """Two homes for some (4.1)."""

    def begin_turn(self, game: Game, operator: Corporation) -> None:
        split.place_home_tokens(game, operator)


class LastBuyCompany(BuyCompanyAtEnd):
    """Also waits while London shipping's token can be placed (2.5)."""

    def has_power(self, game: Game, operator: Corporation) -> bool:
        return london.may_use_shipping(game, operator)


class Title1894(Title):
    """1894: France and Belgium."""

    name = "1894"
    folder = Path(__file__).parent
    state_type = State1894

    stock = StockRules(
        no_limit_types=("unlimited",),
        no_holding_limit_types=("unlimited",),
        multiple_buy_types=("unlimited",),
        next_order="first_to_pass",
    )
    auction = AuctionRules(multiples_only=True)
    track = TrackAllowance(
        tile_lays=(TileLay(), TileLay(upgrade="not_if_upgraded", cannot_reuse_same_hex=True)),
    )
    train_rules = TrainRules(discarded="remove", trade_in_once=True)
    ending = EndRules(
        triggers=(
            ("bankrupt", "immediate"),
            ("stock_market", "immediate"),
            ("final_phase", "one_more_full_or_set"),
        )
    )

    def build_rounds(self) -> Sequence[RoundRules]:
        return (
            AuctionRound(CompanyPendingPar(), WaterfallAuction()),
            StockRound(Stock()),
            Operating1894(
                BankruptStep(),
                CompanyTrack(),
                CompanyToken(),
                BuyCompanyStep(),
                Ferry(),
                HomeToken1894(),
                Redeem(),
                Track1894(),
                Token1894(),
                RouteStep(),
                DividendStep(),
                DiscardTrainStep(),
                TrainStep(),
                LastBuyCompany(),
                ReplaceTokens(),
            ),
        )

    def build_track_rules(self) -> TrackRules1894:
        return TrackRules1894(self.map, self.data)

    def build_route_rules(self) -> Routes:
        return Routes(self.data)

    # --- set-up (2.1) -------------------------------------------------------------------------------------------

    def new_corporation(self, sym: str) -> Corporation:
        corporation = super().new_corporation(sym)
        corporation.in_play = sym not in late.LATE
        return corporation

    def setup(self, game: Game) -> None:
        """Draw the French leader and the company that is left out; hand out the free shares."""
        state = of(game)
        parameters = self.data.facts.parameters
        majors: dict[str, str] = parameters["french_majors"]
        state.rng, leaders = rng.shuffled(state.rng, list(majors))
        state.french_leader = leaders[0]
        for sym in leaders[1:]:
            companies.close(game, game.company(majors[sym]))
        state.rng, stations = rng.shuffled(state.rng, parameters["stations"])
        companies.close(game, game.company(stations[0]))
        starters = [game.corporation(leaders[0]), game.corporation(BELGE)]
        holders = [player.ref for player in state.players]
        holders += [POOL] * (self.data.facts.max_players - len(holders))
        for holder in holders:
            for corporation in starters:
                index = shares.held(corporation, IPO)[-1]
                shares.give(game, corporation, index, holder, "set-up", presidency=False)
        for corporation in starters:
            london.grant(corporation, NO_REDEEM)

    # --- shares -------------------------------------------------------------------------------------------------

    def after_company_auctioned(self, game: Game, company: Company, player: Player) -> None:
        """The minor shareholding of Nord is its last unsold share, without a presidency (2.2)."""
        if company.sym == NORD_SHARE:
            nord = game.corporation(NORD)
            index = shares.held(nord, IPO)[-1]
            shares.give(game, nord, index, player.ref, company.sym, presidency=False)

    def par_cells(self, game: Game, corporation: Corporation) -> list[MarketCell]:
        return [cell for cell in self.market.par_cells if cell.price < STARTER_PAR]

    def after_par(self, game: Game, corporation: Corporation, player: Player) -> None:
        super().after_par(game, corporation, player)
        if corporation.sym in late.LATE:
            of(game).choosing_home = corporation.sym

    def can_par(self, game: Game, corporation: Corporation, player: Player) -> bool:
        if not super().can_par(game, corporation, player):
            return False
        return corporation.sym not in late.LATE or bool(late.candidates(game, corporation.sym))

    def is_buyable(self, game: Game, corporation: Corporation, index: int, holder: Ref) -> bool:
        return index != 0 and not (holder == IPO and index in redeemed(game, corporation))

    def may_buy_again(self, game: Game, player: Player, corporation: Corporation) -> bool:
        """The president buys a second share of a gray corporation (3.2)."""
        return corporation.president == player.ref and len(game.round.turn.bought) < 2

    def sold_out(self, game: Game, corporation: Corporation) -> bool:
        """Redeemed shares count as sold (3.5)."""
        return not shares.held(corporation, POOL) and len(shares.held(corporation, IPO)) == len(
            redeemed(game, corporation)
        )

    def move_sold_out(self, game: Game, corporation: Corporation) -> None:
        """Up, once more from the gray zone, once more for a large holding (3.5)."""
        steps = 1
        if shares.cell_type(game, corporation) == "unlimited":
            steps += 1
        own = len(redeemed(game, corporation)) * self.units[corporation.sym]
        president = corporation.president
        if president is not None and shares.percent(game, corporation, president) + own >= LARGE_HOLDING:
            steps += 1
        shares.move_price(game, corporation, "up", steps)

    def own_dividend_sources(self, game: Game, corporation: Corporation) -> tuple[Ref, ...]:
        """Unsold and redeemed shares pay into the treasury, the pool's pay nobody (4.9)."""
        return (IPO,)

    # --- track, tokens, London ----------------------------------------------------------------------------------

    def track_held_open(self, game: Game, operator: Corporation) -> bool:
        """The extra tile of LRC keeps the track step open, even while it could still be bought (2.5)."""
        company = game.company(LRC)
        if company.closed or company.owner is None:
            return False
        if company.owner == operator.ref:
            return companies.has_ability(game, company, "tile_lay")
        if not company.owner.startswith("player:") or "can_buy_companies" not in game.phase.status:
            return False
        return companies.sale_bounds(game, company)[0] <= operator.cash

    def after_lay(self, game: Game, operator: Corporation, result: LayResult) -> None:
        if result.hex_id == SAINT_QUENTIN:
            self._change_income(game, result.new.color)
        if splits(result.old, result.new.tile):
            split.settle(game, operator, result.hex_id)

    def _change_income(self, game: Game, color: str) -> None:
        """SQG's income follows the tile of Saint-Quentin (5)."""
        incomes: dict[str, int] = self.data.facts.parameters["saint_quentin"]
        company = game.company(SAINT_QUENTIN_LINE)
        if color in incomes and not company.closed:
            company.revenue = incomes[color]
            game.emit(events.CompanyRevenueChanged(company.sym, company.revenue))

    def after_token(self, game: Game, corporation: Corporation, hex_id: str) -> None:
        split.settle_reservations(game, hex_id)

    def has_spare_token(self, game: Game, corporation: Corporation) -> bool:
        return bool(london.spare_tokens(game, corporation))

    def network_walls(self, game: Game, corporation: Corporation) -> frozenset[str]:
        """London stops everybody without a ferry marker (4.7)."""
        return frozenset() if has_ferry(corporation) else frozenset({LONDON})

    def route_available(self, game: Game, corporation: Corporation) -> bool:
        return corporation.sym in of(game).has_route or super().route_available(game, corporation)

    def route_for_purchase(self, game: Game, corporation: Corporation) -> bool:
        return corporation.sym in of(game).has_route or super().route_for_purchase(game, corporation)

    # --- the course of the game ---------------------------------------------------------------------------------

    def on_train_event(self, game: Game, event: str) -> None:
        if event == "late_corporations":
            for sym in late.LATE:
                game.corporation(sym).in_play = True
        elif event == "last_set_countdown":
            of(game).last_set_next = True
        else:
            super().on_train_event(game, event)

    def after_stock_round(self, game: Game) -> None:
        state = of(game)
        state.recent = [entry for entry in state.recent if entry[1].startswith("player:")]
        state.last_set = state.last_set_next

    def after_action(self, game: Game) -> None:
        """Remember who has a route (9.25)."""
        known = of(game).has_route
        operator = game.current
        if not isinstance(operator, Corporation) or operator.sym in known:
            return
        if game.network(operator).route_for_purchase:
            known.append(operator.sym)

    # --- description --------------------------------------------------------------------------------------------

    def visible_corporations(self, game: Game) -> list[Corporation]:
        return [corporation for corporation in super().visible_corporations(game) if corporation.in_play]

    def extra_keys(self, game: Game) -> dict[str, object]:
        state = of(game)
        keys: dict[str, object] = {
            "french_leader": state.french_leader,
            "last_set_next": state.last_set_next,
            "no_track_or_token": state.last_set,
            "choices": list(late.choices(game)) or None,
            "pending/replace_tokens": [f"{p.corporation}:{'|'.join(p.hexes)}" for p in waiting_tokens(game)] or None,
        }
        for corporation in self.visible_corporations(game):
            if len(corporation.home) > 1 and any(token.hex for token in corporation.tokens):
                keys[f"corp/{corporation.sym}/home"] = corporation.home[:1]
        for sym, indexes in state.redeemed.items():
            keys[f"corp/{sym}/reserved"] = len(indexes) * self.units[sym]
        return keys
