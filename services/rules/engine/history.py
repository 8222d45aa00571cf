"""Which actions of a raw log are in effect: the undo/redo filter of core section 1.6."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from typing import Any

from .errors import MalformedAction


class UndoFilter:
    """Reads a raw log action by action; every step costs about as much as it undoes or redoes."""

    def __init__(self) -> None:
        self._length = 0
        self._first: dict[Hashable, int] = {}
        """Action id to its first position."""
        self._messages: list[int] = []
        self._live: list[int] = []
        """Positions in effect, ascending; messages, which are never undone, are apart."""
        self._undone: list[list[int]] = []

    def add(self, action: Mapping[str, Any]) -> None:
        """Read the next action; raises :class:`MalformedAction` for an undo or redo that cannot be."""
        kind = action.get("type")
        if kind == "undo":
            start = bisect_left(self._live, self._undo_start(action))
            self._undone.append(self._live[start:])
            del self._live[start:]
        elif kind == "redo":
            if not self._undone:
                raise MalformedAction("nothing_to_redo", "There is nothing to redo.", index=self._length)
            self._live += self._undone.pop()
        elif kind == "message":
            self._messages.append(self._length)
        else:
            self._live.append(self._length)
            self._undone.clear()
        label = action.get("id")
        if isinstance(label, int | str):
            self._first.setdefault(label, self._length)
        self._length += 1

    def effective(self) -> list[int]:
        """Indexes (ascending) of the actions in effect so far."""
        return sorted(self._live + self._messages) if self._messages else list(self._live)

    def _undo_start(self, undo: Mapping[str, Any]) -> int:
        """First position an undo clears from."""
        target = undo.get("action_id")
        if target is None:
            return self._live[-1] if self._live else 0
        if target == 0:
            return 0
        if isinstance(target, int | str) and target in self._first:
            return self._first[target] + 1
        raise MalformedAction("unknown_action_id", f"There is no action {target} to go back to.", action_id=target)


def effective_indexes(actions: Sequence[Mapping[str, Any]]) -> list[int]:
    """Indexes (ascending) of the actions that count after every undo and redo of the log.

    Raises :class:`MalformedAction` for an undo of an unknown action id or a redo of nothing.
    """
    log = UndoFilter()
    for action in actions:
        log.add(action)
    return log.effective()


def effective_at(actions: Sequence[Mapping[str, Any]], versions: Container[int]) -> Iterator[tuple[int, list[int]]]:
    """Each of the ``versions`` (numbers of actions, 1 or more) with the :func:`effective_indexes` of so many
    actions, in one pass.
    """
    log = UndoFilter()
    for version, action in enumerate(actions, start=1):
        log.add(action)
        if version in versions:
            yield version, log.effective()
