"""Small problems written by hand for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.route_problem import RouteProblem, decode

ALL_KINDS = ["city", "town", "halt", "offboard"]


def train(name: str = "D", most: int | None = None, **fields: Any) -> dict[str, Any]:
    """A train that visits up to `most` stops of any kind."""
    return {"name": name, "visit": [{"kinds": ALL_KINDS, "max": most}], **fields}


def stop(revenue: int | list[int], kind: str = "city", **fields: Any) -> dict[str, Any]:
    """A stop in a hex of its own, paying the same to every train unless given as a list."""
    return {"kind": kind, "revenue": revenue, **fields}


def graph(
    stops: Sequence[dict[str, Any]],
    links: Sequence[tuple[int, int] | dict[str, Any]],
    trains: Sequence[dict[str, Any]],
    **fields: Any,
) -> RouteProblem:
    """A problem in which `links` join stops directly, each by one piece of track with its own conflict id.

    A link may also be a dict of `Track` fields; `uses` then names conflict ids from 1000 up, which are
    renumbered.
    """
    named: dict[int, int] = {}
    track = []
    for number, link in enumerate(links):
        piece: dict[str, Any] = {"ends": list(link)} if isinstance(link, tuple) else dict(link)
        piece.setdefault("hex", 0)
        uses = [named.setdefault(c, len(links) + len(named)) for c in piece.get("uses", [])]
        piece["uses"] = [number, *uses]
        track.append(piece)
    places = [
        {**entry, "hex": entry.get("hex", number), "revenue": _amounts(entry["revenue"], len(trains))}
        for number, entry in enumerate(stops)
    ]
    hexes = fields.pop("hexes", [[f"H{number}", number, number] for number in range(len(stops))])
    data = {
        "format": "route-problem/2",
        "hexes": hexes,
        "stops": places,
        "sides": 0,
        "junctions": 0,
        "track": track,
        "conflicts": len(links) + len(named),
        "trains": list(trains),
        **fields,
    }
    return decode(data)


def _amounts(revenue: int | list[int], trains: int) -> list[int]:
    return revenue if isinstance(revenue, list) else [revenue] * trains
