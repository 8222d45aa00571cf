"""The map shows every hex, tile, token, name, value and border where it belongs."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from gateway.pictures import render_map
from gateway.pictures.geometry import edge_middle
from tests.shared import SHARED, need

from .positions import TITLES, View, keys_after, title_json, view_of

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def text_of(root: ElementTree.Element) -> str:
    return "\n".join(t.text or "" for t in root.iter(f"{SVG}text"))


def by_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [e for e in root.iter() if e.get("class") == name]


def late_view(folder: str, title: View) -> View:
    traces = need(SHARED / "traces" / folder[1:])
    return view_of(title, keys_after(traces / f"{folder[1:]}-a.jsonl.gz", 0.9))


def small_title(hexes: View, tiles: View | None = None, layout: str = "flat") -> View:
    return {
        "facts": {"name": "Small", "currency": "${}"},
        "map": {"layout": layout, "letters": "x", "hexes": hexes},
        "tiles": tiles or {},
        "corporations": {"AB": {"name": "A & B", "color": "#123456", "text_color": "white", "tokens": [0]}},
        "minors": {},
    }


def state(**board: Any) -> View:
    return {"state": {"board": board}}


@pytest.mark.parametrize("folder", TITLES)
def test_the_printed_map_shows_every_hex_name_and_home(folder: str) -> None:
    title = title_json(folder)
    root = parsed(render_map(title, {}))
    assert [e.get("data-hex") for e in by_class(root, "hex")] == list(title["map"]["hexes"])
    written = re.sub(r"\s+", "", text_of(root))
    for hex_id, data in title["map"]["hexes"].items():
        assert hex_id in text_of(root).split("\n")
        assert re.sub(r"\s+", "", data.get("name", "")) in written
        if data.get("label"):
            assert data["label"] in text_of(root).split("\n")
    for sym, data in title["corporations"].items():
        if any(home in title["map"]["hexes"] for home in data.get("home", [])):
            assert re.search(rf"(^|[\s]){re.escape(sym)}($|[\s])", text_of(root)), sym


@pytest.mark.parametrize("folder", TITLES)
def test_a_late_board_shows_every_tile_and_token(folder: str) -> None:
    title = title_json(folder)
    view = late_view(folder, title)
    root = parsed(render_map(title, view))
    shown = {e.get("data-hex"): e for e in by_class(root, "hex")}
    tokens = sorted(e.get("data-token") or "" for e in by_class(root, "token"))
    expected: list[str] = []
    for hex_id, on_hex in view["state"]["board"].items():
        assert shown[hex_id].get("data-tile") == on_hex.get("tile")
        if "tile" in on_hex:
            assert shown[hex_id].get("data-rotation") == str(on_hex["rotation"])
            assert f"#{on_hex['tile']}" in text_of(root).split("\n")
        for city in on_hex["cities"]:
            expected.extend(sym for sym in (*city["slots"], *city["extra"]) if sym)
        expected.extend(sym for sym in on_hex["icons"] if sym in title["corporations"])
    assert [sym.removeprefix("~") for sym in sorted(expected)] == tokens


@pytest.mark.parametrize("folder", TITLES)
def test_the_same_position_gives_the_same_bytes(folder: str) -> None:
    title = title_json(folder)
    assert render_map(title, {}) == render_map(title_json(folder), {})


def track_ends(root: ElementTree.Element) -> list[tuple[str, str, complex, complex]]:
    found = []
    for path in by_class(root, "track"):
        numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path.get("d") or "")]
        first, last = complex(*numbers[:2]), complex(*numbers[-2:])
        found.append((path.get("data-a") or "", path.get("data-b") or "", first, last))
    return found


@pytest.mark.parametrize("layout", ["flat", "pointy"])
@pytest.mark.parametrize("rotation", range(6))
def test_a_laid_tile_is_drawn_in_its_rotation(layout: str, rotation: int) -> None:
    title = small_title(
        {"B2": {"color": "white", "print_id": "B2"}}, {"8": {"color": "yellow", "track": ["0-2"]}}, layout
    )
    svg = render_map(title, state(B2={"tile": "8", "rotation": rotation}))
    ((a, b, first, last),) = track_ends(parsed(svg))
    assert (a, b) == (str(rotation), str((2 + rotation) % 6))
    assert abs(first - edge_middle(layout, rotation)) < 0.1
    assert abs(last - edge_middle(layout, (2 + rotation) % 6)) < 0.1


def test_names_are_escaped_and_control_characters_dropped() -> None:
    name = 'A <b> "&\x00'
    hexes = {"B2": {"color": "white", "print_id": "B2", "name": name, "label": "<&>"}}
    title = small_title(hexes)
    title["facts"]["name"] = '</title><script>"'
    svg = render_map(title, state(B2={"icons": ["<i>"], "reserved": ["&"], "label": None}))
    root = parsed(svg)
    assert "<script>" not in svg and "\x00" not in svg
    assert root.get("aria-label") == 'Map of </title><script>"'
    assert "<&>" in text_of(root)


def test_a_color_that_is_not_a_color_is_not_copied_into_the_picture() -> None:
    title = small_title({"B2": {"color": "white", "print_id": "B2", "nodes": [{"kind": "city"}]}})
    title["corporations"]["AB"]["color"] = 'url("https://example.org/x")'
    svg = render_map(title, state(B2={"cities": [{"slots": ["AB"]}]}))
    assert "example.org" not in svg


def test_a_neutral_token_is_marked_as_neutral() -> None:
    title = small_title({"B2": {"color": "white", "print_id": "B2", "nodes": [{"kind": "city"}]}})
    (token,) = by_class(parsed(render_map(title, state(B2={"cities": [{"slots": ["~AB"]}]}))), "token")
    assert token.get("data-token") == "AB"
    assert (token.findtext(f"{SVG}title") or "").endswith("(neutral)")


def test_a_token_outside_the_slots_and_a_reservation_are_shown() -> None:
    city = {"color": "white", "print_id": "B2", "nodes": [{"kind": "city"}]}
    title = small_title({"B2": city, "B4": city})
    view = state(
        B2={"cities": [{"slots": [None], "extra": ["AB"]}]},
        B4={"cities": [{"slots": [None], "reserved": ["AB"]}], "reserved": ["XY"]},
    )
    root = parsed(render_map(title, view))
    assert [e.get("data-token") for e in by_class(root, "token")] == ["AB"]
    assert [e.get("data-reserved") for e in by_class(root, "reservation") if e.get("data-reserved")] == ["AB"]
    assert "XY" in text_of(root).split("\n")


def test_borders_come_from_the_state_and_are_drawn_once_for_both_sides() -> None:
    hexes = {
        "B2": {"color": "white", "print_id": "B2", "borders": [{"edge": 0, "kind": "impassable"}]},
        "B4": {"color": "white", "print_id": "B4", "borders": [{"edge": 3, "kind": "impassable"}]},
    }
    title = small_title(hexes)
    (border,) = by_class(parsed(render_map(title, {})), "border")
    assert border.get("data-kind") == "impassable"
    assert by_class(parsed(render_map(title, state(B2={"borders": []}, B4={}))), "border") == []
    (water,) = by_class(parsed(render_map(title, state(B2={"borders": [[0, "water", 80]]}, B4={}))), "border")
    assert [t.text for t in water.iter(f"{SVG}text")] == ["80"]


def test_values_by_color_are_boxes_in_the_colors_of_their_phase() -> None:
    offboard = {"kind": "offboard", "revenue": {"yellow": 30, "brown": 60}}
    hexes = {"B2": {"color": "red", "print_id": "B2", "nodes": [offboard], "track": ["0-a"]}}
    (value,) = by_class(parsed(render_map(small_title(hexes), {})), "value")
    assert [t.text for t in value.iter(f"{SVG}text")] == ["30", "60"]
    assert len({r.get("fill") for r in value.iter(f"{SVG}rect")}) == 2


def test_a_hidden_value_and_a_value_of_nothing_are_not_shown() -> None:
    nodes = [{"kind": "offboard", "revenue": {"yellow": 30}, "show_value": False}, {"kind": "town"}]
    hexes = {"B2": {"color": "red", "print_id": "B2", "nodes": nodes, "track": ["0-a"]}}
    assert by_class(parsed(render_map(small_title(hexes), {})), "value") == []


def test_a_tile_the_data_lacks_is_shown_by_its_number() -> None:
    title = small_title({"B2": {"color": "white", "print_id": "B2", "nodes": [{"kind": "city"}]}})
    root = parsed(render_map(title, state(B2={"tile": "Z9", "cities": [{"slots": ["AB"]}]})))
    assert "#Z9" in text_of(root) and len(by_class(root, "token")) == 1


def test_every_hex_is_described_in_words() -> None:
    hexes = {"B2": {"color": "yellow", "print_id": "B2", "name": "Home", "nodes": [{"kind": "city"}], "cost": 40}}
    (hexagon,) = by_class(parsed(render_map(small_title(hexes), {})), "hex")
    assert hexagon.findtext(f"{SVG}title") == "B2 Home, printed yellow hex, terrain cost 40"
