"""Track joins edge middles, tiles turn clockwise, and nodes keep out of each other's way."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from gateway.pictures.design import NODE, read_design, read_track
from gateway.pictures.geometry import (
    APOTHEM,
    at,
    center,
    coordinates,
    edge_middle,
    inside,
    offsets,
    tangent_at,
)
from gateway.pictures.placement import SLOT, discs, node_edges, place

from .positions import TITLES, title_json


def designs(folder: str) -> list[tuple[str, Any]]:
    """Every printed hex and tile of a title with its name."""
    title = title_json(folder)
    named = [*title["map"]["hexes"].items(), *title["tiles"].items()]
    return [(name, read_design(data)) for name, data in named]


@pytest.mark.parametrize("layout", ["flat", "pointy"])
def test_an_edge_is_shared_by_two_neighbors(layout: str) -> None:
    for edge, (dx, dy) in enumerate(offsets(layout)):
        other = center(layout, 4 + dx, 4 + dy) - center(layout, 4, 4)
        assert abs(edge_middle(layout, edge) - (other + edge_middle(layout, (edge + 3) % 6))) < 1e-6


def test_edge_0_is_at_the_bottom_of_a_flat_hex_and_at_the_lower_left_of_a_pointy_one() -> None:
    assert abs(edge_middle("flat", 0) - complex(0, APOTHEM)) < 1e-6
    lower_left = edge_middle("pointy", 0)
    assert lower_left.real < 0 < lower_left.imag
    assert abs(edge_middle("pointy", 1) - complex(-APOTHEM, 0)) < 1e-6


def test_letters_may_be_columns_or_rows_and_lower_case_letters_are_negative() -> None:
    assert coordinates("C5", "x") == (2, 4)
    assert coordinates("C5", "y") == (4, 2)
    assert coordinates("AA1", "x") == (26, 0)
    assert coordinates("a3", "x") == (-1, 2)
    with pytest.raises(ValueError, match="not a hex id"):
        coordinates("5C", "x")


@pytest.mark.parametrize("text", ["", "0", "0-6", "0-i", "0-1-2", "x-0"])
def test_bad_track_notation_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not track notation"):
        read_track(text)


@pytest.mark.parametrize("folder", TITLES)
def test_track_starts_in_the_middle_of_its_edges_and_square_to_them(folder: str) -> None:
    layout = title_json(folder)["map"]["layout"]
    for name, design in designs(folder):
        for rotation in range(6):
            placed = place(design, layout, rotation)
            for piece, curve, ends in zip(design.track, placed.curves, placed.ends, strict=True):
                for end, printed, here, t in (
                    (ends[0], piece.a, curve[0], 0),
                    (ends[1], piece.b, curve[3], 1),
                ):
                    if end >= NODE:
                        assert abs(here - placed.sites[end - NODE].position) < 1e-6, name
                        continue
                    assert end == (printed + rotation) % 6
                    middle = edge_middle(layout, end)
                    assert abs(here - middle) < 1e-6, (name, rotation)
                    along = tangent_at(curve, t)
                    assert abs(abs((along * middle.conjugate()).real) - APOTHEM) < 0.01 * APOTHEM, name


@pytest.mark.parametrize("folder", TITLES)
def test_the_track_of_a_tile_stays_inside_its_hex(folder: str) -> None:
    layout = title_json(folder)["map"]["layout"]
    for name, design in designs(folder):
        for curve in place(design, layout, 0).curves:
            assert all(inside(layout, at(curve, i / 10)) > -0.01 for i in range(11)), name


@pytest.mark.parametrize("folder", TITLES)
def test_cities_and_towns_do_not_overlap_and_lie_inside_their_hex(folder: str) -> None:
    layout = title_json(folder)["map"]["layout"]
    for name, design in designs(folder):
        sites = place(design, layout, 0).sites
        drawn = [site for site, node in zip(sites, design.nodes, strict=True) if node.kind != "offboard"]
        for a, b in itertools.combinations(drawn, 2):
            for (p, r), (q, s) in itertools.product(discs(a), discs(b)):
                overlap = r + s - abs(p - q)
                assert overlap < (9 if not a.slots else 2), (name, overlap)
        for site in drawn:
            assert all(inside(layout, p) >= r - 2 for p, r in discs(site)), name


@pytest.mark.parametrize("folder", TITLES)
def test_a_city_is_not_crossed_by_track_of_another_node(folder: str) -> None:
    layout = title_json(folder)["map"]["layout"]
    crossed = []
    for name, design in designs(folder):
        placed = place(design, layout, 0)
        edges = node_edges(design)
        for index, (node, site) in enumerate(zip(design.nodes, placed.sites, strict=True)):
            for piece, curve in zip(design.track, placed.curves, strict=True):
                if node.kind != "city" or index in piece.nodes or not edges[index]:
                    continue
                run = [at(curve, i / 20) for i in range(21)]
                if min(abs(p - slot) for p in run for slot in site.slots) < SLOT - 5:
                    crossed.append(name)
    assert crossed == []


@pytest.mark.parametrize("layout", ["flat", "pointy"])
def test_a_rotation_turns_a_tile_clockwise_by_one_edge(layout: str) -> None:
    wide = read_design({"color": "yellow", "track": ["0-2"]})
    placed = place(wide, layout, 1)
    assert placed.ends == ((1, 3),)
    assert abs(placed.curves[0][0] - edge_middle(layout, 1)) < 1e-6
    assert abs(placed.curves[0][3] - edge_middle(layout, 3)) < 1e-6


def test_a_node_with_a_bearing_stands_on_that_side_and_turns_with_its_tile() -> None:
    tile = read_design(
        {
            "color": "green",
            "nodes": [{"kind": "city", "at": 0.5}, {"kind": "city", "at": 2.5}],
            "track": ["0-a"],
        }
    )
    first = place(tile, "flat", 0).sites[0].position
    turned = place(tile, "flat", 3).sites[0].position
    assert first.real < 0 < first.imag  # between bottom and lower left
    assert abs(first + turned) < 1e-6


def test_a_town_with_two_exits_stands_on_its_track() -> None:
    tile = read_design({"color": "yellow", "nodes": [{"kind": "town"}], "track": ["0-a", "a-2"]})
    placed = place(tile, "pointy", 0)
    assert placed.sites[0].tangent is not None
    assert abs(placed.curves[0][3] - placed.curves[1][0]) < 1e-6
