"""Independent check of an answer: every route legal, every value right.

Works on the raw track pieces by the definitions of `services.route_problem`, shares no code with the
search, and is meant to be read beside the rules. Used on every answer before it leaves the service.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from services.route_problem import (
    EchoMaxBonus,
    EndBonus,
    HexBonus,
    HexSubsidy,
    RouteProblem,
    Row,
    SetBonus,
    Solution,
    StopSubsidy,
    Train,
    listed,
)
from services.routing.chains import ChainError, FreightRoute, Position, build_chains


class RouteCheckError(ValueError):
    """A set of routes breaks a rule. `train` is the index of the offending train, or None for the whole
    set.
    """

    def __init__(self, train: int | None, reason: str) -> None:
        super().__init__(reason if train is None else f"train {train}: {reason}")
        self.train = train
        self.reason = reason


@dataclass(frozen=True)
class Run:
    """One legal route: its pieces and nodes in order, the stops among them, the hexes with its track."""

    train: int
    pieces: tuple[int, ...]
    nodes: tuple[int, ...]
    stops: tuple[int, ...]
    hexes: frozenset[int]


@dataclass(frozen=True)
class Report:
    """What a legal set of routes earns; the lists have one entry a train (0 for an idle one)."""

    revenue: int
    route_values: list[int]
    subsidy: int
    route_subsidies: list[int]


def check_solution(problem: RouteProblem, solution: Solution) -> Report:
    """The report on the solution's routes; raises `RouteCheckError` if a claim of the solution is untrue."""
    report = check_routes(problem, solution.routes, solution.order)
    for name in ("revenue", "route_values", "subsidy"):
        if getattr(report, name) != getattr(solution, name):
            raise RouteCheckError(None, f"{name} is {getattr(report, name)}, not {getattr(solution, name)}")
    if solution.upper_bound < solution.revenue:
        raise RouteCheckError(None, "the upper bound is below the revenue")
    return report


def check_routes(problem: RouteProblem, routes: Sequence[Sequence[int] | None], order: Sequence[int] = ()) -> Report:
    """Legality and value of one route (or None) a train, listed in `order`; raises `RouteCheckError`.

    Trains that `order` does not name follow in their own order.
    """
    if len(routes) != len(problem.trains):
        raise RouteCheckError(None, f"{len(routes)} routes for {len(problem.trains)} trains")
    trains = listed(len(routes), order)
    runs = [check_route(problem, t, pieces) for t in trains if (pieces := routes[t]) is not None]
    if not problem.rules.share_track:
        owner: dict[int, int] = {}
        for run in runs:
            for conflict in {c for piece in run.pieces for c in problem.track[piece].uses}:
                if conflict in owner:
                    raise RouteCheckError(run.train, f"uses track of train {owner[conflict]} (conflict {conflict})")
                owner[conflict] = run.train
    values = [0] * len(routes)
    if problem.rules.count_once:
        _check_set(problem, runs)
        for train, value in _union_values(problem, runs).items():
            values[train] = value
    else:
        for run in runs:
            values[run.train] = route_value(problem, run)
    subsidies = _subsidies(problem, runs)
    route_subsidies = [subsidies.get(train, 0) for train in range(len(routes))]
    return Report(sum(values), values, sum(route_subsidies), route_subsidies)


def check_route(problem: RouteProblem, train: int, pieces: Sequence[int]) -> Run:
    """The run along `pieces`, if `train` may make it; raises `RouteCheckError`."""

    def need(condition: bool, reason: str) -> None:
        if not condition:
            raise RouteCheckError(train, reason)

    need(bool(pieces), "has an empty route")
    need(all(0 <= piece < len(problem.track) for piece in pieces), "uses a piece of track that does not exist")
    track = [problem.track[piece] for piece in pieces]
    nodes = list(track[0].ends)
    if len(track) > 1 and nodes[0] in track[1].ends:
        nodes.reverse()
    for piece in track[1:]:
        need(nodes[-1] in piece.ends, "the track is not connected")
        nodes.append(piece.ends[0] if piece.ends[1] == nodes[-1] else piece.ends[1])
    count = len(problem.stops)
    need(nodes[0] < count and nodes[-1] < count, "must start and end at stops")
    need(len(set(nodes)) == len(nodes), "visits a place twice")
    uses = [conflict for piece in track for conflict in piece.uses]
    need(len(set(uses)) == len(uses), "uses track twice")
    need(not any(piece.terminal for piece in track[1:-1]), "runs through a terminal piece of track")
    stops = [node for node in nodes if node < count]
    need(not any(problem.stops[stop].blocked for stop in stops[1:-1]), "runs through a blocked stop")
    need(not set(stops) & set(problem.forbidden), "visits a forbidden stop")
    for group in problem.exclusive:
        need(len(set(group) & set(stops)) <= 1, "visits two stops that exclude each other")
    need(any(problem.stops[stop].token for stop in stops), "visits no station of the company")
    rules = problem.trains[train]
    visits = [(stop, problem.stops[stop].cost) for stop in stops]
    need(_fits(problem, rules.visit, visits), "visits more or other stops than the train can")
    kinds = {problem.stops[stop].kind for stop in stops}
    need(not kinds & set(rules.no_kinds), "visits a kind of stop the train cannot visit")
    ends = {stops[0], stops[-1]}
    need(not ends & set(rules.no_end_stops), "ends at a stop where the train may not end")
    need(
        not {problem.stops[s].kind for s in ends} & set(rules.no_end_kinds),
        "ends at a kind of stop it may not end",
    )
    need(not any(ends <= set(group) for group in rules.end_pairs_forbidden), "has ends that exclude each other")
    sides = sum(count <= node < count + problem.sides for node in nodes)
    need(rules.hex_limit is None or sides <= rules.hex_limit, "crosses too many hex sides")
    run = Run(train, tuple(pieces), tuple(nodes), tuple(stops), frozenset(piece.hex for piece in track))
    if not problem.rules.count_once:
        route_value(problem, run)
    return run


def _fits(problem: RouteProblem, rows: Sequence[Row], demand: Iterable[tuple[int, int]]) -> bool:
    """Whether rows can supply (stop, units) demands; units of one stop may come from several rows."""
    units: dict[str, int] = {}
    for stop, cost in demand:
        kind = problem.stops[stop].kind
        units[kind] = units.get(kind, 0) + cost
    for size in range(1, len(units) + 1):
        for kinds in itertools.combinations(units, size):
            useful = [row.max for row in rows if set(row.kinds) & set(kinds)]
            if not useful or (None not in useful and sum(m or 0 for m in useful) < sum(units[k] for k in kinds)):
                return False
    return True


def route_value(problem: RouteProblem, run: Run) -> int:
    """Most the route can earn by itself; raises `RouteCheckError` if no choice of paying stops is allowed."""
    train = problem.trains[run.train]
    if train.pay == "ends":
        return _value(problem, run, {run.stops[0], run.stops[-1]}) + _crow(problem, train, run)
    if train.pay is None:
        paying = set(run.stops)
        if train.token_must_pay and not any(problem.stops[stop].token for stop in paying):
            raise RouteCheckError(run.train, "is paid at no station")
        return _value(problem, run, paying)
    values = [_value(problem, run, paying) for paying in _choices(problem, train, train.pay, run)]
    if not values:
        raise RouteCheckError(run.train, "cannot be paid at the stops that must pay")
    return max(values)


def _choices(problem: RouteProblem, train: Train, rows: list[Row], run: Run) -> Iterable[set[int]]:
    """Sets of paying stops, one of which is best.

    Stops that fit the rows form a matroid, so for any stops fixed in advance taking the dearest of the rest
    is best. What may have to be fixed: forced kinds, a station, and one stop for every part of a bonus.
    """
    stops = set(run.stops)
    forced = {stop for stop in stops if problem.stops[stop].kind in train.always_pay}
    options: list[list[tuple[int, ...]]] = []
    if train.token_must_pay:
        options.append([(stop,) for stop in stops if problem.stops[stop].token])
    for bonus in problem.bonuses:
        if isinstance(bonus, SetBonus):
            lists = [[stop for stop in group if stop in stops] for group in bonus.all_of]
            options.append([(), *itertools.product(*lists)])
        elif isinstance(bonus, EchoMaxBonus) and stops & set(bonus.if_any):
            triggers = [stop for stop in bonus.if_any if stop in stops]
            options.append([(), *itertools.product(triggers, stops - set(bonus.except_))])
        elif isinstance(bonus, EndBonus):
            options += [[(), (end,)] for end in (run.stops[0], run.stops[-1]) if end in bonus.any_of]
    dearest = sorted(stops, key=lambda stop: -problem.stops[stop].revenue[run.train])
    for fixed in {frozenset(itertools.chain(forced, *combo)) for combo in itertools.product(*options)}:
        paying = set(fixed)
        if not _fits(problem, rows, ((stop, 1) for stop in paying)):
            continue
        for stop in dearest:
            if stop not in paying and _fits(problem, rows, ((s, 1) for s in {*paying, stop})):
                paying.add(stop)
        yield paying


def _value(problem: RouteProblem, run: Run, paying: set[int]) -> int:
    """Revenue of a route that is paid at `paying`, bonuses included."""

    def revenue(stop: int) -> int:
        return problem.stops[stop].revenue[run.train]

    total = sum(revenue(stop) for stop in paying)
    for bonus in problem.bonuses:
        if isinstance(bonus, SetBonus):
            if all(paying & set(group) for group in bonus.all_of):
                total += bonus.amount[run.train]
        elif isinstance(bonus, HexBonus):
            total += bonus.amount[run.train] * len(run.hexes & set(bonus.hexes))
        elif isinstance(bonus, EchoMaxBonus):
            if paying & set(bonus.if_any):
                total += max((revenue(stop) for stop in paying - set(bonus.except_)), default=0)
        elif isinstance(bonus, EndBonus) and len(paying) >= 2:
            ends = {run.stops[0], run.stops[-1]} & paying & set(bonus.any_of)
            total += sum(revenue(stop) for stop in ends)
    return total


def positions(problem: RouteProblem, run: Run) -> tuple[Position, Position]:
    """Where the two ends of a run are measured from; see `services.route_problem.Crow`."""
    return _position(problem, run.stops[0], run.pieces), _position(problem, run.stops[-1], run.pieces[::-1])


def _position(problem: RouteProblem, stop: int, pieces: Sequence[int]) -> Position:
    offboard = problem.stops[stop].kind == "offboard"
    place = problem.stops[stop].hex
    if offboard:
        node, own = stop, place
        for piece in pieces:
            place = problem.track[piece].hex
            first, second = problem.track[piece].ends
            node = second if node == first else first
            if place != own or node < len(problem.stops):
                break
    _, x, y = problem.hexes[place]
    return x, y, offboard


def _freight(problem: RouteProblem, run: Run) -> FreightRoute:
    ends = run.stops[0], run.stops[-1]
    return FreightRoute(run.train, ends, positions(problem, run), problem.trains[run.train].permanent)


def _rate(train: Train, ends: tuple[int, int]) -> int:
    if train.crow is None:
        return 0
    return train.crow.port_rate if set(ends) & set(train.crow.port_stops) else train.crow.rate


def _crow(problem: RouteProblem, train: Train, run: Run) -> int:
    (chain,) = build_chains([_freight(problem, run)])
    return _rate(train, chain.free) * chain.distance


def _check_set(problem: RouteProblem, runs: list[Run]) -> None:
    """Rules over a set of routes that share track: home, connection."""
    rules = problem.rules
    if not runs:
        return
    visited = [set(run.stops) for run in runs]
    if rules.must_include_any and not set().union(*visited) & set(rules.must_include_any):
        raise RouteCheckError(None, "no route visits the home station")
    if rules.must_connect:
        together, rest = visited[0], visited[1:]
        while rest:
            touching = [stops for stops in rest if stops & together]
            if not touching:
                raise RouteCheckError(None, "the routes do not meet")
            rest = [stops for stops in rest if not stops & together]
            together = together.union(*touching)


def _union_values(problem: RouteProblem, runs: list[Run]) -> dict[int, int]:
    """Revenue by train when every place pays once for the company; a place goes to the first train counting
    it.
    """
    place = {stop: stop for stop in range(len(problem.stops))}
    for group in problem.rules.count_once_groups:
        place.update(dict.fromkeys(group, group[0]))
    freight = [_freight(problem, run) for run in runs if problem.trains[run.train].pay == "ends"]
    try:
        chains = build_chains(freight)
    except ChainError as error:
        raise RouteCheckError(None, str(error)) from None
    counted: dict[int, set[int]] = {run.train: set() for run in runs}
    values = {run.train: 0 for run in runs}
    for chain in chains:
        for route in chain.routes:
            counted[route.train] |= {place[stop] for stop in chain.free if stop in route.ends}
        first = chain.routes[0].train
        values[first] += _rate(problem.trains[first], chain.free) * chain.distance
    assigned = _assign(problem, runs, place, set().union(*counted.values()))
    for train, places in assigned.items():
        counted[train] |= places
    seen: set[int] = set()
    for run in runs:
        new = counted[run.train] - seen
        seen |= new
        values[run.train] += sum(problem.stops[p].revenue[run.train] for p in new)
    return values


def _assign(problem: RouteProblem, runs: list[Run], place: dict[int, int], paid: set[int]) -> dict[int, set[int]]:
    """Which places each choosing train counts, for the greatest sum over places not in `paid`.

    Places that can be counted together form a matroid: taking them in falling value, each if some
    train has room for it (perhaps after others change places), is best.
    """
    rooms: list[tuple[int, set[int], int | None]] = []
    for run in runs:
        pay = problem.trains[run.train].pay
        if pay == "ends":
            continue
        rows = [Row(["city", "town", "halt", "offboard"])] if pay is None else pay
        for row in rows:
            able = {place[stop] for stop in run.stops if problem.stops[stop].kind in row.kinds}
            rooms.append((run.train, able, row.max))
    held: list[set[int]] = [set() for _ in rooms]

    def seat(item: int, tried: set[int]) -> bool:
        for number, (_, able, limit) in enumerate(rooms):
            if item not in able or number in tried or limit == 0:
                continue
            tried.add(number)
            if limit is None or len(held[number]) < limit:
                held[number].add(item)
                return True
            for other in sorted(held[number]):
                if seat(other, tried):
                    held[number].remove(other)
                    held[number].add(item)
                    return True
        return False

    places = sorted(set().union(*(able for _, able, _ in rooms)) - paid)
    for item in sorted(places, key=lambda p: -problem.stops[p].revenue[0]):
        seat(item, set())
    result: dict[int, set[int]] = {}
    for (train, _, _), items in zip(rooms, held, strict=True):
        result.setdefault(train, set()).update(items)
    return result


def _subsidies(problem: RouteProblem, runs: list[Run]) -> dict[int, int]:
    """Treasury money by train; a hex goes to the first train that touches it."""
    result = {run.train: 0 for run in runs}
    for subsidy in problem.subsidies:
        touched: set[int] = set()
        for run in runs:
            if isinstance(subsidy, StopSubsidy):
                if set(run.stops) & set(subsidy.stops):
                    result[run.train] += subsidy.amount[run.train]
            elif run.train in subsidy.trains:
                result[run.train] += subsidy.amount * len(run.hexes - touched)
                touched |= run.hexes
    return result


Objective = tuple[int, ...]


def objective(problem: RouteProblem) -> Callable[[int, int, int], Objective]:
    """What is to be maximised, as a function of (revenue, subsidy, number of trains running)."""
    prefer = problem.rules.prefer

    def key(revenue: int, subsidy: int, trains: int) -> Objective:
        return (revenue, *(subsidy if name == "subsidy" else -trains for name in prefer))

    return key


__all__ = ["HexSubsidy", "Report", "RouteCheckError", "Run", "check_route", "check_routes", "check_solution"]
