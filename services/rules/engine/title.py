"""A title: its data, its switches and the rules that differ, shared by all its games.

``Title`` has the base behavior of core.md. A title's folder subclasses it, names its policies, composes its rounds from
steps and overrides the hooks it needs. Instances are built once per set of options and hold no game state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from . import ending, rng
from .board.map import Map
from .board.setup import initial_board
from .board.track_rules import TrackRules
from .data import TitleData, load_facts
from .errors import MalformedAction
from .hooks import BoardHooks, RevenueHooks, ShareHooks, TrainHooks
from .market import Market
from .routes.rules import RouteRules
from .state import IPO, Ability, Company, Corporation, GameState, Player, Token
from .trains import new_depot

if TYPE_CHECKING:
    from .game import Game
    from .rounds.base import RoundRules
    from .steps.base import Entity


class Title(ShareHooks, TrainHooks, BoardHooks, RevenueHooks, ABC):
    """Rules and facts of one title with one set of options."""

    name: ClassVar[str] = ""
    folder: ClassVar[Path]
    state_type: ClassVar[type[GameState]] = GameState

    def __init__(self, options: Iterable[str] = ()) -> None:
        self.options = frozenset(options)
        self.data = self.adapt(TitleData.load(self.folder))
        self.map = Map(self.data)
        self.market = Market(self.data.market)
        self.trains = {train.name: train for train in self.data.trains}
        operating = {**self.data.corporations, **self.data.minors}
        self.operating_data = operating
        self.sizes = {sym: tuple(c.shares) for sym, c in operating.items()}
        self.units = {sym: c.share_unit for sym, c in operating.items()}
        self.track_rules = self.build_track_rules()
        self.route_rules = self.build_route_rules()
        self.hex_blockers: dict[str, list[str]] = {}
        for sym, company in self.data.companies.items():
            for ability in company.abilities:
                if ability.kind == "blocks_hexes":
                    for hex_id in ability.hexes:
                        self.hex_blockers.setdefault(hex_id, []).append(sym)
        self.rounds: dict[str, RoundRules] = {rules.kind: rules for rules in self.build_rounds()}

    # --- composition -------------------------------------------------------------------------------------------

    def adapt(self, data: TitleData) -> TitleData:
        """Data under this instance's options."""
        return data

    @abstractmethod
    def build_rounds(self) -> Sequence[RoundRules]:
        """The kinds of rounds of this title, composed from steps."""

    def build_track_rules(self) -> TrackRules:
        return TrackRules(self.map)

    def build_route_rules(self) -> RouteRules:
        return RouteRules(self.data)

    @classmethod
    def normalize_options(cls, options: Iterable[str], players: int) -> list[str]:
        """Options in force: those not allowed with this number of players are dropped (core 1.1)."""
        known = load_facts(cls.folder).options
        result = []
        for option in options:
            if option in known and known[option].players and players not in known[option].players:
                continue
            if option not in result:
                result.append(option)
        return result

    @classmethod
    def check_options(cls, options: Iterable[str]) -> None:
        """Raise :class:`MalformedAction` for an option the title does not have."""
        known = load_facts(cls.folder).options
        for option in options:
            if option not in known:
                choice = f"It has {', '.join(known)}." if known else "It has none."
                raise MalformedAction("unknown_option", f"{option!r} is not an option of {cls.name}. {choice}")

    @classmethod
    def options_of_new_game(cls, options: Iterable[str], players: int) -> list[str]:
        """Options in force in a game started here, which may not be those of a recorded game."""
        return list(options)

    # --- set-up -------------------------------------------------------------------------------------------------

    def new_state(self, players: Sequence[tuple[int | str, str]], seed: int, mode: str) -> GameState:
        """The state before the first round; raises :class:`MalformedAction` for a wrong table."""
        facts = self.data.facts
        count = len(players)
        if str(count) not in facts.starting_cash or not facts.min_players <= count <= facts.max_players:
            raise MalformedAction(
                "wrong_player_count",
                f"{facts.name} is for {facts.min_players} to {facts.max_players} players, not {count}.",
                players=count,
            )
        if len({str(player_id) for player_id, _ in players}) != count:
            raise MalformedAction("duplicate_player", "Every player needs an id of its own.")
        cash = facts.starting_cash[str(count)]
        return self.state_type(
            title=self.name,
            options=sorted(self.options),
            seed=seed,
            mode=mode,
            rng=rng.start(seed),
            players=[Player(id=player_id, name=name, cash=cash) for player_id, name in players],
            player_order=[player_id for player_id, _ in players],
            corporations={sym: self.new_corporation(sym) for sym in self.operating_data},
            corporation_order=list(self.operating_data),
            companies={sym: self.new_company(sym) for sym in self.data.companies},
            board=initial_board(self.map, self.data),
            supply={name: self.tile_copies(name) for name in self.data.tiles},
            market={},
            depot=new_depot(self.data.trains),
            phase=0,
            bank=(facts.bank or 0) - cash * count,
            cert_limit=facts.cert_limit[str(count)],
            operating_rounds=self.data.phases[0].operating_rounds,
        )

    def tile_copies(self, name: str) -> list[int]:
        count = self.data.tiles[name].count
        return list(range(1 if count is None else count))

    def new_corporation(self, sym: str) -> Corporation:
        data = self.operating_data[sym]
        return Corporation(
            sym=sym,
            kind=data.kind,
            entity_type="minor" if sym in self.data.minors else "corporation",
            tokens=[Token(price=price) for price in data.tokens],
            holdings={IPO: list(range(len(data.shares)))} if data.shares else {},
            capitalization=data.capitalization,
            home=list(data.home),
            abilities=[Ability(a.kind, i, a.uses) for i, a in enumerate(data.abilities)],
        )

    def new_company(self, sym: str) -> Company:
        data = self.data.companies[sym]
        return Company(
            sym=sym,
            value=data.value,
            revenue=data.revenue,
            discount=data.discount,
            abilities=[Ability(a.kind, i, a.uses) for i, a in enumerate(data.abilities)],
        )

    def setup(self, game: Game) -> None:
        """Changes to a new game before its first round."""

    # --- rounds -------------------------------------------------------------------------------------------------

    def first_round(self, game: Game) -> None:
        game.start_round("auction", 1)

    def next_round(self, game: Game) -> None:
        """Base sequence (core 2.7): auction, then stock rounds and sets of operating rounds in turn."""
        finished = game.round.kind
        if finished == "stock":
            game.reorder_players()
            self.after_stock_round(game)
            game.state.operating_rounds = self.rounds_in_set(game)
            game.start_round("operating", 1)
        elif finished == "operating":
            self.after_operating_round(game)
            if game.state.outcome is not None:
                return
            if game.round.number < game.state.operating_rounds:
                game.start_round("operating", game.round.number + 1)
            elif ending.next_turn(game):
                self.after_operating_set(game)
                game.start_round("stock", 1)
        else:
            game.reorder_players()
            game.start_round("stock", 1)

    def rounds_in_set(self, game: Game) -> int:
        return game.phase.operating_rounds

    def after_stock_round(self, game: Game) -> None:
        """Hook at the end of a stock round."""

    def after_operating_round(self, game: Game) -> None:
        """Hook at the end of every operating round."""

    def after_operating_set(self, game: Game) -> None:
        """Hook after the last operating round of a set; the turn has been advanced."""

    def acting_player(self, game: Game, entity: Entity) -> Player | None:
        """The player who decides for an entity now."""
        return game.president_of(entity)

    # --- description --------------------------------------------------------------------------------------------

    def visible_corporations(self, game: Game) -> list[Corporation]:
        """Operating companies that can be dealt with by now."""
        return list(game.state.corporations.values())

    def advertised(self, game: Game, entity: Entity, kinds: list[str]) -> list[str]:
        """Action types an entity is said to be able to send, of those it can (``conformance.keys``)."""
        return kinds

    def operating_order(self, game: Game) -> list[Corporation]:
        """Companies in operation, in the order in which they would act now."""
        return game.market_order([c for c in game.corporations if c.floated])

    def extra_keys(self, game: Game) -> dict[str, object]:
        """Title-specific keys of a position (``conformance.keys``)."""
        return {}
