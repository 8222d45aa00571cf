"""Games in the 18xx.games export format: reading, replaying and writing them (core section 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from .engine.errors import EngineError, MalformedAction
from .engine.game import Applied, Game
from .engine.history import effective_indexes
from .engine.rng import seed_from
from .titles import new_game

LARGEST_SEED = 2**53


class Settings(msgspec.Struct):
    """``settings`` of a recorded game; other keys have no rules meaning.

    ``mode`` is in our own exports: a game played here follows the rules of live play wherever it is replayed.
    """

    seed: int | str | None = None
    optional_rules: list[str] | None = None
    mode: str | None = None


class Seat(msgspec.Struct, omit_defaults=True):
    id: int | str | None = None
    name: str = ""

    @property
    def key(self) -> int | str:
        return self.name if self.id is None else self.id


class RecordedGame(msgspec.Struct):
    """What a recorded game says; ``actions`` are raw objects in list order."""

    title: str
    players: list[Seat]
    actions: list[dict[str, Any]]
    id: int | str = 0
    settings: Settings = msgspec.field(default_factory=Settings)
    description: str | None = None
    status: str | None = None
    result: dict[str, int] | None = None
    game_end_reason: str | None = None

    @property
    def options(self) -> list[str]:
        return self.settings.optional_rules or []


def read_recorded(data: bytes) -> RecordedGame:
    """Parse a game file; raises :class:`MalformedAction` saying what is wrong with it."""
    try:
        return msgspec.json.decode(data, type=RecordedGame)
    except msgspec.DecodeError as error:
        raise MalformedAction("malformed_game", f"This is not a game in the 18xx.games format: {error}.") from error


def start(recorded: RecordedGame) -> Game:
    """The game before its first action; raises an ``EngineError`` for a table, seed or title that cannot be."""
    return new_game(
        recorded.title,
        [(seat.key, seat.name or str(seat.key)) for seat in recorded.players],
        seed=_seed(recorded),
        options=recorded.options,
        mode="live" if recorded.settings.mode == "live" else "imported",
    )


def _seed(recorded: RecordedGame) -> int:
    """The seed, from the game's id if the settings have none (core 3)."""
    try:
        seed = seed_from(recorded.settings.seed, recorded.id)
    except ValueError:
        seed = -1
    if not 0 <= seed <= LARGEST_SEED:
        raise MalformedAction("bad_seed", f"The seed of a game is a number from 0 to {LARGEST_SEED}.")
    return seed


class ReplayError(EngineError):
    """A recorded action the engine refuses; ``index`` is its position in the file."""

    def __init__(self, index: int, action: dict[str, Any], cause: EngineError) -> None:
        label = f"Action {action['id']}" if "id" in action else f"The action at position {index + 1}"
        sender = f" by {action['entity']}" if action.get("entity") is not None else ""
        what = f" ({action.get('type')}{sender})" if action.get("type") is not None else ""
        super().__init__(cause.code, f"{label}{what}: {cause.message}", **cause.details)
        self.index = index


def replay(recorded: RecordedGame, game: Game) -> Iterator[tuple[int, Applied]]:
    """Play every action in effect, yielding its index in the file; raises :class:`ReplayError`."""
    for index in effective_indexes(recorded.actions):
        raw = recorded.actions[index]
        try:
            applied = game.replay(raw)
        except EngineError as error:
            raise ReplayError(index, raw, error) from error
        yield index, applied


def export(
    game: Game,
    actions: list[dict[str, Any]],
    *,
    game_id: int | str,
    description: str = "",
    initial_order: list[int | str] | None = None,
) -> dict[str, Any]:
    """A game with its raw log in the export format; ``initial_order`` defaults to the seats."""
    from .engine import ending

    state = game.state
    by_id = {player.id: player for player in state.players}
    seats = initial_order or [player.id for player in state.players]
    outcome = state.outcome
    scores = {str(p.id): ending.score(game, p) for p in state.players} if outcome is None else outcome.result
    return {
        "id": game_id,
        "description": description,
        "title": state.title,
        "players": [{"id": player_id, "name": by_id[player_id].name} for player_id in seats],
        "min_players": game.title.data.facts.min_players,
        "max_players": game.title.data.facts.max_players,
        "settings": {"seed": state.seed, "optional_rules": state.options, "mode": state.mode},
        "status": "active" if outcome is None else "finished",
        "turn": state.turn,
        "round": game.rules.name,
        "acting": game.acting_players(),
        "result": scores,
        "game_end_reason": None if outcome is None else outcome.reason,
        "actions": actions,
    }
