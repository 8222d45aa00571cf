"""Recorded runs: the board before every ``run_routes`` of the shared games, rebuilt from their traces."""

from __future__ import annotations

import gzip
import importlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from services.rules.engine.board.map import Map, new_hex
from services.rules.engine.data import HexData, NodeData, TileData, TitleData
from services.rules.engine.routes.rules import RouteRules
from services.rules.engine.state import Ability, Corporation, Depot, GameState, Token, Train
from tests.shared import SHARED, need

REPO = Path(__file__).resolve().parents[3]
TITLES = REPO / "services" / "rules" / "titles"


class CorporationWithPermits(Corporation):
    """A corporation of a title whose trains need permits."""

    permits: list[str] = msgspec.field(default_factory=list)


class Setting(NamedTuple):
    """A title as the route checks need it."""

    data: TitleData
    map: Map
    rules: RouteRules


class Recorded(NamedTuple):
    """One recorded run: the position before it, the action, and what the trace says it earned."""

    name: str
    where: Setting
    state: GameState
    sym: str
    routes: list[dict[str, Any]]
    run: dict[str, Any]


@cache
def setting(title: str, options: tuple[str, ...] = ()) -> Setting:
    """The title's data, map and route rules; ``options`` may add tiles and change printed hexes."""
    data = with_options(TitleData.load(TITLES / f"g{title}"), title, options)
    try:
        module = importlib.import_module(f"services.rules.titles.g{title}.routes")
    except ModuleNotFoundError:
        rules = RouteRules(data)
    else:
        rules = module.Routes(data)
    return Setting(data, Map(data), rules)


def with_options(data: TitleData, title: str, options: tuple[str, ...]) -> TitleData:
    """Data with the tiles and hexes that chosen options add, as the shared reference lists them."""
    tiles, hexes = dict(data.tiles), dict(data.map.hexes)
    reference = SHARED / "reference" / f"{title}.json"
    variants = json.loads(reference.read_text()).get("variants", []) if options else []
    for variant in variants:
        if variant["options"] and set(variant["options"]) <= set(options):
            changes = variant["differences"]
            for tile in changes.get("tiles", {}).get("changed_or_added", []):
                tiles[tile["name"]] = TileData(color=tile["colour"], nodes=_nodes(tile), track=_track(tile))
            for printed in changes.get("map", {}).get("changed_or_added", []):
                old = hexes[printed["id"]]
                color, nodes, track = printed["colour"], _nodes(printed), _track(printed)
                hexes[printed["id"]] = HexData(color, old.print_id, nodes=nodes, track=track, borders=old.borders)
    new_map = msgspec.structs.replace(data.map, hexes=hexes)
    return msgspec.structs.replace(data, tiles=tiles, map=new_map)


def _nodes(printed: dict[str, Any]) -> list[NodeData]:
    return [NodeData(n["kind"], revenue=n["revenue"], slots=n["slots"]) for n in printed.get("nodes", [])]


def _track(printed: dict[str, Any]) -> list[str]:
    def end(text: str) -> str:
        return text[1:] if text[0] == "e" else "abcdefgh"[int(text[1:])]

    return [f"{end(path['a'])}-{end(path['b'])}" for path in printed.get("paths", [])]


def games(title: str) -> list[Path]:
    """Game files of a title; skips the test where the shared files are not at hand."""
    return sorted(need(SHARED / "games" / title).glob("*.json"))


def recorded_runs(game: Path) -> Iterator[Recorded]:
    """Every ``run_routes`` of a game with the position before it."""
    recording = json.loads(game.read_text())
    actions = recording["actions"]
    title = game.parent.name
    where = setting(title, tuple(recording["settings"].get("optional_rules") or ()))
    keys: dict[str, Any] = {}
    trace = SHARED / "traces" / title / f"{game.stem}.jsonl.gz"
    with gzip.open(trace, "rt") as lines:
        for text in lines:
            line = json.loads(text)
            if line["type"] == "run_routes":
                state = state_of(where, keys)
                action = actions[line["i"]]
                name = f"{title}/{game.stem}@{line['i']}"
                yield Recorded(name, where, state, action["entity"], action["routes"], line["run"])
            for key, value in line["set"].items():
                if value is None:
                    keys.pop(key, None)
                else:
                    keys[key] = value


def state_of(where: Setting, keys: dict[str, Any]) -> GameState:
    """The part of a position that routes depend on."""
    phase = next(i for i, phase in enumerate(where.data.phases) if phase.name == keys["phase"])
    state = GameState(
        title=where.data.facts.title,
        options=[],
        seed=0,
        mode="live",
        rng=0,
        players=[],
        player_order=[],
        corporations={},
        corporation_order=[],
        companies={},
        board={},
        supply={},
        market={},
        depot=Depot(trains={}, upcoming=[]),
        phase=phase,
        bank=0,
        cert_limit=0,
        operating_rounds=1,
    )
    for key in keys:
        if key.startswith("corp/") and key.count("/") == 2:
            sym = key.split("/")[1]
            if sym not in state.corporations:
                state.corporations[sym] = _corporation(where, state, keys, sym)
    for key, value in keys.items():
        if key.startswith("hex/") and key.count("/") == 1:
            _lay(where, state, key[4:], value)
    for key, value in keys.items():
        if key.startswith("hex/") and key.endswith("/tokens"):
            _tokens(where, state, keys, key.split("/")[1], value)
        elif key.startswith("hex/") and key.endswith("/icons"):
            where.map.hex_state(state, key.split("/")[1]).icons = list(value)
    for hex_id, printed in where.data.map.hexes.items():
        borders = [(b.edge, b.kind, b.cost) for b in printed.borders]
        if borders:
            where.map.hex_state(state, hex_id).borders = borders
    return state


def _corporation(where: Setting, state: GameState, keys: dict[str, Any], sym: str) -> Corporation:
    prefix = f"corp/{sym}/"
    trains = [entry.split("|") for entry in keys.get(prefix + "trains", ())]
    ran = keys.get(prefix + "ran", ())
    for train, name in trains:
        state.depot.trains[train] = Train(name, owner=sym, ran=train in ran)
    home = keys.get(prefix + "home", [])
    abilities = [str(text).partition("=")[0] for text in keys.get(prefix + "abilities", ())]
    corporation = Corporation(
        sym=sym,
        kind="corporation",
        trains=[train for train, _ in trains],
        tokens=[_token(where, text) for text in keys.get(prefix + "tokens", ())],
        companies=list(keys.get(prefix + "companies", ())),
        home=[home] if isinstance(home, str) else list(home),
        abilities=[Ability(kind, -1) for kind in abilities],
    )
    if prefix + "permits" not in keys:
        return corporation
    return CorporationWithPermits(**msgspec.structs.asdict(corporation), permits=keys[prefix + "permits"])


def _token(where: Setting, text: str | int) -> Token:
    if ":" not in str(text):
        return Token(int(text))
    hex_id, _, slot = str(text).split(":")
    return Token(0, hex_id, 0, None if slot == "x" else int(slot))


def _lay(where: Setting, state: GameState, hex_id: str, text: str) -> None:
    tile, _, rotation = text.partition("@")
    name, _, copy = tile.rpartition("-")
    on_hex = new_hex(where.map.tiles[name].rotated(int(rotation)))
    on_hex.tile, on_hex.copy, on_hex.rotation = name, int(copy), int(rotation)
    state.board[hex_id] = on_hex


def _tokens(where: Setting, state: GameState, keys: dict[str, Any], hex_id: str, by_ref: dict[str, Any]) -> None:
    on_hex = where.map.hex_state(state, hex_id)
    tile = where.map.tile_at(state, hex_id)
    for ref, slots in by_ref.items():
        node = tile.node_by_ref(int(ref))
        assert node is not None
        city = on_hex.cities[node.city_index]
        marks = [slot and _mark(keys, hex_id, ref, slot) for slot in slots]
        city.extra = [mark.lstrip("+") for mark in marks if mark and "+" in mark]
        city.slots = [mark for mark in marks if not (mark and "+" in mark)]


def _mark(keys: dict[str, Any], hex_id: str, ref: str, slot: str) -> str:
    """A neutral token is on no corporation's list."""
    sym = slot.lstrip("+")
    placed = [str(text).rpartition(":")[0] for text in keys.get(f"corp/{sym}/tokens", ())]
    return slot if f"{hex_id}:{ref}" in placed else f"~{sym}"
