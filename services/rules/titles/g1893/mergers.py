"""AGV and HGK: when their shares come on sale, who may vote, and how they are founded (1893 4.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import companies, events, homes, market, shares, trains
from ...engine.board import tokens
from ...engine.data import Data
from ...engine.money import spend
from ...engine.state import IPO, POOL, Company, Corporation, Player
from .access import in_bank, state_of, title_of
from .state import Vote

if TYPE_CHECKING:
    from ...engine.game import Game

NEEDED = 50
"""Percent of votes that found a corporation; as many against do not yet stop it."""


class MergerFacts(Data, frozen=True):
    """A corporation founded by a merger: first market cell, certificate of every card, order of the voters."""

    entry: tuple[int, int]
    certificates: dict[str, int]
    votes: list[str]


def facts(game: Game, sym: str) -> MergerFacts:
    return title_of(game).parameters.mergers[sym]


def is_founded(game: Game, sym: str) -> bool:
    return game.corporation(sym).floated


def put_on_sale(game: Game, sym: str) -> None:
    """The price marker is placed and the certificates not kept for the cards can be bought."""
    state = state_of(game)
    corporation = game.corporation(sym)
    merger = facts(game, sym)
    corporation.par = merger.entry
    corporation.started = True
    corporation.abilities = []
    market.place(state, corporation, merger.entry)
    kept = set(merger.certificates.values())
    for index in list(shares.held(corporation, IPO)):
        if index not in kept:
            shares.move_certificate(corporation, index, IPO, POOL)
    state.on_sale.append(sym)


def can_be_founded(game: Game, sym: str) -> bool:
    """Whether every card of the merger belongs to a player; an unsold one postpones votes and founding."""
    return not any(in_bank(game.company(card)) for card in facts(game, sym).certificates)


# --- votes ------------------------------------------------------------------------------------------------------


def vote_due(game: Game) -> Vote | None:
    """The vote of a merger round: on a corporation whose shares are on sale and that is not founded yet."""
    state = state_of(game)
    for sym in state.on_sale:
        if not is_founded(game, sym) and sym not in state.forced and can_be_founded(game, sym):
            weights = voting_power(game, sym)
            return Vote(target=sym, weights=weights, no=100 - sum(weights.values()))
    return None


def voting_power(game: Game, sym: str) -> dict[str, int]:
    """Percent of every voter, in voting order: owners of cards first, then holders in player order."""
    corporation = game.corporation(sym)
    sizes = game.title.sizes[sym]
    merger = facts(game, sym)
    weights: dict[str, int] = {}
    for card in merger.votes:
        owner = companies.owner_purse(game, game.company(card))
        assert isinstance(owner, Player)
        weights[str(owner.id)] = weights.get(str(owner.id), 0) + sizes[merger.certificates[card]]
    for player, owned in shares.player_holders(game, corporation):
        weights[str(player.id)] = weights.get(str(player.id), 0) + owned
    return weights


# --- founding ---------------------------------------------------------------------------------------------------


def found(game: Game, sym: str) -> None:
    """Found a corporation: grant, exchange of the cards, trains, tokens and money of the minors, president."""
    state = state_of(game)
    corporation = game.corporation(sym)
    spend(game, None, corporation, title_of(game).parameters.merger_grant)
    owners: list[Player] = []
    for card, index in facts(game, sym).certificates.items():
        company = game.company(card)
        owner = companies.owner_purse(game, company)
        assert isinstance(owner, Player)
        owners.append(owner)
        _exchange(game, corporation, company, owner, index)
    _elect(game, corporation, owners)
    corporation.floated = True
    game.emit(events.CorporationFloated(sym, corporation.cash))
    state.on_sale.remove(sym)
    if sym in state.forced:
        state.forced.remove(sym)
    if corporation.trains:
        state.merge_discard.append(sym)


def _exchange(game: Game, corporation: Corporation, company: Company, owner: Player, index: int) -> None:
    """A card becomes its certificate; its minor becomes part of the corporation."""
    shares.give(game, corporation, index, owner.ref, company.sym)
    companies.close(game, company)
    minor = game.state.corporations.get(company.sym)
    if minor is None:
        return
    spend(game, minor, corporation, minor.cash)
    for train_id in list(minor.trains):
        trains.give_train(game, train_id, corporation)
    token = minor.tokens[0]
    hex_id, city, slot = token.hex, token.city, token.slot
    assert hex_id is not None
    tokens.lift(game.title.map, game.state, minor.sym, 0)
    game.emit(events.TokenRemoved(minor.sym, hex_id))
    unused = next(i for i, own in enumerate(corporation.tokens) if own.hex is None)
    homes.put(game, corporation, unused, hex_id, city, slot)
    minor.closed = True
    minor.floated = False
    minor.president = None
    game.emit(events.CorporationClosed(minor.sym))


def _elect(game: Game, corporation: Corporation, owners: list[Player]) -> None:
    """The largest holder presides; ties go to the president's certificate, then to the order of the cards."""
    holders = shares.player_holders(game, corporation)
    most = max(owned for _, owned in holders)
    leaders = [player for player, owned in holders if owned == most]
    holder = game.entity(shares.owner_of(corporation, 0))
    ranked = [p for p in [holder, *owners, *leaders] if p in leaders]
    president = ranked[0]
    corporation.president = president.ref
    game.emit(events.PresidentChanged(corporation.sym, president.ref))
    if president is not holder:
        shares.swap_president_certificate(game, corporation, president.ref, holder.ref)


def found_forced(game: Game) -> None:
    """At the start of a merger round: corporations whose train has been bought are founded without a vote."""
    state = state_of(game)
    for sym in facts_in_order(game):
        if sym in state.forced and can_be_founded(game, sym):
            found(game, sym)


def facts_in_order(game: Game) -> list[str]:
    """AGV, then HGK."""
    return list(title_of(game).parameters.mergers)


def force(game: Game, sym: str) -> None:
    """The corporation is founded in the next merger round, unless it has been already."""
    if not is_founded(game, sym):
        state_of(game).forced.append(sym)


def all_founded(game: Game) -> bool:
    """Whether there is nothing left to found: no merger round takes place any more."""
    return all(is_founded(game, sym) for sym in facts_in_order(game))
