-- Moves log entries that are in `block` already from the stream to the archive.
-- KEYS: archive, log. ARGV: last version archived so far, last version archived from now on, block number, block.
-- Returns 1, or 0 when somebody else archived meanwhile.
local before = redis.call("HGET", KEYS[1], "to") or "0"
if before ~= ARGV[1] then
  return 0
end
redis.call("HSET", KEYS[1], "to", ARGV[2], ARGV[3], ARGV[4])
redis.call("XTRIM", KEYS[2], "MINID", string.format("%d", tonumber(ARGV[2]) + 1) .. "-0")
return 1
