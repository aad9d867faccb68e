--- Ends an attempt with its result.
-- @args now id token result
-- @options max_bytes cost
-- @reply `complete`
-- @errors LOST TOOBIG
local meta = redis.call('HMGET', namespace.meta, namespace.CLOCK, 'limits')
namespace.open_at(meta[1])
local id, token, result, cost = ARGV[2], ARGV[3], ARGV[4], nil
if not result then
  args.missing('id token result')
end
if ARGV[5] or #result > contract.PAYLOAD_HIGH then
  local options = args.options(4)
  args.bytes(result, options.max_bytes or contract.PAYLOAD_HIGH, 'result')
  cost = options.cost
end

local task, answer = owner.task(id, token, 'complete ')
if not task then
  return answer
end
local prefix, tasks = namespace.prefix, '_tasks_' .. task.queue
if task.cancel then
  owner.alive(task)
end
if task.attempt ~= '1' and (redis.call('HGET', prefix .. 'task_' .. id, 'failures') or '0') ~= '0' then
  task.forget = { 'error', 'group', 'last_error', 'last_group', 'cancel', 'recall' }
end
-- The leases are written first: if that key has another type, this write fails and nothing is changed.
local held, ended, events = prefix .. 'reserved' .. tasks .. '_' .. task.node, prefix .. 'complete' .. tasks,
  prefix .. 'events_' .. task.queue
local started = task.status == 'started' and prefix .. 'started' .. tasks
state.read_left(task, held, started)
state.read_entered(events, 'LLEN', ended)
if task.ties and string.find(task.ties, '[pu]') then -- it holds places or a unique name
  claims.plan(task, 'complete')
end
if meta[2] or task.limited then
  state.plan_free(task)
end
if task.cancel or task.recall then
  orders.plan(task.queue)
end
local may = redis.acl_check_cmd
if task.ties or task.wakes or task.cancel or task.recall or task.forget then
  rights.require()
elseif may and not (may('HSET', namespace.meta, '', '') and may('XADD', events, '*', '', '')
  and (not started or may('SREM', started, ''))
  and (not task.last or may('RPOPLPUSH', held, ended))
  and (task.last or may('LREM', held, '', '') and may('LPUSH', ended, ''))) then
  rights.require()
end
if namespace.declared then
  namespace.begin_declared(prefix .. 'leases_' .. task.queue, held, events, ended, started or held)
end
if cost then
  state.move(task, 'complete', 'complete', task.node,
    'token', '', 'ended', token, 'outcome', 'complete', 'result', result, 'cost', cost, 'cost_of', token)
else
  state.move(task, 'complete', 'complete', task.node,
    'token', '', 'ended', token, 'outcome', 'complete', 'result', result)
end
return 'complete'
