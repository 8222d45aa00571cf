"""What routes may visit and what they are paid (1867 4.5), on the published last board."""

from __future__ import annotations

import pytest

from services.routing import solve
from services.rules.engine.board import lays, tokens
from services.rules.engine.board.map import new_cities
from services.rules.engine.errors import IllegalAction
from services.rules.engine.routes.check import RunResult, check_run
from services.rules.engine.state import Hex
from services.rules.engine.trains import give_train
from services.rules.route_problems import build_problem

from .published_board import published_board
from .table import Canada

TO_TIMMINS = {"E3": ("8", 0), "E5": ("9", 0), "E7": ("9", 0), "E9": ("9", 0), "E11": ("9", 0), "E13": ("57", 0)}
"""Track from Timmins (D2) over Barrie (E13) to Guelph (E15)."""


def board_for(sym: str, train: str, *, stations: tuple[str, ...] | None = None) -> Canada:
    """The published board, on which a company has one train of a rank and perhaps other stations."""
    table = published_board()
    game, company = table.game, table.company(sym)
    table.no_train(sym)
    give_train(game, next(t for t in game.state.depot.trains if t.rpartition("-")[0] == train), company)
    if stations is not None:
        for index, _ in list(tokens.placed_tokens(game.state, sym)):
            tokens.lift(game.title.map, game.state, sym, index)
        for hex_id in stations:
            table.token(sym, hex_id)
    game.touch()
    game.board_changed()
    return table


def lay(table: Canada, tiles: dict[str, tuple[str, int]]) -> Canada:
    for hex_id, (tile, rotation) in tiles.items():
        lays.lay(table.game.title.track_rules, table.game.state, hex_id, tile, rotation)
    table.game.board_changed()
    return table


def run(table: Canada, sym: str, *links: str) -> RunResult:
    """One route of the company's only train, each link hexes joined by ``-``."""
    (train,) = table.company(sym).trains
    routes = [{"train": train, "connections": [link.split("-") for link in links]}]
    game = table.game
    return check_run(game.title.map, game.state, sym, routes, game.title.route_rules)


def refusal(table: Canada, sym: str, *links: str) -> str:
    with pytest.raises(IllegalAction) as caught:
        run(table, sym, *links)
    return caught.value.code


def best(table: Canada, sym: str) -> int:
    """What the route search finds for the company."""
    game = table.game
    solution = solve(build_problem(game.title.map, game.state, sym, game.title.route_rules))
    assert solution.proven
    return solution.revenue


# --- which stops are paid ---------------------------------------------------------------------------------------


def test_towns_fill_what_cities_leave_free() -> None:
    """A 2 is paid for Montreal (100) and Granby (10)."""
    assert run(board_for("GWR", "2"), "GWR", "L12-M13").total == 110


def test_towns_are_visited_for_nothing_when_cities_fill_the_train() -> None:
    """Ottawa (60), Cornwall (10), Montreal (100): a 2 leaves the town out, a 3 does not."""
    assert run(board_for("GWR", "2"), "GWR", "J12-K13", "K13-L12").total == 160
    assert run(board_for("GWR", "3"), "GWR", "J12-K13", "K13-L12").total == 170


def test_the_best_towns_fill_up_but_not_more_than_fit() -> None:
    """Granby, Montreal, Cornwall, Ottawa: a 3 has room for one of two towns."""
    assert run(board_for("GWR", "3"), "GWR", "M13-L12", "L12-K13", "K13-J12").total == 170


def test_cities_and_offboards_beyond_the_number_are_out_of_reach() -> None:
    table = board_for("GWR", "2")
    assert refusal(table, "GWR", "M15-M13", "M13-L12", "L12-K13", "K13-J12") == "route_too_long"
    assert run(board_for("GWR", "3"), "GWR", "M15-M13", "M13-L12", "L12-K13", "K13-J12").total == 220


def test_a_double_train_doubles_stops_but_not_what_companies_add() -> None:
    """Buffalo (60) and Hamilton (50) twice, and 10 once for the bridge."""
    table = board_for("C&O", "2+2")
    assert run(table, "C&O", "F18-E17").total == 220
    table.company("C&O").companies = ["NFB"]
    table.game.state.companies["NFB"].owner = "corporation:C&O"
    result = run(table, "C&O", "F18-E17")
    assert (result.total, result.routes[0].bonuses) == (230, ["NFB"])


def test_an_express_is_paid_five_stops_with_offboards_among_them() -> None:
    """New England is always paid; then Montreal, Ottawa, Kingston and one of the towns: 260, doubled."""
    table = board_for("GWR", "5+5E")
    links = ("M15-M13", "M13-L12", "L12-K13", "K13-J12", "J12-J14-I15")
    assert run(table, "GWR", *links).total == 520
    assert run(table, "GWR", *links, "I15-H14", "H14-G15", "G15-F16").total == 2 * (60 + 100 + 100 + 60 + 40)


def test_an_express_is_paid_for_one_of_its_own_stations() -> None:
    """Kingston (30) is paid in place of Peterborough (40), because the only station stands there."""
    table = board_for("GWR", "5+5E", stations=("I15",))
    links = ("M15-M13", "M13-L12", "L12-K13", "K13-J12", "J12-J14-I15", "I15-H14", "H14-G15", "G15-F16")
    result = run(table, "GWR", *links)
    assert result.total == 2 * (60 + 100 + 100 + 60 + 30)
    assert "I15-0" in result.routes[0].counted
    assert "G15-0" not in result.routes[0].counted


# --- bonuses ----------------------------------------------------------------------------------------------------


def test_timmins_with_a_great_city_pays_40_once() -> None:
    table = lay(board_for("GWR", "5"), TO_TIMMINS)
    assert run(table, "GWR", "D2-E3-E5-E7-E9-E11-E13", "E13-E15").total == 40 + 20 + 40
    result = run(table, "GWR", "D2-E3-E5-E7-E9-E11-E13", "E13-E15", "E15-F16")
    assert (result.total, result.routes[0].bonuses) == (40 + 20 + 40 + 100 + 40, ["timmins"])
    both = ("E15-F16", "F16-F14-G13-H12-I11-J12")
    assert run(table, "GWR", "D2-E3-E5-E7-E9-E11-E13", "E13-E15", *both).total == 40 + 20 + 40 + 100 + 60 + 40


def test_timmins_pays_double_with_a_double_train() -> None:
    table = lay(board_for("GWR", "5+5E"), TO_TIMMINS)
    links = ("D2-E3-E5-E7-E9-E11-E13", "E13-E15", "E15-F16")
    assert run(table, "GWR", *links).total == 2 * (40 + 20 + 40 + 100) + 80


def test_the_search_pays_bonuses_as_the_engine_does() -> None:
    """From Barrie a 5 earns most by Timmins, Toronto and Montreal, 300 and 40; New England instead makes 320."""
    table = lay(board_for("GWR", "5"), TO_TIMMINS)
    for index in range(3):
        tokens.lift(table.game.title.map, table.game.state, "GWR", index)
    table.token("GWR", "E13")
    assert best(table, "GWR") == 340
    links = ("E13-E15", "E15-F16", "F16-F14-G13-H12-I11-J10-K9-L10", "L10-L12", "L12-M13", "M13-M15")
    assert run(table, "GWR", *links).total == 320


@pytest.mark.parametrize(("company", "paid"), [("NFB", 10), ("QB", 0), ("C&SL", 0)])
def test_a_bridge_adds_10_to_a_route_that_counts_its_place(company: str, paid: int) -> None:
    table = board_for("C&O", "2")
    table.company("C&O").companies = [company]
    table.game.state.companies[company].owner = "corporation:C&O"
    assert run(table, "C&O", "F18-E17").total == 110 + paid


def test_a_bridge_of_a_player_adds_nothing() -> None:
    table = board_for("C&O", "2")
    table.game.state.companies["NFB"].owner = "player:B"
    table.player("B").companies = ["NFB"]
    assert run(table, "C&O", "F18-E17").total == 110


# --- what a route may not do ------------------------------------------------------------------------------------


def test_two_cities_of_a_hex_are_not_for_one_route() -> None:
    """Toronto before its last tile: from Hamilton through one city to Guelph and back into the other."""
    table = board_for("C&O", "5", stations=("E17",))
    state, board = table.game.state, table.game.title.map
    for sym, index in (("CN", 0), ("CNR", 2)):
        assert tokens.lift(board, state, sym, index) == "F16"
    state.board["F16"] = Hex(tile="122", rotation=1, cities=new_cities(board.tiles["122"].rotated(1)))
    table.game.board_changed()
    assert run(table, "C&O", "E17-F16", "F16-E15").total == 50 + 80 + 40
    assert refusal(table, "C&O", "E17-F16", "F16-E15", "E15-F14-F16") == "place_twice"


def test_detroit_is_one_place() -> None:
    game = published_board().game
    problem = build_problem(game.title.map, game.state, "C&O", game.title.route_rules)
    groups = [{problem.hexes[problem.stops[stop].hex][0] for stop in group} for group in problem.exclusive]
    assert groups == [{"A17", "A19"}]


def test_a_city_full_of_others_is_an_end() -> None:
    """Hamilton is full of C&O and CNR."""
    table = board_for("GWR", "5")
    assert run(table, "GWR", "E15-E17").total == 40 + 50
    assert refusal(table, "GWR", "E15-E17", "E17-D18-C17") == "passes_blocked_city"


def test_neutral_markers_and_free_slots_do_not_block() -> None:
    """The neutral marker of Timmins fills its only slot and lets everybody through."""
    table = lay(board_for("GWR", "5"), TO_TIMMINS)
    table.game.state.board["D2"].cities[0].slots = ["~CN"]
    table.game.board_changed()
    network = table.game.network(table.company("GWR"))
    assert ("D2", 0) in network.connected_cities
    problem = build_problem(table.game.title.map, table.game.state, "GWR", table.game.title.route_rules)
    (timmins,) = [stop for stop in problem.stops if problem.hexes[stop.hex][0] == "D2"]
    assert not timmins.blocked
