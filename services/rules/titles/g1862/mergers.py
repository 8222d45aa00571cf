"""Mergers, acquisitions and refinancing: who gives up which certificates (1862 4.9, steps 1-6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...engine import events, market, shares
from ...engine.money import spend
from ...engine.state import IPO, POOL, Corporation, Player, Ref
from . import charters, takeover
from .routes import LONDON_LINKS
from .state import Corporation1862, Merger, Question, corporation_of, of

if TYPE_CHECKING:
    from ...engine.game import Game

RETURNED_OF = 20
"""Of so many percent half are given up."""
FULL_PRESIDENT = 60
"""With less than this of both corporations a president certificate cannot be kept whole."""
REFINANCED_SHARES = 10


class Certificate(NamedTuple):
    """A certificate on its way; ``number`` is its index in the corporation."""

    corporation: Corporation1862
    number: int
    size: int


def candidates(game: Game, originator: Corporation) -> list[str]:
    """Corporations the originator may merge with: those with a token it reaches (1862 4.9)."""
    reached = game.network(originator).connected_cities
    return [
        other.sym
        for other in game.operators_in_order
        if other is not originator
        and not charters.in_receivership(other)
        and any((t.hex, t.city) in reached for t in other.tokens if t.hex is not None and t.hex not in LONDON_LINKS)
    ]


# --- the beginning -------------------------------------------------------------------------------------------------


def begin(game: Game, merger: Merger, other: str, survives: bool) -> None:
    """The survivor has been chosen: steps 1 to 3, then the holders one after the other."""
    originator = merger.originator
    merger.survivor, merger.other = (originator, other) if survives else (other, originator)
    survivor, nonsurvivor = _pair(game, merger)
    _set_price(game, merger, survivor, nonsurvivor)
    for corporation in (survivor, nonsurvivor):
        _release_bank_shares(corporation)
    for corporation in (survivor, nonsurvivor):
        if corporation.sym != originator:
            _to_originator(game, merger, corporation)
    _line_up(game, merger)
    go_on(game)


def begin_refinancing(game: Game, operator: Corporation) -> None:
    """A corporation gives up half of its own certificates."""
    merger = of(game).merger = Merger(operator.sym, "refinance", survivor=operator.sym)
    merger.price = shares.share_price(game, operator)
    _release_bank_shares(corporation_of(game, operator.sym))
    _line_up(game, merger)
    go_on(game)


def _pair(game: Game, merger: Merger) -> tuple[Corporation1862, Corporation1862]:
    return corporation_of(game, merger.survivor), corporation_of(game, merger.other or merger.survivor)


def _set_price(game: Game, merger: Merger, survivor: Corporation1862, other: Corporation1862) -> None:
    """Step 1: the lower effective price and half of the higher one."""
    low, high = sorted((charters.effective_price(game, survivor), charters.effective_price(game, other)))
    cells = [cell for cell in game.title.market.cells.values() if 2 * cell.price <= 2 * low + high]
    cell = max(cells, key=lambda c: c.price)
    old = shares.share_price(game, survivor)
    market.remove(game.state, survivor)
    market.place(game.state, survivor, cell.cell)
    survivor.par = survivor.base_par = charters.base_par(game, cell.price)
    merger.price = cell.price
    game.emit(events.PriceMoved(survivor.sym, old, cell.price))


def _release_bank_shares(corporation: Corporation1862) -> None:
    """Step 2: what a chartered corporation has not sold goes to the pool."""
    if corporation.chartered:
        for index in list(shares.held(corporation, IPO)):
            shares.move_certificate(corporation, index, IPO, POOL)


def _to_originator(game: Game, merger: Merger, corporation: Corporation1862) -> None:
    """Step 3: the partner's own certificates go to the originator."""
    place = charters.own_place(corporation)
    for index in list(shares.held(corporation, place)):
        shares.move_certificate(corporation, index, place, corporation_of(game, merger.originator).ref)


def _line_up(game: Game, merger: Merger) -> None:
    """Holders: players from the originator's president on, then the originator."""
    originator = corporation_of(game, merger.originator)
    companies = _pair(game, merger)
    players = game.players_in_order
    first = next((i for i, player in enumerate(players) if player.ref == originator.president), 0)
    order = players[first:] + players[:first]
    merger.holders = [p.ref for p in order if any(c.holdings.get(p.ref) for c in companies)]
    merger.holders.append(originator.ref)


# --- holder by holder ----------------------------------------------------------------------------------------------


def go_on(game: Game) -> None:
    """Settle holders until one has to decide, then finish."""
    merger = of(game).merger
    assert merger is not None
    while merger.settled < len(merger.holders):
        holder = merger.holders[merger.settled]
        merger.settled += 1
        _settle(game, merger, holder)
        if merger.question is not None:
            return
    _finish(game, merger)


def _place(corporation: Corporation1862, holder: Ref) -> Ref:
    """Where a holder's certificates of a corporation lie."""
    return charters.own_place(corporation) if corporation.ref == holder else holder


def _certificates(game: Game, corporation: Corporation1862, place: Ref) -> list[Certificate]:
    """A holder's certificates, large ones first, otherwise the last received first."""
    sizes = game.title.sizes[corporation.sym]
    listed = [Certificate(corporation, i, sizes[i]) for i in shares.held(corporation, place)]
    return sorted(listed, key=lambda c: c.size)[::-1]


def _owned(game: Game, merger: Merger, holder: Ref) -> list[Certificate]:
    survivor, other = _pair(game, merger)
    result = _certificates(game, survivor, _place(survivor, holder))
    if other is not survivor:
        result += _certificates(game, other, _place(other, holder))
    return result


def _to_pool(merger_holder: Ref, certificate: Certificate) -> None:
    corporation = certificate.corporation
    shares.move_certificate(corporation, certificate.number, _place(corporation, merger_holder), POOL)


def _settle(game: Game, merger: Merger, holder: Ref) -> None:
    """Step 4 for one holder."""
    survivor, _ = _pair(game, merger)
    owned = _owned(game, merger, holder)
    option = 0
    kept: list[Certificate] = []
    odd: Certificate | None = None
    president = next((c for c in owned if c.number == 0), None)
    if president is not None and _total(owned) < FULL_PRESIDENT:
        if _change_president(game, merger, holder, president):
            owned, president = _owned(game, merger, holder), None
    else:
        president = None
    if president is not None:
        option = _total(owned)
        for certificate in owned:
            if certificate is not president:
                _to_pool(holder, certificate)
        odd = president
    else:
        kept, odd = _return_half(merger, survivor, holder, owned)
    if merger.other:
        if option:
            assert odd is not None
            odd = _exchange_option(game, merger, holder, odd, option)
        else:
            odd = _exchange(game, merger, holder, kept, odd)
    if odd is not None:
        _ask(game, merger, holder, odd, option)


def _total(certificates: list[Certificate]) -> int:
    return sum(c.size for c in certificates)


def _change_president(game: Game, merger: Merger, holder: Ref, president: Certificate) -> bool:
    """Step 4a: the president certificate goes to the pool for three ordinary ones, if it has them."""
    survivor, other = _pair(game, merger)
    pool = [c for c in _certificates(game, survivor, POOL) if c.number != 0]
    if other is not survivor:
        pool += [c for c in _certificates(game, other, POOL) if c.number != 0]
    if _total(pool) < president.size:
        return False
    for certificate in pool[: charters.PRESIDENT_SHARES]:
        corporation = certificate.corporation
        shares.move_certificate(corporation, certificate.number, POOL, _place(corporation, holder))
    _to_pool(holder, president)
    return True


def _return_half(
    merger: Merger, survivor: Corporation1862, holder: Ref, owned: list[Certificate]
) -> tuple[list[Certificate], Certificate | None]:
    """Step 4b: half goes to the pool, those of the other corporation first; returns the rest and the odd one."""
    others = sorted((c for c in owned if c.corporation is not survivor), key=lambda c: c.size)[::-1]
    queue = others + sorted((c for c in owned if c.corporation is survivor), key=lambda c: c.size)
    total = _total(owned)
    half = total // RETURNED_OF * (RETURNED_OF // 2)
    returned = 0
    while returned < half:
        certificate = queue.pop(0)
        returned += certificate.size
        _to_pool(holder, certificate)
    return queue, queue[0] if queue and total != 2 * half else None


def _donors(game: Game, merger: Merger, holder: Ref) -> list[Ref]:
    """Where the survivor's certificates are exchanged: the pool, then the holders still to come."""
    if holder == corporation_of(game, merger.originator).ref:
        return [POOL]
    return [POOL, *merger.holders[merger.settled :]]


def _swap(corporation: Corporation1862, mine: Certificate, index: int, donor: Ref, holder: Ref) -> Certificate:
    """The other corporation's certificate for one of the survivor."""
    place = _place(mine.corporation, donor)
    shares.move_certificate(mine.corporation, mine.number, _place(mine.corporation, holder), place)
    shares.move_certificate(corporation, index, _place(corporation, donor), _place(corporation, holder))
    return Certificate(corporation, index, mine.size)


def _exchange_option(game: Game, merger: Merger, holder: Ref, option: Certificate, size: int) -> Certificate | None:
    """Step 4c for the president certificate of the corporation that ends."""
    survivor, _ = _pair(game, merger)
    if option.corporation is survivor:
        return option
    for donor in _donors(game, merger, holder):
        if 0 in shares.held(survivor, _place(survivor, donor)):
            return _swap(survivor, option, 0, donor, holder)
    _to_pool(holder, option)
    spend(game, None, _purse(game, holder), merger.price * size // 20)
    return None


def _exchange(
    game: Game, merger: Merger, holder: Ref, kept: list[Certificate], odd: Certificate | None
) -> Certificate | None:
    """Step 4c: ordinary certificates of the corporation that ends are exchanged or paid; returns the odd one."""
    survivor, _ = _pair(game, merger)
    sizes = game.title.sizes[survivor.sym]
    ordinary = shares.unit(game, survivor)
    for certificate in reversed(kept):
        if certificate.corporation is survivor:
            continue
        found = None
        for donor in _donors(game, merger, holder):
            listed = shares.held(survivor, _place(survivor, donor))
            index = next((i for i in listed if sizes[i] == ordinary), None)
            if index is not None:
                found = _swap(survivor, certificate, index, donor, holder)
                break
        if found is None:
            _to_pool(holder, certificate)
            paid = merger.price // 2 if certificate == odd else merger.price
            spend(game, None, _purse(game, holder), paid)
        if certificate == odd:
            odd = found
    return odd


def _purse(game: Game, holder: Ref) -> Player | Corporation:
    entity = game.entity(holder)
    assert isinstance(entity, Player | Corporation)
    return entity


def _ask(game: Game, merger: Merger, holder: Ref, certificate: Certificate, option: int) -> None:
    """Step 4d: redeem or sell what is half paid; who cannot pay sells."""
    price = merger.price
    if option:
        sell, redeem = price * option // 20, price * (FULL_PRESIDENT - option) // 20
    else:
        sell = redeem = price // 2
    purse = _purse(game, holder)
    originator = corporation_of(game, merger.originator)
    if purse is originator and merger.other:
        survivor, other = _pair(game, merger)
        partner = other if survivor is originator else survivor
        spend(game, partner, originator, partner.cash)
    percent = option or certificate.size
    question = Question(holder, certificate.corporation.sym, certificate.number, percent, sell, redeem)
    if purse.cash >= redeem:
        merger.question = question
    else:
        _sell(game, question)


def answer(game: Game, choice: str) -> None:
    """``redeem`` or ``sell``."""
    merger = of(game).merger
    assert merger is not None and merger.question is not None
    question, merger.question = merger.question, None
    if choice == "redeem":
        spend(game, _purse(game, question.holder), None, question.redeem)
    else:
        _sell(game, question)
    go_on(game)


def _sell(game: Game, question: Question) -> None:
    corporation = corporation_of(game, question.corporation)
    spend(game, None, _purse(game, question.holder), question.sell)
    shares.move_certificate(corporation, question.index, _place(corporation, question.holder), POOL)


# --- the end -------------------------------------------------------------------------------------------------------


def _finish(game: Game, merger: Merger) -> None:
    survivor, other = _pair(game, merger)
    _settle_presidency(game, merger, survivor)
    if not merger.other:
        of(game).merger = None
        par = survivor.base_par
        assert par is not None
        spend(game, None, survivor, REFINANCED_SHARES * game.title.market.at(par).price)
        return
    takeover.take_over(game, merger, survivor, other)


def _settle_presidency(game: Game, merger: Merger, survivor: Corporation1862) -> None:
    """Step 6: the largest player, the first of equals in the order of the holders, with 30 % at least."""
    owned = {ref: shares.percent(game, survivor, ref) for ref in merger.holders if ref.startswith("player:")}
    sizes = game.title.sizes[survivor.sym]
    leader = max(owned, key=lambda ref: owned[ref], default=None)
    president = leader if leader is not None and owned[leader] >= sizes[0] else POOL
    if president != POOL and 0 not in shares.held(survivor, president):
        shares.swap_president_certificate(game, survivor, president, shares.owner_of(survivor, 0))
    if survivor.president != president:
        survivor.president = president
        game.emit(events.PresidentChanged(survivor.sym, president))
