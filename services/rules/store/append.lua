-- Writes the next version of a game: log entry, head, state, indexes, remembered answer, announcement.
-- KEYS: meta, log, snaps, idempotency (or "" for none), index by time, then indexes to leave, then indexes to enter.
-- ARGV: see RedisStore.append. Returns {"ok"}, {"answered", value}, {"missing"} or {"stale", version}.
local meta, log, snaps, idem = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local base_version, base_nonce, nonce = ARGV[1], ARGV[2], ARGV[3]
local head, action, events, time = ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local state, checkpoint, remembered, lifetime = ARGV[8], ARGV[9], ARGV[10], ARGV[11]
local update, channel, game, leaving = ARGV[12], ARGV[13], ARGV[14], tonumber(ARGV[15])
local version = string.format("%d", tonumber(base_version) + 1)
local id = version .. "-0"

if idem ~= "" then
  local answer = redis.call("GET", idem)
  if answer then
    return {"answered", answer}
  end
end
local current = redis.call("HMGET", meta, "v", "n", "s")
if not current[1] then
  return {"missing"}
end
if current[1] ~= base_version or current[2] ~= base_nonce then
  -- A request repeated after a broken connection may have been carried out the first time.
  local written = redis.call("XRANGE", log, id, id)
  if written[1] and written[1][2][8] == nonce then
    return {"ok"}
  end
  return {"stale", current[1]}
end

redis.call("XADD", log, id, "a", action, "e", events, "t", time, "n", nonce)
redis.call("HSET", meta, "v", version, "n", nonce, "h", head)
redis.call("HSET", snaps, "now", state)
if checkpoint == "1" then
  redis.call("HSET", snaps, version, state)
end
redis.call("ZADD", KEYS[5], time, game)
for i = 6, 5 + leaving do
  redis.call("ZREM", KEYS[i], game)
end
for i = 6 + leaving, #KEYS do
  redis.call("ZADD", KEYS[i], current[3], game)
end
if idem ~= "" then
  redis.call("SET", idem, remembered, "EX", lifetime)
end
redis.call("PUBLISH", channel, update)
return {"ok"}
