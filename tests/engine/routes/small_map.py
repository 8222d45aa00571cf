"""A map of a dozen hexes on which every route rule can be broken.

::

    A1 ==== A3 ---- A5 ---- A7 ==== A9 ==== A11       A1, A9, B8 off-board (A9 and B8 are both "East")
              \\    /        /  \\\\                      A3, A7, A11 cities, A5 a town
               B4 ------ B6     B8                    B4 joins A3 and A5 to B6

    C1 ---- C3 ---- C5      C7 ==== C9                C1 two cities joined by track,
                                                      C3 terminal to the west, C7 two cities with one side
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from services.rules.engine.board.map import Map
from services.rules.engine.data import (
    DistanceData,
    HexData,
    MapData,
    MarketData,
    NodeData,
    PhaseData,
    TitleData,
    TitleFacts,
    TrainData,
)
from services.rules.engine.routes.check import RunResult, check_run
from services.rules.engine.routes.rules import RouteRules
from services.rules.engine.state import Corporation, Depot, GameState, Train


def city(revenue: int, slots: int = 1) -> NodeData:
    return NodeData("city", revenue=revenue, slots=slots)


def offboard(group: str, yellow: int, brown: int) -> NodeData:
    return NodeData("offboard", revenue={"yellow": yellow, "brown": brown}, group=group)


HEXES: dict[str, tuple[str, list[NodeData], list[str]]] = {
    "A1": ("red", [offboard("West", 30, 60)], ["4-a"]),
    "A3": ("yellow", [city(20, 2)], ["1-a", "4-a", "5-a"]),
    "A5": ("yellow", [NodeData("town", revenue=10)], ["1-a", "4-a", "0-a"]),
    "A7": ("yellow", [city(30)], ["1-a", "4-a", "0-a", "5-a"]),
    "A9": ("red", [offboard("East", 40, 50)], ["1-a", "4-a"]),
    "A11": ("yellow", [city(50)], ["1-a"]),
    "B4": ("yellow", [], ["2-4", "3-4"]),
    "B6": ("yellow", [], ["1-3"]),
    "B8": ("red", [offboard("East", 40, 50)], ["2-a"]),
    "C1": ("yellow", [city(20), city(40)], ["a-b", "4-b"]),
    "C3": ("yellow", [city(30)], ["1-a!", "4-a"]),
    "C5": ("yellow", [city(10)], ["1-a"]),
    "C7": ("yellow", [city(20), city(60)], ["4-a", "4-b"]),
    "C9": ("yellow", [city(10)], ["1-a"]),
}

TRAINS = [
    TrainData("1", 50, distance=1),
    TrainData("2", 80, distance=2),
    TrainData("3", 180, distance=3),
    TrainData("D", 900),
    TrainData("2+1", 100, allowances=[
        DistanceData(["town"], pay=1, visit=1),
        DistanceData(["city", "offboard", "town"], pay=2, visit=2),
    ]),
    TrainData("2E", 100, allowances=[
        DistanceData(["city", "offboard"], pay=2), DistanceData(["town"], pay=0),
    ]),
    TrainData("3x2", 100, distance=3, multiplier=2),
]  # fmt: skip


def title_data(**bonus: Any) -> TitleData:
    """Data of the small map; nothing but map, trains and phases matters."""
    hexes = {
        name: HexData(color, f"{name}-0", nodes=nodes, track=track)  # type: ignore[arg-type]
        for name, (color, nodes, track) in HEXES.items()
    }
    colors: list[Any] = ["yellow", "green", "brown"]
    return TitleData(
        facts=TitleFacts("small", "Small", "", 2, 6, {}, {}),
        market=MarketData("grid", []),
        phases=[PhaseData("2", 1, 4, colors[:1]), PhaseData("5", 1, 4, colors)],
        trains=TRAINS,
        companies={},
        corporations={},
        minors={},
        map=MapData("pointy", "y", hexes),
        tiles={},
    )


DATA = title_data()
MAP = Map(DATA)
RULES = RouteRules(DATA)


def position(
    tokens: Mapping[tuple[str, int], Sequence[str | None]], trains: Sequence[str] = ("D",), phase: int = 0
) -> GameState:
    """A position with tokens by (hex, city) and trains ``D-0``, ... of ``X``; ``Y`` owns ``3-9``."""
    owned = {f"{name}-{number}": Train(name, owner="X") for number, name in enumerate(trains)}
    state = GameState(
        title="small", options=[], seed=0, mode="live", rng=0, players=[], player_order=[],
        corporations={
            "X": Corporation("X", "corporation", trains=list(owned)),
            "Y": Corporation("Y", "corporation", trains=["3-9"]),
        },
        corporation_order=["X", "Y"], companies={}, board={}, supply={}, market={},
        depot=Depot(trains={**owned, "3-9": Train("3", owner="Y")}, upcoming=[]),
        phase=phase, bank=0, cert_limit=0, operating_rounds=1,
    )  # fmt: skip
    for (hex_id, index), slots in tokens.items():
        MAP.hex_state(state, hex_id).cities[index].slots = list(slots)
    return state


def route(train: str, *connections: str, nodes: list[str] | None = None) -> dict[str, Any]:
    """A recorded route; a connection is written ``"A3 - A5"``."""
    recorded: dict[str, Any] = {"train": train, "connections": [text.split(" - ") for text in connections]}
    return recorded if nodes is None else {**recorded, "nodes": nodes}


def run(state: GameState, *routes: dict[str, Any], rules: RouteRules = RULES) -> RunResult:
    """The routes of ``X``, checked."""
    return check_run(MAP, state, "X", routes, rules)
