"""Which versions get a snapshot, and which snapshots stay."""

from __future__ import annotations

import msgspec


class Retention(msgspec.Struct, frozen=True):
    """Snapshot policy.

    A version that is a multiple of ``every`` (and one that undoes or redoes) is stored with its state;
    versions between are a replay of at most ``every - 1`` actions away. The two newest multiples stay, so
    that taking back an action right after a snapshot is cheap too, and the multiples of ``keep`` stay for
    good (0: none).
    """

    every: int = 16
    keep: int = 0

    def wants(self, version: int) -> bool:
        """Whether ``version`` gets a snapshot by itself."""
        return version % self.every == 0

    def after(self, present: list[int], version: int) -> list[int]:
        """Versions whose snapshots stay (ascending) when one of ``version`` joins those of ``present``."""
        regular = [old for old in (*present, version) if self.wants(old)][-2:]
        return [
            old
            for old in (*present, version)
            if old == version or old in regular or (self.keep and old % self.keep == 0)
        ]
