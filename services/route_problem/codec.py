"""JSON in and out of route problems, and the hash that tells whether two of them ask the same thing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from services.route_problem.model import RouteProblem, RouteProblemError, Solution
from services.route_problem.validate import validate

_decoder = msgspec.json.Decoder(RouteProblem)
_solution_decoder = msgspec.json.Decoder(Solution)
_encoder = msgspec.json.Encoder()
_canonical = msgspec.json.Encoder(order="deterministic")
_PATH = re.compile(r"^(?P<reason>.*) - at `\$\.?(?P<field>.*)`$", re.DOTALL)


def decode(data: bytes | str | Mapping[str, Any]) -> RouteProblem:
    """The problem in `data` (JSON text or an already parsed object), checked.

    Raises `RouteProblemError` naming the field for text that is not JSON, unknown, missing or wrongly
    typed fields, and values that contradict each other.
    """
    try:
        if isinstance(data, Mapping):
            problem = msgspec.convert(data, RouteProblem)
        else:
            problem = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        match = _PATH.match(str(error))
        if match:
            raise RouteProblemError(match["field"].replace("[...]", "[]"), match["reason"]) from None
        raise RouteProblemError("", str(error)) from None
    return validate(problem)


def encode(problem: RouteProblem) -> bytes:
    """JSON text of a problem; `decode(encode(problem)) == problem`."""
    return _encoder.encode(problem)


def content_hash(problem: RouteProblem) -> str:
    """Hex digest of everything that can influence the answer, and of nothing else.

    Names of trains, hexes and the game are left out, so a position that comes up again in another round or
    another game has the same hash.
    """
    trains = [msgspec.structs.replace(train, name="", type="") for train in problem.trains]
    hexes = [("", x, y) for _, x, y in problem.hexes]
    bare = msgspec.structs.replace(
        problem,
        format="route-problem/2",
        trains=trains,
        hexes=hexes,
        id="",
        title="",
        phase="",
        recorded=None,
        optimum=None,
        best_known=None,
        published=None,
        size=None,
    )
    return hashlib.blake2b(_canonical.encode(bare), digest_size=20).hexdigest()


def encode_solution(solution: Solution) -> bytes:
    """JSON text of a solution."""
    return _encoder.encode(solution)


def decode_solution(data: bytes | str) -> Solution:
    """Inverse of `encode_solution`; raises `msgspec.MsgspecError` on anything else."""
    return _solution_decoder.decode(data)
