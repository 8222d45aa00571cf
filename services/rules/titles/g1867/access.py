"""Typed access to the title and state of a game of 1867 or 1861."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.game import Game
from ...engine.state import Corporation
from .state import State1867

if TYPE_CHECKING:
    from .rules import Title1867


def state_of(game: Game) -> State1867:
    """The game's state with the fields of these titles."""
    state = game.state
    assert isinstance(state, State1867)
    return state


def title_of(game: Game) -> Title1867:
    """The game's title with the hooks of these titles."""
    from .rules import Title1867

    title = game.title
    assert isinstance(title, Title1867)
    return title


def national_of(game: Game) -> Corporation:
    """The national railway."""
    return game.corporation(title_of(game).national)


def minors(game: Game) -> list[Corporation]:
    """Floated minors in operating order (1867 2.5)."""
    return game.market_order([c for c in game.corporations if c.kind == "minor" and c.floated])


def majors(game: Game) -> list[Corporation]:
    """Floated majors in operating order."""
    return game.market_order([c for c in game.corporations if c.kind == "major" and c.floated])


def unstarted_majors(game: Game) -> list[Corporation]:
    """Majors of the list that may be parred or formed."""
    return [c for c in game.corporations if c.kind == "major" and not c.floated and not c.started]
