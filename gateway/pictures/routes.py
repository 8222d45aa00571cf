"""Drawing routes over the board: a colored line a train along its track, rings at its stops, and a label
with its revenue.
"""

from __future__ import annotations

from collections.abc import Sequence

from .design import NODE, Board
from .geometry import Curve, part, samples
from .palette import INK, ROUTES
from .placement import place
from .svg import caption, label, left_label, polyline_path, tag, text_width
from .trace import Piece, Run, TracedRoute

LINE = 7.0
LANE = 7.5
"""Distance of two trains on the same track."""
Rings = dict[str, dict[int, list[str]]]


def color(index: int) -> str:
    """Color of the train at a position of the list of routes."""
    return ROUTES[index % len(ROUTES)]


def rings(routes: Sequence[TracedRoute]) -> Rings:
    """Colors of the trains that stop at each node, by hex and node."""
    found: Rings = {}
    for index, route in enumerate(routes):
        for hex_id, node in route.stops:
            found.setdefault(hex_id, {}).setdefault(node, []).append(color(index))
    return found


def lines(board: Board, routes: Sequence[TracedRoute], money: str) -> list[str]:
    """The colored lines, one group a train."""
    users = _users(routes)
    drawn = []
    for index, route in enumerate(routes):
        strokes = []
        for points in _polylines(board, route, index, users):
            d = polyline_path(points)
            for width, opacity in ((LINE + 12, 0.3), (LINE, None)):
                strokes.append(tag("path", d=d, stroke=color(index), stroke_width=width, stroke_opacity=opacity))
        drawn.append(
            tag(
                "g",
                [caption(describe(route, money)), *strokes],
                class_="route",
                data_train=route.train,
                data_revenue=str(route.revenue),
                fill="none",
                stroke_linejoin="round",
                stroke_linecap="round",
            )
        )
    return drawn


def describe(route: TracedRoute, money: str) -> str:
    """A route in words: train, stops and revenue."""
    return f"{route.train}: {' – '.join(_stop_hexes(route))}, {money.replace('{}', str(route.revenue))}"


def _stop_hexes(route: TracedRoute) -> list[str]:
    """Hexes of the stops in order of travel."""
    path = [hex_id for hexes in route.connections for hex_id in (hexes[0], hexes[-1])]
    for chain in route.chains:
        if chain is None:
            break
    else:
        ends = [stop[0] for chain in route.chains if chain for stop in (chain.start, chain.end)]
        path = ends or [stop[0] for stop in route.stops]
    return [h for i, h in enumerate(path) if i == 0 or h != path[i - 1]]


def _users(routes: Sequence[TracedRoute]) -> dict[Piece, list[tuple[int, bool]]]:
    """For every piece of track the trains on it with their direction, in order."""
    users: dict[Piece, list[tuple[int, bool]]] = {}
    for index, route in enumerate(routes):
        for chain in route.chains:
            for run in chain.runs if chain else ():
                users.setdefault(run.piece, []).append((index, run.forward))
    return users


def _polylines(
    board: Board, route: TracedRoute, index: int, users: dict[Piece, list[tuple[int, bool]]]
) -> list[list[complex]]:
    """Lines to draw for a route: one along found track, one more for every connection without."""
    result: list[list[complex]] = []
    current: list[complex] = []
    for hexes, chain in zip(route.connections, route.chains, strict=True):
        if chain is None:
            result.append([board.hexes[h].center for h in hexes if h in board.hexes])
            continue
        points = [p for run in chain.runs for p in _run_points(board, run, index, users[run.piece])]
        if current and abs(current[-1] - points[0]) > 3 * LANE:
            result.append(current)
            current = []
        current.extend(points)
    if current:
        result.append(current)
    return [points for points in result if points]


def _run_points(board: Board, run: Run, index: int, trains: list[tuple[int, bool]]) -> list[complex]:
    h = board.hexes[run.hex]
    curve: Curve = place(h.design, board.layout, h.rotation).curves[run.index]
    if any(h.design.nodes[node].kind == "offboard" for node in h.design.track[run.index].nodes):
        # The line ends at the arrow's tip and leaves the values readable.
        curve = part(curve, 0, 0.45) if h.design.track[run.index].a < NODE else part(curve, 0.55, 1)
    points = samples(curve, 9)
    order = [train for train, _ in trains].index(index)
    shift = (order - (len(trains) - 1) / 2) * LANE
    if shift:
        # Lanes keep their side of the track along the whole of the first train's way.
        points = _shifted(points, shift if trains[0][1] else -shift)
    points = [h.center + p for p in points]
    return points if run.forward else points[::-1]


def _shifted(points: list[complex], shift: float) -> list[complex]:
    moved = []
    for i, here in enumerate(points):
        along = points[min(i + 1, len(points) - 1)] - points[max(i - 1, 0)]
        moved.append(here + (along / abs(along) * 1j * shift if abs(along) > 1e-9 else 0))
    return moved


def labels(board: Board, routes: Sequence[TracedRoute], money: str) -> list[str]:
    """A plate with train and revenue on every route, apart from one another where that is possible."""
    taken: list[complex] = []
    drawn = []
    for index, route in enumerate(routes):
        options = _label_places(board, route)
        if not options:
            continue
        middle = (len(options) - 1) / 2

        def cost(option: tuple[int, complex], middle: float = middle) -> tuple[float, int]:
            near = sum(max(0.0, 110 - abs(option[1] - other)) for other in taken)
            return (near + abs(option[0] - middle) * 8, option[0])

        place_at = min(enumerate(options), key=cost)[1]
        taken.append(place_at)
        drawn.append(_plate(place_at, route, index, money))
    return drawn


def _label_places(board: Board, route: TracedRoute) -> list[complex]:
    """Points where the route leaves a hex; for a train that stays in one city, below that city."""
    places = []
    for chain in route.chains:
        for run in chain.runs if chain else ():
            h = board.hexes[run.hex]
            placed = place(h.design, board.layout, h.rotation)
            curve = placed.curves[run.index]
            out = placed.ends[run.index][1 if run.forward else 0]
            if out < NODE:
                places.append(h.center + (curve[3] if run.forward else curve[0]))
    if places:
        return places
    for hexes in route.connections:
        places.extend(board.hexes[h].center for h in hexes if h in board.hexes)
    return places or [board.hexes[hex_id].center + 38j for hex_id, _ in route.stops]


def _plate(middle: complex, route: TracedRoute, index: int, money: str) -> str:
    text = f"{route.train} · {money.replace('{}', str(route.revenue))}"
    width = text_width(text, 17) + 16
    plate = tag(
        "rect",
        x=middle.real - width / 2,
        y=middle.imag - 14,
        width=width,
        height=28,
        rx=7,
        fill=color(index),
        stroke="#fff",
        stroke_width=2.5,
    )
    return tag("g", plate + label(middle, text, 17, fill="#fff", font_weight="bold"), class_="route-label")


def legend(routes: Sequence[TracedRoute], left: float, top: float, money: str) -> list[str]:
    """One line a train below the map: color, train, stops, revenue; then the total."""
    rows = []
    for index, route in enumerate(routes):
        y = top + 26 * index
        swatch = tag("rect", x=left, y=y - 9, width=34, height=18, rx=4, fill=color(index))
        rows.append(swatch + left_label(left + 46, y, describe(route, money), 18, fill=INK))
    total = sum(route.revenue for route in routes)
    text = f"Total {money.replace('{}', str(total))}"
    rows.append(left_label(left + 46, top + 26 * len(routes), text, 18, fill=INK, font_weight="bold"))
    return [tag("g", rows, class_="legend")]


def legend_height(routes: Sequence[TracedRoute]) -> float:
    return 26.0 * (len(routes) + 1) + 20 if routes else 0.0
