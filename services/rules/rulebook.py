"""The engine as the service sees it: games by title, routes, what titles there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from protos.roundhouse.v1 import rules_pb2 as pb
from services import route_problem
from services.rules import route_problems
from services.rules.engine.actions import parse
from services.rules.engine.errors import IllegalAction, MalformedAction
from services.rules.engine.game import Game
from services.rules.errors import InvalidRequest, Refused
from services.rules.hosting import Action, HostedGame, PlayerId
from services.rules.titles import TITLES, decode_game, get_title, new_game, offered_title, title_class

_encode = msgspec.json.Encoder().encode


class Problem(msgspec.Struct):
    """A route problem as JSON text and the operator it is about."""

    problem: bytes
    corporation: str


class Run(msgspec.Struct):
    """A ``run_routes`` action with what it earns."""

    action: Action
    revenue: int
    subsidy: int


class Rulebook:
    """All titles; holds no games."""

    def preload(self) -> None:
        """Build every title as it is offered, so that forked processes share them."""
        for name in TITLES:
            offered_title(name)

    # -- games (``services.rules.hosting.Engine``)

    def new(
        self,
        title: str,
        players: Sequence[tuple[PlayerId, str]],
        *,
        seed: int,
        options: Sequence[str],
        mode: str,
    ) -> HostedGame:
        return new_game(title, players, seed=seed, options=options, mode=mode)

    def decode(self, title: str, options: Sequence[str], data: bytes) -> HostedGame:
        return decode_game(title, options, data)

    def options(self, game: HostedGame) -> list[str]:
        return list(_real(game).state.options)

    def outcome(self, game: HostedGame) -> tuple[str, dict[str, int]] | None:
        outcome = _real(game).state.outcome
        return None if outcome is None else (outcome.reason, outcome.result)

    def may_send(self, game: HostedGame, action: Mapping[str, Any], player: PlayerId) -> bool:
        real = _real(game)
        if real.find(f"{action.get('entity_type')}:{action.get('entity')}") is None:
            parse(action)
            entity = f"{action.get('entity_type')} {action.get('entity')}"
            raise IllegalAction("unknown_entity", f"There is no {entity} in this game.")
        return real.may_send(action, player)

    def view(self, game: HostedGame) -> dict[str, Any]:
        from services.rules.view import game_view

        return game_view(_real(game))

    # -- routes

    def route_problem(self, game: HostedGame, corporation: str) -> Problem:
        """The search problem of an operator ("": the one whose turn it is).

        Raises :class:`Refused` when nobody operates, :class:`InvalidRequest` for an unknown corporation.
        """
        real = _real(game)
        sym = _operator(real, corporation)
        problem = route_problems.build_problem(real.title.map, real.state, sym, real.title.route_rules)
        return Problem(route_problem.encode(problem), sym)

    def check_routes(self, game: HostedGame, corporation: str, routes: Any, order: Sequence[int] = ()) -> Run:
        """A solver's answer, checked, as an action; ``routes`` has per train of the problem piece numbers or
        null, ``order`` the trains in the order to list them in.

        Raises :class:`Refused` when the engine forbids the routes, :class:`InvalidRequest` for malformed
        ones.
        """
        real = _real(game)
        sym = _operator(real, corporation)
        rules = real.title.route_rules
        result = route_problems.run_of_pieces(real.title.map, real.state, sym, rules, _pieces(routes), order)
        action: Action = {
            "type": "run_routes",
            "entity": sym,
            "entity_type": real.corporation(sym).entity_type,
            "routes": msgspec.to_builtins(route_problems.recorded_routes(result)),
        }
        if result.subsidy:
            action["subsidy"] = result.subsidy
        return Run(action, result.total, result.subsidy)

    # -- titles

    def titles(self) -> list[pb.TitleSummary]:
        """Every title in short."""
        return [self.title_summary(name) for name in TITLES]

    def title_summary(self, name: str) -> pb.TitleSummary:
        """A title in short; raises ``UnknownTitle``."""
        facts = offered_title(name).data.facts
        return pb.TitleSummary(
            title=facts.title,
            name=facts.name,
            designer=facts.designer,
            publisher=facts.publisher,
            min_players=facts.min_players,
            max_players=facts.max_players,
            options={option: data.text for option, data in facts.options.items()},
            notes=facts.notes,
        )

    def title(self, name: str, options: list[str]) -> pb.GetTitleResponse:
        """A title with all its facts under these options, without any as games started here have it.

        Raises ``UnknownTitle`` and ``MalformedAction``.
        """
        known = title_class(name)  # an unknown title is a clearer error than an unknown option of it
        facts = get_title(name).data.facts
        for option in options:
            if option not in facts.options:
                raise MalformedAction("unknown_option", f"{known.name} has no optional rule {option}.", option=option)
        data = (get_title(name, options) if options else offered_title(name)).data
        return pb.GetTitleResponse(summary=self.title_summary(name), data_json=_encode(data))


def _real(game: HostedGame) -> Game:
    return cast("Game", game)


def _operator(game: Game, sym: str) -> str:
    if sym:
        if sym not in game.state.corporations:
            raise InvalidRequest("unknown_corporation", f"There is no corporation {sym}.", corporation=sym)
        return sym
    current = None if game.finished or game.round.kind != "operating" else game.current
    operator = getattr(current, "sym", None)
    if operator is None:
        raise Refused("nobody_operates", "No corporation is operating now.")
    return str(operator)


def _pieces(routes: Any) -> list[list[int] | None]:
    try:
        return msgspec.convert(routes, list[list[int] | None])
    except msgspec.ValidationError as error:
        raise InvalidRequest("bad_routes", f"Routes are lists of piece numbers or null: {error}.") from error
