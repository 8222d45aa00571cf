"""A game: rules bound to a state. The engine's public interface.

``Game.apply`` plays a live action and is atomic: on an error the state is as before. ``Game.replay`` plays an action
of a recorded game with the automatic actions it carries. ``Game.moves`` lists every legal move.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from . import codec, ending, events, programs
from .actions import Action, dump, parse
from .board.network import Network, build_network
from .data import PhaseData
from .errors import EngineError, IllegalAction
from .rounds.base import RoundRules
from .state import Company, Corporation, GameState, Player, Ref, Round
from .steps.base import Entity, Move, entity_name
from .title import Title

T = TypeVar("T")


class Applied(msgspec.Struct):
    """Result of an action: ``action`` as it belongs in a log (with automatic actions), and what happened."""

    action: dict[str, Any]
    events: list[events.Event]


class Game:
    """One game at one moment."""

    def __init__(self, title: Title, state: GameState) -> None:
        self.title = title
        self._events: list[events.Event] = []
        self._load(state)

    def _load(self, state: GameState) -> None:
        self.state = state
        self._networks: dict[tuple[str, frozenset[str]], Network] = {}
        self._answers: dict[Hashable, Any] = {}
        self.index_entities()

    @classmethod
    def new(
        cls,
        title: Title,
        players: Sequence[tuple[int | str, str]],
        *,
        seed: int,
        mode: str = "live",
    ) -> Game:
        """Start a game; ``players`` are (id, name) in seat order. Raises :class:`MalformedAction` for a wrong table."""
        game = cls(title, title.new_state(players, seed, mode))
        title.setup(game)
        game.index_entities()
        title.first_round(game)
        game._events.clear()
        return game

    @classmethod
    def decode(cls, title: Title, data: bytes) -> Game:
        return cls(title, codec.decode(data, title.state_type))

    def encode(self) -> bytes:
        return codec.encode(self.state)

    def index_entities(self) -> None:
        """Rebuild the look-up tables after entities were added or replaced."""
        state = self.state
        self._entities: dict[Ref, Entity] = {player.ref: player for player in state.players}
        for corporation in state.corporations.values():
            self._entities[corporation.ref] = corporation
        for company in state.companies.values():
            self._entities[company.ref] = company
        self._players = {player.id: player for player in state.players}

    # --- looking things up --------------------------------------------------------------------------------------

    @property
    def round(self) -> Round:
        current = self.state.round
        assert current is not None
        return current

    @property
    def rules(self) -> RoundRules:
        return self.title.rounds[self.round.kind]

    @property
    def live(self) -> bool:
        return self.state.mode == "live"

    @property
    def finished(self) -> bool:
        return self.state.outcome is not None

    @property
    def phase(self) -> PhaseData:
        return self.title.data.phases[self.state.phase]

    def phase_reached(self, name: str) -> bool:
        """Whether the named phase has begun."""
        return any(phase.name == name for phase in self.title.data.phases[: self.state.phase + 1])

    @property
    def colors(self) -> list[str]:
        """Tile colors available now."""
        return list(self.phase.colors)

    def entity(self, ref: Ref) -> Entity:
        return self._entities[ref]

    def find(self, ref: Ref) -> Entity | None:
        return self._entities.get(ref)

    def player(self, player_id: int | str) -> Player:
        return self._players[player_id]

    def corporation(self, sym: str) -> Corporation:
        return self.state.corporations[sym]

    def company(self, sym: str) -> Company:
        return self.state.companies[sym]

    @property
    def players_in_order(self) -> list[Player]:
        return [self._players[player_id] for player_id in self.state.player_order]

    @property
    def operators_in_order(self) -> list[Corporation]:
        """Corporations and minors in play, in the title's fixed order."""
        corporations = [self.state.corporations[sym] for sym in self.state.corporation_order]
        return [corporation for corporation in corporations if corporation.in_play and not corporation.closed]

    @property
    def corporations(self) -> list[Corporation]:
        """Companies with shares that are in play."""
        return [c for c in self.operators_in_order if self.title.sizes[c.sym]]

    @property
    def discard_order(self) -> list[Corporation]:
        """Who discards first: minors, then corporations (core 2.3)."""
        operators = self.operators_in_order
        return [c for c in operators if c.entity_type == "minor"] + [c for c in operators if c.entity_type != "minor"]

    @property
    def current(self) -> Entity | None:
        """The entity whose turn it is in the round."""
        current = self.round
        if not current.entities:
            return None
        return self.entity(current.entities[current.index])

    @property
    def operator(self) -> Corporation:
        """The corporation or minor whose operating turn it is."""
        current = self.current
        assert isinstance(current, Corporation)
        return current

    def president_of(self, entity: Entity) -> Player | None:
        """The player behind an entity, if any (core 2.2, "Who may send an action")."""
        if isinstance(entity, Player):
            return entity
        if isinstance(entity, Company):
            owner = self.find(entity.owner) if entity.owner else None
            return self.president_of(owner) if owner is not None else None
        owner = self.find(entity.president) if entity.president else None
        return owner if isinstance(owner, Player) else None

    def market_order(self, only: Sequence[Corporation] | None = None) -> list[Corporation]:
        """Operating order (core 12.6) of the given corporations."""
        market = self.title.market

        def rank(corporation: Corporation) -> tuple[int, int, int, int, str]:
            if corporation.price is None:
                return (0, 0, 0, 0, corporation.sym)
            row, column = corporation.price
            there = self.state.market[f"{row},{column}"]
            return (-market.at(corporation.price).price, -column, row, there.index(corporation.sym), corporation.sym)

        return sorted(self.corporations if only is None else only, key=rank)

    def priority_player(self) -> Player:
        """Who would start the next stock round if everybody passed from now on."""
        players = [player for player in self.players_in_order if not player.bankrupt] or self.players_in_order
        last = self.round.last_to_act
        if not self.rules.over_players or last is None:
            return players[0]
        order = [player.ref for player in players]
        return players[(order.index(last) + 1) % len(players)] if last in order else players[0]

    def money(self, amount: int) -> str:
        """An amount as the title prints it."""
        return self.title.data.facts.currency.format(amount)

    def round_label(self) -> str:
        """Kind, turn and number of the round, e.g. ``OR 2.1``."""
        current = self.round
        return f"{self.rules.short} {self.state.turn}.{current.number}"

    # --- derived data -------------------------------------------------------------------------------------------

    def network(self, corporation: Corporation) -> Network:
        """The corporation's network on the present board, cached until track or tokens change."""
        walls = self.title.network_walls(self, corporation)
        key = (corporation.sym, walls)
        network = self._networks.get(key)
        if network is None:
            network = self._networks[key] = build_network(self.title.map, self.state, corporation.sym, walls=walls)
        return network

    def fresh_network(self, corporation: Corporation) -> Network:
        """The network on the present board, not cached (for trial lays)."""
        walls = self.title.network_walls(self, corporation)
        return build_network(self.title.map, self.state, corporation.sym, walls=walls)

    def board_changed(self) -> None:
        """Track or tokens changed: forget every network."""
        self._networks.clear()

    def remember(self, key: Hashable, compute: Callable[[], T]) -> T:
        """An answer that costs something, kept until the state changes (see :meth:`touch`)."""
        if key not in self._answers:
            self._answers[key] = compute()
        answer: T = self._answers[key]
        return answer

    def touch(self) -> None:
        """The state changed: forget remembered answers. The round machine calls this after every change."""
        self._answers.clear()

    def phase_changed(self) -> None:
        """Something that follows from the phase may have changed."""

    # --- playing ------------------------------------------------------------------------------------------------

    def emit(self, event: events.Event) -> None:
        self._events.append(event)

    def apply(self, raw: Mapping[str, Any], *, encoded: bytes | None = None) -> Applied:
        """Play a live action and the automatic actions that follow from it.

        ``encoded`` may be the bytes of the present state, which saves encoding it again. Raises an
        :class:`EngineError`; the state is then unchanged.
        """
        action = parse({key: value for key, value in raw.items() if key != "auto_actions"})
        programs.require_sense(self, action)
        backup = self.encode() if encoded is None else encoded
        try:
            happened = self._process(action)
            automatic = []
            while generated := self.automatic_actions():
                for auto in generated:
                    happened += self._process(parse(auto))
                automatic += generated
        except BaseException:
            self._load(codec.decode(backup, self.title.state_type))
            self._events.clear()
            raise
        logged = dump(action)
        if automatic:
            logged["auto_actions"] = automatic
        return Applied(logged, happened)

    def replay(self, raw: Mapping[str, Any]) -> Applied:
        """Play a recorded action with exactly the automatic actions it carries (core 1.7).

        Not atomic: after an error the game is to be thrown away.
        """
        action = parse(raw, strict=False)
        happened = self._process(action)
        for auto in action.auto_actions or ():
            happened += self._process(parse(auto, strict=False))
        return Applied(dict(raw), happened)

    def _process(self, action: Action) -> list[events.Event]:
        self._events = []
        self.touch()
        if self.finished and action.type not in ("message", "log"):
            raise IllegalAction("game_finished", "The game is over.")
        if self.find(action.ref) is None:
            raise IllegalAction("unknown_entity", f"There is no {action.entity_type} {action.entity} in this game.")
        self.state.action_count += 1
        if self.finished:
            return []
        self.rules.process(self, action)
        if action.type not in ("message", "log"):
            self._follow_up()
        return self._events

    def _follow_up(self) -> None:
        """End triggers and round changes after an action (core 2.2.6)."""
        self.touch()
        self.title.after_action(self)
        if self.finished:
            return
        timing = ending.check(self)
        if timing == "immediate":
            ending.finish(self)
            return
        while not self.finished and self.rules.is_finished(self):
            for ref in self.round.entities:
                entity = self.find(ref)
                if isinstance(entity, Player):
                    entity.passed = False
            if ending.ends_now(self, timing):
                ending.finish(self)
                return
            self.state.round_count += self.rules.counts
            self.title.next_round(self)
            timing = ending.check(self)

    def start_round(self, kind: str, number: int) -> None:
        """Create the next round and let it begin."""
        rules = self.title.rounds[kind]
        self.touch()
        rules.create(self, number)
        programs.drop_unfitting(self)
        self.emit(events.RoundStarted(self.round_label()))
        rules.setup(self)

    def resort_operators(self) -> None:
        """Operators still to come are re-ordered after sales in an operating round (core 2.5)."""
        self.rules.resort(self)

    def reorder_players(self) -> None:
        """Next round's player order (core 2.7)."""
        self.rules.reorder_players(self)

    def automatic_actions(self) -> list[Move]:
        """The next automatic actions of a live game, given by a standing order or the lack of a choice (core 1.7)."""
        step = None if self.finished else self.rules.active_step(self)
        entities = [] if step is None else step.active_entities(self)
        return step.auto_actions(self, entities[0]) if step is not None and entities else []

    # --- what may be done ---------------------------------------------------------------------------------------

    def moves(self) -> list[Move]:
        """Every legal move of every entity that may act now (``engine.moves``)."""
        return [] if self.finished else self.rules.moves(self)

    def active_entities(self) -> list[Entity]:
        """Entities that must decide."""
        if self.finished:
            return []
        step = self.rules.active_step(self)
        return step.active_entities(self) if step is not None else []

    def acting_players(self) -> list[int | str]:
        """Ids of the players who must decide; all non-bankrupt players when nobody stands behind the entity."""
        if self.finished:
            return []
        players = {p.id: p for e in self.active_entities() if (p := self.title.acting_player(self, e)) is not None}
        if players:
            return list(players)
        return [player.id for player in self.players_in_order if not player.bankrupt]

    def may_send(self, raw: Mapping[str, Any], player_id: int | str) -> bool:
        """Whether a player may send an action for its entity (core 2.2)."""
        entity = self.find(f"{raw.get('entity_type')}:{raw.get('entity')}")
        if entity is None:
            return False
        behind = self.title.acting_player(self, entity)
        if behind is not None:
            return str(behind.id) == str(player_id)
        return any(str(player) == str(player_id) for player in self.acting_players())

    def describe(self, entity: Entity) -> str:
        return entity_name(entity)


__all__ = ["Applied", "EngineError", "Game"]
