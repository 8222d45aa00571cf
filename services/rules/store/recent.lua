-- One page of the games with a version written since a time that are in every given index, least recently written first.
-- KEYS: index of games by time, other indexes. ARGV: time, id of the last game seen of that time ("": none), page size.
-- Returns {"time.id" of the last game looked at or "", id, id, ...}; the first means there may be more.
-- A game written while somebody pages moves to the end: it may come twice, never not at all.
local time, seen, wanted = ARGV[1], ARGV[2], tonumber(ARGV[3])
local result = {""}
local last = ""
local looked = 0
while looked < 20000 do
  local chunk = redis.call("ZRANGEBYSCORE", KEYS[1], time, "+inf", "WITHSCORES", "LIMIT", looked, 200)
  if #chunk == 0 then
    return result
  end
  for i = 1, #chunk, 2 do
    local id, score = chunk[i], chunk[i + 1]
    local everywhere = score ~= time or id > seen
    for k = 2, #KEYS do
      everywhere = everywhere and redis.call("ZSCORE", KEYS[k], id)
    end
    if everywhere then
      if #result > wanted then
        result[1] = last
        return result
      end
      result[#result + 1] = id
      last = score .. "." .. id
    end
  end
  looked = looked + #chunk / 2
  result[1] = chunk[#chunk] .. "." .. chunk[#chunk - 1]
  if #chunk < 400 then
    result[1] = ""
    return result
  end
end
return result
