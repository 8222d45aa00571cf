"""Routes of 1862: a set of routes earns together (1862 sections 4.3, 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec

from services.rules.engine.data import TrainData, TrainVariantData
from services.rules.engine.errors import IllegalAction
from services.rules.engine.routes.context import RunContext
from services.rules.engine.routes.revenue import RouteResult
from services.rules.engine.routes.rules import RouteRules, SetRules
from services.rules.engine.routes.track import Stop, TracedRoute
from services.rules.engine.routes.trains import TrainSpec, compile_train
from services.rules.engine.state import GameState, Train

from .freight import FreightChain, build_chains

LONDON = "London"
LONDON_LINKS = ("B15", "D15")
OFF_MAP_COLUMNS = {"off_map_column_1": "white", "off_map_column_2": "gray", "off_map_column_3": "purple"}
FREIGHT_RATES = (20, 30)
LOCAL_HEX_SUBSIDY = 10
SEA, LAND = "blue", "red"


class Routes(RouteRules):
    """Trains of three classes that may share track; a place pays once for all of them."""

    set_rules = SetRules(
        share_track=True,
        count_once=True,
        must_connect=True,
        chained_ends=True,
        prefer=("subsidy", "fewer_trains"),
    )

    def compile_train(self, train: TrainData, variant: TrainVariantData | None) -> TrainSpec:
        spec = compile_train(train, variant)
        freight, local = spec.kind == "freight", spec.kind == "local"
        return msgspec.structs.replace(
            spec,
            pay="ends" if freight else spec.pay,
            token_must_pay=False,
            always_pay=frozenset(("town",)) if local else frozenset(),
            no_end_kinds=frozenset(("town",)),
            distance_rates=FREIGHT_RATES if freight else None,
            hex_subsidy=LOCAL_HEX_SUBSIDY if local else 0,
        )

    def spec(self, name: str) -> TrainSpec:
        """Warranties hang stars on a train's name; the table has the stars of a new train."""
        return self.trains[next(known for known in self.trains if known.rstrip("*") == name.rstrip("*"))]

    def colors(self, state: GameState) -> Sequence[str]:
        status = self.data.phases[state.phase].status
        return [color for column, color in OFF_MAP_COLUMNS.items() if column in status]

    def cannot_run(self, run: RunContext, train: Train) -> str | None:
        permits: Sequence[str] | None = getattr(run.corporation, "permits", None)
        kind = self.spec(train.name).kind
        if permits is not None and kind not in permits:
            return f"{run.sym} has no permit for {kind} trains."
        return None

    def cannot_end(self, run: RunContext, stop: Stop, spec: TrainSpec) -> str | None:
        if stop.node.group == LONDON and not has_london_link(run):
            return f"{run.sym} needs a London link to run to London."
        return super().cannot_end(run, stop, spec)

    def end_class(self, run: RunContext, stop: Stop) -> str | None:
        color = run.tile(stop.hex).color
        return color if color in (SEA, LAND) else None

    def is_port(self, run: RunContext, stop: Stop) -> bool:
        return run.tile(stop.hex).color == SEA

    def place(self, run: RunContext, stop: Stop) -> str | None:
        return stop.node.group

    def must_include(self, run: RunContext) -> tuple[str, ...]:
        return tuple(
            stop.ref
            for hex_id in run.corporation.home
            for node in run.tile(hex_id).cities
            if (stop := run.stop(hex_id, node.index)).token
        )

    def check_set(self, run: RunContext, routes: Sequence[TracedRoute]) -> None:
        if not routes:
            return
        home = self.must_include(run)
        if not any(stop.ref in home for route in routes for stop in route.stops):
            raise IllegalAction(
                "home_not_visited", f"One of the routes must visit the home of {run.sym}.", home=list(home)
            )
        _check_connected(routes)
        build_chains(_of_kind(routes, "freight"))

    def results(self, run: RunContext, routes: Sequence[TracedRoute]) -> list[RouteResult]:
        chains = build_chains(_of_kind(routes, "freight"))
        counted = self._counted(run, routes, chains)
        results: list[RouteResult] = []
        paid: set[object] = set()
        touched: set[str] = set()
        for route in routes:
            stops = counted[route.train]
            revenue = sum(stop.value for stop in stops if self._key(run, stop) not in paid)
            paid.update(self._key(run, stop) for stop in stops)
            result = RouteResult(revenue, stops)
            if route.spec.hex_subsidy:
                result.subsidy = route.spec.hex_subsidy * len(set(route.hexes) - touched)
                touched.update(route.hexes)
            results.append(result)
        for joined in chains:
            first = next(i for i, route in enumerate(routes) if route is joined.routes[0])
            results[first].revenue += self._carriage(run, joined)
        return results

    def _key(self, run: RunContext, stop: Stop) -> object:
        return self.place(run, stop) or stop

    def _carriage(self, run: RunContext, joined: FreightChain) -> int:
        """What a chain of freight routes is paid for its distance."""
        inland, port = FREIGHT_RATES
        rate = port if any(self.is_port(run, stop) for stop in joined.free) else inland
        return rate * joined.distance(run.map)

    def _counted(
        self, run: RunContext, routes: Sequence[TracedRoute], chains: Sequence[FreightChain]
    ) -> dict[str, list[Stop]]:
        """Stops every route is paid for, chosen together for the most revenue."""
        counted: dict[str, list[Stop]] = {}
        for joined in chains:
            for route in joined.routes:
                counted[route.train] = [s for s in dict.fromkeys(route.ends) if s in joined.free]
        carried = [stop for stops in counted.values() for stop in stops]
        choosing = [route for route in routes if route.spec.pay != "ends"]
        picked = self._best_choice(run, carried, [_choices(route) for route in choosing])
        for route, stops in zip(choosing, picked, strict=True):
            towns = [s for s in route.stops if s.kind == "town"] if route.spec.kind == "local" else []
            if isinstance(route.spec.pay, tuple):
                counted[route.train] = [*stops, *towns]
            else:
                counted[route.train] = [s for s in route.stops if s in stops or s in towns]
        return counted

    def _best_choice(
        self, run: RunContext, carried: Sequence[Stop], options: Sequence[Sequence[tuple[Stop, ...]]]
    ) -> tuple[tuple[Stop, ...], ...]:
        """One selection a route: the greatest sum over different places, then over different stops.

        Of equals the first counts, routes and their stops taken in order.
        """
        unions: dict[frozenset[Stop], tuple[tuple[Stop, ...], ...]] = {frozenset(carried): ()}
        for choices in options:
            grown: dict[frozenset[Stop], tuple[tuple[Stop, ...], ...]] = {}
            for stops, picked in unions.items():
                for choice in choices:
                    grown.setdefault(stops.union(choice), (*picked, choice))
            unions = grown

        def worth(stops: frozenset[Stop]) -> tuple[int, int]:
            places = {self._key(run, stop): stop.value for stop in stops}
            return sum(places.values()), sum(stop.value for stop in stops)

        return unions[max(unions, key=worth)] if len(unions) > 1 else next(iter(unions.values()))


def has_london_link(run: RunContext) -> bool:
    """Whether the operator has a token in one of the link spaces of London (1862 section 1.8)."""
    return any(run.stop(hex_id, node.index).token for hex_id in LONDON_LINKS for node in run.tile(hex_id).cities)


def _of_kind(routes: Sequence[TracedRoute], kind: str) -> list[TracedRoute]:
    return [route for route in routes if route.spec.kind == kind]


def _choices(route: TracedRoute) -> Sequence[tuple[Stop, ...]]:
    """Selections of cities and off-boards a route may be paid for, as many as its train counts."""
    stops = [stop for stop in route.stops if stop.kind != "town"]
    pay = route.spec.pay
    most = len(stops)
    if isinstance(pay, tuple):
        most = min([most, *(row.max for row in pay if row.max is not None and "city" in row.kinds)])
    return list(combinations(stops, most))


def _check_connected(routes: Sequence[TracedRoute]) -> None:
    """The routes hang together by common stops (1862 section 4.3, S2)."""
    met = set(routes[0].stops)
    rest = list(routes[1:])
    while rest:
        touching = [route for route in rest if not met.isdisjoint(route.stops)]
        if not touching:
            raise IllegalAction(
                "routes_not_connected",
                "The routes must hang together by common stops.",
                trains=[route.train for route in rest],
            )
        for route in touching:
            met.update(route.stops)
            rest.remove(route)
