"""The example of the rules from the set-up to the second operating round, figure by figure (1894 section 8)."""

from __future__ import annotations

from .table import Table1894


def belge(table: Table1894) -> tuple[int, int, list[str]]:
    """Treasury, share price and trains of Belge."""
    return table.treasury("Belge"), table.price("Belge"), table.trains("Belge")


def auction(table: Table1894) -> None:
    """J1 is A, and buys the presidency of Belge; Est was drawn, SAC left out."""
    game = table.game
    assert table.cash() == [480, 480, 480, 480]
    assert table.state.french_leader == "Est"
    assert game.company("SAC").closed
    assert [game.corporation("Est").holdings[f"player:{p}"] for p in "ABCD"] == [[8], [7], [6], [5]]
    assert [game.corporation("Belge").holdings[f"player:{p}"] for p in "ABCD"] == [[8], [7], [6], [5]]
    table.passes("A")
    table.do("B", "bid", company="LRC", price=20).do("C", "bid", company="AR", price=25)
    table.do("D", "bid", company="GLG", price=50).passes("A")
    table.do("B", "bid", company="SQG", price=70).do("C", "bid", company="LS", price=90)
    table.do("D", "bid", company="NMinorS", price=140).passes("A").do("B", "bid", company="EMS", price=180)
    assert game.corporation("Nord").holdings["player:D"] == [8]
    table.do("B", "par", corporation="Est", share_price="100,3,5").passes("C", "D")
    table.do("A", "bid", company="BMS", price=200)
    assert table.cash()[0] == 280
    assert table.step() == "par_pending"
    table.do("A", "par", corporation="Belge", share_price="100,3,5")
    assert table.cash() == [280, 210, 365, 290]
    assert belge(table) == (1000, 100, [])
    assert game.corporation("Belge").floated
    assert len(game.corporation("Belge").holdings["ipo"]) == 4
    assert game.corporation("Belge").president == "player:A"
    assert game.round_label() == "SR 1.1"
    assert table.acting() == ["B"]


def first_stock_round(table: Table1894) -> None:
    table.buy("B", "Est_1").do("C", "par", corporation="Nord", share_price="67,7,5")
    table.passes("D").do("A", "buy_shares", shares=["Belge_1"], percent=10)
    assert table.cash()[0] == 180
    assert len(table.game.corporation("Belge").holdings["ipo"]) == 3
    assert table.refused("B", "sell_shares", shares=["Est_1"], percent=10) == "wrong_action"
    table.passes("B").do("C", "buy_shares", shares=["Nord_1"], percent=10).passes("D", "A", "B")
    table.do("C", "buy_shares", shares=["Nord_2"], percent=10).passes("D", "A", "B")
    assert not table.game.corporation("Nord").floated
    table.do("C", "buy_shares", shares=["Nord_3"], percent=10).passes("D", "A", "B")
    assert table.treasury("Nord") == 670
    assert table.game.state.player_order == ["D", "B", "A", "C"]
    assert table.game.round_label() == "OR 1.1"
    assert table.cash() == [240, 155, 50, 320]


def first_operating_round(table: Table1894) -> None:
    game = table.game
    assert table.active() == "Est:track"
    table.passes("Est")
    assert table.active() == "Est:train"
    for train in ("2-0", "2-1", "2-2"):
        table.do("Est", "buy_train", train=train, price=80, variant="2")
    table.passes("Est")
    assert table.active() == "Belge:track"
    assert table.cities("E16") == [["Belge"]]
    assert belge(table) == (1000, 100, [])
    assert not game.company("BMS").closed
    table.lay("Belge", "E16", "57-0", 0).lay("Belge", "F15", "X2-0", 1)
    assert belge(table) == (1000, 100, [])
    assert table.active() == "Belge:token"
    table.passes("Belge")
    assert belge(table) == (1000, 93, [])
    assert game.company("BMS").closed
    assert table.refused("Belge", "pass") == "wrong_action"
    table.do("Belge", "buy_train", train="2-3", price=80, variant="2")
    table.do("Belge", "buy_train", train="2-4", price=80, variant="2").passes("Belge")
    assert belge(table) == (840, 93, ["2", "2"])
    assert table.active() == "Nord:track"
    table.passes("Nord")
    table.do("Nord", "buy_train", train="2-5", price=80, variant="2")
    table.do("Nord", "buy_train", train="2-6", price=80, variant="2").passes("Nord")
    assert game.round_label() == "SR 2.1"


def second_stock_round(table: Table1894) -> None:
    table.passes("D", "B").do("A", "buy_shares", shares=["Belge_2"], percent=10)
    assert table.cash()[0] == 140
    assert len(table.game.corporation("Belge").holdings["ipo"]) == 2
    table.passes("A", "C", "D", "B", "A")
    assert table.price("Belge") == 93
    assert table.game.state.player_order == ["D", "B", "C", "A"]
    assert table.game.round_label() == "OR 2.1"
    assert table.cash() == [140, 160, 70, 350]


def second_operating_round(table: Table1894) -> None:
    game = table.game
    table.passes("Est", "Est")
    table.lay("Belge", "D17", "57-1", 0).passes("Belge")
    assert table.active() == "Belge:token"
    table.passes("Belge")
    revenue = table.run("Belge", ("2-3", [["E16", "F15"]]), ("2-4", [["E16", "D17"]]))
    assert revenue == 90
    table.do("Belge", "dividend", kind="payout")
    assert belge(table) == (858, 100, ["2", "2"])
    assert table.cash() == [185, 169, 79, 359]
    table.do("Belge", "buy_train", train="3-0", price=120, variant="3")
    assert game.phase.name == "Green"
    assert belge(table) == (738, 100, ["2", "2", "3"])
    table.do("Belge", "buy_train", train="3-1", price=80, variant="3", exchange="2-3")
    assert belge(table) == (658, 100, ["2", "3", "3"])
    table.passes("Belge")
    assert table.active() == "Belge:company"
    offer = next(m for m in table.offered("buy_company") if m["company"] == "GLG")
    assert offer["price"] == {"min": 25, "max": 100, "step": 1}
    assert table.cash() == [185, 169, 79, 359]
    assert (table.treasury("Est"), table.price("Est")) == (760, 87)
    assert (table.treasury("Nord"), table.price("Nord")) == (510, 64)


def test_example_of_the_rules() -> None:
    table = Table1894()
    auction(table)
    first_stock_round(table)
    first_operating_round(table)
    second_stock_round(table)
    second_operating_round(table)
