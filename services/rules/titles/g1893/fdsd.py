"""The FdSD: exchanged for market shares of the RAG, or used to pay for its par (1893 3.4, 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import companies, events, shares, trading
from ...engine.shares import Bundle
from ...engine.state import POOL, Player
from .access import FDSD, RAG, owns, state_of

if TYPE_CHECKING:
    from ...engine.game import Game

MOST_SHARES = 2


def can_exchange(game: Game, player: Player) -> bool:
    """Whether the turn's purchase is open and the market has shares of the RAG."""
    return owns(game, player, FDSD) and is_useful(game)


def is_useful(game: Game) -> bool:
    """Whether its owner could exchange it if it were his turn."""
    rag = game.corporation(RAG)
    by_player = companies.owner_purse(game, game.company(FDSD)) is not None
    return by_player and rag.started and bool(shares.held(rag, POOL)) and not trading.has_bought(game)


def fits_limit(game: Game, player: Player) -> bool:
    """Whether one more share stays within the holding limit; the second one may exceed it."""
    rag = game.corporation(RAG)
    return shares.holding_ok(game, player, rag, shares.unit(game, rag))


def lifts_limits(game: Game, player: Player, sym: str) -> bool:
    """Whether the player may buy a corporation's shares whatever he holds or has sold."""
    return sym == RAG and owns(game, player, FDSD)


def exchange(game: Game, player: Player, named: Bundle) -> Bundle:
    """Give up the FdSD for the first two market shares, or the only one left; returns what was gained."""
    rag = game.corporation(RAG)
    first = tuple(shares.held(rag, POOL)[:MOST_SHARES])
    indexes = first if len(first) == MOST_SHARES else named.indexes
    sizes = game.title.sizes[RAG]
    bundle = Bundle(RAG, POOL, indexes, sum(sizes[i] for i in indexes))
    close(game)
    game.emit(events.SharesGiven(player.ref, RAG, bundle.shares, FDSD))
    shares.transfer(game, bundle, player.ref)
    shares.check_float(game, rag)
    return bundle


def close(game: Game) -> None:
    companies.close(game, game.company(FDSD))
    state_of(game).fdsd_closing = False


def close_in_time(game: Game, player: Player) -> None:
    """By the corrected rule: the owner's turn is over, and with it the FdSD if it is to close."""
    if state_of(game).fdsd_closing and owns(game, player, FDSD):
        close(game)
