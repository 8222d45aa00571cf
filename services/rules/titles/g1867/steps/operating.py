"""Steps of an operating turn (1867 2.5, 4)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from ....engine import events, shares, trains
from ....engine.actions import Action, BuyShares, Choose
from ....engine.dividends import Option
from ....engine.game import Game
from ....engine.shares import Bundle
from ....engine.state import IPO, POOL, Corporation
from ....engine.steps.base import Entity, Move, Step, move, require
from ....engine.steps.company import BuyCompanyAtEnd
from ....engine.steps.route import DividendStep, run_revenue
from ....engine.steps.token import TokenStep
from ....engine.steps.train import TrainStep
from ....engine.trains import Offer
from .. import loans, national
from ..access import state_of


class MajorTrainless(Step):
    """Majors without a train after a trainless check say whether they go on; before anything else (1867 4.10)."""

    kind = "trainless_major"
    description = "be nationalized or go on"
    NATIONALIZE = "nationalize"

    def is_active(self, game: Game) -> bool:
        return bool(state_of(game).trainless)

    def active_entities(self, game: Game) -> list[Entity]:
        return [game.corporation(state_of(game).trainless[0])]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("pass", "choose") if entity is self.active_entities(game)[0] else ()

    def list_choose(self, game: Game, entity: Entity) -> Iterator[Move]:
        yield move(entity, "choose", choice=self.NATIONALIZE)

    def do_choose(self, game: Game, action: Choose) -> None:
        require(action.choice == self.NATIONALIZE, "unknown_choice", f"The only choice is {self.NATIONALIZE!r}.")
        corporation = game.corporation(state_of(game).trainless.pop(0))
        game.emit(events.Chosen(corporation.ref, self.NATIONALIZE))
        national.nationalize(game, corporation, "chosen")

    def do_pass(self, game: Game, action: Action) -> None:
        sym = state_of(game).trainless.pop(0)
        game.emit(events.Passed(game.corporation(sym).ref, self.kind))


class RedeemShares(Step):
    """A major buys some of its certificates back from the pool, once a turn (1867 4.2)."""

    kind = "redeem"
    description = "redeem shares or pass"

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current or not isinstance(entity, Corporation):
            return ()
        return ("buy_shares", "pass") if any(True for _ in self.bundles(game, entity)) else ()

    def bundles(self, game: Game, corporation: Corporation) -> Iterator[Bundle]:
        """Every set of its certificates in the pool that it can pay."""
        if corporation.kind != "major":
            return
        sizes = game.title.sizes[corporation.sym]
        held = shares.held(corporation, POOL)
        for count in range(1, len(held) + 1):
            for indexes in combinations(held, count):
                bundle = Bundle(corporation.sym, POOL, indexes, sum(sizes[i] for i in indexes))
                if shares.bundle_price(game, bundle) <= corporation.cash:
                    yield bundle

    def list_buy_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        for bundle in self.bundles(game, entity):
            yield move(entity, "buy_shares", shares=bundle.shares, percent=bundle.percent)

    def do_buy_shares(self, game: Game, action: BuyShares) -> None:
        corporation = game.entity(action.ref)
        assert isinstance(corporation, Corporation)
        bundle = shares.parse_shares(game, action.shares, action.percent)
        sizes = game.title.sizes[bundle.corporation]
        whole = bundle.percent == sum(sizes[i] for i in bundle.indexes)
        require(
            bundle.corporation == corporation.sym and bundle.owner == POOL and whole,
            "not_redeemable",
            f"{corporation.sym} redeems whole certificates of its own from the pool.",
        )
        shares.buy(game, corporation, bundle, target=IPO)
        self.finish(game)


class DistanceToken(TokenStep):
    """The turn's token; its price grows with the distance, but opening the step asks for the plain one (1867 4.4)."""

    def auto_actions(self, game: Game, entity: Entity) -> list[Move]:
        """Pass when no city can be paid."""
        if not isinstance(entity, Corporation) or any(True for _ in self.list_place_token(game, entity)):
            return []
        return [move(entity, "pass")]


class MinorsSplit(DividendStep):
    """Majors pay, halve or withhold; minors share with their owner by themselves (1867 4.6)."""

    def asks(self, game: Game, operator: Corporation) -> bool:
        return operator.kind == "major" and super().asks(game, operator)

    def automatic(self, game: Game, operator: Corporation) -> Option:
        revenue = run_revenue(game)
        if operator.kind != "minor" or not revenue:
            return super().automatic(game, operator)
        kept = revenue // 2
        units = shares.total_shares(game, operator)
        return Option("half", kept, Fraction(revenue - kept, units), (("right", 1),))


class BuyCompanyBeforeLoans(BuyCompanyAtEnd):
    """Companies may be bought with money that repaying loans would take (1867 9, 15)."""

    kind = "company_before_loans"

    def auto_actions(self, game: Game, entity: Entity) -> list[Move]:
        """Pass without loans: the step at the end of the turn does as well."""
        if isinstance(entity, Corporation) and not entity.loans:
            return [move(entity, "pass")]
        return []


class LoanOperations(Step):
    """Interest, then repayment: never waits (1867 4.7)."""

    kind = "loans"
    description = "settle its loans"

    def skip(self, game: Game) -> None:
        self.finish(game)
        operator = game.current
        if not isinstance(operator, Corporation):
            return
        if not loans.pay_interest(game, operator):
            national.nationalize(game, operator, "unpaid_interest")
            return
        loans.repay(game, operator)
        loans.note_interest(game, operator)


class BuyTrainWithLoans(TrainStep):
    """Trains are paid from the treasury, a compulsory one with loans; who ends without one is out (1867 4.8)."""

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current or not isinstance(entity, Corporation):
            return ()
        if self.must_buy(game, entity):
            return ("buy_train",)
        return ("buy_train", "pass") if self.can_buy(game, entity) else ()

    def movers(self, game: Game) -> list[Entity]:
        return self.active_entities(game)

    def must_buy(self, game: Game, operator: Corporation) -> bool:
        """It has no train, and loans to the limit reach the cheapest of the depot."""
        cheapest = trains.min_depot_price(game)
        return not operator.trains and 0 < cheapest <= loans.full(game, operator)

    def depot_choices(self, game: Game, operator: Corporation) -> list[Offer]:
        return trains.depot_offers(game)

    def funds(self, game: Game, operator: Corporation, offer: Offer) -> int:
        return loans.full(game, operator) if self.must_buy(game, operator) else operator.cash

    def other_bounds(self, game: Game, operator: Corporation, offer: Offer) -> tuple[int, int] | None:
        return (1, operator.cash) if operator.cash >= 1 else None

    def room_to_buy(self, game: Game, operator: Corporation) -> bool:
        """Recorded games hold purchases beyond the limit while a trade-in kept the step open (core 1.9)."""
        return not game.live or super().room_to_buy(game, operator)

    def raise_money(self, game: Game, operator: Corporation, price: int) -> None:
        loans.raise_cash(game, operator, price)

    def finish(self, game: Game) -> None:
        """Closing the step without a train ends the company at once."""
        super().finish(game)
        operator = game.current
        if isinstance(operator, Corporation) and not operator.trains and operator.kind != "national":
            national.nationalize(game, operator, "no_train")
