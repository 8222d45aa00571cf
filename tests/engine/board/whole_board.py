"""A corporation's position read naively from the whole board, to check the network against (core 7.1)."""

from __future__ import annotations

from services.rules.engine.board.connectivity import End, PathId, Position
from services.rules.engine.board.map import Map
from services.rules.engine.board.tiles import NODE
from services.rules.engine.state import GameState


def whole_board(board: Map, state: GameState, sym: str) -> Position:
    """Every path, side and node of the board as seen by a corporation; ends are ("e" or "n", hex, number)."""
    paths: list[tuple[PathId, End, End]] = []
    terminal: set[PathId] = set()
    sides: dict[End, End] = {}
    stops: set[End] = set()
    no_pass: set[End] = set()
    starts: list[End] = []
    for token in state.corporations[sym].tokens:
        if token.hex is not None:
            node = board.tile_at(state, token.hex).cities[token.city]
            starts.append(("n", token.hex, node.index))
    for hex_id in board.printed:
        tile = board.tile_at(state, hex_id)
        for path in tile.paths:
            a, b = (("e", hex_id, end) if end < NODE else ("n", hex_id, end - NODE) for end in path.ends)
            paths.append(((hex_id, path.index), a, b))
            if path.terminal:
                terminal.add((hex_id, path.index))
        for edge in range(6):
            other = board.neighbour(state, hex_id, edge)
            if other is not None:
                sides["e", hex_id, edge] = ("e", other, (edge + 3) % 6)
        for node in tile.nodes:
            stops.add(("n", hex_id, node.index))
            if node.kind == "offboard" or (node.is_city and full(state, hex_id, node.city_index, sym)):
                no_pass.add(("n", hex_id, node.index))
    return Position(paths, sides, stops, list(dict.fromkeys(starts)), no_pass, (), terminal)


def full(state: GameState, hex_id: str, city_index: int, sym: str) -> bool:
    """All slots filled, and nobody on the city who would let the corporation through."""
    city = state.board[hex_id].cities[city_index]
    tokens = [*city.slots, *city.extra]
    return None not in city.slots and all(t is not None and t != sym and t[0] != "~" for t in tokens)
