"""What bots prefer: leanings by type of action, and how good the position makes a move.

A :class:`Strategy` leans, an :class:`Insight` looks. Neither knows a title: insight asks the engine and the hooks of
the title, so that bots of any title build, run and pay out well enough to reach the late game.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from .engine import shares
from .engine.board.lays import trial_lay
from .engine.board.network import Network
from .engine.game import Game
from .engine.moves import Move, is_template
from .engine.routes.context import RunContext
from .engine.state import Corporation, Player

UNWANTED = 0.0005
"""Factor on a move that is only made for want of others."""
GROWTH = 3
"""Worth of a hex to build on, in money of the title."""


class Strategy(msgspec.Struct, frozen=True):
    """Leanings: factors on the weights of action types and on kinds of dividend ("" is any kind not named).

    ``trains`` is the number of trains after which a corporation buys no more without need, ``leads`` the number of
    corporations after which a player starts no more; ``cheap`` starts them at low prices, which rise faster.
    """

    factors: Mapping[str, float]
    dividends: Mapping[str, float] = {}
    trains: int = 9
    leads: int = 9
    cheap: bool = False

    def dividend(self, kind: str) -> float:
        return self.dividends.get(kind, self.dividends.get("", 1.0))


PAYS = {"withhold": 0.02, "half": 0.1, "payout": 1.0, "": 20.0}
"""Money goes to the shareholders, and a title's own way to lift the price is used."""
STRATEGIES: dict[str, Strategy] = {
    "trader": Strategy({"sell_shares": 3.0}),
    "investor": Strategy({"sell_shares": 0.02, "merge": 0.02, "pass": 0.5, "convert": 0.1}, PAYS, trains=2, leads=2),
    "tycoon": Strategy({"sell_shares": 0.01, "merge": 0.02, "pass": 0.5, "convert": 0.1}, PAYS, trains=3, leads=1),
    "speculator": Strategy(
        {"sell_shares": 0.01, "merge": 0.02, "pass": 0.5, "buy_shares": 2.0}, PAYS, trains=6, leads=1, cheap=True
    ),
    "engineer": Strategy({"sell_shares": 0.05, "merge": 0.1, "buy_train": 3.0}, trains=4),
    "merger": Strategy({"sell_shares": 0.05, "merge": 5.0, "pass": 0.5}, PAYS, trains=3, leads=2),
}


class Insight:
    """How good moves of a position are, as factors: 1 for a usual one, near 0 for a bad one."""

    def __init__(self, game: Game, strategy: Strategy) -> None:
        self.game = game
        self.strategy = strategy

    def appraise(self, move: Move) -> float:
        judge = getattr(self, f"_{move['type']}", None)
        return 1.0 if judge is None else float(judge(move))

    def _player(self, move: Move) -> Player | None:
        return self.game.player(move["entity"]) if move["entity_type"] == "player" else None

    # --- shares -----------------------------------------------------------------------------------------------------

    def _launch(self, player: Player, sym: str, par: int, spent: int = 0) -> bool:
        """Whether a player wants one more corporation and has the money until it floats."""
        if sum(1 for other in self.game.corporations if other.president == player.ref) >= self.strategy.leads:
            return False
        corporation, cash = self.game.corporation(sym), player.cash - spent
        needed = self.game.title.operating_data[sym].float_percent
        return cash * shares.unit(self.game, corporation) >= par * needed

    def _bid(self, move: Move) -> float:
        player, sym, price = self._player(move), move.get("corporation"), move["price"]
        if player is None or sym is None:
            return 1.0
        least = price["min"] if is_template(price) else price
        lowest = self.game.title.lowest_par(self.game.corporation(sym))
        return (1.0 if least < 30 else 0.2) if self._launch(player, sym, lowest, least) else UNWANTED

    def _par(self, move: Move) -> float:
        player, par = self._player(move), int(move["share_price"].split(",")[0])
        if player is None or not self._launch(player, move["corporation"], par):
            return UNWANTED
        return 50 / par if self.strategy.cheap else par / 100

    def _buy_shares(self, move: Move) -> float:
        player, sym = self._player(move), move["shares"][0].rpartition("_")[0]
        corporation = self.game.corporation(sym)
        if player is None:
            return 1.0
        if not corporation.floated:
            return 5.0 if corporation.president == player.ref else 1.0
        price = max(shares.share_price(self.game, corporation), 1)
        return 0.2 + min(corporation.last_run / price, 3.0)

    def _sell_shares(self, move: Move) -> float:
        player, sym = self._player(move), move["shares"][0].rpartition("_")[0]
        corporation = self.game.corporation(sym)
        if player is None:
            return 1.0
        return 0.1 if corporation.president == player.ref or corporation.last_run else 1.0

    def _merge(self, move: Move) -> float:
        """A partner is worth what the cheaper of the two is, so that mergers come late."""
        pair = [self.game.state.corporations.get(move.get(key) or "") for key in ("entity", "corporation")]
        prices = [shares.share_price(self.game, corporation) for corporation in pair if corporation is not None]
        return min(prices) / 100 if len(prices) == 2 else 1.0

    # --- track and trains -------------------------------------------------------------------------------------------

    def _lay_tile(self, move: Move) -> float:
        """What a lay adds to the stops its operator reaches."""
        operator = self.game.current
        if not isinstance(operator, Corporation):
            return 1.0
        tile = move["tile"]
        name = (tile["choices"][0] if is_template(tile) else tile).rpartition("-")[0]
        rules = self.game.title.track_rules
        before = self.game.remember(
            (Insight, operator.sym), lambda: self._reached(operator, self.game.network(operator))
        )
        with trial_lay(rules, self.game.state, move["hex"], name, move["rotation"]):
            after = self._reached(operator, self.game.fresh_network(operator))
        return 0.02 + max(after - before, 0) / 20

    def _reached(self, operator: Corporation, network: Network) -> int:
        """Value of the stops of a network, and a little for every hex it could grow to."""
        run = RunContext(self.game.title.map, self.game.state, operator.sym, self.game.title.route_rules)
        worth = sum(run.stop(*node).value for node in network.nodes)
        return worth + GROWTH * len(network.edges)

    def _buy_train(self, move: Move) -> float:
        """Trains the buyer may run, and no more than the strategy wants."""
        operator = self.game.current
        train = self.game.state.depot.trains.get(move["train"])
        if not isinstance(operator, Corporation) or train is None:
            return 1.0
        run = RunContext(self.game.title.map, self.game.state, operator.sym, self.game.title.route_rules)
        rules = self.game.title.route_rules
        trial = msgspec.structs.replace(train, name=move.get("variant") or train.name)
        if rules.cannot_run(run, trial) is not None:
            return UNWANTED
        depot = self.game.state.depot.trains
        owned = sum(1 for other in operator.trains if rules.cannot_run(run, depot[other]) is None)
        return 1.0 if owned < self.strategy.trains else UNWANTED
