"""Laying a tile: what is legal on a hex, and doing it with all that carries over (core 5.3, 6.2-6.4).

Rounds, turns, money and the network are the caller's: it passes the edges by which the hex is reached and the
colors of the phase, and gets back what the lay costs and which tokens wait for a new place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..state import City, GameState, Hex, Token
from . import upgrades
from .geometry import opposite
from .map import Map, new_cities
from .tiles import PlacedTile
from .tokens import free_slot, owner
from .track_rules import Candidate, TrackRules

ALL_EDGES = frozenset(range(6))
Border = tuple[int, str, int]


@dataclass(slots=True)
class LayResult:
    """What a lay did. Costs are in the title's currency and not yet paid.

    ``terrain_cost`` is printed on the replaced tile, ``border_cost`` the sum of ``borders``, which now have
    track on both sides. ``lifted`` are the (corporation, token index) to be placed anew (core 6.4.6).
    """

    hex_id: str
    old: PlacedTile
    new: PlacedTile
    copy: int
    terrain_cost: int
    border_cost: int
    borders: list[Border]
    lifted: list[tuple[str, int]] = field(default_factory=list)

    @property
    def is_upgrade(self) -> bool:
        """Whether the hex was not white before (core 6.1)."""
        return self.old.color != "white"


def candidates_on(rules: TrackRules, state: GameState, hex_id: str, special: bool) -> list[Candidate]:
    on_hex = state.board.get(hex_id)
    future = None if on_hex is None else on_hex.future_label
    return rules.candidates(hex_id, rules.board.tile_at(state, hex_id), future, special)


def legal_lays(
    rules: TrackRules,
    state: GameState,
    hex_id: str,
    edges: Collection[int],
    colors: Collection[str] | None = None,
    *,
    tiles: Collection[str] | None = None,
    special: bool = False,
) -> list[tuple[str, int]]:
    """Every (tile name, rotation) that may be laid on a hex (core 6.2, 6.3), in the order of the tile data.

    ``edges`` are those by which the hex is reached (6.3 b; ``ALL_EDGES`` for lays without connection),
    ``colors`` the phase's (None: any), ``tiles`` limits the names, ``special`` marks a company's lay, exempt
    from label, count and exit rules. Hexes blocked by companies, the allowance, money and the track
    restriction are the caller's to test.
    """
    found = _legal(rules, state, hex_id, edges, colors, tiles, special)
    if not special and found and rules.max_exits_applies(hex_id, rules.board.tile_at(state, hex_id)):
        found = most_exits(found)
    return [(candidate.name, candidate.rotation) for candidate in found]


def _legal(
    rules: TrackRules,
    state: GameState,
    hex_id: str,
    edges: Collection[int],
    colors: Collection[str] | None,
    tiles: Collection[str] | None,
    special: bool,
) -> list[Candidate]:
    candidates = candidates_on(rules, state, hex_id, special)
    if not candidates:
        return []
    old = rules.board.tile_at(state, hex_id)
    closed = ~rules.passable_edges(state, hex_id)
    reached = 0
    for edge in edges:
        reached |= 1 << edge
    supplied: dict[str, bool] = {}
    result = []
    for candidate in candidates:
        name, _, color, exits, placed = candidate
        if exits & closed or (colors is not None and color not in colors):
            continue
        if not exits & reached and not rules.reaches(hex_id, old, placed):
            continue
        in_supply = supplied.get(name)
        if in_supply is None:
            allowed = tiles is None or name in tiles
            in_supply = supplied[name] = allowed and rules.available(state, placed.tile)
        if in_supply and rules.lay_permitted(state, hex_id, old, placed, special):
            result.append(candidate)
    return result


def most_exits(candidates: list[Candidate]) -> list[Candidate]:
    """Per color only the tiles with most exits (core 6.2.6)."""
    best: dict[str, int] = {}
    for candidate in candidates:
        best[candidate.color] = max(best.get(candidate.color, 0), candidate.exits.bit_count())
    return [c for c in candidates if c.exits.bit_count() == best[c.color]]


def legal_rotations(
    rules: TrackRules,
    state: GameState,
    hex_id: str,
    tile: str,
    edges: Collection[int],
    *,
    special: bool = False,
) -> list[int]:
    """Rotations in which a tile may be laid (core 6.3), whatever the phase; empty if it cannot go there at
    all.
    """
    found = _legal(rules, state, hex_id, edges, None, (tile,), special)
    return [candidate.rotation for candidate in found]


def refusal(
    rules: TrackRules,
    state: GameState,
    hex_id: str,
    tile: str,
    rotation: int,
    edges: Collection[int],
    colors: Collection[str] | None = None,
    *,
    special: bool = False,
) -> tuple[str, str] | None:
    """Why a lay is not legal, as a stable code and a sentence; None if it is."""
    if (tile, rotation) in legal_lays(rules, state, hex_id, edges, colors, special=special):
        return None
    board = rules.board
    design, old = board.tiles.get(tile), board.tile_at(state, hex_id)
    on_hex = state.board.get(hex_id)
    future = None if on_hex is None else on_hex.future_label
    where = f"Tile {tile} cannot go on {hex_id}: "
    if design is None:
        return "unknown_tile", f"There is no tile {tile} in this game"
    if colors is not None and design.color not in colors:
        return "tile_color_not_available", f"{where}{design.color} tiles are not available yet"
    if not rules.upgrade_allowed(hex_id, old, design, future, special):
        return "tile_does_not_fit", f"{where}its color, label, cities or towns do not follow those of the hex"
    if not rules.available(state, design):
        return "tile_not_in_supply", f"{where}no copy is left in the supply"
    placed = design.rotated(rotation)
    if not rules.rotation_allowed(hex_id, old, placed):
        return "track_not_kept", f"{where}turned this way it does not keep the track of the hex"
    passable = rules.passable_edges(state, hex_id)
    blocked = [edge for edge in sorted(placed.exits) if not passable >> edge & 1]
    if blocked:
        return "exit_blocked", f"{where}it would face a blocked side (edge {blocked[0]})"
    if not placed.exits.intersection(edges) and not rules.reaches(hex_id, old, placed):
        return "not_connected", f"{where}none of its exits is reached by the corporation's track"
    if not rules.lay_permitted(state, hex_id, old, placed, special):
        return "lay_not_permitted", f"{where}the rules of this title forbid it now"
    return "more_exits_needed", f"{where}a tile with more exits is available"


def track_restriction_ok(rules: TrackRules, old: PlacedTile, new: PlacedTile, connected: Callable[[int], bool]) -> bool:
    """The track restriction (core 6.4.4) for a lay by a corporation.

    ``connected`` tells for an index of ``new.paths`` whether the corporation's network, with the tile laid,
    contains that path. It is not called where the answer does not matter.
    """
    if not rules.stops_covered(old, new):
        return False
    if rules.restriction == "permissive" or not old.paths:
        return True
    return any(connected(index) for index in rules.improving_paths(old, new))


def completed_borders(board: Map, state: GameState, hex_id: str, new: PlacedTile) -> list[Border]:
    """Borders a hex completes by ``new``: track on both sides (core 6.4.5). Impassable ones never are."""
    on_hex = state.board.get(hex_id)
    if on_hex is None or not on_hex.borders:
        return []
    result = []
    for border in on_hex.borders:
        edge, kind, _ = border
        other = board.adjacent[hex_id].get(edge)
        if kind == "impassable" or other is None or edge not in new.exits:
            continue
        if opposite(edge) in board.tile_at(state, other).exits:
            result.append(border)
    return result


def lay(
    rules: TrackRules,
    state: GameState,
    hex_id: str,
    tile: str,
    rotation: int,
    copy: int | None = None,
    *,
    special: bool = False,
) -> LayResult:
    """Lay a tile and carry over what stays (core 5.3, 6.4.3, 6.4.5, 6.4.6). Legality is not tested again.

    ``copy`` None takes the first copy of the supply. Raises ``ValueError``, with nothing changed, if it is
    not there.
    """
    board = rules.board
    new = board.tiles[tile].rotated(rotation)
    copies = state.supply.get(tile, [])
    if copy is None and copies:
        copy = copies[0]
    if copy is None or copy not in copies:
        raise ValueError(f"tile {tile}-{copy} is not in the supply")
    old = board.tile_at(state, hex_id)
    before = board.hex_state(state, hex_id)
    replaced = None if before.tile is None else (old.tile, before.copy)
    rules.exchange_tiles(state, hex_id, replaced, new.tile, copy)
    borders = completed_borders(board, state, hex_id, new)
    after = state.board[hex_id] = Hex(
        tile=tile,
        copy=copy,
        rotation=rotation,
        cities=new_cities(new),
        reserved=before.reserved,
        borders=before.borders,
        icons=before.icons,
        label=before.label,
        future_label=upgrades.carried_future_label(before, new),
    )
    _carry_cities(state, hex_id, before, after, rules.city_map(hex_id, old, new), old)
    lifted = _lift_all(state, hex_id, after) if rules.lifts_tokens(hex_id, old, new, special) else []
    for border in borders:
        _remove_border(board, state, hex_id, border)
    cost = sum(border[2] for border in borders)
    return LayResult(hex_id, old, new, copy, old.cost, cost, borders, lifted)


def _remove_border(board: Map, state: GameState, hex_id: str, border: Border) -> None:
    state.board[hex_id].borders = [b for b in state.board[hex_id].borders if b != border]
    other = state.board.get(board.adjacent[hex_id][border[0]])
    if other is not None:
        side = opposite(border[0])
        other.borders = [b for b in other.borders if b[0] != side]


def tokens_on(state: GameState, hex_id: str) -> list[tuple[str, int, Token]]:
    """(corporation, token index, token) of every token on a hex that a corporation owns."""
    return [
        (sym, index, token)
        for sym, corporation in state.corporations.items()
        for index, token in enumerate(corporation.tokens)
        if token.hex == hex_id
    ]


def _carry_cities(
    state: GameState, hex_id: str, before: Hex, after: Hex, mapping: list[int | None], old: PlacedTile
) -> None:
    """Move reservations, then tokens, from the old cities to the new ones (core 5.3.2, 5.3.3)."""
    if not after.cities:
        return
    for city, target in zip(before.cities, mapping, strict=True):
        if target is not None:
            after.cities[target].reserved.extend(city.reserved)
    owned = {(token.city, token.slot, sym): token for sym, _, token in tokens_on(state, hex_id)}
    single = len(before.cities) == 1
    for index, (city, target) in enumerate(zip(before.cities, mapping, strict=True)):
        if target is None:
            continue
        into = after.cities[target]
        for slot, text in enumerate(city.slots):
            if text is not None:
                added = single and slot >= old.cities[index].slots
                new_slot = _carry_token(state, into, text, slot if added else None)
                _relocate(owned.get((index, slot, owner(text))), target, new_slot)
        into.extra.extend(city.extra)
        for text in city.extra:
            _relocate(owned.get((index, None, owner(text))), target, None)


def _carry_token(state: GameState, city: City, text: str, added_slot: int | None) -> int:
    """Put a carried token into a city; returns its slot. A token in an added slot keeps its position."""
    slot = free_slot(state, city, owner(text)) if added_slot is None else added_slot
    if slot is None:
        slot = next((i for i, s in enumerate(city.slots) if s is None), len(city.slots))
    while len(city.slots) <= slot:
        city.slots.append(None)
    city.slots[slot] = text
    return slot


def _relocate(token: Token | None, city: int, slot: int | None) -> None:
    if token is not None:
        token.city, token.slot = city, slot


def _lift_all(state: GameState, hex_id: str, on_hex: Hex) -> list[tuple[str, int]]:
    """Take the tokens out of the slots of a hex, in the order of its cities and slots (core 6.4.6)."""
    owned = {(token.city, token.slot): (sym, index, token) for sym, index, token in tokens_on(state, hex_id)}
    lifted = []
    for index, city in enumerate(on_hex.cities):
        for slot, text in enumerate(city.slots):
            found = owned.get((index, slot))
            if text is not None and found is not None:
                sym, token_index, token = found
                city.slots[slot] = None
                token.hex, token.city, token.slot = None, 0, None
                lifted.append((sym, token_index))
    return lifted


@contextmanager
def trial_lay(
    rules: TrackRules, state: GameState, hex_id: str, tile: str, rotation: int, copy: int | None = None
) -> Iterator[LayResult]:
    """Lay a tile for the length of a ``with`` block, e.g. to see the network after it, then put all back."""
    board = rules.board
    around = [hex_id, *board.adjacent[hex_id].values()]
    hexes = {h: state.board.get(h) for h in around}
    borders = {h: on_hex.borders for h, on_hex in hexes.items() if on_hex is not None}
    supply = {name: list(copies) for name, copies in state.supply.items()}
    tokens = [(token, token.city, token.slot) for _, _, token in tokens_on(state, hex_id)]
    try:
        yield lay(rules, state, hex_id, tile, rotation, copy)
    finally:
        for h, on_hex in hexes.items():
            if on_hex is None:
                state.board.pop(h, None)
            else:
                on_hex.borders = borders[h]
                state.board[h] = on_hex
        state.supply = supply
        for token, city, slot in tokens:
            token.hex, token.city, token.slot = hex_id, city, slot
