--- Ends an attempt with its result.
-- @args now id token result
-- @options max_bytes
-- @reply `complete`
-- @errors LOST TOOBIG
local meta = redis.call('HMGET', space.meta, space.CLOCK, 'limits')
space.time(meta[1])
local id, token, result = ARGV[2], ARGV[3], ARGV[4]
if not result then
  args.missing('id token result')
end
if ARGV[5] or #result > 1048576 then
  args.bytes(result, args.options({ max_bytes = args.size }, 4).max_bytes, 'result')
end

local task, answer = owner.task(id, token, 'complete ')
if not task then
  return answer
end
-- What `state.plan` reads. The leases are written first, and that write proves them itself.
local prefix, tasks = space.prefix, '_tasks_' .. task.queue
local held, events = prefix .. 'reserved' .. tasks .. '_' .. task.node, prefix .. 'events_' .. task.queue
task.last = redis.call('LINDEX', held, -1) == id
redis.call('XLEN', events)
redis.call('LLEN', prefix .. 'complete' .. tasks)
if task.status == 'started' then
  redis.call('SCARD', prefix .. 'started' .. tasks)
end
if task.ties and string.find(task.ties, '[pu]') then -- it holds places or a unique name
  bonds.plan(task, 'complete')
end
if meta[2] or task.places then
  state.plan_free(task)
end
if task.cancel then
  space.probe('HLEN', prefix .. 'orders_' .. task.queue)
end
if space.touched then
  space.begin(prefix .. 'leases_' .. task.queue, held, events, prefix .. 'complete' .. tasks, prefix .. 'started' .. tasks)
end
state.move(task, 'complete', 'complete', task.node,
  'token', '', 'ended', token, 'outcome', 'complete', 'result', result)
return 'complete'
