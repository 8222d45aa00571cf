"""Price moves in the column and on the grid (1867 1.2), homes of majors, par (1867 3.5)."""

from __future__ import annotations

import pytest

from services.rules.engine import market, shares
from services.rules.engine.state import Cell

from .table import Canada


def moved(kind: str, option: list[str], start: Cell, direction: str) -> Cell:
    table = Canada(3, options=option)
    corporation = table.company("GWR" if kind == "major" else "KP")
    market.place(table.game.state, corporation, start)
    shares.move_price(table.game, corporation, direction)
    assert corporation.price is not None
    return corporation.price


@pytest.mark.parametrize(
    ("kind", "start", "direction", "end"),
    [
        ("minor", (0, 15), "right", (0, 15)),
        ("major", (0, 15), "right", (0, 16)),
        ("minor", (0, 14), "right", (0, 15)),
        ("major", (0, 27), "right", (0, 27)),
        ("minor", (0, 0), "left", (0, 0)),
        ("major", (0, 10), "up", (0, 11)),
        ("major", (0, 10), "down", (0, 9)),
    ],
)
def test_column(kind: str, start: Cell, direction: str, end: Cell) -> None:
    assert moved(kind, [], start, direction) == end


@pytest.mark.parametrize(
    ("kind", "start", "direction", "end"),
    [
        ("minor", (5, 6), "right", (4, 6)),
        ("minor", (0, 6), "right", (0, 6)),
        ("minor", (6, 5), "right", (5, 5)),
        ("minor", (7, 0), "left", (8, 0)),
        ("minor", (9, 0), "left", (9, 0)),
        ("major", (0, 8), "up", (1, 9)),
        ("major", (3, 11), "right", (2, 11)),
        ("major", (2, 15), "down", (2, 15)),
        ("major", (0, 4), "left", (1, 4)),
        ("major", (5, 6), "right", (5, 7)),
        ("major", (0, 18), "right", (0, 18)),
    ],
)
def test_grid(kind: str, start: Cell, direction: str, end: Cell) -> None:
    assert moved(kind, ["grid_market"], start, direction) == end


def test_cells_for_minors_and_majors() -> None:
    table = Canada(3)
    title, game = table.game.title, table.game
    prices = [cell.price for cell in title.par_cells(game, table.company("GWR"))]
    assert prices == [200, 180, 165, 150, 135, 120, 110, 100, 90, 80, 70]
    prices = [cell.price for cell in title.par_cells(game, table.company("KP"))]
    assert prices == [135, 120, 110, 100, 90, 80, 70, 65, 60, 55, 50]


def phase_four() -> Canada:
    """A stock round of phase 4, one of whose players is rich."""
    table = Canada(3).sell_companies()
    table.game.state.phase = 2
    table.game.title.on_train_event(table.game, "second_batch")
    table.player(str(table.acting()[0])).cash = 1000
    return table


def test_major_is_parred_from_phase_four_and_chooses_a_home() -> None:
    table = phase_four()
    player = str(table.acting()[0])
    table.refused("cannot_par", player, "par", corporation="KP", share_price="100,0,10")
    table.refused("not_a_par_cell", player, "par", corporation="ICR", share_price="65,0,6")
    table.do(player, "par", corporation="ICR", share_price="180,0,16")
    assert table.company("ICR").cash == 360
    assert table.step() == "home_token"
    homes = table.game.round.pending_tokens[0].hexes
    assert "F16" not in homes  # the national stands there
    assert "L12" in homes
    table.home("ICR", "O7-2-0")
    assert table.on_map("ICR")[0] == "O7"
    assert table.acting() != [player]


def test_majors_cannot_be_parred_before_phase_four() -> None:
    table = phase_four()
    table.game.state.phase = 1
    table.refused("wrong_action", str(table.acting()[0]), "par", corporation="ICR", share_price="180,0,16")


def test_unconnected_cities_are_preferred_as_homes_of_majors() -> None:
    """Track from Berlin reaches Hamilton: both are connected."""
    table = phase_four()
    from services.rules.engine.board import lays

    lays.lay(table.game.title.track_rules, table.game.state, "E17", "621", 2)
    lays.lay(table.game.title.track_rules, table.game.state, "D16", "202", 5)
    homes = table.game.title.home_hexes(table.game, table.company("ICR"))
    assert "E17" not in homes
    assert "D16" not in homes
    assert "C17" in homes


def test_player_short_of_the_cheapest_par_is_asked_all_the_same() -> None:
    """The offer looks at 100, the cheapest par costs 140 (1867 3.1)."""
    table = phase_four()
    player = str(table.acting()[0])
    table.player(player).cash = 120
    for minor in table.game.corporations:
        if minor.kind == "minor":
            minor.started = True
    table.game.touch()
    step = table.game.rules.active_step(table.game)
    assert step is not None
    assert step.actions(table.game, table.player(player)) == ("par", "pass")
    assert [m["type"] for m in table.game.moves()] == ["pass"]


def test_sale_lowers_the_price_only_by_the_president() -> None:
    table = phase_four()
    first, second, third = (str(player) for player in table.game.state.player_order)
    table.do(first, "par", corporation="ICR", share_price="100,0,10").home("ICR", "O7-2-0")
    for player in (second, third):
        table.player(player).cash = 500
    table.buy(second, "ICR_1").buy(third, "ICR_2").buy(first, "ICR_3")
    table.company("ICR").operated = True
    table.do(second, "sell_shares", shares=["ICR_1"], percent=10)
    assert table.price("ICR") == 100
    table.refused("wrong_action", second, "buy_shares", shares=["ICR_1"], percent=10)
    table.passes(second).passes(third)
    table.do(first, "sell_shares", shares=["ICR_3"], percent=10)
    assert table.price("ICR") == 90
    assert table.player(first).cash == 1000 - 200 - 100 + 100


def test_majors_must_operate_before_they_are_sold() -> None:
    table = phase_four()
    first, second, third = (str(player) for player in table.game.state.player_order)
    table.do(first, "par", corporation="ICR", share_price="100,0,10").home("ICR", "O7-2-0")
    table.player(second).cash = 500
    table.buy(second, "ICR_1").passes(third)
    table.buy(first, "ICR_2")
    table.refused("wrong_action", second, "sell_shares", shares=["ICR_1"], percent=10)
