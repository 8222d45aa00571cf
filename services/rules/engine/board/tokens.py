"""Tokens and reservations on the board (core 5.4, 8.2, 8.3).

A slot holds the corporation's sym; a token of kind ``"neutral"`` is written with a leading ``~``. City
numbers are positions in ``Hex.cities``. Money, connection and turn order are not looked at here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ..state import City, GameState, Hex, Token
from .map import Map

NEUTRAL = "neutral"
ReservationMode = Literal["never", "always"]
"""How tile reservations of others block (core 19, "tile reservation blocks others")."""


def mark(sym: str, token: Token | None = None) -> str:
    """How a token is written in a slot."""
    return f"~{sym}" if token is not None and token.kind == NEUTRAL else sym


def owner(slot: str) -> str:
    """Corporation of a slot's token, neutral or not."""
    return slot[1:] if slot.startswith("~") else slot


def serves(state: GameState, reserved: str | None, sym: str) -> bool:
    """Whether a reservation is for ``sym``: its own, or that of a company it owns (core 8.2)."""
    if reserved is None:
        return False
    if reserved == sym:
        return True
    company = state.companies.get(reserved)
    return company is not None and company.owner is not None and company.owner.partition(":")[2] == sym


def is_open(city: City, slot: int) -> bool:
    """An empty slot that nobody has reserved."""
    return city.slots[slot] is None and (slot >= len(city.reserved) or city.reserved[slot] is None)


def open_slots(city: City) -> int:
    return sum(1 for slot in range(len(city.slots)) if is_open(city, slot))


def reserved_slot(state: GameState, city: City, sym: str) -> int | None:
    """Position of the reservation of ``sym`` in a city."""
    return next((i for i, reserved in enumerate(city.reserved) if serves(state, reserved, sym)), None)


def has_token(on_hex: Hex, sym: str) -> bool:
    """Whether ``sym`` has a token in any city of the hex, also a neutral one or one outside the slots."""
    return any(owner(t) == sym for city in on_hex.cities for t in [*city.slots, *city.extra] if t is not None)


def free_slot(state: GameState, city: City, sym: str) -> int | None:
    """The slot a token of ``sym`` goes to: its reserved one, else the first open one (core 8.2)."""
    slot = reserved_slot(state, city, sym)
    if slot is not None and slot < len(city.slots) and city.slots[slot] is None:
        return slot
    return next((i for i in range(len(city.slots)) if is_open(city, i)), None)


def tile_reservation_blocks(state: GameState, on_hex: Hex, sym: str, mode: ReservationMode = "never") -> bool:
    """Whether reservations on the whole tile keep ``sym`` out of its cities (core 8.2).

    ``always`` holds for tiles of the supply only; on preprinted ones reservations count as in ``never``.
    """
    if not on_hex.reserved:
        return False
    if mode == "always" and on_hex.tile is not None:
        return not any(serves(state, reserved, sym) for reserved in on_hex.reserved)
    others = sum(1 for reserved in on_hex.reserved if not serves(state, reserved, sym))
    return others >= sum(open_slots(city) for city in on_hex.cities)


def slot_for(
    board: Map,
    state: GameState,
    hex_id: str,
    city_index: int,
    sym: str,
    *,
    mode: ReservationMode = "never",
    same_hex_allowed: bool = False,
) -> int | None:
    """The slot a city gives to a new token of ``sym``, None if it accepts none (core 8.2 without the price).

    ``same_hex_allowed`` lifts the rule of one token per corporation and tile.
    """
    on_hex = state.board.get(hex_id)
    if on_hex is None:
        cities = board.printed[hex_id].rotated(0).cities
        return 0 if city_index < len(cities) and cities[city_index].slots else None
    if city_index >= len(on_hex.cities):
        return None
    city = on_hex.cities[city_index]
    slot = free_slot(state, city, sym)
    if slot is None or (not same_hex_allowed and has_token(on_hex, sym)):
        return None
    if reserved_slot(state, city, sym) is None and tile_reservation_blocks(state, on_hex, sym, mode):
        return None
    return slot


def place(
    board: Map,
    state: GameState,
    sym: str,
    token_index: int,
    hex_id: str,
    city_index: int,
    slot: int | None = None,
    *,
    keep_reservations: bool = False,
) -> Token:
    """Put a token of ``sym`` on the board and drop its reservations on that city and tile (core 8.2).

    ``slot`` None puts it outside the slots; a slot one past the last adds a slot to the city. Raises
    ``ValueError`` if the slot is taken or the token is on the board already.
    """
    token = state.corporations[sym].tokens[token_index]
    on_hex = board.hex_state(state, hex_id)
    city = on_hex.cities[city_index]
    if token.hex is not None:
        raise ValueError(f"token {token_index} of {sym} is on {token.hex} already")
    if slot is None:
        city.extra.append(mark(sym, token))
    else:
        if slot == len(city.slots):
            city.slots.append(None)
        if city.slots[slot] is not None:
            raise ValueError(f"slot {slot} of {hex_id} is taken")
        city.slots[slot] = mark(sym, token)
    token.hex, token.city, token.slot = hex_id, city_index, slot
    if not keep_reservations:
        clear_reservation(state, on_hex, city, sym)
    return token


def lift(board: Map, state: GameState, sym: str, token_index: int) -> str:
    """Take a token off the board; it can be used again. Returns the hex it stood on.

    A slot that had been added to the city goes with it. Raises ``ValueError`` if the token is not there.
    """
    token = state.corporations[sym].tokens[token_index]
    hex_id = token.hex
    if hex_id is None:
        raise ValueError(f"token {token_index} of {sym} is not on the board")
    city = state.board[hex_id].cities[token.city]
    if token.slot is None:
        city.extra.remove(mark(sym, token))
    else:
        city.slots[token.slot] = None
        regular = board.tile_at(state, hex_id).cities[token.city].slots
        while len(city.slots) > regular and city.slots[-1] is None:
            city.slots.pop()
    token.hex, token.city, token.slot = None, 0, None
    return hex_id


def move(
    board: Map, state: GameState, sym: str, token_index: int, hex_id: str, city_index: int, slot: int | None
) -> Token:
    """Lift a token and place it elsewhere, see :func:`place`."""
    lift(board, state, sym, token_index)
    return place(board, state, sym, token_index, hex_id, city_index, slot)


def placed_tokens(state: GameState, sym: str) -> Iterator[tuple[int, Token]]:
    """Tokens of ``sym`` on the board with their index, in charter order."""
    return ((i, token) for i, token in enumerate(state.corporations[sym].tokens) if token.hex is not None)


def token_in(state: GameState, hex_id: str, city_index: int, slot: int) -> tuple[str, int] | None:
    """Whose token stands in a slot: (corporation, token index); None if empty or ownerless."""
    text = state.board[hex_id].cities[city_index].slots[slot]
    corporation = None if text is None else state.corporations.get(owner(text))
    if corporation is None:
        return None
    for index, token in enumerate(corporation.tokens):
        if token.hex == hex_id and token.city == city_index and token.slot == slot:
            return corporation.sym, index
    return None


def reserve(state_board: dict[str, Hex], sym: str, hex_id: str, city_index: int | None = None) -> None:
    """Keep a place for ``sym`` (core 5.4): in the city named, or the only one of the hex, else on the tile.

    Works on the board alone so that it can be used while a game is set up.
    """
    on_hex = state_board[hex_id]
    cities = on_hex.cities
    if city_index is None and len(cities) == 1:
        city_index = 0
    if city_index is None:
        on_hex.reserved.append(sym)
    else:
        cities[city_index].reserved.append(sym)


def clear_reservation(state: GameState, on_hex: Hex, city: City, sym: str) -> None:
    """Drop the reservations of ``sym`` on a city and its tile; positions of others are kept (core 5.4)."""
    city.reserved = [None if serves(state, r, sym) else r for r in city.reserved]
    on_hex.reserved = [r for r in on_hex.reserved if not serves(state, r, sym)]


def drop_reservations(state: GameState, sym: str) -> list[str]:
    """Drop every reservation of a closed corporation or company; returns the hexes concerned (core 5.4)."""
    hexes = []
    for hex_id, on_hex in state.board.items():
        if sym in on_hex.reserved or any(sym in city.reserved for city in on_hex.cities):
            hexes.append(hex_id)
            on_hex.reserved = [r for r in on_hex.reserved if r != sym]
            for city in on_hex.cities:
                city.reserved = [None if r == sym else r for r in city.reserved]
    return hexes
