"""Track, tokens and running: what is easily got wrong (1862 section 10, "Track and tokens", "Routes")."""

from __future__ import annotations

from services.rules.engine.board import lays, tokens
from services.rules.engine.game import Game
from services.rules.titles.g1862 import mergers
from services.rules.titles.g1862.state import of
from services.rules.titles.g1862.takeover import placed
from services.rules.titles.g1862.track import move_counters

from .merging import merge, two_corporations
from .operating import found, give_train, line_of, operate, phase, tile, wvr
from .running import board, links, own, paid, stand
from .table import act, corporation, lay, passes, price, refused, run, start, where


def until(game: Game, there: str) -> None:
    """Pass until somebody is asked for something, ``WVR:train``."""
    while where(game) != there:
        passes(game, where(game).partition(":")[0])


def lay_on(game: Game, hex_id: str, name: str, rotation: int) -> None:
    """Lay a tile with its counters, whatever the rules of connection say."""
    move_counters(of(game), lays.lay(game.title.track_rules, game.state, hex_id, name, rotation))


# --- track -----------------------------------------------------------------------------------------------------------


def test_a_yellow_y_tile_is_no_upgrade() -> None:
    game = start(4, seed=3)
    found(game, "Y&N", cash=500)
    operate(game)
    lay(game, "Y&N", "H5", "202-0", 0)
    assert not game.round.turn.upgraded
    lay(game, "Y&N", "H7", "57-0", 0)
    assert where(game) != "Y&N:track"


def test_nothing_but_a_yellow_tile_follows_a_yellow_tile() -> None:
    game = wvr(cash=500)
    phase(game, "B")
    line_of(game)
    tile(game, "D7", "20_1b", 2)
    operate(game)
    tokens.place(game.title.map, game.state, "WVR", 1, "H5", 0, 0)
    game.board_changed()
    lay(game, "WVR", "G4", "8851-0", 1)
    assert refused(game, "WVR", "lay_tile", hex="H7", tile="15-0", rotation=1) == "no_upgrade_left"
    assert refused(game, "WVR", "lay_tile", hex="D7", tile="20_2-0", rotation=2) == "no_upgrade_left"
    assert {m["hex"] for m in game.moves() if m["type"] == "lay_tile"} & {"G8", "H7", "H5", "D7"} == set()


def test_nothing_follows_an_upgrade() -> None:
    game = wvr(cash=500)
    phase(game, "B")
    line_of(game)
    operate(game)
    lay(game, "WVR", "H7", "15-0", 0)
    assert game.round.turn.upgraded
    assert where(game) != "WVR:track"


def test_london_and_colors_of_later_phases_are_refused() -> None:
    game = wvr(cash=500)
    line_of(game)
    operate(game)
    assert refused(game, "WVR", "lay_tile", hex="H7", tile="15-0", rotation=1) == "tile_color_not_available"
    assert refused(game, "WVR", "lay_tile", hex="B15", tile="57-1", rotation=0) == "not_connected"
    assert refused(game, "WVR", "lay_tile", hex="H7", tile="53y-0", rotation=1) != ""


def test_only_a_change_of_color_without_city_moves_the_base_counter() -> None:
    """Green takes a counter, a town more none, brown one of its own and gives the green one back."""
    game = wvr(cash=500)
    supply = game.state.supply
    for name in ("8852", "20_1", "20_2"):
        lay_on(game, "D7", name, 0)
    assert (len(supply["20"]), of(game).base_tiles_out) == (5, ["20-0"])
    lay_on(game, "D7", "798_2", 0)
    assert of(game).base_tiles_out == ["798-0"]
    assert supply["20"][-1] == 0
    assert len(supply["20"]) == 6
    lay_on(game, "H5", "202", 0)
    lay_on(game, "H5", "53y", 0)
    assert of(game).base_tiles_out == ["798-0"]


# --- tokens ----------------------------------------------------------------------------------------------------------


def test_a_token_pushed_out_is_placed_again() -> None:
    game = wvr(cash=500)
    found(game, "N&S", 12, cash=300, president="J2")
    line_of(game)
    tokens.lift(game.title.map, game.state, "WVR", 0)
    tokens.place(game.title.map, game.state, "N&S", 0, "H7", 0, 0)
    tokens.place(game.title.map, game.state, "N&S", 1, "G8", 0, 0)
    operate(game)
    assert [token.hex for token in corporation(game, "N&S").tokens] == ["H7", None, None]
    until(game, "WVR:train")
    act(game, "WVR", "buy_train", train="A-0", price=100, variant="2E*", warranties=0)
    until(game, "N&S:token")
    act(game, "N&S", "place_token", city="202-0-0", slot=0)
    assert [token.hex for token in corporation(game, "N&S").tokens] == ["H7", "H5", None]


def test_the_slot_of_a_placement_is_ignored() -> None:
    game = wvr(cash=500)
    line_of(game)
    tile(game, "H7", "14", 0)
    operate(game)
    passes(game, "WVR")
    act(game, "WVR", "place_token", city="14-0-0", slot=1)
    assert game.state.board["H7"].cities[0].slots == ["WVR", None]


def test_one_token_a_turn_in_a_reached_city_with_room() -> None:
    game = wvr(cash=500)
    line_of(game)
    operate(game)
    passes(game, "WVR")
    assert refused(game, "WVR", "place_token", city="57-0-0", slot=0) == "no_slot"
    assert refused(game, "WVR", "place_token", city="D13-14-0", slot=0) == "not_connected"
    act(game, "WVR", "place_token", city="6-0-0", slot=0)
    assert where(game) != "WVR:token"


def test_full_london_spaces_leave_a_token_step_to_pass() -> None:
    game = board("ECR", ("D13", "57", 1), at="A")
    found(game, "ECR", cash=500)
    for hex_id, slot, sym in (("B15", 0, "N&E"), ("B15", 1, "FDR"), ("D15", 0, "ESR"), ("D15", 1, "N&S")):
        stand(game, sym, hex_id, slot)
    operate(game)
    passes(game, "ECR")
    assert where(game) == "ECR:token"
    assert [m["type"] for m in game.moves()] == ["pass"]
    assert refused(game, "ECR", "place_token", city="B15-0-3", slot=0) != ""


def test_one_london_link_is_enough() -> None:
    game = board("ECR", ("D13", "57", 1), at="A")
    found(game, "ECR", cash=500)
    stand(game, "ECR", "B15")
    operate(game)
    passes(game, "ECR")
    assert where(game) != "ECR:token"


def test_any_space_links_whichever_part_of_london_is_reached() -> None:
    game = board("N&E", ("B13", "57", 2), at="A")
    found(game, "N&E", cash=500)
    operate(game)
    passes(game, "N&E")
    assert {m["city"] for m in game.moves() if m["type"] == "place_token"} == {"B15-0-3", "D15-0-4"}
    act(game, "N&E", "place_token", city="D15-0-4", slot=1)
    assert game.state.board["D15"].cities[0].slots == ["N&E", None]


def test_no_london_link_in_the_turn_of_a_home_upgrade() -> None:
    game = board("ECR", ("D13", "57", 1))
    found(game, "ECR", cash=500)
    tokens.lift(game.title.map, game.state, "ECR", 0)
    found(game, "N&E", 20, president="J2")
    stand(game, "N&E", "D13")
    operate(game)
    assert where(game) == "ECR:home_upgrade"
    lay(game, "ECR", "D13", "14-0", 0)
    line = corporation(game, "ECR")
    assert line.tokens[0].hex == "D13"
    assert where(game) not in ("ECR:track", "ECR:token")


def test_tokens_destroyed_in_a_merger_are_gone() -> None:
    """One of the other's two stood with the survivor, so three stand and the spare ones are added."""
    game = two_corporations()
    stand(game, "N&E", "E12", 1)
    merge(game, "EUR", "N&E", survives=True)
    while of(game).merger is not None:
        mergers.answer(game, "sell")
    line = corporation(game, "EUR")
    assert [token.hex for token in placed(line)] == ["E12", "B15", "B13"]
    assert len(line.tokens) == 3 + 1 + 1


# --- running ---------------------------------------------------------------------------------------------------------


def test_trains_may_be_left_idle() -> None:
    """A second freight train would turn the first one's end into a station on the way."""
    game = board("N&S", ("G8", "57", 1), ("H7", "14", 0), ("H5", "53y", 0))
    own(game, "N&S", "1F", "1F")
    alone, both = ("A-0", links("G8", "H7")), ("A-1", [["H9", "H7"]])
    assert sum(paid(game, "N&S", alone)) == 50
    assert sum(paid(game, "N&S", both)) == 90
    assert sum(paid(game, "N&S", alone, both)) == 20 + 60 + 30


def test_a_full_city_ends_the_network_but_its_tokens_are_candidates() -> None:
    game = wvr(cash=500)
    line_of(game)
    for sym, column, president in (("N&S", 12, "J2"), ("Y&N", 13, "J3")):
        found(game, sym, column, president=president)
    tokens.place(game.title.map, game.state, "N&S", 0, "H7", 0, 0)
    tokens.place(game.title.map, game.state, "Y&N", 0, "H5", 0, 0)
    game.board_changed()
    assert mergers.candidates(game, corporation(game, "WVR")) == ["N&S"]
    corporation(game, "N&S").president = "pool"
    assert mergers.candidates(game, corporation(game, "WVR")) == []


def test_link_spaces_make_nobody_a_candidate() -> None:
    game = board("ECR", ("D13", "57", 1))
    for sym in ("ECR", "N&E"):
        found(game, sym)
        stand(game, sym, "B15", 0 if sym == "ECR" else 1)
    assert mergers.candidates(game, corporation(game, "ECR")) == []


def test_a_corporation_with_trains_of_other_classes_does_not_run_and_falls() -> None:
    """It has a train and need not buy one."""
    game = wvr(cash=500)
    line_of(game)
    give_train(game, "WVR", "2L*")
    operate(game)
    until(game, "WVR:train")
    assert price(game, "WVR") == 90
    passes(game, "WVR")
    assert not where(game).startswith("WVR")


def test_a_train_that_has_run_does_not_run_again_for_its_buyer() -> None:
    game = wvr(cash=500, column=20)
    line_of(game)
    found(game, "N&S", 26, president="J2", cash=10)
    corporation(game, "N&S").permits = ["express"]
    tokens.place(game.title.map, game.state, "N&S", 0, "H7", 0, 0)
    train, kept = give_train(game, "N&S", "2E*"), give_train(game, "N&S", "2E*")
    operate(game)
    until(game, "N&S:route")
    run(game, "N&S", (train, [["G8", "H7"]]))
    act(game, "N&S", "dividend", kind="withhold")
    until(game, "WVR:train")
    act(game, "WVR", "buy_train", train=train, price=100)
    assert game.state.depot.trains[train].ran
    assert kept in corporation(game, "N&S").trains


def test_a_merger_lets_the_trains_of_the_survivor_run_again() -> None:
    game = two_corporations()
    for train in ("A-0", "A-1"):
        game.state.depot.trains[train].ran = True
    merge(game, "EUR", "N&E", survives=True)
    while of(game).merger is not None:
        mergers.answer(game, "sell")
    assert corporation(game, "EUR").trains == ["A-0", "A-1"]
    assert not any(game.state.depot.trains[train].ran for train in ("A-0", "A-1"))


def test_the_route_step_asks_though_no_route_is_legal() -> None:
    """Track leads from a token to a town: no route ends there, but the step waits for an empty list."""
    game = board("N&E", ("B13", "57", 0), ("B11", "8851", 2), at="A")
    found(game, "N&E", cash=500)
    own(game, "N&E", "2E*")
    operate(game)
    until(game, "N&E:route")
    run(game, "N&E")
    assert price(game, "N&E") == 90
