"""The network of a corporation on real boards (core 7)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from services.rules.engine.board.connectivity import connectivity
from services.rules.engine.board.map import Map
from services.rules.engine.board.network import Network, blocks, build_network
from services.rules.engine.board.tiles import NODE
from services.rules.engine.state import City, GameState, Hex

from .replay import Mirror, need_shared, new_state, title_map, trace
from .trail_oracle import TooManyTrails, TrailWalk
from .whole_board import whole_board

RECORDED = {
    "1830": ("1830-a", "gen-03"),
    "1861": ("1861-a",),
    "1862": ("1862-a",),
    "1867": ("gen-01",),
    "1888": ("1888-a",),
    "1894": ("1894-a",),
}


def boards(title: str, name: str, every: int) -> Iterator[GameState]:
    """A state with the tiles and tokens of a recorded game after every so many changes of the board."""
    mirror, state, changes = Mirror(title), new_state(title), 0
    for line in trace(title, name):
        mirror.update(line["set"])
        hexes = {key for key in line["set"] if key.startswith("hex/")}
        mirror.copy_to(state, hexes)
        mirror.copy_to(state, {key for key in line["set"] if key.startswith("corp/")})
        changes += bool(hexes)
        if hexes and changes % every == 0:
            yield state


@pytest.mark.parametrize("title", RECORDED)
def test_network_is_what_trails_reach_on_recorded_boards(title: str) -> None:
    need_shared("traces")
    compared = 0
    for name in RECORDED[title]:
        for state in boards(title, name, every=7):
            for sym, corporation in state.corporations.items():
                if any(token.hex for token in corporation.tokens):
                    compared += 1
                    compare(title_map(title), state, sym)
    assert compared > 20


def compare(board: Map, state: GameState, sym: str) -> None:
    network = build_network(board, state, sym)
    position = whole_board(board, state, sym)
    try:
        walked = TrailWalk(position, 20_000).run()
    except TooManyTrails:
        walked = connectivity(position)
    assert network.connected_paths == walked.paths
    assert {("n", *node) for node in network.nodes} == walked.stops
    assert {("n", *start): {("n", *node) for node in met} for start, met in network.met.items()} == walked.met
    assert {(hex_id, edge) for hex_id, edges in network.edges.items() for edge in edges} == sides(board, state, network)


def sides(board: Map, state: GameState, network: Network) -> set[tuple[str, int]]:
    """Connected sides by the text of core 7.2."""
    around = [(hex_id, edge) for hex_id, _ in network.starts for edge in range(6)]
    found = {(hex_id, edge) for hex_id, edge in around if board.neighbour(state, hex_id, edge) is not None}
    for hex_id, path in network.connected_paths:
        for end in board.tile_at(state, hex_id).paths[path].ends:
            if end < NODE:
                found.add((hex_id, end))
                other = board.neighbour(state, hex_id, end)
                if other is not None:
                    found.add((other, (end + 3) % 6))
    return found


def lay(state: GameState, hex_id: str, tile: str, rotation: int, cities: list[City] | None = None) -> None:
    state.board[hex_id] = Hex(tile=tile, rotation=rotation, cities=cities or [])


def put(state: GameState, sym: str, hex_id: str, city: int = 0, slot: int | None = 0) -> None:
    token = next(token for token in state.corporations[sym].tokens if token.hex is None)
    token.hex, token.city, token.slot = hex_id, city, slot
    on_hex = state.board[hex_id].cities[city]
    if slot is None:
        on_hex.extra.append(sym)
    else:
        on_hex.slots[slot] = sym


@pytest.fixture
def board() -> Map:
    return title_map("1830")


@pytest.fixture
def line(board: Map) -> GameState:
    """PRR in H12 with track eastward: H14 straight, H16 a yellow city, then nothing."""
    state = new_state("1830")
    put(state, "PRR", "H12")
    lay(state, "H14", "9", 1)
    lay(state, "H16", "57", 1, [City([None])])
    return state


def test_a_token_connects_all_sides_of_its_hex_with_a_passable_neighbour(board: Map) -> None:
    state = new_state("1830")
    put(state, "PRR", "H12")
    network = build_network(board, state, "PRR")
    assert network.token_cities == network.connected_cities == {("H12", 0)}
    passable = {edge for edge in range(6) if board.neighbour(state, "H12", edge) is not None}
    assert network.edges["H12"] == passable
    assert network.reachable_hexes == {"H12"}
    assert (network.edges["H10"], network.edges["H14"]) == (frozenset({4}), frozenset({1}))


def test_track_behind_an_open_city_is_connected(board: Map, line: GameState) -> None:
    network = build_network(board, line, "PRR")
    assert network.reachable_hexes == {"H12", "H14", "H16"}
    assert network.connected_cities == {("H12", 0), ("H16", 0)}
    assert network.edges["H18"] == {1}
    assert network.route_available
    assert network.route_for_purchase


def test_a_full_city_of_others_blocks_the_network_and_is_connected(board: Map, line: GameState) -> None:
    put(line, "C&O", "H16")
    network = build_network(board, line, "PRR")
    assert ("H16", 0) in network.connected_cities
    assert "H18" not in network.edges
    assert "H18" in build_network(board, line, "PRR", blocking=False).edges


def test_own_extra_and_neutral_tokens_open_a_full_city(board: Map, line: GameState) -> None:
    put(line, "C&O", "H16")
    city = line.board["H16"].cities[0]
    assert blocks(board, line, "H16", 0, "PRR")
    assert not blocks(board, line, "H16", 0, "C&O")
    city.extra = ["PRR"]
    assert not blocks(board, line, "H16", 0, "PRR")
    city.extra, city.slots = [], ["~C&O"]
    assert not blocks(board, line, "H16", 0, "PRR")
    assert "H18" in build_network(board, line, "PRR").edges


def test_a_reserved_empty_slot_does_not_block(board: Map, line: GameState) -> None:
    line.board["H16"].cities[0].reserved = ["C&O"]
    assert not blocks(board, line, "H16", 0, "PRR")


def test_walls_are_met_but_not_passed(board: Map, line: GameState) -> None:
    network = build_network(board, line, "PRR", walls=frozenset({"H16"}))
    assert ("H16", 0) in network.nodes
    assert "H18" not in network.edges
    assert network.route_for_purchase


def test_a_second_own_token_counts_as_met_and_starts_its_own_trails(board: Map, line: GameState) -> None:
    put(line, "PRR", "H16")
    network = build_network(board, line, "PRR")
    assert network.met == {("H12", 0): {("H12", 0), ("H16", 0)}, ("H16", 0): {("H12", 0), ("H16", 0)}}
    assert network.edges["H18"] == {1}


def test_optional_nodes_make_a_route_available_but_no_train_compulsory(board: Map, line: GameState) -> None:
    network = build_network(board, line, "PRR", optional_nodes={("H16", 0)})
    assert network.route_available
    assert not network.route_for_purchase


def test_a_lone_token_has_no_route(board: Map) -> None:
    state = new_state("1830")
    put(state, "PRR", "H12")
    network = build_network(board, state, "PRR")
    assert not network.route_available
    assert not network.route_for_purchase


def test_a_city_may_count_as_if_it_held_a_token(board: Map, line: GameState) -> None:
    assert build_network(board, line, "C&O").nodes == set()
    network = build_network(board, line, "C&O", more_starts=[("H16", 0)])
    assert network.starts == (("H16", 0),)
    assert "H14" in network.reachable_hexes


def test_an_impassable_border_stops_trails(board: Map, line: GameState) -> None:
    line.board["H14"].borders = [(4, "impassable", 0)]
    network = build_network(board, line, "PRR")
    assert network.reachable_hexes == {"H12", "H14"}
    assert "H16" not in network.edges
