"""The route rules of a title: one policy class whose base behavior is core section 9.

A title subclasses :class:`RouteRules` in its folder and overrides the questions it answers differently. The
answers serve two readers: the checks of this package, and the problem handed to the route search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from ..board.network import blocks
from ..data import TitleData, TrainData, TrainVariantData
from ..state import GameState, Train
from .bonuses import Bonus, SetBonus, StopSubsidy
from .context import RunContext
from .revenue import RouteResult, route_result
from .track import Stop, TracedRoute
from .trains import TrainSpec, compile_train


class SetRules(msgspec.Struct, frozen=True, kw_only=True):
    """Rules over all routes of a run.

    ``share_track``: routes may use the same track. ``count_once``: a place pays once a run.
    ``must_connect``: the routes hang together by common stops. ``chained_ends``: routes of trains paid by
    their ends are joined where they share one. ``prefer`` ranks runs of equal revenue for the route search.
    """

    share_track: bool = False
    count_once: bool = False
    must_connect: bool = False
    chained_ends: bool = False
    prefer: tuple[Literal["subsidy", "fewer_trains"], ...] = ()


class RouteRules:
    """Base route rules. Stateless: built once from a title's data and shared by all its games."""

    set_rules = SetRules()
    one_stop_per_hex = False
    """A route may not visit two stops of one hex."""

    def __init__(self, data: TitleData) -> None:
        self.data = data
        self.trains: dict[str, TrainSpec] = {}
        for train in data.trains:
            for variant in (None, *train.variants):
                spec = self.compile_train(train, variant)
                self.trains[spec.name] = spec

    def compile_train(self, train: TrainData, variant: TrainVariantData | None) -> TrainSpec:
        """How a train of the table counts (core 9.3-9.5)."""
        return compile_train(train, variant)

    def spec(self, name: str) -> TrainSpec:
        """The spec of a train by its current name; raises KeyError for a name not in the table."""
        return self.trains[name]

    def colors(self, state: GameState) -> Sequence[str]:
        """Tile colors of the phase, oldest first; the newest with a printed value counts (core 9.5)."""
        return self.data.phases[state.phase].colors

    def base_value(self, run: RunContext, stop: Stop) -> int:
        """Value of a visit before the train's multiplier (core 9.5)."""
        revenue = stop.node.revenue
        if isinstance(revenue, int):
            return revenue
        for color in reversed(run.colors):
            if color in revenue:
                return revenue[color]
        return 0

    def value(self, run: RunContext, stop: Stop, spec: TrainSpec) -> int:
        """What a train is paid at a stop (core 9.5)."""
        if spec.name == "D" and isinstance(stop.node.revenue, dict) and "diesel" in stop.node.revenue:
            return stop.node.revenue["diesel"] * spec.multiplier
        return stop.value * spec.multiplier

    def blocked(self, run: RunContext, stop: Stop) -> bool:
        """Whether the operator's trains may end at the stop but not run through it (core 9.2.9)."""
        node = stop.node
        if node.kind == "offboard":
            return True
        return node.is_city and blocks(run.map, run.state, stop.hex, node.city_index, run.sym)

    def cannot_run(self, run: RunContext, train: Train) -> str | None:
        """Why the operator may not run a train it owns (a sentence for the player), or None."""
        return None

    def forbidden(self, run: RunContext, stop: Stop) -> str | None:
        """Why no route of the operator may visit the stop (a sentence for the player), or None."""
        return None

    def exclusive(self, run: RunContext, stop: Stop) -> tuple[str, ...]:
        """Names of which a route may meet each only once: groups of the map (core 9.2.3), or hexes."""
        group = stop.node.group
        keys = () if group is None else (group,)
        return (*keys, stop.hex) if self.one_stop_per_hex else keys

    def cannot_end(self, run: RunContext, stop: Stop, spec: TrainSpec) -> str | None:
        """Why a route of this train may not start or end at the stop, or None."""
        if stop.kind in spec.no_end_kinds:
            return f"A route of a {spec.name} train cannot end at {stop.ref}, a {stop.kind}."
        return None

    def end_class(self, run: RunContext, stop: Stop) -> str | None:
        """A class of stops at most one of which may end a route, or None."""
        return None

    def bonuses(self, run: RunContext) -> tuple[Bonus, ...]:
        """Bonuses of the operator now: hexes of its companies, and home with destination."""
        return (*company_bonuses(run, self.data), *destination_bonuses(run, self.data))

    def subsidies(self, run: RunContext) -> tuple[StopSubsidy, ...]:
        """Treasury money for stops, now."""
        return ()

    def check_route(self, run: RunContext, route: TracedRoute) -> None:
        """Further legality of one route; raises :class:`IllegalAction`."""

    def check_set(self, run: RunContext, routes: Sequence[TracedRoute]) -> None:
        """Further legality of all routes together; raises :class:`IllegalAction`."""

    def results(self, run: RunContext, routes: Sequence[TracedRoute]) -> list[RouteResult]:
        """What each route earns (core 9.4, 9.5), in the order of the routes."""
        bonuses = self.bonuses(run)
        subsidies = self.subsidies(run)
        return [route_result(run, route, bonuses, subsidies) for route in routes]

    def extra_revenue(self, run: RunContext, routes: Sequence[TracedRoute]) -> int:
        """Revenue of the run that belongs to no route."""
        return 0

    def place(self, run: RunContext, stop: Stop) -> str | None:
        """Name of the place a stop belongs to where several stops are one place that pays once a run."""
        return None

    def must_include(self, run: RunContext) -> tuple[str, ...] | None:
        """Refs of stops one of which the run has to visit; None: no such rule."""
        return None

    def is_port(self, run: RunContext, stop: Stop) -> bool:
        """Whether an end here earns the higher rate of ``TrainSpec.distance_rates``."""
        return False


def company_bonuses(run: RunContext, data: TitleData) -> list[SetBonus]:
    """``hex_bonus`` abilities of the operator's companies (core 16.5), one bonus a company."""
    bonuses = []
    for sym in run.corporation.companies:
        company = data.companies.get(sym)
        for ability in company.abilities if company is not None else ():
            if ability.kind == "hex_bonus":
                bonuses.append(SetBonus(sym, (frozenset(ability.hexes),), ability.amount))
    return bonuses


def destination_bonuses(run: RunContext, data: TitleData) -> list[SetBonus]:
    """The operator's bonus for a route that meets its home and a destination, one a destination."""
    entity = data.corporations.get(run.sym)
    if entity is None or not entity.destination_bonus:
        return []
    home = frozenset(run.corporation.home or entity.home)
    return [
        SetBonus("destination", (home, frozenset((hex_id,))), entity.destination_bonus)
        for hex_id in entity.destinations
    ]
