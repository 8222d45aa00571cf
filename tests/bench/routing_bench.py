"""Times of the route search: by title, by number of trains, against other solvers, on stress boards.

Run as `python -m tests.bench.routing_bench [--stress] [--twin]`. Times are seconds of wall clock on this machine;
ratios compare solvers in the same run: a constraint model, and the PyPI package routes-18xx on the problems of 1846 and
1889, the titles whose maps it has (see `routes_18xx.py`). Reading of files is not counted, contraction is.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from services.route_problem import RouteProblem, Solution, decode, encode
from services.routing import Engine, solve, warm_up
from services.routing.client import RoutingClient
from tests.bench.routes_18xx import against_routes_18xx
from tests.redis_server import running_redis
from tests.routing.conftest import Worker, load_problems
from tests.routing.cpsat import can_express, solve_cpsat
from tests.routing.problems import graph, stop, train

CORPUS = ("seven", "1862", "others")
PUBLISHED = ("GW", "CO", "CNR")
MODEL_SAMPLE = 8
MODEL_SECONDS = 20.0
STRESS_SECONDS = 10.0
STARTS = 3

Timed = tuple[RouteProblem, Solution, float]


def timed(problems: Iterable[RouteProblem], engine: Engine = "auto", deadline: float | None = None) -> list[Timed]:
    """Solve every problem and note its time."""
    results = []
    for problem in problems:
        started = time.perf_counter()
        solution = solve(problem, engine=engine, deadline=deadline)
        results.append((problem, solution, time.perf_counter() - started))
    return results


def percentiles(times: Sequence[float]) -> str:
    """Median, 95 %, 99 % and maximum in milliseconds."""
    ordered = sorted(times)
    picks = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95, 0.99, 1)]
    return "  ".join(f"{1000 * pick:9.2f}" for pick in picks)


def known(problem: RouteProblem) -> int:
    """The optimum, or the best sum known."""
    return int((problem.optimum or problem.best_known)["revenue"])


def table(heading: str, results: list[Timed], key: Callable[[Timed], str]) -> None:
    """One line a group: count, proven, equal to the known optimum, times."""
    print(f"\n{heading:<28} count proven equal    p50 ms     p95 ms     p99 ms     max ms")
    groups: dict[str, list[Timed]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    for name in sorted(groups):
        group = groups[name]
        proven = sum(solution.proven for _, solution, _ in group)
        equal = sum(solution.revenue == known(problem) for problem, solution, _ in group)
        print(f"{name:<28} {len(group):5} {proven:6} {equal:5} {percentiles([t for _, _, t in group])}")


def cold_start() -> None:
    """Start of a process, and of a Celery worker, to its first answer, with the compiled code in its cache."""
    code = (
        "from services.routing import solve, warm_up; from tests.routing.problems import graph, stop, train;"
        "warm_up(); solve(graph([stop(10, token=True), stop(20)], [(0, 1)], [train()]))"
    )
    started = time.perf_counter()
    folder = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=folder, env=dict(os.environ))
    print(f"\nsolver, process start to first answer, prepared cache: {time.perf_counter() - started:.2f} s")
    with tempfile.TemporaryDirectory() as name, running_redis(Path(name)) as url:
        client = RoutingClient(url)
        times = []
        for number in range(STARTS):
            job = client.submit(encode(graph([stop(10 + number, token=True), stop(20)], [(0, 1)], [train()])))
            started = time.perf_counter()
            worker = Worker(url, Path(name) / "log")
            client.wait(job, 60)
            times.append(time.perf_counter() - started)
            worker.stop()
    each = ", ".join(f"{seconds:.2f}" for seconds in times)
    print(f"worker, process start to first answer, prepared cache: {each} s (load {os.getloadavg()[0]:.1f})")


def against_model(results: list[Timed]) -> None:
    """Ratio to a CP-SAT model on raw track, one worker, on the hardest problems and a sample."""
    able = [result for result in results if can_express(result[0])]
    able.sort(key=lambda result: -result[2])
    chosen = able[:MODEL_SAMPLE] + able[MODEL_SAMPLE :: max(1, len(able) // MODEL_SAMPLE)]
    print("\nagainst the CP-SAT model       revenue   model   here ms   model ms     ratio")
    ratios = []
    for problem, solution, seconds in chosen:
        started = time.perf_counter()
        verdict = solve_cpsat(problem, MODEL_SECONDS)
        model = time.perf_counter() - started
        ratios.append(model / seconds)
        mark = "" if verdict.proven else " (not proven)"
        print(
            f"{problem.id:<28} {solution.revenue:9} {verdict.revenue:7} {1000 * seconds:9.2f} {1000 * model:10.1f} "
            f"{ratios[-1]:9.1f}{mark}"
        )
    ratios.sort()
    print(f"median ratio {ratios[len(ratios) // 2]:.1f}, least {ratios[0]:.1f}, greatest {ratios[-1]:.1f}")


def stress() -> None:
    """Late boards with heavier train sets than any game allows, and synthetic maps."""
    print(f"\nstress, {STRESS_SECONDS:.0f} s each              found   bound  known  share  seconds")
    for problem, solution, seconds in timed(load_problems("bench/stress.jsonl.gz"), deadline=STRESS_SECONDS):
        proof = "proven" if solution.proven else f"{solution.upper_bound:6}"
        share = solution.revenue / known(problem)
        print(f"{problem.id:<34} {solution.revenue:5} {proof:>7} {known(problem):6} {share:6.3f} {seconds:8.2f}")
    print(f"greatest memory of the process: {memory():.0f} MB")


def memory() -> float:
    """Greatest resident memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def growth(problems: Sequence[RouteProblem], solves: int = 10_000) -> None:
    """Memory before and after many solves in one process."""
    small = [problem for problem in problems if (problem.size or {}).get("route_visits", 10**9) < 2_000]

    def resident() -> float:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    timed(small)
    before = resident()
    done = 0
    while done < solves:
        timed(small)
        done += len(small)
    print(f"\nresident memory before and after {done} solves: {before:.1f} MB, {resident():.1f} MB")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stress", action="store_true", help="also the stress boards (several minutes)")
    parser.add_argument("--twin", action="store_true", help="also the plain-Python twin")
    options = parser.parse_args()
    print(f"compiled code ready after {warm_up():.2f} s")
    cold_start()
    results: list[Timed] = []
    for name in CORPUS:
        found = timed(load_problems(f"corpus/{name}.jsonl.gz"))
        table(f"corpus/{name}", found, lambda result: result[0].title)
        table("all", found, lambda result: "together")
        results += found
    sets = Path(__file__).parents[1] / "routing" / "data" / "sets_1862.jsonl.gz"
    hard = [decode(line) for line in gzip.decompress(sets.read_bytes()).splitlines()]
    table("late sets of routes of 1862", timed(hard), lambda result: f"{len(result[0].trains)} trains")
    table("by number of trains", results, lambda result: f"{len(result[0].trains)} trains")
    boards = [problem for company in PUBLISHED for problem in load_problems(f"bench/1867_bc_{company}.json")]
    table("published board of 1867", timed(boards), lambda result: result[0].id)
    against_model(results)
    against_routes_18xx(results)
    growth([problem for problem, _, _ in results])
    if options.twin:
        easy = [p for p, _, _ in results if (p.size or {}).get("route_visits", 10**9) <= 60_000]
        table("plain-Python twin", timed(easy, "python"), lambda result: result[0].title)
    if options.stress:
        stress()


if __name__ == "__main__":
    main()
