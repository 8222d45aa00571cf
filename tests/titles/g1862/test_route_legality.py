"""Which routes run, alone and together (1862 4.3)."""

from __future__ import annotations

from services.rules.engine.game import Game

from .running import board, forbidden, links, own, paid, stand
from .table import corporation

WITHAM: tuple[tuple[str, str, int], ...] = (
    ("D13", "14", 0),
    ("D11", "57", 0),
    ("E12", "791", 1),
    ("F13", "202", 0),
    ("F11", "790", 1),
    ("G12", "57", 2),
)
"""Witham with London on two sides, Sudbury and Colchester; on to Harwich with Holland, Ipswich, Felixstowe, Denmark."""
LONDON, LONDON_TOO, HOLLAND, DENMARK = "C14", "D15", "F15", "H13"


def witham(*trains: str, link: bool = True, at: str = "B") -> Game:
    game = board("ECR", *WITHAM, at=at)
    if link:
        stand(game, "ECR", "B15")
    own(game, "ECR", *trains)
    return game


# --- one route -------------------------------------------------------------------------------------------------------


def test_a_stop_is_visited_once() -> None:
    game = witham("3E")
    assert forbidden(game, "ECR", ("A-0", [["D13", "E12"], ["E12", "D13"]])) == "stop_twice"


def test_a_route_needs_two_stops() -> None:
    assert forbidden(witham("3L"), "ECR", ("A-0", [["local", "D13"]])) == "route_too_short"


def test_a_route_does_not_end_in_a_town() -> None:
    game = board("N&E", ("B13", "57", 0), ("B11", "8851", 2))
    own(game, "N&E", "3L", "3E", "3F")
    for train in ("A-0", "A-1", "A-2"):
        assert forbidden(game, "N&E", (train, [["B13", "B11"]])) == "forbidden_end"


def test_trains_share_track_but_no_train_uses_it_twice() -> None:
    game = witham("2E", "2E")
    assert paid(game, "ECR", ("A-0", links("D13", "E12")), ("A-1", links("D13", "E12"))) == [90, 0]


def test_no_route_runs_through_an_offboard_area() -> None:
    game = board("ECR", ("D13", "14", 0), ("E14", "8851", 3), ("E12", "791", 0))
    stand(game, "ECR", "B15")
    own(game, "ECR", "4E")
    assert forbidden(game, "ECR", ("A-0", links("D13", LONDON_TOO, "E14", "E12"))) == "passes_offboard"


def test_a_full_city_of_others_ends_a_route() -> None:
    game = witham("3E")
    for slot, sym in enumerate(("FDR", "ESR", "N&E")):
        stand(game, sym, "E12", slot)
    assert forbidden(game, "ECR", ("A-0", links("D13", "E12", "F11"))) == "passes_blocked_city"
    assert paid(game, "ECR", ("A-0", links("D13", "E12"))) == [90]


def test_a_full_city_with_a_token_of_ones_own_is_passed() -> None:
    game = witham("3E")
    for slot, sym in enumerate(("FDR", "ECR", "N&E")):
        stand(game, sym, "E12", slot)
    assert paid(game, "ECR", ("A-0", links("D13", "E12", "F11"))) == [130]


def test_a_route_visits_a_token() -> None:
    game = witham("3E", "3E")
    routes = (("A-0", links("D13", "E12")), ("A-1", links("E12", "F11")))
    assert forbidden(game, "ECR", *routes) == "no_token"
    stand(game, "ECR", "F11")
    assert paid(game, "ECR", *routes) == [90, 40]


def test_london_counts_once_a_route() -> None:
    game = witham("3E")
    assert forbidden(game, "ECR", ("A-0", links(LONDON, "D13", LONDON_TOO))) == "place_twice"


def test_a_route_has_no_two_ends_at_sea() -> None:
    game = witham("6E")
    stand(game, "ECR", "F11")
    route = links(HOLLAND, "F13", "E12", "F11", "G12", DENMARK)
    assert forbidden(game, "ECR", ("A-0", route)) == "ends_alike"


def test_a_route_has_no_two_ends_on_land() -> None:
    game = board("N&E", ("B13", "57", 0), ("B11", "8851", 2))
    stand(game, "N&E", "B15")
    own(game, "N&E", "4E")
    assert forbidden(game, "N&E", ("A-0", [["A10", "B11"], ["B11", "B13"], ["B13", "B15"]])) == "ends_alike"


def test_land_and_sea_are_joined() -> None:
    assert paid(witham("4E"), "ECR", ("A-0", links(LONDON, "D13", "E12", "F13"))) == [100 + 30 + 60 + 30]
    assert paid(witham("5E"), "ECR", ("A-0", links(LONDON, "D13", "E12", "F13", HOLLAND))) == [290]


def test_london_needs_a_link() -> None:
    game = witham("2E", link=False)
    assert forbidden(game, "ECR", ("A-0", links(LONDON, "D13"))) == "forbidden_end"
    stand(game, "ECR", "D15")
    assert paid(game, "ECR", ("A-0", links(LONDON, "D13"))) == [130]


def test_the_link_is_no_station_on_a_route() -> None:
    """A token in a link space is off the track: the route still needs one on it, and one at home."""
    game = witham("2E")
    corporation(game, "ECR").home = ["D11"]
    assert forbidden(game, "ECR", ("A-0", links(LONDON, "D13"))) == "home_not_visited"


def test_local_trains_keep_to_the_land_and_count_cities() -> None:
    game = witham("2/3L")
    assert forbidden(game, "ECR", ("A-0", links("D13", "E12", "F13", HOLLAND))) == "route_too_long"
    assert forbidden(game, "ECR", ("A-0", links("D11", "D13", "E12", "F13"))) == "route_too_long"
    assert paid(game, "ECR", ("A-0", links("D11", "D13", "E12"))) == [90]


def test_towns_are_free_for_local_and_express_trains_and_paid_to_local_ones() -> None:
    laid = (("C8", "621", 1), ("D7", "8852", 1), ("E6", "8852", 1), ("F5", "790", 0))
    game = board("E&H", *laid, seed=3)
    own(game, "E&H", "2L", "2E")
    route = links("C8", "D7", "E6", "F5")
    assert paid(game, "E&H", ("A-0", route)) == [30 + 20 + 20 + 40]
    assert paid(game, "E&H", ("A-1", route)) == [70]


def test_express_trains_count_offboard_areas() -> None:
    game = witham("2/3E")
    route = links(LONDON, "D13", "E12", "F13")
    assert forbidden(game, "ECR", ("A-0", route)) == "route_too_long"
    assert paid(game, "ECR", ("A-0", route[:2])) == [160]


def test_freight_trains_count_hexes_offboard_included() -> None:
    game = witham("2F", "3F")
    route = links(LONDON, "D13", "E12", "F13")
    assert forbidden(game, "ECR", ("A-0", route)) == "route_too_long"
    assert paid(game, "ECR", ("A-1", route)) == [100 + 30 + 20 * 2]


# --- routes together -------------------------------------------------------------------------------------------------


def test_the_list_may_be_empty() -> None:
    assert paid(witham("2E"), "ECR") == []


def test_a_train_has_one_route_and_runs_once_in_a_round() -> None:
    game = witham("2E", "2E")
    twice = ("A-0", links("D13", "E12"))
    assert forbidden(game, "ECR", twice, twice) == "train_twice"
    game.state.depot.trains["A-0"].ran = True
    assert forbidden(game, "ECR", twice) == "train_already_ran"
    assert forbidden(game, "ECR", ("A-3", links("D13", "E12"))) == "not_own_train"


def test_one_route_visits_home() -> None:
    game = witham("2E")
    stand(game, "ECR", "E12")
    assert forbidden(game, "ECR", ("A-0", links("E12", "F11"))) == "home_not_visited"


def test_a_corporation_pushed_out_of_its_home_does_not_run() -> None:
    game = witham("2E")
    stand(game, "ECR", "E12")
    game.state.board["D13"].cities[0].slots[0] = None
    assert forbidden(game, "ECR", ("A-0", links("D13", "E12"))) == "home_not_visited"


def test_routes_hang_together_by_any_common_stop() -> None:
    game = witham("2E", "2E", "2/3L")
    stand(game, "ECR", "F11")
    apart = (("A-0", links("D13", "D11")), ("A-1", links("F11", "G12")))
    assert forbidden(game, "ECR", *apart) == "routes_not_connected"
    joined = ("A-2", links("D13", "E12", "F11"))
    assert paid(game, "ECR", *apart, joined) == [50, 60, 60]


def test_routes_meet_in_a_town() -> None:
    """The express passes the town, the local is paid for it."""
    laid = (("B13", "15", 0), ("B11", "18_1a", 0), ("C12", "8851", 1), ("B9", "790", 0))
    game = board("N&E", *laid)
    stand(game, "N&E", "B9")
    own(game, "N&E", "2E", "2L")
    through = [["B13", "B11"], ["B11", "B9"]]
    assert paid(game, "N&E", ("A-0", through), ("A-1", through)) == [70, 20]


def test_two_areas_of_london_are_no_meeting_point() -> None:
    game = board("ECR", ("D13", "57", 1), ("B13", "14", 1))
    for hex_id in ("B15", "B13"):
        stand(game, "ECR", hex_id)
    own(game, "ECR", "2E", "2E")
    here, there, other = ("A-0", links("D13", LONDON)), ("A-1", links("B13", "A14")), ("A-1", links("B13", LONDON))
    assert forbidden(game, "ECR", here, there) == "routes_not_connected"
    assert paid(game, "ECR", here, other) == [120, 30]
