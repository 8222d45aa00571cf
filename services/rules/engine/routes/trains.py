"""What a train may visit and what it is paid for, compiled from the title's train table (core 9.3, 9.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from ..data import DistanceData, TrainData, TrainVariantData

KINDS = ("city", "town", "offboard")


class Row(msgspec.Struct, frozen=True):
    """An allowance: at most ``max`` (None: any number) for stops of ``kinds`` together."""

    kinds: tuple[str, ...]
    max: int | None = None


class TrainSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The distance table of one kind of train, found by the train's current name.

    ``visit`` limits the visit costs of the visited stops; a kind no row names cannot be visited. ``pay``
    None: every visited stop pays; rows: a choice that fits them pays; ``"ends"``: the two end stops pay. Of
    a choice ``always_pay`` kinds are never left out, and with ``token_must_pay`` one stop that pays has a
    token of the owner. ``multiplier`` applies to stop values. ``hex_limit`` is the number of hex sides the
    route may cross. ``no_end_kinds`` are kinds of stops the route may not end at. ``kind`` is the title's
    class of trains.

    ``distance_rates`` pays per hex between the ends as the crow flies, ordinarily and with an end at a
    port; ``hex_subsidy`` pays the treasury for every hex touched; ``permanent`` trains never rust. All
    three are only read by titles whose rules have such payments.
    """

    name: str
    visit: tuple[Row, ...]
    pay: tuple[Row, ...] | Literal["ends"] | None = None
    always_pay: frozenset[str] = frozenset()
    token_must_pay: bool = False
    multiplier: int = 1
    kind: str = ""
    hex_limit: int | None = None
    no_end_kinds: frozenset[str] = frozenset()
    distance_rates: tuple[int, int] | None = None
    hex_subsidy: int = 0
    permanent: bool = False

    @property
    def is_local(self) -> bool:
        """Whether a run may stand in a single city (core 9.2.1): the train visits at most one."""
        return all(row.max is not None and row.max <= 1 for row in self.visit if "city" in row.kinds)


def visit_rows(distance: int | None, allowances: Sequence[DistanceData]) -> tuple[Row, ...]:
    """Rows of what may be visited: the distance table, or one row for a plain number (None: unlimited)."""
    if allowances:
        return tuple(Row(tuple(row.kinds), row.visit) for row in allowances)
    return (Row(KINDS, distance),)


def pay_rows(allowances: Sequence[DistanceData]) -> tuple[Row, ...] | None:
    """Rows of what may pay, fewest kinds first; None if the table lets every visited stop pay (core 9.4)."""
    if all(row.pay == row.visit for row in allowances):
        return None
    rows = [Row(tuple(row.kinds), row.pay) for row in allowances if row.pay != 0]
    return tuple(sorted(rows, key=lambda row: len(row.kinds)))


def compile_train(train: TrainData, variant: TrainVariantData | None = None) -> TrainSpec:
    """The spec of a train or of one of its variants as the base rules read the table (core 9.3-9.5)."""
    table = train if variant is None else variant
    pay = pay_rows(table.allowances)
    return TrainSpec(
        name=table.name,
        visit=visit_rows(table.distance, table.allowances),
        pay=pay,
        token_must_pay=pay is not None,
        multiplier=train.multiplier,
        kind="" if variant is None else variant.kind,
        hex_limit=None if variant is None else variant.hexes,
        permanent=train.rusts_on is None,
    )


def within(rows: Sequence[Row], demand: Mapping[str, int]) -> bool:
    """Whether rows can supply ``demand`` units by kind (core 9.3).

    Kinds accepted by fewer rows are served first, each from its rows in table order.
    """
    if len(rows) == 1:
        row = rows[0]
        if any(kind not in row.kinds for kind in demand):
            return False
        return row.max is None or sum(demand.values()) <= row.max
    left = [row.max for row in rows]
    accepting = {kind: [i for i, row in enumerate(rows) if kind in row.kinds] for kind in demand}
    for kind in sorted(demand, key=lambda kind: len(accepting[kind])):
        units = demand[kind]
        if not accepting[kind]:
            return False
        for i in accepting[kind]:
            room = left[i]
            if room is None:
                units = 0
                break
            taken = min(units, room)
            left[i] = room - taken
            units -= taken
        if units:
            return False
    return True


def seats(rows: Sequence[Row], kinds: Iterable[str]) -> bool:
    """Whether stops of these kinds, one unit each, all find a row with room (core 9.4)."""
    demand: dict[str, int] = {}
    for kind in kinds:
        demand[kind] = demand.get(kind, 0) + 1
    return within(rows, demand)
