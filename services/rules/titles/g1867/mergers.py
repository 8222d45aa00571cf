"""Majors made of minors: conversion, merger, what they inherit (1867 4.11, 4.12)."""

from __future__ import annotations

from collections.abc import Sequence

from ...engine import events, shares, trains
from ...engine.board import tokens
from ...engine.game import Game
from ...engine.market import MarketCell
from ...engine.money import spend
from ...engine.shares import Bundle
from ...engine.state import IPO, Corporation, Player, Token
from ...engine.steps.token import next_token
from . import national
from .access import minors, state_of, title_of
from .state import Merger

MOST = 10
"""Most minors in one merger."""
MOST_PER_OWNER = 6
LOWEST_TARGET, HIGHEST_TARGET = 100, 200
MAP_TOKENS = 2
"""Most tokens a new major keeps on the map."""
NEXT_TOKEN_PRICE = 40


def merger_of(game: Game) -> Merger:
    """The round's conversions and mergers."""
    merger = state_of(game).merger
    assert merger is not None
    return merger


# --- collecting -------------------------------------------------------------------------------------------------


def owner_of(game: Game, sym: str) -> Player:
    """Owner of a minor."""
    return national.president_player(game, game.corporation(sym))


def partners(game: Game, collected: Sequence[str]) -> list[str]:
    """Minors that may join those collected: connected to any of them, limits per merger and owner kept."""
    if len(collected) >= MOST:
        return []
    owners = [owner_of(game, sym).id for sym in collected]
    reached = set()
    for sym in collected:
        reached.update(game.network(game.corporation(sym)).connected_cities)
    result = []
    for minor in minors(game):
        if minor.sym in collected or owners.count(owner_of(game, minor.sym).id) >= MOST_PER_OWNER:
            continue
        if any((token.hex, token.city) in reached for token in minor.tokens):
            result.append(minor.sym)
    return result


def price_for(game: Game, target: int) -> MarketCell:
    """The dearest cell up to a price where majors start."""
    return next(cell for cell in title_of(game).major_cells if cell.price <= target)


def merged_cell(game: Game, collected: Sequence[str]) -> MarketCell:
    """Where the major made of these minors starts: highest and lowest price together, 100 to 200."""
    prices = [shares.share_price(game, game.corporation(sym)) for sym in collected]
    return price_for(game, min(max(max(prices) + min(prices), LOWEST_TARGET), HIGHEST_TARGET))


def is_viable(game: Game, collected: Sequence[str]) -> bool:
    """Whether somebody can become president: an owner of two of them, or one who can buy a share more."""
    owners = [owner_of(game, sym) for sym in collected]
    if len({player.id for player in owners}) < len(owners):
        return True
    price = merged_cell(game, collected).price
    return any(
        player.cash >= price and (not game.live or shares.certificate_count(game, player) < game.state.cert_limit)
        for player in owners
    )


def can_complete(game: Game, collected: Sequence[str], dead: set[frozenset[str]] | None = None) -> bool:
    """Whether these minors, or more with them, can make a major."""
    if is_viable(game, collected):
        return True
    dead = set() if dead is None else dead
    key = frozenset(collected)
    if key in dead:
        return False
    dead.add(key)
    return any(can_complete(game, [*collected, sym], dead) for sym in partners(game, collected))


# --- making the major -------------------------------------------------------------------------------------------


def convert(game: Game, minor: Corporation, major: Corporation) -> None:
    """A minor becomes a major: its owner gets the president certificate."""
    merger = merger_of(game)
    owner = national.president_player(game, minor)
    cell = price_for(game, shares.share_price(game, minor))
    shares.set_par(game, major, cell.cell, owner.ref)
    shares.give(game, major, 0, owner.ref, "conversion")
    _begin(game, minor, major, [minor.sym])
    _take_over(game, minor, major)
    order = _from(game, owner)
    merger.buyers, merger.repeat, merger.owners_only = order, [owner.id], False


def merge(game: Game, collected: list[str], major: Corporation) -> None:
    """Minors become a major: a certificate each, the president's for an owner of two."""
    merger = merger_of(game)
    acting = game.corporation(collected[0])
    merged = game.market_order([game.corporation(sym) for sym in collected])
    first = national.president_player(game, merged[0])
    owners = {owner_of(game, sym).id for sym in collected}
    shares.set_par(game, major, merged_cell(game, collected).cell, first.ref)
    for minor in merged:
        _exchange(game, major, national.president_player(game, minor))
    _begin(game, acting, major, collected)
    _replace_tokens(game, merged, major)
    for minor in merged:
        _take_over(game, minor, major)
    merger.reduce = over_token_limit(major)
    if not merger.reduce:
        _add_token(major)
    merger.buyers = [player_id for player_id in _from(game, first) if player_id in owners]
    merger.repeat, merger.owners_only = list(merger.buyers), True


def _begin(game: Game, acting: Corporation, major: Corporation, merged: list[str]) -> None:
    """The major takes the acting minor's place in the round; players act until it is complete."""
    merger = merger_of(game)
    refs = [game.corporation(sym).ref for sym in merged if sym != acting.sym]
    merger.rest = [major.ref if ref == acting.ref else ref for ref in game.round.entities if ref not in refs]
    merger.place = merger.rest.index(major.ref)
    merger.major, merger.minors, merger.open = major.sym, list(merged), True
    merger.collected, merger.target_wanted, merger.converting = [], False, None
    game.round.entities = [player.ref for player in game.players_in_order]
    game.round.index = 0


def _from(game: Game, first: Player) -> list[int | str]:
    """Players in order, beginning with one of them."""
    order = game.state.player_order
    start = order.index(first.id)
    return [*order[start:], *order[:start]]


def _exchange(game: Game, major: Corporation, owner: Player) -> None:
    """One minor's owner gets the last certificate of the treasury, or the president's for his first one."""
    unit = shares.unit(game, major)
    if 0 in shares.held(major, IPO) and shares.percent(game, major, owner.ref) == unit:
        give_president_certificate(game, major, owner)
    else:
        shares.give(game, major, shares.held(major, IPO)[-1], owner.ref, "merger")


def give_president_certificate(game: Game, major: Corporation, owner: Player) -> None:
    """The owner hands in his ordinary certificates, oldest first, for the president's."""
    for index in list(shares.held(major, owner.ref)):
        shares.move_certificate(major, index, owner.ref, IPO)
    shares.give(game, major, 0, owner.ref, "merger")


def _take_over(game: Game, minor: Corporation, major: Corporation) -> None:
    """Cash, companies, loans, trains and, in a conversion, the token; the minor is out."""
    for index, _ in list(tokens.placed_tokens(game.state, minor.sym)):
        _take_token(game, minor, index, major)
    spend(game, minor, major, minor.cash)
    national.hand_over_companies(game, minor, major)
    major.loans += minor.loans
    for train_id in list(minor.trains):
        trains.give_train(game, train_id, major)
    game.emit(events.CorporationClosed(minor.sym))
    national.leave(game, minor)
    game.board_changed()


# --- tokens -----------------------------------------------------------------------------------------------------


def _replace_tokens(game: Game, merged: list[Corporation], major: Corporation) -> None:
    """A token of the major for every minor's; of several in one city only the last stays."""
    for minor in merged:
        cities = [(t.hex, t.city) for other in merged for t in other.tokens if t.hex is not None]
        for index, token in list(tokens.placed_tokens(game.state, major.sym)):
            if (token.hex, token.city) in cities:
                tokens.lift(game.title.map, game.state, major.sym, index)
        for index, _ in list(tokens.placed_tokens(game.state, minor.sym)):
            _take_token(game, minor, index, major)


def _take_token(game: Game, minor: Corporation, index: int, major: Corporation) -> None:
    """The major's first unused token, a free one if there is none, stands where the minor's stood."""
    token = minor.tokens[index]
    hex_id, city, slot = token.hex, token.city, token.slot
    assert hex_id is not None
    free = next_token(major)
    if free is None:
        major.tokens.append(Token(price=0))
        free = len(major.tokens) - 1
    tokens.lift(game.title.map, game.state, minor.sym, index)
    tokens.place(game.title.map, game.state, major.sym, free, hex_id, city, slot)
    game.emit(events.TokenPlaced(major.sym, hex_id, city, 0))


def over_token_limit(major: Corporation) -> bool:
    """More than two tokens on the map, or two in one hex."""
    placed = [token.hex for token in major.tokens if token.hex is not None]
    return len(placed) > MAP_TOKENS or len(set(placed)) < len(placed)


def _add_token(major: Corporation) -> None:
    if len(major.tokens) != MAP_TOKENS + 1:
        major.tokens.append(Token(price=NEXT_TOKEN_PRICE))


def removable(major: Corporation) -> list[int]:
    """Tokens that may be removed: not such that all that are left stand in one hex."""
    placed = [(i, token.hex) for i, token in enumerate(major.tokens) if token.hex is not None]
    several = len({hex_id for _, hex_id in placed}) > 1
    return [
        index for index, _ in placed if not several or len({hex_id for other, hex_id in placed if other != index}) > 1
    ]


def finish_reduction(major: Corporation) -> None:
    """The charter after tokens were removed: those on the map, unused ones to make two, and one of 40."""
    used = [token for token in major.tokens if token.hex is not None]
    unused = sorted((token for token in major.tokens if token.hex is None), key=lambda token: token.price)
    major.tokens = [*[*used, *unused][:MAP_TOKENS], Token(price=NEXT_TOKEN_PRICE)]


# --- shares -----------------------------------------------------------------------------------------------------


def treasury_certificates(game: Game, major: Corporation) -> list[int]:
    """Ordinary certificates on sale."""
    return [index for index in shares.held(major, IPO) if index != 0]


def may_buy(game: Game, major: Corporation, player_id: int | str) -> bool:
    """Whether a player may still buy a certificate of the new major."""
    player = game.player(player_id)
    on_sale = treasury_certificates(game, major)
    if player.passed or not on_sale or player.cash < shares.share_price(game, major):
        return False
    unit = shares.unit(game, major)
    return shares.can_gain(game, player, Bundle(major.sym, IPO, (on_sale[0],), unit))


def eligible(game: Game) -> list[int | str]:
    """Who may buy now, in order."""
    merger = merger_of(game)
    if merger.major is None or not merger.open or merger.reduce:
        return []
    major = game.corporation(merger.major)
    return [player_id for player_id in merger.buyers if may_buy(game, major, player_id)]


def buy_share(game: Game, player: Player, major: Corporation, bundle: Bundle) -> None:
    """Buy a certificate; the first of an owner without president makes him that."""
    merger = merger_of(game)
    unit = shares.unit(game, major)
    becomes = 0 in shares.held(major, IPO) and shares.percent(game, major, player.ref) == unit
    if becomes:
        shares.pay_for(game, player, bundle, shares.bundle_price(game, bundle))
        shares.move_certificate(major, bundle.indexes[0], IPO, player.ref)
        give_president_certificate(game, major, player)
    else:
        shares.buy(game, player, bundle)
    if player.id not in merger.repeat or not may_buy(game, major, player.id):
        player.passed = True


def settle_purchases(game: Game, passer: Player | None = None) -> None:
    """When nobody may buy any more, the others get their turn, or the new major is complete."""
    merger = merger_of(game)
    if merger.major is None or merger.reduce or not merger.open or eligible(game):
        return
    major = game.corporation(merger.major)
    if merger.owners_only and 0 not in shares.held(major, IPO):
        for player_id in merger.buyers:
            game.player(player_id).passed = False
        president = national.president_player(game, major)
        merger.buyers, merger.repeat, merger.owners_only = _from(game, president), [], False
        asked = eligible(game)
        if passer is not None and asked and asked[0] == passer.id:
            merger.buyers.remove(passer.id)
        if eligible(game):
            return
    merger.open = False
