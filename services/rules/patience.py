"""How long a request's work in a thread may go on.

A thread cannot be stopped from outside, so long work asks now and then whether it still is wanted.
"""

from __future__ import annotations

import time

from services.rules.errors import GivenUp, Overdue


class Patience:
    """Ends after ``seconds``, or when nobody waits for the work any more."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = time.monotonic() + seconds
        self._gone = False

    @property
    def left(self) -> float:
        """Seconds left, 0 or more."""
        return max(0.0, self._until - time.monotonic())

    def give_up(self) -> None:
        """Nobody waits any more. May be called from any thread, and after the end of the work."""
        self._gone = True

    def check(self, where: str) -> None:
        """Raise :class:`GivenUp` or :class:`Overdue`; ``where`` says for people how far the work came."""
        if self._gone:
            raise GivenUp("given_up", "The client has gone; nothing was kept.")
        if not self.left:
            raise self.overdue(where)

    def overdue(self, where: str) -> Overdue:
        """The error for work whose time is over."""
        message = f"This took longer than {self.seconds:.3g} s and was given up {where}; nothing was kept."
        return Overdue("too_slow", message, seconds=self.seconds)
