"""Track, tokens, running and dividends of 1862 (1862 2.5, 2.6, 4.1-4.5)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ....engine import dividends, events, laying, shares
from ....engine.actions import Action, LayTile, PlaceToken
from ....engine.board.lays import ALL_EDGES, legal_lays
from ....engine.dividends import Option
from ....engine.laying import LayTerms
from ....engine.money import spend
from ....engine.state import Corporation
from ....engine.steps.base import Entity, Move, Step, move, require
from ....engine.steps.route import DividendStep, RouteStep, run_revenue
from ....engine.steps.token import TokenStep, city_id, next_token, parse_city, place_next
from ....engine.steps.track import Track
from ....engine.trains import remove_train
from .. import charters, homes, london
from ..routes import LONDON_LINKS
from ..state import of
from ..track import adds_town, town_may_be_added
from .gates import builder_of, operator_of

if TYPE_CHECKING:
    from ....engine.game import Game

HOME_TERMS = LayTerms(restricted=False)
TOWN_TERMS = LayTerms(special=True, connected=False, restricted=False)


class HomeUpgrade(Step):
    """A corporation without room at home upgrades the city there, then places its token (1862 2.5)."""

    kind = "home_upgrade"
    description = "upgrade its home"

    def is_active(self, game: Game) -> bool:
        return of(game).home_upgrade is not None

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("lay_tile",) if entity is game.current else ()

    def host(self, game: Game, operator: Corporation) -> Corporation:
        """Owner of the first token in the home city: its network must reach the hex."""
        slots = game.state.board[operator.home[0]].cities[0].slots
        return game.corporation(next(sym for sym in slots if sym is not None))

    def makes_room(self, game: Game, hex_id: str, tile: str) -> bool:
        cities = game.title.map.tiles[tile].rotated(0).cities
        used = sum(1 for sym in game.state.board[hex_id].cities[0].slots if sym is not None)
        return bool(cities) and cities[0].slots > used

    def list_lay_tile(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        hex_id = entity.home[0]
        for tile, rotation in laying.legal_on(game, self.host(game, entity), hex_id, HOME_TERMS):
            if self.makes_room(game, hex_id, tile):
                yield move(entity, "lay_tile", hex=hex_id, tile=laying.tile_ids(game, tile), rotation=rotation)

    def do_lay_tile(self, game: Game, action: LayTile) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        name, _ = laying.parse_tile(game, action)
        require(action.hex == operator.home[0], "wrong_hex", f"{operator.sym} upgrades its home first.")
        require(self.makes_room(game, action.hex, name), "no_slot", f"Tile {name} leaves no room for {operator.sym}.")
        result = laying.lay(game, self.host(game, operator), action, HOME_TERMS)
        laying.count_lay(game, result)
        of(game).home_upgrade = None
        slot = charters.home_slot(game, operator)
        if slot is not None:
            homes.place(game, operator, slot)


class Track1862(Track):
    """Two yellow tiles, or one upgrade, yellow N tile or further town (1862 4.1)."""

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return super().actions(game, entity) if builder_of(game, entity) else ()

    def home_is_white(self, game: Game, operator: Corporation) -> bool:
        return game.title.map.tile_at(game.state, operator.home[0]).color == "white"

    def must_lay(self, game: Game, operator: Corporation) -> bool:
        """Whether the operator may not pass: its home is white and can get a tile."""
        return self.home_is_white(game, operator) and any(True for _ in self.list_lay_tile(game, operator))

    def list_pass(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        if not self.must_lay(game, entity):
            yield move(entity, "pass")

    def do_pass(self, game: Game, action: Action) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        require(not self.must_lay(game, operator), "home_first", f"{operator.sym} lays a tile on its home first.")
        super().do_pass(game, action)

    def second_n(self, game: Game, hex_id: str) -> bool:
        """Whether this would be a yellow N tile after another tile of the turn."""
        tile = game.title.map.tile_at(game.state, hex_id)
        return game.round.turn.tiles_laid > 0 and tile.label == "N"

    def list_lay_tile(self, game: Game, entity: Entity) -> Iterator[Move]:
        for found in super().list_lay_tile(game, entity):
            if not self.second_n(game, found["hex"]):
                yield found
        if game.round.turn.tiles_laid:
            return
        board = game.title.map
        for hex_id in sorted(game.state.board):
            if not town_may_be_added(board.tile_at(game.state, hex_id)):
                continue
            for tile, rotation in legal_lays(
                game.title.track_rules, game.state, hex_id, ALL_EDGES, game.colors, special=True
            ):
                yield move(entity, "lay_tile", hex=hex_id, tile=laying.tile_ids(game, tile), rotation=rotation)

    def do_lay_tile(self, game: Game, action: LayTile) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        name, _ = laying.parse_tile(game, action)
        old = game.title.map.tile_at(game.state, action.hex)
        require(not self.second_n(game, action.hex), "no_upgrade_left", "A yellow N tile is the only tile of its turn.")
        if not adds_town(old, game.title.map.tiles[name]):
            super().do_lay_tile(game, action)
            return
        problem = laying.refuse_by_allowance(game, action.hex, laying.next_lay(game))
        if problem is not None:
            raise problem
        laying.count_lay(game, laying.lay(game, operator, action, TOWN_TERMS))
        if not self.actions(game, operator):
            self.finish(game)


class Token1862(TokenStep):
    """A reached city, or a link space of London instead of track (1862 4.2)."""

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return super().actions(game, entity) if builder_of(game, entity) else ()

    def can_place(self, game: Game, operator: Corporation) -> bool:
        if next_token(operator) is None or game.round.turn.token_placed:
            return False
        return london.may_link(game, operator) or any(True for _ in self.cities(game, operator))

    def list_place_token(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        yield from super().list_place_token(game, entity)
        if london.may_link(game, entity):
            for hex_id in london.free_spaces(game):
                yield move(entity, "place_token", city=city_id(game, hex_id, 0))

    def do_place_token(self, game: Game, action: PlaceToken) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        hex_id, city = parse_city(game, action.city)
        if hex_id not in LONDON_LINKS:
            super().do_place_token(game, action)
            return
        london.check_link(game, operator)
        place_next(game, operator, hex_id, city, cost=0)
        game.round.turn.token_placed = True
        self.finish(game)


class Route1862(RouteStep):
    """Trains of the permitted kinds run; a corporation in receivership runs too (1862 2.6).

    Not so in the turn in which a merger has brought it there.
    """

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        operator = operator_of(game, entity)
        if operator is None or operator.sym == of(game).does_not_run:
            return ()
        return super().actions(game, entity)

    def can_run(self, game: Game, operator: Corporation) -> bool:
        return london.has_runnable_train(game, operator) and game.title.route_available(game, operator)


class Dividend1862(DividendStep):
    """Payout, withhold, or the Hudson maneuver; every train uses up a warranty (1862 4.5)."""

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return super().actions(game, entity) if operator_of(game, entity) else ()

    def asks(self, game: Game, operator: Corporation) -> bool:
        return super().asks(game, operator) and not charters.in_receivership(operator)

    def skip(self, game: Game) -> None:
        operator = game.current
        if operator is None or operator_of(game, operator) is None:
            self.finish(game)
        else:
            super().skip(game)

    def settle(self, game: Game, operator: Corporation, option: Option) -> None:
        turn = game.round.turn
        operator.operated = True
        operator.last_run = run_revenue(game)
        use_warranties(game, operator)
        for train_id in operator.trains:
            game.state.depot.trains[train_id].ran = True
        subsidy = turn.subsidy
        game.emit(
            events.DividendPaid(operator.sym, option.kind, operator.last_run, option.kept, float(option.per_share))
        )
        turn.routes, turn.extra_revenue, turn.subsidy = [], 0, 0
        kept = option.kept + subsidy
        if kept >= 0:
            spend(game, None, operator, kept)
        else:
            spend(game, operator, None, -kept)
        for holder, amount in dividends.payouts(game, operator, option):
            spend(game, None, holder, amount)
            game.emit(events.PayoutReceived(operator.sym, holder.ref, amount))
        before = operator.price
        for direction, steps in option.moves:
            shares.move_price(game, operator, direction, steps)
        if operator.price != before and shares.cell_type(game, operator) == "endgame":
            of(game).top_reached = True
        game.title.after_dividend(game, operator, option)
        charters.check_bankruptcy(game, operator)
        self.finish(game)


def use_warranties(game: Game, operator: Corporation) -> None:
    """Every train loses a warranty; one that should have rusted goes with its last (1862 4.5)."""
    deferred = of(game).deferred_rust
    for train_id in list(operator.trains):
        train = game.state.depot.trains[train_id]
        if train.name.endswith("*"):
            train.name = train.name[:-1]
        if train_id in deferred and not train.name.endswith("*"):
            deferred.remove(train_id)
            remove_train(game, train_id)
            game.emit(events.TrainRusted(train_id, operator.sym))


def dividend_option(game: Game, corporation: Corporation, kind: str, revenue: int) -> Option:
    """Amounts and price moves of one kind of dividend (1862 4.5)."""
    total = shares.total_shares(game, corporation)
    price = shares.share_price(game, corporation)
    if kind == "withhold":
        return Option(kind, revenue, Fraction(0), (("left", 1),))
    if kind == "hudson":
        extra = hudson_extra(price, revenue)
        return Option(kind, -extra, Fraction(revenue + extra, total), (("right", 1),))
    steps = min(revenue // price, 4) if price else 0
    return Option(kind, 0, Fraction(revenue, total), (("right", steps),) if steps else ())


def hudson_extra(price: int, revenue: int) -> int:
    """Treasury money that lifts a revenue to the share price, in tens."""
    return -(-(price - revenue) // 10) * 10


def dividend_kinds(game: Game, corporation: Corporation) -> tuple[str, ...]:
    """Kinds on offer: the Hudson maneuver if revenue is below the price and the treasury can add the rest."""
    revenue = run_revenue(game)
    price = shares.share_price(game, corporation)
    if 10 < revenue < price and corporation.cash + game.round.turn.subsidy >= hudson_extra(price, revenue):
        return ("payout", "withhold", "hudson")
    return ("payout", "withhold")
