"""Checks on a route problem that types alone cannot express."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from services.route_problem.model import (
    EchoMaxBonus,
    EndBonus,
    HexBonus,
    HexSubsidy,
    RouteProblem,
    RouteProblemError,
    Row,
    SetBonus,
    StopSubsidy,
    Train,
)

MAX_AMOUNT = 1_000_000
MAX_TRAINS = 64
MAX_ITEMS = 100_000


def validate(problem: RouteProblem) -> RouteProblem:
    """The same problem if it is consistent; raises `RouteProblemError` naming the first bad field."""
    for name in ("sides", "junctions", "conflicts"):
        _number(name, getattr(problem, name), MAX_ITEMS)
    for name in ("stops", "track", "hexes"):
        _number(f"{name} (length)", len(getattr(problem, name)), MAX_ITEMS)
    _number("trains (length)", len(problem.trains), MAX_TRAINS)
    _stops(problem)
    _track(problem)
    for number, train in enumerate(problem.trains):
        _train(problem, f"trains[{number}]", train)
    _bonuses(problem)
    _subsidies(problem)
    _lists(problem, "exclusive", problem.exclusive)
    _stop_ids(problem, "forbidden", problem.forbidden)
    _rules(problem)
    return problem


def _fail(field: str, reason: str) -> None:
    raise RouteProblemError(field, reason)


def _number(field: str, value: int, limit: int) -> None:
    if not 0 <= value <= limit:
        _fail(field, f"{value} is not between 0 and {limit}")


def _index(field: str, value: int, length: int, what: str) -> None:
    if not 0 <= value < length:
        _fail(field, f"there is no {what} {value}, only 0 to {length - 1}")


def _stop_ids(problem: RouteProblem, field: str, ids: Iterable[int]) -> None:
    for position, stop in enumerate(ids):
        _index(f"{field}[{position}]", stop, len(problem.stops), "stop")


def _lists(problem: RouteProblem, field: str, lists: Sequence[Sequence[int]]) -> None:
    for position, ids in enumerate(lists):
        _stop_ids(problem, f"{field}[{position}]", ids)


def _amounts(problem: RouteProblem, field: str, amounts: Sequence[int]) -> None:
    if len(amounts) != len(problem.trains):
        _fail(field, f"{len(amounts)} amounts for {len(problem.trains)} trains")
    for position, amount in enumerate(amounts):
        _number(f"{field}[{position}]", amount, MAX_AMOUNT)


def _stops(problem: RouteProblem) -> None:
    hexes = len(problem.hexes)
    for number, stop in enumerate(problem.stops):
        if not 0 <= stop.hex < hexes:
            _index(f"stops[{number}].hex", stop.hex, hexes, "hex")
        _amounts(problem, f"stops[{number}].revenue", stop.revenue)
        _number(f"stops[{number}].cost", stop.cost, 1000)


def _track(problem: RouteProblem) -> None:
    nodes = len(problem.stops) + problem.sides + problem.junctions
    for number, piece in enumerate(problem.track):
        first, second = piece.ends
        if not (0 <= first < nodes and 0 <= second < nodes):
            _index(f"track[{number}].ends", first if not 0 <= first < nodes else second, nodes, "node")
        if first == second:
            _fail(f"track[{number}].ends", f"a piece cannot join node {first} to itself")
        if not 0 <= piece.hex < len(problem.hexes):
            _index(f"track[{number}].hex", piece.hex, len(problem.hexes), "hex")
        for position, conflict in enumerate(piece.uses):
            if not 0 <= conflict < problem.conflicts:
                _index(f"track[{number}].uses[{position}]", conflict, problem.conflicts, "conflict id")


def _rows(field: str, rows: Sequence[Row]) -> None:
    for position, row in enumerate(rows):
        if not row.kinds:
            _fail(f"{field}[{position}].kinds", "names no kind")
        if row.max is not None:
            _number(f"{field}[{position}].max", row.max, MAX_AMOUNT)


def _train(problem: RouteProblem, field: str, train: Train) -> None:
    _rows(f"{field}.visit", train.visit)
    if isinstance(train.pay, list):
        _rows(f"{field}.pay", train.pay)
    _stop_ids(problem, f"{field}.no_end_stops", train.no_end_stops)
    _lists(problem, f"{field}.end_pairs_forbidden", train.end_pairs_forbidden)
    if train.hex_limit is not None:
        _number(f"{field}.hex_limit", train.hex_limit, MAX_AMOUNT)
    if train.crow is not None:
        if train.pay != "ends":
            _fail(f"{field}.crow", "only a train that is paid by its ends has a distance payment")
        _number(f"{field}.crow.rate", train.crow.rate, MAX_AMOUNT)
        _number(f"{field}.crow.port_rate", train.crow.port_rate, MAX_AMOUNT)
        _stop_ids(problem, f"{field}.crow.port_stops", train.crow.port_stops)
    if train.pay == "ends" and (train.always_pay or train.token_must_pay):
        _fail(f"{field}.pay", "a train that is paid by its ends has no choice of paying stops to restrict")


def _bonuses(problem: RouteProblem) -> None:
    for number, bonus in enumerate(problem.bonuses):
        field = f"bonuses[{number}]"
        if isinstance(bonus, SetBonus):
            if not bonus.all_of:
                _fail(f"{field}.all_of", "names no list of stops")
            _lists(problem, f"{field}.all_of", bonus.all_of)
            _amounts(problem, f"{field}.amount", bonus.amount)
        elif isinstance(bonus, HexBonus):
            for position, tile in enumerate(bonus.hexes):
                _index(f"{field}.hexes[{position}]", tile, len(problem.hexes), "hex")
            _amounts(problem, f"{field}.amount", bonus.amount)
        elif isinstance(bonus, EchoMaxBonus):
            _stop_ids(problem, f"{field}.if_any", bonus.if_any)
            _stop_ids(problem, f"{field}.except", bonus.except_)
        elif isinstance(bonus, EndBonus):
            _stop_ids(problem, f"{field}.any_of", bonus.any_of)


def _subsidies(problem: RouteProblem) -> None:
    for number, subsidy in enumerate(problem.subsidies):
        field = f"subsidies[{number}]"
        if isinstance(subsidy, StopSubsidy):
            _stop_ids(problem, f"{field}.stops", subsidy.stops)
            _amounts(problem, f"{field}.amount", subsidy.amount)
        elif isinstance(subsidy, HexSubsidy):
            _number(f"{field}.amount", subsidy.amount, MAX_AMOUNT)
            for position, train in enumerate(subsidy.trains):
                _index(f"{field}.trains[{position}]", train, len(problem.trains), "train")
                if problem.trains[train].pay == "ends":
                    _fail(f"{field}.trains[{position}]", "a train that is paid by its ends earns nothing for hexes")
    if sum(isinstance(subsidy, HexSubsidy) for subsidy in problem.subsidies) > 1:
        _fail("subsidies", "there can be only one subsidy for hexes")


def _rules(problem: RouteProblem) -> None:
    rules = problem.rules
    _stop_ids(problem, "rules.must_include_any", rules.must_include_any)
    _lists(problem, "rules.count_once_groups", rules.count_once_groups)
    if rules.count_once and not rules.share_track:
        _fail("rules.count_once", "is defined only together with share_track")
    if not rules.count_once:
        for name in ("must_connect", "must_include_any", "count_once_groups", "freight_chains"):
            if getattr(rules, name):
                _fail(f"rules.{name}", "is defined only together with count_once")
        if "subsidy" in rules.prefer and any(isinstance(s, HexSubsidy) for s in problem.subsidies):
            _fail("subsidies", "a subsidy for hexes is defined only together with rules.count_once")
        return
    if problem.bonuses:
        _fail("bonuses", "are not defined together with rules.count_once")
    _count_once(problem)


def _count_once(problem: RouteProblem) -> None:
    grouped: set[int] = set()
    for number, group in enumerate(problem.rules.count_once_groups):
        field = f"rules.count_once_groups[{number}]"
        for stop in group:
            if stop in grouped:
                _fail(field, f"stop {stop} is in two groups")
            if problem.stops[stop].revenue != problem.stops[group[0]].revenue:
                _fail(field, f"stops {group[0]} and {stop} are one place but differ in revenue")
            grouped.add(stop)
    for number, stop_ in enumerate(problem.stops):
        if len(set(stop_.revenue)) > 1:
            _fail(f"stops[{number}].revenue", "must be the same for every train when stops count once")
    for number, train in enumerate(problem.trains):
        if train.token_must_pay:
            _fail(f"trains[{number}].token_must_pay", "is not defined together with rules.count_once")
        if isinstance(train.pay, list):
            named = [kind for row in train.pay for kind in set(row.kinds)]
            if len(named) > len(set(named)):
                _fail(f"trains[{number}].pay", "must not name a kind in two rows when stops count once")
            free = {kind for row in train.pay if row.max is None for kind in row.kinds}
            forced = set(train.always_pay) & {kind for row in train.visit for kind in row.kinds}
            if not free >= forced:
                _fail(f"trains[{number}].always_pay", "needs an unlimited row in pay when stops count once")
    freight = sum(train.pay == "ends" for train in problem.trains)
    if freight > 1 and not problem.rules.freight_chains:
        _fail("rules.freight_chains", "must be set when two or more trains are paid by their ends")
    payments = [(number, train.crow) for number, train in enumerate(problem.trains) if train.pay == "ends"]
    for number, crow in payments[1:]:
        if crow != payments[0][1]:
            _fail(f"trains[{number}].crow", f"must be the same as that of train {payments[0][0]}, a chain is paid once")
