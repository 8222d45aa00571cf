"""Scripted games of 1893 from the first action, figure by figure (1893 8.2)."""

from __future__ import annotations

from .table import (
    act,
    bid,
    buy,
    card,
    cash,
    drafted,
    holdings,
    kinds,
    money,
    par,
    passes,
    president,
    refused,
    skip_stock_round,
    start,
    train,
    treasuries,
    turn,
    where,
)

MINORS = ("EKB", "KFBE", "KSZ", "KBE", "BKB")


def test_two_players_draft_and_a_first_stock_round() -> None:
    game = drafted(2)
    assert cash(game) == [230, 330] and game.state.bank == 5730
    assert where(game) == "P2:stock" and kinds(game, "P2") == {"par", "buy_company", "pass"}
    par(game, "P2", "DE", "60,5,1")
    assert cash(game) == [230, 210] and game.state.bank == 5850
    assert turn(game) == "P1" and holdings(game, "DE") == {"P2": [0], "pool": [1, 2, 3, 4, 5, 6, 7, 8]}
    par(game, "P1", "RAG", "100,1,3")
    assert cash(game) == [230, 210] and game.state.bank == 5850
    assert turn(game) == "P1" and kinds(game) == {"assign", "pass"}
    act(game, "P1", "assign", target="FdSD", target_type="company")
    assert cash(game) == [230, 210] and game.state.bank == 5850
    assert holdings(game, "RAG") == {"P1": [0], "pool": [1, 2, 3, 4, 5, 6, 7, 8]}
    assert game.company("FdSD").closed and turn(game) == "P2"
    card(game, "P2", "HdSK", 100)
    assert cash(game) == [230, 110] and game.state.bank == 5950 and turn(game) == "P1"
    buy(game, "P1", "RAG_1")
    assert cash(game) == [130, 110] and game.state.bank == 6050
    assert turn(game) == "P2" and "par" not in kinds(game)
    buy(game, "P2", "DE_1")
    assert cash(game) == [130, 50] and game.state.bank == 6110 and turn(game) == "P1"
    buy(game, "P1", "RAG_2")
    assert game.round_label() == "OR 1.1" and where(game) == "EKB:track"
    assert cash(game) == [30, 90] and game.state.bank == 6170
    assert game.priority_player().name == "P2"
    assert not any(game.corporation(sym).floated for sym in ("DE", "RSE", "RAG"))
    assert money(game) == 7200


def test_three_players_who_all_pass_and_the_auction_that_follows() -> None:
    game = start(3)
    passes(game, "P1", "P2", "P3")
    assert game.round_label() == "DR 2.1" and where(game) == "P1:forced_auction"
    assert kinds(game) == {"bid"}
    bid(game, "P1", "HdSK", 100)
    assert cash(game) == [600, 600, 600] and turn(game) == "P2"
    passes(game, "P2", "P3", "P1")
    assert cash(game) == [600, 600, 600] and turn(game) == "P2"
    bid(game, "P2", "HdSK", 90)
    assert cash(game) == [600, 510, 600] and turn(game) == "P2" and kinds(game) == {"bid"}
    bid(game, "P2", "EVA", 150)
    for price in range(150, 60, -10):
        assert turn(game) == "P3" and game.moves()[0]["price"] == price
        passes(game, "P3", "P1", "P2")
    assert cash(game) == [600, 440, 600] and turn(game) == "P3"
    assert game.company("EVA").owner == "player:P2"
    bid(game, "P3", "EKB", 210)
    bid(game, "P1", "EKB", 210)
    assert cash(game) == [390, 440, 600] and turn(game) == "P1"
    bid(game, "P1", "KFBE", 200)
    passes(game, "P2")
    bid(game, "P3", "KFBE", 200)
    assert cash(game) == [390, 440, 400] and turn(game) == "P2"
    bid(game, "P2", "KSZ", 100)
    bid(game, "P3", "KSZ", 100)
    assert cash(game) == [390, 440, 300] and turn(game) == "P3"
    bid(game, "P3", "KBE", 220)
    bid(game, "P1", "KBE", 220)
    assert cash(game) == [170, 440, 300] and turn(game) == "P1"
    bid(game, "P1", "BKB", 180)
    bid(game, "P2", "BKB", 180)
    assert cash(game) == [170, 260, 300] and turn(game) == "P2"
    bid(game, "P2", "FdSD", 180)
    bid(game, "P3", "FdSD", 180)
    assert cash(game) == [170, 260, 120]
    assert game.round_label() == "SR 2.1" and turn(game) == "P1" and game.state.bank == 5740
    assert money(game) == 7200


def test_minors_buy_trains_and_an_owner_helps() -> None:
    game = drafted(2)
    passes(game, "P2", "P1")
    assert game.round_label() == "OR 1.1" and cash(game) == [250, 360]
    passes(game, "EKB")
    train(game, "EKB", "2-0", 80)
    train(game, "EKB", "2-1", 80)
    assert treasuries(game, *MINORS) == [50, 200, 100, 220, 180] and turn(game) == "KFBE"
    passes(game, "KFBE")
    train(game, "KFBE", "2-2", 80)
    train(game, "KFBE", "2-3", 80)
    assert treasuries(game, *MINORS) == [50, 40, 100, 220, 180] and turn(game) == "KSZ"
    passes(game, "KSZ", "KSZ", "KBE")
    train(game, "KBE", "2-4", 80)
    train(game, "KBE", "2-5", 80)
    assert treasuries(game, *MINORS) == [50, 40, 100, 60, 180] and turn(game) == "BKB"
    passes(game, "BKB")
    train(game, "BKB", "2-6", 80)
    passes(game, "BKB")
    assert game.round_label() == "OR 1.2" and cash(game) == [270, 390]
    assert treasuries(game, *MINORS) == [50, 40, 100, 60, 100] and turn(game) == "EKB"
    passes(game, "EKB", "KFBE", "KSZ")
    assert where(game) == "KSZ:train"
    train(game, "KSZ", "3-0", 180)
    assert treasuries(game, *MINORS) == [50, 40, 0, 60, 100] and cash(game) == [190, 390]
    assert game.phase.name == "3" and turn(game) == "KBE"
    passes(game, "KBE", "BKB")
    assert where(game) == "BKB:train"
    trade = {"train": "3-1", "price": 140, "variant": "3", "exchange": "2-6"}
    assert refused(game, "BKB", "buy_train", **trade) == "insufficient_funds"
    assert game.corporation("BKB").trains == ["2-6"] and treasuries(game, "BKB") == [100]


def test_everybody_passes_in_the_first_stock_round() -> None:
    """The card left over by the draft is auctioned after the first set, when nobody buys it."""
    game = drafted(2)
    skip_stock_round(game)
    while game.round.kind == "operating":
        act(game, turn(game), "pass")
    assert game.round_label() == "DR 2.1" and turn(game) == "P2"
    bid(game, "P2", "HdSK", 100)
    bid(game, "P1", "HdSK", 100)
    assert game.round_label() == "SR 2.1" and turn(game) == "P2"
    assert president(game, "EKB") == "P1"
