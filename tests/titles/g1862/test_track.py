"""Track, home tokens and the London link (1862 2.5, 4.1, 4.2)."""

from __future__ import annotations

from services.rules.engine.board import tokens
from services.rules.engine.game import Game
from services.rules.engine.state import Token
from services.rules.titles.g1862.state import of

from .operating import found, give_train, operate, phase, tile, wvr
from .table import act, corporation, lay, passes, refused, start, where


def moves(game: Game, kind: str = "lay_tile") -> list[tuple[object, ...]]:
    return [(m["hex"], m["tile"], m["rotation"]) for m in game.moves() if m["type"] == kind]


def test_a_white_home_gets_the_first_tile() -> None:
    game = wvr(cash=500)
    operate(game)
    assert where(game) == "WVR:track"
    assert refused(game, "WVR", "pass") == "home_first"
    assert refused(game, "WVR", "lay_tile", hex="H7", tile="6-0", rotation=1) == "not_connected"
    assert {hex_id for hex_id, *_ in moves(game)} == {"G8"}


def test_two_yellow_tiles_or_one_upgrade() -> None:
    game = wvr(cash=500)
    operate(game)
    lay(game, "WVR", "G8", "57-0", 1)
    assert refused(game, "WVR", "lay_tile", hex="G8", tile="14-0", rotation=0) in ("no_upgrade_left", "wrong_action")
    lay(game, "WVR", "H7", "6-0", 1)
    assert where(game) == "WVR:token"


def test_a_yellow_n_tile_is_the_only_tile_of_its_turn() -> None:
    game = start(4, seed=195901436)
    found(game, "N&S", cash=500)
    tile(game, "H7", "57", 2)
    tile(game, "G6", "8852", 2)
    tokens.place(game.title.map, game.state, "N&S", 0, "H7", 0, 0)
    operate(game)
    lays = moves(game)
    assert any(hex_id == "F5" for hex_id, *_ in lays)
    lay(game, "N&S", "F5", "790-0", 1)
    assert game.round.turn.upgraded
    assert where(game) != "N&S:track"


def test_no_n_tile_as_second_tile() -> None:
    game = start(4, seed=195901436)
    found(game, "N&S", cash=500)
    tile(game, "H7", "57", 2)
    tokens.place(game.title.map, game.state, "N&S", 0, "H7", 0, 0)
    operate(game)
    lay(game, "N&S", "G6", "8852-0", 2)
    assert all(hex_id != "F5" for hex_id, *_ in moves(game))
    assert refused(game, "N&S", "lay_tile", hex="F5", tile="790-0", rotation=1) == "no_upgrade_left"


def test_a_town_is_added_anywhere_without_connection() -> None:
    game = wvr(cash=500)
    phase(game, "B")
    tile(game, "G8", "57", 1)
    tile(game, "D7", "8852", 0)
    tile(game, "D7", "20_1b", 2)
    tokens.place(game.title.map, game.state, "WVR", 0, "G8", 0, 0)
    operate(game)
    added = [(name, rotation) for hex_id, name, rotation in moves(game) if hex_id == "D7"]
    assert {rotation for _, rotation in added} == {2, 5}
    assert refused(game, "WVR", "lay_tile", hex="D7", tile="20_2-0", rotation=0) == "track_not_kept"
    lay(game, "WVR", "D7", "20_2-0", 2)
    assert game.round.turn.upgraded
    assert where(game) != "WVR:track"


def test_town_tiles_use_up_their_physical_counter() -> None:
    game = wvr(cash=500)
    phase(game, "B")
    tile(game, "G8", "57", 1)
    tile(game, "F9", "8852", 1)
    tile(game, "F7", "57", 0)
    tokens.place(game.title.map, game.state, "WVR", 0, "G8", 0, 0)
    tokens.place(game.title.map, game.state, "WVR", 1, "F7", 0, 0)
    operate(game)
    counters = len(game.state.supply["18"])
    act(game, "WVR", "lay_tile", hex="F9", tile="18_1a-0", rotation=1)
    assert len(game.state.supply["18"]) == counters - 1
    assert of(game).base_tiles_out == ["18-0"]


def test_no_town_tile_without_its_counter() -> None:
    game = wvr(cash=500)
    phase(game, "B")
    tile(game, "G8", "57", 1)
    tile(game, "F9", "8852", 1)
    tokens.place(game.title.map, game.state, "WVR", 0, "G8", 0, 0)
    game.state.supply["20"] = []
    operate(game)
    assert refused(game, "WVR", "lay_tile", hex="F9", tile="20_1-0", rotation=1) == "lay_not_permitted"
    assert not any(h == "F9" and "20_" in str(n) for h, n, _ in moves(game))


def test_ipswich_and_harwich_take_tiles_with_labels_of_their_own() -> None:
    rules = start().title.track_rules
    board = rules.board

    def brown(hex_id: str, green: str) -> set[str]:
        turned = (board.tiles[green].rotated(rotation) for rotation in range(6))
        found = {c.name for tile in turned for c in rules.candidates(hex_id, tile)}
        return {name for name in found if board.tiles[name].color == "brown"}

    assert "795" in brown("F11", "791")
    assert "795" not in brown("B9", "791")
    assert "797" in brown("F13", "792") | brown("F13", "793")
    assert "797" not in brown("H5", "792") | brown("H5", "793")


def crowded() -> Game:
    """WVR's home is full: another corporation stands there."""
    game = wvr(cash=500)
    found(game, "N&S", 12, cash=300)
    tile(game, "G8", "57", 1)
    tile(game, "H7", "57", 0)
    tokens.place(game.title.map, game.state, "N&S", 0, "H7", 0, 0)
    tokens.place(game.title.map, game.state, "N&S", 1, "G8", 0, 0)
    return game


def test_a_full_home_is_upgraded_first() -> None:
    game = crowded()
    phase(game, "B")
    operate(game)
    assert where(game) == "WVR:home_upgrade"
    assert refused(game, "WVR", "pass") == "wrong_action"
    assert refused(game, "WVR", "lay_tile", hex="H7", tile="14-0", rotation=0) == "wrong_hex"
    assert refused(game, "WVR", "lay_tile", hex="G8", tile="14-0", rotation=1) == "exit_blocked"
    rotation = next(m["rotation"] for m in game.moves() if "619" in str(m["tile"]))
    lay(game, "WVR", "G8", "619-0", rotation)
    assert [t.hex for t in corporation(game, "WVR").tokens] == ["G8", None, None]
    assert game.state.board["G8"].cities[0].slots == ["N&S", "WVR"]
    assert game.state.board["G8"].icons == []
    passes(game, "WVR")
    assert where(game) == "WVR:train"


def test_a_full_home_that_cannot_grow_pushes_a_token_out() -> None:
    game = crowded()
    operate(game)
    assert corporation(game, "WVR").tokens[0].hex == "G8"
    assert [t.hex for t in corporation(game, "N&S").tokens] == ["H7", None, None]


def test_the_london_link_takes_the_place_of_track() -> None:
    game = start(4, seed=195901436)
    found(game, "ECR", cash=500)
    tile(game, "D13", "57", 1)
    tokens.place(game.title.map, game.state, "ECR", 0, "D13", 0, 0)
    operate(game)
    assert where(game) == "ECR:track"
    passes(game, "ECR")
    assert where(game) == "ECR:token"
    assert refused(game, "ECR", "place_token", city="D13-14-0") != ""
    act(game, "ECR", "place_token", city="B15-0-3", slot=1)
    assert game.state.board["B15"].cities[0].slots == ["ECR", None]
    assert corporation(game, "ECR").tokens[1].hex == "B15"


def test_no_london_link_after_a_tile() -> None:
    game = start(4, seed=195901436)
    found(game, "ECR", cash=500)
    operate(game)
    lay(game, "ECR", "D13", "57-0", 1)
    passes(game, "ECR")
    assert where(game) != "ECR:token"


def test_a_company_in_receivership_builds_nothing() -> None:
    game = wvr(cash=500)
    line = corporation(game, "WVR")
    line.president = "pool"
    line.tokens = [Token(price=0), Token(price=0)]
    give_train(game, "WVR", "2E*")
    game.start_round("operating", 1)
    assert line.tokens[0].hex is None
    assert game.round.finished
