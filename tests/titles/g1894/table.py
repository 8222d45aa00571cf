"""Games of 1894 to test rules on: the beginning of the rules' example, and short ways to change a board."""

from __future__ import annotations

from typing import Any, Self

from services.rules.engine import companies, homes, market, shares
from services.rules.engine.board import lays
from services.rules.engine.errors import EngineError
from services.rules.engine.state import IPO, POOL, Company, Corporation
from services.rules.titles.g1894.state import State1894
from services.rules.titles.g1894.state import of as state_of
from tests.titles.play import Table

SEED = 17
"""Draws Est as French leader and leaves out SAC, as in the example."""
TOP = (0, 12)
"""The highest cell but the last."""


class Table1894(Table):
    """Players A, B, C, D sit in this order; seed 17 unless said otherwise."""

    def __init__(self, players: int = 4, *, seed: int = SEED, imported: bool = False) -> None:
        super().__init__("1894", players, seed=seed)
        if imported:
            self.game.state.mode = "imported"

    # --- acting -------------------------------------------------------------------------------------------------

    def refused(self, entity: str, kind: str, /, **fields: Any) -> str:
        """The code of the error an action meets; the state has to stay as it was."""
        before = self.game.encode()
        try:
            self.do(entity, kind, **fields)
        except EngineError as error:
            assert self.game.encode() == before
            return error.code
        raise AssertionError(f"{kind} by {entity} was accepted")

    def buy(self, player: str, *certificates: str) -> Self:
        for certificate in certificates:
            self.do(player, "buy_shares", shares=[certificate], percent=10)
        return self

    def sell(self, player: str, *certificates: str, percent: int | None = None) -> Self:
        self.do(player, "sell_shares", shares=list(certificates), percent=percent or 10 * len(certificates))
        return self

    def lay(self, entity: str, hex_id: str, tile: str, rotation: int) -> Self:
        self.do(entity, "lay_tile", hex=hex_id, tile=tile, rotation=rotation)
        return self

    def run(self, sym: str, *routes: tuple[str, list[list[str]]]) -> int:
        """Run trains and return the revenue."""
        self.do(sym, "run_routes", routes=[{"train": train, "connections": stops} for train, stops in routes])
        return sum(route.revenue for route in self.game.round.turn.routes)

    def offered(self, kind: str, entity: str | None = None) -> list[dict[str, Any]]:
        """Legal moves of a kind."""
        return [m for m in self.game.moves() if m["type"] == kind and entity in (None, m["entity"])]

    def pass_until(self, step: str, entity: str | None = None) -> Self:
        """Pass (or withhold, or run nothing) until a step asks, of a certain entity if one is named."""
        for _ in range(60):
            waiting = self.game.active_entities()[0]
            name = waiting.sym if isinstance(waiting, Corporation | Company) else str(waiting.id)
            if self.step() == step and entity in (None, name):
                return self
            if self.step() == "route":
                self.do(name, "run_routes", routes=[])
            elif self.step() == "dividend":
                self.do(name, "dividend", kind="withhold")
            else:
                self.do(name, "pass")
        raise AssertionError(f"{step} of {entity} was not reached")

    # --- looking ------------------------------------------------------------------------------------------------

    @property
    def state(self) -> State1894:
        return state_of(self.game)

    def treasury(self, sym: str) -> int:
        return self.game.corporation(sym).cash

    def trains(self, sym: str) -> list[str]:
        """Names of a corporation's trains."""
        return [self.game.state.depot.trains[train].name for train in self.game.corporation(sym).trains]

    def cities(self, hex_id: str) -> list[list[str | None]]:
        """Slots of the cities of a hex."""
        return [city.slots for city in self.state.board[hex_id].cities]

    def reserved(self, hex_id: str) -> list[list[str | None]]:
        """Reservations of the cities of a hex, and of the whole hex."""
        on_hex = self.state.board[hex_id]
        return [*(city.reserved for city in on_hex.cities), [*on_hex.reserved]]

    def active(self) -> str:
        """Who has to do what, as ``Belge:track``."""
        waiting = self.game.active_entities()[0]
        name = waiting.sym if isinstance(waiting, Corporation | Company) else waiting.id
        return f"{name}:{self.step()}"

    # --- arranging a position -----------------------------------------------------------------------------------

    def touch(self) -> Self:
        self.game.board_changed()
        self.game.touch()
        return self

    def tile(self, hex_id: str, tile: str, rotation: int) -> Self:
        """Put a tile on a hex, whoever may."""
        lays.lay(self.game.title.track_rules, self.state, hex_id, tile, rotation)
        return self.touch()

    def token(self, sym: str, hex_id: str, city: int = 0) -> Self:
        """Put the next token of a corporation into a city."""
        corporation = self.game.corporation(sym)
        index = next(i for i, token in enumerate(corporation.tokens) if token.hex is None)
        slots = self.state.board[hex_id].cities[city].slots
        homes.put(self.game, corporation, index, hex_id, city, slots.index(None))
        return self.touch()

    def phase(self, name: str) -> Self:
        """Start a phase without its trains."""
        names = [phase.name for phase in self.game.title.data.phases]
        self.state.phase = names.index(name)
        if name in names[3:]:
            for sym in ("LF", "LB"):
                self.game.corporation(sym).in_play = True
        return self.touch()

    def own(self, owner: str, company: str) -> Self:
        """Hand a private company to a player or corporation."""
        entity = self.game.entity(f"{self.entity_type(owner, '')}:{owner}")
        assert not isinstance(entity, Company)
        companies.acquire(self.game, self.game.company(company), entity)
        return self.touch()

    def give_train(self, sym: str, name: str) -> str:
        """Hand a train of the depot over without any effect; returns its id."""
        depot = self.state.depot
        train = next(t for t in depot.upcoming if depot.trains[t].name == name)
        if name != "D":
            depot.upcoming.remove(train)
        depot.trains[train].owner = sym
        self.game.corporation(sym).trains.append(train)
        self.touch()
        return train

    def give_shares(self, player: str, sym: str, *indexes: int) -> Self:
        """Hand certificates over without money."""
        for index in indexes:
            corporation = self.game.corporation(sym)
            shares.give(self.game, corporation, index, f"player:{player}", "test")
        return self.touch()

    def start_corporation(self, sym: str, player: str, cell: tuple[int, int] = (7, 5)) -> Self:
        """Let a player start a corporation and float it with 60 %."""
        corporation = self.game.corporation(sym)
        shares.set_par(self.game, corporation, cell, f"player:{player}")
        unsold = corporation.holdings[IPO]
        return self.give_shares(player, sym, *list(unsold)[:5])

    def pool(self, sym: str, *indexes: int) -> Self:
        """Put unsold certificates into the pool."""
        corporation = self.game.corporation(sym)
        for index in indexes:
            shares.move_certificate(corporation, index, IPO, POOL)
        return self.touch()

    def price_at(self, sym: str, cell: tuple[int, int]) -> Self:
        """Put a marker on a cell."""
        market.place(self.state, self.game.corporation(sym), cell)
        return self.touch()

    def operate(self, sym: str, number: int = 1) -> Self:
        """Begin an operating round in which a corporation is first: its marker stands highest."""
        for corporation in self.state.corporations.values():
            if corporation.price == TOP:
                self.price_at(corporation.sym, (6, 6))
        self.price_at(sym, TOP)
        self.game.start_round("operating", number)
        self.touch()
        assert self.game.operator.sym == sym
        return self


def auctioned() -> Table1894:
    """The auction of the rules' example: A takes Belge, B Est; everything is sold at face value."""
    table = Table1894()
    for player, company, price in (
        ("A", "", 0),
        ("B", "LRC", 20),
        ("C", "AR", 25),
        ("D", "GLG", 50),
        ("A", "", 0),
        ("B", "SQG", 70),
        ("C", "LS", 90),
        ("D", "NMinorS", 140),
        ("A", "", 0),
        ("B", "EMS", 180),
    ):
        if company:
            table.do(player, "bid", company=company, price=price)
        else:
            table.passes(player)
    table.do("B", "par", corporation="Est", share_price="100,3,5").passes("C", "D")
    table.do("A", "bid", company="BMS", price=200)
    table.do("A", "par", corporation="Belge", share_price="100,3,5")
    return table


def operating() -> Table1894:
    """The example up to its first operating round, where Est is to buy trains."""
    table = auctioned().buy("B", "Est_1")
    table.do("C", "par", corporation="Nord", share_price="67,7,5")
    table.passes("D").do("A", "buy_shares", shares=["Belge_1"], percent=10)
    table.passes("B")
    for certificate in ("Nord_1", "Nord_2", "Nord_3"):
        table.do("C", "buy_shares", shares=[certificate], percent=10).passes("D", "A", "B")
    return table
