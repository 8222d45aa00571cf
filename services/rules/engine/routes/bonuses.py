"""Route bonuses and subsidies as data: checked by the engine and handed to the route search as they are.

Places are named by hex: a stop meets a set of hexes if it lies in one of them.
"""

from __future__ import annotations

import msgspec


class SetBonus(msgspec.Struct, frozen=True):
    """``amount``, once a route, if the paid stops meet every set of ``all_of``.

    ``multiplied``: the train's multiplier applies.
    """

    name: str
    all_of: tuple[frozenset[str], ...]
    amount: int
    multiplied: bool = False


class EchoMaxBonus(msgspec.Struct, frozen=True):
    """If a paid stop is in ``if_any``: the highest value of the paid stops outside ``excluded`` again."""

    name: str
    if_any: frozenset[str]
    excluded: frozenset[str] = frozenset()


Bonus = SetBonus | EchoMaxBonus


class StopSubsidy(msgspec.Struct, frozen=True):
    """Treasury money: ``amount``, once a route, if it visits a stop in ``hexes``."""

    hexes: frozenset[str]
    amount: int
