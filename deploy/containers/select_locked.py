"""Print the entries of a lock file, with their hashes, that some packages need.

Usage: ``select_locked.py NAME... < requirements-dev.lock``. Needed packages are found by the lock's own
``# via`` notes. So build tools are installed from the same lock as everything else, hash-checked, without a lock
of their own.
"""

from __future__ import annotations

import re
import sys

_START = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==")


def entries(lock: str) -> dict[str, str]:
    """Text of every entry of a lock file by package name."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lock.splitlines():
        match = _START.match(line)
        if match:
            current = found.setdefault(match[1].lower(), [])
        if line.startswith((" ", "\t")) or match:
            current.append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


def select(lock: str, names: list[str]) -> str:
    """The entries of ``names`` and of what they need; KeyError for a name that is not locked."""
    known = entries(lock)
    parents = {name: _parents(text) for name, text in known.items()}
    wanted: list[str] = []
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        if name in wanted:
            continue
        known[name]
        wanted.append(name)
        waiting.extend(other for other in known if name in parents[other])
    return "\n".join(known[name] for name in sorted(wanted)) + "\n"


def _parents(entry: str) -> set[str]:
    """Packages on whose behalf an entry was locked."""
    notes = [line.strip().removeprefix("#").strip() for line in entry.splitlines() if "#" in line]
    return {note.removeprefix("via").strip().lower() for note in notes}


if __name__ == "__main__":
    sys.stdout.write(select(sys.stdin.read(), sys.argv[1:]))
