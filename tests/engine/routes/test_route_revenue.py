"""Core 9.4 and 9.5: paid stops, values, bonuses and subsidies."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rules.engine.routes.bonuses import Bonus, EchoMaxBonus, SetBonus, StopSubsidy
from services.rules.engine.routes.context import RunContext
from services.rules.engine.routes.rules import RouteRules
from services.rules.engine.routes.trains import Row, seats, within
from tests.engine.routes.small_map import DATA, position, route, run

BOTH: dict[tuple[str, int], list[str | None]] = {("A3", 0): ["X", None], ("A7", 0): ["X"]}
LONG = ("A1 - A3", "A3 - A5", "A5 - A7", "A7 - A9")


@pytest.mark.parametrize(("phase", "total"), [(0, 50), (1, 80)])
def test_the_newest_color_of_the_phase_with_a_value_counts(phase: int, total: int) -> None:
    assert run(position(BOTH, phase=phase), route("D-0", "A1 - A3")).total == total


def test_the_multiplier_of_a_train_applies_to_stops() -> None:
    assert run(position(BOTH, ["3x2"]), route("3x2-0", "A3 - A5", "A5 - A7")).total == 120


def test_of_a_table_the_best_stops_with_a_token_pay() -> None:
    state = position({("A3", 0): ["X", None]}, ["2E"])
    result = run(state, route("2E-0", *LONG))
    assert (result.total, result.routes[0].counted) == (60, ["A3-0", "A9-0"])


class Bonuses(RouteRules):
    """Rules with bonuses given by the test."""

    given: tuple[Bonus, ...] = ()

    def bonuses(self, run: RunContext) -> tuple[Bonus, ...]:
        return self.given

    def subsidies(self, run: RunContext) -> tuple[StopSubsidy, ...]:
        return (StopSubsidy(frozenset({"A5"}), 15),)


def total(train: str, *bonuses: Bonus) -> int:
    rules = Bonuses(DATA)
    rules.given = bonuses
    return run(position(BOTH, [train]), route(f"{train}-0", *LONG), rules=rules).total


WEST, TOWN, EAST = frozenset({"A1"}), frozenset({"A5"}), frozenset({"A9"})


def test_a_set_bonus_needs_every_set() -> None:
    assert total("D") == 130
    assert total("D", SetBonus("through", (WEST, EAST), 25)) == 155
    assert total("D", SetBonus("through", (WEST, frozenset({"A11"})), 25)) == 130


def test_a_set_bonus_needs_paid_stops_and_moves_the_choice() -> None:
    assert total("2E", SetBonus("west", (WEST,), 5)) == 70
    assert total("2E", SetBonus("west", (WEST,), 50)) == 110
    assert total("2E", SetBonus("town", (TOWN,), 90)) == 70


def test_an_echo_bonus_pays_the_best_stop_again() -> None:
    assert total("D", EchoMaxBonus("echo", WEST)) == 170
    assert total("D", EchoMaxBonus("echo", WEST, EAST)) == 160
    assert total("D", EchoMaxBonus("echo", frozenset({"A11"}))) == 130


def test_a_multiplied_bonus_grows_with_the_train() -> None:
    rules = Bonuses(DATA)
    state = position(BOTH, ["3x2"])
    for multiplied, expected in ((False, 130), (True, 140)):
        rules.given = (SetBonus("pair", (frozenset({"A3"}), frozenset({"A7"})), 10, multiplied),)
        assert run(state, route("3x2-0", "A3 - A5", "A5 - A7"), rules=rules).total == expected


def test_a_subsidy_is_not_revenue() -> None:
    rules = Bonuses(DATA)
    result = run(position(BOTH, ["2E"]), route("2E-0", *LONG), rules=rules)
    assert (result.total, result.subsidy, result.routes[0].subsidy) == (70, 15, 15)


ROWS = [
    (Row(("city", "town", "offboard"), 3),),
    (Row(("city", "offboard"), 2), Row(("town",))),
    (Row(("town",), 1), Row(("city", "offboard", "town"), 2)),
    (Row(("offboard",), 1), Row(("town",), 1), Row(("city", "offboard", "town"), 1)),
]


@given(st.sampled_from(ROWS), st.lists(st.sampled_from(["city", "town", "offboard"]), max_size=6))
def test_stops_fit_a_table_if_every_stop_finds_a_row(rows: tuple[Row, ...], kinds: list[str]) -> None:
    """Against trying every assignment of stops to rows."""

    def fits(assignment: tuple[int, ...]) -> bool:
        rooms = [row.max if row.max is not None else len(kinds) for row in rows]
        for kind, number in zip(kinds, assignment, strict=True):
            rooms[number] -= 1
            if kind not in rows[number].kinds or rooms[number] < 0:
                return False
        return True

    expected = any(fits(a) for a in itertools.product(range(len(rows)), repeat=len(kinds)))
    assert seats(rows, kinds) == expected
    assert within(rows, {kind: kinds.count(kind) for kind in kinds}) == expected
