"""The draft of the starting cards and the auction of what it leaves over (1893 2.2, 2.3)."""

from __future__ import annotations

import pytest

from .table import bid, cash, drafted, give_money, kinds, passes, refused, start, state_of, treasuries, turn, where


def test_the_privates_and_the_two_lowest_minors_are_on_offer() -> None:
    game = start(3)
    assert [move["company"] for move in game.moves() if move["type"] == "bid"] == ["FdSD", "EVA", "HdSK", "EKB", "KFBE"]
    assert refused(game, "P1", "bid", company="KSZ", price=100) == "not_on_offer"
    assert refused(game, "P1", "bid", company="AdSK-1", price=100) == "not_on_offer"
    bid(game, "P1", "KFBE", 200)
    assert [m["company"] for m in game.moves() if m["type"] == "bid"][-2:] == ["EKB", "KSZ"]


def test_a_card_costs_its_face_value() -> None:
    game = start(2)
    assert refused(game, "P1", "bid", company="EVA", price=149) == "wrong_price"
    assert refused(game, "P2", "bid", company="EVA", price=150) == "not_your_turn"
    give_money(game, "P1", 100)
    assert refused(game, "P1", "bid", company="EVA", price=150) == "insufficient_funds"


def test_a_minor_gets_what_was_paid_and_floats() -> None:
    game = start(2)
    bank = game.state.bank
    bid(game, "P1", "EKB", 210)
    assert treasuries(game, "EKB") == [210] and cash(game) == [690, 900] and game.state.bank == bank
    assert game.corporation("EKB").floated and game.corporation("EKB").president == "player:P1"


def test_who_passes_is_out_and_nobody_is_skipped_for_lack_of_money() -> None:
    game = start(3)
    passes(game, "P1")
    give_money(game, "P2", 0)
    assert turn(game) == "P2" and kinds(game) == {"pass"}
    bid_order = []
    for sym, value in (("EVA", 150), ("HdSK", 100)):
        give_money(game, "P2", 300)
        bid_order.append(turn(game))
        bid(game, turn(game), sym, value)
    assert bid_order == ["P2", "P3"] and turn(game) == "P2"


def test_draft_passers_have_no_turn_in_the_first_stock_round_but_may_have_priority() -> None:
    game = start(2)
    bid(game, "P1", "EKB", 210)
    passes(game, "P2")
    for sym, value in (("KFBE", 200), ("KSZ", 100), ("KBE", 220)):
        bid(game, "P1", sym, value)
    give_money(game, "P1", 900)
    for sym, value in (("BKB", 180), ("EVA", 150), ("FdSD", 180)):
        bid(game, "P1", sym, value)
    assert game.round_label() == "SR 1.1" and game.state.player_order == ["P2", "P1"]
    assert turn(game) == "P1" and state_of(game).draft_passers == ["P2"]
    passes(game, "P1")
    assert game.round_label() == "OR 1.1" and state_of(game).draft_passers == []


def test_a_draft_that_ends_by_passes_skips_the_stock_round() -> None:
    game = start(3)
    bid(game, "P1", "EKB", 210)
    passes(game, "P2", "P3", "P1")
    assert game.round_label() == "OR 1.1" and where(game) == "EKB:track"
    assert game.state.player_order == ["P2", "P3", "P1"]


def test_empty_operating_rounds_leave_no_decision() -> None:
    game = start(2)
    passes(game, "P1", "P2")
    assert game.round_label() == "DR 2.1" and game.state.round_count == 5


def test_forced_passes_shift_the_first_seat_of_the_next_price() -> None:
    game = start(3)
    passes(game, "P1", "P2", "P3")
    give_money(game, "P1", 95)
    bid(game, "P1", "HdSK", 100)
    assert turn(game) == "P2"
    passes(game, "P2", "P3")
    assert game.company("HdSK").discount == 10 and turn(game) == "P3", "P1's forced pass at 100 costs P2 the first turn"


def test_the_nominator_is_asked_last_and_must_buy_at_half_price() -> None:
    game = start(2)
    passes(game, "P1", "P2")
    bid(game, "P1", "EKB", 210)
    while game.company("EKB").owner == "bank":
        assert "pass" in kinds(game)
        passes(game, turn(game))
    assert game.company("EKB").owner == "player:P1" and cash(game) == [800, 900]
    assert treasuries(game, "EKB") == [100] and turn(game) == "P2"
    assert game.company("EKB").value == 210


@pytest.mark.parametrize(
    ("sym", "floor"),
    [("FdSD", 90), ("EVA", 70), ("HdSK", 50), ("EKB", 100), ("KFBE", 100)],
)
def test_floors_of_the_price(sym: str, floor: int) -> None:
    game = start(2)
    passes(game, "P1", "P2")
    bid(game, "P1", sym, game.company(sym).value)
    while game.company(sym).owner == "bank":
        passes(game, turn(game))
    assert cash(game) == [900 - floor, 900]


def test_somebody_else_buys_what_the_nominator_cannot_pay() -> None:
    game = start(3)
    passes(game, "P1", "P2", "P3")
    give_money(game, "P1", 40)
    give_money(game, "P2", 30)
    bid(game, "P1", "HdSK", 100)
    while game.company("HdSK").owner == "bank":
        passes(game, "P3")
    assert game.company("HdSK").owner == "player:P3" and cash(game) == [40, 30, 550]


@pytest.mark.parametrize("left", [35, 0])
def test_the_nominator_gives_all_he_has_when_nobody_can_pay(left: int) -> None:
    game = start(2)
    passes(game, "P1", "P2")
    give_money(game, "P1", left)
    give_money(game, "P2", 10)
    bid(game, "P1", "HdSK", 100)
    assert game.company("HdSK").owner == "player:P1" and cash(game) == [0, 10] and turn(game) == "P2"


def test_the_auction_takes_only_cards_on_offer_at_their_price() -> None:
    game = start(2)
    passes(game, "P1", "P2")
    assert refused(game, "P1", "bid", company="BKB", price=180) == "not_on_offer"
    assert refused(game, "P1", "pass") == "wrong_action"
    bid(game, "P1", "EVA", 150)
    assert refused(game, "P2", "bid", company="EVA", price=140) == "wrong_price"
    assert refused(game, "P2", "bid", company="HdSK", price=100) == "other_card"


def test_the_last_card_is_sold_in_the_first_stock_round() -> None:
    game = drafted(2)
    assert {m["company"] for m in game.moves() if m["type"] == "buy_company"} == {"HdSK", "AdSK-1"}
    game = start(2)
    for sym in ("EKB", "KFBE", "KSZ", "KBE"):
        give_money(game, turn(game), 900)
        bid(game, turn(game), sym, game.company(sym).value)
    for sym in ("EVA", "FdSD", "HdSK"):
        give_money(game, turn(game), 900)
        bid(game, turn(game), sym, game.company(sym).value)
    give_money(game, turn(game), 900)
    buyer = turn(game)
    game.apply({"type": "buy_company", "entity": buyer, "entity_type": "player", "company": "BKB", "price": 180})
    assert treasuries(game, "BKB") == [180] and game.corporation("BKB").floated
