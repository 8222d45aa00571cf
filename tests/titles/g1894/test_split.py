"""Green cities that split, and the tokens lifted there (1894 4.3, 4.4)."""

from __future__ import annotations

from services.rules.engine.board import lays, tokens
from services.rules.engine.board.network import blocks
from services.rules.engine.state import PendingToken
from services.rules.titles.g1894 import split

from .table import Table1894, operating


def brown(imported: bool = False) -> Table1894:
    """Brown phase: Belge operates; E16 is green (15) with its token, D17 green (14) with Nord's and Est's."""
    table = operating().phase("Brown")
    if imported:
        table.state.mode = "imported"
    table.tile("E16", "57", 0).tile("E16", "15", 0).tile("D17", "57", 0).tile("D17", "14", 5)
    table.token("Belge", "E16").token("Nord", "D9").token("Nord", "G14")
    table.token("Nord", "D17").token("Est", "D17")
    for sym in ("Belge", "Nord", "Est"):
        table.give_train(sym, "4")
    table.operate("Belge")
    assert table.active() == "Belge:track"
    return table


def rotations(table: Table1894, hex_id: str, tile: str) -> list[int]:
    rules = table.game.title.track_rules
    return lays.legal_rotations(rules, table.state, hex_id, tile, lays.ALL_EDGES)


def test_only_the_three_tiles_of_the_city_with_the_same_exits() -> None:
    table = brown()
    copies = [copy for move in table.offered("lay_tile") if move["hex"] == "D17" for copy in move["tile"]["choices"]]
    assert {copy.split("-")[0] for copy in copies} == {"X16", "X17", "X18"}
    assert rotations(table, "D17", "X17") == [2, 5]
    assert rotations(table, "E16", "X20") == [0]
    assert table.refused("Belge", "lay_tile", hex="D17", tile="X17-0", rotation=1) == "track_not_kept"
    assert table.refused("Belge", "lay_tile", hex="D17", tile="X19-0", rotation=5) == "tile_does_not_fit"
    table.tile("C14", "57", 0).tile("C14", "619", 0)
    assert rotations(table, "C14", "X22") == [0]


def test_not_before_brown_and_not_in_purple() -> None:
    table = brown().phase("Blue")
    assert table.refused("Belge", "lay_tile", hex="E16", tile="X19-0", rotation=0) == "tile_color_not_available"
    table.phase("Purple")
    assert table.refused("Belge", "lay_tile", hex="E16", tile="X19-0", rotation=0) == "lay_not_permitted"


def test_operator_places_its_token_again_at_once() -> None:
    table = brown().lay("Belge", "E16", "X19-0", 0)
    assert table.active() == "Belge:home_token"
    assert table.cities("E16") == [[None], [None]]
    assert table.game.corporation("Belge").tokens[0].price == 0
    assert table.refused("Belge", "pass") == "wrong_action"
    assert table.refused("Belge", "lay_tile", hex="F15", tile="X2-0", rotation=1) == "wrong_action"
    assert table.refused("Belge", "place_token", city="14-0-0") == "wrong_hex"
    table.do("Belge", "place_token", city="X19-0-1")
    assert table.cities("E16") == [[None], ["Belge"]]
    assert table.active() == "Belge:track"
    assert table.state.round is not None
    assert not table.state.round.turn.token_placed


def test_others_place_theirs_after_the_turn_in_operating_order() -> None:
    table = brown().price_at("Nord", (4, 3)).price_at("Est", (4, 4)).lay("Belge", "D17", "X16-0", 5)
    assert table.active() == "Belge:track"
    assert table.cities("D17") == [[None], [None]]
    assert table.refused("Nord", "place_token", city="X16-0-0") == "not_your_turn"
    table.pass_until("replace_tokens")
    assert table.active() == "Est:replace_tokens"
    assert table.game.acting_players() == ["B"]
    assert table.refused("Est", "pass") == "wrong_action"
    assert table.refused("Est", "place_token", city="15-0-0") == "wrong_hex"
    table.do("Est", "place_token", city="X16-0-0")
    assert table.active() == "Nord:replace_tokens"
    table.do("Nord", "place_token", city="X16-0-0")
    assert table.cities("D17") == [["Est", "Nord"], [None]]
    assert table.state.replace_tokens == []
    assert table.active() == "Est:track"


def test_a_city_with_two_tokens_is_full_for_strangers() -> None:
    table = brown().lay("Belge", "D17", "X16-0", 5).pass_until("replace_tokens")
    for _ in range(2):
        table.do(table.active().split(":")[0], "place_token", city="X16-0-1")
    table.operate("Belge")
    game = table.game
    assert ("D17", 1) in game.network(game.corporation("Belge")).connected_cities
    blocked = [sym for sym in ("Belge", "Nord", "Est") if blocks(game.title.map, game.state, "D17", 1, sym)]
    assert blocked == ["Belge"]
    assert tokens.slot_for(game.title.map, game.state, "D17", 1, "Belge") is None


def test_an_added_token_behind_a_reserved_slot_blocks_nobody() -> None:
    table = brown().tile("D15", "57", 2).tile("D15", "14", 1).lay("Belge", "D15", "X16-0", 1)
    table.state.board["D15"].reserved.clear()
    split.reserve(table.state.board["D15"].cities[0], "AG")
    table.state.replace_tokens.append(PendingToken("Est", 2, ["D15"], "corporation:Est"))
    table.touch().pass_until("replace_tokens").do("Est", "place_token", city="X16-0-0")
    assert table.cities("D15") == [[None, "Est"], [None]]
    assert table.reserved("D15")[0] == ["AG"]
    assert not blocks(table.game.title.map, table.state, "D15", 0, "Belge")


def test_tokens_of_the_turn_wait_while_two_are_pending() -> None:
    table = brown().lay("Belge", "D17", "X16-0", 5).pass_until("token")
    assert table.refused("Belge", "place_token", city="X16-0-1") == "tokens_waiting"
    assert not [m for m in table.offered("place_token") if m["city"].startswith("X16")]


def test_operator_may_take_one_city_when_one_token_waits() -> None:
    table = brown()
    est = table.game.corporation("Est")
    est.tokens[1].hex = None
    table.state.board["D17"].cities[0].slots[1] = None
    table.touch().lay("Belge", "D17", "X16-0", 5).pass_until("token")
    offered = [m["city"] for m in table.offered("place_token") if m["city"].startswith("X16")]
    assert offered
    table.do("Belge", "place_token", city=offered[0])
    table.pass_until("replace_tokens").do("Nord", "place_token", city=offered[0])
    assert ["Belge", "Nord"] in table.cities("D17")


def test_reservation_of_a_split_city_is_kept_for_the_tile_then_for_the_last_city() -> None:
    table = brown().tile("D15", "57", 2).tile("D15", "14", 1)
    assert table.reserved("D15") == [["AG"], []]
    table.token("Est", "D15").lay("Belge", "D15", "X16-0", 1)
    assert table.reserved("D15") == [[], [], ["AG"]]
    table.pass_until("replace_tokens", "Est").do("Est", "place_token", city="X16-0-1")
    assert table.reserved("D15") == [["AG"], [], []]
    table.start_corporation("AG", "D").operate("AG")
    assert table.cities("D15") == [["AG"], ["Est"]]


def test_home_on_a_split_hex_is_chosen_by_its_owner() -> None:
    table = brown().tile("D15", "57", 2).tile("D15", "14", 1).lay("Belge", "D15", "X16-0", 1)
    assert table.reserved("D15") == [[], [], ["AG"]]
    table.start_corporation("AG", "D").operate("AG")
    assert table.active() == "AG:home_token"
    assert {move["city"] for move in table.offered("place_token")} == {"X16-0-0", "X16-0-1"}
    table.do("AG", "place_token", city="X16-0-1")
    assert table.cities("D15") == [[None], ["AG"]]
    assert table.reserved("D15") == [[], [None], []] or table.reserved("D15") == [[], [], []]


def two_homes(imported: bool) -> Table1894:
    """LB has chosen D15, where AG has not started either; the city splits."""
    table = brown(imported).tile("D15", "57", 2).tile("D15", "14", 1)
    split.reserve(table.state.board["D15"].cities[0], "LB")
    table.game.corporation("LB").home = ["D15"]
    return table


def test_two_reserved_homes_both_stay_reserved() -> None:
    table = two_homes(False).lay("Belge", "D15", "X16-0", 1)
    assert table.reserved("D15")[-1] == ["AG", "LB"]
    table.start_corporation("AG", "D").operate("AG").do("AG", "place_token", city="X16-0-0")
    assert table.reserved("D15")[1] == ["LB"]


def test_imported_games_keep_the_first_reservation_and_let_the_second_join_a_city() -> None:
    table = two_homes(True)
    lays.lay(table.game.title.track_rules, table.state, "D15", "X16", 1)
    split.settle(table.game, table.game.operator, "D15")
    assert table.reserved("D15")[-1] == ["AG"]
    table.token("Est", "D15", 0).start_corporation("AG", "D").operate("AG")
    assert table.cities("D15") == [["Est"], ["AG"]]
    table.start_corporation("LB", "D").operate("LB")
    assert table.active() == "LB:home_token"
    table.do("LB", "place_token", city="X16-0-1")
    assert table.cities("D15") == [["Est"], ["AG", "LB"]]


def test_two_homes_both_to_be_chosen_take_two_tokens() -> None:
    table = brown().tile("B3", "57", 1).tile("B3", "14", 1).tile("E6", "57", 0).tile("E6", "14", 0)
    for hex_id, rotation in (("B3", 1), ("E6", 0)):
        lays.lay(table.game.title.track_rules, table.state, hex_id, "X16", rotation)
        split.settle(table.game, table.game.operator, hex_id)
    table.start_corporation("Ouest", "D").operate("Ouest")
    table.do("Ouest", "place_token", city="X16-0-0").do("Ouest", "place_token", city="X16-1-1")
    assert table.cities("B3") == [["Ouest"], [None]]
    assert table.cities("E6") == [[None], ["Ouest"]]
    assert [token.hex for token in table.game.corporation("Ouest").tokens[:2]] == ["B3", "E6"]


def test_splitting_forgets_who_has_had_a_route() -> None:
    table = brown()
    table.state.has_route = ["Est", "Nord"]
    table.lay("Belge", "E16", "X19-0", 0)
    assert "Est" not in table.state.has_route


def test_second_lay_is_no_upgrade_after_an_upgrade_and_not_on_the_same_hex() -> None:
    table = brown().lay("Belge", "D17", "X16-0", 5)
    assert table.refused("Belge", "lay_tile", hex="E16", tile="X19-0", rotation=0) == "no_upgrade_left"
    table = brown().lay("Belge", "F15", "X2-0", 1)
    assert table.refused("Belge", "lay_tile", hex="F15", tile="X6-0", rotation=1) == "same_hex"
    table.lay("Belge", "D17", "X16-0", 5)
    assert table.active().startswith("Belge:")
    assert table.refused("Belge", "lay_tile", hex="G14", tile="57-2", rotation=0) in ("wrong_action", "no_lay_left")
