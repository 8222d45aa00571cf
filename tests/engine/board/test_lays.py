"""Laying track: what is legal on a hex, and what carries over (core 5.3, 6.2-6.4)."""

from __future__ import annotations

import msgspec
import pytest

from services.rules.engine.board.lays import (
    ALL_EDGES,
    completed_borders,
    lay,
    legal_lays,
    legal_rotations,
    refusal,
    track_restriction_ok,
    trial_lay,
)
from services.rules.engine.board.tiles import PlacedTile, Tile
from services.rules.engine.board.tokens import place
from services.rules.engine.board.track_rules import TrackRules
from services.rules.engine.board.upgrades import FutureLabel
from services.rules.engine.state import GameState

from .replay import TITLES, BoardReplay, games, need_shared, new_state, title_map

OPTIONS_CHANGE_TILES = {("1888", "gen-01"), ("1893", "gen-05"), ("1893", "gen-06")}
"""Games whose options change the tile supply, which is a title's business."""

SPLITS = {"14": ("X16", "X17", "X18"), "15": ("X19", "X20", "X21"), "619": ("X22", "X23", "X24")}


class FerryTiles(TrackRules):
    """1888: company tiles on blue and red hexes, one of which faces the sea until its partner lies."""

    PLACES = {"L39": "H2", "L40a": "E17", "L40b": "F16"}  # noqa: RUF012

    def upgrade_allowed(
        self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None, special: bool
    ) -> bool:
        if special and new.name in self.PLACES:
            return self.PLACES[new.name] == hex_id
        return super().upgrade_allowed(hex_id, old, new, future_label, special)

    def passable_edges(self, state: GameState, hex_id: str) -> int:
        return super().passable_edges(state, hex_id) | {"E17": 1, "F16": 1 << 3}.get(hex_id, 0)


class DoubleTownToCity(TrackRules):
    """1893: the yellow double town becomes a city."""

    restriction = "semi_restrictive"

    def upgrade_allowed(
        self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None, special: bool
    ) -> bool:
        if old.name in ("K1", "K55"):
            return new.name == "K314"
        return super().upgrade_allowed(hex_id, old, new, future_label, special)

    def rotation_allowed(self, hex_id: str, old: PlacedTile, new: PlacedTile) -> bool:
        return new.rotation == 0 if new.name == "K314" else super().rotation_allowed(hex_id, old, new)


class SplitCities(TrackRules):
    """1894: brown tiles split a city, and the tokens of one hex stay where they are."""

    def upgrade_allowed(
        self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None, special: bool
    ) -> bool:
        if old.name in SPLITS:
            return new.name in SPLITS[old.name]
        return super().upgrade_allowed(hex_id, old, new, future_label, special)

    def rotation_allowed(self, hex_id: str, old: PlacedTile, new: PlacedTile) -> bool:
        if old.name in SPLITS:
            return old.exits == new.exits
        return super().rotation_allowed(hex_id, old, new)

    def lifts_tokens(self, hex_id: str, old: PlacedTile, new: PlacedTile, special: bool) -> bool:
        return special and super().lifts_tokens(hex_id, old, new, special)


class LabelExceptions(TrackRules):
    """1862: two hexes may change their label in brown, and towns can be added to a tile."""

    restriction = "semi_restrictive"

    def upgrade_allowed(
        self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None, special: bool
    ) -> bool:
        if old.towns and old.name.partition("_")[0] == new.name.partition("_")[0]:
            return len(new.rotated(0).towns) == len(old.towns) + 1
        return super().upgrade_allowed(hex_id, old, new, future_label, special)

    def rotation_allowed(self, hex_id: str, old: PlacedTile, new: PlacedTile) -> bool:
        if new.color == old.color:
            return old.exits == new.exits
        return super().rotation_allowed(hex_id, old, new)

    def label_fits(self, hex_id: str, old: PlacedTile, new: Tile, future_label: FutureLabel | None) -> bool:
        if new.color == "brown" and (hex_id, old.label, new.label) in (("F11", "N", "I"), ("F13", "Y", "H")):
            return True
        return super().label_fits(hex_id, old, new, future_label)


class MostExits(TrackRules):
    restriction = "semi_restrictive"
    max_exits = True


RULES = {
    "1830": TrackRules,
    "1861": MostExits,
    "1862": LabelExceptions,
    "1867": MostExits,
    "1888": FerryTiles,
    "1893": DoubleTownToCity,
    "1894": SplitCities,
}


def check_game(title: str, name: str) -> None:
    rules = RULES[title](title_map(title))
    state = new_state(title, homes=() if title == "1862" else None)
    replay = BoardReplay(title, name, rules, "always" if title == "1830" else "never", state)
    replay.ignore_supply = title == "1862"  # its base tiles are counters of their own
    replay.run()
    differences = replay.differences
    if title == "1894":  # a split lifts the city's tokens and moves its reservation to the tile
        title_rules = ("does not accept", "reserved of")
        differences = [text for text in differences if not any(part in text for part in title_rules)]
    assert not differences, "\n".join(differences[:10])
    assert replay.lays > 0
    if title != "1894":
        assert replay.skipped <= max(3, replay.compared // 10)


@pytest.mark.parametrize("title", TITLES)
def test_recorded_lays_are_offered_and_give_the_traced_board(title: str) -> None:
    need_shared("traces")
    for name in [g for g in games(title) if (title, g) not in OPTIONS_CHANGE_TILES][:3]:
        check_game(title, name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("title", TITLES)
def test_every_recorded_lay_is_offered_and_gives_the_traced_board(title: str) -> None:
    need_shared("traces")
    for name in games(title):
        if (title, name) not in OPTIONS_CHANGE_TILES:
            check_game(title, name)


def rules_1830() -> tuple[TrackRules, GameState]:
    return TrackRules(title_map("1830")), new_state("1830")


def test_exits_may_not_face_the_edge_of_the_map_or_a_closed_side() -> None:
    rules, state = rules_1830()
    assert rules.board.neighbour(state, "F8", 2) is None
    assert all(
        2 not in rules.board.tiles[tile].rotated(r).exits for tile, r in legal_lays(rules, state, "F8", ALL_EDGES)
    )


def test_an_exit_must_be_on_a_reached_edge() -> None:
    rules, state = rules_1830()
    for tile, rotation in legal_lays(rules, state, "I17", {1}):
        assert 1 in rules.board.tiles[tile].rotated(rotation).exits
    assert legal_lays(rules, state, "I17", set()) == []


def test_only_colors_of_the_phase_are_offered() -> None:
    rules, state = rules_1830()
    lay(rules, state, "I17", "9", 1)
    assert legal_lays(rules, state, "I17", ALL_EDGES, ("yellow",)) == []
    assert legal_lays(rules, state, "I17", ALL_EDGES, ("yellow", "green")) != []


def test_an_upgrade_keeps_the_old_track_in_place() -> None:
    rules, state = rules_1830()
    lay(rules, state, "I17", "9", 1)
    for tile, rotation in legal_lays(rules, state, "I17", ALL_EDGES):
        assert any({1, 4} == set(path.edges) for path in rules.board.tiles[tile].rotated(rotation).paths)


def test_a_laid_tile_leaves_the_supply_and_comes_back_when_replaced() -> None:
    rules, state = rules_1830()
    lay(rules, state, "I17", "9", 1, copy=2)
    assert 2 not in state.supply["9"] and len(state.supply["9"]) == 6
    lay(rules, state, "I17", "23", 1)
    assert state.supply["9"][-1] == 2
    assert state.board["I17"].tile == "23"


def test_a_tile_out_of_supply_is_not_offered_and_cannot_be_laid() -> None:
    rules, state = rules_1830()
    state.supply["57"] = []
    assert all(tile != "57" for tile, _ in legal_lays(rules, state, "H10", ALL_EDGES))
    before = msgspec.msgpack.encode(state)
    with pytest.raises(ValueError, match="57"):
        lay(rules, state, "H10", "57", 0)
    assert msgspec.msgpack.encode(state) == before


def test_laying_an_unlimited_tile_adds_the_copy_after_the_highest() -> None:
    rules, state = MostExits(title_map("1861")), new_state("1861")
    assert state.supply["9"] == [0]
    lay(rules, state, "F14", "9", 0, copy=0)
    lay(rules, state, "F16", "9", 0, copy=1)
    assert state.supply["9"] == [2]
    lay(rules, state, "F14", "23", 0)
    assert state.supply["9"] == [2, 0]
    lay(rules, state, "F12", "9", 0, copy=0)
    assert state.supply["9"] == [2, 3]


def test_terrain_cost_is_that_of_the_replaced_tile() -> None:
    rules, state = rules_1830()
    first = lay(rules, state, "F4", "57", 0)
    assert (first.terrain_cost, first.is_upgrade) == (80, False)
    second = lay(rules, state, "F4", "14", 0)
    assert (second.terrain_cost, second.is_upgrade) == (0, True)


def test_first_track_with_several_cities_lifts_the_tokens() -> None:
    rules, state = rules_1830()
    place(rules.board, state, "ERIE", 0, "E11", 0, 0)
    result = lay(rules, state, "E11", "59", legal_rotations(rules, state, "E11", "59", ALL_EDGES)[0])
    assert result.lifted == [("ERIE", 0)]
    assert state.corporations["ERIE"].tokens[0].hex is None
    assert [city.slots for city in state.board["E11"].cities] == [[None], [None]]


def test_tokens_and_reservations_follow_their_city() -> None:
    rules, state = rules_1830()
    place(rules.board, state, "PRR", 1, "G19", 1, 0)
    lay(rules, state, "G19", "54", legal_rotations(rules, state, "G19", "54", ALL_EDGES)[0])
    cities = state.board["G19"].cities
    token = state.corporations["PRR"].tokens[1]
    assert cities[token.city].slots[token.slot or 0] == "PRR"
    assert cities[1 - token.city].reserved == ["NYNH"]


def test_a_reserved_slot_is_not_taken_by_a_carried_token() -> None:
    rules, state = rules_1830()
    lay(rules, state, "E19", "57", 1)
    state.board["E19"].cities[0].reserved = []
    place(rules.board, state, "PRR", 1, "E19", 0, 0)
    state.board["E19"].cities[0].reserved = ["NYC"]
    lay(rules, state, "E19", "14", 1)
    assert state.board["E19"].cities[0].slots == [None, "PRR"]
    assert state.corporations["PRR"].tokens[1].slot == 1


def test_tokens_outside_the_slots_stay_outside() -> None:
    rules, state = rules_1830()
    lay(rules, state, "H10", "57", 1)
    place(rules.board, state, "PRR", 1, "H10", 0, 0)
    place(rules.board, state, "NYC", 1, "H10", 0, None)
    lay(rules, state, "H10", "14", 1)
    city = state.board["H10"].cities[0]
    assert (city.slots, city.extra) == (["PRR", None], ["NYC"])
    assert state.corporations["NYC"].tokens[1].slot is None


def test_a_border_is_paid_when_track_lies_on_both_sides_and_then_gone() -> None:
    rules, state = MostExits(title_map("1867")), new_state("1867")
    first = lay(rules, state, "N8", "9", 0)
    assert (first.border_cost, first.borders) == (0, [])
    placed = rules.board.tiles["9"].rotated(0)
    assert completed_borders(rules.board, state, "N10", placed) == [(3, "water", 80)]
    second = lay(rules, state, "N10", "9", 0)
    assert second.border_cost == 80
    assert all(border[0] != 3 for border in state.board["N10"].borders)
    assert all(border[0] != 0 for border in state.board["N8"].borders)


def test_the_first_tile_on_a_stub_uses_it() -> None:
    rules, state = MostExits(title_map("1867")), new_state("1867")
    lays = legal_lays(rules, state, "G15", ALL_EDGES)
    assert lays
    assert all(1 in rules.board.tiles[tile].rotated(rotation).exits for tile, rotation in lays)


def test_a_future_label_replaces_the_label_in_its_color() -> None:
    rules, state = MostExits(title_map("1867")), new_state("1867")
    assert state.board["J12"].future_label == ("O", "gray")
    for tile in ("202", "207", "623"):
        lay(rules, state, "J12", tile, legal_rotations(rules, state, "J12", tile, ALL_EDGES)[0])
    assert {tile for tile, _ in legal_lays(rules, state, "J12", ALL_EDGES)} == {"X8"}
    lay(rules, state, "J12", "X8", 0)
    assert state.board["J12"].future_label is None


def test_only_tiles_with_most_exits_go_on_a_city_where_the_title_says_so() -> None:
    board, state = title_map("1867"), new_state("1867")
    lay(TrackRules(board), state, "E17", "621", 2)
    counts = {
        len(board.tiles[tile].rotated(rotation).exits)
        for tile, rotation in legal_lays(MostExits(board), state, "E17", ALL_EDGES)
    }
    assert len(counts) == 1


def test_a_company_lay_ignores_labels_and_counts() -> None:
    rules, state = rules_1830()
    normal = {tile for tile, _ in legal_lays(rules, state, "B20", ALL_EDGES)}
    special = {tile for tile, _ in legal_lays(rules, state, "B20", ALL_EDGES, special=True)}
    assert normal == {"3", "4", "58"}
    assert special > normal


def test_legal_lays_can_be_limited_to_named_tiles() -> None:
    rules, state = rules_1830()
    assert {tile for tile, _ in legal_lays(rules, state, "F16", ALL_EDGES, tiles=("57",), special=True)} == {"57"}


@pytest.mark.parametrize(
    ("tile", "rotation", "edges", "colors", "code"),
    [
        ("999", 0, ALL_EDGES, None, "unknown_tile"),
        ("23", 0, ALL_EDGES, ("yellow",), "tile_color_not_available"),
        ("57", 0, ALL_EDGES, None, "tile_does_not_fit"),
        ("9", 2, ALL_EDGES, None, "exit_blocked"),
        ("8", 3, {0}, None, "exit_blocked"),
        ("8", 4, {5}, None, "not_connected"),
        ("8", 4, ALL_EDGES, None, None),
    ],
)
def test_a_refused_lay_says_why(
    tile: str, rotation: int, edges: set[int], colors: tuple[str, ...] | None, code: str | None
) -> None:
    rules, state = rules_1830()
    reason = refusal(rules, state, "F8", tile, rotation, edges, colors)
    assert (reason and reason[0]) == code


def test_a_trial_lay_leaves_no_trace() -> None:
    rules, state = MostExits(title_map("1867")), new_state("1867")
    lay(rules, state, "N8", "9", 0)
    place(rules.board, state, "CN", 0, "F16", 0, 0)
    before = msgspec.msgpack.encode(state)
    with trial_lay(rules, state, "N10", "9", 0) as result:
        assert result.border_cost == 80
        assert msgspec.msgpack.encode(state) != before
    with trial_lay(rules, state, "F16", "120", legal_rotations(rules, state, "F16", "120", ALL_EDGES)[0]):
        assert state.board["F16"].tile == "120"
    assert msgspec.msgpack.encode(state) == before


def test_a_semi_restrictive_upgrade_must_connect_new_track_or_a_better_stop() -> None:
    board = title_map("1861")
    rules = MostExits(board)
    old, new = board.tiles["9"].rotated(0), board.tiles["23"].rotated(0)
    added = next(path.index for path in new.paths if set(path.edges) != {0, 3})
    assert track_restriction_ok(rules, old, new, lambda index: index == added)
    assert not track_restriction_ok(rules, old, new, lambda index: index != added)
    assert track_restriction_ok(TrackRules(board), old, new, lambda index: False)
    city, better = board.tiles["57"].rotated(0), board.tiles["14"].rotated(0)
    assert track_restriction_ok(rules, city, better, lambda index: True)
    assert not track_restriction_ok(rules, city, better, lambda index: False)


def test_a_first_tile_satisfies_the_track_restriction() -> None:
    board = title_map("1861")
    blank, new = board.printed["F14"].rotated(0), board.tiles["9"].rotated(0)
    assert track_restriction_ok(MostExits(board), blank, new, lambda index: False)
