"""Steps of the merger round: minors convert or merge, the new major is completed (1867 2.6, 4.11, 4.12)."""

from __future__ import annotations

from collections.abc import Iterator

from ....engine import events, programs, shares
from ....engine.actions import Action, BuyShares, Convert, RemoveToken
from ....engine.actions import Merge as MergeAction
from ....engine.board import tokens
from ....engine.errors import IllegalAction
from ....engine.game import Game
from ....engine.shares import Bundle
from ....engine.state import IPO, Corporation, Player
from ....engine.steps.base import Entity, Move, Step, move, require
from ....engine.steps.token import city_id, parse_city
from .. import mergers
from ..access import unstarted_majors
from ..mergers import merger_of


class MergeStep(Step):
    """A minor's president converts it, merges it with others, or passes."""

    kind = "merge"
    description = "convert, merge or pass"
    programs = ("program_merger_pass",)

    def minor(self, game: Game) -> Corporation:
        current = game.current
        assert isinstance(current, Corporation)
        return current

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        if entity is not game.current or not isinstance(entity, Corporation) or entity.kind != "minor":
            return ()
        merger = merger_of(game)
        if merger.converting is not None or merger.target_wanted:
            return ("merge",)
        if merger.collected:
            return ("merge", "pass")
        if game.live and not unstarted_majors(game):
            return ()
        return ("merge", "convert", "pass") if self.may_convert(game, entity) else ("merge", "pass")

    def may_convert(self, game: Game, minor: Corporation) -> bool:
        """Whether its price is one of those at which minors convert."""
        return minor.price is not None and "convert" in game.title.market.at(minor.price).types

    def wants_target(self, game: Game) -> bool:
        merger = merger_of(game)
        return merger.converting is not None or merger.target_wanted

    # --- moves --------------------------------------------------------------------------------------------------

    def list_pass(self, game: Game, entity: Entity) -> Iterator[Move]:
        collected = merger_of(game).collected
        if not collected or not game.live or mergers.is_viable(game, collected):
            yield move(entity, "pass")

    def list_convert(self, game: Game, entity: Entity) -> Iterator[Move]:
        if unstarted_majors(game):
            yield move(entity, "convert")

    def list_merge(self, game: Game, entity: Entity) -> Iterator[Move]:
        if self.wants_target(game):
            for major in unstarted_majors(game):
                yield move(entity, "merge", corporation=major.sym)
            return
        if not unstarted_majors(game):
            return
        collected = merger_of(game).collected or [self.minor(game).sym]
        for sym in mergers.partners(game, collected):
            if self.may_collect(game, [*collected, sym]):
                yield move(entity, "merge", corporation=sym)

    def may_collect(self, game: Game, collected: list[str]) -> bool:
        """A live game takes no minor that could never become part of a major."""
        return not game.live or mergers.can_complete(game, collected)

    # --- doing it -----------------------------------------------------------------------------------------------

    def do_convert(self, game: Game, action: Convert) -> None:
        minor = self.minor(game)
        require(bool(unstarted_majors(game)), "no_major_left", "Every major has been started.")
        merger_of(game).converting = minor.sym
        self.note(game, minor)

    def do_merge(self, game: Game, action: MergeAction) -> None:
        minor = self.minor(game)
        self.note(game, minor)
        if self.wants_target(game):
            self.make_major(game, minor, action.corporation or "")
            return
        merger = merger_of(game)
        collected = merger.collected or [minor.sym]
        sym = action.corporation or ""
        if sym not in mergers.partners(game, collected):
            raise IllegalAction("not_a_partner", f"{sym or 'Nothing'} cannot merge with {' and '.join(collected)}.")
        require(bool(unstarted_majors(game)), "no_major_left", "Every major has been started.")
        collected = [*collected, sym]
        require(
            self.may_collect(game, collected),
            "no_president",
            f"Nobody could become president of a major made of {' and '.join(collected)}.",
        )
        merger.collected = collected
        merger.target_wanted = not mergers.partners(game, collected)

    def make_major(self, game: Game, minor: Corporation, sym: str) -> None:
        """Turn the minor, or those collected, into a major."""
        major = game.state.corporations.get(sym)
        if major is None or major not in unstarted_majors(game):
            raise IllegalAction("not_a_major", f"{sym or 'Nothing'} is not a major that can be formed.")
        merger = merger_of(game)
        if merger.converting is not None:
            mergers.convert(game, minor, major)
        else:
            require(
                mergers.is_viable(game, merger.collected),
                "no_president",
                f"Nobody can become president of {sym}.",
            )
            mergers.merge(game, list(merger.collected), major)
        game.board_changed()
        self.finish(game)
        mergers.settle_purchases(game)

    def do_pass(self, game: Game, action: Action) -> None:
        merger = merger_of(game)
        if not merger.collected:
            super().do_pass(game, action)
            return
        require(
            not game.live or mergers.is_viable(game, merger.collected),
            "no_president",
            f"Nobody could become president of a major made of {' and '.join(merger.collected)}.",
        )
        game.emit(events.Passed(action.ref, self.kind))
        merger.target_wanted = True

    def note(self, game: Game, minor: Corporation) -> None:
        player = game.president_of(minor)
        if player is not None:
            programs.note(game, player, "merge", minor.sym)

    # --- automatic ----------------------------------------------------------------------------------------------

    def auto_actions(self, game: Game, entity: Entity) -> list[Move]:
        """Pass for a minor that can do nothing, or whose president ordered it (1867 9, 2; core 1.8)."""
        merger = merger_of(game)
        if not isinstance(entity, Corporation) or merger.collected or merger.converting is not None:
            return []
        if not self.may_convert(game, entity) and not mergers.partners(game, [entity.sym]):
            return [move(entity, "pass")]
        player = game.president_of(entity)
        program = None if player is None else player.program
        if player is None or program is None or program.kind != "program_merger_pass":
            return []
        if "disable_others" in program.options and any(
            number > program.since and actor != player.ref and kind == "merge"
            for number, actor, kind, _ in game.state.recent
        ):
            return [move(player, "program_disable", reason="Somebody else merged", original_type=program.kind)]
        listed = program.corporations_by_round.get(game.rules.short, [])
        return [move(entity, "pass")] if entity.sym in listed else []


class ReduceTokens(Step):
    """A new major gives up tokens: two on the map at most, not in one hex (1867 4.12)."""

    kind = "reduce_tokens"
    description = "remove a token"

    def is_active(self, game: Game) -> bool:
        return merger_of(game).reduce

    def major(self, game: Game) -> Corporation:
        sym = merger_of(game).major
        assert sym is not None
        return game.corporation(sym)

    def active_entities(self, game: Game) -> list[Entity]:
        return [self.major(game)]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("remove_token",) if entity is self.major(game) else ()

    def position_of(self, game: Game, major: Corporation, index: int) -> int:
        """A token's place among the slots and extra tokens of its city."""
        token = major.tokens[index]
        assert token.hex is not None
        if token.slot is not None:
            return token.slot
        city = game.state.board[token.hex].cities[token.city]
        return len(city.slots) + city.extra.index(major.sym)

    def list_remove_token(self, game: Game, entity: Entity) -> Iterator[Move]:
        major = self.major(game)
        for index in mergers.removable(major):
            token = major.tokens[index]
            assert token.hex is not None
            city = city_id(game, token.hex, token.city)
            yield move(entity, "remove_token", city=city, slot=self.position_of(game, major, index))

    def do_remove_token(self, game: Game, action: RemoveToken) -> None:
        major = self.major(game)
        hex_id, city = parse_city(game, action.city)
        index = next(
            (
                i
                for i, token in tokens.placed_tokens(game.state, major.sym)
                if (token.hex, token.city) == (hex_id, city) and self.position_of(game, major, i) == action.slot
            ),
            None,
        )
        if index is None:
            raise IllegalAction("not_its_token", f"{major.sym} has no token there.", hex=hex_id)
        require(
            index in mergers.removable(major),
            "one_hex_left",
            f"The tokens {major.sym} keeps may not all stand on one hex.",
        )
        tokens.lift(game.title.map, game.state, major.sym, index)
        game.emit(events.TokenRemoved(major.sym, hex_id))
        game.board_changed()
        if not mergers.over_token_limit(major):
            mergers.finish_reduction(major)
            merger_of(game).reduce = False
            mergers.settle_purchases(game)


class PostMergerShares(Step):
    """Players buy certificates of the new major from its treasury (1867 4.12)."""

    kind = "merger_shares"
    description = "buy a share of the new major or pass"

    def is_active(self, game: Game) -> bool:
        return bool(mergers.eligible(game))

    def active_entities(self, game: Game) -> list[Entity]:
        return [game.player(player_id) for player_id in mergers.eligible(game)[:1]]

    def actions(self, game: Game, entity: Entity) -> tuple[str, ...]:
        return ("buy_shares", "pass") if entity in self.active_entities(game) else ()

    def major(self, game: Game) -> Corporation:
        sym = merger_of(game).major
        assert sym is not None
        return game.corporation(sym)

    def list_buy_shares(self, game: Game, entity: Entity) -> Iterator[Move]:
        major = self.major(game)
        unit = shares.unit(game, major)
        for index in mergers.treasury_certificates(game, major):
            yield move(entity, "buy_shares", shares=[f"{major.sym}_{index}"], percent=unit)

    def list_pass(self, game: Game, entity: Entity) -> Iterator[Move]:
        if not self.must_buy(game):
            yield move(entity, "pass")

    def must_buy(self, game: Game) -> bool:
        """The last owner who can become president of a merged major: without him the merger would fail."""
        merger = merger_of(game)
        without_president = 0 in shares.held(self.major(game), IPO)
        return game.live and merger.owners_only and without_president and len(mergers.eligible(game)) == 1

    def do_buy_shares(self, game: Game, action: BuyShares) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        major = self.major(game)
        bundle: Bundle = shares.parse_shares(game, action.shares, action.percent)
        require(
            bundle.corporation == major.sym
            and bundle.owner == IPO
            and len(bundle.indexes) == 1
            and bundle.indexes[0] != 0,
            "not_on_sale",
            f"One ordinary certificate of {major.sym} may be bought from its treasury.",
        )
        mergers.buy_share(game, player, major, bundle)
        programs.note(game, player, "merge", major.sym)
        mergers.settle_purchases(game)

    def do_pass(self, game: Game, action: Action) -> None:
        player = game.entity(action.ref)
        assert isinstance(player, Player)
        require(
            not self.must_buy(game),
            "no_president",
            f"{player.name} has to buy: nobody else can become president of {self.major(game).sym}.",
        )
        player.passed = True
        game.emit(events.Passed(action.ref, self.kind))
        mergers.settle_purchases(game, player)
