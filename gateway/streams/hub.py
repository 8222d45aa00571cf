"""One upstream watch stream for a process, many watchers."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import Counter, defaultdict
from functools import cached_property
from typing import Any

import grpc

from gateway import convert
from gateway.problems import Problem, unavailable
from gateway.rules import RulesClient
from gateway.streams import formats
from protos.roundhouse.v1 import rules_pb2 as pb

log = logging.getLogger(__name__)

QUEUE_SIZE = 1000
RETRY_SECONDS = (0.1, 0.3, 1.0, 2.0)
SETTLE_SECONDS = 1.0
"""How long after connecting watchers look again: the service may register a watch later than it accepts
it.
"""


class Frame:
    """One update, written down at most once in each format."""

    def __init__(self, message: pb.GameUpdate) -> None:
        self.game_id = message.summary.game_id
        self.version = message.entry.version
        self.created_at = message.entry.created_at
        self._message = message

    @cached_property
    def payload(self) -> bytes:
        """The update as JSON."""
        return formats.encode(convert.update(self.game_id, self._message.entry, self._message.summary))

    @cached_property
    def by_version(self) -> bytes:
        """As server-sent event with the version as id."""
        return formats.sse("update", self.payload, self.version)

    @cached_property
    def by_time(self) -> bytes:
        """As server-sent event with the time as id."""
        return formats.sse("update", self.payload, self.created_at)

    @cached_property
    def line(self) -> bytes:
        """As a line of NDJSON."""
        return self.payload + b"\n"


class Resync:
    """Tells a watcher that updates may have been missed: read the log."""


class Closed:
    """Tells a watcher that its stream is over."""


RESYNC, CLOSED = Resync(), Closed()
Item = Frame | Resync | Closed


class Subscription:
    """One watcher's queue. A watcher that is too slow is closed; it can resume where it was."""

    def __init__(self, key: str, subject: str) -> None:
        self.key = key
        self.subject = subject
        self._queue: queue.Queue[Item] = queue.Queue(QUEUE_SIZE)
        self._overrun = False

    def put(self, item: Item) -> None:
        """Never blocks."""
        try:
            self._queue.put_nowait(item)
        except queue.Full:
            self._overrun = True

    def get(self, timeout: float) -> Item | None:
        """The next item, or None after `timeout` seconds."""
        if self._overrun:
            return CLOSED
        try:
            return self._queue.get(timeout=timeout)
        except queue.Empty:
            return None


class Hub:
    """Fans the updates of all games out. Its upstream stream starts with the first watcher and then stays."""

    def __init__(self, rules: RulesClient, max_streams: int, max_per_subject: int) -> None:
        self._rules = rules
        self._max_streams = max_streams
        self._max_per_subject = max_per_subject
        self._lock = threading.Lock()
        self._subscriptions: dict[str, set[Subscription]] = defaultdict(set)
        self._by_subject: Counter[str] = Counter()
        self._thread: threading.Thread | None = None
        self._stream: Any = None
        self._stopped = False

    @property
    def streams(self) -> int:
        """Number of open streams."""
        return self._by_subject.total()

    def subscribe(self, key: str, subject: str, *, exempt: bool = False) -> Subscription:
        """Watch `game_key(...)`, `player_key(...)` or `EVERYTHING`.

        Raises `Problem`: 429 if `subject` has too many streams (unless `exempt`), 503 if the process has.
        """
        with self._lock:
            if self._stopped:
                raise unavailable("The gateway is stopping.", "stopping")
            if self.streams >= self._max_streams:
                raise unavailable("This server has as many event streams as it can take.", "too_many_streams", 5)
            if not exempt and self._by_subject[subject] >= self._max_per_subject:
                raise Problem(
                    "too-many-requests",
                    f"There may be at most {self._max_per_subject} open event streams.",
                    code="too_many_streams",
                    headers={"Retry-After": "5"},
                )
            subscription = Subscription(key, subject)
            self._subscriptions[key].add(subscription)
            self._by_subject[subject] += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watch-games", daemon=True)
                self._thread.start()
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """End a subscription."""
        with self._lock:
            watchers = self._subscriptions.get(subscription.key, set())
            if subscription not in watchers:
                return
            watchers.discard(subscription)
            if not watchers:
                del self._subscriptions[subscription.key]
            self._by_subject[subscription.subject] -= 1
            if not self._by_subject[subscription.subject]:
                del self._by_subject[subscription.subject]

    def close(self) -> None:
        """End all streams."""
        self._stopped = True
        if self._stream is not None:
            self._stream.cancel()
        self._broadcast(CLOSED)

    def publish(self, message: pb.GameUpdate) -> None:
        """Hand an update to everybody it concerns."""
        frame = Frame(message)
        keys = [
            game_key(frame.game_id),
            EVERYTHING,
            *(player_key(seat.id) for seat in message.summary.players),
        ]
        for key in keys:
            for subscription in tuple(self._subscriptions.get(key, ())):
                subscription.put(frame)

    def _broadcast(self, item: Item) -> None:
        with self._lock:
            everybody = [one for watchers in self._subscriptions.values() for one in watchers]
        for subscription in everybody:
            subscription.put(item)

    def _run(self) -> None:
        failures = 0
        while not self._stopped:
            try:
                self._stream = self._rules.watch()
                threading.Thread(target=self._settle, args=(self._stream,), daemon=True).start()
                for message in self._stream:
                    failures = 0
                    self.publish(message)
            except grpc.RpcError as error:
                if not self._stopped:
                    log.warning("watch stream: %s %s", error.code().name, error.details())
            except Exception:
                log.exception("watch stream")
            if not self._stopped:
                time.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
                failures += 1

    def _settle(self, stream: Any) -> None:
        for seconds in (0.0, SETTLE_SECONDS):
            time.sleep(seconds)
            if stream.is_active() and not self._stopped:
                self._broadcast(RESYNC)


EVERYTHING = "*"


def game_key(game_id: str) -> str:
    """Watch one game."""
    return f"game:{game_id}"


def player_key(player: str) -> str:
    """Watch all games of a player."""
    return f"player:{player}"
