"""Loans: taken when a payment needs them, repaid as soon as there is money (1867 4.7)."""

from __future__ import annotations

from ...engine import events
from ...engine.errors import IllegalAction
from ...engine.game import Game
from ...engine.money import spend
from ...engine.state import Corporation
from .access import state_of, title_of

FACE = 50
PAID = 45
"""What a corporation receives: the first interest is kept back."""
INTEREST = 5


def open_loans(game: Game, corporation: Corporation) -> int:
    """Loans it may still take; negative when mergers brought it more than its maximum (1867 9, 26)."""
    return min(title_of(game).loan_limit(corporation) - corporation.loans, state_of(game).loans_left)


def full(game: Game, corporation: Corporation) -> int:
    """What it could pay if it borrowed to the limit."""
    return corporation.cash + PAID * open_loans(game, corporation)


def take(game: Game, corporation: Corporation) -> None:
    """Take one loan; the caller has made sure that it may."""
    corporation.loans += 1
    state_of(game).loans_left -= 1
    spend(game, None, corporation, PAID)
    game.emit(events.LoanTaken(corporation.sym, PAID))


def raise_cash(game: Game, corporation: Corporation, amount: int) -> None:
    """Take loans, one at a time, until ``amount`` can be paid; raises :class:`IllegalAction` when they do not reach."""
    if corporation.cash >= amount:
        return
    if full(game, corporation) < amount:
        raise IllegalAction(
            "insufficient_funds",
            f"{corporation.sym} can raise {game.money(max(full(game, corporation), corporation.cash))}, "
            f"not {game.money(amount)}.",
            amount=amount,
        )
    while corporation.cash < amount:
        take(game, corporation)


def repay(game: Game, corporation: Corporation) -> None:
    """Repay as many loans as its cash allows."""
    while corporation.loans and corporation.cash >= FACE:
        spend(game, corporation, None, FACE)
        corporation.loans -= 1
        state_of(game).loans_left += 1
        game.emit(events.LoanRepaid(corporation.sym, FACE))


def set_interest(game: Game) -> None:
    """At the start of an operating round: what everybody will owe in it."""
    everybody = [*game.corporations, game.corporation(title_of(game).national)]
    state_of(game).interest_due = {c.sym: c.loans for c in everybody if c.loans}


def note_interest(game: Game, corporation: Corporation) -> None:
    """After its loan step: the loans it has left."""
    due = state_of(game).interest_due
    if corporation.loans:
        due[corporation.sym] = corporation.loans
    else:
        due.pop(corporation.sym, None)


def pay_interest(game: Game, corporation: Corporation) -> bool:
    """Pay the interest of this round, borrowing for it if need be; False if it cannot be paid."""
    owed = INTEREST * state_of(game).interest_due.get(corporation.sym, 0)
    while owed > corporation.cash and open_loans(game, corporation) > 0:
        take(game, corporation)
    if owed > corporation.cash:
        return False
    spend(game, corporation, None, owed)
    return True
