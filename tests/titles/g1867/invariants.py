"""What holds in every position of 1867 and 1861, whatever was played."""

from __future__ import annotations

from collections import Counter

from services.rules.engine import shares
from services.rules.engine.game import Game
from services.rules.engine.state import DEPOT, POOL, Corporation, Player
from services.rules.titles.g1867.access import national_of, state_of, title_of


def check(game: Game) -> None:
    """Raise ``AssertionError`` where a position contradicts itself."""
    check_money(game)
    check_shares(game)
    check_trains(game)
    check_tokens(game)
    check_tiles(game)
    check_companies(game)
    check_flow(game)


def check_money(game: Game) -> None:
    """All money is somewhere; nobody but the bank is below zero; loans come out of a fixed stock."""
    state = state_of(game)
    purses: list[Player | Corporation] = [*state.players, *state.corporations.values()]
    assert all(purse.cash >= 0 for purse in purses)
    assert state.bank + sum(purse.cash for purse in purses) == 15000
    owed = sum(c.loans for c in state.corporations.values())
    assert state.loans_left >= 0
    assert state.loans_left + owed <= game.title.data.facts.parameters["loans"]


def check_shares(game: Game) -> None:
    """Every certificate of a company in play is in one place, its marker on the market, its president the largest."""
    markers = Counter(sym for there in game.state.market.values() for sym in there)
    for corporation in game.state.corporations.values():
        if corporation.kind == "national":
            continue
        held = [index for indexes in corporation.holdings.values() for index in indexes]
        count = 0 if corporation.closed else len(game.title.sizes[corporation.sym])
        assert sorted(held) == list(range(count)), corporation.sym
        assert markers[corporation.sym] == (corporation.price is not None) == corporation.started, corporation.sym
        if corporation.price is not None:
            row, column = corporation.price
            assert corporation.sym in game.state.market[f"{row},{column}"]
        if corporation.floated:
            check_holders(game, corporation)


def check_holders(game: Game, corporation: Corporation) -> None:
    players = {ref: shares.percent(game, corporation, ref) for ref in (p.ref for p in game.state.players)}
    pooled = shares.percent(game, corporation, POOL)
    assert pooled <= 50
    if corporation.president is None:
        merger = state_of(game).merger
        assert merger is not None and merger.major == corporation.sym and merger.open
    else:
        assert players[corporation.president] == max(players.values())
        assert 0 in corporation.holdings[corporation.president]
    if corporation.kind == "minor":
        assert sorted(players.values())[-2:] == [0, 100]
        return
    assert max(players.values()) <= title_of(game).max_ownership(game, corporation)


def check_trains(game: Game) -> None:
    """Every train has one owner, who is in business."""
    depot = game.state.depot
    places = Counter([*depot.upcoming, *depot.discarded])
    for corporation in game.state.corporations.values():
        places.update(corporation.trains)
        for train_id in corporation.trains:
            assert depot.trains[train_id].owner == corporation.sym
        in_business = corporation.in_play if corporation.kind != "national" else game.title.name == "1861"
        assert not corporation.trains or in_business
    assert set(places.values()) <= {1}
    assert set(places) == {train_id for train_id, train in depot.trains.items() if train.owner is not None}
    assert all(depot.trains[train_id].owner == DEPOT for train_id in depot.upcoming)
    assert all(depot.trains[train_id].owner == POOL for train_id in depot.discarded)


def check_tokens(game: Game) -> None:
    """Board and charters agree; no tile has two tokens of one company except while it reduces them."""
    board, charter = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for hex_id, on_hex in game.state.board.items():
        board.update((hex_id, sym) for city in on_hex.cities for sym in (*city.slots, *city.extra) if sym)
    for corporation in game.state.corporations.values():
        charter.update((token.hex, corporation.sym) for token in corporation.tokens if token.hex is not None)
    neutral = {key: count for key, count in board.items() if key[1].startswith("~")}
    assert board - Counter(neutral) == charter
    merger = state_of(game).merger
    reducing = merger.major if merger is not None and merger.reduce else None
    assert all(count == 1 or sym == reducing for (_, sym), count in charter.items())
    assert len(national_of(game).tokens) == 8


def check_tiles(game: Game) -> None:
    """Every counted tile lies on one hex or in the supply."""
    laid = Counter((on_hex.tile, on_hex.copy) for on_hex in game.state.board.values() if on_hex.tile is not None)
    assert not laid or max(laid.values()) == 1
    for name, data in game.title.data.tiles.items():
        if data.count is not None:
            copies = [*game.state.supply[name], *(copy for tile, copy in laid if tile == name)]
            assert sorted(copies) == list(range(data.count)), name


def check_companies(game: Game) -> None:
    """Companies and their owners agree."""
    owners: list[Player | Corporation] = [*game.state.players, *game.state.corporations.values()]
    listed = {sym: owner.ref for owner in owners for sym in owner.companies}
    assert sum(len(owner.companies) for owner in owners) == len(listed)
    assert listed == {sym: c.owner for sym, c in game.state.companies.items() if c.owner is not None and not c.closed}


def check_flow(game: Game) -> None:
    """Somebody is to act, has a legal move, and nothing of a finished round is left over."""
    state = state_of(game)
    if game.finished:
        return
    assert game.acting_players()
    assert (state.merger is not None) == (game.round.kind == "merger")
    assert state.bidding is None or game.round.kind in ("auction", "stock")
