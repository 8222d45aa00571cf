"""The late corporations LF and LB choose their home when they are parred (1894 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.board import tokens
from ...engine.errors import IllegalAction
from .split import is_split, reserve
from .state import of
from .track import PARIS

if TYPE_CHECKING:
    from ...engine.game import Game

LATE = ("LF", "LB")
BIG_CITIES = ("L", "B")
"""Labels of the hexes whose brown tile stays one city."""


def has_room(game: Game, sym: str, hex_id: str) -> bool:
    """Whether some city of a hex has an open slot for the corporation and nobody keeps the whole tile."""
    on_hex = game.state.board[hex_id]
    if on_hex.reserved:
        return False
    return any(
        tokens.slot_for(game.title.map, game.state, hex_id, city, sym) is not None for city in range(len(on_hex.cities))
    )


def candidates(game: Game, sym: str) -> list[str]:
    """Hexes the corporation may choose: those still without track if there are any."""
    listed: list[str] = game.title.data.facts.parameters["late_homes"][sym]
    found = [hex_id for hex_id in listed if has_room(game, sym, hex_id)]
    blank = [hex_id for hex_id in found if game.title.map.tile_at(game.state, hex_id).color == "white"]
    return blank or found


def text(game: Game, hex_id: str) -> str:
    """A choice as it is offered."""
    return f"{game.title.map.data.hexes[hex_id].name} ({hex_id})"


def choices(game: Game) -> dict[str, str]:
    """Hexes by the text of their choice, while a home has to be chosen."""
    sym = of(game).choosing_home
    return {} if sym is None else {text(game, hex_id): hex_id for hex_id in candidates(game, sym)}


def choose(game: Game, choice: int | str) -> str:
    """Make a hex the home and keep a place there. Returns the hex."""
    state = of(game)
    hex_id = choices(game).get(str(choice))
    sym = state.choosing_home
    if hex_id is None or sym is None:
        raise IllegalAction("not_a_choice", f"{choice!r} is not offered as a home of {sym}.")
    state.choosing_home = None
    game.corporation(sym).home = [hex_id]
    on_hex = state.board[hex_id]
    cities = on_hex.cities
    if hex_id == PARIS:
        city = cities[1]
        if game.live and tokens.free_slot(state, city, sym) is None:
            city = cities[0]
        reserve(city, sym)
    elif is_split(on_hex):
        usable = [city for city in cities if tokens.free_slot(state, city, sym) is not None]
        if len(usable) == 1:
            reserve(usable[0], sym)
        else:
            on_hex.reserved.append(sym)
    else:
        reserve(cities[0], sym)
    return hex_id
