"""Operating turns of 1893: trains, minors, emergencies, bonds in need, bankruptcy and the bank (1893 4.5-4.7, 6)."""

from __future__ import annotations

from services.rules.engine import ending, trains

from .table import (
    Game,
    act,
    at,
    card,
    cash,
    do_little,
    drafted,
    floated,
    give_money,
    give_train,
    hand_over,
    hold,
    kinds,
    line,
    passes,
    price,
    put_tile,
    refused,
    sell,
    set_phase,
    skip_stock_round,
    state_of,
    to_stock_round,
    train,
    treasuries,
    turn_of,
    where,
)


def operating(options: tuple[str, ...] = ()) -> Game:
    """P1 owns EKB, KSZ, BKB and FdSD, P2 KFBE, KBE and EVA; OR 1.1."""
    game = drafted(2, options)
    hand_over(game, "HdSK", "P1")
    skip_stock_round(game)
    return game


def de_needs_a_train(treasury: int = 0) -> Game:
    """The DE (P2 presides) has a route and no train; it is its turn to buy one in the second set."""
    game = floated()
    line(game)
    to_stock_round(game)
    skip_stock_round(game)
    give_train_back(game)
    turn_of(game, "DE", "track")
    game.corporation("DE").cash = treasury
    at(game, "DE", 3, 3)
    turn_of(game, "DE", "train")
    return game


def give_train_back(game: Game) -> None:
    """Trains of the DE leave the game."""
    for train_id in list(game.corporation("DE").trains):
        game.corporation("DE").trains.remove(train_id)
        game.state.depot.trains[train_id].owner = None
    game.touch()


# --- revenue ----------------------------------------------------------------------------------------------------


def run(game: Game, sym: str, train_id: str) -> None:
    route = {"train": train_id, "connections": [["O2", "N3", "O4"]], "hexes": ["O2", "O4"], "nodes": ["O2-0", "O4-0"]}
    act(game, sym, "run_routes", routes=[route])


def test_a_minor_keeps_half_and_pays_its_owner_the_rest() -> None:
    game = operating()
    line(game)
    give_train(game, "KBE", "2-0")
    turn_of(game, "KBE", "route")
    before, money = cash(game)[1], game.corporation("KBE").cash
    run(game, "KBE", "2-0")
    assert cash(game)[1] == before + 20 and game.corporation("KBE").cash == money + 20
    assert game.corporation("KBE").operated and game.state.depot.trains["2-0"].ran


def test_a_minor_that_does_not_run_is_left_alone() -> None:
    game = operating()
    give_train(game, "KBE", "2-0")
    turn_of(game, "KBE", "track")
    money = game.corporation("KBE").cash
    passes(game, "KBE")
    assert game.corporation("KBE").cash == money and not game.corporation("KBE").operated
    assert not game.state.depot.trains["2-0"].ran


def test_market_shares_pay_nobody_and_the_price_moves_right() -> None:
    game = floated()
    line(game)
    skip_stock_round(game)
    give_train(game, "DE", "2-0")
    turn_of(game, "DE", "route")
    treasury, before, bank = game.corporation("DE").cash, cash(game), game.state.bank
    run(game, "DE", "2-0")
    act(game, "DE", "dividend", kind="payout")
    assert cash(game) == [before[0] + 8, before[1] + 12] and game.corporation("DE").cash == treasury
    assert game.state.bank == bank - 20 and price(game, "DE") == 65


def test_withholding_moves_the_price_left_and_at_the_edge_down() -> None:
    game = floated()
    line(game)
    skip_stock_round(game)
    give_train(game, "DE", "2-0")
    turn_of(game, "DE", "route")
    run(game, "DE", "2-0")
    act(game, "DE", "dividend", kind="withhold")
    assert price(game, "DE") == 55
    at(game, "DE", 4, 0)
    turn_of(game, "DE", "route")
    act(game, "DE", "run_routes", routes=[])
    assert price(game, "DE") == 55, "60 at (4,0) goes down to 55 at (5,0)"


def test_incomes_are_paid_before_every_operating_round() -> None:
    game = drafted(2)
    card(game, "P2", "AdSK-1", 100)
    before = cash(game)
    skip_stock_round(game)
    assert cash(game) == [before[0] + 20, before[1] + 30 + 10]


# --- trains -----------------------------------------------------------------------------------------------------


def test_trains_change_hands_from_phase_3_on() -> None:
    game = operating()
    give_train(game, "EKB", "2-0")
    turn_of(game, "KFBE", "train")
    assert refused(game, "KFBE", "buy_train", train="2-0", price=1) == "not_on_sale"
    set_phase(game, "3")
    train(game, "KFBE", "2-0", 1)
    assert game.corporation("KFBE").trains == ["2-0"] and treasuries(game, "EKB", "KFBE") == [211, 199]


def test_corporations_do_not_buy_from_minors() -> None:
    game = floated()
    skip_stock_round(game)
    set_phase(game, "3")
    give_train(game, "EKB", "2-0")
    turn_of(game, "DE", "train")
    assert refused(game, "DE", "buy_train", train="2-0", price=80) == "not_on_sale"
    assert kinds(game, "DE") == {"buy_train", "pass"}


def test_train_limits_of_minors_and_corporations() -> None:
    game = operating()
    turn_of(game, "EKB", "train")
    train(game, "EKB", "2-0", 80)
    train(game, "EKB", "2-1", 80)
    assert where(game) == "KFBE:track", "a minor has two trains"
    set_phase(game, "5")
    assert where(game) == "EKB:discard_train"
    act(game, "EKB", "discard_train", train="2-1")
    assert game.state.depot.discarded == ["2-1"] and where(game) == "KFBE:track"


def test_a_train_is_traded_in_once_a_turn_for_half_its_price() -> None:
    game = operating()
    set_phase(game, "3")
    for train_id in ("2-0", "2-1"):
        give_train(game, "EKB", train_id)
    turn_of(game, "EKB", "train")
    assert refused(game, "EKB", "buy_train", train="3-0", price=150, variant="3", exchange="2-0") == "wrong_price"
    assert refused(game, "EKB", "buy_train", train="3-0", price=180, variant="3") == "train_limit"
    give_money_to(game, "EKB", 500)
    train_in(game, "EKB", "3-0", 140, "2-0")
    assert game.corporation("EKB").trains == ["2-1", "3-0"] and game.state.depot.discarded == ["2-0"]
    assert where(game) == "KFBE:track", "no second trade-in, no room"


def give_money_to(game: Game, sym: str, amount: int) -> None:
    game.corporation(sym).cash = amount
    game.touch()


def train_in(game: Game, sym: str, train_id: str, amount: int, exchange: str) -> None:
    rank = train_id.rpartition("-")[0]
    act(game, sym, "buy_train", train=train_id, price=amount, variant=rank, exchange=exchange)


def test_a_discarded_train_is_bought_at_its_printed_price_and_traded_for() -> None:
    game = operating()
    set_phase(game, "4")
    give_train(game, "BKB", "3-0")
    give_train(game, "EKB", "2-0")
    turn_of(game, "EKB", "track")
    trains.discard(game, "3-0")
    game.touch()
    turn_of(game, "EKB", "train")
    assert refused(game, "EKB", "buy_train", train="3-0", price=90, variant="3") == "wrong_price"
    act(game, "EKB", "buy_train", train="3-0", price=140, variant="3", exchange="2-0")
    assert game.state.depot.discarded == ["2-0"]


def test_no_trade_for_a_train_of_the_same_rank_nor_for_a_two_train() -> None:
    game = operating()
    give_train(game, "EKB", "2-0")
    turn_of(game, "EKB", "train")
    assert refused(game, "EKB", "buy_train", train="2-1", price=40, variant="2", exchange="2-0") == "no_trade_in"


def test_a_two_train_traded_for_the_first_four_rusts_at_once() -> None:
    game = operating()
    give_train(game, "EKB", "2-0")
    set_phase(game, "3", first="4")
    give_money_to(game, "EKB", 300)
    turn_of(game, "EKB", "train")
    train_in(game, "EKB", "4-0", 260, "2-0")
    assert game.state.depot.discarded == [] and game.corporation("EKB").trains == ["4-0"]


def test_the_first_eight_is_on_sale_beside_the_sixes_and_rusts_the_fours() -> None:
    game = operating()
    set_phase(game, "6")
    give_train(game, "BKB", "4-0")
    give_money_to(game, "EKB", 800)
    turn_of(game, "EKB", "train")
    assert {m["train"] for m in game.moves() if m["type"] == "buy_train" and "variant" in m} == {"6-0", "8+x-0"}
    train(game, "EKB", "8+x-0", 800)
    assert game.phase.name == "8+x" and game.corporation("BKB").trains == []


def test_owner_pays_what_a_minor_without_a_train_lacks_if_he_likes() -> None:
    game = operating()
    turn_of(game, "KSZ", "train")
    set_phase(game, "3")
    before = cash(game)[0]
    give_train(game, "KFBE", "2-0")
    assert {"buy_train", "pass"} <= kinds(game, "KSZ")
    train(game, "KSZ", "3-0", 180)
    assert treasuries(game, "KSZ") == [0] and cash(game)[0] == before - 80


def test_no_help_for_a_minor_that_has_a_train_nor_with_an_empty_treasury() -> None:
    game = operating()
    set_phase(game, "3")
    give_train(game, "KSZ", "2-0")
    give_train(game, "KFBE", "2-1")
    turn_of(game, "KSZ", "train")
    assert refused(game, "KSZ", "buy_train", train="3-0", price=180, variant="3") == "insufficient_funds"
    game = operating()
    set_phase(game, "3")
    give_train(game, "KFBE", "2-0")
    turn_of(game, "KSZ", "track")
    give_money_to(game, "KSZ", 0)
    passes(game, "KSZ")
    assert where(game) == "KBE:track"


def test_help_reaches_the_train_of_another_company() -> None:
    game = operating()
    set_phase(game, "3")
    give_train(game, "KFBE", "2-0")
    turn_of(game, "KSZ", "train")
    before = cash(game)[0]
    train(game, "KSZ", "2-0", 150)
    assert treasuries(game, "KSZ") == [0] and cash(game)[0] == before - 50 and treasuries(game, "KFBE") == [350]


def test_the_owner_must_have_the_whole_difference() -> None:
    game = operating()
    set_phase(game, "3")
    give_train(game, "KFBE", "2-0")
    turn_of(game, "KSZ", "train")
    give_money(game, "P1", 79)
    assert refused(game, "KSZ", "buy_train", train="3-0", price=180, variant="3") == "insufficient_funds"


def test_with_the_option_minors_must_buy() -> None:
    game = operating(("minors_must_buy",))
    line(game)
    turn_of(game, "KBE", "train")
    assert kinds(game, "KBE") == {"buy_train"}
    assert refused(game, "KBE", "pass") == "wrong_action"


def test_the_eva_is_bought_from_its_owner_in_an_operating_turn() -> None:
    game = operating()
    before = cash(game)
    act(game, "EKB", "buy_company", company="EVA", price=60)
    assert cash(game) == [before[0] - 60, before[1] + 60] and where(game) == "EKB:track"
    assert game.company("EVA").owner == "player:P1"
    assert refused(game, "EKB", "buy_company", company="EVA", price=60) in ("not_for_sale", "wrong_action")
    assert refused(game, "EKB", "buy_company", company="FdSD", price=60) in ("not_for_sale", "wrong_action")


# --- emergency --------------------------------------------------------------------------------------------------


def test_a_corporation_with_a_route_must_buy_and_its_president_adds_money() -> None:
    game = de_needs_a_train(30)
    assert where(game) == "DE:train" and "pass" not in kinds(game)
    assert refused(game, "DE", "pass") == "wrong_action"
    cheapest = min(m["price"] for m in game.moves() if m["type"] == "buy_train")
    give_money(game, "P2", 100)
    name = next(m["train"] for m in game.moves() if m["type"] == "buy_train")
    train(game, "DE", name, cheapest)
    assert treasuries(game, "DE") == [0]
    assert cash(game)[1] == 100 - (cheapest - 30) + 30, "the EVA paid 30 in the round that has begun"


def test_shares_are_sold_only_in_need_and_no_more_than_needed() -> None:
    game = de_needs_a_train(0)
    give_money(game, "P2", 10)
    hold(game, "DE", P2=[0, 2, 4, 5], P1=[1, 3], pool=[6, 7, 8])
    assert refused(game, "P2", "sell_shares", shares=["DE_2", "DE_4"], percent=20) == "sells_too_much"
    sell(game, "P2", "DE_2", percent=10)
    assert cash(game)[1] == 85 and price(game, "DE") == 70
    assert refused(game, "P2", "sell_shares", shares=["DE_4"], percent=10) in ("no_money_needed", "sells_too_much")


def test_minors_owners_never_sell_shares() -> None:
    game = operating()
    turn_of(game, "KSZ", "train")
    give_money_to(game, "KSZ", 1)
    give_money(game, "P1", 0)
    assert "sell_shares" not in kinds(game)
    assert refused(game, "KSZ", "bankrupt") in ("not_insolvent", "nothing_to_do", "wrong_action", "not_your_turn")


def test_bonds_are_sold_in_need() -> None:
    game = de_needs_a_train(0)
    hand_over(game, "AdSK-1", "P2")
    give_money(game, "P2", 10)
    hold(game, "DE", P2=[0], P1=[1, 3], pool=[2, 4, 5, 6, 7, 8])
    assert "sell_company" in kinds(game, "P2") and "bankrupt" not in kinds(game)
    act(game, "P2", "sell_company", company="AdSK-1", price=100)
    assert cash(game)[1] == 110 and game.company("AdSK-1").owner == "bank"
    assert refused(game, "P2", "sell_company", company="AdSK-1", price=100) in ("wrong_action", "not_your_turn")
    name = next(m["train"] for m in game.moves() if m["type"] == "buy_train")
    train(game, "DE", name, 80)
    assert cash(game)[1] == 30 + 30, "the EVA paid 30 in the round that has begun"


def test_bonds_are_not_sold_without_need() -> None:
    game = operating()
    hand_over(game, "AdSK-1", "P1")
    turn_of(game, "EKB", "train")
    assert "sell_company" not in kinds(game)
    assert refused(game, "P1", "sell_company", company="AdSK-1", price=100) in ("wrong_action", "not_your_turn")


def test_bankruptcy_ends_the_game_at_once() -> None:
    game = de_needs_a_train(0)
    give_money(game, "P2", 10)
    hold(game, "DE", P2=[0], P1=[1, 3], pool=[2, 4, 5, 6, 7, 8])
    assert kinds(game, "DE") == {"bankrupt"}
    act(game, "DE", "bankrupt")
    assert game.finished and game.state.outcome is not None and game.state.outcome.reason == "bankrupt"
    assert game.player("P2").bankrupt and cash(game)[1] == 0
    cards = sum(game.company(sym).value for sym in game.player("P2").companies)
    assert game.state.outcome.result["P2"] == cards + 2 * price(game, "DE"), "unsold shares and cards count"


# --- the end ----------------------------------------------------------------------------------------------------


def test_the_set_in_progress_is_finished_when_the_bank_breaks() -> None:
    game = operating()
    line(game)
    give_train(game, "KBE", "2-0")
    turn_of(game, "KBE", "route")
    game.state.bank = 10
    run(game, "KBE", "2-0")
    assert game.state.bank_broken and game.state.bank < 0 and not game.finished
    while not game.finished:
        assert game.state.turn == 1
        do_little(game)
    assert game.round_label() == "OR 1.2" and game.state.outcome is not None
    assert game.state.outcome.reason == "bank"


def test_a_break_between_sets_plays_a_whole_further_set() -> None:
    game = operating()
    while game.round.kind != "stock":
        do_little(game)
    game.state.bank, game.state.bank_broken = -1, True
    while not game.finished:
        do_little(game)
    assert game.round_label() == "OR 2.2"


def test_scores_count_cash_shares_and_cards_at_face_value() -> None:
    game = floated()
    p1 = game.player("P1")
    cards = 210 + 100 + 180 + 180 + 100
    assert ending.score(game, p1) == p1.cash + 2 * 60 + cards
    hand_over(game, "AdSK-1", "P1")
    assert ending.score(game, p1) == p1.cash + 2 * 60 + cards + 100
    assert state_of(game).turn == 1


def test_discards_happen_at_once_minors_first() -> None:
    game = floated()
    skip_stock_round(game)
    for train_id in ("2-0", "2-1"):
        give_train(game, "KSZ", train_id)
    for train_id in ("2-2", "2-3", "2-4"):
        give_train(game, "DE", train_id)
    put_tile(game, "T3", "57", 1)
    set_phase(game, "4", first="5")
    give_money_to(game, "EKB", 450)
    turn_of(game, "EKB", "train")
    train(game, "EKB", "5-0", 450)
    assert where(game) == "KSZ:discard_train"
    act(game, "KSZ", "discard_train", train="2-0")
    assert where(game) == "DE:discard_train"
    act(game, "DE", "discard_train", train="2-2")
    assert where(game).startswith("KFBE")
