"""What a run pays to whom, and how the price moves (core section 10)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from . import events, shares
from .money import spend
from .state import IPO, POOL, Corporation, Player, Ref

if TYPE_CHECKING:
    from .game import Game


class Option(msgspec.Struct, frozen=True):
    """One kind of dividend: ``kept`` goes to the treasury, ``per_share`` to each share; ``moves`` are price steps.

    ``extra`` is treasury money added to what is distributed.
    """

    kind: str
    kept: int
    per_share: Fraction
    moves: tuple[tuple[str, int], ...]
    extra: int = 0


def base_option(game: Game, corporation: Corporation, kind: str, revenue: int) -> Option:
    """Amounts and price moves of the base kinds."""
    total = shares.total_shares(game, corporation)
    kept = {"payout": 0, "withhold": revenue}.get(kind, revenue // 2 // total * total)
    paid = revenue - kept
    return Option(kind, kept, Fraction(paid, total), game.title.dividend_moves(game, corporation, kind, paid))


def payouts(game: Game, corporation: Corporation, option: Option) -> list[tuple[Player | Corporation, int]]:
    """Who receives how much, rounded up a holder (core 10.1)."""
    if not option.per_share:
        return []
    result: list[tuple[Player | Corporation, int]] = []
    size = shares.unit(game, corporation)
    for player, owned in shares.player_holders(game, corporation):
        result.append((player, _amount(option.per_share, owned, size)))
    own = sum(
        shares.percent(game, corporation, holder) for holder in game.title.own_dividend_sources(game, corporation)
    )
    if own:
        result.append((corporation, _amount(option.per_share, own, size)))
    return result


def _amount(per_share: Fraction, percent: int, size: int) -> int:
    exact = per_share * percent / size
    return -(-exact.numerator // exact.denominator)


def own_sources(corporation: Corporation) -> tuple[Ref, ...]:
    """Where a corporation's own dividend-paying certificates lie: the pool (full), its treasury (incremental)."""
    if corporation.capitalization == "full":
        return (POOL, corporation.ref)
    return (IPO, corporation.ref)


def pay(game: Game, corporation: Corporation, option: Option, subsidy: int) -> None:
    """Treasury part, then shares (core 10.2.6-7)."""
    spend(game, None, corporation, option.kept + subsidy)
    for holder, amount in payouts(game, corporation, option):
        if amount:
            spend(game, None, holder, amount)
            game.emit(events.PayoutReceived(corporation.sym, holder.ref, amount))
