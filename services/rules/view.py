"""A position as clients see it: the state tree with what follows from it (``GetGame``).

Keys of the object: ``state`` (the tree of ``engine.state``, as JSON), ``round`` (label), ``phase``, ``step`` (what is
awaited), ``waiting_for`` (refs of entities), ``acting`` (player ids), ``priority`` (player id), ``operating_order``
(syms), ``players`` (by id: ``value`` as scored now, ``certificates`` counted, ``shares`` in percent), ``corporations``
(by sym: ``share_price``, ``par_price``, percents ``ipo`` and ``pool``, ``train_limit``), ``depot`` (trains on sale)
and, when the game is over, ``outcome``.
"""

from __future__ import annotations

from typing import Any

import msgspec

from .engine import ending, shares, trains
from .engine.game import Game
from .engine.state import IPO, POOL, Corporation, Player


def game_view(game: Game) -> dict[str, Any]:
    """The position as one JSON-able object."""
    step = None if game.finished else game.rules.active_step(game)
    state = game.state
    return {
        "state": msgspec.to_builtins(state, str_keys=True),
        "round": game.round_label(),
        "phase": game.phase.name,
        "step": None if step is None else step.kind,
        "awaited": None if step is None else step.description,
        "waiting_for": [entity.ref for entity in game.active_entities()],
        "acting": game.acting_players(),
        "priority": game.priority_player().id,
        "operating_order": [c.sym for c in game.title.operating_order(game)],
        "players": {str(player.id): _player(game, player) for player in state.players},
        "corporations": {c.sym: _corporation(game, c) for c in game.title.visible_corporations(game)},
        "depot": [
            {"train": offer.train, "name": offer.name, "price": offer.price, "from": offer.owner}
            for offer in trains.depot_offers(game)
        ],
        "outcome": None if state.outcome is None else msgspec.to_builtins(state.outcome),
    }


def _player(game: Game, player: Player) -> dict[str, Any]:
    owned = {c.sym: shares.percent(game, c, player.ref) for c in game.state.corporations.values()}
    return {
        "value": ending.score(game, player),
        "certificates": shares.certificate_count(game, player),
        "shares": {sym: percent for sym, percent in owned.items() if percent},
    }


def _corporation(game: Game, corporation: Corporation) -> dict[str, Any]:
    return {
        "share_price": shares.share_price(game, corporation) or None,
        "par_price": None if corporation.par is None else game.title.market.at(corporation.par).price,
        "ipo": shares.percent(game, corporation, IPO),
        "pool": shares.percent(game, corporation, POOL),
        "train_limit": trains.train_limit(game, corporation),
        "trains": [game.state.depot.trains[train_id].name for train_id in corporation.trains],
    }
