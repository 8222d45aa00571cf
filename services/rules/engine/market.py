"""The stock market: its cells, the moves between them and the markers standing on them (core section 12)."""

from __future__ import annotations

from collections.abc import Callable

from .data import MarketData, TitleDataError
from .state import Cell, Corporation, GameState


class MarketCell:
    """A price cell; only the first of its ``types`` drives behavior."""

    __slots__ = ("cell", "price", "types")

    def __init__(self, cell: Cell, text: str) -> None:
        price, _, types = text.partition(" ")
        if not price.isdigit():
            raise TitleDataError(f"market.toml: cell {text!r} does not start with a price")
        self.cell = cell
        self.price = int(price)
        self.types = tuple(types.split(",")) if types else ()

    @property
    def type(self) -> str:
        return self.types[0] if self.types else ""

    @property
    def id(self) -> str:
        """Id used by actions: ``price,row,column``."""
        return f"{self.price},{self.cell[0]},{self.cell[1]}"

    @property
    def is_par(self) -> bool:
        return any(t.startswith("par") for t in self.types)


class Market:
    """Static chart of a title. Moves are functions from cell to cell; the state holds who stands where."""

    def __init__(self, data: MarketData) -> None:
        self.kind = data.kind
        self.rows = [
            [MarketCell((r, c), text) if text else None for c, text in enumerate(row)]
            for r, row in enumerate(data.rows)
        ]
        cells = [cell for row in self.rows for cell in row if cell]
        self.cells = {cell.cell: cell for cell in cells}
        by_value = sorted(cells, key=lambda c: (-c.price, -c.cell[1], -c.cell[0]))
        self.par_cells = [cell for cell in by_value if cell.is_par]

    def at(self, cell: Cell) -> MarketCell:
        return self.cells[cell]

    def find(self, row: int, column: int) -> MarketCell | None:
        if row < 0 or column < 0 or row >= len(self.rows) or column >= len(self.rows[row]):
            return None
        return self.rows[row][column]

    def right(self, cell: Cell) -> Cell:
        """One step right: up at the end of a grid row, up to the last cell otherwise."""
        r, c = cell
        if self.kind == "zigzag":
            return (0, min(c + 2, len(self.rows[0]) - 1))
        if self.kind == "column":
            return (0, min(c + 1, len(self.rows[0]) - 1))
        if c + 1 >= len(self.rows[r]):
            return self.up(cell)
        return self._if_there(cell, (r, c + 1))

    def left(self, cell: Cell) -> Cell:
        """One step left: down at the start of a grid row."""
        r, c = cell
        if self.kind != "grid":
            return (0, max(c - (2 if self.kind == "zigzag" else 1), 0))
        if c > 0 and self.find(r, c - 1) is not None:
            return (r, c - 1)
        return self.down(cell)

    def up(self, cell: Cell) -> Cell:
        """One row up (one cell right off the grid); stays at the top."""
        r, c = cell
        if self.kind != "grid":
            return (0, min(c + 1, len(self.rows[0]) - 1))
        return self._if_there(cell, (r - 1, c))

    def down(self, cell: Cell) -> Cell:
        """One row down (one cell left off the grid); stays where there is no cell below."""
        r, c = cell
        if self.kind != "grid":
            return (0, max(c - 1, 0))
        return self._if_there(cell, (r + 1, c))

    def _if_there(self, here: Cell, there: Cell) -> Cell:
        return there if self.find(*there) is not None else here


Move = Callable[[Cell], Cell]


def key(cell: Cell) -> str:
    """Key of a cell in ``GameState.market``."""
    return f"{cell[0]},{cell[1]}"


def place(state: GameState, corporation: Corporation, cell: Cell) -> None:
    """Put a marker on a cell, behind those already there; it leaves its old cell. Staying keeps its place."""
    if corporation.price == cell:
        return
    remove(state, corporation)
    corporation.price = cell
    state.market.setdefault(key(cell), []).append(corporation.sym)


def remove(state: GameState, corporation: Corporation) -> None:
    """Take a marker off the market."""
    if corporation.price is None:
        return
    there = state.market[key(corporation.price)]
    there.remove(corporation.sym)
    if not there:
        del state.market[key(corporation.price)]
    corporation.price = None
