"""State of 1894 beyond the common one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...engine.state import GameState, PendingToken

if TYPE_CHECKING:
    from ...engine.game import Game


class State1894(GameState):
    """``french_leader`` is the French corporation that starts together with Belge (1894 2.1).

    ``redeemed`` lists, by corporation, the indexes of shares bought back; they lie among its unsold ones but are not
    for sale (1894 4.2). ``replace_tokens`` are tokens of others that the operator's split of a city has lifted (1894
    4.4). ``choosing_home`` is the late corporation whose home is to be chosen (1894 3.3). ``has_route`` remembers who
    has had a route; only the split of a city makes that forgotten (1894 9.25).
    """

    french_leader: str = ""
    redeemed: dict[str, list[int]] = msgspec.field(default_factory=dict)
    replace_tokens: list[PendingToken] = msgspec.field(default_factory=list)
    choosing_home: str | None = None
    has_route: list[str] = msgspec.field(default_factory=list)
    last_set_next: bool = False
    """A D train has been bought: the set after the next stock round is the last."""
    last_set: bool = False
    """The last set has begun: neither track nor tokens."""


def of(game: Game) -> State1894:
    """The state of a game of 1894."""
    state = game.state
    assert isinstance(state, State1894)
    return state
