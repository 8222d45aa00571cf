"""Typed actions in the vocabulary of the recorded-game format (core 1.3, 1.5).

:func:`parse` turns a JSON object into one of these structs; :func:`dump` writes it back without empty fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from .errors import MalformedAction

EntityType = Literal["player", "corporation", "minor", "company"]
EntityId = int | str


class Action(msgspec.Struct, tag_field="type", kw_only=True, omit_defaults=True):
    """Fields common to all actions. ``user`` is who pressed the button, without effect on the rules."""

    entity: EntityId
    entity_type: EntityType
    id: int | None = None
    user: EntityId | None = None
    created_at: int | float | None = None
    auto_actions: list[dict[str, Any]] | None = None
    original_id: int | None = None
    skip: bool | None = None

    @property
    def type(self) -> str:
        return str(self.__struct_config__.tag)

    @property
    def ref(self) -> str:
        return f"{self.entity_type}:{self.entity}"


class Pass(Action, tag="pass"):
    pass


class Bid(Action, tag="bid", kw_only=True):
    price: int
    company: str | None = None
    corporation: str | None = None
    minor: str | None = None


class Par(Action, tag="par", kw_only=True):
    corporation: str
    share_price: str
    slot: int | None = None
    purchase_for: EntityId | None = None
    purchase_for_type: EntityType | None = None
    borrow_from: EntityId | None = None
    borrow_from_type: EntityType | None = None


class BuyShares(Action, tag="buy_shares", kw_only=True):
    shares: list[str]
    percent: int | None = None
    share_price: int | bool | None = None
    swap: str | None = None
    purchase_for: EntityId | None = None
    purchase_for_type: EntityType | None = None
    borrow_from: EntityId | None = None
    borrow_from_type: EntityType | None = None
    total_price: int | None = None
    discounter: str | None = None


class SellShares(Action, tag="sell_shares", kw_only=True):
    shares: list[str]
    percent: int | None = None
    share_price: int | bool | None = None
    swap: str | None = None


class BuyCompany(Action, tag="buy_company", kw_only=True):
    company: str
    price: int


class SellCompany(Action, tag="sell_company", kw_only=True):
    company: str
    price: int


class SpecialBuy(Action, tag="special_buy", kw_only=True):
    description: str
    cost: int | None = None


class LayTile(Action, tag="lay_tile", kw_only=True):
    hex: str
    tile: str
    rotation: int
    combo_entities: list[EntityId] | None = None


class PlaceToken(Action, tag="place_token", kw_only=True):
    city: str
    slot: int | None = None
    tokener: str | None = None
    cost: int | None = None
    token_type: str | None = None


class RemoveToken(Action, tag="remove_token", kw_only=True):
    city: str
    slot: int


class RecordedRoute(msgspec.Struct, omit_defaults=True):
    """A route as recorded (core 9.6); only ``train`` and ``connections`` are needed."""

    train: str
    connections: list[list[str]]
    hexes: list[str] | None = None
    nodes: list[str] | None = None
    revenue: int | None = None
    revenue_str: str | None = None
    subsidy: int | None = None
    halts: int | None = None
    abilities: list[str] | None = None


class RunRoutes(Action, tag="run_routes", kw_only=True):
    routes: list[RecordedRoute]
    extra_revenue: int | None = None
    subsidy: int | None = None


class Dividend(Action, tag="dividend", kw_only=True):
    kind: str
    amount: int | None = None


class BuyTrain(Action, tag="buy_train", kw_only=True):
    train: str
    price: int
    variant: str | None = None
    exchange: str | None = None
    warranties: int | None = None
    extra_due: bool | None = None
    slots: list[int] | None = None
    shell: str | None = None


class DiscardTrain(Action, tag="discard_train", kw_only=True):
    train: str


class Bankrupt(Action, tag="bankrupt", kw_only=True):
    option: str | None = None


class Choose(Action, tag="choose", kw_only=True):
    choice: int | str


class Assign(Action, tag="assign", kw_only=True):
    target: str
    target_type: str
    city: str | None = None


class Convert(Action, tag="convert"):
    pass


class Merge(Action, tag="merge", kw_only=True):
    corporation: str | None = None
    minor: str | None = None


class TakeLoan(Action, tag="take_loan", kw_only=True):
    loan: int


class PayoffLoan(Action, tag="payoff_loan", kw_only=True):
    loan: int


class EndGame(Action, tag="end_game"):
    pass


class Message(Action, tag="message", kw_only=True):
    message: str = ""


class Log(Action, tag="log", kw_only=True):
    message: str = ""


class Undo(Action, tag="undo", kw_only=True):
    action_id: int | None = None


class Redo(Action, tag="redo"):
    pass


class ProgramSharePass(Action, tag="program_share_pass", kw_only=True):
    unconditional: bool = False
    indefinite: bool = False


class ProgramBuyShares(Action, tag="program_buy_shares", kw_only=True):
    corporation: str
    until_condition: int | str
    from_market: bool = False
    auto_pass_after: bool = False


class ProgramMergerPass(Action, tag="program_merger_pass", kw_only=True):
    corporations_by_round: dict[str, list[str]] = {}
    options: list[str] = []


class ProgramAuctionBid(Action, tag="program_auction_bid", kw_only=True):
    bid_target: str
    enable_maximum_bid: bool = False
    maximum_bid: int | None = None
    enable_buy_price: bool = False
    buy_price: int | None = None
    auto_pass_after: bool = False


class ProgramDisable(Action, tag="program_disable", kw_only=True):
    reason: str | None = None
    original_type: str | None = None


AnyAction = (
    Pass
    | Bid
    | Par
    | BuyShares
    | SellShares
    | BuyCompany
    | SellCompany
    | SpecialBuy
    | LayTile
    | PlaceToken
    | RemoveToken
    | RunRoutes
    | Dividend
    | BuyTrain
    | DiscardTrain
    | Bankrupt
    | Choose
    | Assign
    | Convert
    | Merge
    | TakeLoan
    | PayoffLoan
    | EndGame
    | Message
    | Log
    | Undo
    | Redo
    | ProgramSharePass
    | ProgramBuyShares
    | ProgramMergerPass
    | ProgramAuctionBid
    | ProgramDisable
)

TYPES: dict[str, type[Action]] = {str(t.__struct_config__.tag): t for t in AnyAction.__args__}
FIELDS: dict[str, frozenset[str]] = {name: frozenset(t.__struct_fields__) for name, t in TYPES.items()}
ENTITY_TYPES = ("player", "corporation", "minor", "company")


def parse(raw: Mapping[str, Any], *, strict: bool = True) -> Action:
    """Typed action of a JSON object.

    Empty (null) fields are ignored. With ``strict`` an unknown field is an error; recorded games may carry fields of
    other versions, which are then ignored. Raises :class:`MalformedAction`.
    """
    if not isinstance(raw, Mapping):
        raise MalformedAction("malformed_action", "An action is a JSON object.")
    kind = raw.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        raise MalformedAction("unknown_action_type", f"There is no action of type {kind!r}.", type=str(kind))
    given = {key: value for key, value in raw.items() if value is not None}
    if strict:
        unknown = [str(key) for key in given if key != "type" and key not in FIELDS[kind]]
        if unknown:
            raise MalformedAction(
                "unknown_field", f"An action of type {kind} has no field {unknown[0]!r}.", fields=unknown
            )
    try:
        return msgspec.convert(given, TYPES[kind], str_keys=True)
    except msgspec.ValidationError as error:
        raise MalformedAction("malformed_action", f"This {kind} action is malformed: {error}.", type=kind) from error


def dump(action: Action) -> dict[str, Any]:
    """JSON object of an action, empty fields left out."""
    raw: dict[str, Any] = msgspec.to_builtins(action)
    return {"type": action.type, **raw}
