"""Preparing the compiled code, when an image is built and before a worker's first search.

Loading it takes a second. Where it is not there yet it has to be compiled, which takes much longer: a worker then
begins with what most problems need, and leaves the rest to a process beside it.

    python -m services.routing.preparation

compiles everything.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from services.route_problem import RouteProblem, decode
from services.routing.contract import contract
from services.routing.rules import Weights, classes
from services.routing.solver import make_engine, solve_problem


def warm_up() -> float:
    """See `services.routing.warm_up`."""
    started = time.monotonic()
    for problem in _samples():
        _call(problem, rare=True)
    marker = _marker()
    if marker is not None:
        marker.touch()
    return time.monotonic() - started


def prepare_worker() -> None:
    """Make a worker ready for its first answers."""
    marker = _marker()
    if marker is None or marker.exists():
        warm_up()
        return
    _call(_samples()[0], rare=False)
    folder = Path(__file__).resolve().parents[2]
    subprocess.Popen([sys.executable, "-m", "services.routing.preparation"], cwd=folder, start_new_session=True)


def _marker() -> Path | None:
    """The file that tells that everything has been compiled; None without a compiler or a folder to keep it in."""
    try:
        from services.routing.compiled import folder

        return folder() / "prepared"
    except (ImportError, OSError):
        return None


def _call(problem: RouteProblem, *, rare: bool) -> None:
    """Call the compiled functions a problem needs, the `rare` ones for problems with very many routes too."""
    solve_problem(problem)
    network = contract(problem)
    engine = make_engine("auto", problem, network, classes(problem, network, Weights.of(problem)))
    if engine.name == "kernel":
        from services.routing.kernel_engine import exercise

        exercise(engine, rare=rare)  # type: ignore[arg-type]


def _samples() -> list[RouteProblem]:
    """Small problems that between them call every compiled function."""
    kinds = ["city", "town", "halt", "offboard"]
    any_stop = {"name": "4", "visit": [{"kinds": kinds, "max": 4}]}
    paid = {**any_stop, "pay": [{"kinds": kinds, "max": 2}], "token_must_pay": True}
    freight = {"name": "F", "visit": [{"kinds": kinds}], "pay": "ends", "crow": {"rate": 1, "port_rate": 1}}
    ends = list(itertools.combinations(range(5), 2))

    def grid(trains: list[Any], **fields: Any) -> RouteProblem:
        stop = {"kind": "city", "token": True, "revenue": [10] * len(trains)}
        return decode(
            {
                "format": "route-problem/2",
                "hexes": [["A1", 0, 0], ["A3", 0, 2]],
                "stops": [{**stop, "hex": 0} for _ in range(5)],
                "sides": 0,
                "junctions": 0,
                "track": [{"ends": pair, "hex": 0, "uses": [n, 10 + n % 3]} for n, pair in enumerate(ends)],
                "conflicts": 13,
                "trains": trains,
                **fields,
            }
        )

    bonus = {"kind": "set", "all_of": [[0], [4]], "amount": [5, 5]}
    union = {"share_track": True, "count_once": True, "must_connect": True, "freight_chains": True}
    return [
        grid([any_stop, paid], bonuses=[bonus]),
        grid([any_stop, paid, any_stop, paid]),
        grid([any_stop, {**any_stop, "pay": [{"kinds": kinds, "max": 2}]}, freight], rules=union),
    ]


if __name__ == "__main__":
    warm_up()
