"""Times of the rules engine: replay, encoding, legal moves.

CPU time of this process, so that other work on the machine counts little. The budgets are per title and stated beside
the figures.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import zstandard

from services.rules.conformance.replay import read_game
from services.rules.engine.game import Game
from services.rules.recorded import RecordedGame, replay, start
from services.rules.titles import TITLES
from tests.shared import recorded_games


def milliseconds(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return (time.process_time() - begin) * 1e3


def replay_times(recorded: RecordedGame) -> tuple[list[float], Game]:
    """CPU milliseconds of every action, and the game at its end."""
    game = start(recorded)
    times: list[float] = []
    steps = replay(recorded, game)
    while True:
        begin = time.process_time()
        if next(steps, None) is None:
            return times, game
        times.append((time.process_time() - begin) * 1e3)


def move_times(recorded: RecordedGame, every: int) -> list[float]:
    """CPU milliseconds of listing the legal moves of every ``every``-th position."""
    game = start(recorded)
    times = []
    for number, _ in enumerate(replay(recorded, game)):
        if number % every == 0 and not game.finished:
            times.append(milliseconds(game.moves))
    return times


def print_replays() -> None:
    print("Replay of recorded games, CPU time per action (budget: worst action 20 ms)")
    print(f"{'game':18}{'actions':>8}{'median us':>11}{'mean us':>9}{'worst ms':>10}")
    for title in TITLES:
        for path in recorded_games(title):
            recorded = read_game(path)
            runs = [replay_times(recorded)[0] for _ in range(2)]
            times = [min(pair) for pair in zip(*runs, strict=True)]
            median, mean = statistics.median(times) * 1e3, statistics.fmean(times) * 1e3
            print(f"{title + '/' + path.stem:18}{len(times):8}{median:11.0f}{mean:9.0f}{max(times):10.1f}")


def print_encoding() -> None:
    print("\nEncoding a late state (budget: 2 ms each way, 200 KB, 25 KB compressed)")
    print(f"{'title':8}{'encode us':>11}{'decode us':>11}{'bytes':>8}{'zstd':>7}")
    for title in TITLES:
        ends = [replay_times(read_game(path))[1] for path in recorded_games(title)]
        if not ends:
            continue
        game = max(ends, key=lambda end: len(end.encode()))
        data = game.encode()
        encode = statistics.median(milliseconds(game.encode) for _ in range(50)) * 1e3
        decoding = partial(Game.decode, game.title, data)
        decode = statistics.median(milliseconds(decoding) for _ in range(50)) * 1e3
        packed = len(zstandard.compress(data))
        print(f"{title:8}{encode:11.0f}{decode:11.0f}{len(data):8}{packed:7}")


def print_moves() -> None:
    print("\nListing all legal moves, CPU time (budget: median 20 ms, worst 100 ms)")
    print(f"{'title':8}{'positions':>10}{'median ms':>11}{'p99 ms':>9}{'worst ms':>10}")
    for title in TITLES:
        times: list[float] = []
        for path in recorded_games(title):
            times += move_times(read_game(path), every=random.Random(path.stem).randint(2, 5))
        if times:
            times.sort()
            p99 = times[int(len(times) * 0.99)]
            print(f"{title:8}{len(times):10}{statistics.median(times):11.2f}{p99:9.1f}{times[-1]:10.1f}")


def main() -> None:
    if not any(recorded_games(title) for title in TITLES):
        print(f"No recorded games at {Path('tests/data/games')} nor under ROUNDHOUSE_SHARED: nothing to measure.")
        return
    print_replays()
    print_encoding()
    print_moves()


if __name__ == "__main__":
    main()
