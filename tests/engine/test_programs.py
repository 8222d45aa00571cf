"""Standing orders (core 1.8): live play takes those the title's steps carry out, a recorded game any."""

from __future__ import annotations

from typing import Any

import pytest

from services.rules.engine import programs
from services.rules.engine.errors import IllegalAction
from services.rules.engine.game import Game
from services.rules.titles import TITLES, get_title, new_game

PLAYERS = [("A", "Ann"), ("B", "Bob"), ("C", "Cem")]
STOCK = ["program_share_pass", "program_buy_shares"]


def order(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "entity": "A", "entity_type": "player", **fields}


def refusal(game: Game, action: dict[str, Any]) -> IllegalAction:
    before = game.encode()
    with pytest.raises(IllegalAction) as caught:
        game.apply(action)
    assert game.encode() == before
    return caught.value


@pytest.mark.parametrize("title", TITLES)
def test_a_title_knows_the_orders_of_its_steps(title: str) -> None:
    merging = ["program_merger_pass"] if title in ("1861", "1867") else []
    assert programs.supported(get_title(title)) == STOCK + merging


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize(
    "action",
    [
        order("program_merger_pass", corporations_by_round={}, options=[]),
        order("program_auction_bid", bid_target="SV", enable_maximum_bid=True, maximum_bid=100),
        order("program_share_pass"),
    ],
    ids=lambda action: str(action["type"]),
)
def test_live_play_takes_only_those(title: str, action: dict[str, Any]) -> None:
    game = new_game(title, PLAYERS, seed=1)
    known = programs.supported(game.title)
    if action["type"] in known:
        game.apply(action)
        return
    error = refusal(game, action)
    assert error.code == "unsupported_program"
    assert error.details["supported"] == known
    assert all(kind in error.message for kind in known)


def test_a_recorded_game_keeps_the_orders_it_has() -> None:
    game = new_game("1830", PLAYERS, seed=1)
    game.replay(order("program_merger_pass", corporations_by_round={"MR": ["PRR"]}, options=[]))
    assert game.player("A").program is not None


@pytest.mark.parametrize(
    ("title", "action", "code"),
    [
        ("1830", order("program_buy_shares", corporation="XYZ", until_condition="float"), "unknown_corporation"),
        ("1830", order("program_buy_shares", corporation="PRR", until_condition="rich"), "bad_until_condition"),
        ("1830", order("program_buy_shares", corporation="PRR", until_condition=0), "bad_until_condition"),
        ("1867", order("program_merger_pass", corporations_by_round={"SR": []}), "unknown_round"),
        ("1867", order("program_merger_pass", corporations_by_round={"MR": ["XYZ"]}), "unknown_corporation"),
        ("1867", order("program_merger_pass", options=["disable"]), "unknown_program_option"),
    ],
)
def test_an_order_that_can_never_act_is_refused(title: str, action: dict[str, Any], code: str) -> None:
    assert refusal(new_game(title, PLAYERS, seed=1), action).code == code
