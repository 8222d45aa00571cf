"""Connectivity by walking every trail with backtracking: exponential, but its definition (core 7.1)."""

from __future__ import annotations

from services.rules.engine.board.connectivity import Connectivity, End, PathId, Position


class TooManyTrails(Exception):
    """The walk was given up."""


class TrailWalk:
    """Walks every trail of a position; ``limit`` bounds the steps taken."""

    def __init__(self, position: Position, limit: int = 10**9) -> None:
        self.position = position
        self.steps_left = limit
        self.at: dict[End, list[int]] = {}
        for index, (_, a, b) in enumerate(position.paths):
            self.at.setdefault(a, []).append(index)
            if b != a:
                self.at.setdefault(b, []).append(index)
        self.used_paths: set[int] = set()
        self.used_stops: set[End] = set()
        self.left_sides: set[End] = set()
        self.connected: set[PathId] = set()
        self.met: set[End] = set()

    def run(self) -> Connectivity:
        stops: set[End] = set()
        met = {}
        for start in self.position.starts:
            self.met = {start}
            self.used_stops = {start}
            for path in self.at.get(start, []):
                self.walk(path, start)
            met[start] = self.met
            stops |= self.met
        return Connectivity(self.connected, stops, met)

    def walk(self, path: int, come_from: End) -> None:
        """Run over a path from one of its ends and everywhere a trail may go on from there."""
        key, a, b = self.position.paths[path]
        if path in self.used_paths or a in self.left_sides or b in self.left_sides:
            return
        self.steps_left -= 1
        if self.steps_left < 0:
            raise TooManyTrails
        self.connected.add(key)
        self.used_paths.add(path)
        self.go_on(b if come_from == a else a, key in self.position.terminal)
        self.used_paths.discard(path)

    def go_on(self, end: End, terminal: bool) -> None:
        position = self.position
        if end in position.stops:
            self.met.add(end)
            closed = end in position.starts or end in position.no_pass or end in self.used_stops
            if not closed and not terminal:
                self.used_stops.add(end)
                for path in self.at[end]:
                    if position.paths[path][0] not in position.terminal:
                        self.walk(path, end)
                self.used_stops.discard(end)
        elif end in position.junctions:
            for path in self.at[end]:
                self.walk(path, end)
        elif end in position.sides:
            self.left_sides.add(end)
            behind = position.sides[end]
            for path in self.at.get(behind, []):
                self.walk(path, behind)
            self.left_sides.discard(end)
