"""Routes of 1888: a mine pays the treasury (1888 section 4.3). Destination bonuses are data."""

from __future__ import annotations

from services.rules.engine.routes.bonuses import StopSubsidy
from services.rules.engine.routes.context import RunContext
from services.rules.engine.routes.rules import RouteRules, SetRules

MINE = frozenset({"C5"})
MINE_SUBSIDY = 40


class Routes(RouteRules):
    """Every route that visits the mine earns its treasury 40."""

    set_rules = SetRules(prefer=("subsidy",))

    def subsidies(self, run: RunContext) -> tuple[StopSubsidy, ...]:
        return (StopSubsidy(MINE, MINE_SUBSIDY),)
