--- Gives the next task of the first queue that has one to a listener.
-- @args now listener count queue*count
-- @options lease request woken order weights
-- @reply nil, or id queue token attempt deadline lease outcome losses failures parameters checkpoint
-- @errors NOLISTENER DRAINING
local GHOSTS = 100 -- list entries without a pending task that one call removes

local listener, count = ARGV[2], ARGV[3]
if not ARGV[4] then
  args.missing('listener count queue')
end
count = count == '1' and 1 or args.integer(count, 1, contract.QUEUE_COUNT_HIGH, 'count')
local last = 3 + count
-- The clock; for each queue whether it is paused, has ranked tasks, has settings, and whether listeners drain it;
-- the settings of the namespace; the highest token, if it differs from the clock.
local meta
if count == 1 then
  local queue = ARGV[4]
  meta = redis.call('HMGET', namespace.meta, namespace.CLOCK, 'paused:' .. queue, 'lanes:' .. queue,
    'settings:' .. queue, 'drained:' .. queue, 'settings', 'token')
else
  meta = redis.call('HMGET', namespace.meta, attempt.meta_fields(last))
end
namespace.open_at(meta[1])
local common, apart = meta[#meta - 1], meta[#meta]

local lease, request, woken, order = nil, nil, nil, nil
for i = last + 1, #ARGV, 2 do
  local name, value = ARGV[i], ARGV[i + 1]
  if name == 'request' and value and not request and #value <= contract.NAME_HIGH
    and string.find(value, args.PLAIN) then
    request = value
  elseif name == 'woken' and value == '1' and not woken then
    woken = true
  else
    local options = args.options(last)
    lease, request, woken = options.lease, options.request, options.woken
    order = attempt.queue_order(listener, last, options.order, options.weights)
    break
  end
end

local prefix = namespace.prefix
if request then
  for i = 4, last do
    local id = redis.call('LINDEX', prefix .. 'reserved_tasks_' .. ARGV[i] .. '_' .. listener, 0)
    if id and redis.call('HGET', prefix .. 'task_' .. id, 'request') == request then
      local answer = attempt.repeated(id, listener, request)
      if answer then
        return answer
      end
    end
  end
end

for i = 4, last do
  if meta[4 * i - 11] then
    listeners.refuse(ARGV[i], listener)
  end
end

local task, v, ghosts
for nth = 4, last do
  local i = order and order[nth - 3].at or nth
  local queue, skipped = ARGV[i], 0
  local pending = prefix .. 'pending_tasks_' .. queue
  local at = 4 * i - 14 -- index into `meta`
  local open = not meta[at]
  while open and skipped < GHOSTS do
    local id = redis.call('LINDEX', pending, -1 - skipped)
    if not id then
      break
    end
    v = redis.call('HMGET', prefix .. 'task_' .. id,
      'status', 'queue', 'attempt', 'outcome', 'losses', 'failures', 'parameters', 'checkpoint', 'updated', 'ties')
    if v[1] == 'pending' and v[2] == queue and not (v[10] and string.find(v[10], 'r')) then
      task = {
        id = id, queue = queue, status = 'pending', attempt = v[3] or '0', last = true,
        since = v[9], taker = listener, request = request, issue = false, deadline = false, -- set by `attempt.begin`
      }
      task.foreign = not v[3] or nil
      task.ties = v[10] or nil
      break
    end
    if v[1] == 'pending' and v[2] == queue then
      attempt.add_stray({ id = id, queue = queue, status = 'pending', ties = v[10] })
    end
    skipped = skipped + 1
    namespace.declare(prefix .. 'task_' .. id)
  end
  if skipped > 0 then
    ghosts = ghosts or {}
    ghosts[queue] = skipped
    namespace.declare(pending)
  end
  if open and (meta[at + 1] or meta[at + 2] or common) then
    task, v = attempt.select(queue, task, v, {
      ranked = meta[at + 1], own = meta[at + 2], common = common, listener = listener, request = request,
    })
  end
  if task then
    break
  end
end

if not task then
  for i = 4, last do
    listeners.require(ARGV[i], listener)
    namespace.probe('ZCARD', prefix .. 'seen_' .. ARGV[i])
    namespace.declare(prefix .. 'pending_tasks_' .. ARGV[i]) -- during slot migration it may only seem empty
    listeners.refuse(ARGV[i], listener) -- an order of a release that did not mark the queue
  end
  if attempt.updates then
    attempt.plan_updates()
  end
  namespace.begin()
  attempt.clear(ghosts)
  for i = 4, last do
    listeners.seen(ARGV[i], listener)
  end
  if attempt.updates then
    attempt.write_updates()
  end
  return false
end

-- The leases are written first: if that key has another type, this write fails and nothing is changed.
local queue = task.queue
local pending, held = prefix .. 'pending_tasks_' .. queue, prefix .. 'reserved_tasks_' .. queue .. '_' .. listener
local leases, events = prefix .. 'leases_' .. queue, prefix .. 'events_' .. queue
if redis.call('SISMEMBER', prefix .. 'listeners_' .. queue, listener) == 0 then
  listeners.require(queue, listener)
end
state.read_entered(events, 'LLEN', held)
if task.foreign then
  namespace.probe('ZCARD', prefix .. 'tasks_' .. queue)
end
if task.ties then
  claims.plan(task, 'reserved', listener)
  lease = task.own_lease and tonumber(task.own_lease) or lease
end
if woken then
  woken = redis.call('LLEN', pending) - 1 > (ghosts and ghosts[queue] or 0)
    or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1
  if woken then
    state.plan_wake(queue)
  end
end
if attempt.updates then
  attempt.plan_updates()
end
if order then
  namespace.probe('HLEN', prefix .. 'rounds_' .. listener)
end
-- The first write needs no permission check: if it is denied, nothing is changed.
local may = redis.acl_check_cmd
if ghosts or order or task.ties or task.foreign or attempt.updates then
  rights.require()
elseif may and not (may('RPOPLPUSH', pending, held) and may('HSET', namespace.meta, '', '')
  and may('XADD', events, '*', '', '')
  and (not woken or may('LPUSH', prefix .. 'wake_' .. queue, ''))) then
  rights.require()
end
if namespace.declared then
  namespace.begin_declared(leases, prefix .. 'task_' .. task.id, pending, held, events)
end
if ghosts then
  redis.call('ZCARD', leases)
  attempt.clear(ghosts)
end
lease = lease or task.set_lease or attempt.LEASE
local token, deadline = attempt.begin(task, lease, 'reserve', apart)
if attempt.updates then
  attempt.write_updates(queue)
end
if order then
  attempt.record_served(listener, order, queue)
end
if woken then
  state.wake(queue) -- pass it on: one wake-up may stand for many tasks
end
return { task.id, queue, token, tonumber(task.attempt), deadline, lease, v[4] or '', v[5] or '0', v[6] or '0',
  v[7] or '', v[8] }
