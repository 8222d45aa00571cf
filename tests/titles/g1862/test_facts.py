"""Facts of the rules: market, phases, trains, homes, off-board areas (1862 1.3-1.8)."""

from __future__ import annotations

import pytest

from services.rules.engine.board import tiles
from services.rules.engine.game import Game
from services.rules.titles.g1862.depot import most_warranties

from .table import start

PAR = [54, 56, 58, 60, 62, 65, 68, 71, 74, 78, 82, 86, 90, 95, 100]
UNCHARTERED_PAR = [105, 110, 116, 122, 128, 134, 142, 150, 158, 166, 174, 182, 191, 200]
LOW = [7, 14, 20, 26, 31, 36]
HIGH = [210, 220, 232, 245, 260, 275, 292, 310, 330, 350, 375]
TOP = [400, 430, 460, 495, 530, 570, 610, 655, 700, 750, 800, 850, 900, 950]


def test_the_market_is_one_row() -> None:
    market = start().title.market
    cells = sorted(market.cells.values(), key=lambda cell: cell.cell)
    assert [cell.cell for cell in cells] == [(0, column) for column in range(67)]
    assert [cell.price for cell in cells] == [0, *LOW, 40, 44, 47, 50, 52, *PAR, *UNCHARTERED_PAR, *HIGH, *TOP, 1000]
    assert [cell.price for cell in cells if cell.type == "par"] == PAR[::2]
    assert [cell.price for cell in cells if cell.is_par] == [*PAR, *UNCHARTERED_PAR]
    assert [cell.price for cell in cells if cell.type == "forgive_1"] == [*LOW, *HIGH]
    assert [cell.price for cell in cells if cell.type == "forgive_2"] == TOP
    assert [cell.type for cell in (cells[0], cells[-1])] == ["close", "endgame"]


@pytest.mark.parametrize(
    ("phase", "limit", "rounds", "colors"),
    [
        *((name, 3, rounds, colors) for name, rounds, colors in (("A", 1, "y"), ("B", 2, "yg"), ("C", 2, "yg"))),
        *((name, limit, 3, "ygb") for name, limit in (("D", 3), ("E", 2), ("F", 2), ("G", 3), ("H", 3))),
    ],
)
def test_phases(phase: str, limit: int, rounds: int, colors: str) -> None:
    data = next(p for p in start().title.data.phases if p.name == phase)
    assert (data.train_limit, data.operating_rounds) == (limit, rounds)
    assert "".join(color[0] for color in data.colors) == colors
    assert ("limit_total" in data.status) == (phase in "GH")


@pytest.mark.parametrize(
    ("rank", "price", "count", "rusts", "names"),
    [
        ("A", 100, 7, "C", "1F* 2L* 2E*"),
        ("B", 200, 6, "E", "2F 2/3L 2/3E"),
        ("C", 280, 4, "F", "3F 3L 3E"),
        ("D", 360, 3, "G", "5F* 4L* 4E*"),
        ("E", 500, 3, None, "6F 4/5L 4/5E"),
        ("F", 600, 2, None, "7F 5L 5E"),
        ("G", 700, 1, None, "8F 5/6L 5/6E"),
        ("H", 800, None, None, "9F 6L 6E"),
    ],
)
def test_trains(rank: str, price: int, count: int | None, rusts: str | None, names: str) -> None:
    game = start()
    train = game.title.trains[rank]
    assert (train.price, train.rusts_on) == (price, rusts)
    assert [variant.name for variant in train.variants] == names.split()
    assert {variant.price for variant in train.variants} == {price}
    if count is not None:
        assert sum(1 for t in game.state.depot.upcoming if t.startswith(rank)) == count
    for variant in train.variants:
        assert most_warranties(variant.name) == (2 if rank in "AD" else 3)


def test_the_warranty_limit_follows_the_name_a_train_is_sold_under() -> None:
    assert most_warranties("4E*") == 2
    assert most_warranties("3F") == 3


def test_homes() -> None:
    homes = (
        "E&H C8, ECR D13, ENR F3, ESR F11, EUR E12, FDR G12, I&B D9, L&D D5, L&E C6, L&H C4, N&B E8, N&E B13, N&S H7, "
        "Y&N H5, NGC C10, SVR D11, WNR E2, W&F E4, WVR G8, WStI B5"
    )
    data = start().title.data.corporations
    assert ", ".join(f"{sym} {c.home[0]}" for sym, c in data.items()) == homes
    for corporation in data.values():
        assert corporation.shares == [30] + [10] * 7
        assert (corporation.float_percent, corporation.max_ownership) == (50, 100)


AREAS = {
    "Midlands": ("red", (40, 90, 140), "A2-5 A4-4 A4-5 A6-4 A6-5 A8-4"),
    "West": ("red", (70, 100, 120), "A8-5 A10-4 A10-5 A12-4"),
    "London": ("red", (100, 150, 200), "A12-5 A14-4 B15-3 C14-2 C14-3 C14-4 D15-3 D15-4"),
    "North": ("blue", (80, 90, 100), "C2-0"),
    "North0": ("blue", (80, 90, 100), "D1-5 F1-1"),
    "North1": ("blue", (80, 90, 100), "F1-0"),
    "NorthEast": ("blue", (80, 100, 120), "I4-1 I6-2"),
    "East": ("blue", (60, 90, 120), "I6-1 I8-2 H9-3"),
    "Denmark": ("blue", (70, 100, 130), "H11-1 H13-2 G14-3"),
    "Holland": ("blue", (70, 100, 130), "G14-2 F15-3"),
}


def entries(game: Game, area: str) -> set[str]:
    """Hex sides by which an off-board area is entered."""
    found = set()
    for hex_id, tile in game.title.map.printed.items():
        placed = tile.rotated(0)
        for path in placed.paths:
            ends = [end for end in path.ends if end >= tiles.NODE]
            if ends and placed.nodes[ends[0] - tiles.NODE].group == area:
                found |= {f"{hex_id}-{edge}" for edge in path.ends if edge < tiles.NODE}
    return found


@pytest.mark.parametrize("area", AREAS)
def test_offboard_areas(area: str) -> None:
    color, values, sides = AREAS[area]
    game = start()
    assert entries(game, area) == set(sides.split())
    for side in sides.split():
        tile = game.title.map.printed[side.partition("-")[0]].rotated(0)
        assert tile.color == color
        revenue = next(node.revenue for node in tile.nodes if node.group == area)
        assert revenue == dict(zip(("white", "gray", "purple"), values, strict=True))


@pytest.mark.parametrize(("phases", "column"), [("AB", 0), ("CD", 1), ("EFGH", 2)])
def test_the_phase_decides_the_value_of_offboard_areas(phases: str, column: int) -> None:
    game = start()
    names = [phase.name for phase in game.title.data.phases]
    for phase in phases:
        game.state.phase = names.index(phase)
        assert game.title.route_rules.colors(game.state) == [("white", "gray", "purple")[column]]


def test_the_london_link_spaces_have_no_track() -> None:
    for hex_id, index in (("B15", 1), ("D15", 1)):
        tile = start().title.map.printed[hex_id].rotated(0)
        node = tile.nodes[index]
        assert (node.is_city, node.slots, node.revenue) == (True, 2, 0)
        assert all(tiles.NODE + index not in path.ends for path in tile.paths)


def test_borders_nobody_passes() -> None:
    game = start()
    board, rules = game.title.map, game.title.track_rules
    land = {hex_id for hex_id, tile in board.printed.items() if tile.color == "white"}
    closed = {
        (hex_id, edge)
        for hex_id in land
        for edge, other in board.adjacent[hex_id].items()
        if other in land and not rules.passable_edges(game.state, hex_id) >> edge & 1
    }
    assert closed == {("E14", 4), ("F11", 0), ("G12", 1), ("F13", 1), ("F13", 3), ("F13", 4)}
