"""What a survivor takes over, its place in the round and its tokens (1862 4.9, steps 7-12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import events
from ...engine.board import tokens
from ...engine.money import spend
from ...engine.shares import held, move_certificate
from ...engine.state import IPO, Token
from . import charters
from .london import has_link
from .routes import LONDON_LINKS
from .state import Corporation1862, Merger, Removal, corporation_of, of

if TYPE_CHECKING:
    from ...engine.game import Game


def take_over(game: Game, merger: Merger, survivor: Corporation1862, other: Corporation1862) -> None:
    """Steps 7 to 10; the rest follows when no token is too many."""
    _assets(game, survivor, other)
    _capital(survivor, other)
    merger.skip = _turns(game, merger, survivor, other)
    _drop_doubles(game, survivor, other)
    excess = len(placed(survivor)) + len(placed(other)) - most_tokens(game)
    if excess > 0:
        hexes = [t.hex for t in placed(survivor) if t.hex and t.hex != survivor.home[0]]
        hexes += [t.hex for t in placed(other) if t.hex]
        of(game).removal = Removal(survivor.sym, other.sym, excess, hexes)
    else:
        complete(game)


def most_tokens(game: Game) -> int:
    """Most tokens a corporation may own after a merger (1862 6.5)."""
    limits: dict[str, int] = game.title.data.facts.parameters["most_tokens"]
    return limits["eight_tokens" if "eight_tokens" in game.title.options else "usual"]


def placed(corporation: Corporation1862) -> list[Token]:
    return [token for token in corporation.tokens if token.hex is not None]


def _assets(game: Game, survivor: Corporation1862, other: Corporation1862) -> None:
    """Step 7: certificates, cash, trains, permits."""
    place = charters.own_place(survivor)
    for index in list(held(survivor, other.ref)):
        move_certificate(survivor, index, other.ref, place)
    spend(game, other, survivor, other.cash)
    depot = game.state.depot.trains
    for train_id in other.trains:
        depot[train_id].owner = survivor.sym
    survivor.trains += other.trains
    other.trains = []
    for train_id in survivor.trains:
        depot[train_id].ran = False
    survivor.permits += [permit for permit in other.permits if permit not in survivor.permits]
    other.permits = [of(game).first_permit[other.sym]]


def _capital(survivor: Corporation1862, other: Corporation1862) -> None:
    """Step 8: a chartered corporation that takes over an unchartered one loses its charter."""
    if survivor.chartered and not other.chartered:
        survivor.chartered = False
        survivor.capitalization = "incremental"
        for index in list(held(survivor, survivor.ref)):
            move_certificate(survivor, index, survivor.ref, IPO)
    other.chartered = False


def _turns(game: Game, merger: Merger, survivor: Corporation1862, other: Corporation1862) -> bool:
    """Step 9: the list of turns; returns whether the survivor's turn is over."""
    turns = game.round.entities
    mine, theirs = turns.index(survivor.ref), turns.index(other.ref)
    if merger.originator == survivor.sym:
        if theirs > mine:
            del turns[theirs]
            return False
        return True
    turns[theirs] = survivor.ref
    if theirs > mine:
        return True
    del turns[mine]
    return False


def _drop_doubles(game: Game, survivor: Corporation1862, other: Corporation1862) -> None:
    """Step 10: tokens of the corporation that ends where the survivor has one are destroyed."""
    cities = {(t.hex, t.city) for t in placed(survivor)}
    linked = has_link(survivor)
    for index in reversed(range(len(other.tokens))):
        token = other.tokens[index]
        if token.hex is not None and ((token.hex, token.city) in cities or (linked and token.hex in LONDON_LINKS)):
            destroy(game, other, index)


def destroy(game: Game, corporation: Corporation1862, index: int) -> None:
    """A token on the map is gone for good."""
    hex_id = tokens.lift(game.title.map, game.state, corporation.sym, index)
    del corporation.tokens[index]
    game.emit(events.TokenRemoved(corporation.sym, hex_id))
    game.board_changed()


def complete(game: Game) -> None:
    """Steps 11 and 12: the survivor's tokens take the places, the other corporation restarts."""
    state = of(game)
    merger = state.merger
    assert merger is not None
    survivor, other = corporation_of(game, merger.survivor), corporation_of(game, merger.other)
    state.merger = state.removal = None
    _join_tokens(game, survivor, other)
    charters.restart(game, other)
    game.board_changed()
    if merger.at == "merge" and charters.in_receivership(survivor):
        state.does_not_run = survivor.sym
    if merger.skip and survivor.sym not in state.skip_turn:
        state.skip_turn.append(survivor.sym)


def _join_tokens(game: Game, survivor: Corporation1862, other: Corporation1862) -> None:
    on_map = len(placed(survivor)) + len(placed(other))
    spare = len(survivor.tokens) + len(other.tokens) - on_map
    wanted = on_map + min(most_tokens(game) - on_map, spare)
    while len(survivor.tokens) < wanted:
        survivor.tokens.append(Token(price=0))
    for index, token in enumerate(other.tokens):
        if token.hex is None:
            continue
        city, slot = token.city, token.slot
        hex_id = tokens.lift(game.title.map, game.state, other.sym, index)
        unused = next(i for i, t in enumerate(survivor.tokens) if t.hex is None)
        tokens.place(game.title.map, game.state, survivor.sym, unused, hex_id, city, slot)
        game.emit(events.TokenPlaced(survivor.sym, hex_id, city, 0))
