"""The switches by which titles differ (core section 19): one small class a subject, with the base values.

A title subclasses what it changes and names its instances in ``Title``. Policies hold no state.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the switch sets: immutable values."""


class StockRules(Policy, frozen=True):
    """Buying and selling certificates (core 11, 12)."""

    sell_buy_order: Literal["sell_buy_sell", "sell_buy", "sell_buy_or_buy_sell"] = "sell_buy_sell"
    sell_after: Literal["first", "operate", "round", "any_time"] = "first"
    sell_movement: Literal["down_share", "down_block", "down_block_pres", "none"] = "down_share"
    pool_limit: int = 50
    """Most percent of a corporation the bank pool may hold after a sale."""
    no_limit_types: tuple[str, ...] = ("multiple_buy", "unlimited", "no_cert_limit")
    """Cell types whose corporations do not count for the certificate limit."""
    no_holding_limit_types: tuple[str, ...] = ("multiple_buy", "unlimited")
    multiple_buy_types: tuple[str, ...] = ("multiple_buy",)
    multiple_buy_only_from_pool: bool = False
    privates_count: bool = True
    must_sell_in_blocks: bool = False
    president_may_dump_to_pool: bool = False
    """A president may sell out although nobody can follow: the corporation is then in receivership (core 11.5)."""
    sold_out_increase: bool = True
    next_order: Literal["after_last_to_act", "first_to_pass"] = "after_last_to_act"
    companies_between_players: bool = True


class AuctionRules(Policy, frozen=True):
    """The initial auction (core 17)."""

    increment: int = 5
    multiples_only: bool = False


class TileLay(Policy, frozen=True):
    """One entry of the allowance (core 6.1)."""

    lay: bool = True
    upgrade: bool | Literal["not_if_upgraded"] = True
    cost: int = 0
    cannot_reuse_same_hex: bool = False
    lay_not_if_upgraded: bool = False


class TrackAllowance(Policy, frozen=True):
    """Tile lays a turn and how homes and reservations behave (core 6.1, 8)."""

    tile_lays: tuple[TileLay, ...] = (TileLay(),)
    home_token_timing: Literal["operate", "par", "float", "operating_round"] = "operate"
    tile_reservation_blocks: Literal["never", "always"] = "never"


class TrainRules(Policy, frozen=True):
    """Buying trains and paying for compulsory ones (core 14, 15)."""

    must_buy: Literal["never", "route", "always"] = "route"
    buy_from_others_in_emergency: Literal["never", "value", "always"] = "value"
    cheapest_only: bool = True
    emergency_changes_presidency: bool = True
    discarded: Literal["discard", "remove"] = "discard"
    """Where discarded and traded-in trains go: the train pool, or out of the game."""
    trade_in_once: bool = False
    """Only one trade-in a turn."""


class EndRules(Policy, frozen=True):
    """End triggers with their timing (core 18). ``priority`` lists timings, the earliest first."""

    triggers: tuple[tuple[str, str], ...] = (("bankrupt", "immediate"), ("bank", "full_or"))
    """(reason, timing) pairs."""
    priority: tuple[str, ...] = ("immediate", "current_round", "current_or", "full_or", "one_more_full_or_set")
