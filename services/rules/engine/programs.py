"""Standing orders of players (core 1.8): accepted at any time, carried out as automatic actions of a live game.

Which orders a title knows follows from its steps (``Step.programs``). Live play refuses the others, which nothing would
ever carry out (:func:`require_sense`); in a recorded game they are harmless and stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from . import events, shares, trading
from .actions import Action, ProgramBuyShares, ProgramMergerPass
from .errors import IllegalAction
from .state import IPO, POOL, Corporation, Player, Program

if TYPE_CHECKING:
    from .game import Game
    from .steps.base import Move, Step
    from .title import Title

TYPES = (
    "program_share_pass",
    "program_buy_shares",
    "program_merger_pass",
    "program_auction_bid",
    "program_disable",
)
ROUNDS = {
    "program_share_pass": "stock",
    "program_buy_shares": "stock",
    "program_merger_pass": "merger",
    "program_auction_bid": "auction",
}
FIELDS = frozenset(Program.__struct_fields__)
MERGER_OPTIONS = ("disable_others",)


def supported(title: Title) -> list[str]:
    """Kinds of standing orders that some step of a title carries out."""
    known = {kind for rules in title.rounds.values() for step in rules.steps for kind in step.programs}
    return [kind for kind in TYPES if kind in known]


def require_sense(game: Game, action: Action) -> None:
    """Raise :class:`IllegalAction` for a standing order that could never do anything in this game."""
    if action.type not in ROUNDS:
        return
    known = supported(game.title)
    if action.type not in known:
        raise IllegalAction(
            "unsupported_program",
            f"No step of {game.title.data.facts.title} carries out {action.type}; its standing orders are: "
            f"{', '.join(known) or 'none'}.",
            supported=known,
        )
    if isinstance(action, ProgramBuyShares):
        _require_goal(game, action)
    elif isinstance(action, ProgramMergerPass):
        _require_mergers(game, action)


def _require_goal(game: Game, action: ProgramBuyShares) -> None:
    _require_corporations(game, [action.corporation])
    goal = action.until_condition
    if goal != "float" and not (isinstance(goal, int) and goal > 0):
        raise IllegalAction(
            "bad_until_condition",
            f'until_condition is "float" or a number of shares above 0, not {goal!r}.',
            until_condition=goal,
        )


def _require_mergers(game: Game, action: ProgramMergerPass) -> None:
    rounds = [
        rules.short
        for rules in game.title.rounds.values()
        if any("program_merger_pass" in step.programs for step in rules.steps)
    ]
    for short, listed in action.corporations_by_round.items():
        if short not in rounds:
            choice = " or ".join(rounds)
            raise IllegalAction(
                "unknown_round", f"corporations_by_round is for the rounds {choice}, not {short!r}.", rounds=rounds
            )
        _require_corporations(game, listed)
    for option in action.options:
        if option not in MERGER_OPTIONS:
            raise IllegalAction(
                "unknown_program_option",
                f"program_merger_pass has the option {', '.join(MERGER_OPTIONS)}, not {option!r}.",
                options=list(MERGER_OPTIONS),
            )


def _require_corporations(game: Game, syms: list[str]) -> None:
    for sym in syms:
        if sym not in game.state.corporations:
            raise IllegalAction("unknown_corporation", f"There is no corporation {sym} in this game.")


def accept(game: Game, player: Player, action: Action) -> None:
    """Replace the player's standing order."""
    if isinstance(action, ProgramBuyShares) and action.corporation not in game.state.corporations:
        raise IllegalAction("unknown_corporation", f"There is no corporation {action.corporation} in this game.")
    given = msgspec.to_builtins(action)
    fields = {key: value for key, value in given.items() if key in FIELDS}
    player.program = Program(kind=action.type, since=game.state.action_count, **fields)
    game.emit(events.ProgramSet(player.ref, action.type))


def remove(game: Game, player: Player, reason: str) -> None:
    if player.program is not None:
        game.emit(events.ProgramRemoved(player.ref, player.program.kind, reason))
        player.program = None


def drop_unfitting(game: Game) -> None:
    """At a round change, drop the orders whose round is over."""
    if game.rules.keeps_programs:
        return
    kind = game.round.kind
    for player in game.state.players:
        program = player.program
        if program is None or ROUNDS[program.kind] == kind:
            continue
        if program.kind == "program_share_pass" and program.indefinite:
            continue
        remove(game, player, "")


def note(game: Game, player: Player, kind: str, corporation: str) -> None:
    """Remember a move that standing orders of others look at."""
    game.state.recent.append((game.state.action_count, player.ref, kind, corporation))


def forget(game: Game, player: Player) -> None:
    """A player's new turn begins: his former moves are no news any more."""
    game.state.recent = [entry for entry in game.state.recent if entry[1] != player.ref]


def stock_actions(game: Game, step: Step, player: Player) -> list[Move]:
    """Automatic actions of a player whose stock turn it is."""
    program = player.program
    if program is None:
        return []
    accepted = step.actions(game, player)
    if program.kind == "program_share_pass":
        if "pass" not in accepted:
            return []
        if not program.unconditional and (reason := hostile(game, player, program, None)):
            return [_disable(player, program, reason)]
        return [_move(player, "pass")]
    if program.kind == "program_buy_shares":
        return _buy(game, accepted, player, program)
    return []


def _buy(game: Game, accepted: tuple[str, ...], player: Player, program: Program) -> list[Move]:
    corporation = game.corporation(program.corporation)
    if _reached(game, corporation, player, program):
        reason = f"{corporation.sym} is floated" if program.until_condition == "float" else "Enough shares are held"
        done = [_disable(player, program, reason)]
        if program.auto_pass_after:
            done.append(_move(player, "program_share_pass", unconditional=False, indefinite=False))
        return done
    if "buy_shares" in accepted:
        from_pool = program.from_market or IPO not in game.title.share_sources(game, corporation)
        source = POOL if from_pool else IPO
        offered = [b for b in trading.buyable(game, player) if b.corporation == corporation.sym and b.owner == source]
        if not offered:
            return [_disable(player, program, f"No share of {corporation.sym} can be bought")]
        if len({bundle.percent for bundle in offered}) > 1:
            return [_disable(player, program, f"Shares of {corporation.sym} differ in size")]
        if reason := hostile(game, player, program, corporation):
            return [_disable(player, program, reason)]
        return [_move(player, "buy_shares", shares=offered[0].shares, percent=offered[0].percent)]
    just_floated = program.until_condition == "float" and corporation.floated
    if trading.has_bought(game) and "pass" in accepted and not just_floated:
        return [_move(player, "pass")]
    return []


def _reached(game: Game, corporation: Corporation, player: Player, program: Program) -> bool:
    if program.until_condition == "float":
        return corporation.floated
    owned = shares.percent(game, corporation, player.ref) // shares.unit(game, corporation)
    return isinstance(program.until_condition, int) and owned >= program.until_condition


def hostile(game: Game, player: Player, program: Program, target: Corporation | None) -> str:
    """A reason to stop and ask the player, or "" (core 1.8, hostile-move test)."""
    if shares.over_limit(game, player):
        return "Shares must be sold"
    for number, actor, kind, sym in game.state.recent:
        if actor == player.ref or number <= program.since:
            continue
        name = game.describe(game.entity(actor))
        if kind == "sell":
            return f"{name} sold shares of {sym}"
        if kind == "par" and (target is None or _could_be_sold(game, game.corporation(sym))):
            return f"{name} parred {sym}"
        if kind == "redeem":
            return f"{sym} redeemed shares"
        if kind == "bid":
            return f"{name} bid on {sym}"
        if kind == "buy" and _threatens(game, player, game.entity(actor), sym, target):
            return f"{name} bought shares of {sym}"
    return ""


def _could_be_sold(game: Game, corporation: Corporation) -> bool:
    """Whether shares of a newly parred corporation may be sold in this round."""
    when = game.title.stock.sell_after
    if when == "first":
        return game.state.turn > 1
    return when != "operate" or corporation.operated


def _threatens(game: Game, player: Player, actor: object, sym: str, target: Corporation | None) -> bool:
    """Whether a purchase by another player endangers a presidency."""
    corporation = game.corporation(sym)
    if corporation.president != player.ref:
        return False
    owned = shares.percent(game, corporation, player.ref)
    if target is not corporation:
        return owned < 50
    after = owned + shares.unit(game, corporation)
    if after > 50:
        return False
    theirs = shares.percent(game, corporation, actor.ref) if isinstance(actor, Player) else 0
    sizes = game.title.sizes[sym]
    free = [sizes[i] for source in (IPO, POOL) for i in shares.held(corporation, source)]
    return theirs + max(free, default=0) > after


def _move(player: Player, kind: str, **fields: object) -> Move:
    return {"type": kind, "entity": player.id, "entity_type": "player", **fields}


def _disable(player: Player, program: Program, reason: str) -> Move:
    return _move(player, "program_disable", reason=reason, original_type=program.kind)
