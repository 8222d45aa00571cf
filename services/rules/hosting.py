"""What the service needs of the engine, so that store and service can be tried with a game of three lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

Action = dict[str, Any]
PlayerId = int | str


class Applied(Protocol):
    """Outcome of an action: as logged (with automatic actions), and what happened."""

    @property
    def action(self) -> Action: ...
    @property
    def events(self) -> Sequence[Any]: ...


class HostedGame(Protocol):
    """A game at one version; see ``services.rules.engine.game.Game``."""

    def encode(self) -> bytes: ...
    def apply(self, raw: Action) -> Applied: ...
    def replay(self, raw: Action) -> Applied: ...
    def moves(self) -> list[dict[str, Any]]: ...
    def acting_players(self) -> Sequence[PlayerId]: ...
    def round_label(self) -> str: ...


class Engine(Protocol):
    """Makes games and answers what a game itself does not."""

    def new(
        self,
        title: str,
        players: Sequence[tuple[PlayerId, str]],
        *,
        seed: int,
        options: Sequence[str],
        mode: str,
    ) -> HostedGame:
        """A game at version 0; raises ``EngineError`` for players, options or a title that cannot be."""
        ...

    def decode(self, title: str, options: Sequence[str], data: bytes) -> HostedGame:
        """The game of an encoded state; raises an error of any kind for bytes that are none."""
        ...

    def options(self, game: HostedGame) -> list[str]:
        """Optional rules in force."""
        ...

    def outcome(self, game: HostedGame) -> tuple[str, dict[str, int]] | None:
        """Reason and final scores by player id (as text) of a finished game."""
        ...

    def may_send(self, game: HostedGame, action: Action, player: PlayerId) -> bool:
        """Whether a player may send an action (core 2.2); raises ``EngineError`` for one that makes no sense
        at all.
        """
        ...

    def view(self, game: HostedGame) -> dict[str, Any]:
        """What GetGame shows."""
        ...
