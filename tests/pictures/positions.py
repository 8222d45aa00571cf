"""Positions to draw: titles as JSON, and boards of recorded games rebuilt from their traces."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec

from services.rules.engine.data import TitleData
from tests.shared import REPOSITORY

TITLES = ("g1830", "g1861", "g1862", "g1867", "g1888", "g1893", "g1894")
View = dict[str, Any]


def title_json(folder: str) -> View:
    """A title's data as clients get it."""
    data: View = msgspec.to_builtins(TitleData.load(REPOSITORY / "services" / "rules" / "titles" / folder))
    return data


def trace_lines(path: Path) -> list[View]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def keys_after(path: Path, share: float = 1.0) -> dict[str, Any]:
    """All keys of a trace after a share of its actions."""
    lines = trace_lines(path)
    keys: dict[str, Any] = {}
    for line in lines[: max(1, int(len(lines) * share))]:
        for key, value in line["set"].items():
            if value is None:
                keys.pop(key, None)
            else:
                keys[key] = value
    return keys


def view_of(title: View, keys: dict[str, Any]) -> View:
    """The ``state`` of a view with what pictures need: board, market and par cells."""
    board: dict[str, Any] = {}
    market: dict[str, list[str]] = {}
    for hex_id, printed in title["map"]["hexes"].items():
        board[hex_id] = _hex(title, printed, hex_id, keys)
    for key, value in keys.items():
        if key.startswith("market/"):
            market[key.removeprefix("market/")] = value
    corporations: dict[str, Any] = {}
    for sym in title["corporations"]:
        par = keys.get(f"corp/{sym}/par")
        corporations[sym] = {"par": [int(n) for n in par.partition("@")[2].split(",")] if par else None}
    return {"state": {"board": board, "market": market, "corporations": corporations}}


def _hex(title: View, printed: View, hex_id: str, keys: dict[str, Any]) -> View:
    laid = keys.get(f"hex/{hex_id}")
    result: View = {}
    design = printed
    if laid:
        name, _, rotation = laid.partition("@")
        tile, _, copy = name.rpartition("-")
        result |= {"tile": tile, "copy": int(copy), "rotation": int(rotation)}
        design = title["tiles"][tile]
    result["cities"] = _cities(design, hex_id, keys)
    reserved = keys.get(f"hex/{hex_id}/reserved", {})
    result["reserved"] = [sym for sym in reserved.get("any", []) if sym]
    result["icons"] = keys.get(f"hex/{hex_id}/icons", [])
    result["borders"] = []
    for text in keys.get(f"hex/{hex_id}/borders", []):
        edge, kind, *cost = text.split(":")
        result["borders"].append([int(edge), kind, int(cost[0]) if cost else 0])
    return result


def _cities(design: View, hex_id: str, keys: dict[str, Any]) -> list[View]:
    tokens = keys.get(f"hex/{hex_id}/tokens", {})
    reserved = keys.get(f"hex/{hex_id}/reserved", {})
    cities = []
    for index, node in enumerate(design.get("nodes", [])):
        if node["kind"] != "city":
            continue
        ref = str(node.get("ref", index))
        standing = tokens.get(ref, [])
        slots = [sym for sym in standing if not (sym or "").startswith("+")]
        slots += [None] * (node.get("slots", 1) - len(slots))
        extra = [sym[1:] for sym in standing if sym and sym.startswith("+")]
        cities.append({"slots": slots, "extra": extra, "reserved": reserved.get(ref, [])})
    return cities
