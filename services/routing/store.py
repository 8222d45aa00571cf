"""Jobs and results of the routing service in Redis.

Every submission gets a *ticket*; tickets for the same problem share one *flight*, the search itself. Keys of
one problem share a hash tag:

* `routing:{<hash>}:problem`, `:result` (proven answers only), `:inflight` (id of the flight under way);
* `routing:{<hash>}:flight:<id>` hash with `state`, `queue`, `deadline`, `lower`, `upper`, `result`, `error`,
  `attempts`;
* `routing:{<hash>}:tickets:<id>` set of tickets that still want the flight;
* `routing:{<hash>}:ticket:<id>` hash with `flight` or `cached`, and `cancelled`;
* `routing:{<hash>}:lease:<id>` exists while a worker is alive and searching.

States of a flight: `queued`, `running`, then `done`, `failed` or `cancelled`.
"""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass
from typing import Any, cast

import redis

FINAL_STATES = ("done", "failed", "cancelled")
MAX_ATTEMPTS = 3
RESEND_SECONDS = 60

_SUBMIT = """
local problem, result, inflight, prefix = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local data, flight, ticket, queue, deadline, keep = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local ticket_key = prefix .. 'ticket:' .. ticket
if redis.call('EXISTS', result) == 1 then
  redis.call('HSET', ticket_key, 'cached', redis.call('GET', result))
  redis.call('EXPIRE', ticket_key, keep)
  return {'cached', ''}
end
local answer = 'new'
local old = redis.call('GET', inflight)
if old then
  local key = prefix .. 'flight:' .. old
  local state = redis.call('HGET', key, 'state')
  if (state == 'queued' or state == 'running') and redis.call('HGET', key, 'cancel') ~= '1' then
    flight, answer = old, 'joined'
    local limit = redis.call('HGET', key, 'deadline')
    if limit ~= '' and (deadline == '' or tonumber(deadline) > tonumber(limit)) then
      redis.call('HSET', key, 'deadline', deadline)
    end
    if state == 'queued' and queue == 'interactive' and redis.call('HGET', key, 'queue') ~= queue then
      redis.call('HSET', key, 'queue', queue)
      answer = 'raised'
    end
  end
end
local key = prefix .. 'flight:' .. flight
if answer == 'new' then
  redis.call('SET', problem, data, 'EX', keep)
  redis.call('SET', inflight, flight, 'EX', keep)
  redis.call('HSET', key, 'state', 'queued', 'queue', queue, 'deadline', deadline, 'attempts', 0,
    'sent', redis.call('TIME')[1])
end
redis.call('EXPIRE', key, keep)
redis.call('SADD', prefix .. 'tickets:' .. flight, ticket)
redis.call('EXPIRE', prefix .. 'tickets:' .. flight, keep)
redis.call('HSET', ticket_key, 'flight', flight)
redis.call('EXPIRE', ticket_key, keep)
return {answer, flight}
"""

_CLAIM = """
local flight, lease = KEYS[1], KEYS[2]
local worker, seconds, most = ARGV[1], ARGV[2], tonumber(ARGV[3])
local state = redis.call('HGET', flight, 'state')
if not state then return 'gone' end
if state ~= 'queued' and state ~= 'running' then return 'finished' end
if not redis.call('SET', lease, worker, 'NX', 'PX', seconds) then return 'taken' end
if redis.call('HINCRBY', flight, 'attempts', 1) > most then
  redis.call('HSET', flight, 'state', 'failed', 'error', 'the search ended its worker ' .. most .. ' times')
  redis.call('DEL', lease)
  return 'finished'
end
redis.call('HSET', flight, 'state', 'running')
return 'claimed'
"""

_FINISH = """
local flight, lease, inflight, result = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local worker, id, state, answer, error, keep, proven = unpack(ARGV)
if redis.call('GET', lease) ~= worker then return 0 end
redis.call('HSET', flight, 'state', state)
if answer ~= '' then redis.call('HSET', flight, 'result', answer) end
if error ~= '' then redis.call('HSET', flight, 'error', error) end
if proven == '1' then redis.call('SET', result, answer, 'EX', keep) end
if redis.call('GET', inflight) == id then redis.call('DEL', inflight) end
redis.call('DEL', lease)
return 1
"""

_REVIVE = """
local flight, lease, again = KEYS[1], KEYS[2], tonumber(ARGV[1])
local state, now = redis.call('HGET', flight, 'state'), tonumber(redis.call('TIME')[1])
if redis.call('EXISTS', lease) == 1 then return '' end
if state == 'queued' then
  if now - tonumber(redis.call('HGET', flight, 'sent')) < again then return '' end
elseif state ~= 'running' then
  return ''
end
redis.call('HSET', flight, 'state', 'queued', 'sent', now)
return redis.call('HGET', flight, 'queue')
"""


@dataclass(frozen=True)
class Flight:
    """Names of the keys of one search."""

    digest: str
    id: str

    @property
    def prefix(self) -> str:
        return f"routing:{{{self.digest}}}:"

    @property
    def key(self) -> str:
        return f"{self.prefix}flight:{self.id}"

    @property
    def lease(self) -> str:
        return f"{self.prefix}lease:{self.id}"


class Store:
    """Atomic operations on jobs. Raises `redis.RedisError` when the server cannot be reached."""

    def __init__(self, url: str) -> None:
        self.redis = redis.Redis.from_url(url)
        self._submit = self.redis.register_script(_SUBMIT)
        self._claim = self.redis.register_script(_CLAIM)
        self._finish = self.redis.register_script(_FINISH)
        self._revive = self.redis.register_script(_REVIVE)
        self.keep = int(os.environ.get("ROUTING_JOB_SECONDS", str(24 * 3600)))
        self.cache_seconds = int(os.environ.get("ROUTING_CACHE_SECONDS", str(7 * 24 * 3600)))
        self.lease_ms = int(float(os.environ.get("ROUTING_LEASE_SECONDS", "5")) * 1000)

    def submit(self, digest: str, data: bytes, queue: str, deadline: float | None) -> tuple[str, str, Flight]:
        """(job id, what happened, flight); what happened: `cached`, `joined`, `raised` (to a faster queue)
        or `new`.
        """
        flight, ticket = Flight(digest, uuid.uuid4().hex), uuid.uuid4().hex
        keys = [flight.prefix + name for name in ("problem", "result", "inflight", "")]
        limit = "" if deadline is None else repr(float(deadline))
        answer, chosen = cast("list[bytes]", self._submit(keys, [data, flight.id, ticket, queue, limit, self.keep]))
        return f"{digest}.{ticket}", answer.decode(), Flight(digest, chosen.decode())

    def ticket(self, job_id: str) -> tuple[dict[str, bytes], Flight | None]:
        """Fields of a ticket (empty if unknown) and its flight."""
        digest, _, ticket = job_id.partition(".")
        if not (digest.isalnum() and ticket.isalnum()):
            return {}, None
        fields = self._fields(f"routing:{{{digest}}}:ticket:{ticket}")
        return fields, Flight(digest, fields["flight"].decode()) if "flight" in fields else None

    def flight(self, flight: Flight) -> dict[str, bytes]:
        """Fields of a flight; empty if its time is over."""
        return self._fields(flight.key)

    def problem(self, flight: Flight) -> bytes | None:
        """The problem's JSON text."""
        return cast("bytes | None", self.redis.get(flight.prefix + "problem"))

    def claim(self, flight: Flight, worker: str) -> str:
        """`claimed` (search it now), `taken` (another worker does), `finished` or `gone`."""
        return self._text(self._claim([flight.key, flight.lease], [worker, self.lease_ms, MAX_ATTEMPTS]))

    def beat(self, flight: Flight) -> dict[str, bytes]:
        """Renew the lease; the fields a running search must obey: `cancel`, `deadline`."""
        pipe = self.redis.pipeline(transaction=False)
        pipe.pexpire(flight.lease, self.lease_ms)
        pipe.hmget(flight.key, ["cancel", "deadline"])
        _, (cancel, deadline) = pipe.execute()
        return {"cancel": cancel or b"", "deadline": deadline or b""}

    def progress(self, flight: Flight, lower: int, upper: int) -> None:
        """Publish the bounds of a running search."""
        self.redis.hset(flight.key, mapping={"lower": lower, "upper": upper})

    def finish(
        self,
        flight: Flight,
        worker: str,
        state: str,
        answer: bytes = b"",
        error: str = "",
        *,
        proven: bool = False,
    ) -> bool:
        """End a flight; false if the lease was lost, in which case another worker will end it."""
        keys = [flight.key, flight.lease, flight.prefix + "inflight", flight.prefix + "result"]
        arguments: list[Any] = [worker, flight.id, state, answer, error, self.cache_seconds, int(proven)]
        return bool(self._finish(keys, arguments))

    def revive(self, flight: Flight) -> str:
        """The queue to send the flight to again, if its worker died or no worker took it for long; else
        empty.

        Sending a flight that is still in its queue does no harm: the second delivery finds it claimed.
        """
        return self._text(self._revive([flight.key, flight.lease], [RESEND_SECONDS]))

    def cancel(self, job_id: str) -> None:
        """Withdraw a ticket; the search ends when its last ticket is withdrawn."""
        digest, _, ticket = job_id.partition(".")
        fields, flight = self.ticket(job_id)
        if not fields:
            return
        self.redis.hset(f"routing:{{{digest}}}:ticket:{ticket}", "cancelled", 1)
        if flight is None:
            return
        tickets = f"{flight.prefix}tickets:{flight.id}"
        self.redis.srem(tickets, ticket)
        if self.redis.scard(tickets) == 0:
            self.redis.hset(flight.key, "cancel", 1)

    def _fields(self, key: str) -> dict[str, bytes]:
        found = cast("dict[bytes, bytes]", self.redis.hgetall(key))
        return {name.decode(): value for name, value in found.items()}

    @staticmethod
    def _text(value: Any) -> str:
        return value.decode() if isinstance(value, bytes) else str(value)
