-- Giving: gives the task that `picking` found to the listener, and adds it to the answer. `call` is the table that
-- `reserving` describes.
local giving = {}

-- @inline
function giving.plan(call, task)
  local listener, pid, prefix = call.listener, call.pid, namespace.prefix
  local queue, ghosts = task.queue, call.ghosts
  local pending, held = prefix .. 'pending_tasks_' .. queue, prefix .. 'reserved_tasks_' .. queue .. '_' .. listener
  local leases, events = prefix .. 'leases_' .. queue, prefix .. 'events_' .. queue
  local started = pid and prefix .. 'started_tasks_' .. queue
  if redis.call('SISMEMBER', prefix .. 'listeners_' .. queue, listener) == 0 then
    listeners.require(queue, listener)
  end
  local last = call.written
  local written = last and last.queue == queue and (last.taker or last.node) == listener
  if not written then
    redis.call('XLEN', events)
    if not call.request or call.ended then -- else `repeated` has read it
      redis.call('LLEN', held)
    end
    if pid then
      redis.call('SCARD', started)
    end
    if last or call.ended then
      redis.call('ZCARD', leases) -- the leases are not written first
    end
  end
  if task.foreign then
    namespace.probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  if task.flags then
    state.plan_flags(task, pid and 'started' or 'reserved', listener)
  end
  if call.woken then
    local left = redis.call('LLEN', pending) - (call.run and #call.run or 1)
    call.wakes = (left > (ghosts and ghosts[queue] or 0)
      or redis.call('EXISTS', namespace.declare(prefix .. 'pending_ranked_tasks_' .. queue)) == 1) and queue
    if call.wakes then
      wakeups.plan(queue)
    end
    if call.queues[2] then
      giving.plan_others(call, queue)
    end
  end
  if call.updates then
    attempt.plan_updates(call.updates)
  end
  if call.asked then
    namespace.probe('HLEN', prefix .. 'rounds_' .. listener)
  end
  -- The first write needs no check of its own permission: a refusal changes nothing.
  local may, role = redis.acl_check_cmd, namespace.prefix .. rights.ROLE
  if ghosts or call.asked or task.flags or task.foreign or call.updates or call.others then
    rights.require()
  elseif may and not ((written or may('HSET', role, '', '') and may('XADD', events, '*', '', ''))
    and (call.run and may('LTRIM', pending, '', '') and may('LPUSH', held, '') or not call.run
      and may('RPOPLPUSH', pending, held))
    and (not pid or may('SADD', started, '')) and (not call.wakes or may('LPUSH', prefix .. 'wake_' .. queue, ''))) then
    rights.require()
  end
  if namespace.declared then
    for _, taken in ipairs(call.run or { task }) do
      namespace.declare(prefix .. 'task_' .. taken.id)
    end
    namespace.begin_declared(leases, pending, held, events, started or held)
  end
end

-- Plans to pass the wake-up on to other queues in which tasks wait. The wake-up may have been for one of these queues,
-- and the listener that is woken next may not check all of them. The wake-up is only a hint, so a wrong type of their
-- keys does not fail the call.
function giving.plan_others(call, taken)
  local prefix = namespace.prefix
  local others = {}
  for i, queue in ipairs(call.queues) do
    local waiting = redis.pcall('LLEN', namespace.declare(prefix .. 'pending_tasks_' .. queue))
    if queue ~= taken and not call.meta[4 * i - 2] and type(waiting) == 'number'
      and (waiting > 0 or redis.call('EXISTS', namespace.declare(prefix .. 'pending_ranked_tasks_' .. queue)) == 1)
      and type(redis.pcall('LLEN', prefix .. 'wake_' .. queue)) == 'number' then
      wakeups.plan(queue)
      others[#others + 1] = queue
    end
  end
  call.others = others[1] and others
end

-- Gives the task to the listener. The leases are written first: if their key has another type, that write fails, and
-- nothing is changed.
-- @inline
function giving.commit(call, task, fields)
  if call.run then
    giving.commit_run(call)
  else
    if call.ghosts then
      redis.call('ZCARD', namespace.prefix .. 'leases_' .. task.queue)
      attempt.clear(call)
    end
    local lease = call.lease
    if task.flags then
      lease = tonumber(task.own_lease) or lease
    end
    lease = lease or task.set_lease or fence.LEASE
    attempt.begin(task, lease, 'reserve', call.meta[#call.meta], call.pid)
    if call.updates then
      attempt.write_updates(call.updates)
    end
    if call.asked then
      attempt.record_served(call.listener, call.asked, task.queue)
    end
    giving.answer(call, task, fields)
  end
end

-- Gives a run of consecutive tasks without holdings to the listener.
function giving.commit_run(call)
  local run, lease, pid, listener = call.run, call.lease or fence.LEASE, call.pid, call.listener
  local apart, write, length = call.meta[#call.meta], state.record, string.format('%.0f', lease)
  for i = 1, #run do
    attempt.number(run[i], lease, apart)
    apart = apart and run[i].issue
  end
  batch.take(run, pid)
  for i = 1, #run do
    local task = run[i]
    local now = record.time(task)
    if pid then
      write(task, 'started', 'reserve', listener,
        'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length,
        'request', call.request or '', 'pid', pid, 'started', now)
    else
      write(task, 'reserved', 'reserve', listener,
        'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length,
        'request', call.request or '', 'reserved', now)
    end
    giving.answer(call, task, task.fields)
  end
  attempt.issued(run[#run].issue, apart)
end

-- Adds a task that was taken to the answer. `v`: its fields, as returned by `attempt.read`.
-- @inline
function giving.answer(call, task, v)
  if call.found then
    giving.append(call.found, task, v)
  else -- a table that is made at once costs less than a growing table
    call.found = { task.id, task.queue, task.issue, tonumber(task.attempt), task.ends, task.lease,
      v[4] or '', v[8] or '0', v[9] or '0', v[5] or '', v[10] or false }
  end
end

function giving.append(found, task, v)
  local n = #found
  found[n + 1], found[n + 2], found[n + 3], found[n + 4] = task.id, task.queue, task.issue, tonumber(task.attempt)
  found[n + 5], found[n + 6] = task.ends, task.lease
  found[n + 7], found[n + 8], found[n + 9] = v[4] or '', v[8] or '0', v[9] or '0'
  found[n + 10], found[n + 11] = v[5] or '', v[10] or false
end
