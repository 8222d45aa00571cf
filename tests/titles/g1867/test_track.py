"""Upgrades must add usable track; deciding that without laying the tile gives the same answers (1867 4.3)."""

from __future__ import annotations

from itertools import islice

import pytest

from services.rules.bot import Bot, choose
from services.rules.engine.board import lays
from services.rules.engine.board.usefulness import adds_something
from services.rules.engine.game import Game
from services.rules.engine.state import Corporation
from services.rules.titles import new_game

EVERY = 12
POSITIONS = 40


def tried(game: Game, operator: Corporation, hex_id: str, tile: str, rotation: int) -> bool:
    """Whether the tile, laid for a moment, connects one of its improving paths."""
    rules = game.title.track_rules
    old = game.title.map.tile_at(game.state, hex_id)
    improving = rules.improving_paths(old, game.title.map.tiles[tile].rotated(rotation))
    with lays.trial_lay(rules, game.state, hex_id, tile, rotation):
        connected = game.fresh_network(operator).connected_paths
    return any((hex_id, index) in connected for index in improving)


def check(game: Game, operator: Corporation) -> int:
    """Compare both ways for every upgrade that fits; returns how many were decided without trying."""
    rules, decided = game.title.track_rules, 0
    network = game.network(operator)
    for hex_id, edges in network.edges.items():
        old = game.title.map.tile_at(game.state, hex_id)
        if not old.paths:
            continue
        for tile, rotation in islice(lays.legal_lays(rules, game.state, hex_id, edges, game.colors), 6):
            new = game.title.map.tiles[tile].rotated(rotation)
            known = adds_something(network, hex_id, old, new, rules.improving_paths(old, new))
            if known is not None:
                decided += 1
                assert known == tried(game, operator, hex_id, tile, rotation), (hex_id, old.name, tile, rotation)
    return decided


@pytest.mark.parametrize("title", ["1861", "1867"])
def test_usefulness_is_decided_as_by_trying(title: str) -> None:
    game = new_game(title, [(i, f"P{i}") for i in range(4)], seed=3)
    bot = Bot(3)
    positions = decided = count = 0
    while not game.finished and positions < POSITIONS:
        step = game.rules.active_step(game)
        if step is not None and step.kind == "track" and game.state.phase > 0:
            count += 1
            if count % EVERY == 0:
                positions += 1
                decided += check(game, game.operator)
        game.apply(choose(game, bot))
    assert positions > 10
    assert decided > 200
