"""Undo and redo: which actions of a log are in effect (core 1.6)."""

from __future__ import annotations

from typing import Any

import pytest

from services.rules.engine.errors import MalformedAction
from services.rules.engine.history import effective_at, effective_indexes


def log(*kinds: str | tuple[str, int]) -> list[dict[str, Any]]:
    """Actions with ids 1, 2, ...; ``("undo", n)`` undoes back to action n."""
    actions: list[dict[str, Any]] = []
    for number, kind in enumerate(kinds, start=1):
        if isinstance(kind, tuple):
            actions.append({"type": kind[0], "action_id": kind[1], "id": number})
        else:
            actions.append({"type": kind, "id": number})
    return actions


def test_undo_takes_back_the_last_action_but_no_message() -> None:
    assert effective_indexes(log("pass", "bid", "message", "undo")) == [0, 2]


def test_undo_to_an_action_keeps_that_action() -> None:
    assert effective_indexes(log("pass", "bid", "par", ("undo", 1))) == [0]
    assert effective_indexes(log("pass", "bid", ("undo", 0))) == []


def test_several_redos_walk_back_through_several_undos() -> None:
    assert effective_indexes(log("pass", "bid", "undo", "undo", "redo", "redo")) == [0, 1]
    assert effective_indexes(log("pass", "bid", "par", ("undo", 1), "redo")) == [0, 1, 2]


def test_a_new_action_ends_redo_but_a_message_does_not() -> None:
    assert effective_indexes(log("pass", "undo", "message", "redo")) == [0, 2]
    with pytest.raises(MalformedAction, match="nothing to redo"):
        effective_indexes(log("pass", "undo", "bid", "redo"))


def test_undo_of_nothing_can_be_redone() -> None:
    assert effective_indexes(log("undo", "redo", "pass")) == [2]


def test_undo_of_an_unknown_action_is_an_error() -> None:
    with pytest.raises(MalformedAction, match="99"):
        effective_indexes(log("pass", ("undo", 99)))


def test_prefixes_in_one_pass_are_those_of_each_prefix() -> None:
    actions = log("pass", "bid", "undo", "redo", "message", "par", ("undo", 1), "redo", "pass")
    found = dict(effective_at(actions, range(1, len(actions) + 1)))
    assert found == {n: effective_indexes(actions[:n]) for n in range(1, len(actions) + 1)}


def test_long_chains_of_undo_stay_cheap() -> None:
    assert effective_indexes(log(*(("undo", 0) for _ in range(50_000)))) == []
