"""The depot, phases, rust and buying of trains (core section 14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from . import events
from .data import TrainData, TrainVariantData
from .money import spend
from .state import DEPOT, POOL, Corporation, Depot, Train

if TYPE_CHECKING:
    from .game import Game


class Offer(msgspec.Struct, frozen=True):
    """A train on sale: ``price`` is the list price of ``name`` (a variant), or the least another owner may ask."""

    train: str
    name: str
    price: int
    owner: str
    """``"depot"``, ``"pool"`` or the selling corporation's sym."""


def rank(train_id: str) -> str:
    """Name of the rank a train belongs to; it never changes (core 1.4)."""
    return train_id.rpartition("-")[0]


def new_depot(trains: list[TrainData]) -> Depot:
    """All trains in order of sale; an unlimited rank starts with one copy."""
    by_id: dict[str, Train] = {}
    for data in trains:
        for copy in range(1 if data.count is None else data.count):
            by_id[f"{data.name}-{copy}"] = Train(name=data.name)
    return Depot(trains=by_id, upcoming=list(by_id))


def variants(game: Game, train_id: str) -> list[tuple[str, int]]:
    """(name, price) of every variant a depot train may be bought as."""
    data = game.title.trains[rank(train_id)]
    if data.variants:
        return [(variant.name, variant.price) for variant in data.variants]
    return [(data.name, data.price)]


def list_price(game: Game, train_id: str) -> int:
    """List price of a train in its present variant."""
    data: TrainData | TrainVariantData = game.title.trains[rank(train_id)]
    return data.price


def depot_trains(game: Game) -> list[str]:
    """Ids on sale: the first upcoming train, ranks opened by a phase, one discarded train a name (core 14.2)."""
    depot = game.state.depot
    offered: list[str] = []
    if depot.upcoming:
        offered.append(depot.upcoming[0])
        names = {rank(offered[0])}
        for train_id in depot.upcoming:
            name = rank(train_id)
            if name in names:
                continue
            opens = game.title.trains[name].available_on
            if opens is not None and game.phase_reached(opens):
                offered.append(train_id)
                names.add(name)
    seen: set[str] = set()
    for train_id in depot.discarded:
        name = depot.trains[train_id].name
        if name not in seen:
            seen.add(name)
            offered.append(train_id)
    return offered


def depot_offers(game: Game) -> list[Offer]:
    """Everything the depot and the train pool sell, at list price."""
    offers = []
    for train_id in depot_trains(game):
        train = game.state.depot.trains[train_id]
        if train.owner == POOL:
            offers.append(Offer(train_id, train.name, list_price(game, train_id), POOL))
        else:
            offers.extend(Offer(train_id, name, price, DEPOT) for name, price in variants(game, train_id))
    return offers


def min_depot_price(game: Game) -> int:
    """Lowest price of the depot and the pool; 0 when nothing is on sale."""
    return min((offer.price for offer in depot_offers(game)), default=0)


def other_offers(game: Game, buyer: Corporation) -> list[Offer]:
    """Trains of other corporations, which cost at least 1 (core 15.1)."""
    return [
        Offer(train_id, game.state.depot.trains[train_id].name, 1, corporation.sym)
        for corporation in game.operators_in_order
        if corporation is not buyer
        for train_id in corporation.trains
        if not game.state.depot.trains[train_id].obsolete
    ]


def exchange_offers(game: Game, buyer: Corporation) -> list[tuple[str, Offer]]:
    """(own train given up, offer at the discounted price) for every trade-in (core 15.2)."""
    result = []
    for offer in depot_offers(game):
        discount = game.title.trains[rank(offer.train)].discount
        if not discount:
            continue
        for own in buyer.trains:
            less = discount.get(game.state.depot.trains[own].name)
            if less is not None and game.title.may_trade_in(game, buyer, own, offer):
                reduced = Offer(offer.train, offer.name, offer.price - less, offer.owner)
                result.append((own, reduced))
    return result


def counted_trains(game: Game, corporation: Corporation) -> int:
    """Trains that count for the limit; obsolete ones do not."""
    return sum(1 for train_id in corporation.trains if not game.state.depot.trains[train_id].obsolete)


def train_limit(game: Game, corporation: Corporation) -> int:
    """Limit of the phase; a kind missing from the phase's table has limit 0."""
    limit = game.phase.train_limit
    if isinstance(limit, dict):
        return limit.get(game.title.limit_kind(corporation), 0)
    return limit


def has_room(game: Game, corporation: Corporation) -> bool:
    return counted_trains(game, corporation) < train_limit(game, corporation)


def crowded(game: Game) -> list[Corporation]:
    """Operators over their limit, in the order in which they discard."""
    return [c for c in game.discard_order if c.trains and counted_trains(game, c) > train_limit(game, c)]


# --- moving trains ----------------------------------------------------------------------------------------------


def leave(game: Game, train_id: str) -> None:
    """Take a train away from wherever it is."""
    depot = game.state.depot
    train = depot.trains[train_id]
    if train.owner == DEPOT:
        depot.upcoming.remove(train_id)
        _replenish(game, train_id)
    elif train.owner == POOL:
        depot.discarded.remove(train_id)
    elif train.owner is not None:
        game.state.corporations[train.owner].trains.remove(train_id)
    train.owner = None


def _replenish(game: Game, train_id: str) -> None:
    """The next copy of an unlimited rank appears where its last one left the depot."""
    name, _, copy = train_id.rpartition("-")
    depot = game.state.depot
    if game.title.trains[name].count is not None or any(rank(other) == name for other in depot.upcoming):
        return
    fresh = f"{name}-{int(copy) + 1}"
    depot.trains[fresh] = Train(name=name)
    order = list(game.title.trains)
    place = next(
        (i for i, other in enumerate(depot.upcoming) if order.index(rank(other)) > order.index(name)),
        len(depot.upcoming),
    )
    depot.upcoming.insert(place, fresh)


def give_train(game: Game, train_id: str, corporation: Corporation) -> None:
    """Hand a train to a corporation."""
    leave(game, train_id)
    game.state.depot.trains[train_id].owner = corporation.sym
    corporation.trains.append(train_id)


def remove_train(game: Game, train_id: str) -> None:
    """A train leaves the game."""
    leave(game, train_id)


def discard(game: Game, train_id: str) -> None:
    """A corporation gives a train up: to the train pool, or out of the game where the title says so."""
    leave(game, train_id)
    train = game.state.depot.trains[train_id]
    if game.title.train_rules.discarded == "discard" and not train.obsolete:
        train.owner = POOL
        game.state.depot.discarded.append(train_id)


def buy_train(
    game: Game,
    buyer: Corporation,
    train_id: str,
    price: int,
    *,
    variant: str | None = None,
    exchange: str | None = None,
) -> None:
    """Pay for a train, hand it over and let the phase react (core 15.2, 14.1)."""
    depot = game.state.depot
    train = depot.trains[train_id]
    seller = train.owner
    if exchange is not None:
        discard(game, exchange)
    receiver = game.state.corporations[seller] if seller not in (DEPOT, POOL, None) and seller else None
    spend(game, buyer, receiver, price)
    give_train(game, train_id, buyer)
    if variant is not None and seller == DEPOT:
        train.name = variant
    game.emit(events.TrainBought(buyer.sym, train_id, train.name, price, seller or DEPOT, exchange))
    if seller == DEPOT:
        react(game, train_id)


def export(game: Game) -> str | None:
    """The first upcoming train leaves the game with all effects of a purchase (core 14.2). Returns its id."""
    if not game.state.depot.upcoming:
        return None
    train_id = game.state.depot.upcoming[0]
    leave(game, train_id)
    game.emit(events.TrainExported(train_id))
    react(game, train_id)
    return train_id


def react(game: Game, train_id: str) -> None:
    """Phase changes, rust and events caused by a train leaving the depot (core 14.1)."""
    state = game.state
    name = rank(train_id)
    phases = game.title.data.phases
    triggers = (name, state.depot.trains[train_id].name, train_id)
    while state.phase + 1 < len(phases) and phases[state.phase + 1].on in triggers:
        state.phase += 1
        game.emit(events.PhaseChanged(phases[state.phase].name))
        game.title.on_phase(game)
    rust(game, name)
    copy = int(train_id.rpartition("-")[2]) + 1
    for event in game.title.trains[name].events:
        fired = f"{name}:{event.event}"
        if event.copy == copy and fired not in state.fired_events:
            state.fired_events.append(fired)
            game.title.on_train_event(game, event.event)
    game.title.after_train(game, train_id)
    game.phase_changed()


def rust(game: Game, name: str) -> None:
    """Trains that rust on ``name`` are removed from whoever holds them, also from the depot (core 14.3)."""
    for train_id, train in list(game.state.depot.trains.items()):
        if train.owner is None or game.title.trains[rank(train_id)].rusts_on != name:
            continue
        if game.title.defers_rust(game, train_id):
            continue
        owner = train.owner
        leave(game, train_id)
        game.emit(events.TrainRusted(train_id, owner))
