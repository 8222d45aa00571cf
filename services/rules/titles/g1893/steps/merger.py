"""Merger rounds: votes on founding AGV and HGK, and the trains they give up (1893 4.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....engine import events, trains
from ....engine.actions import Action, DiscardTrain, SpecialBuy
from ....engine.errors import IllegalAction
from ....engine.state import Corporation, Player
from ....engine.steps.base import Entity, Move, Step, move, require
from .. import mergers
from ..access import state_of

if TYPE_CHECKING:
    from ....engine.game import Game

YES, NO = "yes", "no"


class MergedDiscard(Step):
    """A founded corporation gives up trains it may not keep, and others if it likes."""

    kind = "merger_discard"
    description = "discard a train or pass"

    def is_active(self, game: Game) -> bool:
        return bool(state_of(game).merge_discard)

    def active_entities(self, game: Game) -> list[Entity]:
        return [game.corporation(state_of(game).merge_discard[0])]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("discard_train", "pass") if entity in self.active_entities(game) else ()

    def is_crowded(self, game: Game, corporation: Corporation) -> bool:
        return trains.counted_trains(game, corporation) > trains.train_limit(game, corporation)

    def list_discard_train(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        for train_id in entity.trains:
            yield move(entity, "discard_train", train=train_id)

    def list_pass(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        if not self.is_crowded(game, entity):
            yield move(entity, "pass")

    def do_discard_train(self, game: Game, action: DiscardTrain) -> None:
        corporation = game.entity(action.ref)
        assert isinstance(corporation, Corporation)
        require(action.train in corporation.trains, "not_its_train", f"{corporation.sym} does not own {action.train}.")
        trains.discard(game, action.train)
        game.emit(events.TrainDiscarded(corporation.sym, action.train))
        if not corporation.trains:
            self.done(game)

    def do_pass(self, game: Game, action: Action) -> None:
        corporation = game.entity(action.ref)
        assert isinstance(corporation, Corporation)
        limit = trains.train_limit(game, corporation)
        require(
            not self.is_crowded(game, corporation),
            "train_limit",
            f"{corporation.sym} may keep {limit} trains and must discard.",
            limit=limit,
        )
        game.emit(events.Passed(action.ref, self.kind))
        self.done(game)

    def done(self, game: Game) -> None:
        state_of(game).merge_discard.pop(0)


class MergerVote(Step):
    """Every voter says yes or no until one side has enough."""

    kind = "merger_vote"
    description = "vote yes or no"

    def is_active(self, game: Game) -> bool:
        vote = state_of(game).vote
        return vote is not None and bool(vote.target)

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("special_buy",) if entity is game.current else ()

    def list_special_buy(self, game: Game, entity: Entity) -> Iterator[Move]:
        for answer in (YES, NO):
            yield move(entity, "special_buy", description=answer, cost=0)

    def do_special_buy(self, game: Game, action: SpecialBuy) -> None:
        player = game.entity(action.ref)
        vote = state_of(game).vote
        assert isinstance(player, Player)
        assert vote is not None
        if action.description not in (YES, NO):
            raise IllegalAction("not_a_vote", f"{action.description!r} is neither yes nor no.")
        game.emit(events.Chosen(player.ref, action.description))
        weight = vote.weights[str(player.id)]
        if action.description == YES:
            vote.yes += weight
            if vote.yes >= mergers.NEEDED:
                sym, vote.target = vote.target, ""
                mergers.found(game, sym)
                return
        else:
            vote.no += weight
            if vote.no > mergers.NEEDED:
                vote.target = ""
                return
        game.round.index += 1
