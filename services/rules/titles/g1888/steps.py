"""Steps of 1888 that differ from the shared ones: the auction's all-pass, company lays, the Forbidden City."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...engine import companies, laying, programs, shares, trains
from ...engine.actions import Action, BuyShares, LayTile
from ...engine.board.geometry import opposite
from ...engine.data import AbilityData
from ...engine.state import Ability, Company, Player
from ...engine.steps.auction import WaterfallAuction
from ...engine.steps.base import Entity, Move, move, require
from ...engine.steps.company import ExchangeStep
from ...engine.steps.track import SpecialTrack

if TYPE_CHECKING:
    from ...engine.game import Game


def export_train(game: Game) -> None:
    """The first train of the depot leaves the game if its rank is still exported (1888 4.8)."""
    upcoming = game.state.depot.upcoming
    if upcoming and trains.rank(upcoming[0]) in game.title.data.facts.parameters["exported_ranks"]:
        trains.export(game)


class PrivateAuction(WaterfallAuction):
    """When all pass after the first sale, the incomes are paid and a train is exported (1888 2.1)."""

    def pay_all(self, game: Game) -> None:
        super().pay_all(game)
        export_train(game)


class CompanyTrack(SpecialTrack):
    """Lays of the private companies, in addition to the turn's own lay and without connection (1888 5).

    The turn's ``special_lays`` are the company whose second tile is awaited and the hex of its first one.
    """

    def pending(self, game: Game) -> tuple[Company, AbilityData] | None:
        """The company in the middle of its two lays."""
        lays = game.round.turn.special_lays
        if not lays:
            return None
        company = game.company(lays[0])
        found = self.ability(game, company)
        return None if found is None else (company, found[1])

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        """Single lays stay possible while the second tile of the Great Wall is awaited, nothing else (1888 9, 8)."""
        if not isinstance(entity, Company) or entity.closed:
            return ()
        found = self.ability(game, entity)
        if found is None:
            return ()
        pending = self.pending(game)
        if pending is not None and pending[0] is not entity and (pending[1].all_or_nothing or found[1].all_in_one_turn):
            return ()
        return ("lay_tile",) if found[1].all_or_nothing else ("lay_tile", "pass")

    def moves(self, game: Game, entity: Entity) -> Iterator[Move]:
        if isinstance(entity, Company) and self.actions(game, entity):
            yield from super().moves(game, entity)

    def list_lay_tile(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Company)
        found = self.ability(game, entity)
        if found is None:
            return
        ability, data = found
        terms = self.terms(game, entity, ability, data)
        for hex_id in self.hexes(game, entity, data):
            for tile, rotation in laying.legal_on(game, game.operator, hex_id, terms, data.tiles or None):
                if self.joins_first(game, entity, hex_id, tile, rotation):
                    yield move(entity, "lay_tile", hex=hex_id, tile=laying.tile_ids(game, tile), rotation=rotation)

    def do_lay_tile(self, game: Game, action: LayTile) -> None:
        company = game.entity(action.ref)
        assert isinstance(company, Company)
        name, _ = laying.parse_tile(game, action)
        require(
            not game.live or self.joins_first(game, company, action.hex, name, action.rotation),
            "paths_not_joined",
            f"The second tile of {company.sym} continues the track of the first.",
        )
        super().do_lay_tile(game, action)

    def joins_first(self, game: Game, company: Company, hex_id: str, tile: str, rotation: int) -> bool:
        """Whether a second tile of the Great Wall continues the first across their common edge (1888 5.4)."""
        lays = game.round.turn.special_lays
        pending = self.pending(game)
        if pending is None or pending[0] is not company or pending[1].all_or_nothing:
            return True
        board = game.title.map
        first = board.tile_at(game.state, lays[1])
        second = board.tiles[tile].rotated(rotation)
        return any(
            other == hex_id and edge in first.exits and opposite(edge) in second.exits
            for edge, other in board.adjacent[lays[1]].items()
        )

    def count_use(self, game: Game, company: Company, ability: Ability, data: AbilityData) -> None:
        turn = game.round.turn
        pending = list(turn.special_lays)
        super().count_use(game, company, ability, data)
        if pending and pending[0] != company.sym:
            turn.special_lays = pending
        elif turn.special_lays:
            turn.special_lays.append(turn.laid_hexes[-1])

    def do_pass(self, game: Game, action: Action) -> None:
        company = game.entity(action.ref)
        assert isinstance(company, Company)
        require(
            game.round.turn.special_lays[:1] == [company.sym],
            "nothing_to_decline",
            f"{company.sym} has nothing to decline.",
        )
        super().do_pass(game, action)


class ForbiddenCityExchange(ExchangeStep):
    """The Forbidden City is given up for a share of a corporation with a token in Beijing (1888 5.6).

    With the North rules this is the purchase of the owner's own turn; otherwise it is possible at any moment of
    a stock round and is not part of a turn.
    """

    def counts_as_purchase(self, data: AbilityData) -> bool:
        return "owning_player_sr_turn" in data.when

    def ability(self, game: Game, company: Company) -> AbilityData | None:
        for _, data in companies.abilities(game, company, "exchange"):
            if companies.owner_kind_ok(company, data) and self.is_time(game, company, data):
                return data
        return None

    def is_time(self, game: Game, company: Company, data: AbilityData) -> bool:
        """In the owner's turn before any sale or purchase of it, or at any time."""
        if not self.counts_as_purchase(data):
            return True
        current = game.current
        return current is not None and company.owner == current.ref and not game.round.turn.actions

    def corporations(self, game: Game, data: AbilityData) -> list[str]:
        beijing = game.title.data.facts.parameters["exchange_hex"]
        return [c.sym for c in game.corporations if any(token.hex == beijing for token in c.tokens)]

    def do_buy_shares(self, game: Game, action: BuyShares) -> None:
        company = game.entity(action.ref)
        assert isinstance(company, Company)
        data = self.ability(game, company)
        owner = companies.owner_purse(game, company)
        bundle = shares.parse_shares(game, action.shares, action.percent)
        super().do_buy_shares(game, action)
        assert data is not None
        assert isinstance(owner, Player)
        programs.note(game, owner, "buy", bundle.corporation)
        if self.counts_as_purchase(data):
            turn = game.round.turn
            turn.actions.append("buy_shares")
            turn.bought.append((bundle.corporation, bundle.owner))
