"""Short hand for games of 1867 and 1861."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from services.rules.engine import market, shares
from services.rules.engine.board import tokens
from services.rules.engine.errors import EngineError
from services.rules.engine.state import Corporation, Player
from services.rules.engine.trains import give_train, remove_train
from services.rules.titles.g1867.access import state_of
from services.rules.titles.g1867.state import State1867
from tests.titles.play import Table


class Canada(Table):
    """A game with terse calls for what companies do."""

    def __init__(self, players: int = 4, *, title: str = "1867", seed: int = 1, options: Iterable[str] = ()) -> None:
        super().__init__(title, players, seed=seed, options=options)

    def do(self, entity: str, kind: str, /, **fields: Any) -> Canada:
        self.game.touch()  # tests also change the state by hand
        super().do(entity, kind, **fields)
        return self

    def acting(self) -> list[int | str]:
        self.game.touch()
        return super().acting()

    @property
    def state(self) -> State1867:
        return state_of(self.game)

    def player(self, name: str) -> Player:
        return self.game.player(name)

    def company(self, sym: str) -> Corporation:
        return self.game.corporation(sym)

    # --- actions

    def bid(self, player: str, item: str, price: int) -> Canada:
        kind = "company" if item in self.game.state.companies else "corporation"
        self.do(player, "bid", price=price, **{kind: item})
        return self

    def home(self, sym: str, city: str) -> Canada:
        self.do(sym, "place_token", city=city, slot=0)
        return self

    def lay(self, sym: str, hex_id: str, tile: str, rotation: int) -> Canada:
        self.do(sym, "lay_tile", hex=hex_id, tile=tile, rotation=rotation)
        return self

    def train(self, sym: str, train: str, price: int) -> Canada:
        self.do(sym, "buy_train", train=train, price=price)
        return self

    def run(self, sym: str, routes: Mapping[str, Sequence[str]]) -> Canada:
        """``routes``: train to its connections, each hexes joined by ``-``."""
        given = [
            {"train": train, "connections": [link.split("-") for link in links]} for train, links in routes.items()
        ]
        self.do(sym, "run_routes", routes=given)
        return self

    def buy(self, player: str, share: str) -> Canada:
        self.do(player, "buy_shares", shares=[share], percent=10)
        return self

    def merge(self, sym: str, other: str) -> Canada:
        self.do(sym, "merge", corporation=other)
        return self

    # --- set-up

    def sell_companies(self) -> Canada:
        """The first players in turn take every private company at its lowest price."""
        while self.step() == "auction":
            move = next(m for m in self.game.moves() if m["type"] == "bid")
            self.bid(move["entity"], move["company"], move["price"]["min"])
            while self.state.bidding is not None and self.state.bidding.item == move["company"]:
                self.do(str(self.acting()[0]), "pass")
        return self

    def pass_stock_round(self) -> Canada:
        while self.game.round.kind == "stock":
            self.passes(str(self.acting()[0]))
        return self

    def at_price(self, sym: str, price: int) -> Canada:
        """Move a marker to a price of the column."""
        cell = next(c for c in self.game.title.market.cells.values() if c.price == price)
        market.place(self.game.state, self.company(sym), cell.cell)
        return self

    def give(self, sym: str, train: str) -> Canada:
        """Hand a train to a company."""
        give_train(self.game, train, self.company(sym))
        return self

    def next_train(self, rank: str) -> Canada:
        """Trains before a rank leave the depot."""
        for train in list(self.game.state.depot.upcoming):
            if train.rpartition("-")[0] == rank:
                break
            remove_train(self.game, train)
        return self

    def no_train(self, sym: str) -> Canada:
        for train in list(self.company(sym).trains):
            remove_train(self.game, train)
        return self

    def token(self, sym: str, hex_id: str, city: int = 0) -> Canada:
        """Put the first unused token of a company on the map."""
        company = self.company(sym)
        index = next(i for i, token in enumerate(company.tokens) if token.hex is None)
        slot = tokens.slot_for(self.game.title.map, self.game.state, hex_id, city, sym)
        assert slot is not None
        tokens.place(self.game.title.map, self.game.state, sym, index, hex_id, city, slot)
        self.game.board_changed()
        return self

    def refused(self, code: str, entity: str, kind: str, /, **fields: Any) -> Canada:
        """An action is rejected with this code and leaves the state as it was."""
        self.game.touch()
        before = self.game.encode()
        with pytest.raises(EngineError) as caught:
            self.do(entity, kind, **fields)
        assert caught.value.code == code, caught.value.code
        assert self.game.encode() == before
        return self

    # --- looking

    def on_map(self, sym: str) -> list[str | None]:
        return [token.hex for token in self.company(sym).tokens]

    def of(self, sym: str) -> tuple[int, int, list[str]]:
        """Treasury, share price and trains."""
        company = self.company(sym)
        return company.cash, self.price(sym), [train.rpartition("-")[0] for train in company.trains]


def start_minor(table: Canada, sym: str, owner: str, price: int, hex_id: str, city: int = 0) -> Canada:
    """A minor in operation, without going through its auction."""
    minor = table.company(sym)
    minor.in_play = True
    cell = next(c for c in table.game.title.market.cells.values() if c.price == price)
    shares.set_par(table.game, minor, cell.cell, f"player:{owner}")
    shares.give(table.game, minor, 0, f"player:{owner}", "test")
    minor.operated = True
    return table.token(sym, hex_id, city)


def start_major(table: Canada, sym: str, owner: str, price: int = 100) -> Canada:
    """A major in operation, led by a player with 20 %."""
    major = table.company(sym)
    major.in_play = True
    cell = next(c for c in table.game.title.market.cells.values() if c.price == price)
    shares.set_par(table.game, major, cell.cell, f"player:{owner}")
    shares.give(table.game, major, 0, f"player:{owner}", "test")
    major.operated = True
    return table
