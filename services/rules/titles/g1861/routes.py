"""Routes of 1861: those of 1867 with its own pair of places (1861 sections 1.4, 1.6)."""

from __future__ import annotations

from services.rules.engine.routes.bonuses import SetBonus
from services.rules.titles.g1867.routes import Routes as Routes1867


class Routes(Routes1867):
    """The rich pair joins the east with Moscow."""

    pair_bonus = SetBonus("ekaterinburg", (frozenset({"Q3"}), frozenset({"H8"})), 40, multiplied=True)
