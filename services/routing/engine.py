"""What the two search engines have in common: the interface, and the way a search is watched.

An *engine* lists routes of single trains (`best`, `collect`) and combines lists (`combine`). `kernel_engine` is the
compiled one, `twin` the plain one. Both call `Watch.tick` often; it raises `Interrupted` when the search must
end, so that every loop can be left at any time without a result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from services.routing.contract import Network

Path = list[int]
"""Links of a route in running order."""


class Interrupted(Exception):
    """The deadline has passed, the search was cancelled, or a cap on states or memory was hit."""


class TooManyRoutes(Interrupted):
    """A class of trains has more routes worth keeping than memory allows."""


@dataclass
class Watch:
    """Hooks a running search calls. `found` gets a route and its score, `bound` a new upper bound on all trains."""

    tick: Callable[[int], None]
    found: Callable[[int, Path], None]


@dataclass
class Entry:
    """A route kept in a list: score, shared conflict bits, links."""

    value: int
    mask: int
    path: Path


@dataclass
class Best:
    """The best route found, if any, and whether there is certainly no better one."""

    score: int = 0
    path: Path | None = None
    complete: bool = True


class RouteList(Protocol):
    """Routes of one class of trains."""

    def __len__(self) -> int: ...

    def entry(self, number: int) -> Entry:
        """One route, with its links."""
        ...


class CombineWatch(Protocol):
    """What a combining search reports to."""

    def tick(self, states: int) -> None: ...

    def better(self, value: int, choice: list[tuple[int, int]]) -> None:
        """A better set of routes: (class, position in its list) for each train that runs."""
        ...

    def bound(self, value: int) -> None:
        """No set of routes is worth more than `value`."""
        ...


class Improver(Protocol):
    """Looks for better sets of routes near good ones, where there are too many routes to list."""

    def start(self, paths: list[Path | None]) -> None:
        """Begin from a set of routes."""
        ...

    def cool(self, lower: int, better: Callable[[int, list[Path | None]], None], tick: Callable[[int], None]) -> None:
        """Search for a while and report every set worth more than `lower`. Calls go on with other random numbers."""
        ...


class Engine(Protocol):
    """Searches over the classes of trains of one problem."""

    name: str

    def best(
        self,
        group: int,
        blocked: int,
        target: int,
        gain: int,
        watch: Watch,
        budget: int | None = None,
        *,
        resume: bool = False,
    ) -> Best:
        """The best route of class `group` that avoids `blocked` conflicts and is worth at least `target`.

        With a `budget` the search may end after so many states, with a route that is only good. With `resume` it then
        goes on, rather than beginning anew, when called again with the same `blocked`; so the target must not fall.
        """
        ...

    def improver(self, classes: list[int]) -> Improver | None:
        """A local search for trains of these classes, if the engine has one that suits them."""
        ...

    def collect(self, group: int, target: int, watch: Watch, *, extra: bool = False) -> Any:
        """A `RouteList` of all routes of class `group` worth at least `target`.

        With `extra` it also has `distinct()`: visited stops, ends and links of routes that differ in the former.
        """
        ...

    def combine(
        self, lists: list[Any], counts: list[int], lower: int, gain: int, watch: CombineWatch, *, proof: bool
    ) -> None:
        """Find and report every improvement over `lower`; `counts` are trains by class.

        Without `proof` only what is quickly found, and the bounds reported mean nothing.
        """
        ...


def running_order(first: Path, second: Path) -> Path:
    """Links of a route that grew two arms from one stop."""
    return [*reversed(first), *second]


def path_pieces(network: Network, path: Path) -> list[int]:
    """Track pieces of a route in running order."""
    links = [network.links[number] for number in path]
    start = links[0].ends[0]
    if len(links) > 1 and start in links[1].ends:
        start = links[0].ends[1]
    pieces: list[int] = []
    for link in links:
        forward = link.ends[0] == start
        pieces += link.pieces if forward else reversed(link.pieces)
        start = link.ends[1] if forward else link.ends[0]
    return pieces
