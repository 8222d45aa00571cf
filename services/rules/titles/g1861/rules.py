"""1861: as 1867, with fixed homes for minors and a national railway that operates (1861)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from ...engine.data import MarketData, TitleData, load_table
from ...engine.errors import IllegalAction
from ...engine.game import Game
from ...engine.routes.rules import RouteRules
from ...engine.state import Corporation, Ref, Trigger
from ...engine.steps.route import RouteStep
from ...engine.steps.token import HomeToken
from ...engine.steps.train import DiscardTrainStep
from ..g1867 import national
from ..g1867.access import national_of, state_of
from ..g1867.homes import accepts, hexes_with_cities, is_connected, is_empty
from ..g1867.rounds import LoanOperatingRound
from ..g1867.rules import LAST_PHASE, LAST_SET_ROUNDS, Title1867
from ..g1867.steps.operating import LoanOperations, MajorTrainless, MinorsSplit, RedeemShares
from .routes import Routes
from .steps import (
    BuyCompanyAtEndOfOthers,
    BuyCompanyBeforeLoansOfOthers,
    BuyCompanyOfOthers,
    BuyTrainOrNational,
    TokenOfOthers,
    TrackOfOthers,
)

FIRST_MINOR = "N"
"""The minor that must be put up for bid before any other."""
CAPITAL = "E1"
"""Where the national starts."""


class NationalOperatingRound(LoanOperatingRound):
    """The national acts last, in the phases in which it operates (1861 4.1, 4.2)."""

    def entities(self, game: Game) -> list[Ref]:
        return [*super().entities(game), national_of(game).ref]

    def setup(self, game: Game) -> None:
        national_of(game).president = game.players_in_order[0].ref
        super().setup(game)

    def can_operate(self, game: Game, operator: Corporation) -> bool:
        if operator.kind == "national":
            return "national_active" in game.phase.status
        return super().can_operate(game, operator)

    def begin_turn(self, game: Game, operator: Corporation) -> None:
        """The national's first token goes to the capital."""
        if operator.kind != "national" or CAPITAL not in state_of(game).national_reservations:
            return
        if not national.has_real_token(game, CAPITAL) and national.unused(operator):
            national.place_national(game, CAPITAL, len(game.state.board[CAPITAL].cities) - 1)


class Title1861(Title1867):
    """1861 - The Railways of the Russian Empire."""

    name = "1861"
    folder = Path(__file__).parent

    national = "RSR"
    steps_per_loan = 1
    loan_limits: Mapping[str, int] = {"minor": 2, "major": 5, "national": 100}
    national_token_tiles: Mapping[str, str] = {"639": "H8"}

    def adapt(self, data: TitleData) -> TitleData:
        if "column_market" not in self.options:
            return data
        column = load_table(self.folder.parent / "g1867" / "market.toml", MarketData)
        return msgspec.structs.replace(data, market=column)

    def home_token_step(self) -> HomeToken:
        return HomeToken()

    def operating_round(self) -> LoanOperatingRound:
        return NationalOperatingRound(
            MajorTrainless(),
            BuyCompanyOfOthers(),
            RedeemShares(),
            TrackOfOthers(),
            TokenOfOthers(),
            RouteStep(),
            MinorsSplit(),
            BuyCompanyBeforeLoansOfOthers(),
            LoanOperations(),
            DiscardTrainStep(),
            BuyTrainOrNational(),
            BuyCompanyAtEndOfOthers(),
        )

    def build_route_rules(self) -> RouteRules:
        return Routes(self.data)

    def place_national(self, game: Game) -> None:
        """No markers at the start; tokens are kept back for the capital and Moscow (1861 2)."""
        state_of(game).national_reservations = [CAPITAL, "H8"]

    # --- homes (1861 3) -----------------------------------------------------------------------------------------

    def minor_refusal(self, game: Game, minor: Corporation) -> IllegalAction | None:
        first = game.corporation(FIRST_MINOR)
        if minor is not first and not first.started and not first.closed:
            return IllegalAction("first_minor", f"{FIRST_MINOR} must be started before other minors.")
        return super().minor_refusal(game, minor)

    def major_homes(self, game: Game, corporation: Corporation) -> list[str]:
        """Unconnected hexes with a wholly empty city that takes the token; nothing else."""
        board = game.state.board
        return [
            hex_id
            for hex_id in hexes_with_cities(game)
            if any(
                is_empty(c) and accepts(game, corporation.sym, hex_id, i) for i, c in enumerate(board[hex_id].cities)
            )
            and not is_connected(game, hex_id)
        ]

    # --- nationalization (1861 5) -------------------------------------------------------------------------------

    def take_cash(self, game: Game, corporation: Corporation) -> None:
        """Money goes to the national."""
        national_of(game).cash += corporation.cash
        corporation.cash = 0

    def take_companies(self, game: Game, corporation: Corporation) -> None:
        """Companies go to the national."""
        national.hand_over_companies(game, corporation, national_of(game))

    def take_trains(self, game: Game, corporation: Corporation) -> None:
        """Trains go to the national, with their run marks."""
        national.hand_over_trains(game, corporation, national_of(game))

    # --- the end (1861 6) ---------------------------------------------------------------------------------------

    def after_action(self, game: Game) -> None:
        """With the last phase this set becomes the last if its first round is not over, else the next one."""
        state = game.state
        if game.phase.name != LAST_PHASE:
            return
        if game.round.number == 1:
            state.operating_rounds, state.final_turn = LAST_SET_ROUNDS, state.turn
        elif state.final_turn is None:
            state.final_turn = state.turn + 1

    def note_final_turn(self, game: Game, trigger: Trigger) -> None:
        """Noted with the last phase only, see :meth:`after_action`."""

    # --- description --------------------------------------------------------------------------------------------

    def operating_order(self, game: Game) -> list[Corporation]:
        return [*super().operating_order(game), national_of(game)]
