"""Green cities that become two brown ones: tokens lifted and placed anew, reservations (1894 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import homes
from ...engine.board import lays, tokens
from ...engine.board.map import new_cities
from ...engine.state import City, Corporation, Hex, PendingToken
from .state import of
from .track import SPLIT_TILES

if TYPE_CHECKING:
    from ...engine.game import Game


def is_split(on_hex: Hex) -> bool:
    """Whether one of the tiles with two separate cities lies on a hex."""
    return on_hex.tile in SPLIT_TILES


def settle(game: Game, operator: Corporation, hex_id: str) -> None:
    """After a split: lift all tokens, keep reservations for the whole tile, forget who has had a route.

    The operator's token waits for its place at once, those of others until the end of the turn.
    """
    state = of(game)
    on_hex = state.board[hex_id]
    lifted = sorted(lays.tokens_on(state, hex_id), key=lambda entry: (entry[2].slot is None, entry[2].slot or 0))
    reserved = [sym for city in on_hex.cities for sym in city.reserved if sym is not None]
    on_hex.cities = new_cities(game.title.map.tile_at(state, hex_id))
    on_hex.reserved.extend(reserved if game.live else reserved[:1])
    for sym, index, token in lifted:
        token.hex, token.city, token.slot, token.price = None, 0, None, 0
        corporation = game.corporation(sym)
        if corporation is operator:
            homes.queue(game, corporation, index, [hex_id], corporation.ref)
        else:
            state.replace_tokens.append(PendingToken(sym, index, [hex_id], corporation.ref))
    state.has_route = []
    game.board_changed()


def settle_reservations(game: Game, hex_id: str) -> None:
    """A reservation of the whole tile moves to the only city that its owner can still use."""
    on_hex = game.state.board[hex_id]
    if not is_split(on_hex):
        return
    for sym in list(on_hex.reserved):
        usable = [city for city in on_hex.cities if tokens.free_slot(game.state, city, sym) is not None]
        if len(usable) == 1:
            on_hex.reserved.remove(sym)
            reserve(usable[0], sym)


def reserve(city: City, sym: str) -> None:
    """Keep the first open slot of a city."""
    slot = next((i for i in range(len(city.slots)) if tokens.is_open(city, i)), len(city.slots))
    city.reserved.extend([None] * (slot + 1 - len(city.reserved)))
    city.reserved[slot] = sym


def pending_on(game: Game, hex_id: str) -> int:
    """Tokens of others that wait for their place on a hex."""
    return sum(hex_id in pending.hexes for pending in of(game).replace_tokens)


def place_home_tokens(game: Game, corporation: Corporation) -> None:
    """A token in every home hex in the corporation's first turn (1894 4.1); free."""
    if not corporation.home or corporation.tokens[0].hex is not None:
        return
    for index, hex_id in enumerate(corporation.home):
        if corporation.tokens[index].hex is not None:
            continue
        on_hex = game.state.board[hex_id]
        if is_split(on_hex) and not any(corporation.sym in city.reserved for city in on_hex.cities):
            homes.queue(game, corporation, index, [hex_id], corporation.ref)
            continue
        city = homes.home_city(game, corporation, hex_id)
        slot = tokens.slot_for(game.title.map, game.state, hex_id, city, corporation.sym)
        if slot is not None:
            homes.put(game, corporation, index, hex_id, city, slot)
