"""Pictures of games, drawn once for all who ask in a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import msgspec

from gateway.offload import offload
from gateway.rules import RulesClient
from protos.roundhouse.v1 import rules_pb2 as pb

KEPT = 100
"""Pictures a process remembers."""

Key = tuple[str, str, int, str]
Draw = Callable[[dict[str, Any], dict[str, Any]], str]
"""Draws the facts of a title and the view of a game as SVG text."""


class Drawings:
    """Draws and remembers."""

    def __init__(self, rules: RulesClient) -> None:
        self._rules = rules
        self._drawn: OrderedDict[Key, str] = OrderedDict()
        self._facts: dict[tuple[str, ...], dict[str, Any]] = {}

    def svg(self, key: Key, game: pb.GameView, draw: Draw) -> str:
        """The picture of a game; `key` says which. Raises `Problem`."""
        found = self._drawn.pop(key, None)
        if found is None:
            view = msgspec.json.decode(game.state_json, type=dict[str, Any])
            found = offload(draw, self._title(game.summary), view)
        self._drawn[key] = found
        while len(self._drawn) > KEPT:
            self._drawn.popitem(last=False)
        return found

    def _title(self, about: pb.GameSummary) -> dict[str, Any]:
        key = (about.title, *about.options)
        if key not in self._facts:
            if len(self._facts) >= KEPT:
                self._facts.clear()
            answer = self._rules.get_title(pb.GetTitleRequest(title=about.title))
            # a recorded game may have options the title does not know, which change nothing
            options = [option for option in about.options if option in answer.summary.options]
            if options:
                answer = self._rules.get_title(pb.GetTitleRequest(title=about.title, options=options))
            self._facts[key] = msgspec.json.decode(answer.data_json, type=dict[str, Any])
        return self._facts[key]
