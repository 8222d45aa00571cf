"""The rules engine: pure rules over plain data. No input or output, no clock, no randomness but the seeded one.

Start with ``game.Game``, which binds a ``title.Title`` (data, switches and hooks, shared by all its games) to a
``state.GameState`` (a tree of plain data). A game goes through rounds (``rounds``), a round through steps (``steps``);
a step says what it accepts, lists every legal move and applies actions. Subjects have a module each: ``board`` (map,
tiles, track, tokens, networks), ``routes``, ``shares``, ``trading``, ``market``, ``trains``, ``emergency``,
``companies``, ``dividends``, ``ending``. What titles may answer differently is in ``hooks`` and ``policies``.

Docstrings cite the rules they implement: "core 11.5" is section 11.5 of the semantics shared by all titles, "1830 4.1"
a title's own rules.
"""
