"""Trains, phases, dividends and the end of the game (1894 1.3, 1.4, 4.9, 4.10, 4.12, 6)."""

from __future__ import annotations

from services.rules.engine import trains

from .table import Table1894, operating


def buying(next_train: str, *owned: str, cash: int = 1000, phase: str = "Green") -> Table1894:
    """Belge, with a route, is to buy trains; the depot begins with ``next_train``."""
    table = operating().phase(phase).tile("E16", "57", 0).tile("F15", "X2", 1)
    depot = table.state.depot
    while trains.rank(depot.upcoming[0]) != next_train:
        trains.remove_train(table.game, depot.upcoming[0])
    for name in owned:
        train = next(t for t in depot.trains if depot.trains[t].name == name and depot.trains[t].owner is None)
        depot.trains[train].owner = "Belge"
        table.game.corporation("Belge").trains.append(train)
    for sym in ("Est", "Nord"):
        train = next(t for t in depot.trains if depot.trains[t].owner is None)
        depot.trains[train].owner = sym
        table.game.corporation(sym).trains.append(train)
    table.operate("Belge").game.corporation("Belge").cash = cash
    table.touch().pass_until("train")
    table.game.corporation("Belge").cash = cash
    return table.touch()


def test_trade_ins_cost_the_difference_less_half_and_leave_the_game() -> None:
    expected = {
        ("3", "2"): 80,
        ("4", "3"): 240,
        ("5+1", "4"): 250,
        ("6", "5+1"): 400,
        ("7", "6"): 400,
        ("D", "5+1"): 600,
        ("D", "6"): 500,
        ("D", "7"): 450,
    }
    for (new, old), price in expected.items():
        table = buying(new, old)
        own = table.game.corporation("Belge").trains[0]
        sale = table.state.depot.upcoming[0]
        assert [m["price"] for m in table.offered("buy_train") if m.get("exchange") == own] == [price]
        assert table.refused("Belge", "buy_train", train=sale, price=price - 10, exchange=own) == "wrong_price"
        table.do("Belge", "buy_train", train=sale, price=price, variant=new, exchange=own)
        assert table.treasury("Belge") == 1000 - price
        assert table.state.depot.trains[own].owner is None
        assert table.state.depot.discarded == []


def test_one_trade_in_a_turn_and_only_pairs_with_a_discount() -> None:
    table = buying("3", "2", "2")
    first, second = table.game.corporation("Belge").trains
    table.do("Belge", "buy_train", train="3-0", price=80, exchange=first)
    assert table.refused("Belge", "buy_train", train="3-1", price=80, exchange=second) == "no_trade_in"
    assert all("exchange" not in m for m in table.offered("buy_train"))
    table = buying("4", "2")
    own = table.game.corporation("Belge").trains[0]
    assert table.refused("Belge", "buy_train", train="4-0", price=240, exchange=own) == "no_trade_in"


def test_trade_in_at_the_limit_but_no_purchase() -> None:
    table = buying("3", "2", "2", "2", "2")
    assert table.active() == "Belge:train"
    assert table.refused("Belge", "buy_train", train="3-0", price=120, variant="3") == "train_limit"
    assert {m.get("exchange") is not None for m in table.offered("buy_train")} == {True}
    own = table.game.corporation("Belge").trains[0]
    table.do("Belge", "buy_train", train="3-0", price=80, variant="3", exchange=own)
    assert table.active() != "Belge:train"


def test_imported_games_buy_at_the_limit_and_discard() -> None:
    table = buying("3", "2", "2", "2", "2")
    table.state.mode = "imported"
    action = {"type": "buy_train", "entity": "Belge", "entity_type": "corporation"}
    table.game.replay({**action, "train": "3-0", "price": 120, "variant": "3"})
    assert table.active() == "Belge:discard_train"


def test_trade_in_is_paid_by_the_treasury_alone() -> None:
    table = buying("3", "2", cash=79)
    own = table.game.corporation("Belge").trains[0]
    assert table.refused("Belge", "buy_train", train="3-0", price=80, exchange=own) == "insufficient_funds"


def test_list_price_first_train_and_room() -> None:
    table = buying("3")
    assert table.refused("Belge", "buy_train", train="3-0", price=100, variant="3") == "wrong_price"
    assert table.refused("Belge", "buy_train", train="3-1", price=120, variant="3") == "not_on_sale"
    assert table.refused("Belge", "buy_train", train="4-0", price=300, variant="4") == "not_on_sale"
    assert table.refused("Belge", "buy_train", train="9-0", price=300) == "unknown_train"
    assert table.refused("Belge", "pass") == "wrong_action"
    assert table.refused("Belge", "bankrupt") == "not_insolvent"


def test_president_adds_what_is_missing_and_sells_no_more_than_needed() -> None:
    table = buying("4", cash=100, phase="Blue")
    table.game.player("A").cash = 150
    table.touch()
    assert table.refused("Belge", "buy_train", train="4-0", price=300, variant="4") == "insufficient_funds"
    assert table.refused("A", "sell_shares", shares=["Belge_8", "Belge_1"], percent=20) in (
        "sells_too_much",
        "pool_limit",
    )
    assert table.refused("B", "sell_shares", shares=["Est_1"], percent=10) == "not_your_turn"
    table.sell("A", "Belge_1")
    cash = table.game.player("A").cash
    assert cash >= 200
    table.do("Belge", "buy_train", train="4-0", price=300, variant="4")
    assert (table.treasury("Belge"), table.game.player("A").cash) == (0, cash - 200)


def test_train_of_another_corporation_costs_at_most_its_list_price_in_an_emergency() -> None:
    table = buying("3", cash=20)
    other = table.game.corporation("Est").trains[0]
    full = trains.list_price(table.game, other)
    table.game.player("A").cash = 500
    table.touch()
    assert table.refused("Belge", "buy_train", train=other, price=full + 1) == "wrong_price"
    table.do("Belge", "buy_train", train=other, price=full)
    assert table.treasury("Belge") == 0


def test_brown_brings_late_corporations_red_closes_companies_purple_the_rest() -> None:
    table = buying("5+1", phase="Blue")
    assert not table.game.corporation("LF").in_play
    table.do("Belge", "buy_train", train="5+1-0", price=400, variant="5+1")
    assert (table.game.phase.name, table.game.corporation("LF").in_play) == ("Brown", True)
    table = buying("6", phase="Brown")
    table.do("Belge", "buy_train", train="6-0", price=600, variant="6")
    assert table.game.phase.name == "Red"
    assert [c.sym for c in table.game.state.companies.values() if not c.closed] == ["SQG"]
    table = buying("D", "5+1", phase="Gray")
    table.do("Belge", "buy_train", train="D-0", price=800, variant="D")
    assert table.game.phase.name == "Purple"
    assert table.game.company("SQG").closed
    assert table.trains("Belge") == ["D"]
    assert table.state.depot.upcoming == ["D-1"]
    assert table.state.last_set_next


def test_purple_limit_of_two_makes_everybody_discard_out_of_the_game() -> None:
    table = buying("D", "6", "7", phase="Gray")
    depot = table.state.depot
    for name in ("6", "7"):
        train = next(t for t in depot.trains if depot.trains[t].name == name and depot.trains[t].owner is None)
        depot.trains[train].owner = "Nord"
        table.game.corporation("Nord").trains.append(train)
    table.do("Belge", "buy_train", train="D-0", price=800, variant="D")
    assert table.active() == "Nord:discard_train"
    assert table.refused("Nord", "pass") == "wrong_action"
    gone = table.game.corporation("Nord").trains[-1]
    table.do("Nord", "discard_train", train=gone)
    assert depot.discarded == []
    assert table.state.depot.trains[gone].owner is None
    assert table.active() == "Belge:discard_train"


def test_unsold_shares_pay_the_treasury_and_pool_shares_nobody() -> None:
    table = buying("3", "2", cash=0)
    table.operate("Belge", 2).pool("Belge", 4).pass_until("route")
    train = table.game.corporation("Belge").trains[0]
    assert table.run("Belge", (train, [["E16", "F15"]])) == 50
    unsold = len(table.game.corporation("Belge").holdings["ipo"])
    table.price_at("Belge", (6, 0))
    cash = {p: table.game.player(p).cash for p in "ABCD"}
    table.do("Belge", "dividend", kind="payout")
    assert table.treasury("Belge") == 5 * unsold
    own = {p: len(table.game.corporation("Belge").holdings.get(f"player:{p}", [])) for p in "ABCD"}
    own["A"] += 1
    assert {p: table.game.player(p).cash - cash[p] for p in "ABCD"} == {p: 5 * n for p, n in own.items()}
    assert table.price("Belge") == 56


def test_450_reached_by_a_dividend_ends_the_game_at_once() -> None:
    table = buying("3", "2", cash=0)
    table.operate("Belge", 2).pass_until("route")
    train = table.game.corporation("Belge").trains[0]
    table.run("Belge", (train, [["E16", "F15"]]))
    table.price_at("Belge", (0, 12)).do("Belge", "dividend", kind="payout")
    outcome = table.game.state.outcome
    assert outcome is not None
    assert outcome.reason == "stock_market"
    assert table.price("Belge") == 450
    assert table.refused("Belge", "pass") == "game_finished"


def test_bankruptcy_ends_the_game() -> None:
    table = buying("7", cash=0, phase="Gray")
    table.game.player("A").cash = 0
    table.price_at("Belge", (10, 0)).price_at("Est", (10, 1))
    assert table.offered("bankrupt")
    table.do("Belge", "bankrupt")
    outcome = table.game.state.outcome
    assert outcome is not None
    assert outcome.reason == "bankrupt"
    assert table.game.player("A").cash == 0


def test_set_after_the_first_d_is_the_last_without_track_and_tokens() -> None:
    table = buying("D", phase="Gray")
    turn = table.state.turn
    table.state.operating_rounds = 1
    for sym in ("Est", "Nord"):
        corporation = table.game.corporation(sym)
        corporation.trains.clear()
        corporation.cash = 1000
    table.do("Belge", "buy_train", train="D-0", price=800, variant="D")
    assert table.state.final_turn == turn + 1
    seen: set[str] = set()
    for _ in range(200):
        if table.game.finished:
            break
        waiting = table.active()
        name, step = waiting.split(":")
        if table.state.turn == turn + 1 and table.game.round.kind == "operating":
            seen.add(step)
            assert table.state.last_set
        offered = {m["type"] for m in table.game.moves() if m["entity"] == name}
        if step == "train" and "pass" not in offered:
            sale = table.state.depot.upcoming[0]
            table.do(name, "buy_train", train=sale, price=800, variant="D")
        elif step == "route":
            table.do(name, "run_routes", routes=[])
        else:
            table.do(name, "pass")
    assert table.game.finished
    assert not seen & {"track", "token"}
    assert table.game.state.outcome is not None
    assert table.game.state.outcome.reason == "final_phase"
    assert table.game.round_label() == f"OR {turn + 1}.3"


def test_score_counts_cash_shares_and_face_values_but_no_treasury() -> None:
    from services.rules.engine import ending

    table = operating()
    player = table.game.player("B")
    assert player.companies == ["LRC", "SQG", "EMS"]
    assert ending.score(table.game, player) == player.cash + 4 * 100 + 1 * 100 + 20 + 70 + 180
