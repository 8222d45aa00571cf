"""Moving money (core section 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import events
from .errors import IllegalAction
from .state import BANK, Corporation, Player

if TYPE_CHECKING:
    from .game import Game

Purse = Player | Corporation | None
"""Who holds money; None is the bank."""


def name_of(purse: Purse) -> str:
    """A purse in a sentence."""
    if purse is None:
        return "The bank"
    return purse.name if isinstance(purse, Player) else purse.sym


def ref_of(purse: Purse) -> str:
    return BANK if purse is None else purse.ref


def shortage(game: Game, payer: Purse, amount: int) -> IllegalAction | None:
    """Why ``payer`` cannot pay ``amount`` (``insufficient_funds``), or None; the bank always can."""
    if payer is None or payer.cash >= amount:
        return None
    return IllegalAction(
        "insufficient_funds",
        f"{name_of(payer)} has {game.money(payer.cash)} and cannot pay {game.money(amount)}.",
        cash=payer.cash,
        amount=amount,
    )


def require_funds(game: Game, payer: Purse, amount: int) -> None:
    """Raise :class:`IllegalAction` (``insufficient_funds``) when the payer is short."""
    short = shortage(game, payer, amount)
    if short is not None:
        raise short


def spend(game: Game, payer: Purse, receiver: Purse, amount: int) -> None:
    """Move ``amount`` (0: nothing happens). The bank always pays and may break; others must have the money.

    Raises :class:`IllegalAction` (``insufficient_funds``) when the payer is short.
    """
    if amount == 0:
        return
    if amount < 0:
        raise IllegalAction("negative_amount", "An amount of money cannot be negative.", amount=amount)
    if payer is receiver:
        raise IllegalAction("pays_itself", f"{name_of(payer)} cannot pay itself.")
    state = game.state
    require_funds(game, payer, amount)
    if payer is None:
        state.bank -= amount
        if state.bank < 0 and not state.bank_broken and game.title.bank_can_break:
            state.bank_broken = True
            game.emit(events.BankBroken())
    else:
        payer.cash -= amount
    if receiver is None:
        state.bank += amount
    else:
        receiver.cash += amount
