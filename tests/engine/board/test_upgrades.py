"""The upgrade test and the tile part of the rotation test (core 6.2, 6.3) and the city mapping (core 5.3)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from services.rules.engine.board.tiles import PlacedTile, Tile
from services.rules.engine.board.track_rules import TrackRules
from services.rules.engine.board.upgrades import (
    can_upgrade,
    city_map,
    counts_fit,
    fits_in_place,
    groups_in_place,
    label_fits,
    next_color,
    paths_contained,
    slots_kept,
    stops_covered,
    track_restriction_paths,
)
from services.rules.engine.data import NodeData, TileData

from .replay import TITLES, need_shared, new_state, title_map

CITY, TOWN = NodeData(kind="city"), NodeData(kind="town")


def tile(color: str, track: str = "", *nodes: NodeData, label: str | None = None) -> Tile:
    data = TileData(color=color, track=track.split(), nodes=list(nodes), label=label)  # type: ignore[arg-type]
    return Tile("test", data)


def placed(color: str, track: str = "", *nodes: NodeData, label: str | None = None) -> PlacedTile:
    return tile(color, track, *nodes, label=label).rotated(0)


def reference(title: str) -> dict[str, Any]:
    path = need_shared("reference") / f"{title}.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def is_title_rule(title: str, old: str, new: set[str]) -> bool:
    """Differences between reference and core rules that are the title's own."""
    return (
        (title == "1888" and new == {"L41"})  # company tile
        or (title == "1893" and old in ("N5", "P5"))  # closed in the first phase
        or (title == "1894" and old in ("14", "15", "619"))  # brown splits
        or (title == "1862" and all(name.startswith(old[:3]) for name in new))  # adding a town
    )


@pytest.mark.parametrize("title", TITLES)
def test_tiles_that_may_follow_are_those_of_the_reference(title: str) -> None:
    facts, board, state = reference(title), title_map(title), new_state(title)
    for hex_facts in facts["map"]["hexes"]:
        hex_id = hex_facts["id"]
        on_hex = state.board.get(hex_id)
        future = None if on_hex is None else on_hex.future_label
        old = board.printed[hex_id].rotated(0)
        found = {name for name, new in board.tiles.items() if can_upgrade(old, new, future_label=future)}
        different = found ^ set(hex_facts.get("first_tiles", ()))
        assert not different or is_title_rule(title, hex_id, different), (hex_id, different)
    for facts_of_tile in facts["tiles"]:
        name = facts_of_tile["name"]
        old = board.tiles[name].rotated(0)
        found = {other for other, new in board.tiles.items() if can_upgrade(old, new)}
        different = found ^ set(facts_of_tile.get("generic_upgrades", ()))
        assert not different or is_title_rule(title, name, different), (name, different)


@pytest.mark.parametrize("title", TITLES)
def test_closed_sides_are_those_of_the_reference(title: str) -> None:
    board, state = title_map(title), new_state(title)
    for facts in reference(title)["map"]["hexes"]:
        around = board.adjacent[facts["id"]]
        closed = [edge for edge in sorted(around) if board.neighbour(state, facts["id"], edge) is None]
        assert closed == sorted(facts.get("no_passage", ())), facts["id"]


@pytest.mark.parametrize("title", TITLES)
def test_cached_candidates_agree_with_the_two_tests(title: str) -> None:
    board = title_map(title)
    rules = TrackRules(board)
    inner = max(board.adjacent, key=lambda h: len(board.adjacent[h]))
    for old_tile in [*board.tiles.values(), board.printed[inner]]:
        for rotation in (0,) if old_tile.printed else (0, 2):
            old = old_tile.rotated(rotation)
            found = {(c.name, c.rotation) for c in rules.candidates(inner, old)}
            expected = {
                (new.name, r)
                for new in board.tiles.values()
                if can_upgrade(old, new)
                for r in range(6)
                if fits_in_place(old, new.rotated(r))
            }
            assert found == expected, old.name


def test_a_tile_is_followed_by_the_next_color_only() -> None:
    assert [next_color(c) for c in ("white", "yellow", "green", "brown")] == [
        "yellow",
        "green",
        "brown",
        "gray",
    ]
    assert [next_color(c) for c in ("gray", "red", "blue", "purple")] == [None] * 4
    assert not can_upgrade(placed("white"), tile("green", "0-3"))


def test_every_old_path_must_be_contained_in_a_new_one() -> None:
    old = placed("yellow", "0-3")
    assert paths_contained(old, placed("green", "0-3 0-4"))
    assert not paths_contained(old, placed("green", "0-2 3-4"))
    assert can_upgrade(old, tile("green", "1-4 1-2"))


def test_track_to_a_city_is_not_contained_in_track_to_a_town() -> None:
    assert not paths_contained(placed("yellow", "0-a", CITY), placed("green", "0-a", TOWN))
    assert paths_contained(placed("yellow", "0-a", CITY), placed("green", "0-a 1-a", CITY))


def test_labels_must_be_equal() -> None:
    assert label_fits(placed("yellow", label="Y"), tile("green", label="Y"))
    assert not label_fits(placed("yellow", label="Y"), tile("green"))
    assert not label_fits(placed("yellow"), tile("green", label="Y"))


def test_a_future_label_holds_from_its_color_on() -> None:
    old = placed("brown", label="Y")
    assert label_fits(old, tile("gray", label="O"), ("O", "gray"))
    assert not label_fits(old, tile("gray", label="Y"), ("O", "gray"))
    assert label_fits(placed("green", label="Y"), tile("brown", label="Y"), ("O", "gray"))


def test_a_company_lay_skips_label_and_counts() -> None:
    old, new = placed("white", "", TOWN), tile("yellow", "0-3", label="B")
    assert not can_upgrade(old, new)
    assert can_upgrade(old, new, special=True)


def test_the_number_of_towns_must_be_equal() -> None:
    assert not counts_fit(placed("white", "", TOWN), tile("yellow", "0-3"))
    assert counts_fit(placed("white", "", TOWN, TOWN), tile("yellow", "0-a 1-b", TOWN, TOWN))


def test_cities_may_merge_only_on_a_labelled_tile() -> None:
    two = "0-a 3-b"
    merged = tile("brown", "0-a 3-a", CITY, label="OO")
    assert counts_fit(placed("green", two, CITY, CITY, label="OO"), merged)
    assert not counts_fit(placed("green", two, CITY, CITY), tile("brown", "0-a 3-a", CITY))


def test_a_labelled_city_may_not_disappear() -> None:
    assert not counts_fit(placed("green", "0-a 3-a", CITY, label="Y"), tile("brown", "0-3", label="Y"))


def test_a_white_double_city_needs_a_tile_with_as_many_cities() -> None:
    old = placed("white", "", CITY, CITY, label="OO")
    assert not counts_fit(old, tile("yellow", "0-a", CITY, label="OO"))
    assert counts_fit(old, tile("yellow", "0-a 3-b", CITY, CITY, label="OO"))


def test_several_cities_stay_apart() -> None:
    old = placed("yellow", "0-a 3-b", CITY, CITY)
    assert groups_in_place(old, placed("green", "0-a 1-a 3-b 4-b", CITY, CITY))
    assert not groups_in_place(old, placed("green", "0-a 1-a 2-b 4-b", CITY, CITY))


def test_new_stops_appear_only_where_stops_are_added() -> None:
    old = placed("yellow", "0-a", CITY)
    assert not groups_in_place(old, placed("green", "1-a", CITY))
    assert groups_in_place(old, placed("green", "0-a 1-b", CITY, CITY))
    assert not groups_in_place(placed("yellow", "0-a", CITY), placed("green", "1-a 2-b 3-b", CITY, CITY))


def test_cities_of_different_size_may_not_lose_slots() -> None:
    big = NodeData(kind="city", slots=2)
    old = placed("green", "0-a 3-b", big, CITY)
    assert not slots_kept(old, placed("brown", "0-a 3-b", CITY, CITY))
    assert slots_kept(old, placed("brown", "3-a 0-b", CITY, big))
    assert slots_kept(placed("green", "0-a 3-b", big, big), placed("brown", "0-a 3-b", CITY, CITY))


def test_cities_without_track_map_by_position() -> None:
    assert city_map(placed("white", "", CITY, CITY), placed("yellow", "3-a 0-b", CITY, CITY)) == [0, 1]


def test_a_city_maps_to_the_new_city_with_its_exits() -> None:
    old = placed("yellow", "0-a 3-b", CITY, CITY)
    assert city_map(old, placed("green", "3-a 4-a 0-b 1-b", CITY, CITY)) == [1, 0]
    assert city_map(old, placed("brown", "0-a 1-a 3-a", CITY)) == [0, 0]


def test_a_city_without_track_takes_the_place_that_is_left() -> None:
    old = placed("yellow", "0-a", CITY, CITY)
    assert city_map(old, placed("green", "1-a 0-b", CITY, CITY)) == [1, 0]
    assert city_map(old, placed("green", "0-a 1-b", CITY, CITY)) == [0, 1]


def test_track_improves_if_it_is_new_or_its_stop_pays_more() -> None:
    low, high = NodeData(kind="city", revenue=20), NodeData(kind="city", revenue=30)
    old = placed("yellow", "0-a 3-a", low)
    assert track_restriction_paths(old, placed("green", "0-a 3-a 4-a", low)) == {2}
    assert track_restriction_paths(old, placed("green", "0-a 3-a 4-a", high)) == {0, 1, 2}
    assert track_restriction_paths(placed("white"), placed("yellow", "0-3")) == {0}


def test_old_stops_must_be_covered_by_new_ones() -> None:
    old = placed("yellow", "0-a 3-a", CITY)
    assert stops_covered(old, placed("green", "0-a 3-a 4-a", CITY))
    assert not stops_covered(old, placed("green", "0-a 3-b", CITY, CITY))
