"""Where recorded games, traces and route problems lie: beside the repository, or where ROUNDHOUSE_SHARED says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("ROUNDHOUSE_SHARED", REPOSITORY.parent / "shared"))
GENERATED = REPOSITORY / "tests" / "data" / "games"
"""Games of random moves with their expected states that are part of this repository."""


def need(path: Path) -> Path:
    """A file or folder of the shared material; skips the test where it is not there."""
    if not path.exists():
        pytest.skip(f"recorded material is not there: {path.name} (set ROUNDHOUSE_SHARED)")
    return path


def recorded_games(title: str) -> list[Path]:
    """Every game of a title, from the shared material and from this repository, by name."""
    found = {
        path.stem: path for folder in (GENERATED / title, SHARED / "games" / title) for path in folder.glob("*.json")
    }
    return [found[name] for name in sorted(found)]


def trace_of(game: Path) -> Path:
    """The trace that belongs to a game."""
    if GENERATED in game.parents:
        return game.with_suffix(".jsonl.gz")
    return SHARED / "traces" / game.parent.name / f"{game.stem}.jsonl.gz"
