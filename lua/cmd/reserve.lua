--- Pops the next task of the first queue that has one, and gives it to a listener.
-- @args now listener count queue*count
-- @options lease request woken
-- @reply nil, or id queue token attempt deadline lease outcome losses failures parameters checkpoint
-- @errors NOLISTENER DRAINING
local GHOSTS = 100 -- ids without a pending task that one call clears away

local listener, count = ARGV[2], ARGV[3]
if not ARGV[4] then
  args.missing('listener count queue')
end
count = count == '1' and 1 or args.integer(count, 1, 32, 'count')
local last = 3 + count
local meta -- the clock, then for each queue whether it is paused
if count == 1 then
  meta = redis.call('HMGET', space.meta, space.CLOCK, 'paused:' .. ARGV[4])
else
  local fields = {}
  for i = 4, last do
    fields[i - 3] = 'paused:' .. args.plain(ARGV[i] or reply.fail('BADARG', 'missing argument: queue'), 'queue')
  end
  meta = redis.call('HMGET', space.meta, space.CLOCK, unpack(fields))
end
space.time(meta[1])

local lease, request, woken = attempt.LEASE, nil, nil
for i = last + 1, #ARGV, 2 do
  local name, value = ARGV[i], ARGV[i + 1]
  if name == 'request' and value and not request and #value <= 128 and string.find(value, args.PLAIN) then
    request = value
  elseif name == 'woken' and value == '1' and not woken then
    woken = true
  else
    local options = args.options({ lease = args.lease, request = args.plain, woken = args.flag }, last)
    lease, request, woken = options.lease or lease, options.request, options.woken
    break
  end
end

local prefix = space.prefix
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

local task, v, ghosts
for i = 4, last do
  local queue, skipped = ARGV[i], 0
  local pending = prefix .. 'pending_tasks_' .. queue
  while not meta[i - 2] and skipped < GHOSTS do
    local id = redis.call('LINDEX', pending, -1 - skipped)
    if not id then
      break
    end
    v = redis.call('HMGET', prefix .. 'task_' .. id,
      'status', 'queue', 'attempt', 'outcome', 'losses', 'failures', 'parameters', 'checkpoint', 'updated')
    if v[1] == 'pending' and v[2] == queue then
      task = {
        id = id, queue = queue, status = 'pending', attempt = v[3] or '0', last = true,
        since = v[9], taker = listener, issue = false, deadline = false, -- what `attempt.begin` sets
      }
      task.foreign = not v[3] or nil
      break
    end
    skipped = skipped + 1
  end
  if skipped > 0 then
    ghosts = ghosts or {}
    ghosts[queue] = skipped
    space.touch(pending)
  end
  if task then
    break
  end
end

if not task then
  for i = 4, last do
    listeners.require(ARGV[i], listener)
    space.probe('ZCARD', prefix .. 'seen_' .. ARGV[i])
    if redis.call('HEXISTS', prefix .. 'orders_' .. ARGV[i], 'l:' .. listener) == 1 then
      reply.fail('DRAINING', 'this listener was ordered to drain: end what it holds and unregister it')
    end
  end
  space.begin()
  attempt.clear(ghosts)
  for i = 4, last do
    listeners.seen(ARGV[i], listener)
  end
  return false
end

-- What `state.plan` reads, but for what has been read here. The leases are
-- written first, and that write proves them itself.
local queue = task.queue
local pending, held = prefix .. 'pending_tasks_' .. queue, prefix .. 'reserved_tasks_' .. queue .. '_' .. listener
local leases, events = prefix .. 'leases_' .. queue, prefix .. 'events_' .. queue
if redis.call('SISMEMBER', prefix .. 'listeners_' .. queue, listener) == 0 then
  listeners.require(queue, listener)
end
redis.call('XLEN', events)
if not request then
  redis.call('LLEN', held)
end
if task.foreign then
  space.probe('ZCARD', prefix .. 'tasks_' .. queue)
end
if woken then
  woken = redis.call('LLEN', pending) - 1 > (ghosts and ghosts[queue] or 0)
  if woken then
    state.plan_wake(queue)
  end
end
if space.touched then
  space.begin(leases, prefix .. 'task_' .. task.id, pending, held, events)
end
if ghosts then
  redis.call('ZCARD', leases)
  attempt.clear(ghosts)
end
local token, deadline = attempt.begin(task, listener, lease, request, 'reserve')
if woken then
  state.wake(queue) -- pass it on: one wake-up may stand for many tasks
end
return { task.id, queue, token, tonumber(task.attempt), deadline, lease, v[4] or '', v[5] or '0', v[6] or '0', v[7] or '', v[8] }
