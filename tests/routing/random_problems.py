"""Small random problems with every kind of rule mixed in."""

from __future__ import annotations

import random
from typing import Any

from services.route_problem import RouteProblem, decode

KINDS = ["city", "city", "town", "halt", "offboard"]
ALL = ["city", "town", "halt", "offboard"]


def random_problem(seed: int) -> RouteProblem:
    """A problem small enough to be solved by exhaustion; the same for the same seed."""
    chance = random.Random(seed)
    union = chance.random() < 0.4
    stops = chance.randint(3, 6)
    sides = chance.randint(0, 5)
    junctions = chance.choice([0, 0, 1, 2])
    trains = chance.choice([1, 2, 2, 3])
    hexes = [[f"H{number}", *_place(chance)] for number in range(stops + 2)]
    places = [_stop(chance, number, trains, union) for number in range(stops)]
    places[0]["token"] = True
    track, conflicts = _track(chance, stops, sides, junctions, len(hexes))
    problem: dict[str, Any] = {
        "format": "route-problem/2",
        "hexes": hexes,
        "stops": places,
        "sides": sides,
        "junctions": junctions,
        "track": track,
        "conflicts": conflicts,
        "exclusive": [_some(chance, stops, 2)] if chance.random() < 0.3 else [],
        "forbidden": [chance.randrange(1, stops)] if chance.random() < 0.1 else [],
    }
    common = [_train(chance, stops, union) for _ in range(2)]
    problem["trains"] = [dict(chance.choice(common)) for _ in range(trains)]
    if union:
        _union_rules(chance, problem, stops)
    else:
        problem["bonuses"] = [_bonus(chance, stops, len(hexes), trains) for _ in range(chance.choice([0, 0, 1, 2, 3]))]
        if chance.random() < 0.15:
            problem["rules"] = {"share_track": True}
    if chance.random() < 0.4:
        _preferences(chance, problem, stops, trains, union)
    return decode(problem)


def freight_problem(seed: int) -> RouteProblem:
    """Like `random_problem`, with two or three trains, most of them freight trains."""
    chance = random.Random(seed)
    stops, sides, junctions = chance.randint(3, 6), chance.randint(0, 5), chance.choice([0, 0, 1, 2])
    trains = chance.choice([2, 3, 3])
    places = [_stop(chance, number, trains, True) for number in range(stops)]
    places[0]["token"] = True
    track, conflicts = _track(chance, stops, sides, junctions, stops + 2)
    problem: dict[str, Any] = {
        "format": "route-problem/2",
        "hexes": [[f"H{number}", *_place(chance)] for number in range(stops + 2)],
        "stops": places,
        "sides": sides,
        "junctions": junctions,
        "track": track,
        "conflicts": conflicts,
    }
    common = [_train(chance, stops, True) for _ in range(2)]
    for train in common[: chance.choice([1, 2, 2])]:
        train["pay"] = "ends"
        train["permanent"] = chance.random() < 0.5
        train["crow"] = {"rate": 20, "port_rate": 30, "port_stops": _some(chance, stops)}
    problem["trains"] = [dict(chance.choice(common)) for _ in range(trains)]
    _union_rules(chance, problem, stops)
    if chance.random() < 0.4:
        _preferences(chance, problem, stops, trains, True)
    return decode(problem)


def _place(chance: random.Random) -> tuple[int, int]:
    x = chance.randint(0, 5)
    return x, 2 * chance.randint(0, 4) + x % 2


def _some(chance: random.Random, count: int, least: int = 1) -> list[int]:
    return sorted(chance.sample(range(count), min(count, chance.randint(least, least + 1))))


def _stop(chance: random.Random, number: int, trains: int, union: bool) -> dict[str, Any]:
    kind = chance.choice(KINDS)
    amount = 10 * chance.randint(0, 6)
    factors = [chance.choice([1, 1, 2]) for _ in range(trains)]
    stop: dict[str, Any] = {
        "kind": kind,
        "hex": number,
        "revenue": [amount if union else amount * factor for factor in factors],
        "cost": chance.choice([1, 1, 1, 1, 0, 2]),
    }
    stop["token"] = chance.random() < 0.3
    stop["blocked"] = chance.random() < (0.6 if kind == "offboard" else 0.2)
    return stop


def _track(
    chance: random.Random, stops: int, sides: int, junctions: int, hexes: int
) -> tuple[list[dict[str, Any]], int]:
    nodes = stops + sides + junctions
    pieces = chance.randint(nodes - 1, min(nodes + 4, 13))
    conflicts = pieces + 3
    track: list[dict[str, Any]] = []
    for number in range(pieces):
        one, other = chance.sample(range(nodes), 2)
        if number < nodes - 1 and chance.random() < 0.7:
            one, other = number + 1, chance.randrange(number + 1)
        piece: dict[str, Any] = {"ends": [one, other], "hex": chance.randrange(hexes), "uses": [number]}
        if chance.random() < 0.3:
            piece["uses"].append(chance.randrange(pieces, conflicts))
        if chance.random() < 0.1:
            piece["terminal"] = True
        track.append(piece)
    return track, conflicts


def _rows(chance: random.Random, union: bool, pay: bool) -> list[dict[str, Any]]:
    choice = chance.randrange(4)
    most = chance.choice([1, 2, 2, 3, 4, None])
    if choice == 0 or (union and pay and choice == 3):
        return [{"kinds": ALL, "max": most}]
    if choice == 1:
        return [{"kinds": ["city", "offboard"], "max": most}, {"kinds": ["town", "halt"], "max": None}]
    if choice == 2:
        return [{"kinds": ["city", "offboard"], "max": most}, {"kinds": ["town"], "max": chance.choice([0, 1])}]
    return [{"kinds": ["town"], "max": 1}, {"kinds": ["city", "offboard", "town"], "max": most}]


def _train(chance: random.Random, stops: int, union: bool) -> dict[str, Any]:
    train: dict[str, Any] = {"name": "T", "visit": _rows(chance, union, pay=False)}
    style = chance.random()
    if style < 0.45:
        train["pay"] = _rows(chance, union, pay=True)
        if chance.random() < 0.4 and not union:
            train["always_pay"] = [chance.choice(["city", "offboard", "town"])]
        if chance.random() < 0.4 and not union:
            train["token_must_pay"] = True
    elif style < 0.6 or (union and style < 0.75):
        train["pay"] = "ends"
        train["permanent"] = chance.random() < 0.6
        if chance.random() < 0.9:
            train["crow"] = {"rate": 20, "port_rate": 30, "port_stops": _some(chance, stops)}
    if chance.random() < 0.15:
        train["no_end_stops"] = _some(chance, stops)
    if chance.random() < 0.15:
        train["no_end_kinds"] = ["town"]
    if chance.random() < 0.1:
        train["no_kinds"] = [chance.choice(["town", "offboard"])]
    if chance.random() < 0.15:
        train["end_pairs_forbidden"] = [_some(chance, stops, 2)]
    if chance.random() < 0.2:
        train["hex_limit"] = chance.randint(0, 4)
    return train


def _bonus(chance: random.Random, stops: int, hexes: int, trains: int) -> dict[str, Any]:
    amount = [10 * chance.randint(0, 5) for _ in range(trains)]
    kind = chance.choice(["set", "set", "set", "hex", "echo_max", "end"])
    if kind == "set":
        return {"kind": kind, "all_of": [_some(chance, stops) for _ in range(chance.randint(1, 3))], "amount": amount}
    if kind == "hex":
        return {"kind": kind, "hexes": _some(chance, hexes), "amount": amount}
    if kind == "echo_max":
        return {"kind": kind, "if_any": _some(chance, stops), "except": _some(chance, stops)}
    return {"kind": kind, "any_of": _some(chance, stops)}


def _union_rules(chance: random.Random, problem: dict[str, Any], stops: int) -> None:
    rules: dict[str, Any] = {"share_track": True, "count_once": True, "freight_chains": True}
    payments = [train["crow"] for train in problem["trains"] if "crow" in train]
    for train in problem["trains"]:
        if train.get("pay") == "ends":
            train.pop("crow", None)
            if payments:
                train["crow"] = payments[0]
    rules["must_connect"] = chance.random() < 0.7
    if chance.random() < 0.5:
        rules["must_include_any"] = _some(chance, stops)
    if chance.random() < 0.4:
        group = _some(chance, stops, 2)
        rules["count_once_groups"] = [group]
        for stop in group:
            problem["stops"][stop]["revenue"] = problem["stops"][group[0]]["revenue"]
    problem["rules"] = rules


def _preferences(chance: random.Random, problem: dict[str, Any], stops: int, trains: int, union: bool) -> None:
    amount = [10 * chance.randint(0, 4) for _ in range(trains)]
    subsidies: list[dict[str, Any]] = [{"kind": "stops", "stops": _some(chance, stops), "amount": amount}]
    if union and chance.random() < 0.7:
        paid = [number for number, train in enumerate(problem["trains"]) if train.get("pay") != "ends"]
        subsidies.append({"kind": "hexes", "amount": 10, "trains": paid[: chance.randint(1, trains)]})
    prefer = ["subsidy", "fewer_trains"]
    chance.shuffle(prefer)
    problem["subsidies"] = subsidies
    problem["rules"] = {**problem.get("rules", {}), "prefer": prefer[: chance.randint(1, 2)]}
