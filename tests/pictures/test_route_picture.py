"""Routes follow the track they run over, each train in its own color."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from gateway.pictures import render_map
from gateway.pictures.design import read_board
from gateway.pictures.trace import trace
from tests.shared import SHARED, need

from .positions import TITLES, View, title_json, trace_lines, view_of
from .test_map_picture import by_class, parsed, small_title, text_of

TILES = {
    "57": {"color": "yellow", "nodes": [{"kind": "city", "revenue": 20}], "track": ["0-a", "a-3"]},
    "9": {"color": "yellow", "track": ["0-3"]},
    "20": {"color": "green", "track": ["0-3", "1-4"]},
}
PLAIN = {"color": "white", "print_id": "x"}
ROUTE = {"train": "3-0", "connections": [["B2", "B4", "B6"]], "nodes": ["B2-0", "B6-0"], "revenue": 40}


def column() -> tuple[View, View]:
    """Two cities with straight track between them, top to bottom."""
    title = small_title(dict.fromkeys(("B2", "B4", "B6"), PLAIN), TILES)
    board = {"B2": {"tile": "57"}, "B4": {"tile": "20"}, "B6": {"tile": "57"}}
    return title, {"state": {"board": board}}


def line_of(svg: str, train: str) -> list[complex]:
    """Points of a route's line."""
    (group,) = [e for e in by_class(parsed(svg), "route") if e.get("data-train") == train]
    d = next(e.get("d") for e in group if e.get("d")) or ""
    return [complex(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", d)]


def test_a_route_runs_along_its_track_from_stop_to_stop() -> None:
    title, view = column()
    points = line_of(render_map(title, view, [ROUTE]), "3-0")
    board = read_board(title, view)
    assert abs(points[0] - board.hexes["B2"].center) < 0.2
    assert abs(points[-1] - board.hexes["B6"].center) < 0.2
    assert all(abs(p.real - points[0].real) < 0.2 for p in points)


def test_train_and_revenue_are_written_at_the_route_and_below_the_map() -> None:
    title, view = column()
    root = parsed(render_map(title, view, [ROUTE]))
    assert "3-0 · $40" in text_of(root)
    assert "3-0: B2 – B6, $40" in text_of(root)
    assert "Total $40" in text_of(root)
    assert len(by_class(root, "stop")) == 2


def test_trains_on_the_same_track_are_drawn_side_by_side_in_their_own_colors() -> None:
    title, view = column()
    back = {**ROUTE, "train": "4-0", "connections": [["B6", "B4", "B2"]], "nodes": ["B6-0", "B2-0"]}
    svg = render_map(title, view, [ROUTE, back])
    one, two = line_of(svg, "3-0"), line_of(svg, "4-0")
    assert abs(one[0].real - two[0].real) > 6
    assert len({p.real for p in two}) == 1
    colors = {path.get("stroke") for group in by_class(parsed(svg), "route") for path in group if path.get("d")}
    assert len(colors) == 2


def test_track_that_cannot_be_found_is_drawn_from_hex_to_hex() -> None:
    title, view = column()
    view["state"]["board"]["B4"] = {}
    points = line_of(render_map(title, view, [ROUTE]), "3-0")
    board = read_board(title, view)
    assert len(points) == 3
    assert all(abs(p - board.hexes[h].center) < 0.2 for p, h in zip(points, ("B2", "B4", "B6"), strict=True))


def test_a_train_that_stays_in_its_city_rings_it() -> None:
    title, view = column()
    local = {"train": "1L-0", "connections": [["local", "B2"]], "nodes": ["B2-0"], "revenue": 20}
    root = parsed(render_map(title, view, [local]))
    assert len(by_class(root, "stop")) == 1
    assert "1L-0 · $20" in text_of(root)


def test_unknown_hexes_and_stops_of_a_route_do_no_harm() -> None:
    title, view = column()
    strange = {"train": "<x>", "connections": [["Z99", "B2"]], "nodes": ["Q1-0", "B2-7", "?"], "revenue": 0}
    assert "&lt;x&gt;" in render_map(title, view, [strange])


def recorded(name: str) -> View:
    for path in (SHARED / "games").glob(f"*/{name}.json*"):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        game: View = json.loads(data)
        return game
    raise FileNotFoundError(name)


def runs(path: Path, title: View, every: int) -> list[tuple[View, list[View]]]:
    """Every so many recorded runs of a game with the position they were made in."""
    game = recorded(path.name.split(".")[0])
    keys: dict[str, Any] = {}
    found = []
    count = 0
    for line in trace_lines(path):
        for key, value in line["set"].items():
            if value is None:
                keys.pop(key, None)
            else:
                keys[key] = value
        if line["type"] == "run_routes":
            count += 1
            if count % every == 0:
                found.append((view_of(title, keys), game["actions"][line["i"]]["routes"]))
    return found


@pytest.mark.parametrize("folder", TITLES)
def test_the_track_of_recorded_runs_is_found_with_the_recorded_stops(folder: str) -> None:
    path = need(SHARED / "traces" / folder[1:] / f"{folder[1:]}-a.jsonl.gz")
    title = title_json(folder)
    checked = 0
    for view, routes in runs(path, title, 3):
        board = read_board(title, view)
        for route in routes:
            traced = trace(board, route)
            assert None not in traced.chains, route
            pieces = [run.piece for chain in traced.chains if chain for run in chain.runs]
            assert len(pieces) == len(set(pieces))
            stops = {f"{h}-{board.hexes[h].design.nodes[n].ref}" for h, n in traced.stops}
            if "nodes" in route:
                assert stops == set(route["nodes"])
            checked += 1
    assert checked > 5
