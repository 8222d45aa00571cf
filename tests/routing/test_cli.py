"""The `solve` command."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from services.route_problem import encode
from services.routing.cli import solve
from tests.routing.problems import graph, stop, train


def problem(optimum: int | None = None) -> bytes:
    """A problem whose optimum is 30; `optimum` is what the file claims."""
    data = json.loads(encode(graph([stop(10, token=True), stop(20)], [(0, 1)], [train()], id="one")))
    if optimum is not None:
        data["optimum"] = {"revenue": optimum}
    return json.dumps(data).encode()


def run(path: Path, *options: str) -> tuple[int, str]:
    """Exit status and output of the command."""
    result = CliRunner().invoke(solve, [str(path), *options])
    return result.exit_code, result.output


def test_one_problem(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(problem(30))
    status, output = run(path, "--routes")
    assert status == 0
    assert "one: 30, at most 30, proven" in output
    assert "D: 30 along [0]" in output
    assert "1 equal, 0 below, 0 above" in output


def test_many_problems_compressed(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n".join([problem(30), problem(), problem(30)])))
    status, output = run(path, "--deadline", "5")
    assert status == 0
    assert "3 problems, 3 proven" in output


@pytest.mark.parametrize("claim", [20, 40])
def test_a_contradiction_ends_in_status_1(tmp_path: Path, claim: int) -> None:
    path = tmp_path / "wrong.json"
    path.write_bytes(problem(claim))
    status, output = run(path, "--engine", "python")
    assert status == 1
    assert "CONTRADICTS" in output


@pytest.mark.parametrize("text", [b"", b"nothing", b"{}", b'{"format": "route-problem/1"}', b"\x1f\x8bbroken"])
def test_an_unreadable_file_is_reported_in_a_sentence(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "bad"
    path.write_bytes(text)
    status, output = run(path)
    assert status == 1
    assert output.startswith("Error: ")
    assert "Traceback" not in output


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(problem() + b"\n{}\n")
    status, output = run(path)
    assert status == 1
    assert "line 2" in output
