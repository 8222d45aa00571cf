"""Optimal routes: answers route problems with a proof.

`solve` answers a `services.route_problem.RouteProblem`. The parts, each usable alone:

* `contract` shrinks the track to a small network of stops and links;
* `kernel` (compiled) and `twin` (plain Python) list the routes of a train worth keeping;
* `pricing` and `join` combine the routes of several trains that must not share track;
* `union` combines routes that may share track but are paid once (1862), with `freight`, the chains of freight
  trains, and `cover`, the choice of one route a train (`cover_engine` compiled, `cover_twin` plain);
* `checker` verifies an answer against the problem by definition, `bruteforce` solves small ones by
  exhaustion;
* `app`, `tasks`, `client`: the Celery service, its task and its light client; `cli`: the command.

Knows route problems, not games. Importing this package is cheap: nothing compiled is loaded before the first
use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from services.route_problem import RouteProblem, Solution

Report = Callable[[int, int, "list[list[int] | None]"], None]
"""Called with (lower bound, upper bound, routes that attain the lower bound) whenever one of them improves.
"""

Engine = Literal["auto", "kernel", "python"]


def solve(
    problem: RouteProblem,
    *,
    deadline: float | None = None,
    cancelled: Callable[[], bool] | None = None,
    report: Report | None = None,
    engine: Engine = "auto",
) -> Solution:
    """The best routes of `problem`, proven unless interrupted.

    `deadline`: seconds from now, after which the best answer so far is returned with a valid upper bound and
    `proven=False`; `cancelled` is asked at least every 50 ms and does the same when true. `report` sees every
    improvement: the lower bound never falls, the upper bound never rises. `engine`: `kernel` compiled,
    `python` the plain twin, `auto` the kernel where it is installed. Same problem, same answer, on every
    engine run to the end.
    """
    from services.routing.solver import solve_problem

    return solve_problem(problem, deadline=deadline, cancelled=cancelled, report=report, engine=engine)


def warm_up() -> float:
    """Compile or load every compiled function; returns the seconds it took.

    Called when a worker starts, and when an image is built so that the compiled code is in its cache.
    """
    from services.routing.preparation import warm_up as prepare

    return prepare()


__all__ = ["Engine", "Report", "solve", "warm_up"]
