"""``roundhouse demo``: start everything, play a whole game over HTTP with bots, tell the story.

Every action and every route goes through the public API, as it would for any client: the bots read the legal moves,
the routing worker finds each corporation's routes.
"""

from __future__ import annotations

import http.client
import json
import os
import time
from pathlib import Path
from typing import Any

import click

from services.devstack.config import StackConfig, StackError
from services.devstack.stack import Stack
from services.rules.bot import Bot, is_trading

MAX_ACTIONS = 6000
SEEDS = {"1830": 55, "1888": 8, "1893": 4}
"""Seeds whose games are long enough to be worth watching; others start at 1."""


class Api:
    """A small client: one connection, JSON in and out."""

    def __init__(self, url: str, token: str) -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        self._connection = http.client.HTTPConnection(host, int(port), timeout=120)
        self.token = token

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send a request; raises :class:`click.ClickException` with the problem's detail on an error."""
        data, kind = self.raw(method, path, body, **headers)
        return json.loads(data) if "json" in kind else data

    def raw(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[bytes, str]:
        """Body and content type of an answer."""
        payload = None if body is None else json.dumps(body).encode()
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(method, f"/api/v1{path}", payload, sent)
        answer = self._connection.getresponse()
        data = answer.read()
        if answer.status >= 400:
            raise click.ClickException(f"{method} {path}: {data.decode(errors='replace')}")
        return data, answer.headers.get("Content-Type", "")


class Demo:
    """One game played by bots."""

    def __init__(self, api: Api, title: str, players: int, seed: int) -> None:
        self.api = api
        self.bot = Bot(seed)
        names = ["Ann", "Bob", "Cem", "Dora", "Eve", "Finn", "Gil", "Hana"][:players]
        seats = [{"id": str(number), "name": name} for number, name in enumerate(names, start=1)]
        self.names = {seat["id"]: seat["name"] for seat in seats}
        game = api.call("POST", "/games", {"title": title, "players": seats, "seed": seed})
        self.game_id = game["id"]
        self.version: int = game["version"]
        self.round: str = game["round"]
        self.searches = 0
        self.unproven = 0

    def play(self) -> dict[str, Any]:
        """Play to the end; returns the last summary."""
        for _ in range(MAX_ACTIONS):
            moves = self.api.call("GET", f"/games/{self.game_id}/moves")["moves"]
            action = self.bot.choose(moves, trading=is_trading(self.round), find_routes=self.routes)
            result = self.api.call("POST", f"/games/{self.game_id}/actions", action, If_Match=f'"{self.version}"')
            game: dict[str, Any] = result["game"]
            self.version = game["version"]
            self.tell(game, result["events"])
            if game["status"] == "finished":
                return game
        raise click.ClickException(f"The game did not end within {MAX_ACTIONS} actions.")

    def routes(self, corporation: str) -> list[dict[str, Any]]:
        """The best routes, from the routing worker."""
        wanted = {"corporation": corporation}
        job = self.api.call("POST", f"/games/{self.game_id}/routes", wanted, Prefer="wait=30")
        while job["state"] in ("queued", "running"):
            job = self.api.call("GET", f"/jobs/{job['id']}", Prefer="wait=30")
        if job["state"] != "done":
            raise click.ClickException(f"The search for {corporation}'s routes ended as {job['state']}.")
        self.searches += 1
        self.unproven += not job["result"]["proven"]
        found: list[dict[str, Any]] = job["result"]["action"]["routes"]
        return found

    def tell(self, game: dict[str, Any], events: list[dict[str, Any]]) -> None:
        """Print what matters of an action's events."""
        if game["round"] != self.round:
            self.round = game["round"]
            click.echo(f"-- {self.round}")
        for event in events:
            line = self.line(event)
            if line:
                click.echo(f"   {line}")

    def name(self, ref: str) -> str:
        kind, _, entity = ref.partition(":")
        return self.names.get(entity, entity) if kind == "player" else entity or ref

    def line(self, event: dict[str, Any]) -> str:
        """One sentence for the events a spectator cares about."""
        kind = event["kind"]
        if kind == "corporation_parred":
            return f"{self.name(event['player'])} starts {event['corporation']} at {event['price']}"
        if kind == "corporation_floated":
            return f"{event['corporation']} floats with {event['capital']}"
        if kind == "president_changed" and event.get("president"):
            return f"{self.name(event['president'])} leads {event['corporation']}"
        if kind == "phase_changed":
            return f"Phase {event['phase']} begins"
        if kind == "routes_run" and event["revenue"]:
            return f"{event['corporation']} earns {event['revenue']} ({'; '.join(event['routes'])})"
        if kind == "player_bankrupt":
            return f"{self.name(event['player'])} is bankrupt"
        if kind == "bank_broken":
            return "The bank is broken"
        return ""

    def save_pictures(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for picture in ("map.svg", "market.svg"):
            data, _ = self.api.raw("GET", f"/games/{self.game_id}/{picture}")
            (folder / f"{self.game_id}-{picture}").write_bytes(data)
        export, _ = self.api.raw("GET", f"/games/{self.game_id}/export")
        (folder / f"{self.game_id}.json").write_bytes(export)


@click.command()
@click.option("--title", default="1830", show_default=True, envvar="TITLE", help="Title to play.")
@click.option("--players", default=4, show_default=True, help="Number of bots.")
@click.option("--seed", type=int, help="Seed of the bots and the game.")
@click.option("--pictures", type=click.Path(path_type=Path), help="Folder for the pictures.  [default: DATA/demo]")
def demo(title: str, players: int, seed: int | None, pictures: Path | None) -> None:
    """Start everything and play a whole game with bots over HTTP."""
    config = StackConfig.from_env()
    started = time.monotonic()
    stack = Stack(config)
    try:
        click.echo("Starting; logs are in " + str(stack.logs))
        stack.start(lambda text: click.echo(text, nl=False))
    except StackError as error:
        raise click.ClickException(str(error)) from error
    try:
        api = Api(stack.url, operator_token(stack))
        game = Demo(api, title, players, SEEDS.get(title, 1) if seed is None else seed)
        click.echo(f"Game {game.game_id} of {title} at {stack.url}")
        summary = game.play()
        folder = pictures or stack.data / "demo"
        game.save_pictures(folder)
        report(game, summary, folder, time.monotonic() - started)
    finally:
        stack.stop()


def operator_token(stack: Stack) -> str:
    """The operator's token of a stack on this machine."""
    given = os.environ.get("ROUNDHOUSE_OPERATOR_TOKEN")
    return given or (stack.data / "gateway" / "operator-token").read_text().strip()


def report(game: Demo, summary: dict[str, Any], folder: Path, seconds: float) -> None:
    click.echo(f"\nThe game is over ({summary['end_reason']}) after {game.version} actions.")
    for place, (player, score) in enumerate(sorted(summary["result"].items(), key=lambda s: -s[1]), start=1):
        click.echo(f"  {place}. {game.names[player]:8} {score}")
    proven = "all proven best" if not game.unproven else f"{game.unproven} not proven"
    click.echo(f"{game.searches} route searches, {proven}. {seconds:.0f} s in all.")
    click.echo(f"Pictures and the game file are in {folder}")
