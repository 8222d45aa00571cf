"""Freight of 1862: distance as the crow flies, routes joined end to end."""

from __future__ import annotations

import pytest

from services.routing.chains import ChainError, FreightRoute, Position, build_chains, crow_distance


def at(name: str, *, offboard: bool = False) -> Position:
    """Position of a hex such as F13: columns are letters, rows numbers in doubled coordinates."""
    return ord(name[0]) - ord("A"), int(name[1:]), offboard


@pytest.mark.parametrize(
    ("one", "other", "hexes"),
    [
        (at("F13", offboard=True), at("D13", offboard=True), 3),
        (at("B13"), at("C14", offboard=True), 1),
        (at("B9", offboard=True), at("F3"), 5),
        (at("B9"), at("B9"), 0),
        (at("B9", offboard=True), at("B9", offboard=True), 1),
        (at("B9"), at("B11"), 0),
        (at("B9"), at("B13"), 1),
    ],
)
def test_distance_as_the_crow_flies(one: Position, other: Position, hexes: int) -> None:
    assert crow_distance(one, other) == crow_distance(other, one) == hexes


def route(train: int, one: int, other: int, *, permanent: bool = True) -> FreightRoute:
    """A route between two stops on a line, ten columns apart for each number."""
    return FreightRoute(train, (one, other), ((10 * one, 0, False), (10 * other, 0, False)), permanent)


def test_routes_with_a_common_end_pay_only_their_free_ends() -> None:
    (chain,) = build_chains([route(0, 1, 2), route(1, 2, 3)])
    assert set(chain.free) == {1, 3}
    assert chain.distance == 19


def test_separate_routes_of_permanent_trains_are_chains_of_their_own() -> None:
    assert [chain.free for chain in build_chains([route(0, 1, 2), route(1, 3, 4)])] == [(1, 2), (3, 4)]


def test_a_ring_pays_one_end_and_no_distance() -> None:
    (chain,) = build_chains([route(0, 1, 2), route(1, 2, 3), route(2, 3, 1)])
    assert chain.free == (1, 1)
    assert chain.distance == 0


def test_a_loop_with_a_tail_is_refused() -> None:
    with pytest.raises(ChainError, match="tail"):
        build_chains([route(0, 1, 2), route(1, 2, 3), route(2, 3, 2)])


def test_trains_that_rust_run_in_one_chain() -> None:
    with pytest.raises(ChainError, match="more than one chain"):
        build_chains([route(0, 1, 2, permanent=False), route(1, 3, 4, permanent=False)])


def test_a_chain_of_trains_that_rust_is_the_only_chain() -> None:
    with pytest.raises(ChainError, match="only chain"):
        build_chains([route(0, 1, 2, permanent=False), route(1, 3, 4)])
    mixed = build_chains([route(0, 1, 2, permanent=False), route(1, 2, 3), route(2, 4, 5)])
    assert [chain.free for chain in mixed] == [(1, 3), (4, 5)]


def test_where_several_routes_continue_one_with_a_rusting_train_goes_first() -> None:
    """At stop 2 two routes could continue; the branch that holds a train that rusts is taken."""
    rusting = [route(0, 1, 2, permanent=False), route(2, 2, 4, permanent=False)]
    chains = build_chains([rusting[0], route(1, 2, 3), rusting[1], route(3, 4, 5)])
    assert [tuple(member.train for member in chain.routes) for chain in chains] == [(0, 2, 3), (1,)]


def test_where_several_routes_continue_the_longest_branch_goes_first() -> None:
    chains = build_chains([route(0, 1, 2), route(1, 2, 3), route(2, 2, 4), route(3, 4, 5)])
    assert [tuple(member.train for member in chain.routes) for chain in chains] == [(0, 2, 3), (1,)]
