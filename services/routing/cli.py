"""The `solve` command: answers route problems from a file and compares with what the file knows.

Also runs as `python -m services.routing.cli FILE`.
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from services.route_problem import RouteProblem, Solution


@dataclass
class Tally:
    """Counts and times over all problems of a run."""

    times: list[float] = field(default_factory=list)
    proven: int = 0
    equal: int = 0
    below: int = 0
    above: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, problem: RouteProblem, solution: Solution, seconds: float) -> str:
        """Take an answer in; a word on how it compares with the file."""
        self.times.append(seconds)
        self.proven += solution.proven
        optimum = _known(problem.optimum, "revenue")
        floor = optimum if optimum is not None else _known(problem.best_known, "revenue")
        ceiling = optimum if optimum is not None else _known(problem.best_known, "bound")
        verdict = ""
        if optimum is not None:
            verdict = "equal"
            if solution.revenue < optimum:
                verdict = "below"
            elif solution.revenue > optimum:
                verdict = "above"
            self.equal += verdict == "equal"
            self.below += verdict == "below"
            self.above += verdict == "above"
        too_much = ceiling is not None and solution.revenue > ceiling
        too_little = floor is not None and solution.upper_bound < floor
        if too_much or too_little:
            self.wrong.append(problem.id or "?")
            verdict = "CONTRADICTS THE FILE"
        return verdict

    def summary(self) -> str:
        """Counts, and percentiles of the times."""
        times = sorted(self.times)

        def at(share: float) -> str:
            return f"{1000 * times[min(len(times) - 1, int(len(times) * share))]:.1f} ms"

        lines = [
            f"{len(times)} problems, {self.proven} proven",
            f"optimum known: {self.equal} equal, {self.below} below, {self.above} above",
        ]
        if times:
            lines.append(f"time: median {at(0.5)}, 95 % {at(0.95)}, 99 % {at(0.99)}, maximum {at(1)}")
        if self.wrong:
            lines.append(f"contradictions: {', '.join(self.wrong)}")
        return "\n".join(lines)


def _known(facts: object, name: str) -> int | None:
    value = facts.get(name) if isinstance(facts, dict) else None
    return value if isinstance(value, int) else None


def read_problems(path: Path) -> Iterator[RouteProblem]:
    """Problems of a file: one JSON object, or one a line; gzip or plain. Raises `click.ClickException`."""
    from services.route_problem import RouteProblemError, decode

    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except (OSError, EOFError) as error:
        raise click.ClickException(f"cannot read {path}: {error}") from error
    try:
        yield decode(data)
        return
    except RouteProblemError as error:
        lines = [line for line in data.splitlines() if line.strip()]
        if len(lines) < 2 or not lines[0].rstrip().endswith(b"}"):
            raise click.ClickException(f"{path}: {error}") from error
    for number, line in enumerate(lines, 1):
        try:
            yield decode(line)
        except RouteProblemError as error:
            raise click.ClickException(f"{path}, line {number}: {error}") from error


@click.command("solve")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--deadline", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Seconds a problem.")
@click.option("--routes", is_flag=True, help="Print the routes, as lists of track pieces by train.")
@click.option(
    "--engine", type=click.Choice(["auto", "kernel", "python"]), default="auto", help="Compiled or plain search."
)
def solve(file: Path, deadline: float | None, routes: bool, engine: str) -> None:
    """Find the best routes of the problems in FILE, one JSON object or one a line, gzip allowed.

    Exit status 1 if an answer contradicts what the file says about the optimum, or is refused by the checker.
    """
    from services.routing import solve as solve_routes
    from services.routing import warm_up
    from services.routing.checker import RouteCheckError, check_solution

    problems = list(read_problems(file))
    if engine != "python":
        warm_up()
    tally = Tally()
    with click.progressbar(problems, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        for problem in bar:
            started = time.perf_counter()
            solution = solve_routes(problem, deadline=deadline, engine=engine)  # type: ignore[arg-type]
            seconds = time.perf_counter() - started
            verdict = tally.add(problem, solution, seconds)
            try:
                check_solution(problem, solution)
            except RouteCheckError as error:
                tally.wrong.append(problem.id or "?")
                verdict = f"REFUSED BY THE CHECKER: {error}"
            click.echo(
                f"{problem.id or '-'}: {solution.revenue}, at most {solution.upper_bound}, "
                f"{'proven' if solution.proven else 'not proven'}, {1000 * seconds:.1f} ms {verdict}".rstrip()
            )
            if routes:
                _print_routes(problem, solution)
    click.echo(tally.summary())
    if tally.wrong:
        sys.exit(1)


def _print_routes(problem: RouteProblem, solution: Solution) -> None:
    for train, pieces, value in zip(problem.trains, solution.routes, solution.route_values, strict=True):
        click.echo(f"  {train.name}: {'idle' if pieces is None else f'{value} along {pieces}'}")


if __name__ == "__main__":
    solve()
