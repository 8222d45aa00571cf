"""Tokens and reservations (core 5.4, 8.2)."""

from __future__ import annotations

import msgspec
import pytest

from services.rules.engine.board.lays import lay
from services.rules.engine.board.setup import initial_board, initial_supply
from services.rules.engine.board.tokens import (
    drop_reservations,
    lift,
    move,
    place,
    placed_tokens,
    reserve,
    slot_for,
    token_in,
)
from services.rules.engine.board.track_rules import TrackRules
from services.rules.engine.state import Company, GameState

from .replay import TITLES, Mirror, games, need_shared, new_state, title_data, title_map, trace

PLACED_AT_START = {"1867": {"CN"}, "1893": {"N", "HGK", "BKB", "KFBE", "KBE", "EKB", "KSZ"}}
WITHOUT_HOME_RESERVATION = {"1862"}


@pytest.mark.parametrize("title", TITLES)
def test_the_initial_board_has_the_traced_borders_icons_and_reservations(title: str) -> None:
    need_shared("traces")
    data = title_data(title)
    mirror = Mirror(title)
    mirror.update(next(trace(title, games(title)[0]))["set"])
    homes = set() if title in WITHOUT_HOME_RESERVATION else {*data.minors, *data.corporations}
    state = new_state(title, homes - PLACED_AT_START.get(title, set()))
    for hex_id in mirror.board.printed:
        got, want = mirror.actual(state, hex_id), mirror.expected(hex_id)
        for key in ("borders", "reserved") if title == "1862" else ("borders", "icons", "reserved"):
            assert got[key] == want[key], (hex_id, key)


@pytest.mark.parametrize("title", TITLES)
def test_the_initial_supply_has_the_traced_copies(title: str) -> None:
    need_shared("traces")
    first = next(trace(title, games(title)[-1]))["set"]
    tiles = title_data(title).tiles
    supply = initial_supply(tiles)
    for name, tile in tiles.items():
        if tile.count is None:
            assert supply[name] == [0]
        else:
            assert len(supply[name]) == first.get(f"supply/{name}", 0), name


def game() -> tuple[TrackRules, GameState]:
    return TrackRules(title_map("1830")), new_state("1830")


def test_a_home_with_one_city_is_reserved_in_that_city() -> None:
    _, state = game()
    assert state.board["H12"].cities[0].reserved == ["PRR"]


def test_a_home_with_several_cities_and_none_named_is_reserved_on_the_tile() -> None:
    _, state = game()
    assert state.board["E11"].reserved == ["ERIE"]
    assert [city.reserved for city in state.board["E11"].cities] == [[], []]


def test_only_named_corporations_reserve_when_a_title_says_so() -> None:
    board = initial_board(title_map("1830"), title_data("1830"), homes={"PRR"})
    assert board["H12"].cities[0].reserved == ["PRR"]
    assert not board["E11"].reserved


def test_a_reserved_slot_is_kept_for_its_owner() -> None:
    rules, state = game()
    assert slot_for(rules.board, state, "H12", 0, "NYC") is None
    assert slot_for(rules.board, state, "H12", 0, "PRR") == 0


def test_a_free_slot_beside_a_reserved_one_can_be_taken() -> None:
    rules, state = game()
    lay(rules, state, "E19", "57", 1)
    lay(rules, state, "E19", "14", 1)
    assert slot_for(rules.board, state, "E19", 0, "PRR") == 1
    assert slot_for(rules.board, state, "E19", 0, "NYC") == 0


def test_a_full_city_takes_no_token() -> None:
    rules, state = game()
    place(rules.board, state, "PRR", 1, "H10", 0, 0)
    assert slot_for(rules.board, state, "H10", 0, "NYC") is None


def test_a_corporation_has_one_token_on_a_tile() -> None:
    rules, state = game()
    place(rules.board, state, "PRR", 1, "G19", 1, 0)
    state.board["G19"].cities[0].reserved = []
    assert slot_for(rules.board, state, "G19", 0, "PRR") is None
    assert slot_for(rules.board, state, "G19", 0, "PRR", same_hex_allowed=True) == 0
    assert slot_for(rules.board, state, "G19", 0, "NYC") == 0


def test_a_hex_that_never_changed_takes_a_token_in_its_first_slot() -> None:
    rules, state = game()
    del state.board["H10"]
    assert slot_for(rules.board, state, "H10", 0, "PRR") == 0
    assert slot_for(rules.board, state, "H10", 1, "PRR") is None


def test_tile_reservations_leave_others_what_is_not_needed() -> None:
    rules, state = game()
    lay(rules, state, "E11", "59", 1)
    assert slot_for(rules.board, state, "E11", 0, "PRR") == 0
    place(rules.board, state, "PRR", 1, "E11", 0, 0)
    assert slot_for(rules.board, state, "E11", 1, "NYC") is None
    assert slot_for(rules.board, state, "E11", 1, "ERIE") == 0


def test_tile_reservations_that_always_block_do_so_on_laid_tiles_only() -> None:
    rules, state = game()
    assert slot_for(rules.board, state, "E11", 0, "PRR", mode="always") == 0
    lay(rules, state, "E11", "59", 1)
    assert slot_for(rules.board, state, "E11", 0, "PRR", mode="always") is None
    assert slot_for(rules.board, state, "E11", 0, "ERIE", mode="always") == 0


def test_placing_uses_up_the_reservation_and_keeps_the_positions_of_others() -> None:
    rules, state = game()
    lay(rules, state, "E19", "57", 1)
    lay(rules, state, "E19", "14", 1)
    reserve(state.board, "PRR", "E19")
    place(rules.board, state, "NYC", 0, "E19", 0, 0)
    assert state.board["E19"].cities[0].reserved == [None, "PRR"]
    assert slot_for(rules.board, state, "E19", 0, "PRR") == 1
    assert slot_for(rules.board, state, "E19", 0, "B&O") is None


def test_placing_uses_up_the_reservation_of_the_tile() -> None:
    rules, state = game()
    place(rules.board, state, "ERIE", 0, "E11", 0, 0)
    assert state.board["E11"].reserved == []


def test_a_reservation_of_a_company_serves_its_owner() -> None:
    rules, state = game()
    state.companies["DH"] = Company(sym="DH", value=70, revenue=15, owner="corporation:PRR")
    reserve(state.board, "DH", "H10")
    assert slot_for(rules.board, state, "H10", 0, "NYC") is None
    assert slot_for(rules.board, state, "H10", 0, "PRR") == 0
    place(rules.board, state, "PRR", 1, "H10", 0, 0)
    assert state.board["H10"].cities[0].reserved == [None]


def test_lifting_undoes_placing() -> None:
    rules, state = game()
    before = msgspec.msgpack.encode(state)
    place(rules.board, state, "PRR", 1, "H10", 0, 0)
    assert [index for index, _ in placed_tokens(state, "PRR")] == [1]
    assert token_in(state, "H10", 0, 0) == ("PRR", 1)
    assert lift(rules.board, state, "PRR", 1) == "H10"
    assert msgspec.msgpack.encode(state) == before
    assert token_in(state, "H10", 0, 0) is None


def test_a_token_can_be_moved() -> None:
    rules, state = game()
    place(rules.board, state, "PRR", 1, "H10", 0, 0)
    move(rules.board, state, "PRR", 1, "E19", 0, 0)
    assert state.board["H10"].cities[0].slots == [None]
    assert state.board["E19"].cities[0].slots == ["PRR"]


def test_an_added_slot_goes_with_its_token() -> None:
    rules, state = game()
    place(rules.board, state, "PRR", 1, "H10", 0, 0)
    place(rules.board, state, "NYC", 1, "H10", 0, 1)
    assert state.board["H10"].cities[0].slots == ["PRR", "NYC"]
    lift(rules.board, state, "NYC", 1)
    assert state.board["H10"].cities[0].slots == ["PRR"]


def test_a_token_outside_the_slots_takes_none() -> None:
    rules, state = game()
    place(rules.board, state, "PRR", 1, "H10", 0, None)
    city = state.board["H10"].cities[0]
    assert (city.slots, city.extra) == ([None], ["PRR"])
    lift(rules.board, state, "PRR", 1)
    assert city.extra == []


def test_a_neutral_token_is_marked_in_its_slot() -> None:
    rules, state = game()
    state.corporations["PRR"].tokens[1].kind = "neutral"
    place(rules.board, state, "PRR", 1, "H10", 0, 0)
    assert state.board["H10"].cities[0].slots == ["~PRR"]
    assert token_in(state, "H10", 0, 0) == ("PRR", 1)
    lift(rules.board, state, "PRR", 1)
    assert state.board["H10"].cities[0].slots == [None]


def test_a_taken_slot_or_a_used_token_is_refused() -> None:
    rules, state = game()
    place(rules.board, state, "PRR", 1, "H10", 0, 0)
    with pytest.raises(ValueError, match="taken"):
        place(rules.board, state, "NYC", 1, "H10", 0, 0)
    with pytest.raises(ValueError, match="already"):
        place(rules.board, state, "PRR", 1, "E19", 0, 0)
    with pytest.raises(ValueError, match="not on the board"):
        lift(rules.board, state, "NYC", 1)


def test_a_closed_corporation_loses_its_reservations() -> None:
    _, state = game()
    assert drop_reservations(state, "ERIE") == ["E11"]
    assert drop_reservations(state, "PRR") == ["H12"]
    assert state.board["E11"].reserved == []
    assert state.board["H12"].cities[0].reserved == [None]
