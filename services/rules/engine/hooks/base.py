"""What every group of hooks knows of its title."""

from __future__ import annotations

from ..board.map import Map
from ..data import CorporationData, TitleData, TrainData
from ..market import Market
from ..policies import AuctionRules, EndRules, StockRules, TrackAllowance, TrainRules


class TitleBase:
    """Data and switches of a title, compiled by ``Title``."""

    stock: StockRules = StockRules()
    auction: AuctionRules = AuctionRules()
    track: TrackAllowance = TrackAllowance()
    train_rules: TrainRules = TrainRules()
    ending: EndRules = EndRules()

    data: TitleData
    map: Map
    market: Market
    trains: dict[str, TrainData]
    operating_data: dict[str, CorporationData]
    sizes: dict[str, tuple[int, ...]]
    """Percents of the certificates by corporation, president certificate first."""
    units: dict[str, int]
    """Percent that counts as one share, by corporation."""
