"""Replays recorded games and compares every state with an expected trace."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..engine.actions import RunRoutes, parse
from ..engine.errors import EngineError, MalformedAction
from ..engine.game import Game
from ..engine.routes.check import check_run
from ..recorded import RecordedGame, ReplayError, read_recorded, replay, start
from .keys import Keys, changes, describe


class TraceLine(msgspec.Struct):
    """One expected state: ``set`` holds the keys that changed (null: gone), ``run`` a recomputed run."""

    i: int
    id: int | str
    type: str
    set: dict[str, Any]
    entity: int | str | None = None
    auto: list[str] = []
    run: dict[str, Any] | None = None


class Difference(msgspec.Struct):
    """A key whose value is not the expected one, after the action at ``index`` of the file."""

    index: int
    action: dict[str, Any]
    key: str
    expected: Any
    actual: Any


class Report(msgspec.Struct):
    """Outcome of a replay: number of actions played, first differences, and the last events before them."""

    actions: int
    differences: list[Difference]
    log: list[str]
    game: Game


def read_game(path: Path) -> RecordedGame:
    """Read a game file; raises :class:`MalformedAction` when it cannot be read."""
    try:
        return read_recorded(path.read_bytes())
    except OSError as error:
        raise MalformedAction("unreadable_file", f"{path} cannot be read: {error.strerror}.") from error


def read_trace(path: Path) -> list[TraceLine]:
    """Read a trace file, compressed or not."""
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        return [msgspec.json.decode(line, type=TraceLine) for line in data.splitlines() if line]
    except OSError as error:
        raise MalformedAction("unreadable_file", f"{path} cannot be read: {error}.") from error
    except (EOFError, msgspec.DecodeError) as error:
        raise MalformedAction("malformed_trace", f"{path} is not a trace: {error}.") from error


def _run_keys(game: Game, action: dict[str, Any]) -> Keys:
    """The run of an action as computed now, in the form of a trace's ``run``."""
    parsed = parse(action, strict=False)
    assert isinstance(parsed, RunRoutes)
    result = check_run(game.title.map, game.state, str(parsed.entity), parsed.routes, game.title.route_rules)
    return {
        "total": result.total + result.extra,
        "subsidy": result.subsidy,
        "extra": result.extra,
        "routes": [
            {
                "train": r.train,
                "revenue": r.revenue,
                **({"subsidy": r.subsidy} if r.subsidy else {}),
                "stops": r.stops,
                "counted": r.counted,
            }
            for r in result.routes
        ],
    }


class Comparison:
    """Expected keys built up line by line, compared with those of the game."""

    def __init__(self, lines: list[TraceLine]) -> None:
        self.lines = {line.i: line for line in lines}
        self.expected: Keys = {}

    def advance(self, index: int) -> bool:
        """Take in the line of an action; False if the trace has none."""
        line = self.lines.get(index)
        if line is None:
            return False
        for key, value in line.set.items():
            if value is None:
                self.expected.pop(key, None)
            else:
                self.expected[key] = value
        return True

    def differences(self, index: int, action: dict[str, Any], actual: Keys) -> Iterator[Difference]:
        for key, value in changes(self.expected, _plain(actual)).items():
            yield Difference(index, action, key, self.expected.get(key), value)


def _plain(keys: Keys) -> Keys:
    plain: Keys = msgspec.json.decode(msgspec.json.encode(keys))
    return plain


def run(recorded: RecordedGame, lines: list[TraceLine] | None, *, context: int = 12) -> Report:
    """Replay a game; with a trace, stop at the first action whose state differs.

    Raises :class:`EngineError` for an unknown title or an action the engine refuses.
    """
    game = start(recorded)
    comparison = None if lines is None else Comparison(lines)
    log: list[str] = []
    count = 0
    if comparison is not None:
        comparison.advance(-1)
        found = list(comparison.differences(-1, {"type": "setup"}, describe(game)))
        if found:
            return Report(0, found, log, game)
    steps = replay(recorded, game)
    for index, action in _with_runs(recorded, game, steps, comparison):
        count += 1
        events = action.pop("_events")
        log = [*log, f"{action.get('id', '-')} {action['type']} by {action['entity']}", *(f"    {e}" for e in events)]
        log = log[-context * 4 :]
        run_keys = action.pop("_run", None)
        if comparison is None:
            continue
        if not comparison.advance(index):
            missing = Difference(index, action, "(line)", None, "no line for this action in the trace")
            return Report(count, [missing], log, game)
        found = list(comparison.differences(index, action, describe(game)))
        expected_run = comparison.lines[index].run
        if expected_run is not None and run_keys is not None and expected_run != _plain(run_keys):
            found.append(Difference(index, action, "run", expected_run, run_keys))
        if found:
            return Report(count, found, log, game)
    return Report(count, [], log, game)


def _with_runs(
    recorded: RecordedGame, game: Game, steps: Iterator[Any], comparison: Comparison | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Replayed actions with their events, and the computed run of every ``run_routes``."""
    from ..engine.history import effective_indexes

    order = iter(effective_indexes(recorded.actions))
    while True:
        index = next(order, None)
        if index is None:
            return
        raw = recorded.actions[index]
        run_keys = None
        if raw.get("type") == "run_routes" and comparison is not None:
            try:
                run_keys = _run_keys(game, raw)
            except EngineError as error:
                raise ReplayError(index, raw, error) from error
        position, applied = next(steps)
        assert position == index
        action = dict(raw)
        action["_events"] = applied.events
        if run_keys is not None:
            action["_run"] = run_keys
        yield index, action
