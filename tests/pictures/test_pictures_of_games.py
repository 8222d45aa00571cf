"""The engine's own view of a game gives the picture that the expected state of the recorded game gives."""

from __future__ import annotations

import json

import msgspec
import pytest

from gateway.pictures import render_map, render_market
from services.rules.recorded import read_recorded, replay, start
from services.rules.titles import TITLES, get_title
from services.rules.view import game_view
from tests.shared import SHARED

from .positions import keys_after, view_of


@pytest.mark.parametrize("title", TITLES)
def test_the_view_of_a_replayed_game_is_drawn_like_its_expected_state(title: str) -> None:
    year = title[:4]
    path = SHARED / "games" / year / f"{year}-a.json"
    if not path.is_file():
        pytest.skip("recorded games are not installed (ROUNDHOUSE_SHARED)")
    recorded = read_recorded(path.read_bytes())
    game = start(recorded)
    for _ in replay(recorded, game):
        pass
    facts = json.loads(msgspec.json.encode(get_title(title, game.state.options).data))
    view = json.loads(msgspec.json.encode(game_view(game)))
    expected = view_of(facts, keys_after(SHARED / "traces" / year / f"{year}-a.jsonl.gz"))
    assert render_map(facts, view) == render_map(facts, expected)
    market = {**view, "state": {**view["state"], "corporations": expected["state"]["corporations"]}}
    assert render_market(facts, market) == render_market(facts, expected)
