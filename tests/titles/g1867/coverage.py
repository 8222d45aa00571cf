"""What of 1867 and 1861 the moves of a game touch: a table of mechanisms with how often each was reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from services.rules.engine import events
from services.rules.engine.game import Game
from services.rules.engine.state import Corporation
from services.rules.titles.g1867.access import national_of, state_of, title_of
from services.rules.titles.g1867.steps.operating import BuyTrainWithLoans

STEPS = (
    "auction",
    "company",
    "company_before_loans",
    "discard_train",
    "dividend",
    "home_token",
    "merge",
    "merger_shares",
    "redeem",
    "reduce_tokens",
    "route",
    "stock",
    "token",
    "track",
    "train",
    "trainless_major",
)
COMMON = (
    *(f"step: {step}" for step in STEPS),
    *(f"players: {count}" for count in range(2, 7)),
    "market: column",
    "market: grid",
    "private auction: price lowered",
    "minor auction: won without a rival",
    "minor auction: won against others",
    "major parred",
    "conversion",
    "merger of two minors",
    "merger of more minors",
    "tokens reduced",
    "train discarded",
    "nationalized: minor, unpaid interest",
    "nationalized: major, unpaid interest",
    "nationalized: minor, train step passed without a train",
    "nationalized: minor, train step closed by itself",
    "nationalized: major, train step passed without a train",
    "nationalized: major, train step closed by itself",
    "nationalized: minor, no train at the first 4",
    "nationalized: minor, no train at the first 6",
    "nationalized: major, chosen",
    "nationalized: minor, first 8",
    "trainless major goes on",
    "nationalized major started again",
    "unstarted minors removed",
    "companies bought out",
    "company bought by a minor or major",
    "loan for track",
    "loan for interest",
    "loan for a train",
    "loan repaid",
    "loans to the limit: minor",
    "loans to the limit: major",
    "compulsory train: minor",
    "compulsory train: major",
    "end: bank",
    "end: final_phase",
)
ONLY_1867 = ("trade-in", "train exported", "last phase by export", "national takes Montreal with its tile")
ONLY_1861 = (
    "national takes the capital",
    "national takes Moscow with its tile",
    "national runs",
    "national buys a train with loans",
    "national buys a train from its cash",
    "national takes over a train",
    "national repays",
)
NAMES = {
    "unpaid_interest": "unpaid interest",
    "no_train": "train step",
    "trainless_check": "no train",
    "chosen": "chosen",
    "last_phase": "first 8",
}


def expected(title: str) -> tuple[str, ...]:
    """Rows of the table that bot games have to reach."""
    return (*COMMON, *(ONLY_1867 if title == "1867" else ONLY_1861))


class Coverage:
    """Counts over many games. ``before`` is called with every position, ``after`` with what an action did."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.counts: Counter[str] = Counter()
        self.games = 0

    def begin(self, game: Game) -> None:
        self.games += 1
        self.counts[f"players: {len(game.state.players)}"] += 1
        self.counts[f"market: {game.title.market.kind}"] += 1
        self.gone: set[str] = set()

    def before(self, game: Game, action: dict[str, Any]) -> None:
        """Note what the position says about the coming action."""
        step = game.rules.active_step(game)
        assert step is not None
        self.step = step.kind
        self.counts[f"step: {step.kind}"] += 1
        self.kinds = {sym: c.kind for sym, c in game.state.corporations.items()}
        self.trains_of = {train_id: train.owner for train_id, train in game.state.depot.trains.items()}
        self.unstarted = [c.sym for c in game.corporations if c.kind == "minor" and not c.started]
        self.bids = len(bidding.bidders) if (bidding := state_of(game).bidding) is not None else 0
        operator = game.current
        if action["type"] == "buy_train" and isinstance(operator, Corporation):
            must = isinstance(step, BuyTrainWithLoans) and step.must_buy(game, operator)
            self.counts[f"compulsory train: {operator.kind}"] += must

    def after(self, game: Game, action: dict[str, Any], happened: list[events.Event]) -> None:
        """Count what came of it."""
        self.counts.update(self._found(game, action, happened))

    def _found(self, game: Game, action: dict[str, Any], happened: list[events.Event]) -> Iterator[str]:
        kind = action["type"]
        if self.step == "merge":
            yield from self._mergers(game, happened)
        if self.step == "trainless_major" and kind == "pass":
            yield "trainless major goes on"
        for number, event in enumerate(happened):
            yield from self._event(game, action, event, happened[:number])
        yield from self._national(game, happened)

    def _mergers(self, game: Game, happened: list[events.Event]) -> Iterator[str]:
        closed = sum(isinstance(event, events.CorporationClosed) for event in happened)
        if not closed:
            return
        yield {1: "conversion", 2: "merger of two minors"}.get(closed, "merger of more minors")
        merger = state_of(game).merger
        if merger is not None and merger.reduce:
            yield "tokens reduced"

    def _event(
        self, game: Game, action: dict[str, Any], event: events.Event, earlier: list[events.Event]
    ) -> Iterator[str]:
        national = national_of(game)
        if isinstance(event, events.DiscountRaised):
            yield "private auction: price lowered"
        elif isinstance(event, events.CorporationParred):
            yield from self._parred(event, action)
        elif isinstance(event, events.TrainDiscarded):
            yield "train discarded"
        elif isinstance(event, events.Nationalized):
            self.gone.add(event.corporation)
            yield self._nationalized(event, action, earlier)
        elif isinstance(event, events.CompanyBought):
            if event.buyer == national.ref:
                yield "companies bought out"
            elif event.buyer.startswith("corporation"):
                yield "company bought by a minor or major"
        elif isinstance(event, events.LoanTaken):
            yield from self._loan(game, event, action)
        elif isinstance(event, events.LoanRepaid):
            yield "national repays" if event.corporation == national.sym else "loan repaid"
        elif isinstance(event, events.TrainBought):
            if event.exchanged:
                yield "trade-in"
        elif isinstance(event, events.TrainExported):
            yield "train exported"
        elif isinstance(event, events.PhaseChanged):
            if event.phase == "8" and any(isinstance(e, events.TrainExported) for e in earlier):
                yield "last phase by export"
            if event.phase == "5" and any(game.corporation(sym).closed for sym in self.unstarted):
                yield "unstarted minors removed"
        elif isinstance(event, events.RoutesRun):
            if event.corporation == national.sym and event.revenue:
                yield "national runs"
        elif isinstance(event, events.GameEnded):
            yield f"end: {event.reason}"

    def _parred(self, event: events.CorporationParred, action: dict[str, Any]) -> Iterator[str]:
        if self.kinds[event.corporation] == "minor":
            yield f"minor auction: won {'against others' if self.bids > 1 else 'without a rival'}"
            return
        if action["type"] == "par":
            yield "major parred"
        if event.corporation in self.gone:
            self.gone.discard(event.corporation)
            yield "nationalized major started again"

    def _nationalized(self, event: events.Nationalized, action: dict[str, Any], earlier: list[events.Event]) -> str:
        text = f"nationalized: {self.kinds[event.corporation]}, {NAMES[event.reason]}"
        if event.reason == "no_train":
            passed = (action["type"], action["entity"], self.step) == ("pass", event.corporation, "train")
            return f"{text} {'passed without a train' if passed else 'closed by itself'}"
        if event.reason == "trainless_check":
            phase = next(e.phase for e in reversed(earlier) if isinstance(e, events.PhaseChanged))
            return f"{text} at the first {phase}"
        return text

    def _loan(self, game: Game, event: events.LoanTaken, action: dict[str, Any]) -> Iterator[str]:
        corporation = game.corporation(event.corporation)
        if corporation.kind == "national":
            return
        purpose = {"lay_tile": "track", "buy_train": "a train"}.get(action["type"], "interest")
        yield f"loan for {purpose}"
        if corporation.loans == title_of(game).loan_limit(corporation):
            yield f"loans to the limit: {corporation.kind}"

    def _national(self, game: Game, happened: list[events.Event]) -> Iterator[str]:
        """What the national railway did."""
        national = national_of(game)
        placed = [e for e in happened if isinstance(e, events.TokenPlaced) and e.corporation == national.sym]
        laid = {e.hex for e in happened if isinstance(e, events.TileLaid) and e.tile.partition("-")[0] == "639"}
        place = "Montreal" if self.title == "1867" else "Moscow"
        if any(e.hex in laid for e in placed):
            yield f"national takes {place} with its tile"
        if self.title == "1861" and any(e.hex == "E1" for e in placed):
            yield "national takes the capital"
        for event in happened:
            if isinstance(event, events.TrainBought) and event.buyer == national.sym:
                loans = any(isinstance(e, events.LoanTaken) and e.corporation == national.sym for e in happened)
                yield f"national buys a train {'with loans' if loans else 'from its cash'}"
        for train_id in national.trains:
            if self.trains_of.get(train_id) not in (national.sym, "depot", "pool", None):
                yield "national takes over a train"

    # --- the table ----------------------------------------------------------------------------------------------

    def missing(self) -> list[str]:
        return [row for row in expected(self.title) if not self.counts[row]]

    def table(self) -> str:
        rows = [*expected(self.title), *sorted(set(self.counts) - set(expected(self.title)))]
        lines = [f"{self.title}: {self.games} bot games"]
        lines += [f"{self.counts[row]:7} {row}" for row in rows]
        return "\n".join([*lines, f"not reached: {', '.join(self.missing()) or 'nothing'}"])
