"""Laying track in 1894: two lays a turn, and the powers of companies (1894 4.3, 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....engine import homes, laying
from ....engine.actions import LayTile
from ....engine.board import lays, tokens
from ....engine.data import AbilityData
from ....engine.state import Company
from ....engine.steps.base import Entity
from ....engine.steps.track import SpecialTrack, Track
from ..state import of
from ..track import PARIS

if TYPE_CHECKING:
    from ....engine.game import Game


def is_open(game: Game) -> bool:
    """Whether the track step has not been passed in this turn; companies lay until then."""
    return any(flags.kind == Track.kind and not flags.passed for flags in game.round.steps)


class Track1894(Track):
    """No track in the last set (1894 4.12)."""

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return () if of(game).last_set else super().actions(game, entity)


class CompanyTrack(SpecialTrack):
    """The extra tile of LRC, and the tiles of GLG and SAC, which use up a lay of the turn."""

    def usable(self, game: Game, company: Company, kind: str, data: AbilityData) -> bool:
        return is_open(game)

    def hexes(self, game: Game, company: Company, data: AbilityData) -> list[str]:
        if not data.hexes:
            return super().hexes(game, company, data)
        entry = laying.next_lay(game)
        return [h for h in data.hexes if laying.refuse_by_allowance(game, h, entry) is None]

    def do_lay_tile(self, game: Game, action: LayTile) -> None:
        company = game.entity(action.ref)
        assert isinstance(company, Company)
        found = self.ability(game, company)
        if found is not None and found[0].kind == "teleport" and action.hex in found[1].hexes:
            problem = laying.refuse_by_allowance(game, action.hex, laying.next_lay(game))
            if problem is not None:
                raise problem
        blank = not game.title.map.tile_at(game.state, action.hex).paths if action.hex == PARIS else False
        super().do_lay_tile(game, action)
        if blank:
            self._lift_paris(game)

    def _lift_paris(self, game: Game) -> None:
        """Tokens in Paris are placed anew by the operator when a company lays its first tile (1894 4.5)."""
        for sym, index, _ in sorted(lays.tokens_on(game.state, PARIS), key=lambda entry: entry[2].city):
            tokens.lift(game.title.map, game.state, sym, index)
            homes.queue(game, game.corporation(sym), index, [PARIS], game.operator.ref)
        game.board_changed()
