"""Routes of 1867: towns fill up what cities leave free, and one rich pair of places (1867 section 4.5)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from services.rules.engine.data import TrainData, TrainVariantData
from services.rules.engine.routes.bonuses import Bonus, SetBonus
from services.rules.engine.routes.context import RunContext
from services.rules.engine.routes.revenue import RouteResult
from services.rules.engine.routes.rules import RouteRules
from services.rules.engine.routes.track import TracedRoute
from services.rules.engine.routes.trains import KINDS, Row, TrainSpec, compile_train


class Routes(RouteRules):
    """A train is paid for as many stops as it may visit dear ones.

    The kinds its table limits are always paid, whatever is left of the number is filled with the best of
    the others.
    """

    one_stop_per_hex = True
    pair_bonus = SetBonus("timmins", (frozenset({"D2"}), frozenset({"F16", "L12", "O7"})), 40, multiplied=True)

    def compile_train(self, train: TrainData, variant: TrainVariantData | None) -> TrainSpec:
        spec = compile_train(train, variant)
        limited = [row for row in spec.visit if row.max is not None]
        return msgspec.structs.replace(
            spec,
            pay=(Row(KINDS, sum(row.max or 0 for row in limited)),),
            always_pay=frozenset(kind for row in limited for kind in row.kinds),
            token_must_pay=True,
        )

    def bonuses(self, run: RunContext) -> tuple[Bonus, ...]:
        return (*super().bonuses(run), self.pair_bonus)

    def results(self, run: RunContext, routes: Sequence[TracedRoute]) -> list[RouteResult]:
        """Paid stops are listed with those that are always paid first."""
        results = super().results(run, routes)
        for route, result in zip(routes, results, strict=True):
            result.counted = sorted(result.counted, key=lambda stop: stop.kind not in route.spec.always_pay)
        return results
