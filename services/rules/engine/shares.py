"""Certificates: who holds what, what it is worth, how it changes hands, who presides (core section 11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from . import events, market
from .errors import IllegalAction, MalformedAction
from .money import Purse, spend
from .state import IPO, POOL, Corporation, Player, Ref

if TYPE_CHECKING:
    from .game import Game


class Bundle(msgspec.Struct, frozen=True):
    """Certificates of one corporation held by ``owner`` that move as one unit.

    ``percent`` is less than the certificates' sum when part of a president certificate is sold (core 11.4).
    """

    corporation: str
    owner: Ref
    indexes: tuple[int, ...]
    percent: int

    @property
    def shares(self) -> list[str]:
        return [f"{self.corporation}_{index}" for index in self.indexes]


def held(corporation: Corporation, holder: Ref) -> list[int]:
    """Certificate indexes of a holder, in order of arrival."""
    return corporation.holdings.get(holder, [])


def percent(game: Game, corporation: Corporation, holder: Ref) -> int:
    """Percent of a corporation held."""
    indexes = corporation.holdings.get(holder)
    if not indexes:
        return 0
    sizes = game.title.sizes[corporation.sym]
    return sum(sizes[index] for index in indexes)


def player_holders(game: Game, corporation: Corporation) -> list[tuple[Player, int]]:
    """Players holding something, in the current player order, with their percents."""
    result = []
    for player in game.players_in_order:
        owned = percent(game, corporation, player.ref)
        if owned:
            result.append((player, owned))
    return result


def unit(game: Game, corporation: Corporation) -> int:
    """Percent that counts as one share."""
    return game.title.units[corporation.sym]


def total_shares(game: Game, corporation: Corporation) -> int:
    return 100 // unit(game, corporation)


def par_price(game: Game, corporation: Corporation) -> int:
    """Par price, or the lowest possible par while not parred."""
    if corporation.par is not None:
        return game.title.market.at(corporation.par).price
    return game.title.lowest_par(corporation)


def share_price(game: Game, corporation: Corporation) -> int:
    """Price of the corporation's market cell; 0 without a marker."""
    return 0 if corporation.price is None else game.title.market.at(corporation.price).price


def price_from(game: Game, corporation: Corporation, owner: Ref) -> int:
    """Price per share of a certificate bought from ``owner`` (core 11.1)."""
    if owner == IPO and not game.title.always_market_price(corporation):
        return par_price(game, corporation)
    if corporation.price is None:
        return par_price(game, corporation)
    return share_price(game, corporation)


def bundle_price(game: Game, bundle: Bundle, per_share: int | None = None) -> int:
    """Price of a bundle, rounded up (core 11.1)."""
    corporation = game.corporation(bundle.corporation)
    if per_share is None:
        per_share = price_from(game, corporation, bundle.owner)
    return -(-per_share * bundle.percent // unit(game, corporation))


def cell_type(game: Game, corporation: Corporation) -> str:
    return "" if corporation.price is None else game.title.market.at(corporation.price).type


def parse_shares(game: Game, ids: list[str], given_percent: int | None) -> Bundle:
    """The bundle an action names: all certificates of one corporation and one owner.

    Raises :class:`MalformedAction` for ids that do not exist or do not belong together.
    """
    if not ids:
        raise MalformedAction("no_shares", "No certificate is named.")
    parsed = []
    for share in ids:
        sym, _, index = share.rpartition("_")
        sizes = game.title.sizes.get(sym)
        if sizes is None or not index.isdecimal() or int(index) >= len(sizes):
            raise MalformedAction("unknown_share", f"There is no certificate {share!r}.", share=share)
        parsed.append((sym, int(index)))
    sym = parsed[0][0]
    if any(other != sym for other, _ in parsed) or len({i for _, i in parsed}) != len(parsed):
        raise MalformedAction("mixed_shares", "A bundle names different certificates of one corporation.")
    corporation = game.state.corporations.get(sym)
    if corporation is None:
        raise MalformedAction("unknown_share", f"{sym} is not in this game.", share=ids[0])
    owners = {owner_of(corporation, index) for _, index in parsed}
    if len(owners) != 1:
        raise IllegalAction("mixed_owners", f"The certificates of {sym} belong to different owners.")
    sizes = game.title.sizes[sym]
    indexes = tuple(index for _, index in parsed)
    total = sum(sizes[index] for index in indexes)
    wanted = total if given_percent is None else given_percent
    step = game.title.units[sym]
    if wanted <= 0 or wanted > total or wanted % min(step, *sizes):
        raise MalformedAction("bad_percent", f"{wanted} % is not a part of these certificates of {sym}.")
    return Bundle(sym, owners.pop(), indexes, wanted)


def owner_of(corporation: Corporation, index: int) -> Ref:
    """Holder of a certificate."""
    for holder, indexes in corporation.holdings.items():
        if index in indexes:
            return holder
    raise IllegalAction("no_such_certificate", f"{corporation.sym}_{index} is not in the game any more.")


def move_certificate(corporation: Corporation, index: int, source: Ref, target: Ref) -> None:
    """Hand one certificate over; it goes to the end of the receiver's list."""
    indexes = corporation.holdings[source]
    indexes.remove(index)
    if not indexes:
        del corporation.holdings[source]
    corporation.holdings.setdefault(target, []).append(index)


def holder_purse(game: Game, holder: Ref) -> Purse:
    """Who is paid when ``holder`` sells."""
    if holder in (IPO, POOL, "bank"):
        return None
    entity = game.entity(holder)
    return entity if isinstance(entity, Player | Corporation) else None


# --- certificates and limits ------------------------------------------------------------------------------------


def certificate_count(game: Game, player: Player) -> int:
    """Certificates that count against the limit (core 11.6)."""
    title = game.title
    exempt = title.stock.no_limit_types
    ref = player.ref
    count = title.counted_companies(game, player)
    for corporation in game.state.corporations.values():
        indexes = corporation.holdings.get(ref)
        if indexes and cell_type(game, corporation) not in exempt:
            count += len(indexes)
    return count


def holding_ok(game: Game, player: Player, corporation: Corporation, extra: int = 0) -> bool:
    """Whether the holding limit allows the player ``extra`` percent more."""
    if cell_type(game, corporation) in game.title.stock.no_holding_limit_types:
        return True
    return percent(game, corporation, player.ref) + extra <= game.title.max_ownership(game, corporation)


def can_gain(game: Game, player: Player, bundle: Bundle, *, exchange: bool = False) -> bool:
    """Whether both limits allow the player the bundle; an exchange ignores the certificate limit."""
    corporation = game.corporation(bundle.corporation)
    if not holding_ok(game, player, corporation, bundle.percent):
        return False
    if exchange or cell_type(game, corporation) in game.title.stock.no_limit_types:
        return True
    return certificate_count(game, player) + len(bundle.indexes) <= game.state.cert_limit


def over_limit(game: Game, player: Player) -> list[Corporation]:
    """Corporations the player must sell some of: all held when over the certificate limit, else those over 60 %."""
    owned = [c for c in game.corporations if c.holdings.get(player.ref)]
    if certificate_count(game, player) > game.state.cert_limit:
        return owned
    return [c for c in owned if not holding_ok(game, player, c)]


# --- selling ----------------------------------------------------------------------------------------------------


def offered_bundles(game: Game, corporation: Corporation, holder: Ref) -> Iterator[Bundle]:
    """Bundles a holder may name: prefixes of its certificates (president last, small first), core 11.4."""
    sizes = game.title.sizes[corporation.sym]
    indexes = sorted(held(corporation, holder), key=lambda i: (i == 0, sizes[i]))
    total = 0
    for count, index in enumerate(indexes, start=1):
        total += sizes[index]
        yield Bundle(corporation.sym, holder, tuple(indexes[:count]), total)
    if indexes and indexes[-1] == 0:
        step = unit(game, corporation)
        for less in range(step, sizes[0], step):
            if total > less:
                yield Bundle(corporation.sym, holder, tuple(indexes), total - less)


def fits_pool(game: Game, bundle: Bundle) -> bool:
    corporation = game.corporation(bundle.corporation)
    return percent(game, corporation, POOL) + bundle.percent <= game.title.stock.pool_limit


def can_dump(game: Game, bundle: Bundle) -> bool:
    """A president certificate may only go if somebody else can take it (core 11.5, dump rule)."""
    if 0 not in bundle.indexes:
        return True
    corporation = game.corporation(bundle.corporation)
    sizes = game.title.sizes[corporation.sym]
    needed = sizes[0]
    if percent(game, corporation, bundle.owner) - bundle.percent >= needed:
        return False
    return any(owned >= needed for player, owned in player_holders(game, corporation) if player.ref != bundle.owner)


# --- transfer and presidency ------------------------------------------------------------------------------------


def transfer(game: Game, bundle: Bundle, target: Ref, *, presidency: bool = True) -> None:
    """Move a bundle to ``target`` and settle the presidency, including a partial president sale (core 11.5)."""
    corporation = game.corporation(bundle.corporation)
    sizes = game.title.sizes[corporation.sym]
    for index in bundle.indexes:
        move_certificate(corporation, index, bundle.owner, target)
    if presidency:
        settle_presidency(game, corporation, bundle, target)
    unsold = sum(sizes[i] for i in bundle.indexes) - bundle.percent
    while unsold > 0:
        fitting = [i for i in held(corporation, POOL) if sizes[i] <= unsold]
        if not fitting:
            return
        unsold -= sizes[fitting[0]]
        move_certificate(corporation, fitting[0], POOL, bundle.owner)


def settle_presidency(game: Game, corporation: Corporation, bundle: Bundle, target: Ref) -> None:
    """Let the largest holder preside after a transfer (core 11.5 steps 1-4 and 6)."""
    holders = player_holders(game, corporation)
    sizes = game.title.sizes[corporation.sym]
    most = max((owned for _, owned in holders), default=0)
    if game.title.stock.president_may_dump_to_pool and most < sizes[0] and 0 in held(corporation, POOL):
        if corporation.president != POOL:
            corporation.president = POOL
            game.emit(events.PresidentChanged(corporation.sym, POOL))
        return
    if not holders or not game.title.can_be_led(game, corporation):
        return
    leaders = [player for player, owned in holders if owned == most]
    previous = corporation.president
    if any(player.ref == previous for player in leaders):
        return
    candidates = [player for player in leaders if most >= sizes[0]]
    if not candidates:
        return
    president = _nearest(game, candidates, previous, corporation)
    corporation.president = president.ref
    game.emit(events.PresidentChanged(corporation.sym, president.ref))
    if 0 in held(corporation, president.ref):
        return
    if previous is None and owner_of(corporation, 0) == IPO:
        swap_president_certificate(game, corporation, president.ref, IPO)
        return
    keeps = previous is not None and percent(game, corporation, previous) >= sizes[0]
    swap_president_certificate(game, corporation, president.ref, previous if keeps and previous else POOL)


def swap_president_certificate(game: Game, corporation: Corporation, president: Ref, receiver: Ref) -> None:
    """The president certificate goes to ``president``, ordinary ones of the same size to ``receiver``."""
    sizes = game.title.sizes[corporation.sym]
    source = owner_of(corporation, 0)
    given = game.title.certificates_for_president(game, corporation, president)
    move_certificate(corporation, 0, source, president)
    owed = sizes[0]
    for index in given:
        if owed <= 0:
            break
        move_certificate(corporation, index, president, receiver)
        owed -= sizes[index]


def _nearest(game: Game, candidates: list[Player], previous: Ref | None, corporation: Corporation) -> Player:
    if previous is None or not previous.startswith("player:"):
        for player in candidates:
            if 0 in held(corporation, player.ref):
                return player
        return candidates[0]
    order = [player.ref for player in game.players_in_order]
    start = order.index(previous)
    return min(candidates, key=lambda player: (order.index(player.ref) - start) % len(order))


# --- buying -----------------------------------------------------------------------------------------------------


def pay_for(game: Game, payer: Purse, bundle: Bundle, price: int) -> None:
    """Pay for a bundle: to the seller or the bank, as core 11.2 says."""
    corporation = game.corporation(bundle.corporation)
    spend(game, payer, game.title.sale_receiver(game, corporation, bundle.owner), price)


def buy(
    game: Game,
    buyer: Player | Corporation,
    bundle: Bundle,
    *,
    price: int | None = None,
    target: Ref | None = None,
) -> None:
    """Buy a bundle at its price and see whether the corporation floats."""
    corporation = game.corporation(bundle.corporation)
    cost = bundle_price(game, bundle) if price is None else price
    pay_for(game, buyer, bundle, cost)
    game.emit(events.SharesBought(buyer.ref, corporation.sym, bundle.shares, bundle.percent, cost, bundle.owner))
    transfer(game, bundle, target or buyer.ref)
    check_float(game, corporation)


def give(
    game: Game, corporation: Corporation, index: int, receiver: Ref, reason: str, *, presidency: bool = True
) -> None:
    """Hand a certificate over for nothing."""
    sizes = game.title.sizes[corporation.sym]
    bundle = Bundle(corporation.sym, owner_of(corporation, index), (index,), sizes[index])
    game.emit(events.SharesGiven(receiver, corporation.sym, bundle.shares, reason))
    transfer(game, bundle, receiver, presidency=presidency)
    check_float(game, corporation)


def set_par(game: Game, corporation: Corporation, cell: tuple[int, int], player: Ref) -> None:
    """Put the marker on its par cell."""
    corporation.par = cell
    corporation.started = True
    market.place(game.state, corporation, cell)
    game.emit(events.CorporationParred(corporation.sym, player, game.title.market.at(cell).price))


def check_float(game: Game, corporation: Corporation) -> None:
    """Float a corporation whose threshold has been reached; pays its capital (core 11.3)."""
    if corporation.floated or not game.title.can_float(game, corporation):
        return
    corporation.floated = True
    capital = game.title.capital_at_float(game, corporation)
    spend(game, None, corporation, capital)
    game.emit(events.CorporationFloated(corporation.sym, capital))
    game.title.after_float(game, corporation)


# --- price moves ------------------------------------------------------------------------------------------------


def move_price(game: Game, corporation: Corporation, direction: str, steps: int = 1) -> None:
    """Move a marker ``steps`` cells, one at a time, following the title's movement rules."""
    if corporation.price is None:
        return
    old = share_price(game, corporation)
    for _ in range(steps):
        market.place(game.state, corporation, game.title.next_cell(game, corporation, direction))
    new = share_price(game, corporation)
    if new != old:
        game.emit(events.PriceMoved(corporation.sym, old, new))


def sell(game: Game, seller: Player, bundle: Bundle, *, per_share: int | None = None) -> int:
    """Sell a bundle to the pool: pay the seller, move, settle the presidency, drop the price. Returns the proceeds."""
    corporation = game.corporation(bundle.corporation)
    proceeds = bundle_price(game, bundle, per_share)
    was_president = corporation.president == seller.ref
    spend(game, None, seller, proceeds)
    game.emit(events.SharesSold(seller.ref, corporation.sym, bundle.percent, proceeds))
    transfer(game, bundle, POOL)
    drop_after_sale(game, corporation, bundle, was_president)
    return proceeds


def drop_after_sale(game: Game, corporation: Corporation, bundle: Bundle, was_president: bool) -> None:
    """Price drop of a sale (core 12.4)."""
    steps = game.title.sale_drop(game, corporation, bundle, was_president)
    if steps:
        move_price(game, corporation, "down", steps)
