-- Moves log entries and states that are in `block` already to the archive.
-- KEYS: archive, log, snaps. ARGV: last version archived so far, last version archived from now on, block number,
-- block, versions whose states are in the block.
-- Returns 1, or 0 when somebody else archived meanwhile.
local before = redis.call("HGET", KEYS[1], "to") or "0"
if before ~= ARGV[1] then
  return 0
end
redis.call("HSET", KEYS[1], "to", ARGV[2], ARGV[3], ARGV[4])
redis.call("XTRIM", KEYS[2], "MINID", string.format("%d", tonumber(ARGV[2]) + 1) .. "-0")
for i = 5, #ARGV do
  redis.call("HDEL", KEYS[3], ARGV[i])
end
return 1
