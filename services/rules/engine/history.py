"""Which actions of a raw log are in effect: the undo/redo filter of core section 1.6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import MalformedAction


def effective_indexes(actions: Sequence[Mapping[str, Any]]) -> list[int]:
    """Indexes (ascending) of the actions that count after every undo and redo of the log.

    Raises :class:`MalformedAction` for an undo of an unknown action id or a redo of nothing.
    """
    live: list[bool] = []
    undone: list[list[int]] = []
    for index, action in enumerate(actions):
        kind = action.get("type")
        if kind == "undo":
            batch = [
                i for i in range(_undo_start(actions, live, action), index) if live[i] and not _is_message(actions[i])
            ]
            for i in batch:
                live[i] = False
            undone.append(batch)
            live.append(False)
        elif kind == "redo":
            if not undone:
                raise MalformedAction("nothing_to_redo", "There is nothing to redo.", index=index)
            for i in undone.pop():
                live[i] = True
            live.append(False)
        else:
            live.append(True)
            if kind != "message":
                undone.clear()
    return [i for i, is_live in enumerate(live) if is_live]


def _is_message(action: Mapping[str, Any]) -> bool:
    return action.get("type") == "message"


def _undo_start(actions: Sequence[Mapping[str, Any]], live: list[bool], undo: Mapping[str, Any]) -> int:
    """First position an undo clears from."""
    target = undo.get("action_id")
    if target is None:
        for i in range(len(live) - 1, -1, -1):
            if live[i] and not _is_message(actions[i]):
                return i
        return 0
    if target == 0:
        return 0
    for i in range(len(live)):
        if actions[i].get("id") == target:
            return i + 1
    raise MalformedAction("unknown_action_id", f"There is no action {target} to go back to.", action_id=target)
