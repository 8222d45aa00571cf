"""Rate limits and revocations: one round trip to Redis for each request.

The limit is the generic cell rate algorithm: the key holds the time at which the caller's allowance is whole
again, and lives no longer than that.
"""

from __future__ import annotations

import logging
from typing import Any, cast

import redis

from gateway.auth import Principal, revoked_before_key, revoked_key, unauthenticated
from gateway.problems import Problem, unavailable

log = logging.getLogger(__name__)

_SCRIPT = """
if KEYS[2] then
  if redis.call('EXISTS', KEYS[2]) == 1 then return -1 end
  local before = redis.call('GET', KEYS[3])
  if before and tonumber(ARGV[3]) <= tonumber(before) then return -1 end
end
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
if interval == 0 then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local whole = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + interval
local wait = whole - now - interval * burst
if wait > 0 then return math.ceil(wait) end
redis.call('SET', KEYS[1], string.format('%.3f', whole), 'PX', math.ceil(whole - now))
return 0
"""


class Admission:
    """Admits requests; `limit` in requests a minute (0: none), `burst` in requests."""

    def __init__(self, client: redis.Redis, limit: int, burst: int) -> None:
        self._redis = client
        self._script = client.register_script(_SCRIPT)
        self._interval = 60_000 / limit if limit else 0
        self._burst = burst

    def admit(self, principal: Principal) -> None:
        """Raises `Problem`: 401 for a revoked token, 429 over the limit, 503 if that cannot be known.

        The operator is always admitted; callers without a token too, when Redis cannot be reached.
        """
        if principal.is_operator or not (principal.player or self._interval):
            return
        keys = [f"gateway:{{{principal.player or principal.subject}}}:rate"]
        if principal.player:
            keys += [revoked_key(principal.player, principal.token_id), revoked_before_key(principal.player)]
        try:
            wait = cast(int, self._script(keys, [self._interval, self._burst, principal.issued_at]))
        except redis.RedisError as error:
            log.warning("redis: %s", error)
            if principal.player:
                raise redis_unavailable() from error
            return
        if wait < 0:
            raise unauthenticated("The token has been revoked.", "revoked_token")
        if wait > 0:
            seconds = -(-wait // 1000)
            raise Problem(
                "too-many-requests",
                f"Too many requests; try again in {seconds} s.",
                details={"retry_after": seconds},
                headers={"Retry-After": str(seconds)},
            )

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


def redis_unavailable() -> Problem:
    """503: what the gateway keeps in Redis cannot be reached."""
    return unavailable("The store of the gateway cannot be reached.", "redis_unavailable")
