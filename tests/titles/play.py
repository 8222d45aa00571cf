"""Short hand for playing a game in a test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from services.rules.titles import new_game


class Table:
    """A game with players ``A``, ``B``, ``C`` ..., driven by terse calls; an int or a capital letter is a player."""

    def __init__(self, title: str, players: int = 3, *, seed: int = 1, options: Iterable[str] = ()) -> None:
        names = "ABCDEFGH"[:players]
        self.game = new_game(title, [(name, name) for name in names], seed=seed, options=options)
        self.names = set(names)

    def do(self, entity: str, kind: str, /, **fields: Any) -> Self:
        """Apply one action by an entity."""
        self.game.apply({"type": kind, "entity": entity, "entity_type": self.entity_type(entity, kind), **fields})
        return self

    def entity_type(self, entity: str, kind: str) -> str:
        if entity in self.names:
            return "player"
        if entity in self.game.state.corporations:
            return self.game.corporation(entity).entity_type
        return "company"

    def passes(self, *entities: str) -> Self:
        for entity in entities:
            self.do(entity, "pass")
        return self

    def cash(self) -> list[int]:
        """Cash of the players in seat order."""
        return [player.cash for player in self.game.state.players]

    def acting(self) -> list[int | str]:
        return self.game.acting_players()

    def step(self) -> str:
        step = self.game.rules.active_step(self.game)
        return "" if step is None else step.kind

    def price(self, sym: str) -> int:
        """Share price of a corporation."""
        cell = self.game.corporation(sym).price
        assert cell is not None
        return self.game.title.market.at(cell).price
