"""Routes of 1894: Paris, London and its ferry, and the bonuses of the map's edges (1894 section 4.8)."""

from __future__ import annotations

from services.rules.engine.routes.bonuses import Bonus, EchoMaxBonus, SetBonus
from services.rules.engine.routes.context import RunContext
from services.rules.engine.routes.rules import RouteRules
from services.rules.engine.routes.track import Stop
from services.rules.engine.state import Corporation

PARIS = "G6"
LONDON = "A10"
LONDON_BONUS = "A12"
FERRY = "ferry_marker"
"""Kind of the ability a corporation gains with its ferry marker (1894 section 4.7)."""

LUXEMBOURG = EchoMaxBonus("luxembourg", frozenset({"I18"}))
LONDON_TOKEN = EchoMaxBonus("london", frozenset({LONDON}), excluded=frozenset({LONDON}))
NETHERLANDS = SetBonus("netherlands", (frozenset({"C18"}), frozenset({"A4", "I2", "I18"})), 100)


def has_ferry(corporation: Corporation) -> bool:
    """Whether the corporation owns a ferry marker, which opens London to it."""
    return any(ability.kind == FERRY for ability in corporation.abilities)


class Routes(RouteRules):
    """London needs a ferry, Paris counts once a route, three bonuses that do not feed each other."""

    def forbidden(self, run: RunContext, stop: Stop) -> str | None:
        if stop.hex == LONDON and not has_ferry(run.corporation):
            return f"{run.sym} needs a ferry marker to run to London."
        return None

    def exclusive(self, run: RunContext, stop: Stop) -> tuple[str, ...]:
        return (*super().exclusive(run, stop), PARIS) if stop.hex == PARIS else super().exclusive(run, stop)

    def bonuses(self, run: RunContext) -> tuple[Bonus, ...]:
        bonuses: tuple[Bonus, ...] = (*super().bonuses(run), LUXEMBOURG, NETHERLANDS)
        if any(token.hex == LONDON_BONUS for token in run.corporation.tokens):
            bonuses += (LONDON_TOKEN,)
        return bonuses
