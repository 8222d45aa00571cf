"""Laying track for an operator: what it may lay where, what it costs, doing it (core section 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import msgspec

from . import companies, events, homes
from .actions import LayTile
from .board import lays
from .board.lays import LayResult
from .board.network import Network
from .board.usefulness import adds_something
from .errors import IllegalAction, MalformedAction
from .policies import TileLay
from .state import Company, Corporation

if TYPE_CHECKING:
    from .game import Game


class LayTerms(msgspec.Struct, kw_only=True):
    """Under which terms a tile is laid: by a corporation itself, or by one of its companies."""

    company: Company | None = None
    special: bool = False
    connected: bool = True
    """The hex has to be reached by the operator's network."""
    restricted: bool = True
    """The track restriction applies (core 6.4.4)."""
    free: bool = False
    fee: int = 0
    any_color: bool = False


# --- allowance --------------------------------------------------------------------------------------------------


def next_lay(game: Game) -> TileLay | None:
    """The allowance entry of the operator's next lay, if there is one."""
    entries = game.title.track.tile_lays
    laid = game.round.turn.tiles_laid
    return entries[laid] if laid < len(entries) else None


def allows_lay(game: Game, entry: TileLay) -> bool:
    """Whether the entry allows a first tile on a hex now."""
    return entry.lay and not (entry.lay_not_if_upgraded and game.round.turn.upgraded)


def allows_upgrade(game: Game, entry: TileLay) -> bool:
    if entry.upgrade == "not_if_upgraded":
        return not game.round.turn.upgraded
    return entry.upgrade


def is_open(game: Game, operator: Corporation) -> bool:
    """Whether the track step still has a lay to offer; nobody looks whether a legal one exists (core 6.1)."""
    entry = next_lay(game)
    if entry is None or not operator.tokens:
        return False
    if entry.cost > game.title.track_funds(game, operator):
        return False
    return allows_lay(game, entry) or allows_upgrade(game, entry)


def refuse_by_allowance(game: Game, hex_id: str, entry: TileLay | None) -> IllegalAction | None:
    """Why the allowance does not cover a lay on this hex."""
    if entry is None:
        return IllegalAction("no_lay_left", "No tile may be laid any more in this turn.")
    upgrade = game.title.map.tile_at(game.state, hex_id).color != "white"
    if upgrade and not allows_upgrade(game, entry):
        return IllegalAction("no_upgrade_left", "No upgrade is allowed any more in this turn.")
    if not upgrade and not allows_lay(game, entry):
        return IllegalAction("no_lay_left", "No first tile is allowed any more in this turn.")
    if entry.cannot_reuse_same_hex and hex_id in game.round.turn.laid_hexes:
        return IllegalAction("same_hex", f"{hex_id} has had its tile of this turn.", hex=hex_id)
    return None


# --- legality ---------------------------------------------------------------------------------------------------


def reached_edges(game: Game, operator: Corporation, hex_id: str, terms: LayTerms) -> Collection[int]:
    """Edges by which the operator reaches a hex."""
    if not terms.connected:
        return lays.ALL_EDGES
    return game.network(operator).edges.get(hex_id, frozenset())


def terrain_cost(game: Game, operator: Corporation, hex_id: str, terms: LayTerms) -> int:
    """Cost printed on the tile to be replaced, before borders."""
    return 0 if terms.free else game.title.map.tile_at(game.state, hex_id).cost


def blocked_by(game: Game, hex_id: str, company: Company | None) -> Company | None:
    """A company that keeps the hex closed for this lay."""
    return next((c for c in companies.blockers(game, hex_id) if c is not company), None)


def legal_on(
    game: Game, operator: Corporation, hex_id: str, terms: LayTerms, tiles: Collection[str] | None = None
) -> Iterator[tuple[str, int]]:
    """Legal and affordable (tile name, rotation) on a hex."""
    title = game.title
    if blocked_by(game, hex_id, terms.company) is not None:
        return
    edges = reached_edges(game, operator, hex_id, terms)
    if not edges:
        return
    funds = title.track_funds(game, operator)
    cost = terrain_cost(game, operator, hex_id, terms) + terms.fee
    if cost > funds:
        return
    old = title.map.tile_at(game.state, hex_id)
    colors = None if terms.any_color else game.colors
    for tile, rotation in lays.legal_lays(
        title.track_rules, game.state, hex_id, edges, colors, tiles=tiles, special=terms.special
    ):
        new = title.map.tiles[tile].rotated(rotation)
        borders = lays.completed_borders(title.map, game.state, hex_id, new)
        if not terms.free and borders and cost + sum(b[2] for b in borders) > funds:
            continue
        if terms.restricted and not _restriction_ok(game, operator, hex_id, tile, rotation, old.color == "white"):
            continue
        yield tile, rotation


def _restriction_ok(game: Game, operator: Corporation, hex_id: str, tile: str, rotation: int, blank: bool) -> bool:
    """The track restriction, looking at the network with the tile laid only where that matters."""
    rules = game.title.track_rules
    old = game.title.map.tile_at(game.state, hex_id)
    new = game.title.map.tiles[tile].rotated(rotation)
    if blank and rules.restriction == "permissive":
        return True
    trial: list[Network] = []

    def connected(index: int) -> bool:
        if not trial:
            with lays.trial_lay(rules, game.state, hex_id, tile, rotation):
                trial.append(game.fresh_network(operator))
        return (hex_id, index) in trial[0].connected_paths

    if rules.restriction != "permissive" and old.paths:
        known = adds_something(game.network(operator), hex_id, old, new, rules.improving_paths(old, new))
        if known is not None:
            return known and lays.track_restriction_ok(rules, old, new, lambda index: True)
    return lays.track_restriction_ok(rules, old, new, connected)


def all_lays(game: Game, operator: Corporation, terms: LayTerms) -> Iterator[tuple[str, str, int]]:
    """Every legal (hex, tile name, rotation) within the operator's reach."""
    for hex_id in sorted(game.network(operator).edges):
        for tile, rotation in legal_on(game, operator, hex_id, terms):
            yield hex_id, tile, rotation


def tile_ids(game: Game, tile: str) -> str | dict[str, list[str]]:
    """The copies of a tile that may be laid: an id, or a choice of ids."""
    ids = [f"{tile}-{copy}" for copy in sorted(game.state.supply[tile])]
    return ids[0] if len(ids) == 1 else {"choices": ids}


def parse_tile(game: Game, action: LayTile) -> tuple[str, int]:
    """Name and copy of an action's tile; raises :class:`MalformedAction` for what does not exist."""
    name, _, copy = action.tile.rpartition("-")
    if name not in game.title.map.tiles or not copy.isdecimal():
        raise MalformedAction("unknown_tile", f"There is no tile {action.tile!r} in this game.", tile=action.tile)
    if action.hex not in game.title.map.adjacent:
        raise MalformedAction("unknown_hex", f"There is no hex {action.hex!r} on this map.", hex=action.hex)
    if not 0 <= action.rotation <= 5:
        raise MalformedAction("bad_rotation", "A rotation is a number from 0 to 5.", rotation=action.rotation)
    return name, int(copy)


def check_lay(game: Game, operator: Corporation, action: LayTile, terms: LayTerms) -> tuple[str, int]:
    """Raise :class:`IllegalAction` unless the tile may be laid; returns its name and copy."""
    name, copy = parse_tile(game, action)
    hex_id = action.hex
    blocker = blocked_by(game, hex_id, terms.company)
    if blocker is not None:
        raise IllegalAction("hex_blocked", f"{hex_id} is kept closed by {blocker.sym}.", company=blocker.sym)
    edges = reached_edges(game, operator, hex_id, terms)
    if not edges:
        raise IllegalAction("not_connected", f"{operator.sym} does not reach {hex_id}.", hex=hex_id)
    problem = lays.refusal(
        game.title.track_rules,
        game.state,
        hex_id,
        name,
        action.rotation,
        edges,
        None if terms.any_color else game.colors,
        special=terms.special,
    )
    if problem is not None:
        raise IllegalAction(problem[0], f"{problem[1]}.", hex=hex_id, tile=action.tile, rotation=action.rotation)
    if copy not in game.state.supply[name]:
        raise IllegalAction("tile_not_in_supply", f"Tile {action.tile} is not in the supply.", tile=action.tile)
    blank = game.title.map.tile_at(game.state, hex_id).color == "white"
    if terms.restricted and not _restriction_ok(game, operator, hex_id, name, action.rotation, blank):
        raise IllegalAction("track_not_used", f"Tile {name} on {hex_id} would add nothing {operator.sym} can use.")
    return name, copy


def lay(game: Game, operator: Corporation, action: LayTile, terms: LayTerms) -> LayResult:
    """Check, lay, carry over and pay (core 6.4). The caller counts the lay."""
    name, copy = check_lay(game, operator, action, terms)
    cost = terrain_cost(game, operator, action.hex, terms)
    result = lays.lay(
        game.title.track_rules, game.state, action.hex, name, action.rotation, copy, special=terms.special
    )
    cost += (0 if terms.free else result.border_cost) + terms.fee
    game.title.pay_for_track(game, operator, cost)
    game.emit(events.TileLaid(action.ref, action.hex, action.tile, action.rotation, cost))
    game.round.turn.laid_hexes.append(action.hex)
    game.board_changed()
    for sym, token in result.lifted:
        homes.queue(game, game.corporation(sym), token, [action.hex], operator.ref)
    game.title.after_lay(game, operator, result)
    return result


def count_lay(game: Game, result: LayResult) -> None:
    """Count a lay against the allowance."""
    game.round.turn.tiles_laid += 1
    if game.title.counts_as_upgrade(game, result):
        game.round.turn.upgraded = True
