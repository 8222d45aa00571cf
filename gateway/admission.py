"""Rate limits and revocations, kept in Redis for all gateway processes together.

The limit is the generic cell rate algorithm: the key holds the time at which the caller's allowance is whole
again, and lives no longer than that. Callers far from their limit are not asked about for every request: for a
moment (`TRUST_SECONDS`) a process admits a small part of what is left on its own and settles it with the next
question. A revocation takes effect within that moment.
"""

from __future__ import annotations

import logging
import time
from typing import Any, cast

import redis

from gateway.auth import Principal, revoked_before_key, revoked_key, unauthenticated
from gateway.problems import Problem, unavailable

log = logging.getLogger(__name__)

TRUST_SECONDS = 0.25
TRUST_REQUESTS = 20
TRUST_SHARE = 20
"""One in so many of the requests left may be admitted without asking."""

_KEPT = 10_000
_REVOKED = -1
_SCRIPT = """
if KEYS[2] then
  if redis.call('EXISTS', KEYS[2]) == 1 then return {-1, 0} end
  local before = redis.call('GET', KEYS[3])
  if before and tonumber(ARGV[4]) <= tonumber(before) then return {-1, 0} end
end
local interval, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if interval == 0 then return {0, 1000000} end
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local whole = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + interval * cost
local left = interval * burst - (whole - now)
if left < 0 then return {math.ceil(-left), 0} end
redis.call('SET', KEYS[1], string.format('%.3f', whole), 'PX', math.ceil(whole - now))
return {0, math.floor(left / interval)}
"""


class _Trust:
    """What this process may admit of a token on its own, and what it has not settled yet."""

    __slots__ = ("debt", "left", "until")

    def __init__(self, left: int) -> None:
        self.left = left
        self.until = time.monotonic() + TRUST_SECONDS
        self.debt = 0


class Admission:
    """Admits requests; `limit` in requests a minute (0: none), `burst` in requests."""

    def __init__(self, client: redis.Redis, limit: int, burst: int) -> None:
        self._redis = client
        self._script = client.register_script(_SCRIPT)
        self._interval = 60_000 / limit if limit else 0
        self._burst = burst
        self._trusted: dict[tuple[str, str], _Trust] = {}

    def admit(self, principal: Principal) -> None:
        """Raises `Problem`: 401 for a revoked token, 429 over the limit, 503 if that cannot be known.

        The operator is always admitted; callers without a token too, when Redis cannot be reached.
        """
        if principal.is_operator or not (principal.player or self._interval):
            return
        key = (principal.subject, principal.token_id)
        trust = self._trusted.get(key)
        if trust is not None and trust.left > 0 and time.monotonic() < trust.until:
            trust.left -= 1
            trust.debt += 1
            return
        try:
            wait, left = self._ask(principal, 1 + (trust.debt if trust is not None else 0))
        except redis.RedisError as error:
            log.warning("redis: %s", error)
            if principal.player:
                raise redis_unavailable() from error
            return
        if wait == _REVOKED:
            raise unauthenticated("The token has been revoked.", "revoked_token")
        if wait > 0:
            self._trusted.pop(key, None)
            raise _too_many(-(-wait // 1000))
        if len(self._trusted) > _KEPT:
            self._trusted.clear()
        self._trusted[key] = _Trust(min(TRUST_REQUESTS, left // TRUST_SHARE))

    def _ask(self, principal: Principal, cost: int) -> tuple[int, int]:
        """(milliseconds to wait or `_REVOKED`, requests left)."""
        keys = [f"gateway:{{{principal.player or principal.subject}}}:rate"]
        if principal.player:
            keys += [revoked_key(principal.player, principal.token_id), revoked_before_key(principal.player)]
        wait, left = cast("list[int]", self._script(keys, [self._interval, self._burst, cost, principal.issued_at]))
        return wait, left

    def forget(self, player: str) -> None:
        """Trust no token of the player any more, after a revocation through this process."""
        for key in [key for key in self._trusted if key[0] == f"player:{player}"]:
            del self._trusted[key]

    def is_revoked(self, principal: Principal) -> bool:
        """Whether a token that was admitted has been revoked since; false when that cannot be known."""
        if not principal.player:
            return False
        keys = [revoked_key(principal.player, principal.token_id), revoked_before_key(principal.player)]
        try:
            revoked, before = cast("list[Any]", self._redis.mget(keys))
        except redis.RedisError:
            return False
        return revoked is not None or (before is not None and principal.issued_at <= int(before))


def _too_many(seconds: int) -> Problem:
    return Problem(
        "too-many-requests",
        f"Too many requests; try again in {seconds} s.",
        details={"retry_after": seconds},
        headers={"Retry-After": str(seconds)},
    )


def redis_unavailable(what: str = "What the gateway keeps in Redis (tokens, limits, jobs)") -> Problem:
    """503: Redis cannot be reached, or refuses to write."""
    return unavailable(f"{what} cannot be read or written at the moment.", "redis_unavailable")
