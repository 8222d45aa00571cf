"""Which stops pay and what a route earns (core 9.4, 9.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations

import msgspec

from .bonuses import Bonus, EchoMaxBonus, SetBonus, StopSubsidy
from .context import RunContext
from .track import Stop, TracedRoute
from .trains import TrainSpec, seats


class RouteResult(msgspec.Struct):
    """Money of one route: ``revenue``, ``subsidy`` for the treasury, and the stops that paid."""

    revenue: int
    counted: list[Stop]
    subsidy: int = 0
    bonuses: list[str] = []


def route_result(
    run: RunContext, route: TracedRoute, bonuses: Sequence[Bonus], subsidies: Sequence[StopSubsidy]
) -> RouteResult:
    """What a route earns by itself, its paid stops chosen for the most revenue."""
    best: RouteResult | None = None
    for counted in paid_choices(run, route, bonuses):
        result = earn(run, route.spec, counted, bonuses)
        if best is None or result.revenue > best.revenue:
            best = result
    if best is None:
        best = RouteResult(0, [])
    for subsidy in subsidies:
        if any(stop.hex in subsidy.hexes for stop in route.stops):
            best.subsidy += subsidy.amount
    return best


def earn(run: RunContext, spec: TrainSpec, counted: list[Stop], bonuses: Sequence[Bonus]) -> RouteResult:
    """Revenue of given paid stops: their values and the bonuses they meet."""
    value = run.rules.value
    total = 0
    for stop in counted:
        total += value(run, stop, spec)
    named = []
    for bonus in bonuses:
        amount = bonus_amount(run, spec, counted, bonus)
        if amount:
            total += amount
            named.append(bonus.name)
    return RouteResult(total, counted, 0, named)


def bonus_amount(run: RunContext, spec: TrainSpec, counted: Sequence[Stop], bonus: Bonus) -> int:
    """What a bonus adds to a route that is paid at ``counted``."""
    if isinstance(bonus, SetBonus):
        for hexes in bonus.all_of:
            if not any(stop.hex in hexes for stop in counted):
                return 0
        return bonus.amount * (spec.multiplier if bonus.multiplied else 1)
    if not any(stop.hex in bonus.if_any for stop in counted):
        return 0
    return max((run.rules.value(run, s, spec) for s in counted if s.hex not in bonus.excluded), default=0)


def paid_choices(run: RunContext, route: TracedRoute, bonuses: Sequence[Bonus]) -> Iterable[list[Stop]]:
    """Choices of paid stops, a best one among them, each in running order (core 9.4)."""
    pay = route.spec.pay
    if pay is None:
        return [route.stops]
    if pay == "ends":
        return [list(dict.fromkeys(route.ends))]
    forced = [stop for stop in route.stops if stop.kind in route.spec.always_pay]
    if seats(pay, (stop.kind for stop in route.stops)):
        return [route.stops]
    return _filled(run, route, forced, bonuses)


def _filled(run: RunContext, route: TracedRoute, forced: list[Stop], bonuses: Sequence[Bonus]) -> Iterator[list[Stop]]:
    """Every set of stops that matter for bonuses, filled up with the dearest others.

    Sets of stops that fit the rows are independent sets of a matroid, so filling up in falling value is best
    once the stops that matter in another way are fixed.
    """
    spec = route.spec
    pay = spec.pay
    assert isinstance(pay, tuple)
    dearest = sorted(route.stops, key=lambda stop: -run.rules.value(run, stop, spec))
    special = [stop for stop in route.stops if stop not in forced and _matters(stop, bonuses)]
    for fixed in _subsets(special):
        chosen = [*forced, *fixed]
        if not seats(pay, (stop.kind for stop in chosen)):
            continue
        starts = [chosen]
        if spec.token_must_pay and not any(stop.token for stop in chosen):
            starts = [[*chosen, stop] for stop in dearest if stop.token and stop not in chosen]
        for start in starts:
            if seats(pay, (stop.kind for stop in start)):
                paid = set(_fill(spec, start, dearest))
                yield [stop for stop in route.stops if stop in paid]


def _fill(spec: TrainSpec, start: list[Stop], dearest: list[Stop]) -> list[Stop]:
    pay = spec.pay
    assert isinstance(pay, tuple)
    chosen = list(start)
    for stop in dearest:
        if stop not in chosen and seats(pay, (s.kind for s in (*chosen, stop))):
            chosen.append(stop)
    return chosen


def _matters(stop: Stop, bonuses: Sequence[Bonus]) -> bool:
    for bonus in bonuses:
        if isinstance(bonus, EchoMaxBonus):
            return True
        if any(stop.hex in hexes for hexes in bonus.all_of):
            return True
    return False


def _subsets(stops: Sequence[Stop]) -> Iterator[tuple[Stop, ...]]:
    return chain.from_iterable(combinations(stops, size) for size in range(len(stops) + 1))
