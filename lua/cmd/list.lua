--- Ids of a queue's tasks in one state, or `all`. Pending: by priority, the first to enter first, whatever limits, turns of keys and ageing say; finished: the latest first.
-- @args now queue status cursor limit
-- @reply next cursor (0 at the end), then ids
-- @errors
local LISTS = { complete = 'complete_tasks', failed = 'failed_tasks', cancelled = 'cancelled_tasks' }
local SETS = { scheduled = 'scheduled_tasks', all = 'tasks' }

space.open()
local queue = args.plain(args.next('queue'), 'queue')
local status = args.next('status')
local cursor = args.cursor(args.next('cursor'))
local limit = args.limit()
args.none()
local from = tonumber(cursor)

local ids, after = {}, nil
if status == 'pending' then
  lanes.list(queue, from, limit, ids)
elseif LISTS[status] then
  ids = redis.call('LRANGE', space.key(LISTS[status], queue), from, from + limit - 1)
elseif SETS[status] then
  ids = redis.call('ZRANGE', space.key(SETS[status], queue), from, from + limit - 1)
elseif status == 'started' then
  local page = redis.call('SSCAN', space.key('started_tasks', queue), cursor, 'COUNT', limit)
  after = page[1]
  for _, entry in ipairs(page[2]) do
    ids[#ids + 1] = string.match(entry, '(%S*)$')
  end
elseif status == 'reserved' then
  local page = redis.call('SSCAN', space.key('listeners', queue), cursor, 'COUNT', limit)
  after = page[1]
  for _, listener in ipairs(page[2]) do
    for _, id in ipairs(redis.call('LRANGE', space.key('reserved_tasks', queue .. '_' .. listener), 0, 499)) do
      if redis.call('HGET', space.prefix .. 'task_' .. id, 'status') == 'reserved' then
        ids[#ids + 1] = id
      end
    end
  end
else
  reply.fail('BADARG', 'status must be all, scheduled, pending, reserved, started, complete, failed or cancelled')
end
return { after or (#ids < limit and '0' or string.format('%.0f', from + limit)), unpack(ids) }
