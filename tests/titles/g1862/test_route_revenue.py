"""What a set of routes earns: freight chains, places paid once, choices of m/n trains, subsidies (1862 4.4)."""

from __future__ import annotations

import pytest

from services.rules.engine.game import Game

from .operating import tile
from .running import board, check, forbidden, links, own, paid, stand
from .table import corporation

COAST = (("G8", "57", 1), ("H7", "14", 0), ("H5", "53y", 0))
"""Beccles - Lowestoft - Great Yarmouth; Lowestoft meets the East twice, Yarmouth the North-East."""
WITHAM = (
    *(("D13", "14", 0), ("D11", "57", 0), ("E12", "791", 1)),
    *(("F13", "202", 0), ("F11", "790", 1), ("G12", "57", 2)),
)
"""Witham with London on two sides, Sudbury, Colchester, Harwich with Holland, Ipswich, Felixstowe with Denmark."""


def coast(*trains: str, at: str = "B") -> Game:
    game = board("N&S", *COAST, at=at)
    own(game, "N&S", *trains)
    return game


def witham(*trains: str, at: str = "B") -> Game:
    game = board("ECR", *WITHAM, at=at)
    stand(game, "ECR", "B15")
    own(game, "ECR", *trains)
    return game


# --- examples of the rules -------------------------------------------------------------------------------------------


def test_freight_from_the_sea_to_london() -> None:
    laid = (("F13", "621", 2), ("E12", "791", 1), ("D13", "57", 1))
    game = board("ECR", *laid, at="H")
    stand(game, "ECR", "B15")
    own(game, "ECR", "5F*")
    route = ("A-0", links("G14", "F13", "E12", "D13", "C14"))
    assert paid(game, "ECR", route) == [130 + 200 + 3 * 30]


def test_freight_to_the_next_hex_off_the_board() -> None:
    game = board("N&E", ("B13", "57", 2))
    stand(game, "N&E", "B15")
    own(game, "N&E", "1F")
    assert paid(game, "N&E", ("A-0", links("B13", "C14"))) == [20 + 100]


def ely(*trains: str, end: str = "57") -> Game:
    """Ely by two towns and Norwich to Cromer, Cambridge and the West on the other side."""
    laid = (("B9", "790", 1), ("C8", "621", 1), ("D7", "8852", 1), ("E6", "8852", 1), ("F5", "790", 0), ("F3", end, 0))
    game = board("E&H", *laid, seed=3, at="H")
    own(game, "E&H", *trains)
    return game


def test_freight_across_the_map() -> None:
    game = ely("9F", end="14")
    route = ("A-0", links("A8", "B9", "C8", "D7", "E6", "F5", "F3"))
    assert paid(game, "E&H", route) == [120 + 30 + 20 * 5]


def test_a_local_train_earns_a_subsidy_for_every_hex() -> None:
    game = ely("4L*", end="5")
    tile(game, "E4", "57", 1)
    result = check(game, "E&H", ("A-0", links("C8", "D7", "E6", "F5", "F3", "E4")))
    assert result.subsidy == 60


# --- freight ---------------------------------------------------------------------------------------------------------


def test_stations_between_the_ends_of_freight_are_not_paid() -> None:
    game = coast("2F")
    assert paid(game, "N&S", ("A-0", links("G8", "H7", "H5"))) == [20 + 50 + 20]


def test_two_freight_trains_end_to_end_are_paid_two_ends() -> None:
    game = coast("1F*", "1F*")
    assert paid(game, "N&S", ("A-0", links("G8", "H7")), ("A-1", links("H7", "H5"))) == [20 + 20, 50]


def test_freight_trains_that_rust_and_only_cross_are_refused() -> None:
    """They meet in the middle of their routes but share no end."""
    game = coast("2F", "2F")
    across, along = ("A-0", links("G8", "H7", "H5")), ("A-1", [["H9", "H7"]])
    assert forbidden(game, "N&S", across, along) == "freight_not_chained"
    joined = ("A-1", [["H9", "H7"], ["H7", "G8"]])
    assert paid(game, "N&S", across, joined) == [50 + 30, 60]


def test_freight_that_rusts_joins_the_permanent_chain() -> None:
    game = coast("2F", "6F")
    game.state.depot.trains["E-0"].owner = "N&S"
    game.state.depot.trains["E-0"].name = "6F"
    corporation(game, "N&S").trains.append("E-0")
    apart = (("A-0", [["H9", "H7"]]), ("E-0", links("G8", "H7", "H5")))
    assert forbidden(game, "N&S", *apart) == "freight_not_joined"
    assert paid(game, "N&S", ("A-0", [["H9", "H7"]]), ("E-0", links("H7", "H5"))) == [60 + 30, 50]


def test_permanent_freight_may_run_in_several_chains() -> None:
    game = coast("6F", "7F")
    apart = (("A-0", [["H9", "H7"]]), ("A-1", links("G8", "H7", "H5")))
    assert paid(game, "N&S", *apart) == [60 + 30, 20 + 50 + 20]


def test_a_freight_loop_with_a_tail_is_refused() -> None:
    """Two routes between Lowestoft and Beccles, and one more to Lowestoft."""
    laid = (("H7", "611", 0), ("G8", "14", 0), ("G6", "8850", 0))
    game = board("N&S", *laid, at="E")
    own(game, "N&S", "6F", "6F", "6F")
    tail, short, long = ("A-0", [["H9", "H7"]]), ("A-1", [["H7", "G8"]]), ("A-2", links("H7", "G6", "G8"))
    assert forbidden(game, "N&S", tail, short, long) == "freight_lasso"


def test_a_freight_ring_is_paid_its_first_end() -> None:
    game = board("N&S", ("H7", "611", 0), ("G8", "14", 0), ("G6", "8850", 0), at="E")
    own(game, "N&S", "6F", "6F")
    ring = (("A-0", [["G8", "H7"]]), ("A-1", links("H7", "G6", "G8")))
    assert paid(game, "N&S", *ring) == [30, 0]
    assert paid(game, "N&S", *reversed(ring)) == [40, 0]


def test_a_port_pays_thirty_a_hex() -> None:
    game = coast("2F", "3F")
    assert paid(game, "N&S", ("A-0", [["H9", "H7"], ["H7", "G8"]])) == [60 + 20 + 30]
    assert paid(game, "N&S", ("A-1", [["H9", "H7"], ["H7", "H5"]])) == [60 + 50 + 30]


# --- places ----------------------------------------------------------------------------------------------------------


def test_a_place_is_paid_to_the_first_route_that_counts_it() -> None:
    game = coast("2E", "2L")
    assert paid(game, "N&S", ("A-0", links("G8", "H7")), ("A-1", links("H7", "H5"))) == [50, 50]
    assert paid(game, "N&S", ("A-1", links("H7", "H5")), ("A-0", links("G8", "H7"))) == [80, 20]


def test_an_offboard_area_is_paid_once_wherever_it_is_entered() -> None:
    game = coast("2E", "2E")
    assert paid(game, "N&S", ("A-0", [["H9", "H7"]]), ("A-1", [["I6", "H7"]])) == [90, 0]


def test_what_freight_passes_is_left_to_others() -> None:
    game = coast("2F", "2L")
    freight, local = ("A-0", links("G8", "H7", "H5")), ("A-1", links("G8", "H7"))
    assert paid(game, "N&S", freight, local) == [90, 30]
    assert paid(game, "N&S", local, freight) == [50, 50 + 20]


def test_a_freight_end_may_be_the_station_of_another_train() -> None:
    game = coast("1F", "2E")
    assert paid(game, "N&S", ("A-0", links("G8", "H7")), ("A-1", links("H7", "H5"))) == [50, 50]


# --- m/n trains ------------------------------------------------------------------------------------------------------


def test_the_best_stops_of_an_m_n_train_are_paid() -> None:
    game = coast("2/3L")
    assert paid(game, "N&S", ("A-0", links("G8", "H7", "H5"))) == [30 + 50]


def test_m_n_trains_choose_together() -> None:
    """Alone both would be paid Yarmouth and Lowestoft; together the second takes Beccles."""
    game = coast("2/3L", "2/3L")
    route = links("G8", "H7", "H5")
    assert sum(paid(game, "N&S", ("A-0", route), ("A-1", route))) == 20 + 30 + 50


def test_of_equal_choices_the_first_in_order_of_the_routes_counts() -> None:
    game = coast("2/3L")
    result = check(game, "N&S", ("A-0", links("H5", "H7", "G8")))
    assert result.routes[0].counted == ["H5-0", "H7-0"]
    tile(game, "H7", "57", 1)
    assert check(game, "N&S", ("A-0", [["G8", "H7"]])).routes[0].counted == ["G8-0", "H7-0"]


def test_an_m_n_train_leaves_to_freight_what_freight_is_paid() -> None:
    game = coast("2F", "2/3L")
    route = links("G8", "H7", "H5")
    result = check(game, "N&S", ("A-0", route), ("A-1", route))
    assert result.total == 20 + 50 + 20 + 30


def test_an_m_n_express_is_not_paid_for_london_twice() -> None:
    game = witham("2/3E", "2/3E")
    first, second = ("A-0", links("C14", "D13", "E12")), ("A-1", links("D15", "D13", "D11"))
    assert sum(paid(game, "ECR", first, second)) == 100 + 60 + 30 + 20


# --- subsidies -------------------------------------------------------------------------------------------------------


def test_a_hex_shared_by_local_trains_counts_once() -> None:
    game = coast("2/3L", "2/3L")
    result = check(game, "N&S", ("A-0", links("G8", "H7")), ("A-1", links("H7", "H5")))
    assert [route.revenue for route in result.routes] == [50, 50]
    assert [route.subsidy for route in result.routes] == [20, 10]


@pytest.mark.parametrize("train", ["2E", "2F"])
def test_other_trains_earn_no_subsidy(train: str) -> None:
    assert check(coast(train), "N&S", ("A-0", links("G8", "H7"))).subsidy == 0


def test_the_phase_decides_what_an_area_pays() -> None:
    for phase, value in (("B", 60), ("C", 90), ("D", 90), ("E", 120), ("H", 120)):
        assert paid(coast("2E", at=phase), "N&S", ("A-0", [["H9", "H7"]])) == [value + 30]
