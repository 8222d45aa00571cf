"""Ferry markers, London, the token of London shipping, and the bonuses of the map's edges (1894 4.6-4.8, 5)."""

from __future__ import annotations

from services.rules.engine.routes.check import check_run
from services.rules.engine.routes.context import RunContext

from .table import Table1894, operating


def nord(cash: int = 500, *, train: str | None = "3") -> Table1894:
    """Nord operates in the green phase; its track leads from Lens over Calais to London."""
    table = operating().phase("Green")
    table.tile("D9", "57", 2).tile("C8", "8", 3).tile("B9", "57", 0)
    if train:
        table.give_train("Nord", train)
    table.operate("Nord")
    table.game.corporation("Nord").cash = cash
    return table.touch()


def revenue(table: Table1894, sym: str, *connections: list[str]) -> int:
    """What the first train of a corporation earns on a route."""
    game = table.game
    train = game.corporation(sym).trains[0]
    route = {"train": train, "connections": list(connections)}
    return check_run(game.title.map, game.state, sym, [route], game.title.route_rules).total


def test_ferry_is_offered_at_any_time_once_london_is_reached() -> None:
    table = nord()
    assert [m["cost"] for m in table.offered("special_buy")] == [80]
    table.do("Nord", "special_buy", description="Ferry marker", cost=80)
    assert table.treasury("Nord") == 420
    assert len(table.state.board["A12"].icons) == 3
    assert table.active() == "Nord:track"
    assert table.refused("Nord", "special_buy", description="Ferry marker", cost=80) == "wrong_action"


def test_ferry_price_has_to_match_and_to_be_paid() -> None:
    table = nord()
    assert table.refused("Nord", "special_buy", description="Ferry marker", cost=40) == "wrong_price"
    assert table.refused("Nord", "special_buy", description="Ferry marker") == "wrong_price"
    assert table.refused("Nord", "special_buy", description="Boat", cost=80) == "not_for_sale"
    assert table.refused("Est", "special_buy", description="Ferry marker", cost=80) == "not_your_turn"
    assert nord(79).offered("special_buy") == []


def test_four_markers_and_no_more() -> None:
    table = nord()
    table.state.board["A12"].icons.clear()
    table.touch()
    assert table.offered("special_buy") == []


def test_london_has_to_be_reached() -> None:
    table = operating().phase("Green")
    table.operate("Nord")
    assert table.offered("special_buy") == []


def test_owner_of_london_shipping_pays_40_and_gets_a_token_in_a12() -> None:
    table = nord().own("Nord", "LS")
    assert [m["cost"] for m in table.offered("special_buy")] == [40]
    assert table.refused("LS", "place_token", city="57-1-0") == "wrong_hex"
    table.do("LS", "place_token", city="A12-0-0")
    assert table.cities("A12") == [["Nord"]]
    assert [token.hex for token in table.game.corporation("Nord").tokens] == ["D9", "G14", "A12", None]
    assert table.treasury("Nord") == 500
    assert table.active() == "Nord:track"
    assert table.refused("LS", "place_token", city="A12-0-0") == "not_your_turn"
    table.pass_until("token")
    assert "A12-0-0" not in {m["city"] for m in table.offered("place_token")}


def test_shipping_token_keeps_the_last_step_of_the_turn_open() -> None:
    table = nord(0).own("Nord", "LS")
    table.pass_until("company")
    assert {m["type"] for m in table.game.moves() if m["entity"] == "Nord"} == {"pass"}
    table.do("LS", "place_token", city="A12-0-0")
    assert table.active() != "Nord:company"


def test_token_step_asks_for_london_but_london_takes_none() -> None:
    table = nord().token("Nord", "B9").pass_until("token")
    assert table.active() == "Nord:token"
    assert table.offered("place_token") == []
    table = nord()
    table.pass_until("token")
    assert table.refused("Nord", "place_token", city="A10-0-0") == "no_tokens_here"


def test_without_a_ferry_london_is_a_wall_that_still_counts_as_reached() -> None:
    table = nord().tile("B11", "57", 2)
    network = table.game.network(table.game.corporation("Nord"))
    assert ("A10", 0) in network.nodes
    assert ("B11", 0) not in network.nodes
    table.do("Nord", "special_buy", description="Ferry marker", cost=80)
    assert ("B11", 0) in table.game.network(table.game.corporation("Nord")).nodes


def test_london_alone_makes_a_train_compulsory_and_a_run_of_nothing_necessary() -> None:
    table = operating().phase("Green").tile("B9", "57", 0)
    table.start_corporation("CFOR", "A")
    cfor = table.game.corporation("CFOR")
    cfor.home = ["B9"]
    table.operate("CFOR")
    table.pass_until("train")
    assert table.game.title.route_for_purchase(table.game, cfor)
    assert table.refused("CFOR", "pass") == "wrong_action"
    table = operating().phase("Green").tile("B9", "57", 0)
    table.start_corporation("CFOR", "A").game.corporation("CFOR").home = ["B9"]
    table.give_train("CFOR", "2")
    table.operate("CFOR").pass_until("route")
    train = table.game.corporation("CFOR").trains[0]
    route = [{"train": train, "connections": [["B9", "A10"]]}]
    assert table.refused("CFOR", "run_routes", routes=route) == "forbidden_stop"
    table.do("CFOR", "run_routes", routes=[])


def test_ferry_opens_london_to_routes_and_the_token_doubles_the_best_stop() -> None:
    table = nord(train="4").do("Nord", "special_buy", description="Ferry marker", cost=80)
    link = (["A10", "B9"], ["B9", "C8", "D9"])
    assert revenue(table, "Nord", *link) == 30 + 20 + 20
    table.own("Nord", "LS").do("LS", "place_token", city="A12-0-0")
    assert revenue(table, "Nord", *link) == 30 + 20 + 20 + 20
    table.phase("Brown").tile("E10", "57", 2)
    assert revenue(table, "Nord", *link, ["D9", "E10"]) == 80 + 20 + 20 + 20 + 20


def test_luxembourg_is_worth_the_best_stop() -> None:
    table = operating().phase("Brown")
    table.tile("F15", "X2", 0).tile("F15", "X6", 0).tile("F17", "8", 5).tile("H17", "57", 2).tile("H17", "14", 2)
    table.give_train("Belge", "D")
    table.operate("Belge").token("Belge", "F15")
    link = (["F15", "F17", "G18"], ["G18", "H17"], ["H17", "I18"])
    assert revenue(table, "Belge", *link) == 50 + 30 + 30 + 0 + 50


def test_netherlands_add_100_with_another_exit_but_not_with_london() -> None:
    table = operating().phase("Brown")
    table.tile("D17", "57", 0).tile("E16", "57", 2).tile("E16", "14", 2)
    table.tile("F17", "9", 2).tile("H17", "57", 2).tile("H17", "14", 2)
    table.give_train("Belge", "D")
    table.operate("Belge")
    home = (["C18", "D17"], ["D17", "E16"])
    assert revenue(table, "Belge", *home) == 40 + 20 + 30
    link = (*home, ["E16", "F17", "G18"], ["G18", "H17"], ["H17", "I18"])
    assert revenue(table, "Belge", *link) == 40 + 20 + 30 + 30 + 30 + 40 + 100


def test_a_train_visits_paris_once_and_both_halves_of_a_split_city() -> None:
    table = operating().phase("Brown").tile("G6", "X1", 0).tile("G6", "X4", 0)
    table.tile("B9", "57", 0).tile("B9", "14", 0).tile("B9", "X16", 0)
    rules = table.game.title.route_rules
    run = RunContext(table.game.title.map, table.state, "Belge", rules)
    assert [rules.exclusive(run, run.stop("G6", city)) for city in (0, 1)] == [("G6",), ("G6",)]
    assert [rules.exclusive(run, run.stop("B9", city)) for city in (0, 1)] == [(), ()]
