"""What is on sale for a corporation: classes with their limits, used trains, warranties (1862 4.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import trains
from ...engine.state import DEPOT, Corporation
from ...engine.trains import Offer
from .charters import in_receivership
from .london import CLASSES, class_of
from .state import of

if TYPE_CHECKING:
    from ...engine.game import Game

WARRANTY_PRICE = 50
PAID_WARRANTIES = {True: 2, False: 3}
"""Most paid warranties of a train sold with a free one, and of others."""


def most_warranties(name: str) -> int:
    """Most warranties to be paid for a train, by its name when sold."""
    return PAID_WARRANTIES[name.endswith("*")]


def owned_of_class(game: Game, corporation: Corporation, kind: str) -> int:
    depot = game.state.depot.trains
    return sum(1 for train_id in corporation.trains if class_of(depot[train_id].name) == kind)


def class_room(game: Game, corporation: Corporation, kind: str) -> bool:
    """Whether one more train of a class is allowed."""
    return owned_of_class(game, corporation, kind) < trains.train_limit(game, corporation)


def has_room(game: Game, corporation: Corporation) -> bool:
    """Whether one more train of some class is allowed; late in the game all count together (1862 1.4)."""
    if "limit_total" in game.phase.status:
        return len(corporation.trains) < trains.train_limit(game, corporation)
    return any(class_room(game, corporation, kind) for kind in CLASSES.values())


def used_price(game: Game, train_id: str) -> int:
    """Fixed price of another corporation's train: half of the list price once its phase is over."""
    price = trains.list_price(game, train_id)
    return price if trains.rank(train_id) == game.phase.name else price // 2


def offers(game: Game, buyer: Corporation) -> list[Offer]:
    """The first train of the depot in each class with room, then used ones; whether affordable or not."""
    if not has_room(game, buyer):
        return []
    kinds = [kind for kind in CLASSES.values() if class_room(game, buyer, kind)]
    result = [offer for offer in trains.depot_offers(game) if class_of(offer.name) in kinds]
    if of(game).lner == "formed" or of(game).emergency:
        return result
    depot = game.state.depot.trains
    for seller in game.operators_in_order:
        if seller is buyer or in_receivership(seller):
            continue
        for train_id in seller.trains:
            name = depot[train_id].name
            if class_of(name) in kinds:
                result.append(Offer(train_id, name, used_price(game, train_id), seller.sym))
    for train_id, sym in of(game).left_trains.items():
        if sym != buyer.sym and not in_receivership(game.corporation(sym)) and class_of(depot[train_id].name) in kinds:
            result.append(Offer(train_id, depot[train_id].name, used_price(game, train_id), sym))
    return result


__all__ = ["DEPOT", "WARRANTY_PRICE", "class_room", "has_room", "most_warranties", "offers", "used_price"]
