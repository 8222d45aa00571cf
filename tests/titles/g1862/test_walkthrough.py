"""The rules' example with every figure: WVR at Beccles, from its charter to its third operation (1862 section 8).

The example prints prices of a board on which a step is one cell; the market of the rules has a second row, so that a
step is two of its cells. ``PRINTED`` has the prices where the two differ (1862 section 7, row 1; the title's notes).
"""

from __future__ import annotations

from services.rules.engine import events
from services.rules.engine.game import Applied, Game
from services.rules.titles.g1862 import charters
from services.rules.titles.g1862.state import of
from services.rules.titles.g1862.steps.operating import hudson_extra

from .table import bid, buy, cash, corporation, describe, lay, par, passes, price, start, trains, where

PRINTED = {62: 65, 74: 71}
"""Price of the rules: price printed in the example, for the turns without a train and after the third one."""


def figures(game: Game) -> tuple[int, int, int, list[str]]:
    """Cash of the first player, treasury, price and trains of WVR."""
    return cash(game, "J1"), cash(game, "WVR"), price(game, "WVR"), trains(game, "WVR")


def done(game: Game, type_: str, **fields: object) -> Applied:
    """An action of WVR, with what happened."""
    return game.apply(describe(game, "WVR", type_, **fields))


def paid(applied: Applied) -> dict[str, int]:
    return {e.receiver: e.amount for e in applied.events if isinstance(e, events.PayoutReceived)}


def run(game: Game, *routes: tuple[str, str, str]) -> list[int]:
    """Revenue of routes between two stops."""
    done(game, "run_routes", routes=[{"train": train, "connections": [[a, b]]} for train, a, b in routes])
    return [route.revenue for route in game.round.turn.routes]


def charter() -> Game:
    """J1 wins the charter against J3 and floats WVR at once."""
    game = start(4, seed=3)
    assert [player.cash for player in game.state.players] == [600] * 4
    assert len(charters.offered(game)) == 8
    assert "WVR" in charters.offered(game)
    assert corporation(game, "WVR").permits == ["express"]
    bid(game, "J1", "WVR", 0)
    passes(game, "J2")
    bid(game, "J3", "WVR", 10)
    passes(game, "J4")
    bid(game, "J1", "WVR", 15)
    passes(game, "J3")
    assert (cash(game, "J1"), cash(game, "WVR")) == (585, 0)
    par(game, "J1", "WVR", "68,0,18")
    assert figures(game) == (381, 0, 68, [])
    buy(game, "J1", "WVR_1")
    assert figures(game) == (313, 0, 68, [])
    assert not corporation(game, "WVR").floated
    buy(game, "J1", "WVR_2")
    assert figures(game) == (245, 680 - 180, 68, [])
    assert len(corporation(game, "WVR").tokens) == 3
    return game


def first_operation() -> Game:
    """One share more; Beccles and Lowestoft, a token, and a train."""
    game = charter()
    passes(game, "J2", "J3", "J4")
    assert of(game).parliaments == 2, "J1 has won and is skipped"
    passes(game, "J1", "J2", "J3", "J4")
    assert game.round_label() == "SR 1.1"
    assert figures(game) == (245, 500, 68, [])
    buy(game, "J1", "WVR_3")
    assert figures(game) == (177, 500, 68, [])
    passes(game, "J2", "J3", "J4", "J1")
    assert game.round_label() == "OR 1.1"
    assert corporation(game, "WVR").tokens[0].hex == "G8"
    assert game.state.board["G8"].icons == []
    assert game.state.player_order == ["J2", "J3", "J4", "J1"]
    lay(game, "WVR", "G8", "57-0", 1)
    lay(game, "WVR", "H7", "6-0", 1)
    assert where(game) == "WVR:token"
    assert figures(game) == (177, 500, 68, [])
    done(game, "place_token", city="6-0-0", slot=0)
    assert [token.hex for token in corporation(game, "WVR").tokens] == ["G8", "H7", None]
    assert where(game) == "WVR:train"
    assert figures(game) == (177, 500, 62, [])
    done(game, "buy_train", train="A-0", price=100, variant="2E*", warranties=0)
    assert figures(game) == (177, 400, 62, ["2E*"])
    return game


def second_operation() -> Game:
    """Great Yarmouth, 40 with 30 from the treasury, a second train."""
    game = first_operation()
    passes(game, "WVR")
    assert game.round_label() == "PR 2.1"
    passes(game, "J2", "J3", "J4", "J1", "J2", "J3", "J4", "J1")
    assert game.round_label() == "OR 2.1"
    assert figures(game) == (177, 400, 62, ["2E*"])
    lay(game, "WVR", "H5", "202-0", 0)
    passes(game, "WVR", "WVR")
    assert run(game, ("A-0", "G8", "H7")) == [40]
    assert figures(game) == (177, 400, 62, ["2E*"])
    hudson = done(game, "dividend", kind="hudson")
    assert paid(hudson) == {"player:J1": 6 * 7}
    assert figures(game) == (219, 370, 68, ["2E"])
    done(game, "buy_train", train="A-1", price=100, variant="2E*", warranties=0)
    assert figures(game) == (219, 270, 68, ["2E", "2E*"])
    return game


def test_the_charter() -> None:
    assert charter().state.bank == 15000 - 4 * 600 + 15 + 340 - 680 + 180


def test_the_first_operation() -> None:
    first_operation()


def test_the_second_operation_with_the_hudson_maneuver() -> None:
    second_operation()


def test_the_third_operation_with_two_trains_that_touch() -> None:
    """Lowestoft counts once: 70, paid without help."""
    game = second_operation()
    passes(game, "WVR", "J2", "J3", "J4", "J1", "J2", "J3", "J4", "J1")
    assert game.round_label() == "OR 3.1"
    passes(game, "WVR", "WVR")
    assert run(game, ("A-0", "G8", "H7"), ("A-1", "H7", "H5")) == [40, 30]
    assert figures(game) == (219, 270, 68, ["2E", "2E*"])
    payout = done(game, "dividend", kind="payout")
    assert paid(payout) == {"player:J1": 42}
    assert figures(game) == (261, 270, 74, ["2E", "2E"])
    assert game.state.bank == 12669


def test_the_printed_prices_are_the_cells_between() -> None:
    """A step of the example is one cell of the market: 68 to 65, then 68 to 71."""
    game = start(4, seed=3)
    prices = [cell.price for cell in sorted(game.title.market.cells.values(), key=lambda cell: cell.cell)]
    for now, printed in PRINTED.items():
        assert abs(prices.index(now) - prices.index(68)) == 2
        assert abs(prices.index(printed) - prices.index(68)) == 1


def test_the_maneuver_costs_the_same_at_both_prices() -> None:
    assert hudson_extra(62, 40) == hudson_extra(65, 40) == 30
