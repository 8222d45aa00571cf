"""1893: Cologne: minors that merge by vote, bonds, no bank pool, a Rhine closed at first (1893)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import msgspec

from ...engine import ending
from ...engine.board import tokens
from ...engine.board.track_rules import TrackRules
from ...engine.data import Data, TitleData
from ...engine.market import MarketCell
from ...engine.policies import StockRules, TrainRules
from ...engine.rounds.base import RoundRules
from ...engine.rounds.operating import OperatingRound
from ...engine.rounds.stock import StockRound
from ...engine.shares import Bundle, can_dump, held, percent, share_price
from ...engine.state import IPO, POOL, Company, Corporation, GameState, Player, Ref
from ...engine.steps.route import RouteStep
from ...engine.steps.token import HomeToken, TokenStep
from ...engine.steps.track import Track
from ...engine.steps.train import BankruptStep, DiscardTrainStep
from ...engine.title import Title
from . import cards, mergers
from .access import BANK, EVA, FDSD, is_minor, state_of, unsold_cards
from .description import advertised, extra_keys
from .options import with_options
from .rounds import DraftRound, ForcedAuctionRound, MergerRound
from .state import State1893
from .steps.draft import DraftStep, ForcedAuctionStep
from .steps.merger import MergedDiscard, MergerVote
from .steps.operating import BondSale, EvaSale, MinorDividend, TrainPurchase
from .steps.stock import StockTurn
from .track import CLOSED, TrackRules1893

if TYPE_CHECKING:
    from ...engine.game import Game
    from ...engine.steps.base import Entity

RHINE_CLOSED = "rhine_closed"
NEUTRAL_TOKEN = "N"
"""Belongs to nobody. It keeps its hex, which has one exit and so is never passed, free of other tokens."""
FREE_PAR = "par"
"""Type of the cells where players start corporations; the others are for AGV and HGK."""


class Parameters(Data, frozen=True):
    """Facts of 1893 that have no place in the common schema (``title.toml``)."""

    merger_grant: int
    home_token: dict[str, str]
    neutral_token: str
    closed_hexes: list[str]
    river_edges: dict[str, int]
    town_to_city: dict[str, list[str]]
    mergers: dict[str, mergers.MergerFacts]


class Title1893(Title):
    """1893: Cologne."""

    name = "1893"
    folder = Path(__file__).parent
    state_type: ClassVar[type[GameState]] = State1893

    stock = StockRules(sell_buy_order="sell_buy", sell_after="operate", sell_movement="down_block")
    train_rules = TrainRules(trade_in_once=True)

    def adapt(self, data: TitleData) -> TitleData:
        self.parameters = msgspec.convert(data.facts.parameters, Parameters)
        self.eva_pays_owner = "eva_pays_owner" in self.options
        self.fdsd_closes_in_time = "fdsd_closes_in_time" in self.options
        self.minors_must_buy = "minors_must_buy" in self.options
        return with_options(data, self.folder, self.options)

    def build_track_rules(self) -> TrackRules:
        closed = [i for i, phase in enumerate(self.data.phases) if RHINE_CLOSED in phase.status]
        return TrackRules1893(self.map, self.parameters.river_edges, closed, self.parameters.town_to_city)

    def build_rounds(self) -> Sequence[RoundRules]:
        return (
            DraftRound(DraftStep()),
            ForcedAuctionRound(ForcedAuctionStep()),
            StockRound(DiscardTrainStep(), StockTurn()),
            MergerRound(MergedDiscard(), MergerVote()),
            OperatingRound(
                BankruptStep(),
                DiscardTrainStep(),
                HomeToken(),
                EvaSale(),
                BondSale(),
                Track(),
                TokenStep(),
                RouteStep(),
                MinorDividend(),
                TrainPurchase(),
            ),
        )

    # --- set-up -------------------------------------------------------------------------------------------------

    def new_company(self, sym: str) -> Company:
        company = super().new_company(sym)
        company.owner = BANK
        return company

    def setup(self, game: Game) -> None:
        """Minors and the HGK stand on the map before anybody owns them; a neutral token fills H5 (1893 1.5)."""
        state = game.state
        for sym, minor in self.data.minors.items():
            tokens.place(self.map, state, sym, 0, minor.home[0], minor.home_city or 0, 0)
        for sym, hex_id in self.parameters.home_token.items():
            tokens.place(self.map, state, sym, 0, hex_id, 0, 0)
        self.map.hex_state(state, self.parameters.neutral_token).cities[0].slots[0] = NEUTRAL_TOKEN

    # --- rounds (1893 2.1) --------------------------------------------------------------------------------------

    def first_round(self, game: Game) -> None:
        game.start_round("draft", 1)

    def next_round(self, game: Game) -> None:
        finished = game.round
        state = state_of(game)
        if finished.kind == "draft":
            all_passed = len(state.draft_passers) == len(state.players)
            game.reorder_players()
            if all_passed and len(unsold_cards(game)) > 1:
                self.start_operating(game, 1)
            else:
                game.start_round("stock", 1)
        elif finished.kind == "forced_auction":
            game.start_round("stock", 1)
        elif finished.kind == "stock":
            game.reorder_players()
            self.prepare_operating(game, 1)
        elif finished.kind == "operating":
            self.prepare_operating(game, finished.number + 1)
        else:
            state.vote = None
            self.start_operating(game, state.next_operating)

    def prepare_operating(self, game: Game, number: int) -> None:
        """A merger round comes before every operating round and after the last one until the HGK is founded."""
        if mergers.all_founded(game):
            self.start_operating(game, number)
            return
        state_of(game).next_operating = number
        game.start_round("merger", 1)

    def start_operating(self, game: Game, number: int) -> None:
        """The operating round of this number, or what follows the set."""
        state = state_of(game)
        if number <= state.operating_rounds:
            state.draft_passers = []
            game.start_round("operating", number)
            return
        if ending.next_turn(game):
            game.start_round("forced_auction" if unsold_cards(game) else "stock", 1)

    # --- shares -------------------------------------------------------------------------------------------------

    def par_cells(self, game: Game, corporation: Corporation) -> list[MarketCell]:
        return [cell for cell in self.market.par_cells if cell.type == FREE_PAR]

    def can_par(self, game: Game, corporation: Corporation, player: Player) -> bool:
        return corporation.sym not in self.parameters.mergers and super().can_par(game, corporation, player)

    def share_sources(self, game: Game, corporation: Corporation) -> tuple[Ref, ...]:
        """There is no initial offering: what is not sold lies in the market (1893 3.2)."""
        return (POOL,)

    def can_be_led(self, game: Game, corporation: Corporation) -> bool:
        """AGV and HGK have no president before they are founded."""
        return corporation.sym not in self.parameters.mergers or corporation.floated

    def certificates_for_president(self, game: Game, corporation: Corporation, president: Ref) -> list[int]:
        """The double certificate alone if its holder has at most two, else the first two single ones (1893 3.5)."""
        sizes = self.sizes[corporation.sym]
        own = [index for index in held(corporation, president) if index != 0]
        doubles = [index for index in own if sizes[index] == sizes[0]]
        if doubles and len(own) <= 2:
            return doubles
        return [index for index in own if sizes[index] < sizes[0]]

    def may_dump(self, game: Game, bundle: Bundle) -> bool:
        """A part of a president certificate can only be sold if a single certificate can be handed back."""
        if not can_dump(game, bundle):
            return False
        corporation = game.corporation(bundle.corporation)
        sizes = self.sizes[corporation.sym]
        if bundle.percent == sum(sizes[index] for index in bundle.indexes):
            return True
        sold = [*held(corporation, POOL), *(index for index in bundle.indexes if index != 0)]
        if any(sizes[index] < sizes[0] for index in sold):
            return True
        left = percent(game, corporation, bundle.owner) - bundle.percent
        return all(
            sizes[self.certificates_for_president(game, corporation, p.ref)[0]] < sizes[0]
            for p in self.successors(game, corporation, bundle.owner, left)
        )

    def successors(self, game: Game, corporation: Corporation, owner: Ref, left: int) -> list[Player]:
        """Largest other holders, one of whom presides when the owner keeps ``left`` percent."""
        others = {p.id: percent(game, corporation, p.ref) for p in game.state.players if p.ref != owner}
        most = max(others.values(), default=0)
        return [game.player(i) for i, owned in others.items() if owned == most and owned > left]

    def can_float(self, game: Game, corporation: Corporation) -> bool:
        """At most half is left in the market (1893 1); AGV and HGK are founded instead."""
        data = self.operating_data[corporation.sym]
        unsold = percent(game, corporation, IPO) + percent(game, corporation, POOL)
        return data.floatable and unsold <= 100 - data.float_percent

    def capital_at_float(self, game: Game, corporation: Corporation) -> int:
        return share_price(game, corporation) * (100 // self.units[corporation.sym])

    def own_dividend_sources(self, game: Game, corporation: Corporation) -> tuple[Ref, ...]:
        """Shares in the market pay nobody (1893 4.5)."""
        return ()

    # --- trains and events --------------------------------------------------------------------------------------

    def route_for_purchase(self, game: Game, corporation: Corporation) -> bool:
        """Minors need no train (1893 4.7)."""
        return not is_minor(corporation) and super().route_for_purchase(game, corporation)

    def other_liquidity(self, game: Game, player: Player) -> int:
        """Bonds can be turned into money (1893 4.7)."""
        return sum(bond.value for bond in cards.bonds_of(game, player))

    def on_train_event(self, game: Game, event: str) -> None:
        """Events of the first train of a rank (1893 1.3)."""
        state = state_of(game)
        subject, _, kind = event.partition("_")
        if event == "blocked_hexes_open":
            for hex_id in self.parameters.closed_hexes:
                on_hex = self.map.hex_state(state, hex_id)
                on_hex.icons = [icon for icon in on_hex.icons if icon != CLOSED]
        elif kind == "opens":
            mergers.put_on_sale(game, subject.upper())
        elif kind == "forced":
            mergers.force(game, subject.upper())
        elif event == "fdsd_deadline":
            state.fdsd_closing = not game.company(FDSD).closed
        elif event == "eva_closes":
            cards.close(game, EVA)

    # --- description --------------------------------------------------------------------------------------------

    def operating_order(self, game: Game) -> list[Corporation]:
        """Minors by number, then corporations by price."""
        minors = [c for c in game.operators_in_order if is_minor(c) and c.floated]
        return [*minors, *super().operating_order(game)]

    def advertised(self, game: Game, entity: Entity, kinds: list[str]) -> list[str]:
        return advertised(game, entity, kinds)

    def extra_keys(self, game: Game) -> dict[str, object]:
        return extra_keys(game)
