--- Lists the ids of a queue's tasks in one state, or in `all` states. Pending tasks are listed by priority, then in the
--   order in which they became pending, regardless of limits, needs, turns of keys and ageing; scheduled tasks by eta;
--   reserved and started tasks in no order; `all` by creation; tasks in other states newest first.
-- @args now queue status cursor limit
-- @reply next cursor (0 at the end), then ids
-- @errors
namespace.open()
local queue, status, cursor, limit = contract.arguments()
cursor = status == 'reserved' and reservations.cursor(cursor) or args.cursor(cursor)
local from = tonumber(cursor)

local ids, after = {}, nil
if status == 'pending' then
  ids = queue_positions.list(queue, from, limit)
elseif status == 'scheduled' then
  ids = queue_positions.page(queue_positions.scheduled_order('scheduled_tasks', queue),
    queue_positions.scheduled_order('scheduled_ranked_tasks', queue), from, limit)
elseif status == 'waiting' then
  ids = redis.call('ZREVRANGE', namespace.key('waiting_tasks', queue), from, from + limit - 1)
elseif status == 'all' then
  ids = redis.call('ZRANGE', namespace.key('tasks', queue), from, from + limit - 1)
elseif status == 'started' then
  local page = redis.call('SSCAN', namespace.key('started_tasks', queue), cursor, 'COUNT', limit)
  after = page[1]
  for _, entry in ipairs(page[2]) do
    ids[#ids + 1] = string.match(entry, '(%S*)$')
  end
elseif status == 'reserved' then
  after = reservations.page(queue, cursor, limit, ids)
else
  ids = redis.call('LRANGE', namespace.key(status .. '_tasks', queue), from, from + limit - 1)
end
table.insert(ids, 1, after or (#ids < limit and '0' or string.format('%.0f', from + limit)))
return ids
