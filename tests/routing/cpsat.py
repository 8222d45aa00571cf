"""The route problem as a constraint model over raw track pieces, for OR-Tools.

Independent of the search in every respect: no contraction, no enumeration. Covers trains that must not share
track, paid for all or a choice of their stops, with set bonuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from services.route_problem import RouteProblem, Row, SetBonus, Train


@dataclass(frozen=True)
class Verdict:
    """What the model found: best sum, upper bound, whether they agree."""

    revenue: int
    bound: int
    proven: bool


def can_express(problem: RouteProblem) -> bool:
    """Whether the model knows every rule of the problem."""
    plain = all(
        train.pay != "ends" and not train.end_pairs_forbidden and train.hex_limit is None for train in problem.trains
    )
    sets = all(isinstance(bonus, SetBonus) for bonus in problem.bonuses)
    no_doubles = all(len(set(piece.uses)) == len(piece.uses) for piece in problem.track)
    rules = problem.rules
    return plain and sets and no_doubles and not rules.share_track and not rules.prefer


def solve_cpsat(problem: RouteProblem, seconds: float = 60) -> Verdict:
    """Solve with one worker and a fixed seed."""
    model = cp_model.CpModel()
    used: dict[int, list[Any]] = {}
    terms: list[Any] = []
    for number, train in enumerate(problem.trains):
        terms += _route(model, problem, number, train, used)
    for arcs in used.values():
        model.AddAtMostOne(arcs)
    model.Maximize(sum(terms))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    status = solver.StatusName(solver.Solve(model))
    if status not in ("OPTIMAL", "FEASIBLE"):
        return Verdict(0, round(solver.BestObjectiveBound()), False)
    return Verdict(round(solver.ObjectiveValue()), round(solver.BestObjectiveBound()), status == "OPTIMAL")


def _route(
    model: cp_model.CpModel, problem: RouteProblem, number: int, train: Train, used: dict[int, list[Any]]
) -> list[Any]:
    """Variables of one train's route: a circuit through a depot. Returns the terms of its value."""
    stops = len(problem.stops)
    nodes = stops + problem.sides + problem.junctions
    runs = model.NewBoolVar("")
    visited = [model.NewBoolVar("") for _ in range(nodes)]
    starts = [model.NewBoolVar("") for _ in range(stops)]
    ends = [model.NewBoolVar("") for _ in range(stops)]
    arcs: list[Any] = [(nodes, nodes, runs.Not())] + [(node, node, visited[node].Not()) for node in range(nodes)]
    arcs += [(nodes, stop, starts[stop]) for stop in range(stops)]
    arcs += [(stop, nodes, ends[stop]) for stop in range(stops)]
    for piece in problem.track:
        first, second = piece.ends
        both = []
        for here, there in ((first, second), (second, first)):
            arc = model.NewBoolVar("")
            arcs.append((here, there, arc))
            both.append(arc)
            if piece.terminal:
                model.AddBoolOr(
                    arc.Not(), *([starts[here]] if here < stops else []), *([ends[there]] if there < stops else [])
                )
        for conflict in piece.uses:
            used.setdefault(conflict, []).extend(both)
        if not piece.uses:
            model.AddAtMostOne(both)
    model.AddCircuit(arcs)
    for node in range(nodes):
        model.AddImplication(visited[node], runs)
    for stop in range(stops):
        model.AddAtMostOne(starts[stop], ends[stop])
        if problem.stops[stop].blocked:
            model.AddBoolOr(visited[stop].Not(), starts[stop], ends[stop])
        if stop in train.no_end_stops or problem.stops[stop].kind in train.no_end_kinds:
            model.Add(starts[stop] + ends[stop] == 0)
        if problem.stops[stop].kind in train.no_kinds:
            model.Add(visited[stop] == 0)
    model.AddBoolOr(runs.Not(), *(visited[s] for s in range(stops) if problem.stops[s].token))
    for group in problem.exclusive:
        model.AddAtMostOne(visited[stop] for stop in set(group))
    for stop in problem.forbidden:
        model.Add(visited[stop] == 0)
    _rows(model, problem, train.visit, [(visited[s], problem.stops[s].cost) for s in range(stops)])
    return _value(model, problem, number, train, visited, runs)


def _rows(model: cp_model.CpModel, problem: RouteProblem, rows: list[Row], demand: list[tuple[Any, int]]) -> None:
    """Every demanded unit comes out of a row that names the stop's kind and is not yet empty."""
    supply: list[list[Any]] = [[] for _ in rows]
    for stop, (wanted, units) in enumerate(demand):
        parts = []
        for number, row in enumerate(rows):
            if problem.stops[stop].kind in row.kinds:
                part = model.NewIntVar(0, units, "")
                parts.append(part)
                supply[number].append(part)
        if parts:
            model.Add(sum(parts) == units * wanted)
        else:
            model.Add(wanted == 0)
    for row, parts in zip(rows, supply, strict=True):
        if row.max is not None:
            model.Add(sum(parts) <= row.max)


def _value(
    model: cp_model.CpModel, problem: RouteProblem, number: int, train: Train, visited: list[Any], runs: Any
) -> list[Any]:
    stops = range(len(problem.stops))
    paying = [visited[stop] for stop in stops]
    if isinstance(train.pay, list):
        paying = [model.NewBoolVar("") for _ in stops]
        _rows(model, problem, train.pay, [(paying[stop], 1) for stop in stops])
        for stop in stops:
            model.AddImplication(paying[stop], visited[stop])
            if problem.stops[stop].kind in train.always_pay:
                model.AddImplication(visited[stop], paying[stop])
    if train.token_must_pay:
        model.AddBoolOr(runs.Not(), *(paying[stop] for stop in stops if problem.stops[stop].token))
    terms = [problem.stops[stop].revenue[number] * paying[stop] for stop in stops]
    for bonus in problem.bonuses:
        if isinstance(bonus, SetBonus):
            met = model.NewBoolVar("")
            for group in bonus.all_of:
                model.AddBoolOr(met.Not(), *(paying[stop] for stop in group))
            terms.append(bonus.amount[number] * met)
    return terms
