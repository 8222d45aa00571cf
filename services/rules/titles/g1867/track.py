"""Track rules of 1867 and 1861 (1867 4.3)."""

from __future__ import annotations

from ...engine.board.track_rules import TrackRules


class Track(TrackRules):
    """Upgrades must add something usable; cities take the tile with most exits."""

    restriction = "semi_restrictive"
    max_exits = True
