"""Two minors become the Great Western: the example of the game, action by action (1867 section 8)."""

from __future__ import annotations

from .table import Canada


def cash_of_a(table: Canada) -> int:
    return table.player("A").cash


def auction(table: Canada) -> None:
    """The others take the private companies."""
    for bidder, company, price in (
        ("B", "C&SL", 20),
        ("C", "NFB", 30),
        ("D", "MB", 40),
        ("B", "QB", 50),
        ("D", "SCT", 60),
    ):
        while table.acting() != [bidder]:
            table.passes(str(table.acting()[0]))
        table.bid(bidder, company, price)
        while table.state.bidding is not None and table.state.bidding.item == company:
            table.passes(str(table.acting()[0]))
    assert table.cash() == [315, 245, 285, 215]
    assert table.step() == "stock"


def minor(table: Canada, player: str, sym: str, price: int, city: str) -> None:
    """A minor is won without another bid."""
    table.bid(player, sym, price).home(sym, city)
    while table.state.bidding is not None:
        table.passes(str(table.acting()[0]))


def first_stock_round(table: Canada) -> None:
    while table.acting() != ["A"]:
        table.passes(str(table.acting()[0]))
    minor(table, "A", "CV", 100, "D16-1-0")
    assert cash_of_a(table) == 215
    assert table.of("CV") == (100, 50, [])
    minor(table, "B", "KP", 100, "G15-0-0")
    minor(table, "C", "AE", 100, "L12-0-1")
    minor(table, "D", "BO", 100, "M9-0-0")
    table.bid("A", "CS", 100).home("CS", "E17-0-0").bid("B", "CS", 110).passes("C", "D")
    table.bid("A", "CS", 120).passes("B")
    assert cash_of_a(table) == 95
    assert table.of("CS") == (120, 60, [])
    assert table.of("CV") == (100, 50, [])
    minor(table, "B", "OP", 140, "C17-4-0")
    minor(table, "C", "PM", 180, "N12-6-0")
    minor(table, "D", "NO", 115, "O7-2-0")
    assert table.price("PM") == 90
    assert table.price("NO") == 55
    assert table.game.round_label() == "OR 1.1"


def first_operating_round(table: Canada) -> None:
    table.lay("PM", "N12", "6-0", 5).passes("PM").train("PM", "2-0", 100)
    table.lay("OP", "C17", "57-0", 1).passes("OP").train("OP", "2-1", 100).passes("OP")
    table.lay("CS", "E17", "621-0", 2).passes("CS")
    assert table.of("CS") == (120, 55, [])
    table.train("CS", "2-2", 100).passes("CS")
    assert table.of("CS") == (20, 55, ["2"])
    table.lay("NO", "O7", "201-0", 5).passes("NO").train("NO", "2-3", 100).passes("NO")
    table.lay("CV", "D16", "202-0", 5).passes("CV")
    assert table.of("CV") == (100, 45, [])
    table.train("CV", "2-4", 100)
    assert table.of("CV") == (0, 45, ["2"])
    table.lay("KP", "G15", "57-1", 1).passes("KP").train("KP", "2-5", 100)
    table.lay("AE", "L10", "58-0", 4).passes("AE").train("AE", "2-6", 100)
    table.lay("BO", "M9", "6-1", 1).passes("BO").train("BO", "2-7", 100)
    assert table.game.round_label() == "OR 1.2"


def second_operating_round(table: Canada) -> None:
    for sym, routes in (
        ("PM", {"2-0": ["N12-O13"]}),
        ("OP", {"2-1": ["C17-D16"]}),
        ("CS", {"2-2": ["E17-F18"]}),
        ("NO", {"2-3": ["O7-P8"]}),
        ("CV", {"2-4": ["D16-E17"]}),
        ("KP", {"2-5": ["G15-F16"]}),
        ("AE", {"2-6": ["L12-L10", "L10-M9"]}),
        ("BO", {"2-7": ["M9-L10", "L10-L12"]}),
    ):
        table.passes(sym).run(sym, routes)
        if sym == "CS":
            assert cash_of_a(table) == 125
            assert table.of("CS") == (50, 60, ["2"])
        if sym == "CV":
            assert cash_of_a(table) == 155
            assert table.of("CV") == (30, 50, ["2"])
        while table.step() == "train" and table.acting():
            if table.game.operator.sym != sym:
                break
            table.passes(sym)
    assert table.game.round_label() == "SR 2.1"


def second_stock_round(table: Canada) -> None:
    table.passes("A")
    minor(table, "B", "TN", 125, "F8-1-0")
    while table.acting() != ["D"]:
        table.passes(str(table.acting()[0]))
    minor(table, "D", "CA", 160, "D8-0-0")
    assert table.game.round_label() == "OR 2.1"


def third_operating_round(table: Canada) -> None:
    table.passes("PM").run("PM", {"2-0": ["N12-O13"]}).train("PM", "2-7", 120)
    table.passes("CA").train("CA", "2-8", 100).passes("CA")
    table.passes("OP").run("OP", {"2-1": ["C17-D16"]}).passes("OP")
    table.passes("CS").run("CS", {"2-2": ["E17-F18"]})
    assert cash_of_a(table) == 185
    assert table.of("CS") == (80, 65, ["2"])
    table.passes("CS")
    table.passes("TN").train("TN", "2-9", 100).passes("TN")
    table.passes("NO").run("NO", {"2-3": ["O7-P8"]}).passes("NO")
    table.passes("CV").run("CV", {"2-4": ["D16-E17"]})
    assert cash_of_a(table) == 215
    assert table.of("CV") == (60, 55, ["2"])
    table.passes("CV")
    table.passes("KP").run("KP", {"2-5": ["G15-F16"]}).passes("KP")
    table.passes("AE").run("AE", {"2-6": ["L12-L10", "L10-M9"]}).passes("AE")
    table.passes("BO")
    table.train("BO", "3-0", 225)
    assert table.company("BO").loans == 2
    assert table.game.phase.name == "3"
    table.passes("BO", "BO")
    assert table.game.round_label() == "MR 2.1"


def merger_round(table: Canada) -> None:
    table.passes("PM", "OP")
    assert table.game.current is table.company("CS")  # CA passed by itself: it has no partner
    assert {m.get("corporation") for m in table.game.moves() if m["type"] == "merge"} == {"CV"}
    table.merge("CS", "CV")
    assert {m.get("corporation") for m in table.game.moves() if m["type"] == "merge"} == {"OP"}
    table.passes("CS").merge("CS", "GWR")
    assert table.of("GWR") == (140, 120, ["2", "2"])
    assert table.company("GWR").holdings["player:A"] == [0]
    assert table.on_map("GWR") == ["E17", "D16", None]
    assert [token.price for token in table.company("GWR").tokens][2] == 40
    assert cash_of_a(table) == 215
    table.buy("A", "GWR_1")
    assert cash_of_a(table) == 95
    assert table.of("GWR") == (260, 120, ["2", "2"])
    assert table.acting() == ["C"]  # the others cannot pay 120
    table.passes("C")
    while table.game.round.kind == "merger":
        table.passes(table.game.operator.sym)
    assert table.game.round_label() == "OR 2.2"


def last_operating_round(table: Canada) -> None:
    while table.game.operator.sym != "GWR":
        sym = table.game.operator.sym
        if table.step() == "route":
            table.run(sym, {})
        elif table.step() == "train" and "pass" not in {m["type"] for m in table.game.moves()}:
            move = next(m for m in table.game.moves() if m["type"] == "buy_train" and isinstance(m["price"], int))
            table.train(sym, move["train"], move["price"])
        else:
            table.passes(sym)
    table.passes("GWR").run("GWR", {"2-2": ["E17-F18"], "2-4": ["D16-E17"]})
    before = cash_of_a(table)
    assert table.game.round.turn.routes[0].revenue == 70
    assert table.game.round.turn.routes[1].revenue == 60
    table.do("GWR", "dividend", kind="payout")
    assert cash_of_a(table) == before + 39
    assert cash_of_a(table) == 134
    assert table.of("GWR") == (351, 135, ["2", "2"])
    table.train("GWR", "3-1", 225)
    assert table.of("GWR") == (126, 135, ["2", "2", "3"])


def test_every_figure_of_the_example() -> None:
    """Buffalo pays 40 in phase 3, so the last run is 130 where the example says 120 (1867 section 7)."""
    table = Canada(4)
    auction(table)
    first_stock_round(table)
    first_operating_round(table)
    second_operating_round(table)
    second_stock_round(table)
    third_operating_round(table)
    merger_round(table)
    last_operating_round(table)
