--- A queue's transitions after an event; with `id` only those of one task, among the next `limit` events.
-- @args now queue after limit
-- @options id
-- @reply the last event looked at (`after` again if there is none), 1 if events right after `after` have been
--   trimmed and may have been missed, then for each its event, id, from, to, attempt, at, by, why, since
-- @errors
namespace.open()
local queue, after, limit = contract.arguments()
local only = args.options().id
local key = namespace.key('events', queue)
local answer = { after, 0 }
-- The last event is never trimmed: if `after` itself is gone, later events exist and may have been trimmed, too.
if after ~= '0' and #redis.call('XRANGE', key, after, after) == 0 then
  answer[2] = 1
end
for _, entry in ipairs(redis.call('XRANGE', key, '(' .. after, '+', 'COUNT', limit)) do
  local v = entry[2]
  answer[1] = entry[1]
  if not only or v[2] == only then
    answer[#answer + 1] = entry[1]
    for i = 2, 16, 2 do
      answer[#answer + 1] = v[i] or ''
    end
  end
end
return answer
