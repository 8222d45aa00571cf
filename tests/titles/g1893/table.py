"""Games of 1893 to test rules on, and short ways to act in them."""

from __future__ import annotations

from typing import Any

from services.rules.engine import companies, market, trains
from services.rules.engine.board import lays
from services.rules.engine.game import Game
from services.rules.engine.moves import contains
from services.rules.engine.state import Company, Corporation, Player
from services.rules.titles import new_game
from services.rules.titles.g1893 import mergers
from services.rules.titles.g1893.access import state_of
from tests.titles import acting
from tests.titles.acting import describe

__all__ = ["Game", "describe", "state_of"]
PLAYERS = ("P1", "P2", "P3", "P4")
DRAFT = (("EKB", 210), ("KFBE", 200), ("KSZ", 100), ("KBE", 220), ("BKB", 180), ("EVA", 150), ("FdSD", 180))
"""A draft that leaves the HdSK over."""


def start(count: int = 2, options: tuple[str, ...] = (), mode: str = "live") -> Game:
    """A game of ``count`` players called P1, P2 ..."""
    return new_game("1893", [(name, name) for name in PLAYERS[:count]], seed=1, options=options, mode=mode)


def act(game: Game, entity: str, type_: str, /, **fields: Any) -> None:
    """Play an action, which has to be among the listed moves of a live game; imported games replay it."""
    action = describe(game, entity, type_, **fields)
    assert not game.live or contains(game.moves(), action), action
    acting.act(game, entity, type_, **fields)


def refused(game: Game, entity: str, type_: str, /, **fields: Any) -> str:
    """The code of the error an action meets; it is not listed and leaves the state as it was."""
    action = describe(game, entity, type_, **fields)
    assert not contains(game.moves(), action), action
    return acting.refused(game, entity, type_, **fields)


def bid(game: Game, player: str, card: str, price: int) -> None:
    act(game, player, "bid", company=card, price=price)


def par(game: Game, player: str, corporation: str, cell: str) -> None:
    act(game, player, "par", corporation=corporation, share_price=cell)


def buy(game: Game, player: str, share: str, percent: int = 10) -> None:
    act(game, player, "buy_shares", shares=[share], percent=percent)


def sell(game: Game, player: str, *shares: str, percent: int) -> None:
    act(game, player, "sell_shares", shares=list(shares), percent=percent)


def card(game: Game, player: str, sym: str, price: int) -> None:
    """Buy a company as a player."""
    act(game, player, "buy_company", company=sym, price=price)


def vote(game: Game, player: str, answer: str) -> None:
    act(game, player, "special_buy", description=answer, cost=0)


def train(game: Game, entity: str, train_id: str, price: int) -> None:
    """Buy a train; one from the depot is named with its variant."""
    new = game.state.depot.trains[train_id].owner == "depot"
    variant = {"variant": trains.rank(train_id)} if new else {}
    act(game, entity, "buy_train", train=train_id, price=price, **variant)


def lay(game: Game, entity: str, hex_id: str, tile: str, rotation: int) -> None:
    copy = min(game.state.supply[tile])
    act(game, entity, "lay_tile", hex=hex_id, tile=f"{tile}-{copy}", rotation=rotation)


def passes(game: Game, *entities: str) -> None:
    for entity in entities:
        act(game, entity, "pass")


def name_of(entity: Player | Corporation | Company) -> str:
    return entity.name if isinstance(entity, Player) else entity.sym


def turn(game: Game) -> str:
    """Who acts now."""
    return name_of(game.active_entities()[0])


def where(game: Game) -> str:
    """Who has to do what, e.g. ``P2:stock``."""
    step = game.rules.active_step(game)
    assert step is not None
    return f"{turn(game)}:{step.kind}"


def kinds(game: Game, entity: str | None = None) -> set[str]:
    """Types of the listed moves, of one entity if it is named."""
    return {move["type"] for move in game.moves() if entity is None or move["entity"] == entity}


def cash(game: Game) -> list[int]:
    return [player.cash for player in game.state.players]


def treasuries(game: Game, *syms: str) -> list[int]:
    return [game.corporation(sym).cash for sym in syms]


def holdings(game: Game, sym: str) -> dict[str, list[int]]:
    """Certificates of a corporation by holder."""
    return {ref.partition(":")[2] or ref: sorted(own) for ref, own in game.corporation(sym).holdings.items()}


def money(game: Game) -> int:
    """All money there is."""
    return game.state.bank + sum(cash(game)) + sum(c.cash for c in game.state.corporations.values())


def price(game: Game, sym: str) -> int:
    at = game.corporation(sym).price
    assert at is not None
    return game.title.market.at(at).price


def drafted(count: int = 2, options: tuple[str, ...] = (), mode: str = "live") -> Game:
    """A game in its first stock round: everything but the HdSK was bought in turn."""
    game = start(count, options, mode)
    for sym, value in DRAFT:
        if count > 2:
            game.player(turn(game)).cash += value
            game.state.bank -= value
            game.touch()
        bid(game, turn(game), sym, value)
    return game


def skip_stock_round(game: Game) -> None:
    """Everybody passes until the stock round is over."""
    while game.round.kind == "stock":
        act(game, turn(game), "pass")


def skip_operating_round(game: Game) -> None:
    """Everybody does as little as possible until the operating round is over."""
    label = game.round_label()
    while not game.finished and game.round_label() == label:
        do_little(game)


def give_money(game: Game, player: str, amount: int) -> None:
    """Set a player's cash, from the bank."""
    who = game.player(player)
    game.state.bank += who.cash - amount
    who.cash = amount
    game.touch()


def give_train(game: Game, sym: str, train_id: str) -> None:
    """Hand a train to a company without any effect of a purchase."""
    trains.give_train(game, train_id, game.corporation(sym))
    game.touch()


def hand_over(game: Game, sym: str, player: str) -> None:
    """Put a card into a player's hands, with its minor."""
    who = game.player(player)
    companies.acquire(game, game.company(sym), who)
    minor = game.state.corporations.get(sym)
    if minor is not None:
        minor.president = who.ref
        minor.floated = True
    game.touch()


def put_tile(game: Game, hex_id: str, tile: str, rotation: int) -> None:
    """Lay a tile whoever could, for nothing."""
    lays.lay(game.title.track_rules, game.state, hex_id, tile, rotation)
    game.board_changed()
    game.touch()


def set_phase(game: Game, name: str, first: str | None = None) -> None:
    """Let a phase have begun without its events; trains before rank ``first`` (or the phase's) are gone."""
    game.state.phase = [phase.name for phase in game.title.data.phases].index(name)
    depot = game.state.depot
    ranks = list(game.title.trains)
    for train_id in list(depot.upcoming):
        if ranks.index(trains.rank(train_id)) < ranks.index(first or name):
            trains.remove_train(game, train_id)
    game.touch()


def floated(options: tuple[str, ...] = ()) -> Game:
    """Two players; the DE has floated at 60 with P2 as its president, the HdSK belongs to P1; P2 acts next.

    P1 holds DE_1 and DE_3, P2 DE_0 and DE_2.
    """
    game = drafted(2, options)
    par(game, "P2", "DE", "60,5,1")
    buy(game, "P1", "DE_1")
    buy(game, "P2", "DE_2")
    buy(game, "P1", "DE_3")
    hand_over(game, "HdSK", "P1")
    return game


def line(game: Game) -> None:
    """Track from Düren (DE) over N3 to Brühl (KBE), on which both can run."""
    put_tile(game, "O2", "57", 1)
    put_tile(game, "N3", "8", 5)
    put_tile(game, "O4", "57", 2)


def turn_of(game: Game, sym: str, step: str = "") -> None:
    """Go on, doing as little as possible, until a company operates and this step waits (or any)."""
    for _ in range(500):
        waiting = game.rules.active_step(game)
        if game.round.kind == "operating" and turn(game) == sym and waiting is not None and step in ("", waiting.kind):
            return
        do_little(game)
    raise AssertionError(f"{sym} never came to {step}")


def do_little(game: Game) -> None:
    """One action that changes as little as possible."""
    moves = [move for move in game.moves() if move["entity"] == turn(game) and move["type"] != "bankrupt"]
    passing = [move for move in moves if move["type"] == "pass"]
    action = dict(passing[0] if passing else moves[-1])
    if action["type"] == "run_routes":
        action["routes"] = []
    game.apply(action)


def merger_round(game: Game, *on_sale: str, forced: tuple[str, ...] = ()) -> None:
    """Start a merger round before the first operating round, with shares of AGV or HGK on sale."""
    for sym in on_sale:
        mergers.put_on_sale(game, sym)
    for sym in forced:
        mergers.force(game, sym)
    state_of(game).next_operating = 1
    game.start_round("merger", 1)
    game._follow_up()


def president(game: Game, sym: str) -> str | None:
    """Who presides over a corporation."""
    ref = game.corporation(sym).president
    return None if ref is None else ref.partition(":")[2]


def hold(game: Game, sym: str, **holders: list[int]) -> None:
    """Deal the certificates of a corporation: ``P1=[0, 1], pool=[2]``; who has the first one presides."""
    corporation = game.corporation(sym)
    corporation.holdings = {
        name if name in ("pool", "ipo") else f"player:{name}": list(own) for name, own in holders.items()
    }
    corporation.president = next(ref for ref, own in corporation.holdings.items() if 0 in own)
    game.touch()


def at(game: Game, sym: str, row: int, column: int) -> None:
    """Put a price marker on a cell."""
    market.place(game.state, game.corporation(sym), (row, column))
    game.touch()


def to_stock_round(game: Game) -> None:
    """Go on, doing as little as possible, to the next stock round."""
    skip_stock_round(game)
    while game.round.kind != "stock":
        do_little(game)
