"""What happened when an action was applied: typed events with ids and amounts.

The log a person reads, charts and "since your last turn" are made from these. Every event has a ``kind`` tag; refs are
those of ``engine.state``.
"""

from __future__ import annotations

import msgspec

from .state import Ref


class Event(msgspec.Struct, tag_field="kind", omit_defaults=True):
    """Base of all events."""


class BidPlaced(Event, tag="bid_placed"):
    player: Ref
    item: str
    price: int


class BidWithdrawn(Event, tag="bid_withdrawn"):
    player: Ref
    item: str


class Passed(Event, tag="passed"):
    entity: Ref
    step: str


class Skipped(Event, tag="skipped"):
    """A step ended by itself because nothing was legal."""

    entity: Ref
    step: str


class DiscountRaised(Event, tag="discount_raised"):
    item: str
    price: int


class CompanyBought(Event, tag="company_bought"):
    buyer: Ref
    company: str
    price: int
    seller: Ref = "bank"


class CompanySold(Event, tag="company_sold"):
    """A company went back to the bank."""

    seller: Ref
    company: str
    price: int


class CompanyClosed(Event, tag="company_closed"):
    company: str


class CompanyRevenuePaid(Event, tag="company_revenue_paid"):
    company: str
    owner: Ref
    amount: int


class CompanyRevenueChanged(Event, tag="company_revenue_changed"):
    company: str
    revenue: int


class CorporationParred(Event, tag="corporation_parred"):
    corporation: str
    player: Ref
    price: int


class SharesBought(Event, tag="shares_bought"):
    buyer: Ref
    corporation: str
    shares: list[str]
    percent: int
    price: int
    seller: Ref


class SharesSold(Event, tag="shares_sold"):
    seller: Ref
    corporation: str
    percent: int
    price: int


class SharesGiven(Event, tag="shares_given"):
    """Certificates that changed hands without money (grants, exchanges)."""

    receiver: Ref
    corporation: str
    shares: list[str]
    reason: str


class CorporationFloated(Event, tag="corporation_floated"):
    corporation: str
    capital: int


class PresidentChanged(Event, tag="president_changed"):
    corporation: str
    president: Ref | None


class PriceMoved(Event, tag="price_moved"):
    corporation: str
    old: int
    new: int


class TileLaid(Event, tag="tile_laid"):
    entity: Ref
    hex: str
    tile: str
    rotation: int
    cost: int


class TokenPlaced(Event, tag="token_placed"):
    corporation: str
    hex: str
    city: int
    cost: int


class TokenRemoved(Event, tag="token_removed"):
    corporation: str
    hex: str


class RoutesRun(Event, tag="routes_run"):
    corporation: str
    revenue: int
    subsidy: int
    routes: list[str]


class DividendPaid(Event, tag="dividend_paid"):
    corporation: str
    dividend: str
    revenue: int
    kept: int
    per_share: float


class PayoutReceived(Event, tag="payout_received"):
    corporation: str
    receiver: Ref
    amount: int


class TrainBought(Event, tag="train_bought"):
    buyer: str
    train: str
    name: str
    price: int
    seller: str
    exchanged: str | None = None


class TrainRusted(Event, tag="train_rusted"):
    train: str
    owner: str | None


class TrainObsolete(Event, tag="train_obsolete"):
    train: str
    owner: str | None


class TrainDiscarded(Event, tag="train_discarded"):
    corporation: str
    train: str


class TrainExported(Event, tag="train_exported"):
    train: str


class PhaseChanged(Event, tag="phase_changed"):
    phase: str


class Contributed(Event, tag="contributed"):
    """A president's own money for a compulsory train."""

    player: Ref
    corporation: str
    amount: int


class LoanTaken(Event, tag="loan_taken"):
    corporation: str
    amount: int


class LoanRepaid(Event, tag="loan_repaid"):
    corporation: str
    amount: int


class RoundStarted(Event, tag="round_started"):
    round: str


class PlayerBankrupt(Event, tag="player_bankrupt"):
    player: Ref


class BankBroken(Event, tag="bank_broken"):
    pass


class EndTriggered(Event, tag="end_triggered"):
    reason: str
    timing: str


class GameEnded(Event, tag="game_ended"):
    reason: str
    result: dict[str, int]


class ProgramSet(Event, tag="program_set"):
    player: Ref
    program: str


class ProgramRemoved(Event, tag="program_removed"):
    player: Ref
    program: str
    reason: str


class CorporationClosed(Event, tag="corporation_closed"):
    corporation: str


class Nationalized(Event, tag="nationalized"):
    """A corporation is taken over by the national railway; ``corporation_closed`` follows."""

    corporation: str
    reason: str


class Chosen(Event, tag="chosen"):
    """A title-specific decision."""

    entity: Ref
    choice: str


class Said(Event, tag="said"):
    player: Ref
    message: str
