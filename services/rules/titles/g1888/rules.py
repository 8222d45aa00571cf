"""1888-N: 1830 in the north of China, with exported trains, destinations and a Great Wall (1888)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from ...engine.board.track_rules import TrackRules
from ...engine.data import CompanyData, TitleData
from ...engine.errors import MalformedAction
from ...engine.game import Game
from ...engine.policies import StockRules, TrainRules
from ...engine.rounds.auction import AuctionRound
from ...engine.rounds.base import RoundRules
from ...engine.rounds.operating import OperatingRound
from ...engine.rounds.stock import StockRound
from ...engine.routes.rules import RouteRules
from ...engine.steps.company import BuyCompanyAtEnd, BuyCompanyStep
from ...engine.steps.route import DividendStep, RouteStep
from ...engine.steps.stock import BuySellParShares
from ...engine.steps.token import TokenStep
from ...engine.steps.track import Track
from ...engine.steps.train import BankruptStep, DiscardTrainStep, TrainStep
from ...engine.title import Title
from .routes import Routes
from .steps import CompanyTrack, ForbiddenCityExchange, PrivateAuction, export_train
from .track import TrackRules1888

NORTH = "north"
NORTH_FOR_TWO = "north_for_two"
"""The North rules at a table of two, which recorded games cannot have: there ``north`` needs three players."""
SMALL_BANK = "small_bank"
EAST = "east"


class Title1888(Title):
    """1888: North China; the data are those of the North rules, :meth:`adapt` turns them into a prototype's."""

    name = "1888"
    folder = Path(__file__).parent

    stock = StockRules(sell_buy_order="sell_buy")
    train_rules = TrainRules(must_buy="always", buy_from_others_in_emergency="never")

    # --- variants (1888 1.1) ------------------------------------------------------------------------------------

    @classmethod
    def normalize_options(cls, options: Iterable[str], players: int) -> list[str]:
        """The East map is refused where it would be in force; an unknown option has the effect of the small bank."""
        kept = super().normalize_options(options, players)
        if EAST in kept and players >= 3:
            raise MalformedAction("unsupported_option", "The East map of 1888 is not offered.", option=EAST)
        known = (NORTH, NORTH_FOR_TWO, SMALL_BANK)
        return list(dict.fromkeys(option if option in known else SMALL_BANK for option in kept if option != EAST))

    @classmethod
    def options_of_new_game(cls, options: Iterable[str], players: int) -> list[str]:
        """A game started here has the North rules, for two players too."""
        kept = [option for option in options if option not in (NORTH, NORTH_FOR_TWO)]
        return [NORTH_FOR_TWO if players == 2 else NORTH, *kept]

    @property
    def is_north(self) -> bool:
        return NORTH in self.options or NORTH_FOR_TWO in self.options

    def adapt(self, data: TitleData) -> TitleData:
        """Without North other tile counts and a weaker Forbidden City; without any option also bank and float."""
        if self.is_north:
            return data
        replace = msgspec.structs.replace
        prototype = data.facts.parameters["prototype"]
        tiles = dict(data.tiles)
        for name, count in prototype["tiles"].items():
            tiles[name] = replace(tiles[name], count=count)
        exchange = {"when": prototype["exchange_when"], "sources": prototype["exchange_sources"]}
        adapted = {
            "tiles": tiles,
            "companies": {sym: _with_exchange(company, exchange) for sym, company in data.companies.items()},
        }
        if not self.options:
            adapted["facts"] = replace(data.facts, bank=prototype["bank"])
            adapted["corporations"] = {
                sym: replace(corporation, float_percent=prototype["float_percent"])
                for sym, corporation in data.corporations.items()
            }
        return replace(data, **adapted)

    # --- composition --------------------------------------------------------------------------------------------

    def build_track_rules(self) -> TrackRules:
        parameters = self.data.facts.parameters
        hex_id, edge = parameters["sea_link"]
        return TrackRules1888(self.map, parameters["company_tiles"], (hex_id, edge))

    def build_route_rules(self) -> RouteRules:
        return Routes(self.data)

    def build_rounds(self) -> Sequence[RoundRules]:
        return (
            AuctionRound(PrivateAuction()),
            StockRound(DiscardTrainStep(), ForbiddenCityExchange(), CompanyTrack(), BuySellParShares()),
            OperatingRound(
                BankruptStep(),
                CompanyTrack(),
                BuyCompanyStep(),
                Track(),
                TokenStep(),
                RouteStep(),
                DividendStep(),
                DiscardTrainStep(),
                TrainStep(),
                BuyCompanyAtEnd(),
            ),
        )

    # --- rounds -------------------------------------------------------------------------------------------------

    def after_operating_set(self, game: Game) -> None:
        export_train(game)


def _with_exchange(company: CompanyData, changes: dict[str, list[str]]) -> CompanyData:
    """The company with other terms of its exchange, if it has one."""
    abilities = [
        msgspec.structs.replace(ability, **changes) if ability.kind == "exchange" else ability
        for ability in company.abilities
    ]
    return msgspec.structs.replace(company, abilities=abilities)
