"""The national railway: what it takes over and when (1867 4.10)."""

from __future__ import annotations

from typing import Literal

from ...engine import companies, events, market, shares, trains
from ...engine.board import tokens
from ...engine.game import Game
from ...engine.money import spend
from ...engine.state import Corporation, Player
from ...engine.steps.token import next_token
from . import loans
from .access import minors, national_of, state_of, title_of

Reason = Literal["unpaid_interest", "no_train", "trainless_check", "chosen", "last_phase"]
"""Why a corporation is taken over: every trigger of 1867 4.10."""


def nationalize(game: Game, corporation: Corporation, reason: Reason) -> None:
    """Take a minor or major over. Does nothing to one that has not floated or is out."""
    if not corporation.floated or not corporation.in_play or corporation.closed:
        return
    game.emit(events.Nationalized(corporation.sym, reason))
    title = title_of(game)
    operating = game.round.kind == "operating" and game.current is corporation
    loans.repay(game, corporation)
    shares.move_price(game, corporation, "left", 1 + title.steps_per_loan * corporation.loans)
    title.take_cash(game, corporation)
    _pay_holders(game, corporation)
    _take_tokens(game, corporation)
    title.take_companies(game, corporation)
    title.take_trains(game, corporation)
    game.emit(events.CorporationClosed(corporation.sym))
    leave(game, corporation)
    if corporation.kind == "major":
        _restart(game, corporation.sym)
    game.board_changed()
    if operating:
        for flags in game.round.steps:
            flags.passed = True


def leave(game: Game, corporation: Corporation) -> None:
    """A corporation goes out of the game: its certificates, marker and reservations vanish."""
    market.remove(game.state, corporation)
    tokens.drop_reservations(game.state, corporation.sym)
    corporation.holdings = {}
    corporation.president = None
    corporation.par = None
    corporation.loans = 0
    corporation.tokens = []
    corporation.started = corporation.floated = corporation.operated = False
    corporation.in_play = False
    corporation.closed = True


def _restart(game: Game, sym: str) -> None:
    """An unstarted major of the same name takes the place of a nationalized one."""
    game.state.corporations[sym] = game.title.new_corporation(sym)
    game.index_entities()


def _pay_holders(game: Game, corporation: Corporation) -> None:
    """The bank pays players the new price for every share unit; other certificates get nothing."""
    price = shares.share_price(game, corporation)
    unit = shares.unit(game, corporation)
    for player, owned in shares.player_holders(game, corporation):
        amount = price * owned // unit
        spend(game, None, player, amount)
        game.emit(events.PayoutReceived(corporation.sym, player.ref, amount))


def _take_tokens(game: Game, corporation: Corporation) -> None:
    """Remove its tokens, the richest city first; the national may take the city."""

    def rank(index: int) -> tuple[int, str]:
        token = corporation.tokens[index]
        assert token.hex is not None
        node = game.title.map.tile_at(game.state, token.hex).city(token.city)
        return node.max_revenue, token.hex

    placed = [index for index, _ in tokens.placed_tokens(game.state, corporation.sym)]
    for index in sorted(placed, key=rank, reverse=True):
        hex_id, city = corporation.tokens[index].hex, corporation.tokens[index].city
        assert hex_id is not None
        tokens.lift(game.title.map, game.state, corporation.sym, index)
        game.emit(events.TokenRemoved(corporation.sym, hex_id))
        if may_take(game, hex_id):
            place_national(game, hex_id, city)


def unused(corporation: Corporation) -> int:
    """Number of tokens not on the map."""
    return sum(1 for token in corporation.tokens if token.hex is None)


def has_real_token(game: Game, hex_id: str) -> bool:
    """Whether the national stands on a hex with a token of its own, not a neutral marker."""
    sym = national_of(game).sym
    return any(sym in (*city.slots, *city.extra) for city in game.state.board[hex_id].cities)


def may_take(game: Game, hex_id: str) -> bool:
    """Whether the national takes a city of this hex: once a tile, and it keeps tokens for its reservations."""
    if has_real_token(game, hex_id):
        return False
    left = unused(national_of(game))
    reservations = state_of(game).national_reservations
    if hex_id in reservations:
        return left > 0
    return left > len(reservations)


def place_national(game: Game, hex_id: str, city: int) -> None:
    """The national's next token goes to a city, free; its reservation there is used up."""
    national = national_of(game)
    index = next_token(national)
    assert index is not None
    on_hex = game.state.board[hex_id]
    slots = on_hex.cities[city].slots
    slot = tokens.free_slot(game.state, on_hex.cities[city], national.sym)
    if slot is None:
        slot = next((i for i, owner in enumerate(slots) if owner is None), len(slots))
    tokens.place(game.title.map, game.state, national.sym, index, hex_id, city, slot)
    for other in on_hex.cities:
        tokens.clear_reservation(game.state, on_hex, other, national.sym)
    reservations = state_of(game).national_reservations
    if hex_id in reservations:
        reservations.remove(hex_id)
    game.emit(events.TokenPlaced(national.sym, hex_id, city, 0))
    game.board_changed()


# --- events -----------------------------------------------------------------------------------------------------


def nationalize_minors(game: Game) -> None:
    """First 8: every minor, trains or not."""
    for minor in minors(game):
        nationalize(game, minor, "last_phase")


def check_trainless(game: Game) -> None:
    """First 4, 6 and 8: minors without a train are taken over, majors are asked one by one."""
    state = state_of(game)
    state.check_trainless = False
    floated = [c for c in game.corporations if c.floated and c.operated and not c.trains]
    order = game.market_order(floated)
    for corporation in order:
        if corporation.kind == "minor":
            nationalize(game, corporation, "trainless_check")
    state.trainless = [c.sym for c in order if c.kind == "major"]


def buy_out_companies(game: Game) -> None:
    """First 6: the national takes every company; the bank pays its face value to the owner."""
    national = national_of(game)
    for company in game.state.companies.values():
        owner = companies.owner_purse(game, company)
        if company.closed or owner is None or owner is national:
            continue
        spend(game, None, owner, company.value)
        companies.acquire(game, company, national)
        game.emit(events.CompanyBought(national.ref, company.sym, company.value, owner.ref))


def remove_unstarted_minors(game: Game) -> None:
    """First 5: minors nobody has started are out."""
    for corporation in game.corporations:
        if corporation.kind == "minor" and not corporation.started:
            leave(game, corporation)


def close_companies(game: Game, corporation: Corporation) -> None:
    """Its companies close for good (1867)."""
    for sym in list(corporation.companies):
        companies.close(game, game.company(sym))


def hand_over_companies(game: Game, corporation: Corporation, receiver: Corporation) -> None:
    """Its companies go to another corporation."""
    for sym in list(corporation.companies):
        companies.acquire(game, game.company(sym), receiver)


def remove_trains(game: Game, corporation: Corporation) -> None:
    """Its trains leave the game."""
    for train_id in list(corporation.trains):
        trains.remove_train(game, train_id)


def hand_over_trains(game: Game, corporation: Corporation, receiver: Corporation) -> None:
    """Its trains, with their run marks, go to another corporation."""
    for train_id in list(corporation.trains):
        trains.give_train(game, train_id, receiver)


def president_player(game: Game, corporation: Corporation) -> Player:
    """The player behind a minor or major in operation."""
    player = game.president_of(corporation)
    assert player is not None
    return player
