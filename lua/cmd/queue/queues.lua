--- Lists the queues of the namespace.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each queue: its name; the number of listeners that take its tasks; when
--   it was paused, by whom and why, or an empty string; and `stop` if its running tasks are stopped
-- @errors
namespace.open()
local cursor, limit = contract.arguments()
local page = redis.call('ZRANGE', namespace.prefix .. 'queues', cursor, cursor + limit - 1)
local answer = { #page < limit and '0' or string.format('%.0f', cursor + limit) }
for i = 1, #page do
  local paused = redis.call('HGET', namespace.meta, 'paused:' .. page[i])
  reply.add(answer, page[i], string.format('%d', listeners.count(page[i]).present), paused or '',
    paused and redis.call('HGET', namespace.key('orders', page[i]), 'q') or '')
end
return answer
