"""Core 9: every recorded run is legal and earns what the reference paid, stop for stop."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from services.rules.engine.routes.check import RunResult, check_run
from tests.engine.routes.traces import games, recorded_runs

TITLES = ("1830", "1861", "1862", "1867", "1888", "1893", "1894")


def expected(run: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (r["train"], r["revenue"], r.get("subsidy") or 0, Counter(r["stops"]), Counter(r["counted"]))
        for r in run["routes"]
    ]


def earned(result: RunResult) -> list[tuple[Any, ...]]:
    return [(r.train, r.revenue, r.subsidy, Counter(r.stops), Counter(r.counted)) for r in result.routes]


@pytest.mark.parametrize("title", TITLES)
def test_every_recorded_run_earns_what_was_paid(title: str) -> None:
    runs = 0
    for game in games(title):
        for recorded in recorded_runs(game):
            result = check_run(recorded.where.map, recorded.state, recorded.sym, recorded.routes, recorded.where.rules)
            assert earned(result) == expected(recorded.run), recorded.name
            totals = (result.total, result.subsidy, result.extra)
            assert totals == (recorded.run["total"], recorded.run["subsidy"], recorded.run["extra"]), recorded.name
            runs += 1
    assert runs > 400


@pytest.mark.parametrize("title", ("1830", "1867"))
def test_routes_without_nodes_and_amounts_are_reconstructed(title: str) -> None:
    """Old recordings have only trains and connections (core 9.6)."""
    for game in games(title)[:3]:
        for recorded in recorded_runs(game):
            bare = [{"train": r["train"], "connections": r["connections"]} for r in recorded.routes]
            result = check_run(recorded.where.map, recorded.state, recorded.sym, bare, recorded.where.rules)
            assert result.total == recorded.run["total"], recorded.name
