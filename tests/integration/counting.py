"""A game of three lines: players add numbers in turn, and the total is what there is to know.

With it the store and the service's bookkeeping can be tried without the rules of any title.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from services.rules.engine.errors import IllegalAction, MalformedAction
from services.rules.hosting import Action, PlayerId


class Applied(msgspec.Struct):
    action: Action
    events: list[Any]


class CountingState(msgspec.Struct):
    players: list[PlayerId]
    total: int = 0
    count: int = 0


class CountingGame:
    """Ends when the total reaches 1000."""

    replayed = 0
    """Actions replayed by all games, to see what a load costs."""

    def __init__(self, state: CountingState) -> None:
        self.state = state

    def encode(self) -> bytes:
        return msgspec.msgpack.encode(self.state)

    def apply(self, raw: Action) -> Applied:
        if raw.get("type") != "add" or not isinstance(raw.get("number"), int):
            raise MalformedAction("bad_action", "Only adding numbers is known.")
        if raw["entity"] != self.acting_players()[0]:
            raise IllegalAction("not_your_turn", f"It is the turn of {self.acting_players()[0]}.")
        self.state.total += raw["number"]
        self.state.count += 1
        return Applied(dict(raw), [{"kind": "added", "total": self.state.total}])

    def replay(self, raw: Action) -> Applied:
        CountingGame.replayed += 1
        return self.apply(raw)

    def moves(self) -> list[dict[str, Any]]:
        return [{"type": "add", "entity": self.acting_players()[0], "entity_type": "player", "number": {"min": 1}}]

    def acting_players(self) -> Sequence[PlayerId]:
        return [self.state.players[self.state.count % len(self.state.players)]]

    def round_label(self) -> str:
        return f"R {self.state.count // len(self.state.players) + 1}"


class CountingEngine:
    """Makes counting games."""

    def new(
        self,
        title: str,
        players: Sequence[tuple[PlayerId, str]],
        *,
        seed: int,
        options: Sequence[str],
        mode: str,
    ) -> CountingGame:
        return CountingGame(CountingState([player for player, _ in players], seed % 7))

    def decode(self, title: str, options: Sequence[str], data: bytes) -> CountingGame:
        return CountingGame(msgspec.msgpack.decode(data, type=CountingState))

    def options(self, game: Any) -> list[str]:
        return []

    def outcome(self, game: Any) -> tuple[str, dict[str, int]] | None:
        total = game.state.total
        return ("total", {str(player): total for player in game.state.players}) if total >= 1000 else None

    def may_send(self, game: Any, action: Action, player: PlayerId) -> bool:
        return action.get("entity") == player

    def view(self, game: Any) -> dict[str, Any]:
        return {"total": game.state.total}
