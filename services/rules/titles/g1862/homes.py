"""Home tokens: a free place, an upgrade, or somebody else's place (1862 2.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import events
from ...engine import homes as engine_homes
from ...engine.board import tokens
from ...engine.state import Corporation
from ...engine.steps.token import next_token
from . import charters
from .state import of

if TYPE_CHECKING:
    from ...engine.game import Game


def begin_at_home(game: Game, corporation: Corporation) -> None:
    """Place the home token at the start of a turn, or require the upgrade that makes room for it."""
    if corporation.tokens[0].hex is not None or charters.in_receivership(corporation):
        return
    slot = charters.home_slot(game, corporation)
    if slot is not None:
        place(game, corporation, slot)
    elif charters.upgrade_would_help(game, corporation.home[0]):
        of(game).home_upgrade = corporation.sym
    else:
        displace(game, corporation)


def place(game: Game, corporation: Corporation, slot: int) -> None:
    """The first unused token goes home."""
    charters.remove_marker(game, corporation)
    index = next_token(corporation)
    if index is not None:
        engine_homes.put(game, corporation, index, corporation.home[0], 0, slot)


def displace(game: Game, corporation: Corporation) -> None:
    """The token in the last slot of the city gives way; its owner may use it again."""
    hex_id = corporation.home[0]
    slot = len(game.state.board[hex_id].cities[0].slots) - 1
    standing = tokens.token_in(game.state, hex_id, 0, slot)
    if standing is not None:
        sym, index = standing
        tokens.lift(game.title.map, game.state, sym, index)
        game.emit(events.TokenRemoved(sym, hex_id))
    place(game, corporation, slot)
