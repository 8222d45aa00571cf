"""The market shows every price and the markers in their order, in all three layouts."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from gateway.pictures import render_market
from tests.shared import SHARED, need

from .positions import TITLES, View, keys_after, title_json, view_of
from .test_map_picture import SVG, by_class, parsed


def cells(svg: str) -> dict[str, ElementTree.Element]:
    return {e.get("data-cell") or "": e for e in by_class(parsed(svg), "cell")}


def corner_of(cell: ElementTree.Element) -> tuple[float, float]:
    rect = cell.find(f"{SVG}rect")
    assert rect is not None
    return float(rect.get("x") or 0), float(rect.get("y") or 0)


def chart(kind: str, rows: list[list[str]]) -> View:
    corporations = {sym: {"name": sym, "color": "red", "text_color": "white"} for sym in ("AA", "BB", "CC")}
    return {"facts": {"name": "Small"}, "market": {"kind": kind, "rows": rows}, "corporations": corporations}


@pytest.mark.parametrize("folder", TITLES)
def test_every_price_is_written_in_its_cell(folder: str) -> None:
    title = title_json(folder)
    drawn = cells(render_market(title, {}))
    expected = {
        f"{r},{c}": text.split(" ")[0]
        for r, row in enumerate(title["market"]["rows"])
        for c, text in enumerate(row)
        if text
    }
    assert {key: cell.findtext(f"{SVG}text") for key, cell in drawn.items()} == expected


@pytest.mark.parametrize("folder", TITLES)
def test_markers_of_a_recorded_game_stand_in_their_cells(folder: str) -> None:
    traces = need(SHARED / "traces" / folder[1:])
    title = title_json(folder)
    view = view_of(title, keys_after(traces / f"{folder[1:]}-a.jsonl.gz", 0.6))
    svg = render_market(title, view)
    found = {
        key: sorted(e.get("data-marker") or "" for e in cell.iter(f"{SVG}g") if e.get("class") == "marker")
        for key, cell in cells(svg).items()
    }
    assert {key: syms for key, syms in found.items() if syms} == {
        key: sorted(syms) for key, syms in view["state"]["market"].items()
    }
    assert svg == render_market(title, view)


def test_markers_keep_their_order_and_the_first_lies_on_top() -> None:
    title = chart("grid", [["100"]])
    cell = cells(render_market(title, {"state": {"market": {"0,0": ["BB", "AA", "CC"]}}}))["0,0"]
    drawn = [e for e in cell.iter(f"{SVG}g") if e.get("class") == "marker"]
    assert [e.get("data-marker") for e in drawn] == ["CC", "AA", "BB"]
    places = [float(next(e.iter(f"{SVG}circle")).get("cx") or 0) for e in drawn]
    assert places == sorted(places, reverse=True)
    assert "markers in order BB, AA, CC" in (cell.findtext(f"{SVG}title") or "")


def test_a_zigzag_market_has_every_other_price_in_the_upper_row() -> None:
    drawn = cells(render_market(chart("zigzag", [["0 close", "7", "14", "20"]]), {}))
    xs = [corner_of(drawn[f"0,{i}"])[0] for i in range(4)]
    ys = [corner_of(drawn[f"0,{i}"])[1] for i in range(4)]
    assert xs == sorted(xs) and ys[1] == ys[3] < ys[0] == ys[2]


def test_a_column_market_stacks_its_markers_downwards() -> None:
    title = chart("column", [["35", "40"]])
    cell = cells(render_market(title, {"state": {"market": {"0,1": ["AA", "BB"]}}}))["0,1"]
    circles = [next(e.iter(f"{SVG}circle")) for e in cell.iter(f"{SVG}g") if e.get("class") == "marker"]
    assert len({c.get("cx") for c in circles}) == 1
    assert float(circles[0].get("cy") or 0) > float(circles[1].get("cy") or 0)


def test_cells_are_colored_by_their_first_type_and_the_key_explains_them() -> None:
    svg = render_market(chart("grid", [["60 no_cert_limit", "67", "100 par,convert", "350 endgame"]]), {})
    fills = [cell.find(f"{SVG}rect") for cell in cells(svg).values()]
    assert len({fill.get("fill") for fill in fills if fill is not None}) == 4
    (key,) = by_class(parsed(svg), "key")
    assert [t.text for t in key.iter(f"{SVG}text")] == [
        "certificates not counted",
        "par price",
        "price of a converted corporation",
        "ends the game",
    ]


def test_the_par_price_of_a_corporation_is_marked() -> None:
    title = chart("grid", [["100 par", "112"]])
    svg = render_market(title, {"state": {"corporations": {"AA": {"par": [0, 0]}, "BB": {}}}})
    assert [e.get("data-par") for e in by_class(parsed(svg), "par")] == ["AA"]
