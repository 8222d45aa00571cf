"""Placing tokens: home tokens that wait for a city, and the turn's token (core section 8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import homes
from ..actions import PlaceToken
from ..board import tokens
from ..errors import IllegalAction, MalformedAction
from ..money import spend
from ..state import Corporation
from .base import Entity, Move, Step, move, require

if TYPE_CHECKING:
    from ..game import Game


def city_id(game: Game, hex_id: str, city: int) -> str:
    """Id of a city as actions name it (core 1.4)."""
    node = game.title.map.tile_at(game.state, hex_id).city(city)
    return f"{game.title.map.tile_id(game.state, hex_id)}-{node.ref}"


def parse_city(game: Game, text: str) -> tuple[str, int]:
    """(hex, city index) of a city id: that of the tile lying there, or of the printed one (``k`` is ignored)."""
    tile_id, _, ref = text.rpartition("-")
    name, _, copy = tile_id.rpartition("-")
    if ref.isdecimal() and name and copy.isdecimal():
        for hex_id in game.title.hexes_of_tile(game.state, name, int(copy)):
            for node in game.title.map.tile_at(game.state, hex_id).cities:
                if node.ref == int(ref):
                    return hex_id, node.city_index
    raise MalformedAction("unknown_city", f"There is no city {text!r} on the map.", city=text)


def slot_in(game: Game, corporation: Corporation, hex_id: str, city: int) -> int | None:
    """The slot a city offers to a new token of the corporation."""
    return tokens.slot_for(
        game.title.map, game.state, hex_id, city, corporation.sym, mode=game.title.track.tile_reservation_blocks
    )


def next_token(corporation: Corporation) -> int | None:
    """Index of the first unused token."""
    return next((i for i, token in enumerate(corporation.tokens) if token.hex is None), None)


def place_next(game: Game, corporation: Corporation, hex_id: str, city: int, *, cost: int) -> None:
    """Place the first unused token for ``cost``; raises :class:`IllegalAction` when the city takes none."""
    index = next_token(corporation)
    if index is None:
        raise IllegalAction("no_token_left", f"{corporation.sym} has no token left.")
    slot = slot_in(game, corporation, hex_id, city)
    if slot is None:
        raise IllegalAction("no_slot", f"{corporation.sym} cannot place a token on {hex_id}.", hex=hex_id)
    spend(game, corporation, None, cost)
    homes.put(game, corporation, index, hex_id, city, slot, cost)


class HomeToken(Step):
    """Tokens that wait for a place: homes with a choice, tokens lifted by an upgrade. No pass."""

    kind = "home_token"
    description = "choose a city for the token"

    def is_active(self, game: Game) -> bool:
        return bool(game.round.pending_tokens)

    def active_entities(self, game: Game) -> list[Entity]:
        return [game.entity(game.round.pending_tokens[0].entity)]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("place_token",) if entity is self.active_entities(game)[0] else ()

    def slot(self, game: Game, corporation: Corporation, hex_id: str, city: int) -> int | None:
        """The slot a city offers to the waiting token."""
        return slot_in(game, corporation, hex_id, city)

    def _choices(self, game: Game) -> Iterator[tuple[str, int]]:
        pending = game.round.pending_tokens[0]
        corporation = game.corporation(pending.corporation)
        for hex_id in pending.hexes:
            for city in range(len(game.state.board[hex_id].cities)):
                if self.slot(game, corporation, hex_id, city) is not None:
                    yield hex_id, city

    def list_place_token(self, game: Game, entity: Entity) -> Iterator[Move]:
        for hex_id, city in self._choices(game):
            yield move(entity, "place_token", city=city_id(game, hex_id, city))

    def do_place_token(self, game: Game, action: PlaceToken) -> None:
        pending = game.round.pending_tokens[0]
        corporation = game.corporation(pending.corporation)
        hex_id, city = parse_city(game, action.city)
        require(hex_id in pending.hexes, "wrong_hex", f"This token goes to {' or '.join(pending.hexes)}.", hex=hex_id)
        slot = self.slot(game, corporation, hex_id, city)
        if slot is None:
            raise IllegalAction("no_slot", f"{corporation.sym} cannot place a token in that city of {hex_id}.")
        homes.put(game, corporation, pending.token, hex_id, city, slot)
        game.round.pending_tokens.pop(0)


class TokenStep(Step):
    """The turn's token (core 8.1, 8.3)."""

    kind = "token"
    description = "place a token or pass"

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current or not isinstance(entity, Corporation) or not self.can_place(game, entity):
            return ()
        return ("place_token", "pass")

    def can_place(self, game: Game, operator: Corporation) -> bool:
        """An unused token, none placed this turn, the price affordable, and some reachable city takes it."""
        index = next_token(operator)
        if index is None or game.round.turn.token_placed:
            return False
        if self.lowest_price(game, operator, index) > operator.cash:
            return False
        return any(True for _ in self.cities(game, operator))

    def lowest_price(self, game: Game, operator: Corporation, index: int) -> int:
        """Cheapest price the operator could pay for its next token."""
        return operator.tokens[index].price

    def cities(self, game: Game, operator: Corporation) -> Iterator[tuple[str, int]]:
        """Reachable cities that take a token, whatever it costs."""
        network = game.network(operator)
        for hex_id, city in sorted(network.connected_cities):
            if hex_id in network.reachable_hexes and slot_in(game, operator, hex_id, city) is not None:
                yield hex_id, city

    def list_place_token(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        for hex_id, city in self.cities(game, entity):
            if game.title.token_cost(game, entity, hex_id) <= entity.cash:
                yield move(entity, "place_token", city=city_id(game, hex_id, city))

    def do_place_token(self, game: Game, action: PlaceToken) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        hex_id, city = parse_city(game, action.city)
        self.check(game, operator, hex_id, city)
        place_next(game, operator, hex_id, city, cost=game.title.token_cost(game, operator, hex_id))
        game.round.turn.token_placed = True
        self.finish(game)

    def check(self, game: Game, operator: Corporation, hex_id: str, city: int) -> None:
        """Raise :class:`IllegalAction` unless the city is connected."""
        network = game.network(operator)
        if (hex_id, city) not in network.connected_cities or hex_id not in network.reachable_hexes:
            raise IllegalAction("not_connected", f"{operator.sym} does not reach that city of {hex_id}.", hex=hex_id)
