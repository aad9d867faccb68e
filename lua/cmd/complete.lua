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

local task, answer = owner.task(id, token, 'complete ', 'failures')
if not task then
  return answer
end
if task.cancel then
  owner.alive(task)
end
if answer and answer ~= '0' then -- its failures
  task.forget = { 'error', 'group', 'last_error', 'last_group', 'cancel', 'recall' }
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
if task.cancel or task.recall then
  orders.plan(task.queue)
end
local may, ended, record_key = redis.acl_check_cmd, prefix .. 'complete' .. tasks, prefix .. 'task_' .. id
if task.ties or task.wakes or task.cancel or task.recall or task.forget then
  rights.require()
elseif may and not (may('HSET', record_key, '', '') and may('XADD', events, '*', '', '')
  and (task.status ~= 'started' or may('SREM', prefix .. 'started' .. tasks, ''))
  and (not task.last or may('RPOPLPUSH', held, ended))
  and (task.last or may('LREM', held, '', '') and may('LPUSH', ended, ''))) then
  rights.require()
end
if space.touched then
  space.enter(prefix .. 'leases_' .. task.queue, held, events, prefix .. 'complete' .. tasks, prefix .. 'started' .. tasks)
end
state.move(task, 'complete', 'complete', task.node,
  'token', '', 'ended', token, 'outcome', 'complete', 'result', result)
return 'complete'
