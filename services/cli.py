"""The ``roundhouse`` command. Subcommands are imported when they are called, so that each starts fast."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

LAZY = {
    "replay": (
        "services.rules.conformance.cli",
        "replay",
        "Replay a recorded game and compare it with a trace.",
    ),
    "solve": ("services.routing.cli", "solve", "Find the best routes of a route problem."),
    "demo": ("services.devstack.demo", "demo", "Start everything and play a whole game with bots."),
}
"""Subcommands that live elsewhere: module, function and one-line help."""


class LazyGroup(click.Group):
    """A group that knows its subcommands' names and help without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *LAZY])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in LAZY:
            return super().get_command(ctx, cmd_name)
        module, function, _ = LAZY[cmd_name]
        command = getattr(importlib.import_module(module), function)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        known = {name: command.get_short_help_str(limit=80) for name, command in self.commands.items()}
        rows = sorted({**known, **{name: text for name, (_, _, text) in LAZY.items()}}.items())
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Roundhouse: a server for playing 18xx railway games online."""


@main.command()
def run() -> None:
    """Start everything on this machine; Ctrl-C stops it."""
    from services.devstack.config import StackConfig, StackError
    from services.devstack.stack import Stack

    try:
        stack = Stack(StackConfig.from_env())
        click.echo("Starting; logs are in " + str(stack.logs))
        stack.start(lambda text: click.echo(text, nl=False))
    except StackError as error:
        raise click.ClickException(str(error)) from error
    token = stack.data / "gateway" / "operator-token"
    click.echo(f"Roundhouse is at {stack.url} (its API is described at {stack.url}/api/v1/docs)")
    click.echo(f"Games are kept in {stack.data}")
    if "ROUNDHOUSE_OPERATOR_TOKEN" not in os.environ and token.exists():
        click.echo(f"The operator's token is in {token}")
    click.echo("Ctrl-C stops it.")
    stack.run()
    click.echo("Stopped.")


@main.group()
def serve() -> None:
    """Run one part in the foreground."""


@serve.command("rules")
def serve_rules() -> None:
    """The rules service (gRPC)."""
    from services.rules.config import ConfigError, RulesConfig
    from services.rules.server import serve as serve_forever

    try:
        config = RulesConfig.from_env()
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    try:
        code = serve_forever(config)
    except OSError as error:
        raise click.ClickException(f"Cannot listen on {config.listen}: {error.strerror}.") from error
    sys.exit(code)


@serve.command("worker")
@click.option("--processes", default=1, show_default=True, help="Route searches at a time.")
@click.option("--queues", default="interactive,background", show_default=True, help="Queues to serve.")
def serve_worker(processes: int, queues: str) -> None:
    """A routing worker (Celery)."""
    _become(
        *("celery", "-A", "services.routing.app", "worker", "-Q", queues, "--concurrency", processes),
        *("--loglevel", "INFO", "--without-gossip", "--without-mingle"),
    )


@serve.command("gateway")
def serve_gateway() -> None:
    """The HTTP gateway (gunicorn)."""
    _become("gunicorn", "--config", "python:gateway.gunicorn_conf", "gateway.wsgi:app")


def _become(module: str, *arguments: Any) -> None:
    """Replace this process, so that signals reach the server itself."""
    os.execv(sys.executable, [sys.executable, "-m", module, *map(str, arguments)])


if __name__ == "__main__":
    main()
