"""Home tokens and tokens that wait for a place (core 8.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import events
from .board import tokens
from .state import Corporation, PendingToken, Ref

if TYPE_CHECKING:
    from .game import Game


def place_home_token(game: Game, corporation: Corporation) -> None:
    """Place a corporation's first token at home, or queue it when its city has to be chosen."""
    if not corporation.tokens or corporation.tokens[0].hex is not None:
        return
    hexes = game.title.home_hexes(game, corporation)
    if not corporation.home or must_choose(game, corporation, hexes[0]):
        queue(game, corporation, 0, hexes, corporation.ref)
        return
    hex_id = hexes[0]
    city = home_city(game, corporation, hex_id)
    slot = tokens.slot_for(
        game.title.map, game.state, hex_id, city, corporation.sym, mode=game.title.track.tile_reservation_blocks
    )
    if slot is not None:
        put(game, corporation, 0, hex_id, city, slot)


def must_choose(game: Game, corporation: Corporation, hex_id: str) -> bool:
    """Whether the home hex keeps a place without saying which city, and has track."""
    on_hex = game.state.board[hex_id]
    return corporation.sym in on_hex.reserved and bool(game.title.map.tile_at(game.state, hex_id).paths)


def home_city(game: Game, corporation: Corporation, hex_id: str) -> int:
    """The city reserved for the corporation, else the first."""
    for index, city in enumerate(game.state.board[hex_id].cities):
        if corporation.sym in city.reserved:
            return index
    return 0


def put(
    game: Game, corporation: Corporation, token: int, hex_id: str, city: int, slot: int | None, cost: int = 0
) -> None:
    """Place a token; networks are recomputed."""
    tokens.place(game.title.map, game.state, corporation.sym, token, hex_id, city, slot)
    game.emit(events.TokenPlaced(corporation.sym, hex_id, city, cost))
    game.title.after_token(game, corporation, hex_id)
    game.board_changed()


def queue(game: Game, corporation: Corporation, token: int, hexes: list[str], entity: Ref) -> None:
    """A token has to be placed by ``entity`` before play goes on."""
    game.round.pending_tokens.append(PendingToken(corporation.sym, token, list(hexes), entity))
