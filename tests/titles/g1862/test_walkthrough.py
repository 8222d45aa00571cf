"""The rules' example: WVR at Beccles, from its charter to its third operation (1862 section 8)."""

from __future__ import annotations

from services.rules.engine.game import Game
from services.rules.titles.g1862.state import of

from .table import act, bid, buy, cash, lay, par, passes, price, run, start, trains, where


def figures(game: Game) -> tuple[int, int, int, list[str]]:
    """Cash of the first player, treasury, price and trains of WVR."""
    return cash(game, "J1"), cash(game, "WVR"), price(game, "WVR"), trains(game, "WVR")


def charter(game: Game) -> None:
    """J1 wins the charter against J3 and floats WVR at once."""
    assert [player.cash for player in game.state.players] == [600] * 4
    assert of(game).corporations["WVR"].permits == ["express"]
    bid(game, "J1", "WVR", 0)
    passes(game, "J2")
    bid(game, "J3", "WVR", 10)
    passes(game, "J4")
    bid(game, "J1", "WVR", 15)
    passes(game, "J3")
    assert cash(game, "J1") == 585
    par(game, "J1", "WVR", "68,0,18")
    assert figures(game) == (381, 0, 68, [])
    buy(game, "J1", "WVR_1")
    assert figures(game) == (313, 0, 68, [])
    buy(game, "J1", "WVR_2")
    assert figures(game) == (245, 500, 68, [])
    passes(game, "J2", "J3", "J4")
    assert game.round_label() == "PR 1.1"
    passes(game, "J1", "J2", "J3", "J4")


def first_operation(game: Game) -> None:
    """Beccles and Lowestoft, a token there, no train, a lower price, a train."""
    buy(game, "J1", "WVR_3")
    assert figures(game) == (177, 500, 68, [])
    passes(game, "J2", "J3", "J4", "J1")
    assert where(game) == "WVR:track"
    assert game.corporation("WVR").tokens[0].hex == "G8"
    assert game.state.player_order[0] == "J2"
    lay(game, "WVR", "G8", "57-0", 1)
    lay(game, "WVR", "H7", "6-0", 1)
    assert where(game) == "WVR:token"
    act(game, "WVR", "place_token", city="6-0-0", slot=0)
    assert where(game) == "WVR:train"
    assert figures(game) == (177, 500, 62, [])
    act(game, "WVR", "buy_train", train="A-0", price=100, variant="2E*", warranties=0)
    assert figures(game) == (177, 400, 62, ["2E*"])
    passes(game, "WVR", "J2", "J3", "J4", "J1", "J2", "J3", "J4", "J1")
    assert game.round_label() == "OR 2.1"


def second_operation(game: Game) -> None:
    """Great Yarmouth, 40 with 30 from the treasury, a second train."""
    lay(game, "WVR", "H5", "202-0", 0)
    passes(game, "WVR", "WVR")
    run(game, "WVR", ("A-0", [["G8", "H7"]]))
    act(game, "WVR", "dividend", kind="hudson")
    assert figures(game) == (219, 370, 68, ["2E"])
    act(game, "WVR", "buy_train", train="A-1", price=100, variant="2E*")
    assert figures(game) == (219, 270, 68, ["2E", "2E*"])
    passes(game, "WVR", "J2", "J3", "J4", "J1", "J2", "J3", "J4", "J1")


def third_operation(game: Game) -> None:
    """Two trains that touch at Lowestoft: 70, paid without help."""
    passes(game, "WVR", "WVR")
    run(game, "WVR", ("A-0", [["G8", "H7"]]), ("A-1", [["H7", "H5"]]))
    assert sum(route.revenue for route in game.round.turn.routes) == 70
    act(game, "WVR", "dividend", kind="payout")
    assert figures(game) == (261, 270, 74, ["2E", "2E"])
    assert game.state.bank == 12669


def test_wvr_from_its_charter_to_its_third_operation() -> None:
    game = start(4, seed=3)
    charter(game)
    first_operation(game)
    second_operation(game)
    third_operation(game)
