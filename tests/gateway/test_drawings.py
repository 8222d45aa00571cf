"""Drawing pictures of games."""

from __future__ import annotations

from typing import Any

from gateway.drawings import Drawings
from protos.roundhouse.v1 import rules_pb2 as pb


class Titles:
    """Knows one option."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def get_title(self, request: pb.GetTitleRequest) -> pb.GetTitleResponse:
        self.asked.append(list(request.options))
        summary = pb.TitleSummary(options={"known": "What it changes."})
        return pb.GetTitleResponse(summary=summary, data_json=b"{}")


def test_a_recorded_game_with_an_option_nobody_knows_is_drawn() -> None:
    titles: Any = Titles()
    game = pb.GameView(summary=pb.GameSummary(title="1830", options=["strange", "known"]), state_json=b"{}")
    assert Drawings(titles).svg(("map", "g1", 0, ""), game, lambda title, view: "<svg/>") == "<svg/>"
    assert titles.asked[-1] == ["known"]
