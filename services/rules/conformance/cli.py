"""Command ``roundhouse replay``: does a recorded game give the expected states?"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from ..engine.errors import EngineError
from .replay import Report, read_game, read_trace, run


@click.command("replay")
@click.argument("game", type=click.Path(path_type=Path))
@click.option("--trace", type=click.Path(path_type=Path), help="Expected state after every action.")
def replay(game: Path, trace: Path | None) -> None:
    """Replay GAME, a file in the 18xx.games export format.

    Exit status: 0 if every state is as expected, 1 at a difference, 2 if the game cannot be read or played.
    """
    try:
        report = run(read_game(game), None if trace is None else read_trace(trace))
    except EngineError as error:
        click.echo(error.message, err=True)
        sys.exit(2)
    if report.differences:
        _print_differences(report)
        sys.exit(1)
    click.echo(f"{report.actions} actions, 0 differences")


def _print_differences(report: Report) -> None:
    first = report.differences[0]
    click.echo("\n".join(report.log))
    action = {k: v for k, v in first.action.items() if k not in ("created_at", "user")}
    click.echo(f"\nAction {first.index}: {json.dumps(action)[:600]}")
    for difference in report.differences:
        click.echo(f"  {difference.key}")
        click.echo(f"    expected {json.dumps(difference.expected)}")
        click.echo(f"    actual   {json.dumps(difference.actual)}")
    click.echo(f"\n{report.actions} actions, {len(report.differences)} differences")
