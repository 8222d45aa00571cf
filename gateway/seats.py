"""Who sits in which game, for games that only their players may read."""

from __future__ import annotations

from collections import OrderedDict

from gateway.auth import Principal
from gateway.problems import Problem
from gateway.rules import RulesClient
from protos.roundhouse.v1 import rules_pb2 as pb

_KEPT = 20_000


class Seats:
    """Remembers the players of games, which never change."""

    def __init__(self, rules: RulesClient, spectators: bool) -> None:
        self._rules = rules
        self._spectators = spectators
        self._players: OrderedDict[str, frozenset[str]] = OrderedDict()

    def require_reader(self, principal: Principal, game_id: str) -> None:
        """Raises `Problem`: 403 if the principal may not see the game, 404 if there is none."""
        if self._spectators or principal.is_operator:
            return
        players = self._players.get(game_id)
        if players is None:
            view = self._rules.get_game(pb.GetGameRequest(game_id=game_id))
            players = self._players[game_id] = frozenset(seat.id for seat in view.summary.players)
            if len(self._players) > _KEPT:
                self._players.popitem(last=False)
        if principal.player not in players:
            raise not_seated(principal)

    def require_any_player(self, principal: Principal, player: str) -> None:
        """Raises `Problem` (403) if the principal may not see games of another player."""
        if not (self._spectators or principal.is_operator or player == principal.player):
            raise Problem(
                "forbidden",
                f"Games may be seen by their players only here: list those of {principal.player!r}.",
                code="not_seated",
            )


def not_seated(principal: Principal) -> Problem:
    """403: the token acts for somebody who does not sit in the game."""
    return Problem(
        "forbidden", f"The token's player {principal.player!r} does not sit in this game.", code="not_seated"
    )
