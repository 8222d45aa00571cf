"""Schema of a title's data files and their loader.

A title's folder holds six TOML files: ``title.toml``, ``market.toml``, ``trains.toml`` (phases and trains),
``companies.toml``, ``corporations.toml`` (minors and nationals too), ``map.toml`` and ``tiles.toml``.
Every table is validated against the types below when it is loaded; a wrong file raises
:class:`TitleDataError` naming the file and the key.

Track notation, used for printed hexes and tiles alike: ``"0-3"`` joins hex edges 0 and 3, ``"0-a"`` joins
edge 0 and the first node of the tile, ``"a-b"`` the first two nodes; a trailing ``!`` marks a terminal path (a route
ends there). Edges are numbered as in core section 4; a tile's rotation adds to every edge number.
"""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

Color = Literal["white", "yellow", "green", "brown", "gray", "red", "blue", "purple"]
NodeKind = Literal["city", "town", "offboard"]


class TitleDataError(Exception):
    """A data file is missing, is not TOML, or does not fit its schema."""


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all data structs: immutable, unknown keys are errors."""


class NodeData(Data, frozen=True):
    """A revenue centre printed on a hex or tile.

    ``revenue`` is one value, or values by tile color (the newest color of the phase counts).
    ``ref`` is the position used in ids where it differs from the order of the list.
    """

    kind: NodeKind
    revenue: int | dict[str, int] = 0
    slots: int = 1
    group: str | None = None
    visit_cost: int = 1
    ref: int | None = None
    at: float | None = None
    show_value: bool = True


class TileData(Data, frozen=True):
    """One tile of the supply; ``count`` None means unlimited copies."""

    color: Color
    count: int | None = None
    nodes: list[NodeData] = []
    track: list[str] = []
    label: str | None = None
    cost: int = 0
    terrain: list[str] = []
    hidden: bool = False


class BorderData(Data, frozen=True):
    """A border on one edge of a hex; ``kind`` impassable blocks, a cost is paid when track first crosses."""

    edge: int
    kind: str
    cost: int = 0


class FutureLabelData(Data, frozen=True):
    label: str
    color: Color


class HexData(Data, frozen=True):
    """A hex of the map as printed. ``print_id`` is the id of its preprinted tile in actions (core 1.4)."""

    color: Color
    print_id: str
    name: str = ""
    nodes: list[NodeData] = []
    track: list[str] = []
    label: str | None = None
    future_label: FutureLabelData | None = None
    cost: int = 0
    terrain: list[str] = []
    borders: list[BorderData] = []
    stubs: list[int] = []
    icons: list[str] = []
    dividers: list[list[int]] = []


class MapData(Data, frozen=True):
    """The map: ``layout`` says which way hexes stand, ``letters`` which axis the letter of an id is."""

    layout: Literal["flat", "pointy"]
    letters: Literal["x", "y"]
    hexes: dict[str, HexData]


class TilesData(Data, frozen=True):
    tiles: dict[str, TileData]


class MarketData(Data, frozen=True):
    """Price cells by row; a cell is written ``"100"``, ``"100 par"`` or ``"100 par,other"``; ``""`` is no cell."""

    kind: Literal["grid", "column", "zigzag"]
    rows: list[list[str]]


class PhaseData(Data, frozen=True):
    """A phase; ``on`` is the train whose first purchase starts it, ``train_limit`` one number or by company kind."""

    name: str
    operating_rounds: int
    train_limit: int | dict[str, int]
    colors: list[Color]
    on: str | None = None
    status: list[str] = []


class DistanceData(Data, frozen=True):
    """One row of a train's distance table: how many of ``kinds`` pay and how many may be visited (None: any)."""

    kinds: list[NodeKind]
    pay: int | None = None
    visit: int | None = None


class TrainEventData(Data, frozen=True):
    """An event of a train; it happens when copy ``copy`` (1 = first) is bought or exported."""

    event: str
    copy: int = 1


class TrainVariantData(Data, frozen=True):
    name: str
    price: int
    kind: str = ""
    distance: int | None = None
    allowances: list[DistanceData] = []
    hexes: int | None = None


class TrainData(Data, frozen=True):
    """A rank of trains. ``distance`` None with no ``allowances`` means unlimited; ``count`` None: unlimited copies."""

    name: str
    price: int
    count: int | None = None
    distance: int | None = None
    allowances: list[DistanceData] = []
    multiplier: int = 1
    rusts_on: str | None = None
    available_on: str | None = None
    discount: dict[str, int] = {}
    events: list[TrainEventData] = []
    variants: list[TrainVariantData] = []


class TrainsData(Data, frozen=True):
    phases: list[PhaseData]
    trains: list[TrainData]


class AbilityData(Data, frozen=True):
    """A rule attached to a company (core 16.4, 16.5). Fields not used by a kind keep their default."""

    kind: str
    owner: Literal["player", "corporation"] | None = None
    when: list[str] = []
    uses: int | None = None
    hexes: list[str] = []
    tiles: list[str] = []
    corporations: list[str] = []
    sources: list[str] = []
    shares: list[str] = []
    corporation: str | None = None
    phase: str | None = None
    amount: int = 0
    cost: int = 0
    free: bool = False
    special: bool = False
    reachable: bool = False
    all_in_one_turn: bool = False
    all_or_nothing: bool = False


class CompanyData(Data, frozen=True):
    """A private company. ``min_price``/``max_price`` bound a sale to a corporation."""

    name: str
    value: int
    revenue: int = 0
    discount: int = 0
    min_price: int | None = None
    max_price: int | None = None
    abilities: list[AbilityData] = []
    text: str = ""
    color: str = ""


class CorporationData(Data, frozen=True):
    """A corporation, major, minor or national.

    ``shares`` are percents by certificate index, president first; ``share_unit`` is the percent counted as one share.
    """

    name: str
    tokens: list[int]
    shares: list[int] = []
    share_unit: int = 10
    kind: Literal["corporation", "major", "minor", "national"] = "corporation"
    home: list[str] = []
    home_city: int | None = None
    float_percent: int = 60
    max_ownership: int = 60
    capitalization: Literal["full", "incremental"] = "full"
    always_market_price: bool = False
    float_excludes_market: bool = False
    floatable: bool = True
    abilities: list[AbilityData] = []
    destinations: list[str] = []
    destination_bonus: int = 0
    color: str = "#888888"
    text_color: str = "#ffffff"


class CompaniesData(Data, frozen=True):
    companies: dict[str, CompanyData] = {}


class CorporationsData(Data, frozen=True):
    corporations: dict[str, CorporationData]
    minors: dict[str, CorporationData] = {}


class OptionData(Data, frozen=True):
    """An optional rule; ``players`` lists the player counts it is allowed with (empty: any)."""

    text: str
    players: list[int] = []


class TitleFacts(Data, frozen=True):
    """``title.toml``: names, credits, money by player count, currency and notes for players."""

    title: str
    name: str
    designer: str
    min_players: int
    max_players: int
    starting_cash: dict[str, int]
    cert_limit: dict[str, int]
    bank: int | None = None
    publisher: str = ""
    currency: str = "${}"
    options: dict[str, OptionData] = {}
    notes: list[str] = []
    parameters: dict[str, Any] = {}


T = TypeVar("T")


def load_table(path: Path, kind: type[T]) -> T:
    """Read one TOML file as ``kind``; raises :class:`TitleDataError` naming file and key."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TitleDataError(f"{path.name}: cannot be read ({error.strerror})") from error
    except tomllib.TOMLDecodeError as error:
        raise TitleDataError(f"{path.name}: {error}") from error
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise TitleDataError(f"{path.name}: {error}") from error


@functools.cache
def load_facts(folder: Path) -> TitleFacts:
    """``title.toml`` alone, read once."""
    return load_table(folder / "title.toml", TitleFacts)


class TitleData(msgspec.Struct, frozen=True):
    """All facts of a title, as loaded from its folder."""

    facts: TitleFacts
    market: MarketData
    phases: list[PhaseData]
    trains: list[TrainData]
    companies: dict[str, CompanyData]
    corporations: dict[str, CorporationData]
    minors: dict[str, CorporationData]
    map: MapData
    tiles: dict[str, TileData]

    @classmethod
    def load(cls, folder: Path) -> TitleData:
        """Load and validate the data files of ``folder``."""
        trains = load_table(folder / "trains.toml", TrainsData)
        corporations = load_table(folder / "corporations.toml", CorporationsData)
        return cls(
            facts=load_facts(folder),
            market=load_table(folder / "market.toml", MarketData),
            phases=trains.phases,
            trains=trains.trains,
            companies=load_table(folder / "companies.toml", CompaniesData).companies,
            corporations=corporations.corporations,
            minors=corporations.minors,
            map=load_table(folder / "map.toml", MapData),
            tiles=load_table(folder / "tiles.toml", TilesData).tiles,
        )
