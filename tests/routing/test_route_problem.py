"""The problem format: what is accepted, what is refused and how."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from services.route_problem import (
    RouteProblemError,
    Solution,
    content_hash,
    decode,
    decode_solution,
    encode,
    encode_solution,
)
from tests.routing.conftest import load_problems
from tests.routing.problems import graph, stop, train


def plain() -> dict[str, Any]:
    """A valid problem as plain data."""
    problem = graph([stop(10, token=True), stop(20)], [(0, 1)], [train()], id="here", title="1830")
    data: dict[str, Any] = json.loads(encode(problem))
    return data


def test_a_problem_survives_a_round_trip() -> None:
    assert decode(encode(decode(plain()))) == decode(plain())


@pytest.mark.parametrize("name", ["corpus/seven", "corpus/1862", "corpus/others", "bench/stress"])
def test_first_version_files_are_accepted(name: str) -> None:
    for problem in load_problems(f"{name}.jsonl.gz"):
        assert decode(encode(problem)) == problem


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (["format"], "route-problem/9", "format"),
        (["stops", 0, "kind"], "village", "stops[0].kind"),
        (["stops", 1, "hex"], 7, "stops[1].hex"),
        (["stops", 0, "revenue"], [10, 20], "stops[0].revenue"),
        (["stops", 0, "revenue"], [-10], "stops[0].revenue[0]"),
        (["stops", 0, "cost"], -1, "stops[0].cost"),
        (["stops", 0, "colour"], "red", "stops[0]"),
        (["track", 0, "ends"], [0, 9], "track[0].ends"),
        (["track", 0, "ends"], [1, 1], "track[0].ends"),
        (["track", 0, "uses"], [5], "track[0].uses[0]"),
        (["trains", 0, "visit"], [{"kinds": []}], "trains[0].visit[0].kinds"),
        (["trains", 0, "visit"], "all", "trains[0].visit"),
        (["trains", 0, "pay"], "middle", "trains[0].pay"),
        (["trains", 0, "hex_limit"], -3, "trains[0].hex_limit"),
        (["trains", 0, "crow"], {"rate": 20, "port_rate": 30}, "trains[0].crow"),
        (["exclusive"], [[0, 2]], "exclusive[0][1]"),
        (["forbidden"], [-1], "forbidden[0]"),
        (["bonuses"], [{"kind": "set", "all_of": [], "amount": [1]}], "bonuses[0].all_of"),
        (["bonuses"], [{"kind": "set", "all_of": [[0]], "amount": [-1]}], "bonuses[0].amount[0]"),
        (["bonuses"], [{"kind": "gift"}], "bonuses[0].kind"),
        (["subsidies"], [{"kind": "stops", "stops": [4], "amount": [1]}], "subsidies[0].stops[0]"),
        (["rules"], {"count_once": True}, "rules.count_once"),
        (["rules"], {"must_connect": True}, "rules.must_connect"),
        (["rules"], {"prefer": ["luck"]}, "rules.prefer"),
        (["sides"], 10**9, "sides"),
    ],
)
def test_errors_name_the_field(path: list[Any], value: Any, field: str) -> None:
    data = plain()
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(RouteProblemError) as caught:
        decode(data)
    assert caught.value.field.startswith(field.split("[0][1]")[0])
    assert field.split("[")[0] in str(caught.value)


@pytest.mark.parametrize("text", [b"", b"[]", b"null", b"{", b"\xff\xfe", b'{"format": 1}', b"[" * 5000])
def test_what_is_no_problem_is_refused(text: bytes) -> None:
    with pytest.raises(RouteProblemError):
        decode(text)


def test_stops_that_count_once_must_pay_every_train_the_same() -> None:
    rules = {"share_track": True, "count_once": True}
    with pytest.raises(RouteProblemError, match="same for every train"):
        graph([stop([10, 20], token=True), stop(20)], [(0, 1)], [train(), train()], rules=rules)


def test_the_hash_ignores_names_and_nothing_else() -> None:
    data = plain()
    same = {**data, "id": "there", "title": "1867", "optimum": {"revenue": 3}}
    assert content_hash(decode(same)) == content_hash(decode(data))
    other = json.loads(json.dumps(data))
    other["stops"][0]["token"] = False
    assert content_hash(decode(other)) != content_hash(decode(data))


def test_a_solution_survives_a_round_trip() -> None:
    solution = Solution(30, 30, True, [[0], None], [30, 0], 10, [10, 0], [0], {"states": 3})
    assert decode_solution(encode_solution(solution)) == solution
    with pytest.raises(msgspec.MsgspecError):
        decode_solution(b"{}")
