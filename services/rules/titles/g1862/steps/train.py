"""Buying trains in 1862: classes, warranties, fixed prices for used ones, emergencies (1862 4.6, 4.7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....engine import events, trains
from ....engine.actions import Action, BuyTrain, Convert
from ....engine.errors import IllegalAction
from ....engine.money import require_funds, spend
from ....engine.state import DEPOT, Corporation
from ....engine.steps.base import Entity, Move, Step, move, require
from .. import emergency
from ..charters import in_receivership
from ..depot import (
    WARRANTY_PRICE,
    class_room,
    has_room,
    most_warranties,
    offers,
    used_price,
)
from ..london import class_of
from ..state import as_1862, of
from .gates import operator_of, skips

if TYPE_CHECKING:
    from ....engine.game import Game


class Train1862(Step):
    """Buy, refinance or pass; a company without a train and without means raises money by itself (1862 4.6)."""

    kind = "train"
    description = "buy a train or pass"

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        operator = operator_of(game, entity)
        if operator is None or in_receivership(operator):
            return ()
        return game.remember((self, operator.sym), lambda: self.turn_actions(game, operator))

    def turn_actions(self, game: Game, operator: Corporation) -> tuple[str, ...]:
        if not has_room(game, operator):
            return ()
        must = not operator.trains
        can_depot = operator.cash >= emergency.depot_price(game)
        accepted = []
        if any(offer.price <= operator.cash for offer in offers(game, operator)):
            accepted.append("buy_train")
        if must and not can_depot and emergency.can_sell(game, operator) and emergency.can_refinance(game, operator):
            accepted.append("convert")
        if accepted and not (must and can_depot):
            accepted.append("pass")
        return tuple(accepted)

    # --- buying -----------------------------------------------------------------------------------------------------

    def list_buy_train(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        for offer in offers(game, entity):
            if offer.price > entity.cash:
                continue
            if offer.owner != DEPOT:
                yield move(entity, "buy_train", train=offer.train, price=offer.price)
                continue
            most = min(most_warranties(offer.name), (entity.cash - offer.price) // WARRANTY_PRICE)
            yield move(
                entity,
                "buy_train",
                train=offer.train,
                price=offer.price,
                variant=offer.name,
                warranties={"min": 0, "max": most, "step": 1},
            )

    def do_buy_train(self, game: Game, action: BuyTrain) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        train = game.state.depot.trains.get(action.train)
        if train is None or (train.owner is None and action.train not in of(game).left_trains):
            raise IllegalAction("unknown_train", f"{action.train} is not in the game.")
        require(action.exchange is None, "no_trade_in", "Trains are not traded in.")
        warranties = action.warranties or 0
        if train.owner == DEPOT:
            self._check_depot(game, operator, action, warranties)
        else:
            self._check_used(game, operator, action, warranties)
        buy(game, operator, action.train, action.price, action.variant, warranties)
        if not self.actions(game, operator):
            self.finish(game)

    def _check_depot(self, game: Game, operator: Corporation, action: BuyTrain, warranties: int) -> None:
        on_sale = [offer for offer in offers(game, operator) if offer.train == action.train]
        require(bool(on_sale), "not_on_sale", f"{action.train} is not on sale for {operator.sym} now.")
        offer = next((o for o in on_sale if o.name == action.variant), None)
        if offer is None:
            raise IllegalAction("unknown_variant", f"{action.train} is not sold to {operator.sym} as {action.variant}.")
        require(action.price == offer.price, "wrong_price", f"{action.train} costs {game.money(offer.price)}.")
        most = most_warranties(offer.name)
        require(0 <= warranties <= most, "too_many_warranties", f"A {offer.name} has at most {most} paid warranties.")
        cost = offer.price + warranties * WARRANTY_PRICE
        require_funds(game, operator, cost)

    def _check_used(self, game: Game, operator: Corporation, action: BuyTrain, warranties: int) -> None:
        offer = next((o for o in offers(game, operator) if o.train == action.train), None)
        if offer is None:
            raise IllegalAction("not_on_sale", f"{action.train} is not on sale for {operator.sym} now.")
        require(warranties == 0, "too_many_warranties", "A used train is sold without warranties.")
        name = game.state.depot.trains[action.train].name
        require(action.variant in (None, name), "unknown_variant", f"{action.train} is a {name}.")
        price = used_price(game, action.train)
        require(action.price == price, "wrong_price", f"{action.train} costs {game.money(price)}.", price=price)
        require_funds(game, operator, price)

    # --- without means ----------------------------------------------------------------------------------------------

    def do_convert(self, game: Game, action: Convert) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        emergency.refinance(game, operator)

    def list_convert(self, game: Game, entity: Entity) -> Iterator[Move]:
        yield move(entity, "convert")

    def do_pass(self, game: Game, action: Action) -> None:
        """Passing without a train starts the emergency; the step stays open."""
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        if operator.trains:
            super().do_pass(game, action)
        else:
            emergency.raise_money(game, operator)

    def skip(self, game: Game) -> None:
        operator = game.current
        if not isinstance(operator, Corporation) or skips(game, operator) or not operator.started:
            self.finish(game)
            return
        if not in_receivership(operator) and not operator.trains and has_room(game, operator):
            emergency.raise_money(game, operator)
            game.touch()
            if of(game).merger is not None or (operator.started and not in_receivership(operator)):
                return
        if operator.started and in_receivership(operator):
            buy_for_creditors(game, operator)
        self.finish(game)


def buy(
    game: Game, operator: Corporation, train_id: str, price: int, variant: str | None = None, warranties: int = 0
) -> None:
    """Pay the warranties, then the train; the stars come last (1862 4.6)."""
    spend(game, operator, None, warranties * WARRANTY_PRICE)
    if train_id in of(game).left_trains:
        _buy_left(game, operator, train_id, price)
    else:
        trains.buy_train(game, operator, train_id, price, variant=variant)
    game.state.depot.trains[train_id].name += "*" * warranties
    of(game).emergency = False


def _buy_left(game: Game, operator: Corporation, train_id: str, price: int) -> None:
    """A train that a bankrupt corporation has left: it is paid to that one."""
    seller = game.corporation(of(game).left_trains.pop(train_id))
    spend(game, operator, seller, price)
    train = game.state.depot.trains[train_id]
    train.owner = operator.sym
    operator.trains.append(train_id)
    game.emit(events.TrainBought(operator.sym, train_id, train.name, price, seller.sym))


def buy_for_creditors(game: Game, operator: Corporation) -> None:
    """A corporation in receivership buys a train if it can, and ends if it has none (1862 4.7).

    Only the limit of the train's class counts.
    """
    permits = as_1862(operator).permits
    if operator.cash >= emergency.depot_price(game):
        for kind in ("express", "freight", "local"):
            if kind in permits and class_room(game, operator, kind):
                offer = next(o for o in trains.depot_offers(game) if class_of(o.name) == kind)
                buy(game, operator, offer.train, offer.price, offer.name)
                return
    if not operator.trains:
        emergency.go_bankrupt(game, operator)
