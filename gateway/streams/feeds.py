"""What a watcher gets: first what it missed, then what happens, without a gap.

A feed subscribes before it reads the log, so an update is in one of the two. Updates it has sent are skipped
by their version; a version that is missing, or a new upstream connection, makes it read the log again.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from gateway import convert
from gateway.problems import Problem
from gateway.rules import RulesClient
from gateway.streams import formats
from gateway.streams.formats import Format
from gateway.streams.hub import CLOSED, Frame, Hub, Subscription
from protos.roundhouse.v1 import rules_pb2 as pb

PAGE = 500
SLACK_MS = 3000
"""How far back a feed of many games reads: clocks differ, and an entry is stamped before it is written."""
RETRY_SECONDS = 1.0
FAR = 2**53
PERMIT_SECONDS = 60.0


class Feed(ABC):
    """Common part of feeds: the loop over a subscription."""

    def __init__(self, hub: Hub, subscription: Subscription, form: Format, heartbeat: float) -> None:
        self.hub = hub
        self.subscription = subscription
        self.form = form
        self.heartbeat = heartbeat
        self.behind = True

    def close(self) -> None:
        """Give the subscription up; safe to call twice."""
        self.hub.unsubscribe(self.subscription)

    def run(self, permitted: Callable[[], bool]) -> Iterator[bytes]:
        """The bytes of the stream; it ends when `permitted`, asked about every minute, says no."""
        try:
            yield self.greeting()
            checked = time.monotonic()
            while True:
                if self.behind:
                    yield from self._catch_up()
                item = self.subscription.get(RETRY_SECONDS if self.behind else self.heartbeat)
                if item is CLOSED:
                    return
                if isinstance(item, Frame):
                    yield from self.live(item)
                elif item is not None:
                    self.behind = True
                elif not self.behind:
                    yield formats.heartbeat(self.form)
                if time.monotonic() - checked > PERMIT_SECONDS:
                    checked = time.monotonic()
                    if not permitted():
                        return
        finally:
            self.close()

    def _catch_up(self) -> Iterator[bytes]:
        try:
            yield from self.missed()
            self.behind = False
        except Problem as problem:
            if problem.kind.status < 500:
                raise
            yield formats.heartbeat(self.form)

    @abstractmethod
    def greeting(self) -> bytes:
        """The first bytes."""

    @abstractmethod
    def missed(self) -> Iterator[bytes]:
        """What was written since the last thing sent. Raises `Problem`."""

    @abstractmethod
    def live(self, frame: Frame) -> Iterator[bytes]:
        """Send an update on, or note that some are missing before it."""


class GameFeed(Feed):
    """One game; the id of an event is its version."""

    def __init__(
        self,
        hub: Hub,
        rules: RulesClient,
        subscription: Subscription,
        form: Format,
        heartbeat: float,
        *,
        game_id: str,
        after: int | None,
    ) -> None:
        super().__init__(hub, subscription, form, heartbeat)
        self.rules = rules
        self.game_id = game_id
        self.newest = self._page(FAR, 1).version
        """Version at the start. Reading it raises `Problem` for an unknown game."""
        self.sent = self.newest if after is None else min(after, self.newest)

    def greeting(self) -> bytes:
        return formats.ready(self.form, self.newest, self.sent)

    def missed(self) -> Iterator[bytes]:
        while True:
            page = self._page(self.sent + 1, PAGE)
            for entry in page.entries:
                if entry.version > self.sent:
                    yield formats.update(self.form, convert.update(self.game_id, entry), entry.version)
                    self.sent = entry.version
            if not page.entries or self.sent >= page.version:
                return

    def live(self, frame: Frame) -> Iterator[bytes]:
        if frame.version > self.sent + 1:
            self.behind = True
        elif frame.version == self.sent + 1:
            yield frame.by_version if self.form == formats.SSE else frame.line
            self.sent = frame.version

    def _page(self, first: int, limit: int) -> pb.GetLogResponse:
        return self.rules.get_log(pb.GetLogRequest(game_id=self.game_id, from_version=first, limit=limit))


class GamesFeed(Feed):
    """All games, or those of one player; the id of an event is its time in Unix milliseconds.

    On resume everything from a little before that time is sent again: an update may come twice, never not at
    all.
    """

    def __init__(
        self,
        hub: Hub,
        rules: RulesClient,
        subscription: Subscription,
        form: Format,
        heartbeat: float,
        *,
        player: str,
        after: int | None,
        now: int,
    ) -> None:
        super().__init__(hub, subscription, form, heartbeat)
        self.rules = rules
        self.player = player
        self.since = now if after is None else min(after, now)
        self.sent: dict[str, int] = {}
        if after is None:
            self._skip_present()

    def greeting(self) -> bytes:
        return formats.ready(self.form, None, self.since)

    def missed(self) -> Iterator[bytes]:
        found: list[tuple[int, str, pb.LogEntry]] = []
        for game in self._changed():
            latest = 0
            for entry in self._entries(game):
                latest = max(latest, entry.created_at)  # the order within a game is that of its versions
                found.append((latest, game.game_id, entry))
        for _, game_id, entry in sorted(found, key=lambda each: each[0]):
            if entry.version > self.sent.get(game_id, 0):
                yield formats.update(self.form, convert.update(game_id, entry), entry.created_at)
                self._note(game_id, entry.version, entry.created_at)

    def live(self, frame: Frame) -> Iterator[bytes]:
        sent = self.sent.get(frame.game_id)
        if sent is not None and frame.version <= sent:
            return
        if sent is not None and frame.version > sent + 1:
            self.behind = True
            return
        yield frame.by_time if self.form == formats.SSE else frame.line
        self._note(frame.game_id, frame.version, frame.created_at)

    def _note(self, game_id: str, version: int, created_at: int) -> None:
        self.sent[game_id] = max(version, self.sent.get(game_id, 0))
        self.since = max(self.since, created_at)

    def _skip_present(self) -> None:
        for game in self._changed():
            self.sent[game.game_id] = game.version

    def _changed(self) -> list[pb.GameSummary]:
        """Games changed since the last thing sent, a little slack included."""
        games: list[pb.GameSummary] = []
        since = max(1, self.since - SLACK_MS)
        request = pb.ListGamesRequest(player_id=self.player, page_size=PAGE, updated_since=since)
        while True:
            page = self.rules.list_games(request)
            games += page.games
            if not page.next_page_token:
                return games
            request.page_token = page.next_page_token

    def _entries(self, game: pb.GameSummary) -> list[pb.LogEntry]:
        """Entries not sent yet: after the version sent, or by time if the game is new to this feed."""
        known = self.sent.get(game.game_id)
        if known is not None:
            return self._log(game.game_id, known + 1, 0)
        found: list[pb.LogEntry] = []
        last = game.version
        while last > 0:
            first = max(1, last - PAGE + 1)
            page = [entry for entry in self._log(game.game_id, first, last - first + 1) if entry.version <= last]
            recent = [entry for entry in page if entry.created_at >= self.since - SLACK_MS]
            found = recent + found
            if len(recent) < len(page) or not page:
                break
            last = first - 1
        return found

    def _log(self, game_id: str, first: int, limit: int) -> list[pb.LogEntry]:
        request = pb.GetLogRequest(game_id=game_id, from_version=first, limit=limit)
        return list(self.rules.get_log(request).entries)
