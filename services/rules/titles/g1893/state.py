"""State of 1893 beyond the base: the auction of the starting cards, votes and mergers, the FdSD."""

from __future__ import annotations

import msgspec

from ...engine.state import GameState, Ref, Struct


class Vote(Struct):
    """A vote on founding ``target`` ("" once decided), in percent; ``weights`` by player id as text."""

    target: str
    weights: dict[str, int]
    no: int
    yes: int = 0


class State1893(GameState):
    """State of a game of 1893."""

    draft_passers: list[int | str] = msgspec.field(default_factory=list)
    """Players who have no further turn in the draft and in the first stock round (1893 2.2, 2.4)."""
    item: str | None = None
    """Card that is being auctioned off after it was left over (1893 2.3)."""
    selector: Ref | None = None
    """Who nominated it."""
    bidders: list[int | str] = msgspec.field(default_factory=list)
    """Who has not declined it at its first price."""
    fdsd_par: str | None = None
    """Par cell of the RAG for which the owner of the FdSD must say how he pays (1893 3.4)."""
    fdsd_closing: bool = False
    """The FdSD closes with its owner's next purchase of shares (1893 5.1)."""
    on_sale: list[str] = msgspec.field(default_factory=list)
    """AGV and HGK once their shares are on sale; votes on them are held until they are founded (1893 4.8)."""
    forced: list[str] = msgspec.field(default_factory=list)
    """AGV and HGK if they are to be founded in the next merger round."""
    vote: Vote | None = None
    merge_discard: list[str] = msgspec.field(default_factory=list)
    """Founded corporations that may, or must, discard trains now."""
    next_operating: int = 1
    """Number of the operating round before which a merger round takes place; one more than there are: none."""
