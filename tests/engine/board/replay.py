"""Recorded games as a check of the board: lays and tokens are applied, all else is taken from the trace."""

from __future__ import annotations

import gzip
import json
from collections.abc import Container, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from services.rules.engine.board.lays import ALL_EDGES, lay, legal_lays
from services.rules.engine.board.map import Map, new_cities
from services.rules.engine.board.setup import initial_board, initial_supply
from services.rules.engine.board.tokens import ReservationMode, place, slot_for
from services.rules.engine.board.track_rules import TrackRules
from services.rules.engine.data import TitleData
from services.rules.engine.state import Corporation, Depot, GameState, Hex, Token
from tests.shared import SHARED, need

REPO = Path(__file__).resolve().parents[3]
TITLES = ("1830", "1861", "1862", "1867", "1888", "1893", "1894")


def need_shared(folder: str) -> Path:
    """A folder of recorded material, or skip."""
    return need(SHARED / folder)


@cache
def title_data(title: str) -> TitleData:
    return TitleData.load(REPO / "services/rules/titles" / f"g{title}")


@cache
def title_map(title: str) -> Map:
    return Map(title_data(title))


def new_state(title: str, homes: Container[str] | None = None) -> GameState:
    """A state of which only board, supply and tokens matter; ``homes`` as in ``initial_board``."""
    data, board = title_data(title), title_map(title)
    everyone = {**data.minors, **data.corporations}
    return GameState(
        title=title,
        options=[],
        seed=0,
        mode="live",
        rng=0,
        players=[],
        player_order=[],
        corporations={
            sym: Corporation(sym=sym, kind=c.kind, tokens=[Token(price=price) for price in c.tokens])
            for sym, c in everyone.items()
        },
        corporation_order=list(everyone),
        companies={},
        board=initial_board(board, data, homes),
        supply=initial_supply(data.tiles),
        market={},
        depot=Depot(trains={}, upcoming=[]),
        phase=0,
        bank=0,
        cert_limit=0,
        operating_rounds=0,
    )


def games(title: str) -> list[str]:
    return sorted(path.name.split(".")[0] for path in (SHARED / "traces" / title).glob("*.jsonl.gz"))


def trace(title: str, name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(SHARED / "traces" / title / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def actions(title: str, name: str) -> list[dict[str, Any]]:
    text = (SHARED / "games" / title / f"{name}.json").read_text(encoding="utf-8")
    return list(json.loads(text)["actions"])


class Mirror:
    """The traced values, and the same values read from a state."""

    def __init__(self, title: str) -> None:
        self.board = title_map(title)
        self.values: dict[str, Any] = {}

    def update(self, changes: dict[str, Any]) -> None:
        for key, value in changes.items():
            if value is None:
                self.values.pop(key, None)
            else:
                self.values[key] = value

    def expected(self, hex_id: str) -> dict[str, Any]:
        """Traced values of one hex, in the form of :meth:`actual`."""
        base = f"hex/{hex_id}"
        tokens = self.values.get(f"{base}/tokens", {})
        reserved = self.values.get(f"{base}/reserved", {})
        return {
            "tile": self.values.get(base),
            "tokens": {ref: slots for ref, slots in tokens.items() if any(slots)},
            "reserved": {ref: trimmed(names) for ref, names in reserved.items() if any(names)},
            "borders": self.values.get(f"{base}/borders", []),
            "icons": self.values.get(f"{base}/icons", []),
        }

    def actual(self, state: GameState, hex_id: str) -> dict[str, Any]:
        on_hex = state.board.get(hex_id) or Hex()
        cities = {
            str(node.ref): city
            for node, city in zip(self.board.tile_at(state, hex_id).cities, on_hex.cities, strict=False)
        }
        tokens = {
            ref: [t and t.lstrip("~") for t in city.slots] + [f"+{t}" for t in city.extra]
            for ref, city in cities.items()
        }
        reserved = {ref: trimmed(city.reserved) for ref, city in cities.items()}
        reserved["any"] = list[str | None](on_hex.reserved)
        return {
            "tile": on_hex.tile and f"{on_hex.tile}-{on_hex.copy}@{on_hex.rotation}",
            "tokens": {ref: slots for ref, slots in tokens.items() if any(slots)},
            "reserved": {ref: names for ref, names in reserved.items() if any(names)},
            "borders": [
                f"{edge}:{kind}" if kind == "impassable" else f"{edge}:{kind}:{cost}"
                for edge, kind, cost in on_hex.borders
            ],
            "icons": on_hex.icons,
        }

    def copy_to(self, state: GameState, changed: set[str]) -> None:
        """Make the state's hexes and tokens those of the trace; ``changed`` are keys of the trace."""
        for key in changed:
            parts = key.split("/")
            if parts[0] == "hex":
                self._copy_hex(state, parts[1])
            elif parts[0] == "corp" and parts[2] == "tokens":
                self._copy_tokens(state, parts[1])

    def _copy_hex(self, state: GameState, hex_id: str) -> None:
        want = self.expected(hex_id)
        on_hex = self.board.hex_state(state, hex_id)
        if want["tile"] is not None:
            name, _, rotation = want["tile"].partition("@")
            tile, _, copy = name.rpartition("-")
            on_hex.tile, on_hex.copy, on_hex.rotation = tile, int(copy), int(rotation)
        placed = self.board.tile_at(state, hex_id)
        if len(on_hex.cities) != len(placed.cities):
            on_hex.cities = new_cities(placed)
        on_hex.icons = list(want["icons"])
        on_hex.reserved = list(want["reserved"].get("any", []))
        for node, city in zip(placed.cities, on_hex.cities, strict=True):
            slots = [t for t in want["tokens"].get(str(node.ref), []) if not (t and t.startswith("+"))]
            city.slots = slots + [None] * (node.slots - len(slots))
            names = want["reserved"].get(str(node.ref), [])
            known = [sym if sym in names else None for sym in city.reserved]
            city.reserved = known if trimmed(known) == names else list(names)

    def _copy_tokens(self, state: GameState, sym: str) -> None:
        tokens = state.corporations[sym].tokens = []
        for text in self.values.get(f"corp/{sym}/tokens", []):
            if isinstance(text, int) or ":" not in text:
                tokens.append(Token(price=int(text)))
                continue
            hex_id, ref, slot = text.split(":")
            refs = [node.ref for node in self.board.tile_at(state, hex_id).cities]
            place = None if slot == "x" else int(slot)
            tokens.append(Token(price=0, hex=hex_id, city=refs.index(int(ref)), slot=place))

    def actual_tokens(self, state: GameState, sym: str) -> list[str | None]:
        """Tokens of a corporation as traced, None for unused ones."""
        result: list[str | None] = []
        for token in state.corporations[sym].tokens:
            if token.hex is None:
                result.append(None)
                continue
            ref = self.board.tile_at(state, token.hex).cities[token.city].ref
            result.append(f"{token.hex}:{ref}:{'x' if token.slot is None else token.slot}")
        return result

    def expected_tokens(self, sym: str) -> list[str | None]:
        texts = self.values.get(f"corp/{sym}/tokens", [])
        return [text if isinstance(text, str) and ":" in text else None for text in texts]


def trimmed(names: list[str | None]) -> list[str | None]:
    """Without trailing empty entries."""
    result = list(names)
    while result and result[-1] is None:
        result.pop()
    return result


def on_board(tokens: list[str | None]) -> list[str]:
    """Hexes of placed tokens, whatever their city and slot."""
    return sorted(text.partition(":")[0] for text in tokens if text is not None)


class BoardReplay:
    """Applies the lays and token placements of a game to a state and notes where it differs from the trace.

    Everything else is copied from the trace. Where a line of the trace also moves tokens by other rules (home
    tokens, nationalization, mergers) its tokens are not compared; ``skipped`` counts those lines.
    """

    def __init__(self, title: str, name: str, rules: TrackRules, mode: ReservationMode, state: GameState) -> None:
        self.title, self.name, self.rules, self.mode, self.state = title, name, rules, mode, state
        self.mirror = Mirror(title)
        self.differences: list[str] = []
        self.lays = self.placements = self.skipped = self.compared = 0
        self.ignore_supply = False

    def run(self) -> None:
        log = actions(self.title, self.name)
        for line in trace(self.title, self.name):
            self.mirror.update(line["set"])
            if line["i"] < 0:
                self.mirror.copy_to(self.state, set(self.mirror.values))
                continue
            action = log[line["i"]]
            touched = {self._apply(one, line) for one in [action, *action.get("auto_actions", [])]} - {None}
            if touched:
                self._compare(line, {h for h in touched if h is not None})
            self._follow(line, {h for h in touched if h is not None})

    def _note(self, line: dict[str, Any], text: str) -> None:
        self.differences.append(f"{self.title}/{self.name} #{line['i']} {line['entity']}: {text}")

    def _apply(self, action: dict[str, Any], line: dict[str, Any]) -> str | None:
        if action["type"] == "lay_tile":
            return self._lay(action, line)
        if action["type"] == "place_token":
            return self._place(action, line)
        return None

    def _lay(self, action: dict[str, Any], line: dict[str, Any]) -> str:
        hex_id, special = action["hex"], action["entity_type"] == "company"
        tile, _, copy = action["tile"].rpartition("-")
        rotation = action["rotation"]
        legal = legal_lays(self.rules, self.state, hex_id, ALL_EDGES, special=special)
        if (tile, rotation) not in legal:
            self._note(line, f"{tile} rotation {rotation} on {hex_id} is not offered")
        lay(self.rules, self.state, hex_id, tile, rotation, int(copy), special=special)
        self.lays += 1
        return str(hex_id)

    def _place(self, action: dict[str, Any], line: dict[str, Any]) -> str | None:
        board, state = self.rules.board, self.state
        tile_id, _, ref = action["city"].rpartition("-")
        hex_id = next(h for h in board.printed if board.tile_id(state, h) == tile_id)
        city = [node.ref for node in board.tile_at(state, hex_id).cities].index(int(ref))
        sym = action.get("tokener") or action["entity"]
        if action["entity_type"] == "company":
            values = self.mirror.values
            sym = next(s for s in state.corporations if action["entity"] in values.get(f"corp/{s}/companies", ()))
        unused = [i for i, token in enumerate(state.corporations[sym].tokens) if token.hex is None]
        slot = slot_for(board, state, hex_id, city, sym, mode=self.mode)
        if slot is None or not unused:
            self._note(line, f"{hex_id} does not accept a token of {sym}")
            return None
        place(board, state, sym, unused[0], hex_id, city, slot)
        self.placements += 1
        return hex_id

    def _compare(self, line: dict[str, Any], hexes: set[str]) -> None:
        mirror, state = self.mirror, self.state
        mine = {s: mirror.actual_tokens(state, s) for s in state.corporations}
        theirs = {s: mirror.expected_tokens(s) for s in state.corporations}
        keys = ["tile", "borders", "icons", "tokens", "reserved"]
        if any(on_board(mine[s]) != on_board(theirs[s]) for s in mine):
            self.skipped += 1
            keys = ["tile", "borders"]
        else:
            self.compared += 1
            for sym in mine:
                if mine[sym] != theirs[sym]:
                    self._note(line, f"tokens of {sym} are {mine[sym]}, not {theirs[sym]}")
        for hex_id in hexes:
            got, want = mirror.actual(state, hex_id), mirror.expected(hex_id)
            for key in keys:
                if got[key] != want[key]:
                    self._note(line, f"{key} of {hex_id} is {got[key]}, not {want[key]}")
        for name, tile in self.rules.board.tiles.items():
            left, traced = len(state.supply[name]), mirror.values.get(f"supply/{name}", 0)
            if tile.count is not None and left != traced and not self.ignore_supply:
                self._note(line, f"{left} copies of {name} are left, not {traced}")

    def _follow(self, line: dict[str, Any], touched: set[str]) -> None:
        """Take over what other rules did."""
        mirror, state = self.mirror, self.state
        changed = {key.split("/")[1] for key in line["set"] if key.startswith("hex/")} | touched
        differing = {h for h in changed if mirror.actual(state, h) != mirror.expected(h)}
        mirror.copy_to(state, {f"hex/{h}" for h in differing})
        syms = [s for s in state.corporations if mirror.actual_tokens(state, s) != mirror.expected_tokens(s)]
        mirror.copy_to(state, {f"corp/{s}/tokens" for s in syms})
