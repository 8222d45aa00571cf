"""Stock turns of 1893: market, bonds, the EVA, the FdSD (1893 sections 3 and 5)."""

from __future__ import annotations

from services.rules.engine import shares
from services.rules.engine.shares import Bundle
from services.rules.titles.g1893 import mergers

from .table import (
    Game,
    act,
    at,
    buy,
    card,
    cash,
    drafted,
    floated,
    give_money,
    hand_over,
    hold,
    holdings,
    kinds,
    par,
    passes,
    president,
    price,
    refused,
    sell,
    skip_stock_round,
    state_of,
    to_stock_round,
    treasuries,
    turn,
    where,
)


def test_the_president_pays_and_the_rest_goes_to_the_market() -> None:
    game = drafted(2)
    par(game, "P2", "DE", "90,2,3")
    assert cash(game)[1] == 150 and treasuries(game, "DE") == [0]
    assert holdings(game, "DE") == {"P2": [0], "pool": [1, 2, 3, 4, 5, 6, 7, 8]}


def test_agv_and_hgk_cannot_be_parred_and_their_cells_not_be_used() -> None:
    game = drafted(2)
    assert refused(game, "P2", "par", corporation="AGV", share_price="120,2,6") == "cannot_par"
    assert refused(game, "P2", "par", corporation="DE", share_price="120,1,5") == "not_a_par_cell"
    assert {m["share_price"] for m in game.moves() if m["type"] == "par"} == {
        "60,5,1",
        "70,4,2",
        "80,3,3",
        "90,2,3",
        "100,1,3",
    }


def test_a_purchase_ends_the_turn_and_one_is_made() -> None:
    game = drafted(2)
    par(game, "P2", "DE", "60,5,1")
    assert turn(game) == "P1"
    buy(game, "P1", "DE_5")
    assert turn(game) == "P2"
    assert refused(game, "P1", "buy_shares", shares=["DE_1"], percent=10) == "not_your_turn"
    assert refused(game, "P2", "buy_shares", shares=["DE_1", "DE_2"], percent=20) == "one_certificate"


def test_half_in_the_market_floats_with_ten_times_the_price() -> None:
    game = drafted(2)
    par(game, "P2", "DE", "60,5,1")
    for player, share in (("P1", "DE_1"), ("P2", "DE_2")):
        buy(game, player, share)
        assert not game.corporation("DE").floated
    buy(game, "P1", "DE_3")
    assert game.corporation("DE").floated and treasuries(game, "DE") == [600]


def test_nothing_is_sold_in_the_first_stock_round_nor_before_operating() -> None:
    game = floated()
    give_money(game, "P2", 300)
    card(game, "P2", "AdSK-1", 100)
    passes(game, "P1")
    assert turn(game) == "P2" and kinds(game, "P2") == {"buy_shares", "par", "buy_company", "pass"}
    assert refused(game, "P2", "sell_company", company="AdSK-1", price=100) == "wrong_action"
    assert refused(game, "P2", "sell_shares", shares=["DE_2"], percent=10) == "wrong_action"
    to_stock_round(game)
    give_money(game, "P2", 300)
    passes(game, "P1")
    par(game, "P2", "RSE", "60,5,1")
    passes(game, "P1")
    assert refused(game, "P2", "sell_shares", shares=["RSE_0"], percent=20) in ("too_early_to_sell", "wrong_action")


def test_a_sale_pays_the_price_before_it_and_drops_one_row_a_sale() -> None:
    game = floated()
    to_stock_round(game)
    passes(game, "P2")
    hold(game, "DE", P2=[0, 2], P1=[1, 3, 4, 5], pool=[6, 7, 8])
    at(game, "DE", 3, 3)
    give_money(game, "P1", 500)
    sell(game, "P1", "DE_1", "DE_3", percent=20)
    assert cash(game)[0] == 660 and price(game, "DE") == 75
    assert holdings(game, "DE")["pool"] == [1, 3, 6, 7, 8]
    assert refused(game, "P1", "sell_shares", shares=["DE_4"], percent=10) in ("pool_limit", "wrong_action")
    assert refused(game, "P1", "buy_shares", shares=["DE_6"], percent=10) in ("sold_this_round", "wrong_action")
    assert turn(game) == "P1", "other purchases are possible"


def test_a_player_holds_at_most_sixty_percent() -> None:
    game = drafted(2)
    par(game, "P2", "DE", "60,5,1")
    passes(game, "P1")
    hold(game, "DE", P2=[0, 1, 2, 3, 4], P1=[5], pool=[6, 7, 8])
    assert "buy_shares" not in kinds(game, "P2")
    assert refused(game, "P2", "buy_shares", shares=["DE_7"], percent=10) in ("over_limit", "wrong_action")


def test_sold_out_corporations_rise() -> None:
    game = floated()
    game.corporation("DE").holdings["player:P1"] += [4, 5, 6]
    game.corporation("DE").holdings["player:P2"] += [7, 8]
    del game.corporation("DE").holdings["pool"]
    game.touch()
    skip_stock_round(game)
    assert price(game, "DE") == 65, "60 at (5,1) goes up to 65 at (4,1)"


def test_only_the_lowest_free_bond_is_sold() -> None:
    game = drafted(2)
    assert refused(game, "P2", "buy_company", company="AdSK-2", price=100) == "not_for_sale"
    assert refused(game, "P2", "buy_company", company="AdSK-1", price=90) == "wrong_price"
    card(game, "P2", "AdSK-1", 100)
    assert cash(game)[1] == 230
    assert "AdSK-2" in {m["company"] for m in game.moves() if m["type"] == "buy_company"}


def test_bonds_go_back_for_a_hundred_and_are_not_bought_again_in_the_round() -> None:
    game = drafted(2)
    card(game, "P2", "AdSK-1", 100)
    card(game, "P1", "AdSK-2", 100)
    hand_over(game, "HdSK", "P1")
    to_stock_round(game)
    give_money(game, turn(game), 50)
    seller = turn(game)
    own = next(sym for sym in game.player(seller).companies if sym.startswith("AdSK"))
    assert refused(game, seller, "sell_company", company=own, price=90) == "wrong_price"
    assert refused(game, seller, "sell_company", company="EVA", price=150) in ("not_for_sale", "wrong_action")
    act(game, seller, "sell_company", company=own, price=100)
    assert game.player(seller).cash == 150 and game.company(own).owner == "bank" and turn(game) == seller
    assert refused(game, seller, "buy_company", company=own, price=100) in ("not_for_sale", "wrong_action")


def test_the_certificate_limit_counts_cards_and_bonds() -> None:
    game = drafted(2)
    assert shares.certificate_count(game, game.player("P2")) == 3
    game.state.cert_limit = 4
    card(game, "P2", "AdSK-1", 100)
    passes(game, "P1")
    assert game.round_label() == "OR 1.1", "P2 has no turn: a fifth certificate is too many"


def test_the_eva_alone_does_not_make_a_turn() -> None:
    game = drafted(2)
    game.player("P1").companies.remove("FdSD")
    game.company("FdSD").owner = None
    game.company("FdSD").closed = True
    give_money(game, "P1", 50)
    par(game, "P2", "DE", "60,5,1")
    assert turn(game) == "P2", "P1 could only have bought the EVA"
    give_money(game, "P1", 60)
    buy(game, "P2", "DE_1")
    assert turn(game) == "P1" and kinds(game, "P1") == {"buy_shares", "buy_company", "pass"}


def test_the_eva_is_bought_from_its_owner_for_any_price() -> None:
    game = drafted(2)
    par(game, "P2", "DE", "60,5,1")
    bank = game.state.bank
    assert refused(game, "P1", "buy_company", company="EVA", price=0) == "wrong_price"
    assert refused(game, "P1", "buy_company", company="EVA", price=999) == "insufficient_funds"
    card(game, "P1", "EVA", 7)
    assert cash(game) == [223, 210] and game.state.bank == bank + 7 and game.company("EVA").owner == "player:P1"


def test_with_the_option_the_owner_of_the_eva_is_paid() -> None:
    game = drafted(2, ("eva_pays_owner",))
    par(game, "P2", "DE", "60,5,1")
    card(game, "P1", "EVA", 7)
    assert cash(game) == [223, 217]


def test_other_cards_never_change_hands() -> None:
    game = drafted(2)
    assert refused(game, "P2", "buy_company", company="FdSD", price=180) == "not_for_sale"
    assert refused(game, "P2", "buy_company", company="EKB", price=210) == "not_for_sale"


# --- the FdSD ---------------------------------------------------------------------------------------------------


def test_the_fdsd_pays_for_the_rag_when_its_owner_is_short() -> None:
    game = drafted(2)
    passes(game, "P2")
    give_money(game, "P1", 199)
    par(game, "P1", "RAG", "100,1,3")
    assert cash(game)[0] == 199 and game.company("FdSD").closed and president(game, "RAG") == "P1"


def test_the_owner_of_the_fdsd_may_keep_it_and_pay() -> None:
    game = drafted(2)
    passes(game, "P2")
    par(game, "P1", "RAG", "100,1,3")
    assert where(game) == "P1:stock" and not game.corporation("RAG").started
    passes(game, "P1")
    assert cash(game)[0] == 30 and not game.company("FdSD").closed and game.corporation("RAG").started
    assert "P1" not in state_of(game).draft_passers, "the answer is no pass"


def test_without_money_the_owner_of_the_fdsd_is_asked() -> None:
    game = drafted(2)
    passes(game, "P2")
    give_money(game, "P1", 0)
    assert turn(game) == "P1" and kinds(game) == {"par", "pass"}


def test_the_fdsd_is_exchanged_for_the_first_two_market_shares() -> None:
    game = drafted(2)
    par(game, "P2", "RAG", "70,4,2")
    act(game, "FdSD", "buy_shares", shares=["RAG_7"], percent=10)
    assert holdings(game, "RAG") == {"P2": [0], "P1": [1, 2], "pool": [3, 4, 5, 6, 7, 8]}
    assert game.company("FdSD").closed and turn(game) == "P2" and cash(game)[0] == 230


def test_the_exchange_floats_the_rag_and_changes_its_president() -> None:
    game = drafted(2)
    par(game, "P2", "RAG", "60,5,1")
    buy(game, "P1", "RAG_1")
    passes(game, "P2")
    act(game, "FdSD", "buy_shares", shares=["RAG_2"], percent=10)
    assert president(game, "RAG") == "P1" and treasuries(game, "RAG") == [600]
    assert holdings(game, "RAG")["P1"] == [0, 3] and holdings(game, "RAG")["P2"] == [1, 2]


def test_the_last_market_share_is_the_one_named() -> None:
    game = drafted(2)
    par(game, "P2", "RAG", "60,5,1")
    hold(game, "RAG", P2=[0, 1, 2, 3, 4], P1=[5, 6, 7], pool=[8])
    act(game, "FdSD", "buy_shares", shares=["RAG_8"], percent=10)
    assert holdings(game, "RAG")["P1"] == [5, 6, 7, 8]


def test_the_exchange_may_end_at_seventy_percent_but_not_start_at_sixty() -> None:
    game = drafted(2)
    par(game, "P2", "RAG", "60,5,1")
    hold(game, "RAG", P1=[0, 1, 2, 3, 4], P2=[5], pool=[6, 7, 8])
    assert refused(game, "FdSD", "buy_shares", shares=["RAG_6"], percent=10) == "over_limit"
    hold(game, "RAG", P1=[0, 1, 2, 3], P2=[4, 5], pool=[6, 7, 8])
    act(game, "FdSD", "buy_shares", shares=["RAG_6"], percent=10)
    assert shares.percent(game, game.corporation("RAG"), "player:P1") == 70


def test_the_fdsd_is_used_by_its_owner_in_his_turn_for_the_rag() -> None:
    game = drafted(2)
    par(game, "P2", "RAG", "60,5,1")
    passes(game, "P1")
    assert refused(game, "FdSD", "buy_shares", shares=["RAG_1"], percent=10) in ("not_your_turn", "wrong_action")
    game = drafted(2)
    par(game, "P2", "DE", "60,5,1")
    assert refused(game, "FdSD", "buy_shares", shares=["DE_1"], percent=10) in ("not_your_turn", "wrong_action")


def test_its_owner_may_exceed_every_limit_of_the_rag() -> None:
    game = drafted(2)
    par(game, "P2", "RAG", "60,5,1")
    hold(game, "RAG", P1=[0, 1, 2, 3, 4], P2=[5], pool=[6, 7, 8])
    game.state.cert_limit = 1
    buy(game, "P1", "RAG_6")
    assert shares.percent(game, game.corporation("RAG"), "player:P1") == 70


def test_after_the_first_five_train_the_fdsd_closes_with_a_purchase_of_shares() -> None:
    game = drafted(2)
    par(game, "P2", "DE", "60,5,1")
    game.title.on_train_event(game, "fdsd_deadline")
    game.touch()
    card(game, "P1", "HdSK", 100)
    assert not game.company("FdSD").closed
    passes(game, "P2")
    buy(game, "P1", "DE_1")
    assert game.company("FdSD").closed and not state_of(game).fdsd_closing


def test_with_the_option_the_fdsd_closes_after_one_turn() -> None:
    game = drafted(2, ("fdsd_closes_in_time",))
    par(game, "P2", "DE", "60,5,1")
    game.title.on_train_event(game, "fdsd_deadline")
    game.touch()
    passes(game, "P1")
    assert game.company("FdSD").closed


def test_an_over_full_owner_must_sell_first() -> None:
    game = floated()
    to_stock_round(game)
    assert turn(game) == "P2"
    hold(game, "DE", P2=[0, 2, 4, 5, 6, 7], P1=[1, 3], pool=[8])
    give_money(game, "P2", 500)
    hand_over(game, "AdSK-1", "P2")
    assert kinds(game, "P2") == {"sell_shares", "sell_company", "buy_company", "pass"}
    sell(game, "P2", "DE_2", percent=10)
    assert "par" in kinds(game, "P2")


# --- presidents and double certificates -------------------------------------------------------------------------


def agv_in_play(count: int) -> Game:
    """The AGV is in operation."""
    game = drafted(count)
    mergers.put_on_sale(game, "AGV")
    game.corporation("AGV").floated = game.corporation("AGV").operated = True
    return game


def test_half_a_president_certificate_is_not_paid_for_with_a_double_one() -> None:
    """What comes back to the seller has to be a single certificate (1893 3.5)."""
    game = agv_in_play(4)
    part = Bundle("AGV", "player:P1", (0,), 10)
    hold(game, "AGV", P1=[0], P2=[1, 2], P3=[3, 4], P4=[5, 6, 7])
    assert not game.title.may_dump(game, part)
    hold(game, "AGV", P1=[0], P2=[1, 2], P3=[3, 4], P4=[5, 6], pool=[7])
    assert game.title.may_dump(game, part)
    hold(game, "AGV", P1=[0], P2=[1, 2, 3], P3=[4, 5, 6, 7])
    assert game.title.may_dump(game, part)


def test_a_part_of_the_president_certificate_is_sold_and_single_ones_come_back() -> None:
    game = agv_in_play(2)
    hold(game, "AGV", P1=[0, 3], P2=[1, 2], pool=[4, 5, 6, 7])
    shares.sell(game, game.player("P1"), Bundle("AGV", "player:P1", (3, 0), 20))
    assert president(game, "AGV") == "P2"
    assert holdings(game, "AGV") == {"P1": [4], "P2": [0, 1], "pool": [2, 3, 5, 6, 7]}


def test_a_double_certificate_is_never_split() -> None:
    game = agv_in_play(2)
    hold(game, "AGV", P1=[0, 1], P2=[2, 3], pool=[4, 5, 6, 7])
    bundles = shares.offered_bundles(game, game.corporation("AGV"), "player:P2")
    assert [(bundle.indexes, bundle.percent) for bundle in bundles] == [((3,), 10), ((3, 2), 30)]


def test_a_double_certificate_is_bought_in_one_go_for_twice_the_price() -> None:
    game = agv_in_play(2)
    hold(game, "AGV", P1=[0, 1], pool=[2, 3, 4, 5, 6, 7])
    before = cash(game)[1]
    buy(game, "P2", "AGV_2", percent=20)
    assert cash(game)[1] == before - 240 and shares.certificate_count(game, game.player("P2")) == 4
