"""Starting, restarting and ending corporations (1862 1.6, 2.4, 6.2, 6.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import events, market, programs, shares, trading
from ...engine.board import tokens
from ...engine.market import MarketCell
from ...engine.money import spend
from ...engine.shares import Bundle
from ...engine.state import IPO, POOL, Cell, Company, Corporation, Player, Ref, Token
from ...engine.trains import remove_train
from .state import Corporation1862, Debt, as_1862, corporation_of, of
from .track import TrackRules1862

if TYPE_CHECKING:
    from ...engine.game import Game

CERTIFICATES = 8
CHARTERED_TOKENS = 3
TOKEN_PRICE, CHARTERED_TOKEN_PRICE = 40, 60
FINE = 5
"""Fine for a missed obligation, in par prices."""
PRESIDENT_SHARES = 3


def in_receivership(corporation: Corporation) -> bool:
    """Nobody leads it: its president certificate lies in the pool or with somebody who has too little."""
    return corporation.president == POOL


def own_place(corporation: Corporation) -> Ref:
    """Where a corporation keeps certificates of itself."""
    return IPO if corporation.capitalization == "incremental" else corporation.ref


def treasury_shares(corporation: Corporation) -> list[int]:
    """Certificates of itself that a corporation owns, in order of arrival."""
    return shares.held(corporation, own_place(corporation))


def effective_price(game: Game, corporation: Corporation) -> int:
    """Share price, half of it for a corporation without trains (1862 4.9)."""
    price = shares.share_price(game, corporation)
    return price if corporation.trains else price // 2


# --- who can be started --------------------------------------------------------------------------------------------


def offered(game: Game) -> list[str]:
    """Corporations on offer, in offer order (1862 1.6)."""
    return game.remember("1862 offered", lambda: _offered(game))


def _offered(game: Game) -> list[str]:
    state = of(game)
    if state.lner == "formed":
        return []
    return [
        sym for sym in state.offer if not state.corporations[sym].started and can_start(game, state.corporations[sym])
    ]


def may_be_started(game: Game) -> list[str]:
    """Corporations that may be started now: those on offer; in an imported game any that is not started (2.3)."""
    if game.live or of(game).lner == "formed":
        return offered(game)
    return [sym for sym in of(game).offer if not of(game).corporations[sym].started]


def can_start(game: Game, corporation: Corporation) -> bool:
    """Its phase has come and there is room for its home token, or can be made."""
    if not game.phase_reached(of(game).starts_in[corporation.sym]):
        return False
    if corporation.tokens[0].hex is not None or home_slot(game, corporation) is not None:
        return True
    return upgrade_would_help(game, corporation.home[0])


def home_slot(game: Game, corporation: Corporation) -> int | None:
    """The free slot of the home city, None if there is none or a token of its own stands there."""
    return tokens.slot_for(game.title.map, game.state, corporation.home[0], 0, corporation.sym)


def upgrade_would_help(game: Game, hex_id: str) -> bool:
    """Whether a tile could make room at home (1862 2.5).

    Recorded games count any tile of the next color, also one without a city; here it must have more slots.
    """
    old = game.title.map.tile_at(game.state, hex_id)
    if old.color == "yellow" and "green" not in game.colors:
        return False
    if old.color == "green" and (old.label != "N" or "brown" not in game.colors):
        return False
    if old.color not in ("white", "yellow", "green"):
        return False
    rules = game.title.track_rules
    assert isinstance(rules, TrackRules1862)
    closed = ~rules.passable_edges(game.state, hex_id)
    slots = old.cities[0].slots
    for candidate in rules.home_upgrades(hex_id, old):
        if candidate.exits & closed or not game.state.supply.get(candidate.name):
            continue
        cities = candidate.placed.cities
        if not game.live or (cities and cities[0].slots > slots):
            return True
    return False


# --- home ----------------------------------------------------------------------------------------------------------


def remove_marker(game: Game, corporation: Corporation) -> None:
    """The home marker gives way to the token."""
    icons = game.title.map.hex_state(game.state, corporation.home[0]).icons
    if corporation.sym in icons:
        icons.remove(corporation.sym)


def put_marker(game: Game, corporation: Corporation) -> None:
    icons = game.title.map.hex_state(game.state, corporation.home[0]).icons
    if not icons:
        icons.append(corporation.sym)


# --- starting ------------------------------------------------------------------------------------------------------


def chartered_cells(game: Game) -> list[MarketCell]:
    """Par prices of chartered corporations, which are also the scale of the refinancing par."""
    return [cell for cell in game.title.market.par_cells if "par" in cell.types]


def base_par(game: Game, price: int) -> Cell:
    """The highest chartered par price not above a price, else the lowest (1862 1.6, 4.9)."""
    cells = chartered_cells(game)
    return next((cell.cell for cell in cells if cell.price <= price), cells[-1].cell)


def found_unchartered(game: Game, corporation: Corporation1862) -> None:
    """It sells its own certificates and begins with two tokens (1862 2.3)."""
    corporation.capitalization = "incremental"
    corporation.tokens.pop()


def obligation_met(game: Game, corporation: Corporation1862) -> None:
    """A chartered corporation floats: the obligation ends and the tokens are paid (1862 2.2)."""
    return_obligation(game, game.company(corporation.sym))
    spend(game, corporation, None, CHARTERED_TOKENS * CHARTERED_TOKEN_PRICE)


def return_obligation(game: Game, company: Company) -> None:
    if company.owner is None:
        return
    owner = game.entity(company.owner)
    assert isinstance(owner, Player)
    owner.companies.remove(company.sym)
    company.owner = None


# --- restart and bankruptcy ----------------------------------------------------------------------------------------


def restart(game: Game, corporation: Corporation1862) -> None:
    """As before it was started; it may be started again (1862 6.3)."""
    market.remove(game.state, corporation)
    corporation.par = None
    corporation.started = corporation.floated = False
    corporation.president = None
    for train_id in list(corporation.trains):
        remove_train(game, train_id)
    for index, token in enumerate(corporation.tokens):
        if token.hex is not None:
            hex_id = tokens.lift(game.title.map, game.state, corporation.sym, index)
            game.emit(events.TokenRemoved(corporation.sym, hex_id))
    corporation.tokens = [Token(price=0) for _ in range(CHARTERED_TOKENS)]
    corporation.chartered = False
    corporation.permits = [of(game).first_permit[corporation.sym]]
    corporation.capitalization = "full"
    corporation.holdings = {IPO: list(range(CERTIFICATES))}
    put_marker(game, corporation)
    game.emit(events.CorporationClosed(corporation.sym))
    game.board_changed()


def bankrupt(game: Game, corporation: Corporation) -> None:
    """Players are paid out by the bank and the corporation starts anew (1862 6.2).

    Its trains leave the game; in imported games others could still buy them.
    """
    price = effective_price(game, corporation)
    for player, percent in shares.player_holders(game, corporation):
        spend(game, None, player, price * percent // 10)
    spend(game, corporation, None, corporation.cash)
    state = of(game)
    for train_id in corporation.trains:
        if not game.live:
            state.left_trains[train_id] = corporation.sym
        elif train_id in state.deferred_rust:
            state.deferred_rust.remove(train_id)
    restart(game, as_1862(corporation))
    if corporation.sym not in state.skip_turn:
        state.skip_turn.append(corporation.sym)
    if game.round.kind == "stock":
        for player in game.state.players:
            programs.remove(game, player, "")


def check_bankruptcy(game: Game, corporation: Corporation) -> None:
    """A price of 0 ends a corporation at once."""
    if corporation.price is not None and shares.share_price(game, corporation) == 0:
        bankrupt(game, corporation)


# --- missed obligations --------------------------------------------------------------------------------------------


def enforce_obligations(game: Game) -> None:
    """Fines at the end of a stock round; who cannot pay sells shares, if he has any to sell (1862 2.4)."""
    state = of(game)
    for player in game.players_in_order:
        owed = sum(_fine(game, player, corporation_of(game, sym)) for sym in list(player.companies))
        if owed and any(True for _ in forced_bundles(game, player)):
            state.forced_sales.append(Debt(player.id, owed))
    forgive(game)


def forgive(game: Game) -> None:
    """Debtors next in turn who have nothing to sell, perhaps since another's sale, owe no more."""
    debts = of(game).forced_sales
    while debts and (debts[0].amount == 0 or not forced_bundles(game, game.player(debts[0].player))):
        debts.pop(0)


def _fine(game: Game, player: Player, corporation: Corporation1862) -> int:
    """Fine one player for one corporation, which restarts; returns what he still owes."""
    par = shares.par_price(game, corporation)
    debt = FINE * par
    return_obligation(game, game.company(corporation.sym))
    paid = min(player.cash, debt)
    spend(game, player, None, paid)
    debt -= paid
    sizes = game.title.sizes[corporation.sym]
    unit = shares.unit(game, corporation)
    for size in sorted(sizes[index] for index in shares.held(corporation, player.ref)):
        if debt <= 0:
            break
        debt -= par // 2 * (size // unit)
    if debt < 0:
        spend(game, None, player, -debt)
    restart(game, corporation)
    return max(debt, 0)


def forced_bundles(game: Game, player: Player) -> list[Bundle]:
    """What a debtor may sell: any bundle the pool can take (1862 2.4)."""
    return [
        bundle
        for corporation in game.corporations
        if corporation.started and corporation.holdings.get(player.ref)
        for bundle in shares.offered_bundles(game, corporation, player.ref)
        if trading.refusal_of_bundle(game, bundle) is None
    ]


def sell(game: Game, player: Player, bundle: Bundle) -> None:
    """Sell a bundle: half price without a train, and perhaps the end of the corporation (1862 3.2, 3.5)."""
    corporation = game.corporation(bundle.corporation)
    shares.sell(game, player, bundle, per_share=effective_price(game, corporation))
    check_bankruptcy(game, corporation)


# --- the end of the railway mania ----------------------------------------------------------------------------------


def form_lner(game: Game) -> None:
    """The last cycle begins (1862 6.1)."""
    state = of(game)
    state.lner = "formed"
    everything = [sum(shares.percent(game, c, player.ref) for c in game.corporations) for player in state.players]
    state.cert_limit = max(everything) // 10
    for corporation in list(state.corporations.values()):
        if not corporation.started:
            remove_marker(game, corporation)
            corporation.in_play = False
            corporation.closed = True
        elif corporation.chartered:
            for index in list(shares.held(corporation, IPO)):
                shares.move_certificate(corporation, index, IPO, POOL)
