"""Tokens in 1894: the turn's token, those of companies, and those lifted when a city splits (1894 4.4, 4.6, 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....engine import companies, homes
from ....engine.actions import PlaceToken
from ....engine.board import tokens
from ....engine.errors import IllegalAction
from ....engine.state import Company, Corporation, PendingToken
from ....engine.steps.base import Entity, Move, Step, move, require
from ....engine.steps.token import HomeToken, TokenStep, city_id, parse_city, slot_in
from ....engine.steps.track import SpecialToken
from .. import london, split
from ..routes import LONDON, LONDON_BONUS
from ..state import of

if TYPE_CHECKING:
    from ....engine.game import Game


def place_free(game: Game, operator: Corporation, hex_id: str, city: int) -> None:
    """Place the operator's next token, one that waits for no place of its own, for nothing."""
    spare = london.spare_tokens(game, operator)
    if not spare:
        raise IllegalAction("no_token_left", f"{operator.sym} has no token left.")
    slot = slot_in(game, operator, hex_id, city)
    if slot is None:
        raise IllegalAction("no_slot", f"{operator.sym} cannot place a token on {hex_id}.", hex=hex_id)
    homes.put(game, operator, spare[0], hex_id, city, slot)


class CompanyToken(SpecialToken):
    """The token after a teleport, and London shipping's token beside London."""

    def movers(self, game: Game) -> list[Entity]:
        operator = game.current
        result = self.active_entities(game)
        if isinstance(operator, Corporation) and london.SHIPPING in operator.companies:
            result.append(game.company(london.SHIPPING))
        return result

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        operator = game.current
        if not isinstance(entity, Company) or entity.sym != london.SHIPPING:
            return super().actions(game, entity)
        if isinstance(operator, Corporation) and london.may_use_shipping(game, operator):
            return ("place_token",)
        return ()

    def list_place_token(self, game: Game, entity: Entity) -> Iterator[Move]:
        if isinstance(entity, Company) and entity.sym == london.SHIPPING:
            if not london.spare_tokens(game, game.operator):
                return
            yield move(entity, "place_token", city=city_id(game, LONDON_BONUS, 0))
        else:
            yield from super().list_place_token(game, entity)

    def do_place_token(self, game: Game, action: PlaceToken) -> None:
        company = game.entity(action.ref)
        assert isinstance(company, Company)
        operator = game.operator
        hex_id, city = parse_city(game, action.city)
        if company.sym == london.SHIPPING:
            require(hex_id == LONDON_BONUS, "wrong_hex", f"{company.sym}'s token goes to {LONDON_BONUS}.")
            place_free(game, operator, hex_id, city)
            companies.use(game, company, next(companies.abilities(game, company, "token"))[0])
            london.grant(operator, london.BONUS)
            return
        ability, data = next(companies.abilities(game, company, "teleport"))
        require(hex_id in data.hexes, "wrong_hex", f"{company.sym}'s token goes to {' or '.join(data.hexes)}.")
        place_free(game, operator, hex_id, city)
        companies.drop_ability(company, ability)
        game.round.turn.token_placed = True
        game.round.turn.teleported = None


class HomeToken1894(HomeToken):
    """Tokens that wait for a city of a split hex; a home without room joins a full city."""

    def slot(self, game: Game, corporation: Corporation, hex_id: str, city: int) -> int | None:
        slot = super().slot(game, corporation, hex_id, city)
        on_hex = game.state.board[hex_id]
        if slot is not None or not split.is_split(on_hex):
            return slot
        if any(super(HomeToken1894, self).slot(game, corporation, hex_id, i) is not None for i in range(2)):
            return None
        return len(on_hex.cities[city].slots)


class Token1894(TokenStep):
    """London is reached like a city but takes no token; nothing in the last set (1894 2.5, 4.12)."""

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return () if of(game).last_set else super().actions(game, entity)

    def lowest_price(self, game: Game, operator: Corporation, index: int) -> int:
        if london.may_use_shipping(game, operator):
            return 0
        return super().lowest_price(game, operator, index)

    def list_place_token(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        if game.title.token_cost(game, entity, LONDON) > entity.cash:
            return
        for hex_id, city in self.cities(game, entity):
            if self.refusal(game, hex_id) is None:
                yield move(entity, "place_token", city=city_id(game, hex_id, city))

    def check(self, game: Game, operator: Corporation, hex_id: str, city: int) -> None:
        super().check(game, operator, hex_id, city)
        problem = self.refusal(game, hex_id)
        if problem is not None:
            raise problem

    def refusal(self, game: Game, hex_id: str) -> IllegalAction | None:
        """Why no token can go to a hex: London, or a split hex whose cities are left to those it waits for."""
        if hex_id == LONDON:
            return IllegalAction("no_tokens_here", "London takes no tokens.", hex=hex_id)
        waiting = split.pending_on(game, hex_id)
        if waiting > 1 or (waiting == 1 and game.state.board[hex_id].reserved):
            return IllegalAction("tokens_waiting", f"Tokens lifted from {hex_id} are placed first.", hex=hex_id)
        return None


def waiting_tokens(game: Game) -> list[PendingToken]:
    """Tokens of others that the operator has lifted, in present operating order."""
    waiting = of(game).replace_tokens
    order = [c.sym for c in game.market_order([game.corporation(pending.corporation) for pending in waiting])]
    return sorted(waiting, key=lambda pending: order.index(pending.corporation))


class ReplaceTokens(Step):
    """At the end of a turn others place what the operator's splits have lifted, in operating order (1894 4.4)."""

    kind = "replace_tokens"
    description = "place its token in one of the new cities"

    def is_active(self, game: Game) -> bool:
        return bool(of(game).replace_tokens)

    def _first(self, game: Game) -> PendingToken:
        return waiting_tokens(game)[0]

    def active_entities(self, game: Game) -> list[Entity]:
        return [game.corporation(self._first(game).corporation)]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("place_token",) if entity is self.active_entities(game)[0] else ()

    def list_place_token(self, game: Game, entity: Entity) -> Iterator[Move]:
        for hex_id in self._first(game).hexes:
            for city in range(len(game.state.board[hex_id].cities)):
                yield move(entity, "place_token", city=city_id(game, hex_id, city))

    def do_place_token(self, game: Game, action: PlaceToken) -> None:
        pending = self._first(game)
        corporation = game.corporation(pending.corporation)
        hex_id, city = parse_city(game, action.city)
        require(hex_id in pending.hexes, "wrong_hex", f"This token goes to {' or '.join(pending.hexes)}.", hex=hex_id)
        there = game.state.board[hex_id].cities[city]
        slot = tokens.free_slot(game.state, there, corporation.sym)
        homes.put(game, corporation, pending.token, hex_id, city, len(there.slots) if slot is None else slot)
        of(game).replace_tokens.remove(pending)
