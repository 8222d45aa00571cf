"""End triggers, their timing and the score (core section 18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import events
from .state import Outcome, Player, Trigger

if TYPE_CHECKING:
    from .game import Game


LAST_TURN = 100
"""A game in which nobody can do anything any more is broken off when this turn would begin (core 2.7)."""


def next_turn(game: Game) -> bool:
    """Advance the turn after the last operating round of a set; False if that breaks the game off."""
    game.state.turn += 1
    if game.state.turn < LAST_TURN:
        return True
    finish(game, "dnf")
    return False


def check(game: Game) -> str | None:
    """Evaluate the triggers; returns the timing now in force. A met trigger stays, an earlier timing replaces it."""
    state = game.state
    rules = game.title.ending
    for reason, timing in rules.triggers:
        if not game.title.end_reason_holds(game, reason):
            continue
        current = state.trigger
        if current is not None and rules.priority.index(timing) >= rules.priority.index(current.timing):
            continue
        state.trigger = Trigger(reason, timing, state.turn)
        game.emit(events.EndTriggered(reason, timing))
    if state.trigger is None:
        return None
    game.title.note_final_turn(game, state.trigger)
    return state.trigger.timing


def ends_now(game: Game, timing: str | None) -> bool:
    """Whether the game stops now that a round is finished."""
    if timing is None:
        return False
    if timing in ("immediate", "current_round"):
        return True
    if game.round.kind != "operating":
        return False
    if timing == "current_or":
        return True
    last_of_set = game.round.number >= game.state.operating_rounds
    if timing == "full_or":
        return last_of_set
    return last_of_set and game.state.turn == game.state.final_turn


def score(game: Game, player: Player) -> int:
    """Cash, market value of certificates and face value of private companies."""
    total = player.cash
    for corporation in game.state.corporations.values():
        if corporation.holdings.get(player.ref):
            total += game.title.holding_value(game, corporation, player)
    return total + sum(game.state.companies[sym].value for sym in player.companies)


def finish(game: Game, reason: str | None = None) -> None:
    """The game is over: fix the scores."""
    state = game.state
    if reason is None:
        reason = state.trigger.reason if state.trigger is not None else "manually_ended"
    game.title.before_scoring(game)
    scores = sorted(((score(game, player), player) for player in game.players_in_order), key=lambda pair: -pair[0])
    state.outcome = Outcome(reason, {str(player.id): points for points, player in scores})
    state.round_count += game.title.final_round_counts
    game.emit(events.GameEnded(reason, state.outcome.result))
