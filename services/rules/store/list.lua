-- One page of the games that are in every given index, newest first.
-- KEYS: indexes. ARGV: score to stay below ("+inf" for the first page), page size.
-- Returns {score of the last game looked at or "", id, id, ...}; a score means there may be more.
local smallest, size = KEYS[1], nil
for _, key in ipairs(KEYS) do
  local count = redis.call("ZCARD", key)
  if size == nil or count < size then
    smallest, size = key, count
  end
end
local below, wanted = ARGV[1], tonumber(ARGV[2])
local result = {""}
local last = ""
local looked = 0
while looked < 20000 do
  local chunk = redis.call("ZREVRANGEBYSCORE", smallest, below, "-inf", "WITHSCORES", "LIMIT", 0, 200)
  if #chunk == 0 then
    return result
  end
  for i = 1, #chunk, 2 do
    local everywhere = true
    for _, key in ipairs(KEYS) do
      if key ~= smallest and not redis.call("ZSCORE", key, chunk[i]) then
        everywhere = false
        break
      end
    end
    if everywhere then
      if #result > wanted then
        result[1] = last
        return result
      end
      result[#result + 1] = chunk[i]
      last = chunk[i + 1]
    end
    below = "(" .. chunk[i + 1]
  end
  looked = looked + #chunk / 2
end
result[1] = string.sub(below, 2)
return result
