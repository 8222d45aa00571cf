"""Buying and discarding trains (core 14.4, 15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import companies, emergency, events, shares, trains
from ..actions import Bankrupt, BuyTrain, DiscardTrain, SellShares
from ..errors import IllegalAction
from ..money import spend
from ..state import DEPOT, Corporation, Player
from ..trains import Offer
from .base import Entity, Move, Step, move, require

if TYPE_CHECKING:
    from ..game import Game


class BankruptStep(Step):
    """The operator's president gives up; possible whenever a compulsory train cannot be paid."""

    kind = "bankrupt"
    description = "declare bankruptcy"
    blocks = False

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("bankrupt",) if entity is game.current and isinstance(entity, Corporation) else ()

    def possible(self, game: Game, operator: Corporation) -> bool:
        waiting = game.rules.active_step(game)
        if waiting is None or waiting.kind != "train" or "buy_train" not in waiting.actions(game, operator):
            return False
        return emergency.must_buy(game, operator) and emergency.is_insolvent(game, operator)

    def list_bankrupt(self, game: Game, entity: Entity) -> Iterator[Move]:
        if isinstance(entity, Corporation) and self.possible(game, entity):
            yield move(entity, "bankrupt")

    def do_bankrupt(self, game: Game, action: Bankrupt) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        require(self.possible(game, operator), "not_insolvent", f"{operator.sym}'s president can pay for a train.")
        emergency.go_bankrupt(game, operator)
        game.resort_operators()


class DiscardTrainStep(Step):
    """Whoever is over the train limit gives up trains at once, whoever is operating (core 14.4)."""

    kind = "discard_train"
    description = "discard a train"

    def is_active(self, game: Game) -> bool:
        return bool(trains.crowded(game))

    def active_entities(self, game: Game) -> list[Entity]:
        return [trains.crowded(game)[0]]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("discard_train",) if entity in self.movers(game) else ()

    def movers(self, game: Game) -> list[Entity]:
        return list(trains.crowded(game))

    def list_discard_train(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        for train_id in entity.trains:
            if not game.state.depot.trains[train_id].obsolete:
                yield move(entity, "discard_train", train=train_id)

    def do_discard_train(self, game: Game, action: DiscardTrain) -> None:
        corporation = game.entity(action.ref)
        assert isinstance(corporation, Corporation)
        require(action.train in corporation.trains, "not_its_train", f"{corporation.sym} does not own {action.train}.")
        trains.discard(game, action.train)
        game.emit(events.TrainDiscarded(corporation.sym, action.train))


class TrainStep(Step):
    """Buy trains from the depot, the train pool and other corporations."""

    kind = "train"
    description = "buy a train or pass"

    # --- who may do what ----------------------------------------------------------------------------------------

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        operator = game.current
        if not isinstance(operator, Corporation):
            return ()
        if isinstance(entity, Player):
            return ("sell_shares",) if game.president_of(operator) is entity else ()
        if entity is not operator:
            return ()
        return game.remember((self, operator.sym), lambda: self.turn_actions(game, operator))

    def turn_actions(self, game: Game, operator: Corporation) -> tuple[str, ...]:
        """Action types of the operator."""
        if emergency.must_buy(game, operator):
            return ("sell_shares", "buy_train")
        return ("buy_train", "pass") if self.can_buy(game, operator) else ()

    def movers(self, game: Game) -> list[Entity]:
        operator = game.current
        if not isinstance(operator, Corporation):
            return []
        president = game.president_of(operator)
        return [operator] if president is None else [operator, president]

    def can_buy(self, game: Game, operator: Corporation) -> bool:
        """Room and money for the cheapest train anywhere, or an affordable trade-in (core 15.1)."""
        return self.can_buy_with_room(game, operator) or self.can_trade_in(game, operator)

    def can_buy_with_room(self, game: Game, operator: Corporation) -> bool:
        if not trains.has_room(game, operator):
            return False
        if operator.cash >= 1 and trains.other_offers(game, operator):
            return True
        cheapest = trains.min_depot_price(game)
        return 0 < cheapest <= operator.cash

    def can_trade_in(self, game: Game, operator: Corporation) -> bool:
        return any(offer.price <= operator.cash for _, offer in trains.exchange_offers(game, operator))

    # --- prices -------------------------------------------------------------------------------------------------

    def depot_choices(self, game: Game, operator: Corporation) -> list[Offer]:
        """Depot and pool trains on offer: only the cheapest while the treasury cannot pay it (core 15.3)."""
        offers = trains.depot_offers(game)
        cheapest = trains.min_depot_price(game)
        if operator.cash < cheapest and game.title.train_rules.cheapest_only:
            return [offer for offer in offers if offer.price == cheapest]
        return offers

    def other_bounds(self, game: Game, operator: Corporation, offer: Offer) -> tuple[int, int] | None:
        """Lowest and highest price for another corporation's train, None if it is not to be had (core 15.2)."""
        full = trains.list_price(game, offer.train)
        low, high = 1, operator.cash
        rule = game.title.train_rules.buy_from_others_in_emergency
        president = game.president_of(operator)
        last_sale = game.round.turn.last_sale
        if emergency.must_buy(game, operator) and president is not None and rule != "never" and operator.cash < full:
            high = operator.cash + president.cash
            if rule == "value":
                high = min(full, high)
        if last_sale and president is not None and game.live:
            low = operator.cash + president.cash - last_sale + 1
            if full < low:
                return None
        return (low, high) if high >= low else None

    # --- moves --------------------------------------------------------------------------------------------------

    def list_buy_train(self, game: Game, entity: Entity) -> Iterator[Move]:
        if not isinstance(entity, Corporation):
            return
        if self.room_to_buy(game, entity):
            for offer in self.depot_choices(game, entity):
                if offer.price <= self.funds(game, entity, offer):
                    yield move(entity, "buy_train", **self.fields(offer))
            for offer in self.other_trains(game, entity):
                bounds = self.other_bounds(game, entity, offer)
                if bounds is not None:
                    price = {"min": bounds[0], "max": bounds[1], "step": 1}
                    yield move(entity, "buy_train", train=offer.train, price=price)
        for own, offer in trains.exchange_offers(game, entity):
            if 0 <= offer.price <= entity.cash:
                yield move(entity, "buy_train", **self.fields(offer), exchange=own)

    def fields(self, offer: Offer) -> dict[str, Any]:
        named = {} if offer.owner != DEPOT else {"variant": offer.name}
        return {"train": offer.train, "price": offer.price, **named}

    def room_to_buy(self, game: Game, operator: Corporation) -> bool:
        """Whether a train may be bought without a trade-in.

        In an imported game a full corporation may while a trade-in keeps the step open; then it discards (core 1.9).
        """
        return trains.has_room(game, operator) or (not game.live and self.can_trade_in(game, operator))

    def other_trains(self, game: Game, operator: Corporation) -> list[Offer]:
        """Trains of others that may be bought."""
        return trains.other_offers(game, operator)

    def funds(self, game: Game, operator: Corporation, offer: Offer) -> int:
        """Money for a depot train: the treasury, and the president's cash for the cheapest compulsory one."""
        president = game.president_of(operator)
        if president is None or not self.president_helps(game, operator, offer):
            return operator.cash
        return operator.cash + president.cash

    def president_helps(self, game: Game, operator: Corporation, offer: Offer) -> bool:
        if not emergency.must_buy(game, operator) or operator.cash >= offer.price:
            return False
        if not game.title.train_rules.cheapest_only:
            return True
        return offer.price == trains.min_depot_price(game) and operator.cash < offer.price

    # --- buying -------------------------------------------------------------------------------------------------

    def do_buy_train(self, game: Game, action: BuyTrain) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        train = game.state.depot.trains.get(action.train)
        require(train is not None and train.owner is not None, "unknown_train", f"{action.train} is not in the game.")
        assert train is not None
        if action.exchange is not None:
            self._check_exchange(game, operator, action)
        else:
            require(self.room_to_buy(game, operator), "train_limit", f"{operator.sym} has no room for a train.")
            if train.owner in game.state.corporations:
                self._check_other(game, operator, action)
            else:
                self._check_depot(game, operator, action)
            self.raise_money(game, operator, action.price)
        from_depot = train.owner == DEPOT
        trains.buy_train(
            game, operator, action.train, action.price, variant=self.variant(game, action), exchange=action.exchange
        )
        if action.exchange is not None:
            game.round.turn.traded_in = True
        companies.fire(game, "bought_train", operator)
        self.after_purchase(game, operator, action, from_depot)
        game.touch()
        if not self.actions(game, operator):
            self.finish(game)

    def variant(self, game: Game, action: BuyTrain) -> str | None:
        return action.variant

    def after_purchase(self, game: Game, operator: Corporation, action: BuyTrain, from_depot: bool) -> None:
        """Hook after a purchase and its effects."""

    def raise_money(self, game: Game, operator: Corporation, price: int) -> None:
        """The president adds what the treasury lacks (the check has made sure that he may)."""
        lacking = price - operator.cash
        if lacking <= 0:
            return
        president = game.president_of(operator)
        assert president is not None
        spend(game, president, operator, lacking)
        game.emit(events.Contributed(president.ref, operator.sym, lacking))

    def _check_depot(self, game: Game, operator: Corporation, action: BuyTrain) -> None:
        offers = [o for o in self.depot_choices(game, operator) if o.train == action.train]
        if not offers:
            raise IllegalAction("not_on_sale", f"{action.train} is not on sale for {operator.sym} now.")
        if action.variant is not None:
            offers = [o for o in offers if o.name == action.variant]
        if not offers:
            raise IllegalAction("unknown_variant", f"{action.train} is not sold as {action.variant}.")
        offer = offers[0]
        require(
            action.price == offer.price,
            "wrong_price",
            f"{action.train} costs {game.money(offer.price)}.",
            price=offer.price,
        )
        funds = self.funds(game, operator, offer)
        require(
            offer.price <= funds,
            "insufficient_funds",
            f"{operator.sym} can raise {game.money(funds)} for a train of {game.money(offer.price)}.",
        )

    def _check_other(self, game: Game, operator: Corporation, action: BuyTrain) -> None:
        offer = next((o for o in self.other_trains(game, operator) if o.train == action.train), None)
        bounds = None if offer is None else self.other_bounds(game, operator, offer)
        if bounds is None:
            raise IllegalAction("not_on_sale", f"{action.train} is not on sale for {operator.sym} now.")
        require(
            bounds[0] <= action.price <= bounds[1],
            "wrong_price",
            f"{operator.sym} may pay {game.money(bounds[0])} to {game.money(bounds[1])} for {action.train}.",
            min=bounds[0],
            max=bounds[1],
        )

    def _check_exchange(self, game: Game, operator: Corporation, action: BuyTrain) -> None:
        for own, offer in trains.exchange_offers(game, operator):
            if own == action.exchange and offer.train == action.train and action.variant in (None, offer.name):
                require(
                    action.price == offer.price,
                    "wrong_price",
                    f"{action.train} costs {game.money(offer.price)} with this trade-in.",
                    price=offer.price,
                )
                require(
                    offer.price <= operator.cash,
                    "insufficient_funds",
                    f"{operator.sym} cannot pay {game.money(offer.price)}.",
                )
                return
        raise IllegalAction("no_trade_in", f"{action.exchange} cannot be traded in for {action.train}.")

    # --- emergency sales ----------------------------------------------------------------------------------------

    def list_sell_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        operator = game.current
        if isinstance(entity, Player) and isinstance(operator, Corporation):
            if not emergency.may_sell(game, entity, operator):
                return
            for bundle in emergency.sellable(game, entity, operator):
                yield move(entity, "sell_shares", shares=bundle.shares, percent=bundle.percent)

    def do_sell_shares(self, game: Game, action: SellShares) -> None:
        operator = game.operator
        player = game.entity(action.ref)
        if not isinstance(player, Player):
            raise IllegalAction("president_sells", f"The president of {operator.sym} sells shares of his own.")
        bundle = shares.parse_shares(game, action.shares, action.percent)
        require(
            emergency.may_sell(game, player, operator),
            "no_money_needed",
            f"{player.name} sells shares only while money is short for a train that {operator.sym} must buy.",
        )
        refusal = emergency.refusal_to_sell(game, player, operator, bundle)
        if refusal is not None:
            raise refusal
        game.round.turn.last_sale = shares.share_price(game, game.corporation(bundle.corporation))
        shares.sell(game, player, bundle)
        if game.title.stock.must_sell_in_blocks:
            game.round.sold.setdefault(player.ref, {})[bundle.corporation] = "now"
        game.resort_operators()
