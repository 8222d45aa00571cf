"""1862: what differs from 1830 (section numbers are those of the 1862 rules)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ...engine import ending, programs, rng, shares, trains
from ...engine.board.lays import LayResult
from ...engine.data import TitleData
from ...engine.dividends import Option
from ...engine.policies import EndRules, StockRules, TileLay, TrackAllowance, TrainRules
from ...engine.rounds.base import RoundRules
from ...engine.shares import Bundle
from ...engine.state import IPO, POOL, Company, Corporation, GameState, Player, Ref
from ...engine.steps.base import Entity
from ...engine.title import Title
from . import charters, description, london
from .rounds import Operating1862, ParliamentRound, Stock1862
from .routes import Routes
from .state import Corporation1862, State1862, as_1862, of
from .steps import operating
from .steps.merging import AcquireStep, MergeStep, OptionShare, Redeem, RemoveTokens
from .steps.operating import Dividend1862, HomeUpgrade, Route1862, Token1862, Track1862
from .steps.parliament import ParliamentStep
from .steps.stock import BuyTokens, ForcedSales, Trade
from .steps.train import Train1862
from .track import TrackRules1862, adds_town, move_counters

if TYPE_CHECKING:
    from ...engine.game import Game

FIRST_PARLIAMENTS = 2
FORGIVEN = {"forgive_1": 1, "forgive_2": 2}
"""Shares whose sale does not move the price, by kind of market cell (3.5)."""


class Title1862(Title):
    """1862: Railway Mania in the Eastern Counties."""

    name = "1862"
    folder = Path(__file__).parent
    state_type = State1862

    stock = StockRules(
        sell_buy_order="sell_buy",
        sell_after="round",
        pool_limit=100,
        no_limit_types=(),
        no_holding_limit_types=(),
        multiple_buy_types=(),
        privates_count=False,
        must_sell_in_blocks=True,
        president_may_dump_to_pool=True,
        sold_out_increase=False,
        companies_between_players=False,
    )
    track = TrackAllowance(tile_lays=(TileLay(), TileLay(upgrade=False, lay_not_if_upgraded=True)))
    train_rules = TrainRules(must_buy="always", discarded="remove")
    ending = EndRules(triggers=(("stock_market", "current_or"), ("bank", "full_or"), ("lner", "full_or")))

    # --- composition ------------------------------------------------------------------------------------------------

    def adapt(self, data: TitleData) -> TitleData:
        """The optional lengths of the game change the number of trains (1.5)."""
        counts: dict[str, dict[str, int]] = data.facts.parameters["train_counts"]
        changed = {name: n for option in sorted(self.options) for name, n in counts.get(option, {}).items()}
        table = [msgspec.structs.replace(t, count=changed.get(t.name, t.count)) for t in data.trains]
        return msgspec.structs.replace(data, trains=table)

    def build_rounds(self) -> Sequence[RoundRules]:
        return (
            ParliamentRound(ParliamentStep()),
            Stock1862(BuyTokens(), ForcedSales(), Trade()),
            Operating1862(
                HomeUpgrade(),
                OptionShare(),
                RemoveTokens(),
                MergeStep(),
                Track1862(),
                Token1862(),
                Route1862(),
                Dividend1862(),
                Train1862(),
                Redeem(),
                AcquireStep(),
            ),
        )

    def build_track_rules(self) -> TrackRules1862:
        return TrackRules1862(self.map)

    def build_route_rules(self) -> Routes:
        return Routes(self.data)

    # --- set-up (1.2) -----------------------------------------------------------------------------------------------

    def new_state(self, players: Sequence[tuple[int | str, str]], seed: int, mode: str) -> GameState:
        """Nobody reserves a home; every corporation in the game marks it."""
        state = super().new_state(players, seed, mode)
        for on_hex in state.board.values():
            for city in on_hex.cities:
                city.reserved = []
        return state

    def new_corporation(self, sym: str) -> Corporation:
        base = super().new_corporation(sym)
        return Corporation1862(**{name: getattr(base, name) for name in base.__struct_fields__})

    def setup(self, game: Game) -> None:
        """Draw the order in which corporations appear, those left out, and the permits."""
        state = of(game)
        parameters = self.data.facts.parameters
        seats = str(len(state.players))
        state.rng, order = rng.shuffled(state.rng, list(state.corporation_order))
        out = parameters["left_out"].get(seats, parameters["left_out"]["usual"])
        for sym in order[:out]:
            del state.corporations[sym]
            del state.companies[sym]
            state.corporation_order.remove(sym)
        state.offer = order[out:]
        permits = list(parameters["permits"]) * parameters["permit_sets"]
        if len(state.players) < parameters["all_permits_from"]:
            permits = permits[: -parameters["permits_left_out"]]
        state.rng, permits = rng.shuffled(state.rng, permits)
        later: dict[str, int] = parameters["later"]
        phases = ["A"] * (len(state.offer) - sum(later.values())) + [p for p, n in later.items() for _ in range(n)]
        for sym, phase in zip(state.offer, phases, strict=True):
            state.starts_in[sym] = phase
        for sym, permit in zip(state.corporation_order, permits, strict=False):
            state.corporations[sym].permits = [permit]
            state.first_permit[sym] = permit
            charters.put_marker(game, state.corporations[sym])

    # --- rounds (2.1) -----------------------------------------------------------------------------------------------

    def first_round(self, game: Game) -> None:
        game.start_round("parliament", 1)

    def next_round(self, game: Game) -> None:
        state = of(game)
        state.skip_turn = []
        finished = game.round.kind
        if finished == "parliament":
            for player in state.players:
                programs.remove(game, player, "")
            again = state.parliaments < FIRST_PARLIAMENTS
            game.start_round("parliament" if again else "stock", 1)
        elif finished == "stock":
            game.reorder_players()
            state.operating_rounds = self.rounds_in_set(game)
            game.start_round("operating", 1)
        elif game.round.number < state.operating_rounds:
            game.start_round("operating", game.round.number + 1)
        elif ending.next_turn(game):
            if state.lner == "triggered":
                charters.form_lner(game)
            game.start_round("stock" if state.lner else "parliament", 1)

    def acting_player(self, game: Game, entity: Entity) -> Player | None:
        """The largest holder decides for a corporation in receivership (2.6)."""
        if isinstance(entity, Corporation) and charters.in_receivership(entity):
            return max(game.players_in_order, key=lambda player: shares.percent(game, entity, player.ref))
        return super().acting_player(game, entity)

    # --- shares (3) -------------------------------------------------------------------------------------------------

    def always_market_price(self, corporation: Corporation) -> bool:
        return corporation.capitalization == "incremental"

    def share_sources(self, game: Game, corporation: Corporation) -> tuple[Ref, ...]:
        return (IPO, POOL, corporation.ref)

    def may_dump(self, game: Game, bundle: Bundle) -> bool:
        """A president certificate may go to the pool if that has change for the part kept (3.3)."""
        if 0 not in bundle.indexes:
            return True
        corporation = game.corporation(bundle.corporation)
        sizes = self.sizes[corporation.sym]
        if bundle.percent >= sizes[0]:
            return True
        if any(
            owned >= sizes[0]
            for player, owned in shares.player_holders(game, corporation)
            if player.ref != bundle.owner
        ):
            return True
        change = sum(sizes[index] for index in bundle.indexes) - bundle.percent
        return shares.percent(game, corporation, POOL) >= change

    def bought_this_round(self, game: Game, player: Player) -> list[tuple[str, str]]:
        return of(game).bought.get(player.ref, [])

    def after_float(self, game: Game, corporation: Corporation) -> None:
        """Chartered corporations pay three tokens, the others are asked how many they buy (2.2, 2.3)."""
        if as_1862(corporation).chartered:
            charters.obligation_met(game, as_1862(corporation))
        else:
            of(game).buy_tokens = corporation.sym

    def sale_drop(self, game: Game, corporation: Corporation, bundle: Bundle, was_president: bool) -> int:
        """A cell a share, some forgiven to all but the president (3.5)."""
        if not corporation.floated or of(game).lner == "formed":
            return 0
        forgiven = 0 if was_president else FORGIVEN.get(shares.cell_type(game, corporation), 0)
        return max(bundle.percent // self.units[corporation.sym] - forgiven, 0)

    # --- track and trains (4.1, 4.5, 4.6) ---------------------------------------------------------------------------

    def counts_as_upgrade(self, game: Game, result: LayResult) -> bool:
        new = result.new
        return new.color != "yellow" or new.label == "N" or adds_town(result.old, new.tile)

    def after_lay(self, game: Game, operator: Corporation, result: LayResult) -> None:
        move_counters(of(game), result)

    def route_available(self, game: Game, corporation: Corporation) -> bool:
        """An imported game remembers who had track to run on (2.6)."""
        if not game.live and corporation.sym in of(game).known_routes:
            return True
        return super().route_available(game, corporation)

    def after_action(self, game: Game) -> None:
        operator = game.current
        known = of(game).known_routes
        if game.live or not isinstance(operator, Corporation) or operator.sym in known:
            return
        if london.has_runnable_train(game, operator) and super().route_available(game, operator):
            known.append(operator.sym)

    def defers_rust(self, game: Game, train_id: str) -> bool:
        """Trains with a warranty run on until it is used up (4.5)."""
        if not game.state.depot.trains[train_id].name.endswith("*"):
            return False
        if train_id not in of(game).deferred_rust:
            of(game).deferred_rust.append(train_id)
        return True

    def after_train(self, game: Game, train_id: str) -> None:
        """Trains a bankrupt corporation has left rust like others (6.2)."""
        left = of(game).left_trains
        for other in list(left):
            if self.trains[trains.rank(other)].rusts_on == trains.rank(train_id):
                del left[other]

    def on_train_event(self, game: Game, event: str) -> None:
        of(game).lner = "triggered"

    def dividend_kinds(self, game: Game, corporation: Corporation) -> tuple[str, ...]:
        return operating.dividend_kinds(game, corporation)

    def dividend_option(self, game: Game, corporation: Corporation, kind: str, revenue: int) -> Option:
        return operating.dividend_option(game, corporation, kind, revenue)

    def own_dividend_sources(self, game: Game, corporation: Corporation) -> tuple[Ref, ...]:
        return (charters.own_place(corporation),)

    # --- the end (6.4) ----------------------------------------------------------------------------------------------

    def holding_value(self, game: Game, corporation: Corporation, player: Player) -> int:
        """Half, certificate by certificate, without a train."""
        price = shares.share_price(game, corporation)
        sizes, unit = self.sizes[corporation.sym], self.units[corporation.sym]
        divisor = 1 if corporation.trains else 2
        return sum(price * sizes[i] // unit // divisor for i in shares.held(corporation, player.ref))

    def end_reason_holds(self, game: Game, reason: str) -> bool:
        state = of(game)
        if reason == "stock_market":
            return state.top_reached
        if reason == "bank":
            return state.bank_broken and state.lner != "formed"
        return reason == "lner" and state.lner == "formed" and not game.round.at_start

    # --- description ------------------------------------------------------------------------------------------------

    def extra_keys(self, game: Game) -> dict[str, object]:
        return description.extra_keys(game)

    def counted_companies(self, game: Game, player: Player) -> int:
        """Obligations are no certificates (1.7)."""
        return 0

    def closes_with_all(self, game: Game, company: Company) -> bool:
        return False
