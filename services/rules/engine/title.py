"""A title: its data, its switches and the rules that differ, shared by all its games.

``Title`` has the base behavior of core.md. A title's folder subclasses it, names its policies, composes its rounds from
steps and overrides the hooks it needs. Instances are built once per set of options and hold no game state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from . import companies, dividends, rng, shares
from .board.lays import LayResult
from .board.map import Map
from .board.setup import initial_board
from .board.track_rules import TrackRules
from .data import TitleData, load_facts
from .errors import MalformedAction
from .market import Market, MarketCell
from .money import Purse, spend
from .policies import AuctionRules, EndRules, StockRules, TrackAllowance, TrainRules
from .routes.rules import RouteRules
from .shares import Bundle
from .state import IPO, POOL, Ability, Cell, Company, Corporation, GameState, Player, Ref, Token, Trigger
from .trains import Offer, new_depot, remove_train

if TYPE_CHECKING:
    from .game import Game
    from .rounds.base import RoundRules
    from .steps.base import Entity


class Title:
    """Rules and facts of one title with one set of options."""

    name: ClassVar[str] = ""
    folder: ClassVar[Path]
    state_type: ClassVar[type[GameState]] = GameState

    stock: StockRules = StockRules()
    auction: AuctionRules = AuctionRules()
    track: TrackAllowance = TrackAllowance()
    train_rules: TrainRules = TrainRules()
    ending: EndRules = EndRules()

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

    def build_rounds(self) -> Sequence[RoundRules]:
        """The kinds of rounds of this title, composed from steps."""
        raise NotImplementedError

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
            else:
                game.state.turn += 1
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

    # --- shares -------------------------------------------------------------------------------------------------

    @property
    def bank_can_break(self) -> bool:
        return self.data.facts.bank is not None

    def lowest_par(self, corporation: Corporation) -> int:
        return min(cell.price for cell in self.market.par_cells)

    def par_cells(self, game: Game, corporation: Corporation) -> list[MarketCell]:
        """Cells where a corporation may be parred, dearest first."""
        return self.market.par_cells

    def auction_par_cells(self, game: Game, corporation: Corporation) -> list[MarketCell]:
        """Cells for a corporation whose president certificate came with a private company."""
        return self.market.par_cells

    def after_company_auctioned(self, game: Game, company: Company, player: Player) -> None:
        """Hook when a company has been sold in the initial auction."""

    def after_company_traded(self, game: Game, company: Company, player: Player) -> None:
        """Hook when a player has bought a company from another.

        An imported game may have handed out the company's certificates again if the bank held them (core 16.5).
        """
        if game.live:
            return
        for _, data in companies.abilities(game, company, "shares"):
            for share in data.shares:
                sym, _, index = share.rpartition("_")
                corporation = game.corporation(sym)
                if shares.owner_of(corporation, int(index)) in (IPO, POOL):
                    shares.give(game, corporation, int(index), player.ref, company.sym)

    def can_par(self, game: Game, corporation: Corporation, player: Player) -> bool:
        """Whether the title lets a player start this corporation now (money and limits aside)."""
        return not corporation.started and corporation.in_play

    def always_market_price(self, corporation: Corporation) -> bool:
        return self.operating_data[corporation.sym].always_market_price

    def counted_companies(self, game: Game, player: Player) -> int:
        """Certificates the player's private companies count for."""
        return len(player.companies) if self.stock.privates_count else 0

    def max_ownership(self, game: Game, corporation: Corporation) -> int:
        return self.operating_data[corporation.sym].max_ownership

    def share_sources(self, game: Game, corporation: Corporation) -> tuple[Ref, ...]:
        """Where players buy certificates of a corporation."""
        return (IPO, POOL)

    def is_buyable(self, game: Game, corporation: Corporation, index: int, holder: Ref) -> bool:
        """Whether a certificate in the IPO or pool may be bought by players; the president's only by ``par``."""
        return index != 0

    def may_buy_again(self, game: Game, player: Player, corporation: Corporation) -> bool:
        """Whether a multiple-buy corporation may be bought once more in the turn (core 11.6)."""
        return True

    def may_dump(self, game: Game, bundle: Bundle) -> bool:
        """Whether the president certificate of a bundle may go (core 11.5, dump rule)."""
        return shares.can_dump(game, bundle)

    def bought_this_round(self, game: Game, player: Player) -> list[tuple[str, str]]:
        """(corporation, source) of the player's purchases in this stock round, where the title remembers them."""
        return []

    def can_be_led(self, game: Game, corporation: Corporation) -> bool:
        """Whether a corporation has a president yet; until then purchases make none."""
        return True

    def certificates_for_president(self, game: Game, corporation: Corporation, president: Ref) -> list[int]:
        """Certificates a new president hands over for the president certificate (his first ones)."""
        return [index for index in corporation.holdings[president] if index != 0]

    def sale_receiver(self, game: Game, corporation: Corporation, owner: Ref) -> Purse:
        """Who gets the money for a certificate bought from ``owner`` (core 11.2)."""
        if owner.startswith("player:"):
            entity = game.entity(owner)
            return entity if isinstance(entity, Player) else None
        if owner == IPO:
            return corporation if corporation.capitalization == "incremental" else None
        if owner == POOL:
            return None
        entity = game.entity(owner)
        return entity if isinstance(entity, Corporation) else None

    def can_float(self, game: Game, corporation: Corporation) -> bool:
        """Whether enough percent have left the IPO (core 11.3)."""
        data = self.operating_data[corporation.sym]
        return data.floatable and shares.percent(game, corporation, IPO) <= 100 - data.float_percent

    def capital_at_float(self, game: Game, corporation: Corporation) -> int:
        """Money the bank pays when a corporation floats; nothing before it has a price (core 11.3)."""
        if corporation.capitalization != "full" or corporation.par is None:
            return 0
        return self.market.at(corporation.par).price * (100 // self.units[corporation.sym])

    def after_float(self, game: Game, corporation: Corporation) -> None:
        """Hook when a corporation floats."""

    def after_par(self, game: Game, corporation: Corporation, player: Player) -> None:
        """Hook when a corporation has been parred."""
        companies.fire(game, "par", corporation)

    def next_cell(self, game: Game, corporation: Corporation, direction: str) -> Cell:
        """Where one step takes a marker."""
        assert corporation.price is not None
        cell: Cell = getattr(self.market, direction)(corporation.price)
        return cell

    def sale_drop(self, game: Game, corporation: Corporation, bundle: Bundle, was_president: bool) -> int:
        """Steps down for a sale (core 12.4)."""
        movement = self.stock.sell_movement
        if movement == "down_share":
            return -(-bundle.percent // self.units[corporation.sym])
        if movement == "down_block" or (movement == "down_block_pres" and was_president):
            return 1
        return 0

    def sold_out(self, game: Game, corporation: Corporation) -> bool:
        """Whether players hold everything (core 12.5)."""
        return sum(owned for _, owned in shares.player_holders(game, corporation)) == 100

    def move_sold_out(self, game: Game, corporation: Corporation) -> None:
        shares.move_price(game, corporation, "up")

    # --- trains -------------------------------------------------------------------------------------------------

    def limit_kind(self, corporation: Corporation) -> str:
        """Key of a corporation in a phase's table of train limits."""
        return corporation.kind

    def may_trade_in(self, game: Game, buyer: Corporation, own: str, offer: Offer) -> bool:
        return not (self.train_rules.trade_in_once and game.round.turn.traded_in)

    def defers_rust(self, game: Game, train_id: str) -> bool:
        """Whether a train survives the moment it should rust."""
        return False

    def on_phase(self, game: Game) -> None:
        """Hook at every phase change: abilities that name the phase."""
        name = game.phase.name
        for company in list(game.state.companies.values()):
            if any(data.phase == name for _, data in companies.abilities(game, company, "close")):
                companies.close(game, company)

    def on_train_event(self, game: Game, event: str) -> None:
        """An event printed on a train copy."""
        if event == "companies_close":
            companies.close_all(game)

    def after_train(self, game: Game, train_id: str) -> None:
        """Hook after all effects of a train leaving the depot."""

    def closes_with_all(self, game: Game, company: Company) -> bool:
        """Whether the event "companies close" closes this one: not if its close ability names a phase of its own."""
        return not any(data.phase for _, data in companies.abilities(game, company, "close"))

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

    # --- board --------------------------------------------------------------------------------------------------

    def home_hexes(self, game: Game, corporation: Corporation) -> list[str]:
        """Hexes where the home token may go."""
        return corporation.home

    def token_cost(self, game: Game, corporation: Corporation, hex_id: str) -> int:
        """Price of the next token on a hex, before abilities."""
        token = next((t for t in corporation.tokens if t.hex is None), None)
        return token.price if token else 0

    def has_spare_token(self, game: Game, corporation: Corporation) -> bool:
        return any(token.hex is None for token in corporation.tokens)

    def hexes_of_tile(self, state: GameState, name: str, copy: int) -> list[str]:
        """Where a tile lies: the hexes a copy of the supply was laid on, or that of a printed tile id.

        A tile of the supply may have the name of a hex.
        """
        laid = [hex_id for hex_id, h in state.board.items() if h.tile == name and h.copy == copy]
        if laid:
            return laid
        if name in self.map.printed:
            return [] if _has_tile(state, name) else [name]
        printed = self.map.by_print_id.get(f"{name}-{copy}")
        return [printed] if printed is not None and not _has_tile(state, printed) else []

    def track_funds(self, game: Game, operator: Corporation) -> int:
        """Money an operator can raise for track."""
        return operator.cash

    def pay_for_track(self, game: Game, operator: Corporation, cost: int) -> None:
        """Pay for a lay; raises :class:`IllegalAction` when the operator is short."""
        spend(game, operator, None, cost)

    def track_held_open(self, game: Game, operator: Corporation) -> bool:
        """Whether a company's lay keeps the track step open when the allowance is used up (core 6.1)."""
        return False

    def counts_as_upgrade(self, game: Game, result: LayResult) -> bool:
        return result.is_upgrade

    def after_lay(self, game: Game, operator: Corporation, result: LayResult) -> None:
        """Hook after a tile has been laid and paid."""

    def after_token(self, game: Game, corporation: Corporation, hex_id: str) -> None:
        """Hook after a token has been placed."""

    def network_walls(self, game: Game, corporation: Corporation) -> frozenset[str]:
        """Hexes whose nodes a corporation cannot pass or connect through."""
        return frozenset()

    # --- revenue and the end ------------------------------------------------------------------------------------

    def dividend_kinds(self, game: Game, corporation: Corporation) -> tuple[str, ...]:
        return ("payout", "withhold")

    def dividend_option(self, game: Game, corporation: Corporation, kind: str, revenue: int) -> dividends.Option:
        """Amounts and price moves of one kind of dividend."""
        return dividends.base_option(game, corporation, kind, revenue)

    def dividend_moves(
        self, game: Game, corporation: Corporation, kind: str, paid: int
    ) -> tuple[tuple[str, int], ...]:
        """Price steps for an amount paid out (core 10.3)."""
        if corporation.price is None:
            return ()
        return (("right", 1),) if paid > 0 else (("left", 1),)

    def own_dividend_sources(self, game: Game, corporation: Corporation) -> tuple[Ref, ...]:
        """Holders whose certificates pay into the corporation's treasury (core 10.1)."""
        return dividends.own_sources(corporation)

    def route_available(self, game: Game, corporation: Corporation) -> bool:
        """Whether it has somewhere to run (core 7.4)."""
        return game.network(corporation).route_available

    def route_for_purchase(self, game: Game, corporation: Corporation) -> bool:
        """Whether a route makes owning a train compulsory (core 7.4)."""
        return game.network(corporation).route_for_purchase

    def emergency_sale_timing(self, game: Game, player: Player, bundle: Bundle) -> bool:
        """Whether a bundle may be sold in an operating round as far as timing goes."""
        if self.stock.sell_after == "operate":
            return game.corporation(bundle.corporation).operated
        return True

    def other_liquidity(self, game: Game, player: Player) -> int:
        """Money a president could raise for a compulsory train other than by selling shares."""
        return 0

    def rust_obsolete(self, game: Game, corporation: Corporation) -> None:
        """Obsolete trains have had their last run."""
        for train_id in list(corporation.trains):
            if game.state.depot.trains[train_id].obsolete:
                remove_train(game, train_id)

    def after_run(self, game: Game, corporation: Corporation) -> None:
        """Hook after routes have been accepted."""

    def after_dividend(self, game: Game, corporation: Corporation, option: dividends.Option) -> None:
        """Hook at the end of the dividend step."""

    def share_value(self, game: Game, corporation: Corporation, percent: int) -> int:
        """Worth of a holding when scored."""
        if corporation.price is None:
            return 0
        return self.market.at(corporation.price).price * percent // self.units[corporation.sym]

    def holding_value(self, game: Game, corporation: Corporation, player: Player) -> int:
        """Worth of a player's certificates of a corporation when scored."""
        return self.share_value(game, corporation, shares.percent(game, corporation, player.ref))

    final_round_counts: ClassVar[int] = 0
    """What the end of the game adds to the round counter."""

    def before_scoring(self, game: Game) -> None:
        """Hook when the game ends, before the scores are fixed."""

    def after_action(self, game: Game) -> None:
        """Hook after every action, before end triggers are evaluated."""

    def note_final_turn(self, game: Game, trigger: Trigger) -> None:
        """Fix the last turn, asked after every action while a trigger is in force (core 18)."""
        if trigger.timing == "one_more_full_or_set" and game.state.final_turn is None:
            game.state.final_turn = game.state.turn + 1

    def end_reason_holds(self, game: Game, reason: str) -> bool:
        """Conditions of core 18."""
        state = game.state
        if reason == "bank":
            return state.bank_broken
        if reason == "bankrupt":
            return any(player.bankrupt for player in state.players)
        if reason == "stock_market":
            return any(
                "endgame" in self.market.at(c.price).types for c in state.corporations.values() if c.price is not None
            )
        if reason == "final_phase":
            return state.phase == len(self.data.phases) - 1
        if reason == "final_train":
            return not state.depot.upcoming
        return False


def _has_tile(state: GameState, hex_id: str) -> bool:
    on_hex = state.board.get(hex_id)
    return on_hex is not None and on_hex.tile is not None
