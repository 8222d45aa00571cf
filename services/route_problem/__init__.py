"""Route problems: the self-contained question 'what is the most these trains can run?'.

The rules service builds a problem from a game, the routing service answers it, and neither knows the
other: this package is all they share. It has no dependency but msgspec.

>>> problem = decode(b'{"format": "route-problem/2", ...}')
>>> content_hash(problem)          # equal for equal questions, whatever game they come from
"""

from services.route_problem.codec import (
    content_hash,
    decode,
    decode_solution,
    encode,
    encode_solution,
)
from services.route_problem.model import (
    Bonus,
    Crow,
    EchoMaxBonus,
    EndBonus,
    HexBonus,
    HexSubsidy,
    RouteProblem,
    RouteProblemError,
    Row,
    Rules,
    SetBonus,
    Solution,
    Stop,
    StopSubsidy,
    Subsidy,
    Track,
    Train,
    listed,
)

__all__ = [
    "Bonus",
    "Crow",
    "EchoMaxBonus",
    "EndBonus",
    "HexBonus",
    "HexSubsidy",
    "RouteProblem",
    "RouteProblemError",
    "Row",
    "Rules",
    "SetBonus",
    "Solution",
    "Stop",
    "StopSubsidy",
    "Subsidy",
    "Track",
    "Train",
    "content_hash",
    "decode",
    "decode_solution",
    "encode",
    "encode_solution",
    "listed",
]
