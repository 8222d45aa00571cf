"""The random set-up: what is left out, when corporations appear, permits (1862 1.1, 1.2, 1.5)."""

from __future__ import annotations

import pytest

from services.rules.titles.g1862.state import of

from .table import start

LETTERS = {"freight": "f", "express": "e", "local": "l"}
DRAWS = {
    (46925, 3): (
        "WStI L&H NGC W&F",
        "SVR N&B L&D FDR",
        "ECR f, ENR f, EUR e, FDR l, L&D l, L&E f, L&H l, N&B e, "
        "N&E f, Y&N f, NGC e, SVR e, WNR l, W&F l, WVR e, WStI f",
    ),
    (195901436, 4): (
        "I&B L&E L&H WNR",
        "W&F WStI WVR ENR",
        "ECR e, ENR f, ESR e, FDR e, I&B e, L&D f, L&E l, L&H l, "
        "N&E f, N&S e, Y&N l, SVR f, WNR l, W&F l, WVR f, WStI f",
    ),
    (3, 4): (
        "N&B Y&N N&E E&H",
        "EUR NGC L&E L&H",
        "E&H f, ENR l, EUR e, FDR l, L&D f, L&E l, L&H l, N&B f, "
        "N&E f, N&S f, Y&N f, NGC e, WNR l, W&F e, WVR e, WStI e",
    ),
}


@pytest.mark.parametrize("draw", DRAWS)
def test_the_seed_decides_permits_and_order(draw: tuple[int, int]) -> None:
    seed, players = draw
    state = of(start(players, seed=seed))
    in_b, in_c, permits = DRAWS[draw]
    assert state.offer[8:12] == in_b.split()
    assert state.offer[12:] == in_c.split()
    drawn = [f"{sym} {LETTERS[state.corporations[sym].permits[0]]}" for sym in state.corporation_order]
    assert ", ".join(drawn) == permits


@pytest.mark.parametrize(
    ("players", "cash", "limit", "in_a"),
    [(2, 1200, 25, 8), (5, 480, 11, 8), (6, 400, 10, 8), (7, 345, 9, 9), (8, 300, 8, 10)],
)
def test_money_limit_and_corporations_by_number_of_players(players: int, cash: int, limit: int, in_a: int) -> None:
    game = start(players)
    state = of(game)
    assert [player.cash for player in state.players] == [cash] * players
    assert state.bank == 15000 - cash * players
    assert state.cert_limit == limit
    assert sorted(state.starts_in.values()) == ["A"] * in_a + ["B"] * 4 + ["C"] * 4
    assert len(state.corporations) == in_a + 8
    for sym, corporation in state.corporations.items():
        assert state.board[corporation.home[0]].icons == [sym]


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ((), [7, 6, 4, 3]),
        (("short_length",), [6, 5, 4, 3]),
        (("long_length",), [7, 6, 5, 4]),
        (("short_length", "long_length", "eight_tokens"), [6, 5, 5, 4]),
    ],
)
def test_optional_lengths_change_the_number_of_trains(options: tuple[str, ...], counts: list[int]) -> None:
    upcoming = start(options=options).state.depot.upcoming
    assert [sum(1 for train in upcoming if train.startswith(rank)) for rank in "ABCD"] == counts
