"""One train's rules over the contracted network, as integers and bit sets.

Stops are numbered by falling revenue for the train, so the lowest bit of a set is its dearest stop. Amounts are
weighted so that one integer expresses the whole order of preference (`Weights`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from services.route_problem import (
    EchoMaxBonus,
    EndBonus,
    HexBonus,
    HexSubsidy,
    RouteProblem,
    Row,
    SetBonus,
    StopSubsidy,
    Train,
)
from services.routing.contract import Network

PAY_ALL, PAY_CHOICE, PAY_ENDS = 0, 1, 2
UNLIMITED = 1 << 30


@dataclass(frozen=True)
class Weights:
    """Weights that turn (revenue, subsidy, trains) into one number: more important things outweigh all others."""

    revenue: int
    subsidy: int
    train: int

    @staticmethod
    def of(problem: RouteProblem) -> Weights:
        trains = len(problem.trains)
        most = 0
        for subsidy in problem.subsidies:
            if isinstance(subsidy, StopSubsidy):
                most += sum(subsidy.amount)
            elif isinstance(subsidy, HexSubsidy):
                most += subsidy.amount * len(problem.hexes)
        weight, found = 1, {"subsidy": 0, "fewer_trains": 0}
        for name in reversed(problem.rules.prefer):
            if not found[name]:
                found[name] = weight
                weight *= 1 + (most if name == "subsidy" else trains)
        return Weights(weight, found["subsidy"], found["fewer_trains"])

    def score(self, revenue: int, subsidy: int, trains: int) -> int:
        """The number to be maximised."""
        return self.revenue * revenue + self.subsidy * subsidy - self.train * trains

    def revenue_bound(self, score: int, trains: int) -> int:
        """Greatest revenue of any set of routes with a score up to `score`."""
        return (score + self.train * trains) // self.revenue


@dataclass(slots=True)
class TrainRules:
    """What the search needs to know about a class of identical trains. All sets are over class stop numbers.

    `limits` and `pay_limits`: (set, most): the units (stops) spent on the set. `cost`: units by stop. `pairs`: by
    stop, ends it cannot be combined with. `excludes`: by stop, itself and what it excludes. `visits`: amounts
    earned by visiting one of a set, paying or not. `base`: amount every route earns, zero or negative.
    """

    trains: list[int]
    order: list[int]
    revenue: list[int]
    cost: list[int]
    kinds: list[str]
    allowed: int = 0
    blocked: int = 0
    token: int = 0
    no_end: int = 0
    offboard: int = 0
    pairs: list[int] = field(default_factory=list)
    excludes: list[int] = field(default_factory=list)
    limits: list[tuple[int, int]] = field(default_factory=list)
    pay: int = PAY_ALL
    pay_limits: list[tuple[int, int]] = field(default_factory=list)
    forced: int = 0
    token_must_pay: bool = False
    hex_limit: int = UNLIMITED
    sets: list[tuple[list[int], int]] = field(default_factory=list)
    hexes: list[tuple[int, int]] = field(default_factory=list)
    echoes: list[tuple[int, int]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    visits: list[tuple[int, int]] = field(default_factory=list)
    base: int = 0
    rate: int = 0
    port_rate: int = 0
    ports: int = 0
    permanent: bool = False

    @property
    def trims_ends(self) -> bool:
        """Whether a route whose end does not pay is worth no more than the route without that end."""
        free_ends = not self.no_end and not any(self.pairs) and not self.ends
        return self.pay == PAY_CHOICE and free_ends and not self.hexes


def classes(problem: RouteProblem, network: Network, weights: Weights) -> list[TrainRules]:
    """Rules by class of identical trains, in the order of the first train of each."""
    groups: dict[Any, list[int]] = {}
    for number, train in enumerate(problem.trains):
        groups.setdefault(_identity(problem, number, train), []).append(number)
    return [_rules(problem, network, weights, trains) for trains in groups.values()]


def _identity(problem: RouteProblem, number: int, train: Train) -> Any:
    amounts: list[Any] = [stop.revenue[number] for stop in problem.stops]
    for bonus in problem.bonuses:
        amounts.append(bonus.amount[number] if isinstance(bonus, SetBonus | HexBonus) else 0)
    for subsidy in problem.subsidies:
        paid = subsidy.amount[number] if isinstance(subsidy, StopSubsidy) else number in subsidy.trains
        amounts.append(paid)
    return (
        repr((train.visit, train.pay, train.always_pay, train.token_must_pay, train.no_end_stops)),
        repr((train.no_end_kinds, train.no_kinds, train.end_pairs_forbidden, train.hex_limit, train.crow)),
        train.permanent,
        tuple(amounts),
    )


def _rules(problem: RouteProblem, network: Network, weights: Weights, trains: list[int]) -> TrainRules:
    number = trains[0]
    train = problem.trains[number]
    amounts = [problem.stops[stop].revenue[number] for stop in network.stops]
    order = sorted(range(len(amounts)), key=lambda index: (-amounts[index], network.stops[index]))
    position = {network.stops[index]: place for place, index in enumerate(order)}
    stops = [problem.stops[network.stops[index]] for index in order]

    def among(ids: Sequence[int]) -> int:
        mask = 0
        for stop in ids:
            if stop in position:
                mask |= 1 << position[stop]
        return mask

    def where(name: str) -> int:
        return sum(1 << place for place, stop in enumerate(stops) if getattr(stop, name))

    def of_kind(kinds: Sequence[str]) -> int:
        return sum(1 << place for place, stop in enumerate(stops) if stop.kind in kinds)

    rules = TrainRules(
        trains=trains,
        order=order,
        revenue=[amounts[index] * weights.revenue for index in order],
        cost=[stop.cost for stop in stops],
        kinds=[stop.kind for stop in stops],
        blocked=where("blocked"),
        token=where("token"),
        no_end=among(train.no_end_stops) | of_kind(train.no_end_kinds),
        offboard=of_kind(["offboard"]),
        token_must_pay=train.token_must_pay,
        permanent=train.permanent,
        base=-weights.train,
    )
    if train.hex_limit is not None:
        rules.hex_limit = train.hex_limit
    rules.pairs = [0] * len(stops)
    for group in train.end_pairs_forbidden:
        members = among(group)
        for place in range(len(stops)):
            if members >> place & 1:
                rules.pairs[place] |= members & ~(1 << place)
    rules.excludes = [1 << place for place in range(len(stops))]
    for group in problem.exclusive:
        members = among(group)
        if members & (members - 1):
            for place in range(len(stops)):
                if members >> place & 1:
                    rules.excludes[place] |= members
    named = {kind for row in train.visit for kind in row.kinds} - set(train.no_kinds)
    rules.allowed = of_kind(list(named))
    rules.limits = _limits(rules, train.visit)
    _payment(rules, train)
    _bonuses(problem, rules, number, weights, among)
    if train.crow is not None:
        rules.rate = train.crow.rate * weights.revenue
        rules.port_rate = train.crow.port_rate * weights.revenue
        rules.ports = among(train.crow.port_stops)
    return rules


def _limits(rules: TrainRules, rows: list[Row]) -> list[tuple[int, int]]:
    """What rows allow, as limits on sets of stops: no set of kinds may need more than the rows naming any of it.

    These conditions together say exactly when every stop finds room in a row, and they make the sets
    of stops that do a matroid (for one unit a stop).
    """
    present = {
        kind: sum(1 << place for place, k in enumerate(rules.kinds) if k == kind) & rules.allowed
        for kind in sorted(set(rules.kinds))
    }
    present = {kind: mask for kind, mask in present.items() if mask}
    found: list[tuple[int, int]] = []
    for size in range(len(present), 0, -1):
        for kinds in itertools.combinations(present, size):
            useful = [row.max for row in rows if any(kind in row.kinds for kind in kinds)]
            if any(most is None for most in useful):
                continue
            most = sum(m for m in useful if m is not None)
            mask = sum(present[kind] for kind in kinds)
            if not any(mask & ~other == 0 and limit <= most for other, limit in found):
                found.append((mask, most))
    return found


def _payment(rules: TrainRules, train: Train) -> None:
    if train.pay == "ends":
        rules.pay = PAY_ENDS
        return
    if train.pay is None:
        return
    costly = sum(1 << place for place, cost in enumerate(rules.cost) if cost > 0)
    found = _limits(rules, train.pay)
    never = 0
    for mask, most in found:
        never |= mask if most == 0 else 0
    found = [(mask & ~never if most else mask, most) for mask, most in found]
    rules.pay_limits = [
        (mask, most)
        for mask, most in found
        if not any(not mask & ~other and limit <= most and not mask & ~costly for other, limit in rules.limits)
    ]
    if rules.pay_limits:
        rules.pay = PAY_CHOICE
        rules.forced = rules.allowed & sum(1 << p for p, kind in enumerate(rules.kinds) if kind in train.always_pay)


def _bonuses(problem: RouteProblem, rules: TrainRules, number: int, weights: Weights, among: Any) -> None:
    scale = weights.revenue
    for bonus in problem.bonuses:
        if isinstance(bonus, SetBonus):
            lists = [among(group) & rules.allowed for group in bonus.all_of]
            if all(lists) and bonus.amount[number]:
                rules.sets.append((lists, bonus.amount[number] * scale))
        elif isinstance(bonus, HexBonus):
            mask = sum(1 << tile for tile in set(bonus.hexes))
            if mask and bonus.amount[number]:
                rules.hexes.append((mask, bonus.amount[number] * scale))
        elif isinstance(bonus, EchoMaxBonus):
            trigger = among(bonus.if_any) & rules.allowed
            if trigger:
                rules.echoes.append((trigger, rules.allowed & ~among(bonus.except_)))
        elif isinstance(bonus, EndBonus):
            ends = among(bonus.any_of) & rules.allowed
            if ends:
                rules.ends.append(ends)
    for subsidy in problem.subsidies:
        if isinstance(subsidy, StopSubsidy) and weights.subsidy and subsidy.amount[number]:
            mask = among(subsidy.stops) & rules.allowed
            if mask:
                rules.visits.append((mask, subsidy.amount[number] * weights.subsidy))
