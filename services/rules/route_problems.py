"""Route problems of a game: from a position to the question, and from the answer to a run.

The only module of the rules service that knows ``services.route_problem``. Numbers in a problem follow the
map order of what they number, so the same position asks the same question in every game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from services import route_problem as rp
from services.route_problem.model import KINDS, Kind
from services.rules.engine.actions import RecordedRoute
from services.rules.engine.board.map import Map
from services.rules.engine.errors import EngineError, MalformedAction
from services.rules.engine.routes.bonuses import Bonus, SetBonus
from services.rules.engine.routes.check import RunResult, check_run, connections_of
from services.rules.engine.routes.context import RunContext
from services.rules.engine.routes.reach import Reach
from services.rules.engine.routes.rules import RouteRules
from services.rules.engine.routes.track import Chain, Piece, Stop, TracedRoute, node_index, uses_of
from services.rules.engine.routes.trains import Row, TrainSpec
from services.rules.engine.state import GameState


class RouteDisagreement(Exception):
    """The engine does not confirm what an answer claims: a defect on one of the two sides."""


def build_problem(map: Map, state: GameState, sym: str, rules: RouteRules) -> rp.RouteProblem:
    """The problem of the routes that corporation or minor ``sym`` may run now.

    Its trains are those :func:`runnable_trains` lists, in that order. A run of a local train that stands in
    one city cannot be expressed and is left out.
    """
    return _Encoding(RunContext(map, state, sym, rules)).problem()


def runnable_trains(map: Map, state: GameState, sym: str, rules: RouteRules) -> list[str]:
    """Ids of the trains that may run now, in the order of the operator's trains."""
    return [train for train, _ in _trains(RunContext(map, state, sym, rules))]


def routes_from_solution(map: Map, state: GameState, sym: str, rules: RouteRules, solution: rp.Solution) -> RunResult:
    """The routes of an answer to :func:`build_problem`, checked and valued by the engine.

    ``recorded_routes`` of the result makes the ``run_routes`` action. Raises :class:`RouteDisagreement` if
    the engine forbids the routes or pays another sum than the answer claims.
    """
    try:
        result = run_of_pieces(map, state, sym, rules, solution.routes, solution.order)
    except EngineError as error:
        raise RouteDisagreement(f"the engine forbids a route of the answer: {error.message}") from error
    if (result.total, result.subsidy) != (solution.revenue, solution.subsidy):
        raise RouteDisagreement(
            f"the engine pays {result.total} and {result.subsidy}, "
            f"the answer claims {solution.revenue} and {solution.subsidy}"
        )
    return result


def run_of_pieces(
    map: Map,
    state: GameState,
    sym: str,
    rules: RouteRules,
    routes: Sequence[Sequence[int] | None],
    order: Sequence[int] = (),
) -> RunResult:
    """Routes given as track piece ids of :func:`build_problem`'s problem (None: an idle train), checked and
    valued.

    ``order``: train numbers in the order in which the routes are listed; those it does not name follow.

    Raises :class:`MalformedAction` for lists that are not routes of that problem, :class:`IllegalAction` for
    routes that may not run.
    """
    encoding = _Encoding(RunContext(map, state, sym, rules))
    encoding.check_shape(routes)
    trains = rp.listed(len(routes), order)
    traced = [encoding.trace(number, pieces) for number in trains if (pieces := routes[number]) is not None]
    recorded = [_recorded(encoding.run, route) for route in traced]
    return check_run(map, state, sym, recorded, rules)


def recorded_routes(result: RunResult) -> list[RecordedRoute]:
    """Routes of a result in the recorded format (core 9.6), ready for a ``run_routes`` action."""
    return [
        RecordedRoute(
            train=route.train,
            connections=route.connections,
            hexes=route.hexes,
            nodes=route.stops,
            revenue=route.revenue,
            revenue_str=route.revenue_str,
            subsidy=route.subsidy,
        )
        for route in result.routes
    ]


def _trains(run: RunContext) -> list[tuple[str, TrainSpec]]:
    trains = []
    for train_id in run.corporation.trains:
        train = run.state.depot.trains[train_id]
        if not train.ran and run.rules.cannot_run(run, train) is None:
            trains.append((train_id, run.rules.spec(train.name)))
    return trains


def _recorded(run: RunContext, route: TracedRoute) -> RecordedRoute:
    return RecordedRoute(
        train=route.train,
        connections=connections_of(run, route),
        hexes=[stop.hex for stop in route.stops],
        nodes=[stop.ref for stop in route.stops],
    )


class _Encoding:
    """The numbering of one position."""

    def __init__(self, run: RunContext) -> None:
        self.run = run
        self.trains = _trains(run)
        self.reach = Reach(run)
        self.pieces: list[Piece] = self.reach.pieces
        self.stops: list[Stop] = self.reach.stops()
        self.number = {stop: number for number, stop in enumerate(self.stops)}
        self.hexes = {hex_id: i for i, hex_id in enumerate(sorted({hex_id for hex_id, _ in self.pieces}))}
        faces = [(hex_id, edge) for hex_id, path in self.pieces for edge in path.edges]
        sides = sorted({self.reach.side(*face) for face in faces})
        self.sides = {side: len(self.stops) + i for i, side in enumerate(sides)}
        self.conflicts = {use: i for i, use in enumerate(sorted({u for p in self.pieces for u in uses_of(p)}))}
        self.must_include = self._must_include()

    def problem(self) -> rp.RouteProblem:
        run = self.run
        positions = run.map.positions
        return rp.RouteProblem(
            format="route-problem/2",
            hexes=[(hex_id, *positions[hex_id]) for hex_id in self.hexes],
            stops=[self._stop(stop) for stop in self.stops],
            sides=len(self.sides),
            junctions=0,
            track=[self._track(piece) for piece in self.pieces],
            conflicts=len(self.conflicts),
            trains=[self._train(spec) for _, spec in self._running()],
            bonuses=[b for bonus in run.rules.bonuses(run) if (b := self._bonus(bonus)) is not None],
            exclusive=_groups(self.stops, lambda stop: run.rules.exclusive(run, stop)),
            forbidden=[i for i, stop in enumerate(self.stops) if run.rules.forbidden(run, stop) is not None],
            subsidies=self._subsidies(),
            rules=self._rules(),
            title=run.rules.data.facts.title,
            phase=run.rules.data.phases[run.state.phase].name,
        )

    def check_shape(self, routes: Sequence[Sequence[int] | None]) -> None:
        """Raise :class:`MalformedAction` unless there is a chain of track between two stops, or None, a
        train.
        """
        if len(routes) != len(self._running()):
            raise MalformedAction("malformed_routes", self._expected(len(routes)))
        for number, pieces in enumerate(routes):
            if pieces is not None and not self._is_chain(pieces):
                message = f"Route {number + 1} of {len(routes)} does not run along track from one stop to another."
                raise MalformedAction("malformed_routes", message, route=number)

    def _expected(self, given: int) -> str:
        names = [spec.name for _, spec in self._running()]
        if not names:
            return f"{self.run.sym} has no train that runs, so the list of routes must be empty."
        entries = "one entry" if len(names) == 1 else f"{len(names)} entries"
        return (
            f"The list of routes must have {entries}, for {self.run.sym}'s trains {', '.join(names)} in this order "
            f"(null for one that does not run), not {given}."
        )

    def _is_chain(self, pieces: Sequence[int]) -> bool:
        if not pieces or not all(0 <= piece < len(self.pieces) for piece in pieces):
            return False
        return any(self._runs_from(start, pieces) for start in self._ends(self.pieces[pieces[0]]))

    def _runs_from(self, node: int, pieces: Sequence[int]) -> bool:
        if node >= len(self.stops):
            return False
        for piece in pieces:
            a, b = self._ends(self.pieces[piece])
            if node not in (a, b):
                return False
            node = b if node == a else a
        return node < len(self.stops)

    def trace(self, number: int, pieces: Sequence[int]) -> TracedRoute:
        """The route of train ``number`` along numbered pieces, in running order."""
        train_id, spec = self._running()[number]
        track = [self.pieces[piece] for piece in pieces]
        ends = [self._ends(piece) for piece in track]
        node = ends[0][0]
        if len(ends) > 1 and node in ends[1]:
            node = ends[0][1]
        stops = [self.stops[node]]
        chains: list[Chain] = []
        begun: list[Piece] = []
        for piece, (a, b) in zip(track, ends, strict=True):
            begun.append(piece)
            node = b if node == a else a
            if node < len(self.stops):
                chains.append(Chain(stops[-1], self.stops[node], begun))
                stops.append(self.stops[node])
                begun = []
        return TracedRoute(train_id, spec, stops, chains)

    def _running(self) -> list[tuple[str, TrainSpec]]:
        """Trains of the problem: none if a stop that has to be visited is out of reach."""
        return [] if self.must_include == [] else self.trains

    def _must_include(self) -> list[int] | None:
        refs = self.run.rules.must_include(self.run)
        if refs is None:
            return None
        return [number for stop, number in self.number.items() if stop.ref in refs]

    def _ends(self, piece: Piece) -> tuple[int, int]:
        a, b = (self._node(piece[0], end) for end in piece[1].ends)
        return a, b

    def _node(self, hex_id: str, end: int) -> int:
        index = node_index(end)
        if index >= 0:
            return self.number[self.run.stop(hex_id, index)]
        return self.sides[self.reach.side(hex_id, end)]

    def _stop(self, stop: Stop) -> rp.Stop:
        run = self.run
        return rp.Stop(
            kind=stop.kind,
            hex=self.hexes[stop.hex],
            revenue=[run.rules.value(run, stop, spec) for _, spec in self._running()],
            token=stop.token,
            blocked=stop.blocked,
            cost=stop.node.visit_cost,
        )

    def _track(self, piece: Piece) -> rp.Track:
        return rp.Track(
            ends=self._ends(piece),
            hex=self.hexes[piece[0]],
            uses=[self.conflicts[use] for use in uses_of(piece)],
            terminal=piece[1].terminal,
        )

    def _train(self, spec: TrainSpec) -> rp.Train:
        run, rules = self.run, self.run.rules
        closed = [
            number
            for number, stop in enumerate(self.stops)
            if stop.kind not in spec.no_end_kinds and rules.cannot_end(run, stop, spec) is not None
        ]
        crow = None
        if spec.distance_rates is not None:
            rate, port_rate = spec.distance_rates
            ports = [number for number, stop in enumerate(self.stops) if rules.is_port(run, stop)]
            crow = rp.Crow(rate, port_rate, ports)
        return rp.Train(
            name=spec.name,
            visit=[_row(row) for row in spec.visit],
            pay=[_row(row) for row in spec.pay] if isinstance(spec.pay, tuple) else spec.pay,
            type=spec.kind,
            always_pay=_kinds(spec.always_pay),
            token_must_pay=spec.token_must_pay,
            no_end_stops=closed,
            no_end_kinds=_kinds(spec.no_end_kinds),
            end_pairs_forbidden=_groups(self.stops, lambda stop: _listed(rules.end_class(run, stop))),
            hex_limit=spec.hex_limit,
            crow=crow,
            permanent=spec.permanent,
        )

    def _in(self, hexes: Iterable[str]) -> list[int]:
        return [number for number, stop in enumerate(self.stops) if stop.hex in hexes]

    def _bonus(self, bonus: Bonus) -> rp.Bonus | None:
        """The bonus in the problem's numbers, or None if it is out of reach."""
        if isinstance(bonus, SetBonus):
            lists = [self._in(hexes) for hexes in bonus.all_of]
            factors = [spec.multiplier if bonus.multiplied else 1 for _, spec in self._running()]
            return rp.SetBonus(lists, [bonus.amount * factor for factor in factors]) if all(lists) else None
        if_any = self._in(bonus.if_any)
        return rp.EchoMaxBonus(if_any, self._in(bonus.excluded)) if if_any else None

    def _subsidies(self) -> list[rp.Subsidy]:
        trains = [spec for _, spec in self._running()]
        result: list[rp.Subsidy] = []
        for subsidy in self.run.rules.subsidies(self.run):
            stops = self._in(subsidy.hexes)
            if stops:
                result.append(rp.StopSubsidy(stops, [subsidy.amount for _ in trains]))
        for amount in sorted({spec.hex_subsidy for spec in trains} - {0}):
            paid = [number for number, spec in enumerate(trains) if spec.hex_subsidy == amount]
            result.append(rp.HexSubsidy(amount, paid))
        return result

    def _rules(self) -> rp.Rules:
        run, rules = self.run, self.run.rules
        whole = rules.set_rules
        ends = sum(spec.pay == "ends" for _, spec in self._running())
        places = _groups(self.stops, lambda stop: _listed(rules.place(run, stop)))
        return rp.Rules(
            share_track=whole.share_track,
            count_once=whole.count_once,
            must_connect=whole.must_connect,
            must_include_any=self.must_include or [],
            count_once_groups=places if whole.count_once else [],
            freight_chains=whole.chained_ends and ends > 1,
            prefer=list(whole.prefer),
        )


def _row(row: Row) -> rp.Row:
    return rp.Row(_kinds(row.kinds), row.max)


def _kinds(kinds: Iterable[str]) -> list[Kind]:
    return [kind for kind in KINDS if kind in kinds]


def _listed(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def _groups(stops: Sequence[Stop], names: Callable[[Stop], tuple[str, ...]]) -> list[list[int]]:
    """Numbers of the stops that share a name, for every name that two or more stops have."""
    groups: dict[str, list[int]] = {}
    for number, stop in enumerate(stops):
        for name in names(stop):
            groups.setdefault(name, []).append(number)
    return [group for _, group in sorted(groups.items()) if len(group) > 1]
