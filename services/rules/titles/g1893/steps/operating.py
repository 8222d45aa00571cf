"""Steps of the operating turn that differ: the EVA, bonds in need, minors' income and trains (1893 section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....engine import emergency, events, trains
from ....engine.actions import BuyCompany, SellCompany
from ....engine.errors import IllegalAction
from ....engine.money import spend
from ....engine.state import Corporation, Player
from ....engine.steps.base import Entity, Move, Step, move
from ....engine.steps.route import DividendStep, run_revenue
from ....engine.steps.train import TrainStep
from ....engine.trains import Offer
from .. import cards
from ..access import is_minor, title_of
from ..eva import eva_for_sale, pay_for_eva

if TYPE_CHECKING:
    from ....engine.game import Game

TRADING = "train_trading"
"""Status of the phases in which trains change hands."""


def operating_player(game: Game) -> Player | None:
    """The player behind the operator."""
    operator = game.current
    return game.president_of(operator) if isinstance(operator, Corporation) else None


class EvaSale(Step):
    """At any moment of his company's turn a player may buy the EVA from another (1893 5.2)."""

    kind = "buy_company"
    description = "buy the EVA"
    blocks = False

    def movers(self, game: Game) -> list[Entity]:
        operator, player = game.current, operating_player(game)
        return [operator, player] if operator is not None and player is not None else []

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        player = operating_player(game)
        if player is None or (entity is not game.current and entity is not player):
            return ()
        return ("buy_company",) if eva_for_sale(game, player) is not None else ()

    def list_buy_company(self, game: Game, entity: Entity) -> Iterator[Move]:
        player = operating_player(game)
        assert player is not None
        eva = eva_for_sale(game, player)
        if eva is not None and player.cash >= 1:
            yield move(entity, "buy_company", company=eva.sym, price={"min": 1, "max": player.cash, "step": 1})

    def do_buy_company(self, game: Game, action: BuyCompany) -> None:
        player = operating_player(game)
        assert player is not None
        eva = eva_for_sale(game, player)
        if eva is None or action.company != eva.sym:
            raise IllegalAction("not_for_sale", f"{action.company} is not for sale.", company=action.company)
        pay_for_eva(game, player, eva, action.price, to_owner=True)


class BondSale(Step):
    """A president short of money for a compulsory train sells bonds (1893 4.7)."""

    kind = "bond_sale"
    description = "sell a bond"
    blocks = False

    def movers(self, game: Game) -> list[Entity]:
        player = operating_player(game)
        return [] if player is None else [player]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("sell_company",) if isinstance(entity, Player) and self.is_needed(game, entity) else ()

    def is_needed(self, game: Game, player: Player) -> bool:
        """Whether the step is buying trains and money is still missing."""
        operator = game.current
        if not isinstance(operator, Corporation) or game.president_of(operator) is not player:
            return False
        if not cards.bonds_of(game, player):
            return False
        waiting = game.rules.active_step(game)
        if waiting is None or waiting.kind != "train" or not emergency.must_buy(game, operator):
            return False
        return emergency.missing(game, operator, player) > 0

    def list_sell_company(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Player)
        for bond in cards.bonds_of(game, entity):
            yield move(entity, "sell_company", company=bond.sym, price=bond.value)

    def do_sell_company(self, game: Game, action: SellCompany) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        cards.sell_bond(game, player, cards.bond_named(game, player, action.company, action.price))


class MinorDividend(DividendStep):
    """Minors always keep half; one that did not run is left alone (1893 4.5)."""

    def asks(self, game: Game, operator: Corporation) -> bool:
        return not is_minor(operator) and super().asks(game, operator)

    def skip(self, game: Game) -> None:
        operator = game.current
        if isinstance(operator, Corporation) and is_minor(operator):
            if game.round.turn.routes:
                self.share_out(game, operator)
            self.finish(game)
            return
        super().skip(game)

    def share_out(self, game: Game, minor: Corporation) -> None:
        """Half of the revenue, rounded down, to the treasury, the rest to the owner."""
        turn = game.round.turn
        revenue = run_revenue(game)
        kept = revenue // 2
        owner = game.president_of(minor)
        assert owner is not None
        minor.operated = True
        minor.last_run = revenue
        for train_id in minor.trains:
            game.state.depot.trains[train_id].ran = True
        turn.routes, turn.extra_revenue = [], 0
        game.emit(events.DividendPaid(minor.sym, "half", revenue, kept, float(revenue - kept)))
        spend(game, None, minor, kept)
        spend(game, None, owner, revenue - kept)
        game.emit(events.PayoutReceived(minor.sym, owner.ref, revenue - kept))


class TrainPurchase(TrainStep):
    """Trains change hands from phase 3 on; owners help minors without a train, if they like (1893 4.6)."""

    def other_trains(self, game: Game, operator: Corporation) -> list[Offer]:
        if TRADING not in game.phase.status:
            return []
        offers = trains.other_offers(game, operator)
        if is_minor(operator):
            return offers
        return [offer for offer in offers if not is_minor(game.corporation(offer.owner))]

    def owner_helps(self, game: Game, operator: Corporation) -> Player | None:
        """The owner of a minor without a train."""
        return game.president_of(operator) if is_minor(operator) and not operator.trains else None

    def funds(self, game: Game, operator: Corporation, offer: Offer) -> int:
        owner = self.owner_helps(game, operator)
        return super().funds(game, operator, offer) if owner is None else operator.cash + owner.cash

    def other_bounds(self, game: Game, operator: Corporation, offer: Offer) -> tuple[int, int] | None:
        owner = self.owner_helps(game, operator)
        if owner is None:
            return super().other_bounds(game, operator, offer)
        most = operator.cash + owner.cash
        return (1, most) if most >= 1 else None

    def turn_actions(self, game: Game, operator: Corporation) -> tuple[str, ...]:
        if title_of(game).minors_must_buy and self.minor_can_afford(game, operator):
            return ("buy_train",)
        return super().turn_actions(game, operator)

    def minor_can_afford(self, game: Game, operator: Corporation) -> bool:
        """Whether a minor without a train has a route, and money for a train with its owner's help."""
        owner = self.owner_helps(game, operator)
        cheapest = trains.min_depot_price(game)
        if owner is None or not 0 < cheapest <= operator.cash + owner.cash:
            return False
        return game.network(operator).route_for_purchase
