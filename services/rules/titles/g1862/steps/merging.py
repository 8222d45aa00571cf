"""Merging, acquiring, half-paid certificates, surplus tokens and redeeming (1862 2.6, 4.8, 4.9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from ....engine import events, shares
from ....engine.actions import BuyShares, Choose, Merge, RemoveToken
from ....engine.errors import IllegalAction
from ....engine.money import spend
from ....engine.shares import Bundle
from ....engine.state import POOL, Corporation
from ....engine.steps.base import Entity, Move, Step, move, require
from ....engine.steps.token import city_id, parse_city
from .. import charters, mergers, takeover
from ..state import Merger, Question, Removal, corporation_of, of
from .gates import builder_of, director_of

if TYPE_CHECKING:
    from ....engine.game import Game

SURVIVES = {"first": True, "last": False}


class OptionShare(Step):
    """The holder of a half-paid certificate redeems or sells it."""

    kind = "option_share"
    description = "redeem or sell the odd share"

    def question(self, game: Game) -> Question | None:
        merger = of(game).merger
        return None if merger is None else merger.question

    def is_active(self, game: Game) -> bool:
        return self.question(game) is not None

    def active_entities(self, game: Game) -> list[Entity]:
        question = self.question(game)
        return [] if question is None else [game.entity(question.holder)]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("choose",) if entity in self.active_entities(game) else ()

    def list_choose(self, game: Game, entity: Entity) -> Iterator[Move]:
        yield move(entity, "choose", choice={"choices": ["sell", "redeem"]})

    def do_choose(self, game: Game, action: Choose) -> None:
        choice = action.choice
        if choice not in ("sell", "redeem"):
            raise IllegalAction("unknown_choice", f"{choice!r} is neither sell nor redeem.")
        game.emit(events.Chosen(action.ref, str(choice)))
        mergers.answer(game, str(choice))


class RemoveTokens(Step):
    """A survivor with too many tokens takes some off the map."""

    kind = "remove_tokens"
    description = "remove a token"

    def is_active(self, game: Game) -> bool:
        return of(game).removal is not None

    def removal(self, game: Game) -> Removal:
        removal = of(game).removal
        assert removal is not None
        return removal

    def active_entities(self, game: Game) -> list[Entity]:
        return [game.corporation(self.removal(game).survivor)]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("remove_token",) if entity in self.active_entities(game) else ()

    def list_remove_token(self, game: Game, entity: Entity) -> Iterator[Move]:
        removal = self.removal(game)
        for sym in (removal.survivor, removal.other):
            for token in game.corporation(sym).tokens:
                if token.hex in removal.hexes and token.slot is not None:
                    yield move(entity, "remove_token", city=city_id(game, token.hex, token.city), slot=token.slot)

    def do_remove_token(self, game: Game, action: RemoveToken) -> None:
        removal = self.removal(game)
        hex_id, city = parse_city(game, action.city)
        require(hex_id in removal.hexes, "wrong_hex", f"The token on {hex_id} stays.", hex=hex_id)
        for sym in (removal.survivor, removal.other):
            corporation = corporation_of(game, sym)
            for index, token in enumerate(corporation.tokens):
                if (token.hex, token.city, token.slot) == (hex_id, city, action.slot):
                    takeover.destroy(game, corporation, index)
                    removal.count -= 1
                    if removal.count == 0:
                        takeover.complete(game)
                    return
        raise IllegalAction("not_its_token", f"{removal.survivor} has no token there.", hex=hex_id)


class MergeStep(Step):
    """Join with a connected corporation, then say which of the two survives; without a partner it passes by itself."""

    kind = "merge"
    description = "merge or pass"
    at: ClassVar[str] = "merge"

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if builder_of(game, entity) is None:
            return ()
        return ("choose",) if self.half_done(game) else ("merge", "pass")

    def half_done(self, game: Game) -> bool:
        merger = of(game).merger
        return merger is not None and merger.at == self.at and not merger.survivor

    def list_merge(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        for sym in mergers.candidates(game, entity):
            yield move(entity, "merge", corporation=sym)

    def do_merge(self, game: Game, action: Merge) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        sym = action.corporation or ""
        require(
            sym in mergers.candidates(game, operator), "not_a_candidate", f"{operator.sym} cannot merge with {sym}."
        )
        of(game).merger = Merger(operator.sym, self.at, other=sym)

    def list_choose(self, game: Game, entity: Entity) -> Iterator[Move]:
        yield move(entity, "choose", choice={"choices": list(SURVIVES)})

    def do_choose(self, game: Game, action: Choose) -> None:
        merger = of(game).merger
        assert merger is not None
        survives = SURVIVES.get(str(action.choice))
        if survives is None:
            raise IllegalAction("unknown_choice", "Choose first (the acting corporation survives) or last.")
        game.emit(events.Chosen(action.ref, str(action.choice)))
        self.finish(game)
        mergers.begin(game, merger, merger.other, survives)

    def auto_actions(self, game: Game, entity: Entity) -> list[Move]:
        if not isinstance(entity, Corporation) or self.half_done(game) or mergers.candidates(game, entity):
            return []
        return [move(entity, "pass")]


class AcquireStep(MergeStep):
    """The same at the end of the turn."""

    kind = "acquire"
    description = "acquire a corporation or pass"
    at = "acquire"


class Redeem(Step):
    """Buy one own certificate back from the pool (1862 4.8)."""

    kind = "redeem"
    description = "redeem a share or pass"

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        operator = director_of(game, entity)
        if operator is None:
            return ()
        bundle = self.bundle(game, operator)
        if bundle is None or shares.bundle_price(game, bundle) > operator.cash:
            return ()
        return ("buy_shares", "pass")

    def bundle(self, game: Game, operator: Corporation) -> Bundle | None:
        """The first certificate in the pool."""
        held = shares.held(operator, POOL)
        if not held:
            return None
        return Bundle(operator.sym, POOL, (held[0],), game.title.sizes[operator.sym][held[0]])

    def list_buy_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        assert isinstance(entity, Corporation)
        bundle = self.bundle(game, entity)
        if bundle is not None:
            yield move(entity, "buy_shares", shares=bundle.shares, percent=bundle.percent)

    def do_buy_shares(self, game: Game, action: BuyShares) -> None:
        operator = game.entity(action.ref)
        assert isinstance(operator, Corporation)
        bundle = shares.parse_shares(game, action.shares, action.percent)
        require(
            bundle == self.bundle(game, operator),
            "wrong_share",
            f"{operator.sym} redeems the first of its certificates in the pool.",
        )
        price = shares.bundle_price(game, bundle)
        spend(game, operator, None, price)
        shares.move_certificate(operator, bundle.indexes[0], POOL, charters.own_place(operator))
        game.emit(events.SharesBought(operator.ref, operator.sym, bundle.shares, bundle.percent, price, POOL))
        self.finish(game)
