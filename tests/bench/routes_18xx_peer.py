"""Solve one described board with the package routes-18xx; runs in an environment that has it.

Reads a description (see `routes_18xx.describe`) from standard input and writes the best revenue and the seconds of
the search as JSON. Needs nothing but the standard library and the package.
"""

from __future__ import annotations

import importlib
import json
import math
import multiprocessing
import os
import sys
import time
from dataclasses import dataclass
from itertools import permutations
from typing import Any

package_board = importlib.import_module("routes18xx.board")
package_game = importlib.import_module("routes18xx.game")
package_placed = importlib.import_module("routes18xx.placedtile")
package_railroads = importlib.import_module("routes18xx.railroads")
package_search = importlib.import_module("routes18xx.find_best_routes")
package_spaces = importlib.import_module("routes18xx.boardtile")
package_trains = importlib.import_module("routes18xx.trains")

Hex = dict[str, Any]
Groups = list[frozenset[Any]]


@dataclass(frozen=True)
class Way:
    """A way to have the track of a hex: printed (no tile), or a tile and its rotation.

    `sides` are the hexes it leads to, `named` those that stand for the numbered sides of the description.
    """

    tile: Any
    turn: int
    sides: frozenset[str]
    named: dict[Any, str]


class NoBoardError(ValueError):
    """The package has no such board."""


def described(entry: Hex) -> Groups:
    """Sides that belong together in a described hex: by stop or by piece of track."""
    return [frozenset(stop["sides"]) for stop in entry["stops"]] or [frozenset(pair) for pair in entry["track"]]


def laid(space: Any) -> Groups:
    """The same of a hex of the package."""
    if hasattr(space, "branch_to_station"):
        return [frozenset(str(cell) for path in branch for cell in path) for branch in space.branch_to_station]
    if space.is_stop:
        return [frozenset(map(str, space.paths()))]
    return [frozenset((str(start), str(end))) for start in space.paths() for end in space.paths(start)]


class Setting:
    """One game of the package with a railroad, its trains and the phase."""

    def __init__(self, description: dict[str, Any]) -> None:
        self.hexes: list[Hex] = description["hexes"]
        self.game = package_game.Game.load(description["game"])
        known = {(train.collect, train.visit): train for train in package_trains.load_train_info(self.game)}
        ranges = [(paid or math.inf, visited or math.inf) for paid, visited in description["trains"]]
        if any(pair not in known for pair in ranges):
            raise NoBoardError("trains it does not know")
        self.trains = [known[pair] for pair in ranges]
        pace = [train for train in known.values() if str(train.phase) == description["phase"]]
        if not pace:
            raise NoBoardError("phase it does not know")
        # The phase follows from the trains of all railroads.
        create = package_railroads.Railroad.create
        self.railroad = create("here", self.trains)
        self.railroads = {"here": self.railroad, "other": create("other", pace[:1])}
        self.game.capture_phase(self.railroads)
        if self.game.current_phase != description["phase"]:
            raise NoBoardError("trains of a later phase")
        self.printed = self.load()
        self.check_ends(description)

    def load(self) -> Any:
        """The board without tiles."""
        return package_board.Board.load(self.game)

    def space(self, name: str) -> Any:
        """A hex of the board without tiles."""
        try:
            return self.printed.get_space(self.printed.cell(name))
        except ValueError as error:
            raise NoBoardError(f"no hex {name} on its map") from error

    def check_ends(self, description: dict[str, Any]) -> None:
        """Compare what is paid for connecting east and west, and that no route connects two ends in the east."""
        spaces = {entry["cell"]: self.space(entry["cell"]) for entry in self.hexes}
        east = {name for name, space in spaces.items() if isinstance(space, package_spaces.EasternTerminus)}
        west = {name for name, space in spaces.items() if isinstance(space, package_spaces.WesternTerminus)}
        pays = {frozenset((a, b)): spaces[a].e2w_bonus + spaces[b].e2w_bonus for a in east for b in west}
        if pays != {frozenset(pair): amount for *pair, amount in description["pairs"]}:
            raise NoBoardError("bonuses it does not know")
        groups = [set(group) for group in description["exclusive"] if len(group) > 1]
        if groups != ([east] if east else []):
            raise NoBoardError("stops that exclude each other")

    def pays(self, entry: Hex, space: Any) -> bool:
        """Whether a hex of the package has the kind of stop of the described one and pays the same."""
        kind = entry["stops"][0]["kind"] if entry["stops"] else ""
        kinds = {"city": space.is_city, "town": space.is_town, "offboard": space.is_terminus, "": not space.is_stop}
        values = [space.value(self.game, self.railroad, train) for train in self.trains] if kind else []
        return kinds.get(kind, False) and all(values == stop["revenue"] for stop in entry["stops"])

    def way(self, entry: Hex, space: Any, tile: Any = None, turn: int = 0) -> Way | None:
        """How the track of a hex of the package stands for that of a described one, if it does."""
        groups, found = described(entry), set(laid(space))
        names = frozenset().union(*groups)
        unknown = [name for name in names if isinstance(name, int)]
        sides = frozenset(map(str, space.paths()))
        if len(sides) != len(names) or not names - set(unknown) <= sides or not self.pays(entry, space):
            return None
        for order in permutations(sides - names):
            named = dict(zip(unknown, order, strict=True))
            if {frozenset(named.get(name, name) for name in group) for group in groups} == found:
                return Way(tile, turn, sides, named)
        return None

    def ways(self, entry: Hex) -> list[Way]:
        """Every way to have the track of the hex that the package allows."""
        printed = self.space(entry["cell"])
        way = self.way(entry, printed) if printed else None
        found = [way] if way else []
        names = frozenset().union(*described(entry))
        known = {name for name in names if isinstance(name, str)}
        for tile in self.game.tiles.values():
            for turn in range(6):
                # Cheap refusals first: laying a tile takes a board of its own.
                if len(tile.paths) != len(names) or tile.is_stop != bool(entry["stops"]):
                    break
                board = None
                try:
                    cell = self.printed.cell(entry["cell"])
                    if known <= set(map(str, package_placed.PlacedTile.get_paths(cell, tile, turn))):
                        board = self.load()
                        board.place_tile(entry["cell"], tile, turn)
                except ValueError:
                    continue
                if board:
                    way = self.way(entry, board.get_space(board.cell(entry["cell"])), tile, turn)
                    found += [way] if way else []
        if not found:
            raise NoBoardError(f"no tile for {entry['cell']}")
        return found

    def layout(self) -> dict[str, Way]:
        """One way for every hex, such that track meets exactly where the description says so."""
        choices = {entry["cell"]: self.ways(entry) for entry in self.hexes}
        sides: dict[str, frozenset[str]] = {}
        for cell in self.printed.cells:
            space = self.printed.get_space(cell)
            if str(cell) not in choices and space:
                sides[str(cell)] = frozenset(map(str, space.paths()))
        meets = {(entry["cell"], name) for entry in self.hexes for group in described(entry) for name in group}
        order = sorted(choices, key=lambda name: len(choices[name]))
        chosen: dict[str, Way] = {}

        def fits(name: str, way: Way) -> bool:
            others = [str(cell) for cell in self.printed.cell(name).neighbors.values() if str(cell) in sides]
            return all((other in way.sides and name in sides[other]) == ((name, other) in meets) for other in others)

        def choose(position: int) -> bool:
            if position == len(order):
                return True
            name = order[position]
            for way in choices[name]:
                if fits(name, way):
                    sides[name], chosen[name] = way.sides, way
                    if choose(position + 1):
                        return True
                    del sides[name], chosen[name]
            return False

        if not choose(0):
            raise NoBoardError("no tiles that fit together")
        return chosen

    def board(self) -> Any:
        """The board with its tiles and stations."""
        board = self.load()
        layout = self.layout()
        for name, way in layout.items():
            if way.tile:
                board.place_tile(name, way.tile, way.turn)
        for entry in self.hexes:
            for number, stop in enumerate(entry["stops"]):
                if stop["kind"] == "city" and (stop["token"] or stop["blocked"]):
                    self.occupy(board, entry, number, layout[entry["cell"]])
        return board

    def occupy(self, board: Any, entry: Hex, number: int, way: Way) -> None:
        """Place our station in a city, or fill it with stations of others."""
        stop = entry["stops"][number]
        space = board.get_space(board.cell(entry["cell"]))
        split = hasattr(space, "branch_to_station")
        slots = 1 if stop["token"] or split else space.capacity
        for slot in range(slots):
            other = package_railroads.Railroad.create(f"other {number} {slot}", [])
            railroad = self.railroad if stop["token"] else other
            if not split:
                board.place_station(self.game, entry["cell"], railroad)
                continue
            elsewhere = {side for rest in entry["stops"] if rest is not stop for side in rest["sides"]}
            own = [way.named.get(side, side) for side in stop["sides"] if side not in elsewhere]
            board.place_split_station(self.game, entry["cell"], railroad, own[:1])


def process_seconds() -> float:
    """How long it takes to start and end the processes that the package has for every search."""
    started = time.perf_counter()
    with multiprocessing.Manager(), multiprocessing.Pool(processes=os.cpu_count()):
        pass
    return time.perf_counter() - started


def main() -> None:
    """Answer one description."""
    answer: dict[str, Any]
    try:
        setting = Setting(json.load(sys.stdin))
        board = setting.board()
    except NoBoardError as error:
        answer = {"reason": str(error)}
    else:
        started = time.perf_counter()
        best = package_search.find_best_routes(setting.game, board, setting.railroads, setting.railroad)
        seconds = time.perf_counter() - started
        answer = {"revenue": int(best.value), "seconds": seconds, "process_seconds": process_seconds()}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
