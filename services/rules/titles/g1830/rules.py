"""1830, the baseline: base behavior throughout, with the values of its rule book."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from ...engine.data import TitleData
from ...engine.policies import StockRules, TrackAllowance, TrainRules
from ...engine.rounds.auction import AuctionRound
from ...engine.rounds.base import RoundRules
from ...engine.rounds.operating import OperatingRound
from ...engine.rounds.stock import StockRound
from ...engine.steps.auction import CompanyPendingPar, WaterfallAuction
from ...engine.steps.company import BuyCompanyAtEnd, BuyCompanyStep, ExchangeStep
from ...engine.steps.route import DividendStep, RouteStep
from ...engine.steps.stock import BuySellParShares
from ...engine.steps.token import HomeToken, TokenStep
from ...engine.steps.track import SpecialToken, SpecialTrack, Track
from ...engine.steps.train import BankruptStep, DiscardTrainStep, TrainStep
from ...engine.title import Title


class Title1830(Title):
    """1830 - Railways & Robber Barons."""

    name = "1830"
    folder = Path(__file__).parent

    track = TrackAllowance(tile_reservation_blocks="always")
    train_rules = TrainRules()

    def adapt(self, data: TitleData) -> TitleData:
        self.stock = StockRules(multiple_buy_only_from_pool="multiple_brown_from_ipo" not in self.options)
        if "optional_6_train" not in self.options:
            return data
        trains = [msgspec.structs.replace(t, count=3) if t.name == "6" else t for t in data.trains]
        return msgspec.structs.replace(data, trains=trains)

    def build_rounds(self) -> Sequence[RoundRules]:
        return (
            AuctionRound(CompanyPendingPar(), WaterfallAuction()),
            StockRound(DiscardTrainStep(), ExchangeStep(), SpecialTrack(), BuySellParShares()),
            OperatingRound(
                BankruptStep(),
                ExchangeStep(),
                SpecialTrack(),
                SpecialToken(),
                BuyCompanyStep(),
                HomeToken(),
                Track(),
                TokenStep(),
                RouteStep(),
                DividendStep(),
                DiscardTrainStep(),
                TrainStep(),
                BuyCompanyAtEnd(),
            ),
        )
