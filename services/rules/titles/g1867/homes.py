"""Where minors and majors may start (1867 3.4, 3.5)."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.board import tokens
from ...engine.board.geometry import opposite
from ...engine.board.tiles import Path
from ...engine.game import Game
from ...engine.state import City


def is_empty(city: City, *, but_neutral: bool = False) -> bool:
    """Whether no token stands in a city; ``but_neutral`` overlooks neutral markers."""
    standing = [slot for slot in (*city.slots, *city.extra) if slot is not None]
    return all(but_neutral and slot.startswith("~") for slot in standing)


def accepts(game: Game, sym: str, hex_id: str, city: int) -> bool:
    """Whether a city takes a token of the corporation."""
    return tokens.slot_for(game.title.map, game.state, hex_id, city, sym) is not None


def hexes_with_cities(game: Game) -> Iterator[str]:
    """Hexes with cities in the order of the map."""
    board = game.state.board
    return (hex_id for hex_id in game.title.data.map.hexes if hex_id in board and board[hex_id].cities)


def is_connected(game: Game, hex_id: str) -> bool:
    """Whether track from a city of the hex reaches a stop of another one.

    Track is followed over tiles without stops; arriving at a path that has a stop is enough.
    """
    board, state = game.title.map, game.state
    tile = board.tile_at(state, hex_id)
    waiting: list[tuple[str, Path]] = [(hex_id, path) for path in tile.paths if path.nodes]
    seen = {(hex_id, path.index) for _, path in waiting}
    while waiting:
        here, path = waiting.pop()
        for edge in path.edges:
            there = board.neighbour(state, here, edge)
            if there is None:
                continue
            for other in board.tile_at(state, there).paths_at.get(opposite(edge), ()):
                if other.nodes and there != hex_id:
                    return True
                if not other.nodes and (there, other.index) not in seen:
                    seen.add((there, other.index))
                    waiting.append((there, other))
    return False


def prefer_unconnected(game: Game, hexes: list[str]) -> list[str]:
    """The hexes without connection, or all of them if there is none."""
    return [hex_id for hex_id in hexes if not is_connected(game, hex_id)] or hexes
