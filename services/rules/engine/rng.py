"""The deterministic random numbers of core section 3; the generator's state lives in the game state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

MODULUS = 2**31
MULTIPLIER = 1103515245
INCREMENT = 12345

T = TypeVar("T")


def seed_from(seed: object, game_id: object) -> int:
    """Seed of a recorded game: its ``settings.seed``, else the first run of digits of its id, else 0."""
    if seed is not None and seed != "":
        return int(str(seed))
    digits = re.search(r"\d+", str(game_id))
    return int(digits[0]) if digits else 0


def start(seed: int) -> int:
    """Generator state for a seed."""
    return seed % MODULUS


def advance(state: int) -> int:
    """Next generator state, which is also the drawn value (0 .. 2**31 - 1)."""
    return (MULTIPLIER * state + INCREMENT) % MODULUS


def shuffled(state: int, items: Sequence[T]) -> tuple[int, list[T]]:
    """New generator state and the items sorted by one draw each."""
    drawn = []
    for item in items:
        state = advance(state)
        drawn.append((state, item))
    drawn.sort(key=lambda pair: pair[0])
    return state, [item for _, item in drawn]
