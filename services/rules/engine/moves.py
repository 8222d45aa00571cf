"""Legal moves: concrete actions, or templates in which a field stands for many values.

A template field is one of

* ``{"min": a, "max": b, "step": s}``: any ``a + k*s`` up to ``b`` (``max`` absent: no upper bound);
* ``{"choices": [...]}``: any one of the list;
* ``{"routes": corporation}``: any legal set of routes; the routing service finds the best one.

:func:`contains` tells whether an action is an instance of a move, :func:`sample` draws one.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

Move = dict[str, Any]

BOOKKEEPING = frozenset({"id", "user", "created_at", "auto_actions", "original_id", "skip"})
IGNORED = BOOKKEEPING | {"slot", "tokener", "percent", "share_price", "cost"}
"""Action fields that do not decide which move it is: bookkeeping, or values that follow from the others."""
DECISIVE: Mapping[str, frozenset[str]] = {
    "sell_shares": frozenset({"percent"}),
    "par": frozenset({"share_price"}),
    "remove_token": frozenset({"slot"}),
}


def is_template(value: Any) -> bool:
    return isinstance(value, dict) and ("min" in value or "choices" in value or "routes" in value)


def fits(template: Any, value: Any) -> bool:
    """Whether a value is one a move's field stands for."""
    if not is_template(template):
        return bool(template == value)
    if "routes" in template:
        return True
    if "choices" in template:
        return value in template["choices"]
    if not isinstance(value, int):
        return False
    low, step = template["min"], template.get("step", 1)
    return value >= low and (value - low) % step == 0 and ("max" not in template or value <= template["max"])


def contains(moves: Iterable[Move], action: Mapping[str, Any]) -> bool:
    """Whether an action is among the moves."""
    decisive = DECISIVE.get(action["type"], frozenset())
    given = {
        key: value
        for key, value in action.items()
        if value is not None and (key not in IGNORED or key in decisive) and value is not False
    }
    return any(_matches(move, given) for move in moves)


def _matches(move: Move, given: Mapping[str, Any]) -> bool:
    if move["type"] != given["type"] or move["entity"] != given["entity"]:
        return False
    for key, value in move.items():
        if key not in given:
            if key in IGNORED or (is_template(value) and "routes" in value):
                continue
            return False
        if not fits(value, given[key]) and not (key == "shares" and sorted(value) == sorted(given[key])):
            return False
    optional = {"extra_revenue", "subsidy", "variant", "routes"}
    return all(key in move or key in optional for key in given)


def sample(move: Move, rng: random.Random) -> Move:
    """A concrete action of a move: templates are filled at random (routes with an empty run)."""
    action = {}
    for key, value in move.items():
        if not is_template(value):
            action[key] = value
        elif "choices" in value:
            action[key] = rng.choice(value["choices"])
        elif "routes" in value:
            action[key] = []
        else:
            step = value.get("step", 1)
            top = value.get("max", value["min"] + 100 * step)
            action[key] = value["min"] + step * rng.randint(0, max(0, (top - value["min"]) // step))
    return action
