"""Running trains and paying dividends (core 9, 10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import companies, dividends, events, shares
from ..actions import Dividend, RunRoutes
from ..dividends import Option
from ..errors import IllegalAction
from ..routes.check import check_run
from ..state import Corporation
from .base import Entity, Move, Step, move

if TYPE_CHECKING:
    from ..game import Game


class RouteStep(Step):
    """Waits for routes if the operator has a train that has not run and a route exists; no pass."""

    kind = "route"
    description = "run its trains"

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current or not isinstance(entity, Corporation):
            return ()
        return ("run_routes",) if self.can_run(game, entity) else ()

    def can_run(self, game: Game, operator: Corporation) -> bool:
        trains = game.state.depot.trains
        return any(not trains[train_id].ran for train_id in operator.trains) and game.title.route_available(
            game, operator
        )

    def list_run_routes(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        yield move(entity, "run_routes", routes={"routes": entity.sym})

    def do_run_routes(self, game: Game, action: RunRoutes) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        result = check_run(game.title.map, game.state, operator.sym, action.routes, game.title.route_rules)
        turn = game.round.turn
        turn.routes = [route.to_state() for route in result.routes]
        turn.extra_revenue = result.extra
        turn.subsidy = result.subsidy
        game.emit(
            events.RoutesRun(
                operator.sym,
                result.total + result.extra,
                result.subsidy,
                [f"{route.train}: {route.revenue_str} = {route.revenue}" for route in result.routes],
            )
        )
        game.title.after_run(game, operator)
        self.finish(game)


def run_revenue(game: Game) -> int:
    """Revenue of the run in progress, subsidies left out."""
    turn = game.round.turn
    return sum(route.revenue for route in turn.routes) + turn.extra_revenue


class DividendStep(Step):
    """Payout or withhold; zero revenue withholds by itself (core 10.2)."""

    kind = "dividend"
    description = "pay or withhold its revenue"

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current or not isinstance(entity, Corporation):
            return ()
        return ("dividend",) if self.asks(game, entity) else ()

    def asks(self, game: Game, operator: Corporation) -> bool:
        """Whether the operator has to choose."""
        return run_revenue(game) > 0

    def options(self, game: Game, operator: Corporation) -> list[Option]:
        revenue = run_revenue(game)
        return [
            game.title.dividend_option(game, operator, kind, revenue)
            for kind in game.title.dividend_kinds(game, operator)
        ]

    def list_dividend(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        for option in self.options(game, entity):
            yield move(entity, "dividend", kind=option.kind)

    def do_dividend(self, game: Game, action: Dividend) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        option = next((o for o in self.options(game, operator) if o.kind == action.kind), None)
        if option is None:
            raise IllegalAction("unknown_dividend", f"{operator.sym} cannot choose {action.kind!r}.")
        self.settle(game, operator, option)

    def skip(self, game: Game) -> None:
        operator = game.current
        if isinstance(operator, Corporation):
            self.settle(game, operator, self.automatic(game, operator))
        else:
            self.finish(game)

    def automatic(self, game: Game, operator: Corporation) -> Option:
        """What happens without a choice: withhold."""
        return game.title.dividend_option(game, operator, "withhold", run_revenue(game))

    def settle(self, game: Game, operator: Corporation, option: Option) -> None:
        """The sequence of core 10.2."""
        turn = game.round.turn
        first = not operator.operated
        operator.operated = True
        operator.last_run = run_revenue(game)
        if turn.routes:
            companies.fire(game, "ran_train", operator)
        for train_id in list(operator.trains):
            game.state.depot.trains[train_id].ran = True
        game.title.rust_obsolete(game, operator)
        subsidy = turn.subsidy
        game.emit(
            events.DividendPaid(operator.sym, option.kind, operator.last_run, option.kept, float(option.per_share))
        )
        turn.routes, turn.extra_revenue, turn.subsidy = [], 0, 0
        dividends.pay(game, operator, option, subsidy)
        for direction, steps in option.moves:
            shares.move_price(game, operator, direction, steps)
        game.title.after_dividend(game, operator, option)
        self.finish(game)
        if first:
            companies.fire(game, "operated", operator)
