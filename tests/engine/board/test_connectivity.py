"""Connectivity against its definition, the recorded positions, and small boards drawn by hand (core 7.1)."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from services.rules.engine.board.connectivity import End, PathId, Position, connectivity
from tests.shared import SHARED

from .trail_oracle import TooManyTrails, TrailWalk

STATES = SHARED / "connectivity" / "states.jsonl.gz"
AROUND = ((0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0))


def drawn(
    *paths: str, sides: str = "", starts: str = "S", no_pass: str = "", terminal: tuple[str, ...] = ()
) -> Position:
    """A position of paths ``"a-b"``: upper-case ends are stops, ``*`` junctions, others sides."""
    mates: dict[End, End] = {}
    for pair in sides.split():
        a, b = pair.split("|")
        mates[a], mates[b] = b, a
    specs = [(text, *text.split("-")) for text in paths]
    ends = {end for _, *pair in specs for end in pair} | set(starts)
    return Position(
        [(key, a, b) for key, a, b in specs],
        mates,
        {end for end in ends if end.isupper()},
        list(starts),
        set(no_pass),
        {end for end in ends if end.startswith("*")},
        terminal,
    )


def test_a_trail_does_not_turn_round_on_a_loop_and_come_back_over_its_own_track() -> None:
    # From S over the side a|x, round the loop l-b-c-r: coming back over a|x would lead on to T.
    sides = "a|x l|b r|c k|m"
    result = connectivity(drawn("S-a", "a-k", "m-T", "x-l", "x-r", "b-c", sides=sides))
    assert result.paths == {"S-a", "x-l", "x-r", "b-c"}
    assert result.stops == {"S"}


def test_a_loop_that_closes_at_a_stop_is_run_both_ways_round() -> None:
    # A has a way in and a loop; what branches off the loop in either direction is reached.
    sides = "a|b c|e d|f g|p h|q"
    result = connectivity(drawn("S-a", "b-A", "A-c", "A-d", "e-f", "e-g", "f-h", "p-T", "q-U", sides=sides))
    assert result.paths == {"S-a", "b-A", "A-c", "A-d", "e-f", "e-g", "f-h", "p-T", "q-U"}
    assert result.stops == {"S", "A", "T", "U"}


def test_a_trail_passes_a_stop_but_not_twice() -> None:
    position = drawn("S-a", "b-A", "A-c", "A-d", "e-f", sides="a|b c|e d|f")
    assert connectivity(position).paths == {"S-a", "b-A", "A-c", "A-d", "e-f"}


def test_a_stop_that_may_not_be_passed_is_connected_but_nothing_behind_it() -> None:
    result = connectivity(drawn("S-a", "b-B", "B-c", "d-T", sides="a|b c|d", no_pass="B"))
    assert result.paths == {"S-a", "b-B"}
    assert result.stops == {"S", "B"}


def test_another_start_is_met_but_not_passed_and_explored_on_its_own() -> None:
    result = connectivity(drawn("S-a", "b-T", "T-c", "d-U", sides="a|b c|d", starts="ST"))
    assert result.paths == {"S-a", "b-T", "T-c", "d-U"}
    assert result.met == {"S": {"S", "T"}, "T": {"S", "T", "U"}}


def test_a_start_without_track_is_connected() -> None:
    result = connectivity(drawn("a-B"))
    assert (result.paths, result.stops, result.met) == (set(), {"S"}, {"S": {"S"}})


def test_a_terminal_path_ends_the_trail() -> None:
    sides = "a|b c|d"
    ended = drawn("S-a", "b-A", "A-c", "d-T", sides=sides, terminal=("b-A", "A-c"))
    assert connectivity(ended).paths == {"S-a", "b-A"}
    started = drawn("A-c", "d-T", sides=sides, starts="A", terminal=("A-c",))
    assert connectivity(started).paths == {"A-c", "d-T"}


def test_a_junction_joins_every_two_of_its_paths() -> None:
    position = drawn("S-a", "b-*", "c-*", "*-A", "d-T", sides="a|b c|d")
    assert connectivity(position).paths == {"S-a", "b-*", "c-*", "*-A", "d-T"}
    chained = drawn("S-a", "b-*1", "*1-*2", "*2-c", "d-T", sides="a|b c|d")
    assert connectivity(chained).stops == {"S", "T"}


def test_a_border_closed_on_one_side_is_closed() -> None:
    position = drawn("S-a", "b-T", sides="")
    position.sides = {"a": "b"}
    assert connectivity(position).paths == {"S-a"}


def test_a_path_between_ends_that_need_each_other_is_not_connected() -> None:
    # Trails reach v and u only from within the hex of v-u, never from outside, so nothing runs over v-u.
    position = drawn("S-a", "b-v", "w-x", "y-u", "v-u", sides="a|b v|w x|y u|t")
    assert connectivity(position).paths == {"S-a", "b-v", "w-x", "y-u"}


def test_a_path_whose_far_end_every_trail_has_used_is_not_connected() -> None:
    # A lone line out of S over b-v and back to the side u of the same hex: v-u would need v twice.
    position = drawn("S-a", "b-v", "w-x", "y-t", "u-v", sides="a|b v|w x|y t|u")
    assert connectivity(position).paths == {"S-a", "b-v", "w-x", "y-t"}


@st.composite
def boards(draw: st.DrawFn) -> Position:
    """Up to twelve hexes on a torus, each with a few paths between sides, stops and junctions."""
    width, height = draw(st.sampled_from([(2, 2), (3, 2), (3, 3), (4, 3)]))
    sides: dict[End, End] = {}
    paths: list[tuple[PathId, End, End]] = []
    stops: list[End] = []
    junctions: list[End] = []
    for x in range(width):
        for y in range(height):
            here = (x, y)
            for edge, (dx, dy) in enumerate(AROUND):
                other = ("e", ((x + dx) % width, (y + dy) % height), (edge + 3) % 6)
                if ("e", here, edge) not in sides and other not in sides:
                    sides["e", here, edge] = other
                    sides[other] = ("e", here, edge)
            ends: list[End] = [("e", here, edge) for edge in range(6)]
            kind = draw(st.sampled_from(["track", "track", "stop", "junction"])) if paths else "stop"
            if kind == "track":
                for _ in range(draw(st.integers(1, 3))):
                    a, b, *_ = draw(st.permutations(ends))
                    paths.append((len(paths), a, b))
                continue
            middle: End = (kind, here, 0)
            (stops if kind == "stop" else junctions).append(middle)
            for end in draw(st.lists(st.sampled_from(ends), min_size=2, max_size=4, unique=True)):
                paths.append((len(paths), end, middle))
            if draw(st.booleans()):
                second: End = ("stop", here, 1)
                stops.append(second)
                paths.append((len(paths), middle, second))
    starts = draw(st.lists(st.sampled_from(stops), min_size=1, max_size=3, unique=True))
    no_pass = draw(st.sets(st.sampled_from(stops), max_size=2)) - set(starts)
    terminal = draw(st.sets(st.integers(0, len(paths) - 1), max_size=2))
    return Position(paths, sides, set(stops), starts, no_pass, set(junctions), terminal)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(boards())
def test_connectivity_is_what_walking_every_trail_finds(position: Position) -> None:
    try:
        walked = TrailWalk(position, 50_000).run()
    except TooManyTrails:
        assume(False)
    found = connectivity(position)
    assert found.paths == walked.paths
    assert found.stops == walked.stops
    assert found.met == walked.met


def recorded(line: dict[str, Any]) -> Position:
    ends = {end for _, a, b, *_ in line["paths"] for end in (a, b)} | set(line["starts"])
    return Position(
        [(key, a, b) for key, a, b, *_ in line["paths"]],
        line["sides"],
        {end for end in ends if end.startswith("n:")},
        line["starts"],
        set(line["no_pass"]),
        {end for end in ends if end.startswith("j:")},
        {path[0] for path in line["paths"] if "terminal" in path[3:]},
    )


@pytest.mark.skipif(not STATES.is_file(), reason=f"recorded positions are not there: {STATES}")
def test_recorded_positions_have_no_difference() -> None:
    """Nine lines also list a stop to which no connected path leads, by a token ability (core 7.2)."""
    with gzip.open(STATES, "rt", encoding="utf-8") as lines:
        positions = [json.loads(text) for text in lines]
    assert len(positions) == 1480
    by_ability = 0
    for line in positions:
        found = connectivity(recorded(line))
        name = f"{line['title']} {line['state']}"
        assert found.paths == set(line["connected_paths"]), name
        on_track = {end for key, *pair in (path[:3] for path in line["paths"]) if key in found.paths for end in pair}
        expected = set(line["connected_nodes"])
        by_ability += bool(expected - on_track - set(line["starts"]))
        assert found.stops == expected & (on_track | set(line["starts"])), name
    assert by_ability == 9
