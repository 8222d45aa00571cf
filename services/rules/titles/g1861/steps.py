"""Steps that know the national railway, which operates here (1861 3, 4)."""

from __future__ import annotations

from ...engine import trains
from ...engine.game import Game
from ...engine.state import DEPOT, Corporation
from ...engine.steps.base import Entity
from ...engine.steps.company import BuyCompanyAtEnd, BuyCompanyStep
from ...engine.steps.track import Track
from ...engine.trains import Offer
from ..g1867 import loans
from ..g1867.access import national_of
from ..g1867.steps.operating import BuyCompanyBeforeLoans, BuyTrainWithLoans, DistanceToken


def is_national(entity: Entity) -> bool:
    """Whether the entity is the national railway, which builds and buys nothing by choice."""
    return isinstance(entity, Corporation) and entity.kind == "national"


class TrackOfOthers(Track):
    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return () if is_national(entity) else super().actions(game, entity)


class TokenOfOthers(DistanceToken):
    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return () if is_national(entity) else super().actions(game, entity)


class BuyCompanyOfOthers(BuyCompanyStep):
    def can_buy(self, game: Game, entity: Entity) -> bool:
        return not is_national(entity) and super().can_buy(game, entity)


class BuyCompanyAtEndOfOthers(BuyCompanyAtEnd):
    def can_buy(self, game: Game, entity: Entity) -> bool:
        return not is_national(entity) and super().can_buy(game, entity)


class BuyCompanyBeforeLoansOfOthers(BuyCompanyBeforeLoans):
    def can_buy(self, game: Game, entity: Entity) -> bool:
        return not is_national(entity) and super().can_buy(game, entity)


class BuyTrainOrNational(BuyTrainWithLoans):
    """The national buys by itself; its trains are not for sale but keep the others' step open (1861 4.2, 4.3)."""

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return () if is_national(entity) else super().actions(game, entity)

    def can_buy_with_room(self, game: Game, operator: Corporation) -> bool:
        if super().can_buy_with_room(game, operator):
            return True
        foreign = operator.cash >= 1 and operator.kind != "national" and bool(national_of(game).trains)
        return foreign and trains.has_room(game, operator)

    def skip(self, game: Game) -> None:
        operator = game.current
        if not isinstance(operator, Corporation) or operator.kind != "national":
            super().skip(game)
            return
        while (offer := self.wanted(game, operator)) is not None:
            loans.raise_cash(game, operator, offer.price)
            variant = offer.name if offer.owner == DEPOT else None
            trains.buy_train(game, operator, offer.train, offer.price, variant=variant)
            if not self.can_buy(game, operator):
                self.finish(game)

    def wanted(self, game: Game, operator: Corporation) -> Offer | None:
        """What the national buys now: a first train with loans, then the depot's next ones from its cash."""
        offers = trains.depot_offers(game)
        if not operator.trains:
            cheapest = min(offers, key=lambda offer: offer.price, default=None)
            return cheapest if cheapest is not None and cheapest.price <= loans.full(game, operator) else None
        upcoming = game.state.depot.upcoming[:1]
        following = next((offer for offer in offers if [offer.train] == upcoming), None)
        return following if following is not None and following.price <= operator.cash else None
