"""Other continuations of the recorded game: what would have followed (1893 8.3)."""

from __future__ import annotations

from typing import Any

import pytest

from services.rules.conformance.replay import read_game
from services.rules.engine.errors import EngineError
from services.rules.engine.game import Game
from services.rules.engine.history import effective_indexes
from services.rules.recorded import start
from tests.shared import SHARED, need

from .table import cash, holdings, money, president, price, where


def position(last: int) -> Game:
    """The position after the action with this id, with the strict rules of a live game."""
    recorded = read_game(need(SHARED / "games" / "1893" / "1893-a.json"))
    game = start(recorded)
    for index in effective_indexes(recorded.actions):
        raw = recorded.actions[index]
        if raw["id"] > last:
            break
        game.replay(raw)
    game.state.mode = "live"
    for player in game.state.players:
        player.program = None
    return game


def act(game: Game, entity: int | str, kind: str, /, **fields: Any) -> None:
    entity_type = "player"
    if isinstance(entity, str):
        entity_type = game.corporation(entity).entity_type if entity in game.state.corporations else "company"
    game.apply({"type": kind, "entity": entity, "entity_type": entity_type, **fields})


def code(game: Game, entity: int | str, kind: str, /, **fields: Any) -> str:
    """The code of the error; nothing changes."""
    before = game.encode()
    try:
        act(game, entity, kind, **fields)
    except EngineError as error:
        assert game.encode() == before
        return error.code
    raise AssertionError(f"{kind} by {entity} was accepted")


def say(game: Game, player: int, answer: str) -> None:
    act(game, player, "special_buy", description=answer, cost=0)


def test_the_money_in_play_never_changes() -> None:
    recorded = read_game(need(SHARED / "games" / "1893" / "1893-a.json"))
    game = start(recorded)
    for index in effective_indexes(recorded.actions):
        game.replay(recorded.actions[index])
        assert money(game) == 7200


def test_a_first_vote_that_founds_the_agv() -> None:
    game = position(54)
    say(game, 3, "yes")
    say(game, 2, "yes")
    agv = game.corporation("AGV")
    vote = game.title.extra_keys(game)
    assert vote["vote/yes"] == 50
    assert (agv.cash, price(game, "AGV"), agv.trains) == (480, 120, ["3-1"])
    assert president(game, "AGV") == "2" and game.state.bank == 6270
    assert holdings(game, "DE")["2"] == [0, 1, 2, 3]
    assert holdings(game, "AGV") == {"2": [0, 1], "3": [2], "pool": [3, 4, 5, 6, 7]}
    assert where(game) == "AGV:merger_discard"
    act(game, "AGV", "pass")
    assert game.round_label() == "DR 2.1" and game.acting_players() == [3]


def test_a_no_that_rejects_the_founding() -> None:
    game = position(111)
    say(game, 2, "no")
    assert game.round_label() == "SR 3.1" and game.acting_players() == [1] and game.state.bank == 5768
    assert not game.corporation("AGV").floated


def test_discarding_the_only_train_ends_the_discards() -> None:
    game = position(112)
    act(game, "AGV", "discard_train", train="3-1")
    assert game.round_label() == "SR 3.1"
    assert game.state.depot.discarded == ["3-1"] and game.corporation("AGV").trains == []


def test_passing_keeps_the_fdsd_that_is_to_close() -> None:
    game = position(168)
    act(game, 1, "pass")
    assert not game.company("FdSD").closed
    assert game.acting_players() == [2] and cash(game) == [412, 706, 203]


def test_buying_shares_closes_the_fdsd_that_is_to_close() -> None:
    game = position(168)
    act(game, 1, "buy_shares", shares=["AGV_4"], percent=10)
    assert cash(game)[0] == 262 and game.company("FdSD").closed and game.acting_players() == [2]


def test_buying_a_bond_keeps_the_fdsd() -> None:
    game = position(168)
    act(game, 1, "buy_company", company="AdSK-1", price=100)
    assert cash(game)[0] == 312 and not game.company("FdSD").closed


def test_the_bank_gets_the_money_for_the_eva_in_a_stock_round() -> None:
    game = position(168)
    bank = game.state.bank
    act(game, 1, "buy_company", company="EVA", price=50)
    assert cash(game) == [362, 706, 203] and game.state.bank == bank + 50
    assert game.company("EVA").owner == "player:1" and game.acting_players() == [2]


def test_a_no_of_seventy_percent() -> None:
    game = position(190)
    say(game, 1, "no")
    assert game.round_label() == "OR 4.1" and where(game) == "KFBE:track" and cash(game) == [52, 16, 113]


def test_no_bankruptcy_and_no_pass_while_the_train_can_be_paid() -> None:
    game = position(226)
    assert code(game, "RAG", "bankrupt") == "not_insolvent"
    assert code(game, "RAG", "pass") == "wrong_action"


def test_n5_takes_no_tile_in_phase_2() -> None:
    game = position(18)
    assert code(game, "KSZ", "lay_tile", hex="N5", tile="9-0", rotation=1) in ("not_connected", "lay_not_permitted")
    assert not any(move.get("hex") in ("N5", "P5") for move in game.moves())


def test_a_double_certificate_sold_where_no_cell_is_below() -> None:
    game = position(236)
    before = cash(game)[2]
    act(game, 3, "sell_shares", shares=["AGV_2"], percent=20)
    assert cash(game)[2] == before + 300 and price(game, "AGV") == 150 and game.acting_players() == [3]


def test_two_sales_drop_the_price_twice_and_forbid_buying_back() -> None:
    game = position(236)
    before = cash(game)[2]
    act(game, 3, "sell_shares", shares=["HGK_3"], percent=10)
    assert cash(game)[2] == before + 150 and price(game, "HGK") == 135
    act(game, 3, "sell_shares", shares=["HGK_4"], percent=10)
    assert cash(game)[2] == before + 285 and price(game, "HGK") == 120
    assert code(game, 3, "buy_shares", shares=["HGK_3"], percent=10) == "sold_this_round"


@pytest.mark.parametrize(("last", "bank"), [(165, 5219), (204, 5996), (253, 5872), (332, 784), (371, -2545)])
def test_checkpoints_of_the_bank(last: int, bank: int) -> None:
    assert position(last).state.bank == bank
