--- Returns a task's log after an entry, or with `tail` the end of the log. A page ends after 1 MiB of text.
-- @args now id after limit
-- @options tail
-- @reply id of the last entry (`after` again if there is none), then for each entry: its time, attempt, source, text
--   and offset (empty if the sender passed none)
-- @errors
local PAGE, STEP = contract.LOG_TAIL_HIGH, 16 -- bytes of text, and entries read at once

namespace.open()
local id, after, limit = contract.arguments()
local tail = args.options().tail
local key = namespace.key('log', id)
local from = '(' .. after
if tail then
  local before, size, number = '+', 0, 0
  repeat
    local entries = redis.call('XREVRANGE', key, before, '(' .. after, 'COUNT', math.min(STEP, limit - number))
    for _, entry in ipairs(entries) do
      if size < tail then
        size, number, from = size + #entry[2][8], number + 1, entry[1]
      end
      before = '(' .. entry[1]
    end
  until #entries < STEP or size >= tail or number == limit
end
local answer, size, number = { after }, 0, 0
repeat
  local entries = redis.call('XRANGE', key, from, '+', 'COUNT', math.min(STEP, limit - number))
  for _, entry in ipairs(entries) do
    size = size + #entry[2][8]
    if size <= PAGE then
      number, answer[1], from = number + 1, entry[1], '(' .. entry[1]
      for i = 2, 10, 2 do
        answer[#answer + 1] = entry[2][i]
      end
    end
  end
until #entries < STEP or size > PAGE or number == limit
return answer
