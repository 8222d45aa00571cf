-- Writes a new game: facts, head, log, archive, states, indexes, remembered answer, announcement.
-- KEYS: meta, log, snaps, archive, idempotency (or "" for none), sequence, index by time, then indexes
-- to enter.
-- ARGV: see RedisStore.create. Returns {"ok"}, {"answered", value} or {"taken"}.
local meta, log, snaps, archive, idem = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local game, version, nonce, facts, head = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local remembered, lifetime, channel, update = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local archived, blocks, states = ARGV[10], tonumber(ARGV[11]), tonumber(ARGV[12])
local time = ARGV[13]

if idem ~= "" then
  local answer = redis.call("GET", idem)
  if answer then
    return {"answered", answer}
  end
end
local creator = redis.call("HGET", meta, "c")
if creator then
  if creator == nonce then
    return {"ok"}
  end
  return {"taken"}
end

local sequence = redis.call("INCR", KEYS[6])
redis.call("HSET", meta, "c", nonce, "v", version, "n", nonce, "f", facts, "h", head, "s", sequence)
local at = 14
for _ = 1, blocks do
  redis.call("HSET", archive, ARGV[at], ARGV[at + 1], "to", archived)
  at = at + 2
end
for _ = 1, states do
  redis.call("HSET", snaps, ARGV[at], ARGV[at + 1])
  at = at + 2
end
while ARGV[at] do
  redis.call("XADD", log, ARGV[at], "a", ARGV[at + 1], "e", ARGV[at + 2], "t", ARGV[at + 3], "n", ARGV[at + 4])
  at = at + 5
end
redis.call("ZADD", KEYS[7], time, game)
for i = 8, #KEYS do
  redis.call("ZADD", KEYS[i], sequence, game)
end
if idem ~= "" then
  redis.call("SET", idem, remembered, "EX", lifetime)
end
redis.call("PUBLISH", channel, update)
return {"ok"}
