"""Comparison with the PyPI package routes-18xx on route problems its maps can express.

The package is no dependency: it lives in an environment of its own, named by `ROUNDHOUSE_BENCH_ROUTES_18XX`. Every
problem is described to `routes_18xx_peer.py`, which runs there, as hexes with the neighbours their track leads to;
the peer finds the printed hexes and numbered tiles that look like this, lays them, places stations and solves.
Its time is that of its route search alone: import, map, tiles and stations are not counted. Its worker processes
are counted, since it starts and ends them for every answer; how long that takes is printed too.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.route_problem import Bonus, RouteProblem, Rules, SetBonus, Solution, Train

VARIABLE = "ROUNDHOUSE_BENCH_ROUTES_18XX"
PEER = Path(__file__).with_name("routes_18xx_peer.py")
SECONDS = 60.0

Description = dict[str, Any]


class NotExpressible(ValueError):
    """The package has no way to say this problem."""


def _cell_1846(x: int, y: int) -> str:
    """The package names the hexes of 1846 as the board does."""
    return f"{chr(ord('A') + y)}{x + 1}"


def _cell_1889(x: int, y: int) -> str:
    """The package has the map of 1889 turned by one hex side."""
    return f"{chr(ord('A') + (y - x + 9) // 2)}{(3 * x + y - 3) // 2}"


CELLS: dict[str, Callable[[int, int], str]] = {"1846": _cell_1846, "1889": _cell_1889}
PHASES = {"I": "1", "II": "2", "III": "3", "IV": "4"}


def describe(problem: RouteProblem, cell: Callable[[int, int], str]) -> Description:
    """Board, stations and trains of a problem, with hexes named by `cell`.

    A hex has either `stops`, each with the sides its track leads to, or `track`, each piece with the two sides it
    joins. A side is named by the hex on its other side or, if no track meets it there, by a number: a problem does not
    tell where track leads that ends at a side.
    """
    _check(problem)
    names = [cell(x, y) for _, x, y in problem.hexes]
    count = len(problem.stops)
    behind: dict[int, set[int]] = {}
    for piece in problem.track:
        for end in piece.ends:
            behind.setdefault(end, set()).add(piece.hex)

    def side(end: int, here: int) -> str | int:
        others = behind[end] - {here}
        if not others:
            return end
        there = others.pop()
        _, x, y = problem.hexes[here]
        _, other_x, other_y = problem.hexes[there]
        if others or (abs(x - other_x), abs(y - other_y)) not in ((0, 2), (1, 1), (2, 0)):
            raise NotExpressible("track that crosses no hex side")
        return names[there]

    hexes: list[dict[str, Any]] = [{"cell": name, "stops": [], "track": []} for name in names]
    stops: list[dict[str, Any]] = [
        {"kind": stop.kind, "revenue": stop.revenue, "token": stop.token, "blocked": stop.blocked, "sides": []}
        for stop in problem.stops
    ]
    for entry, stop in zip(stops, problem.stops, strict=True):
        hexes[stop.hex]["stops"].append(entry)
    for piece in problem.track:
        first, second = sorted(piece.ends)
        if first >= count:
            hexes[piece.hex]["track"].append([side(first, piece.hex), side(second, piece.hex)])
        elif second >= count:
            stops[first]["sides"].append(side(second, piece.hex))
        else:
            raise NotExpressible("track between two stops of a hex")
    if any(entry["stops"] and entry["track"] for entry in hexes):
        raise NotExpressible("track that passes a stop of its hex")
    where = [names[stop.hex] for stop in problem.stops]
    return {
        "game": problem.title,
        "phase": PHASES.get(problem.phase, problem.phase),
        "trains": [_range(problem, train) for train in problem.trains],
        "hexes": hexes,
        "pairs": [_pair(where, bonus) for bonus in problem.bonuses],
        "exclusive": [sorted({where[number] for number in group}) for group in problem.exclusive],
    }


def _check(problem: RouteProblem) -> None:
    """Refuse what the package has no notion of."""
    if problem.subsidies or problem.forbidden or problem.rules != Rules():
        raise NotExpressible("subsidies, forbidden stops or rules over the set of routes")
    if problem.junctions or any(piece.terminal for piece in problem.track):
        raise NotExpressible("junctions or track only for ends of routes")
    if any(stop.cost != 1 for stop in problem.stops):
        raise NotExpressible("stops that cost other than 1")


def _pair(where: list[str], bonus: Bonus) -> list[Any]:
    """Two places and what it pays to connect them."""
    if (
        not isinstance(bonus, SetBonus)
        or [len(group) for group in bonus.all_of] != [1, 1]
        or len(set(bonus.amount)) > 1
    ):
        raise NotExpressible("bonuses but for a pair of places")
    (first,), (second,) = bonus.all_of
    return [where[first], where[second], bonus.amount[0]]


def _range(problem: RouteProblem, train: Train) -> tuple[int | None, int | None]:
    """How many stops pay and how many the train visits; null if there is no limit."""
    plain = Train(train.name, train.visit, train.pay, type=train.type, permanent=train.permanent)
    rows = [*train.visit, *([] if train.pay is None or train.pay == "ends" else train.pay)]
    kinds = {stop.kind for stop in problem.stops}
    if train != plain or len(rows) != 1 + bool(train.pay) or any(not kinds <= set(row.kinds) for row in rows):
        raise NotExpressible("trains that do not just visit so many stops and are paid for so many")
    return rows[-1].max, rows[0].max


@dataclass(frozen=True)
class Answer:
    """What the package found; without `reason` the numbers count."""

    revenue: int = 0
    seconds: float = 0.0
    process_seconds: float = 0.0
    reason: str = ""


def ask(python: str, description: Description) -> Answer:
    """Solve one problem in the environment of the package, in a new process."""
    try:
        process = subprocess.Popen(
            [python, str(PEER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
    except OSError:
        return Answer(reason=f"{VARIABLE} names no program")
    try:
        output, _ = process.communicate(json.dumps(description), timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Answer(reason=f"no answer in {SECONDS:.0f} s")
    if process.returncode:
        return Answer(reason="the program failed")
    return Answer(**json.loads(output))


def against_routes_18xx(results: Iterable[tuple[RouteProblem, Solution, float]]) -> None:
    """Ratio to the package, on every problem of a title whose map it knows."""
    python = os.environ.get(VARIABLE)
    if not python:
        print(
            f"\nagainst routes-18xx: not here; for the comparison `python -m venv FOLDER`, "
            f"`FOLDER/bin/pip install routes-18xx`, then set {VARIABLE}=FOLDER/bin/python"
        )
        return
    print("\nagainst routes-18xx          revenue   theirs   here ms  theirs ms     ratio")
    reasons: Counter[str] = Counter()
    ratios: dict[str, list[float]] = {}
    processes: list[float] = []
    equal = 0
    for problem, solution, seconds in results:
        if problem.title not in CELLS:
            continue
        try:
            answer = ask(python, describe(problem, CELLS[problem.title]))
        except NotExpressible as error:
            answer = Answer(reason=str(error))
        if not answer.reason and answer.revenue > solution.revenue:
            answer = Answer(reason="answered with more than the optimum")
        if answer.reason:
            reasons[answer.reason] += 1
            continue
        ratio = answer.seconds / seconds
        ratios.setdefault(problem.title, []).append(ratio)
        processes.append(answer.process_seconds)
        equal += answer.revenue == solution.revenue
        mark = "" if answer.revenue == solution.revenue else " (below the optimum)"
        print(
            f"{problem.id:<28} {solution.revenue:7} {answer.revenue:8} {1000 * seconds:9.2f} "
            f"{1000 * answer.seconds:10.1f} {ratio:9.1f}{mark}"
        )
    for title, some in sorted(ratios.items()):
        print(f"median ratio in {title}: {statistics.median(some):.1f}")
    if ratios:
        every = sorted(ratio for some in ratios.values() for ratio in some)
        print(
            f"median ratio {statistics.median(every):.1f}, least {every[0]:.1f}, greatest {every[-1]:.1f}; "
            f"equal revenue in {equal} of {len(every)}; "
            f"of its time {1000 * statistics.median(processes):.0f} ms start and end its processes"
        )
    for reason, count in reasons.most_common():
        print(f"not compared, {count}: {reason}")
