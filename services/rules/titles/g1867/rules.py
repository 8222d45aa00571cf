"""1867: minors won at auction, majors made of them, loans taken when needed, a national nobody owns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import msgspec

from ...engine import companies, dividends, ending, homes, rng, shares, trains
from ...engine.board.lays import LayResult
from ...engine.data import MarketData, TitleData, load_table
from ...engine.errors import IllegalAction
from ...engine.game import Game
from ...engine.market import MarketCell
from ...engine.money import spend
from ...engine.policies import AuctionRules, EndRules, StockRules, TileLay, TrackAllowance, TrainRules
from ...engine.rounds.base import RoundRules
from ...engine.rounds.stock import StockRound
from ...engine.routes.rules import RouteRules
from ...engine.state import Cell, Corporation, GameState, Player, Trigger
from ...engine.steps.company import BuyCompanyAtEnd, BuyCompanyStep
from ...engine.steps.route import RouteStep
from ...engine.steps.token import HomeToken, next_token
from ...engine.steps.track import Track as TrackStep
from ...engine.steps.train import DiscardTrainStep
from ...engine.title import Title
from ...engine.trains import Offer
from . import description, loans, national
from .access import majors, minors, national_of, state_of
from .homes import accepts, hexes_with_cities, is_empty, prefer_unconnected
from .rounds import CompanyAuctionRound, LoanOperatingRound, MergerRound
from .routes import Routes
from .state import State1867
from .steps.auction import CompanyAuction
from .steps.merging import MergeStep, PostMergerShares, ReduceTokens
from .steps.operating import (
    BuyCompanyBeforeLoans,
    BuyTrainWithLoans,
    DistanceToken,
    LoanOperations,
    MajorTrainless,
    MinorsSplit,
    RedeemShares,
)
from .steps.stock import StarterHomeToken, TradeOrBid
from .track import Track

NEUTRAL_HEXES = (("D2", 0), ("L12", 2))
"""Cities with a neutral marker of the national until the first 3-train."""
NATIONAL_START = ("F16", 0)
LAST_PHASE = "8"
LAST_SET_ROUNDS = 3
TWO_PLAYER_OWNERSHIP = 70
REMOVED_FOR_TWO = (("2", 3), ("3", 2), ("4", 1), ("5", 1), ("6", 1), ("7", 1))
COMPANIES_REMOVED_FOR_TWO = 2


class Title1867(Title):
    """1867 - The Railways of Canada."""

    name = "1867"
    folder = Path(__file__).parent
    state_type: ClassVar[type[GameState]] = State1867

    stock = StockRules(sell_buy_order="sell_buy", sell_after="operate", sell_movement="down_block_pres")
    auction = AuctionRules(multiples_only=True)
    track = TrackAllowance(
        tile_lays=(
            TileLay(),
            TileLay(upgrade="not_if_upgraded", cost=20, cannot_reuse_same_hex=True),
        ),
        home_token_timing="par",
    )
    train_rules = TrainRules(must_buy="always", cheapest_only=False, buy_from_others_in_emergency="never")
    ending = EndRules(
        triggers=(("bank", "current_or"), ("final_phase", "one_more_full_or_set")),
        priority=("one_more_full_or_set", "current_or"),
    )

    national = "CN"
    steps_per_loan = 2
    """Steps left a nationalized company makes for every loan it still holds."""
    loan_limits: Mapping[str, int] = {"minor": 2, "major": 5}
    national_token_tiles: Mapping[str, str] = {"639": "L12"}
    """A tile and the hex where laying it brings the national a token."""

    def adapt(self, data: TitleData) -> TitleData:
        if "grid_market" not in self.options:
            return data
        grid = load_table(self.folder.parent / "g1861" / "market.toml", MarketData)
        return msgspec.structs.replace(data, market=grid)

    def build_rounds(self) -> Sequence[RoundRules]:
        return (
            CompanyAuctionRound(CompanyAuction()),
            StockRound(MajorTrainless(), DiscardTrainStep(), self.home_token_step(), TradeOrBid()),
            self.operating_round(),
            MergerRound(MajorTrainless(), ReduceTokens(), PostMergerShares(), DiscardTrainStep(), MergeStep()),
        )

    def home_token_step(self) -> HomeToken:
        return StarterHomeToken()

    def operating_round(self) -> LoanOperatingRound:
        return LoanOperatingRound(
            MajorTrainless(),
            BuyCompanyStep(),
            RedeemShares(),
            TrackStep(),
            DistanceToken(),
            RouteStep(),
            MinorsSplit(),
            BuyCompanyBeforeLoans(),
            LoanOperations(),
            DiscardTrainStep(),
            BuyTrainWithLoans(),
            BuyCompanyAtEnd(),
        )

    def build_track_rules(self) -> Track:
        return Track(self.map)

    def build_route_rules(self) -> RouteRules:
        return Routes(self.data)

    # --- set-up (1867 2.1) --------------------------------------------------------------------------------------

    @property
    def second_batch(self) -> list[str]:
        """Minors that appear with the first 3-train."""
        batch: list[str] = self.data.facts.parameters["second_batch"]
        return batch

    def setup(self, game: Game) -> None:
        state = state_of(game)
        state.loans_left = self.data.facts.parameters["loans"]
        first = [s for s, c in self.operating_data.items() if c.kind == "minor" and s not in self.second_batch]
        majors = [s for s, c in self.operating_data.items() if c.kind == "major"]
        state.corporation_order = [*first, *majors, *self.second_batch, self.national]
        for sym, corporation in state.corporations.items():
            corporation.in_play = sym in first
        if len(state.players) == 2:
            self.remove_for_two(game)
        company = national_of(game)
        company.started = company.floated = True
        company.holdings = {}
        self.place_national(game)

    def remove_for_two(self, game: Game) -> None:
        """Fewer trains and companies with two players (1867 1.8)."""
        state = game.state
        for name, count in REMOVED_FOR_TWO:
            for train_id in [t for t in state.depot.upcoming if trains.rank(t) == name][-count:]:
                trains.remove_train(game, train_id)
        auctioned = [sym for sym, data in self.data.companies.items() if data.revenue]
        state.rng, shuffled = rng.shuffled(state.rng, auctioned)
        for sym in shuffled[:COMPANIES_REMOVED_FOR_TWO]:
            del state.companies[sym]

    def place_national(self, game: Game) -> None:
        """Neutral markers, the first token of the national, and the token it keeps back."""
        for hex_id, city in NEUTRAL_HEXES:
            game.state.board[hex_id].cities[city].slots[0] = f"~{self.national}"
        state_of(game).national_reservations = ["L12"]
        national.place_national(game, *NATIONAL_START)

    # --- rounds (1867 2.3) --------------------------------------------------------------------------------------

    def next_round(self, game: Game) -> None:
        finished = game.round.kind
        if finished == "operating":
            self.after_operating_round(game)
            ending.check(game)
            if "merger_round" in game.phase.status:
                game.start_round("merger", game.round.number)
            else:
                self.next_in_set(game)
        elif finished == "merger":
            self.next_in_set(game)
        else:
            super().next_round(game)

    def next_in_set(self, game: Game) -> None:
        """The next operating round of the set, or the next stock round."""
        if game.round.number < game.state.operating_rounds:
            game.start_round("operating", game.round.number + 1)
        elif ending.next_turn(game):
            game.start_round("stock", 1)

    def after_operating_round(self, game: Game) -> None:
        """The next train is exported (1867 4.9)."""
        if "train_export" in game.phase.status:
            trains.export(game)

    def rounds_in_set(self, game: Game) -> int:
        """The last set has three operating rounds."""
        return LAST_SET_ROUNDS if game.state.final_turn == game.state.turn else super().rounds_in_set(game)

    # --- stock (1867 3) -----------------------------------------------------------------------------------------

    @property
    def major_cells(self) -> list[MarketCell]:
        """Cells where majors start, dearest first."""
        return [cell for cell in self.market.par_cells if "par" in cell.types or "par_2" in cell.types]

    def par_cells(self, game: Game, corporation: Corporation) -> list[MarketCell]:
        if corporation.kind == "major":
            return self.major_cells
        return [cell for cell in self.market.par_cells if "par" in cell.types or "par_1" in cell.types]

    def can_par(self, game: Game, corporation: Corporation, player: Player) -> bool:
        if corporation.kind != "major" or not game.phase_reached("4"):
            return False
        return super().can_par(game, corporation, player)

    def max_ownership(self, game: Game, corporation: Corporation) -> int:
        if corporation.kind == "major" and len(game.state.players) == 2:
            return TWO_PLAYER_OWNERSHIP
        return super().max_ownership(game, corporation)

    def minor_refusal(self, game: Game, minor: Corporation) -> IllegalAction | None:
        """Why a minor cannot be put up for bid now, money aside."""
        if not self.home_hexes(game, minor):
            return IllegalAction("no_home", f"There is no city where {minor.sym} could start.")
        return None

    def after_par(self, game: Game, corporation: Corporation, player: Player) -> None:
        super().after_par(game, corporation, player)
        self.place_home(game, corporation)

    def place_home(self, game: Game, corporation: Corporation) -> None:
        """Place the home token, or ask for it."""
        homes.place_home_token(game, corporation)

    def home_hexes(self, game: Game, corporation: Corporation) -> list[str]:
        if corporation.home:
            return corporation.home
        return (
            self.minor_homes(game, corporation) if corporation.kind == "minor" else self.major_homes(game, corporation)
        )

    def minor_homes(self, game: Game, corporation: Corporation) -> list[str]:
        """Hexes with a wholly empty city that takes the token (1867 3.4)."""
        board = game.state.board
        return [
            hex_id
            for hex_id in hexes_with_cities(game)
            if any(
                is_empty(c) and accepts(game, corporation.sym, hex_id, i) for i, c in enumerate(board[hex_id].cities)
            )
        ]

    def major_homes(self, game: Game, corporation: Corporation) -> list[str]:
        """Hexes without tokens, such without connection first (1867 3.5)."""
        board = game.state.board
        free = [
            hex_id
            for hex_id in hexes_with_cities(game)
            if all(is_empty(city, but_neutral=True) for city in board[hex_id].cities)
            and any(accepts(game, corporation.sym, hex_id, i) for i in range(len(board[hex_id].cities)))
        ]
        return prefer_unconnected(game, free)

    def next_cell(self, game: Game, corporation: Corporation, direction: str) -> Cell:
        """Minors stop at the cap, or rise there in the grid; majors go on to the right in the top row (1867 1.2)."""
        here = corporation.price
        assert here is not None
        grid = self.market.kind == "grid"
        minor = corporation.kind == "minor"
        if minor and direction == "right" and "cap" in self.market.at(here).types:
            return self.market.up(here) if grid else here
        row, column = here
        at_end = direction == "right" and column + 1 == len(self.market.rows[row])
        if grid and not minor and row == 0 and (direction == "up" or at_end):
            beyond = (1, column + 1)
            return beyond if self.market.find(*beyond) is not None else here
        return super().next_cell(game, corporation, direction)

    # --- operating (1867 4) -------------------------------------------------------------------------------------

    def loan_limit(self, corporation: Corporation) -> int:
        """Most loans a company may hold by borrowing."""
        return self.loan_limits[corporation.kind]

    def track_funds(self, game: Game, operator: Corporation) -> int:
        return loans.full(game, operator)

    def pay_for_track(self, game: Game, operator: Corporation, cost: int) -> None:
        if cost > loans.full(game, operator):
            raise IllegalAction(
                "insufficient_funds", f"{operator.sym} can raise {game.money(loans.full(game, operator))} for track."
            )
        loans.raise_cash(game, operator, cost)
        spend(game, operator, None, cost)

    def after_lay(self, game: Game, operator: Corporation, result: LayResult) -> None:
        """The national gets its token in the city it is kept for (1867 4.3)."""
        hex_id = self.national_token_tiles.get(result.new.name)
        if hex_id != result.hex_id or not state_of(game).national_reservations:
            return
        if not national.has_real_token(game, hex_id) and national.unused(national_of(game)):
            national.place_national(game, hex_id, 0)
            reservations = state_of(game).national_reservations
            if hex_id in reservations:
                reservations.remove(hex_id)

    def token_cost(self, game: Game, corporation: Corporation, hex_id: str) -> int:
        """Printed price times the distance to the nearest token (1867 4.4)."""
        index = next_token(corporation)
        own = [token.hex for token in corporation.tokens if token.hex is not None]
        if index is None or not own:
            return super().token_cost(game, corporation, hex_id)
        return corporation.tokens[index].price * min(self.map.distance(hex_id, other) for other in own)

    def dividend_kinds(self, game: Game, corporation: Corporation) -> tuple[str, ...]:
        return ("payout", "half", "withhold")

    def dividend_moves(self, game: Game, corporation: Corporation, kind: str, paid: int) -> tuple[tuple[str, int], ...]:
        """Majors rise when they pay their price at least (1867 4.6)."""
        if corporation.price is None:
            return ()
        if paid == 0:
            return (("left", 1),)
        return (("right", 1),) if paid >= shares.share_price(game, corporation) else ()

    def own_dividend_sources(self, game: Game, corporation: Corporation) -> tuple[str, ...]:
        return () if corporation.kind == "minor" else dividends.own_sources(corporation)

    def may_trade_in(self, game: Game, buyer: Corporation, own: str, offer: Offer) -> bool:
        return game.phase.name == LAST_PHASE and super().may_trade_in(game, buyer, own, offer)

    # --- events (1867 1.4, 4.10) --------------------------------------------------------------------------------

    def on_train_event(self, game: Game, event: str) -> None:
        if event == "second_batch":
            self.open_second_batch(game)
        elif event == "trainless_check":
            state_of(game).check_trainless = True
        elif event == "minor_start_ends":
            national.remove_unstarted_minors(game)
        elif event == "companies_bought_out":
            national.buy_out_companies(game)
        elif event == "minors_absorbed":
            national.nationalize_minors(game)

    def open_second_batch(self, game: Game) -> None:
        """Majors and the second minors come into the list, neutral markers and blocked hexes open."""
        for corporation in game.state.corporations.values():
            if corporation.kind == "major" or corporation.sym in self.second_batch:
                corporation.in_play = True
        for company in game.state.companies.values():
            if companies.has_ability(game, company, "blocks_hexes"):
                companies.close(game, company)
        neutral = f"~{self.national}"
        for on_hex in game.state.board.values():
            for city in on_hex.cities:
                city.slots = [None if slot == neutral else slot for slot in city.slots]
        game.board_changed()

    def after_train(self, game: Game, train_id: str) -> None:
        if state_of(game).check_trainless:
            national.check_trainless(game)

    def take_cash(self, game: Game, corporation: Corporation) -> None:
        """Money of a nationalized company goes to the bank."""
        spend(game, corporation, None, corporation.cash)

    def take_companies(self, game: Game, corporation: Corporation) -> None:
        """Companies of a nationalized company close."""
        national.close_companies(game, corporation)

    def take_trains(self, game: Game, corporation: Corporation) -> None:
        """Trains of a nationalized company leave the game."""
        national.remove_trains(game, corporation)

    # --- the end (1867 6) ---------------------------------------------------------------------------------------

    def note_final_turn(self, game: Game, trigger: Trigger) -> None:
        """Any trigger notes the next set as the last; it counts only with the last phase."""
        if game.state.final_turn is None:
            game.state.final_turn = game.state.turn + 1

    def share_value(self, game: Game, corporation: Corporation, percent: int) -> int:
        """Worth after a step left for every loan."""
        if corporation.price is None:
            return 0
        at: Cell | None = corporation.price
        if corporation.loans:
            moved = msgspec.structs.replace(corporation)
            for _ in range(corporation.loans):
                moved.price = self.next_cell(game, moved, "left")
            at = moved.price
        assert at is not None
        return self.market.at(at).price * percent // self.units[corporation.sym]

    def before_scoring(self, game: Game) -> None:
        for corporation in game.corporations:
            shares.move_price(game, corporation, "left", corporation.loans)
            state_of(game).loans_left += corporation.loans
            corporation.loans = 0

    # --- description --------------------------------------------------------------------------------------------

    def visible_corporations(self, game: Game) -> list[Corporation]:
        return [c for c in game.state.corporations.values() if c.in_play or c.closed or c.sym == self.national]

    def operating_order(self, game: Game) -> list[Corporation]:
        return [*minors(game), *majors(game)]

    def extra_keys(self, game: Game) -> dict[str, object]:
        return description.extra_keys(game)
