"""Laying track: the operator's own lays and those of its companies (core 6, 16.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import companies, laying
from ..actions import Action, LayTile, PlaceToken
from ..data import AbilityData
from ..errors import IllegalAction
from ..laying import LayTerms
from ..state import Ability, Company, Corporation
from . import token as token_step
from .base import Entity, Move, Step, move, require

if TYPE_CHECKING:
    from ..game import Game


class Track(Step):
    """The turn's tile lays; waits for a lay or a pass as long as the allowance is open."""

    kind = "track"
    description = "lay track or pass"

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current or not isinstance(entity, Corporation):
            return ()
        if laying.is_open(game, entity) or game.title.track_held_open(game, entity):
            return ("lay_tile", "pass")
        return ()

    def list_lay_tile(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        entry = laying.next_lay(game)
        if entry is None:
            return
        terms = LayTerms(fee=entry.cost)
        for hex_id in sorted(game.network(entity).edges):
            if laying.refuse_by_allowance(game, hex_id, entry) is not None:
                continue
            for tile, rotation in laying.legal_on(game, entity, hex_id, terms):
                yield move(entity, "lay_tile", hex=hex_id, tile=laying.tile_ids(game, tile), rotation=rotation)

    def do_lay_tile(self, game: Game, action: LayTile) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        laying.parse_tile(game, action)
        entry = laying.next_lay(game)
        problem = laying.refuse_by_allowance(game, action.hex, entry)
        if problem is not None:
            raise problem
        assert entry is not None
        result = laying.lay(game, operator, action, LayTerms(fee=entry.cost))
        laying.count_lay(game, result)
        if not self.actions(game, operator):
            self.finish(game)


def usable_now(game: Game, data: AbilityData) -> bool:
    """Whether the present moment of the operating turn is one the ability names (core 16.4)."""
    if "owning_corp_or_turn" in data.when or "owning_player_or_turn" in data.when or "any" in data.when:
        return True
    waiting = game.rules.active_step(game)
    moment = waiting.kind if waiting is not None else ""
    names = {"track": ("track", "owning_player_track"), "token": ("token", "owning_player_token")}
    return any(name in data.when for name in names.get(moment, (moment,)))


def owned_by_operator(game: Game, company: Company) -> bool:
    """Whether the operating corporation owns the company."""
    current = game.current
    return isinstance(current, Corporation) and company.owner == current.ref


class SpecialTrack(Step):
    """Lays of companies: extra tiles, and tiles that teleport (core 16.5)."""

    kind = "special_track"
    description = "lay the second tile or pass"

    def is_active(self, game: Game) -> bool:
        return game.round.kind == "operating"

    def is_blocking_kind(self, game: Game) -> bool:
        return bool(game.round.turn.special_lays)

    def active_entities(self, game: Game) -> list[Entity]:
        lays = game.round.turn.special_lays
        return [game.company(lays[0])] if lays else super().active_entities(game)

    def movers(self, game: Game) -> list[Entity]:
        return [c for c in game.state.companies.values() if not c.closed and owned_by_operator(game, c)]

    def ability(self, game: Game, company: Company) -> tuple[Ability, AbilityData] | None:
        """The tile lay or teleport the company can use now."""
        if not owned_by_operator(game, company):
            return None
        for kind in ("tile_lay", "teleport"):
            for ability, data in companies.abilities(game, company, kind):
                if companies.owner_kind_ok(company, data) and self.usable(game, company, kind, data):
                    return ability, data
        return None

    def usable(self, game: Game, company: Company, kind: str, data: AbilityData) -> bool:
        if kind == "teleport":
            entry = laying.next_lay(game)
            if entry is None or not self.hexes(game, company, data):
                return False
        return usable_now(game, data)

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if not isinstance(entity, Company) or entity.closed or not owned_by_operator(game, entity):
            return ()
        pending = game.round.turn.special_lays
        if pending:
            return self.pending_actions(game, entity) if entity.sym == pending[0] else ()
        if game.round.turn.teleported == entity.sym:
            return ()
        return ("lay_tile", "pass") if self.ability(game, entity) is not None else ()

    def list_pass(self, game: Game, entity: Entity) -> Iterator[Move]:
        if isinstance(entity, Company) and game.round.turn.special_lays[:1] == [entity.sym]:
            yield move(entity, "pass")

    def pending_actions(self, game: Game, company: Company) -> tuple[str, ...]:
        """What a company in the middle of its lays may do."""
        found = self.ability(game, company)
        return ("lay_tile",) if found is not None and found[1].all_or_nothing else ("lay_tile", "pass")

    def terms(self, game: Game, company: Company, ability: Ability, data: AbilityData) -> LayTerms:
        teleport = ability.kind == "teleport"
        return LayTerms(
            company=company,
            special=data.special,
            connected=data.reachable,
            restricted=False,
            free=data.free,
            fee=data.cost,
            any_color=data.special and not teleport,
        )

    def hexes(self, game: Game, company: Company, data: AbilityData) -> list[str]:
        """Hexes the ability may be used on now."""
        if data.hexes:
            return [h for h in data.hexes if self.hex_open(game, h, data)]
        current = game.current
        return sorted(game.network(current).edges) if isinstance(current, Corporation) else []

    def hex_open(self, game: Game, hex_id: str, data: AbilityData) -> bool:
        on_hex = game.state.board.get(hex_id)
        return on_hex is None or on_hex.tile is None

    def list_lay_tile(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Company)
        found = self.ability(game, entity)
        current = game.current
        if found is None or not isinstance(current, Corporation):
            return
        ability, data = found
        terms = self.terms(game, entity, ability, data)
        for hex_id in self.hexes(game, entity, data):
            for tile, rotation in laying.legal_on(game, current, hex_id, terms, data.tiles or None):
                yield move(entity, "lay_tile", hex=hex_id, tile=laying.tile_ids(game, tile), rotation=rotation)

    def do_lay_tile(self, game: Game, action: LayTile) -> None:
        company = game.entity(action.ref)
        operator = game.operator
        assert isinstance(company, Company)
        found = self.ability(game, company)
        if found is None:
            raise IllegalAction("ability_not_usable", f"{company.sym} cannot lay a tile now.")
        ability, data = found
        name, _ = laying.parse_tile(game, action)
        require(
            action.hex in self.hexes(game, company, data), "wrong_hex", f"{company.sym} cannot lay on {action.hex}."
        )
        require(not data.tiles or name in data.tiles, "wrong_tile", f"{company.sym} cannot lay tile {name}.")
        result = laying.lay(game, operator, action, self.terms(game, company, ability, data))
        if ability.kind == "teleport":
            laying.count_lay(game, result)
            if game.title.has_spare_token(game, operator):
                game.round.turn.teleported = company.sym
            else:
                companies.drop_ability(company, ability)
        else:
            self.count_use(game, company, ability, data)

    def count_use(self, game: Game, company: Company, ability: Ability, data: AbilityData) -> None:
        """One use; abilities whose lays belong together keep the turn until done."""
        companies.use(game, company, ability)
        left = ability.uses is not None and ability.uses > 0
        game.round.turn.special_lays = [company.sym] if data.all_in_one_turn and left else []

    def do_pass(self, game: Game, action: Action) -> None:
        company = game.entity(action.ref)
        assert isinstance(company, Company)
        require(bool(game.round.turn.special_lays), "nothing_to_decline", f"{company.sym} has nothing to decline.")
        found = self.ability(game, company)
        if found is not None:
            companies.drop_ability(company, found[0])
        game.round.turn.special_lays = []


class SpecialToken(Step):
    """The token after a teleport tile, and other company tokens (core 16.5)."""

    kind = "special_token"
    description = "place the company's token or pass"

    def is_active(self, game: Game) -> bool:
        return game.round.kind == "operating"

    def is_blocking_kind(self, game: Game) -> bool:
        return game.round.turn.teleported is not None

    def active_entities(self, game: Game) -> list[Entity]:
        sym = game.round.turn.teleported
        return [game.company(sym)] if sym is not None else []

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if isinstance(entity, Company) and entity.sym == game.round.turn.teleported:
            return ("place_token", "pass")
        return ()

    def _teleport(self, game: Game, company: Company) -> tuple[Ability, AbilityData]:
        return next(companies.abilities(game, company, "teleport"))

    def list_place_token(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Company)
        if entity.sym != game.round.turn.teleported:
            return
        for hex_id in self._teleport(game, entity)[1].hexes:
            for city in range(len(game.state.board[hex_id].cities)):
                if token_step.slot_in(game, game.operator, hex_id, city) is not None:
                    yield move(entity, "place_token", city=token_step.city_id(game, hex_id, city))

    def do_place_token(self, game: Game, action: PlaceToken) -> None:
        company = game.entity(action.ref)
        assert isinstance(company, Company)
        ability, data = self._teleport(game, company)
        operator = game.operator
        hex_id, city = token_step.parse_city(game, action.city)
        require(hex_id in data.hexes, "wrong_hex", f"{company.sym}'s token goes to {' or '.join(data.hexes)}.")
        token_step.place_next(game, operator, hex_id, city, cost=0)
        game.round.turn.token_placed = True
        self._end(game, company, ability)

    def do_pass(self, game: Game, action: Action) -> None:
        company = game.entity(action.ref)
        assert isinstance(company, Company)
        self._end(game, company, self._teleport(game, company)[0])

    def _end(self, game: Game, company: Company, ability: Ability) -> None:
        companies.drop_ability(company, ability)
        game.round.turn.teleported = None
