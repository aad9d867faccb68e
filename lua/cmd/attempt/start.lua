--- Reports that a process works on the reserved task, and renews its lease.
-- @args now id token pid
-- @role worker
-- @options lease span
-- @again a later deadline
-- @reply deadline
-- @errors LOST CANCELLED STATE
namespace.open_at(redis.call('HGET', namespace.meta, namespace.CLOCK))
local id, token, pid = ARGV[2], ARGV[3], ARGV[4]
if not pid then
  args.missing('id token pid')
end
if not string.find(pid, '^[1-9]%d?%d?%d?%d?%d?$') then
  pid = string.format('%d', args.integer(pid, contract.PID_LOW, contract.PID_HIGH, 'pid'))
end
local options = ARGV[5] and args.options(4) or {}
local lease, span = options.lease, options.span

local task, given = fence.task(id, token, '', 'lease')
if task.cancel then
  reply.fail('CANCELLED', 'the task was cancelled before it started: release it')
end
lease = lease and string.format('%.0f', lease) or given
local prefix, queue, deadline = namespace.prefix, task.queue, namespace.now_us + lease
local leases = prefix .. 'leases_' .. queue
local digits = namespace.digits(deadline)
task.deadline = digits
local may, role = redis.acl_check_cmd, prefix .. rights.ROLE
if task.status == 'started' then
  if task.pid ~= pid then
    record.refuse('started by another process', 'reserved')
  end
  if may and not (may('ZADD', role, '', '') and (not span or may('HSET', role, '', ''))) then
    rights.require()
  end
  if namespace.declared then
    namespace.begin_declared(leases)
  end
  local member = record.lease(task)
  redis.call('ZADD', leases, task.deadline, member)
  if span then
    redis.call('HSET', prefix .. 'task_' .. id, 'span', span)
  end
  return deadline
end

-- The leases are written first: if that key has another type, this write fails and nothing is changed.
local events, started = prefix .. 'events_' .. queue, prefix .. 'started_tasks_' .. queue
state.read_entered(events, 'SCARD', started)
if task.flags and string.find(task.flags, '[uom]') then
  state.plan_flags(task, 'started')
end
if may and not (may('SADD', started, '') and may('HSET', role, '', '') and may('XADD', events, '*', '', ''))
  or task.flags and string.find(task.flags, '[uom]') then
  rights.require()
end
if namespace.declared then
  namespace.begin_declared(leases, events, started)
end
task.pid = pid
local now = record.time(task)
state.move(task, 'started', 'start', task.node, 'pid', pid, 'lease', lease, 'started', now)
if span then
  redis.call('HSET', prefix .. 'task_' .. id, 'span', span)
end
return deadline
