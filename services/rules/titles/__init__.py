"""The titles this server hosts: one folder each, with data files and the rules that differ."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable, Sequence

from ..engine.errors import UnknownTitle
from ..engine.game import Game
from ..engine.rng import seed_from
from ..engine.title import Title

_CLASSES = {
    "1830": ("g1830", "Title1830"),
    "1861": ("g1861", "Title1861"),
    "1862": ("g1862", "Title1862"),
    "1867": ("g1867", "Title1867"),
    "1888": ("g1888", "Title1888"),
    "1893": ("g1893", "Title1893"),
    "1894": ("g1894", "Title1894"),
}
TITLES: tuple[str, ...] = tuple(_CLASSES)
_ALIASES = {"1888-N": "1888"}
"""Names under which players know a title that recorded games call otherwise."""


def canonical_name(name: str) -> str:
    """The name under which a title's games are kept; raises :class:`UnknownTitle`."""
    known = _ALIASES.get(name, name)
    if known not in _CLASSES:
        raise UnknownTitle(name, TITLES)
    return known


@functools.cache
def title_class(name: str) -> type[Title]:
    """Rules class of a title; raises :class:`UnknownTitle`."""
    name = canonical_name(name)
    folder, class_name = _CLASSES[name]
    module = importlib.import_module(f"{__name__}.{folder}.rules")
    found: type[Title] = getattr(module, class_name)
    return found


@functools.lru_cache(maxsize=64)
def _build(name: str, options: frozenset[str]) -> Title:
    return title_class(name)(options)


def get_title(name: str, options: Iterable[str] = ()) -> Title:
    """The rules of a title with these options, built once; raises :class:`UnknownTitle`."""
    return _build(title_class(name).name, frozenset(options))


def offered_title(name: str) -> Title:
    """The rules of games started here without asking for an option, at the largest table.

    Raises :class:`UnknownTitle`.
    """
    players = get_title(name).data.facts.max_players
    return get_title(name, title_class(name).options_of_new_game((), players))


def new_game(
    name: str,
    players: Sequence[tuple[int | str, str]],
    *,
    seed: int | None = None,
    options: Iterable[str] = (),
    mode: str = "live",
    game_id: object = "",
) -> Game:
    """Start a game of a title; ``players`` are (id, name) in seat order.

    Without a seed it is taken from ``game_id`` (core 3). Raises :class:`UnknownTitle` or :class:`MalformedAction`.
    """
    cls = title_class(name)
    in_force = cls.normalize_options(options, len(players))
    if mode == "live":
        cls.check_options(options)
        in_force = cls.options_of_new_game(in_force, len(players))
    title = get_title(name, in_force)
    return Game.new(title, players, seed=seed_from(seed, game_id), mode=mode)


def decode_game(name: str, options: Iterable[str], data: bytes) -> Game:
    """A game from its encoded state."""
    return Game.decode(get_title(name, options), data)
