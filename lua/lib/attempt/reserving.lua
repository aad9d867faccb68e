-- Taking tasks: how `reserve` and `finish_and_reserve` give tasks to a listener. Their functions get a table, `call`:
--   listener, queues       the listener, and the names of the queues in the order of the call
--   meta                   the clock and the fields `reserving.fields` of the meta hash
--   limit                  the most tasks to take, if more than one
--   lease, request, pid    of the attempts; with `pid` they are started at once
--   order, weights         the order in which the queues are checked
--   woken                  a wake-up led to this call
--   written                a task that this call has moved from or to the listener: the types of its list, and of the
--                          leases, events and started tasks of the queue, are already checked
--   found                  the fields of the tasks taken so far, one task after another, as in the answer
--   number, bytes          the number of these tasks if more than one may be taken, and the bytes of their parameters
--                          and checkpoints
--   asked, run, ghosts     for the next task: the order of the queues if it differs from `queues`, the tasks that can
--                          be taken with it, and for each queue the number of ids before it that are not pending tasks
-- Nil fields are left out: with more than eight fields the table grows, which costs `reserve` 1 % of its time.
local reserving = {}

-- Maximum number of ids without a pending task that a call removes from a queue.
reserving.GHOSTS = 100

-- Bytes of parameters and checkpoints after which a call takes no further task.
reserving.BYTES = 8388608

-- Returns the names of the fields of the meta hash about these queues.
function reserving.fields(queues)
  local fields = {}
  for _, queue in ipairs(queues) do
    args.plain(queue, 'queue')
    fields[#fields + 1] = 'paused:' .. queue
    fields[#fields + 1] = 'lanes:' .. queue
    fields[#fields + 1] = 'settings:' .. queue
    fields[#fields + 1] = 'drained:' .. queue
  end
  fields[#fields + 1] = 'limits' -- set if any queue has limits
  fields[#fields + 1] = 'settings' -- the settings of all queues
  fields[#fields + 1] = 'token' -- the highest token, if it differs from the clock
  return unpack(fields)
end

-- Sets `call.found` if an earlier call with the same request took tasks.
-- @inline
function reserving.repeated(call)
  local queues, listener, request = call.queues, call.listener, call.request
  for i = 1, #queues do
    local id = redis.call('LINDEX', namespace.prefix .. 'reserved_tasks_' .. queues[i] .. '_' .. listener, '0')
    if id and redis.call('HGET', namespace.prefix .. 'task_' .. id, 'request') == request then
      call.found = reserving.answer_again(call)
      break
    end
  end
end

-- Returns the tasks of a request that the listener still holds, in the order in which they were taken, or nil.
function reserving.answer_again(call)
  local answers, found, seen = {}, {}, {}
  for _, queue in ipairs(call.queues) do
    local held = namespace.key('reserved_tasks', queue .. '_' .. call.listener)
    for _, id in ipairs(redis.call('LRANGE', held, 0, (call.limit or 1) - 1)) do
      if not seen[id] then -- a queue may be named twice
        answers[#answers + 1] = attempt.repeated(id, call.listener, call.request)
      end
      seen[id] = true
    end
  end
  table.sort(answers, function(one, other) return tonumber(one[3]) < tonumber(other[3]) end)
  for _, answer in ipairs(answers) do
    for i = 1, 11 do
      found[#found + 1] = answer[i]
    end
  end
  return answers[1] and found
end

-- Refuses a listener that is ordered to drain one of its queues.
-- @inline
function reserving.refuse(call)
  local queues, meta = call.queues, call.meta
  for i = 1, #queues do
    if meta[4 * i + 1] then
      listeners.refuse(queues[i], call.listener)
    end
  end
end

-- Takes tasks until it has `limit` tasks or no task is left.
-- @inline
function reserving.take(call)
  local task, fields = reserving.prepare(call)
  if task then
    reserving.commit(call, task, fields)
    if call.limit then
      reserving.take_more(call, task, fields)
    end
  end
  if call.wakes then
    wakeups.wake(call.wakes) -- pass it on: one wake-up may stand for many tasks
  end
  if call.others then
    for _, queue in ipairs(call.others) do
      wakeups.wake(queue)
    end
  end
end

-- Takes further tasks after the first task. An error at a further task only ends the call.
function reserving.take_more(call, task, fields)
  reserving.count(call, task, fields)
  local prepare, commit = reserving.prepare, reserving.commit
  while task and call.number < call.limit and call.bytes <= reserving.BYTES do
    local ok
    call.written, call.run, call.ghosts, call.asked = task, nil, nil, nil
    ok, task, fields = pcall(prepare, call)
    task = ok and task
    if task then
      commit(call, task, fields)
      reserving.count(call, task, fields)
    end
  end
end

-- Counts a task that was taken, and the tasks that were taken with it.
function reserving.count(call, task, fields)
  for _, taken in ipairs(call.run or { task }) do
    call.number = (call.number or 0) + 1
    call.bytes = (call.bytes or 0) + reserving.bytes(taken.fields or fields)
  end
end

function reserving.bytes(fields)
  return #(fields[5] or '') + #(fields[10] or '')
end

-- Takes tasks for a call that may have ended attempts. If it has, an error here becomes a part of its answer.
-- @hot
function reserving.more(call)
  local ok, raised = pcall(reserving.start, call)
  if not ok and not call.ended then
    error(raised, 0)
  elseif not ok then
    call.refusal = reply.code(raised)
  end
end

-- Takes tasks, unless this call is a repetition and the first call took tasks. A call that ends attempts can only be a
-- repetition if one of its ends was stale.
-- @hot
function reserving.start(call)
  if call.request and (fence.found_stale or not call.ended) then
    reserving.repeated(call)
  end
  if not call.found then
    reserving.refuse(call)
    if call.full then
      call.refusal = call.full
      return
    end
    reserving.take(call)
    if not call.found then
      reserving.nothing(call)
    end
  end
end

-- Returns the code of the error with which the server refuses writes of a queue that need memory, or false. Ends are
-- accepted despite this error, and after their first write the server accepts every write.
-- @hot
function reserving.full(queue)
  local answer = redis.pcall('ZADD', namespace.prefix .. 'leases_' .. queue, 'XX', '0', '')
  return type(answer) == 'table' and reply.code(answer)
end

-- Finds the next task and plans to take it. Returns the task, or nil, and its fields.
-- @inline
function reserving.prepare(call)
  attempt.updates = false
  local task, fields = reserving.look(call)
  if task then
    reserving.plan(call, task)
  end
  return task, fields
end

-- Finds the next task, in the first queue that has a task. Sets `call.ghosts` if other ids are before it.
-- @inline
function reserving.look(call)
  local prefix, queues, meta, listener = namespace.prefix, call.queues, call.meta, call.listener
  local order = call.order and attempt.queue_order(call)
  local common, task, v, ghosts = meta[#meta - 1], nil, nil, nil
  if order then
    call.asked = order
  end
  for nth = 1, #queues do
    local i = order and order[nth].at or nth
    local queue, skipped, at = queues[i], 0, 4 * i - 2
    local open, weighed = not meta[at], meta[at + 1] or meta[at + 2] or common
    local pending = prefix .. 'pending_tasks_' .. queue
    while open and skipped < reserving.GHOSTS do
      local id = redis.call('LINDEX', pending, skipped == 0 and '-1' or -1 - skipped)
      if not id then
        break
      end
      local read = attempt.read(id)
      v = read
      if v[1] == 'pending' and v[2] == queue and not (v[7] and string.find(v[7], 'r')) then
        task = {
          id = id, queue = queue, status = 'pending', attempt = v[3] or '0', last = true, since = v[6],
          taker = listener, request = call.request,
          issue = false, deadline = false, ends = false, lease = false, -- what `attempt.begin` sets
        }
        if not v[3] then
          task.foreign = true
        end
        if v[7] then
          task.flags = v[7]
        end
        break
      end
      if v[1] == 'pending' and v[2] == queue then
        attempt.add_stray({ id = id, queue = queue, status = 'pending', flags = v[7] })
      end
      skipped = skipped + 1
      namespace.declare(prefix .. 'task_' .. id)
    end
    if skipped > 0 then
      ghosts = ghosts or {}
      ghosts[queue] = skipped
      namespace.declare(pending)
    end
    if open and weighed then
      task, v = attempt.select(queue, task, v, {
        ranked = meta[at + 1], own = meta[at + 2], common = common, listener = listener, request = call.request,
      })
    elseif task and call.limit and not (order or skipped > 0 or task.flags or task.foreign) then
      reserving.look_behind(call, task, v)
    end
    if task then
      break
    end
  end
  if ghosts then
    call.ghosts = ghosts
  end
  return task, v
end

-- Sets `call.run`: the first task and the tasks behind it that can be taken with it, because they have no claims.
function reserving.look_behind(call, first, fields)
  local prefix, queue, listener, number = namespace.prefix, first.queue, call.listener, call.number or 0
  local run, seen = { first }, { [first.id] = true }
  local bytes = (call.bytes or 0) + reserving.bytes(fields)
  first.fields = fields
  local ids = number + 1 < call.limit
    and redis.call('LRANGE', prefix .. 'pending_tasks_' .. queue, number - call.limit, -2) or {}
  for i = #ids, 1, -1 do
    local id = ids[i]
    local v = attempt.read(id)
    if v[1] ~= 'pending' or v[2] ~= queue or not v[3] or v[7] or seen[id] or bytes > reserving.BYTES then
      break
    end
    seen[id] = true
    bytes = bytes + reserving.bytes(v)
    run[#run + 1] = {
      id = id, queue = queue, status = 'pending', attempt = v[3], since = v[6], taker = listener, fields = v,
      issue = false, deadline = false, ends = false, lease = false,
    }
  end
  call.run = run[2] and run
end

-- @inline
function reserving.plan(call, task)
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
    call.wakes = (left > (ghosts and ghosts[queue] or 0) or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1)
      and queue
    if call.wakes then
      wakeups.plan(queue)
    end
    if call.queues[2] then
      reserving.plan_others(call, queue)
    end
  end
  if attempt.updates then
    attempt.plan_updates()
  end
  if call.asked then
    namespace.probe('HLEN', prefix .. 'rounds_' .. listener)
  end
  -- The first write needs no check of its own permission: a refusal changes nothing.
  local may, role = redis.acl_check_cmd, namespace.prefix .. rights.ROLE
  if ghosts or call.asked or task.flags or task.foreign or attempt.updates or call.others then
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
function reserving.plan_others(call, taken)
  local prefix = namespace.prefix
  local others = {}
  for i, queue in ipairs(call.queues) do
    local waiting = redis.pcall('LLEN', prefix .. 'pending_tasks_' .. queue)
    if queue ~= taken and not call.meta[4 * i - 2] and type(waiting) == 'number'
      and (waiting > 0 or redis.call('EXISTS', prefix .. 'lane_tasks_' .. queue) == 1)
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
function reserving.commit(call, task, fields)
  if call.run then
    reserving.commit_run(call)
  else
    if call.ghosts then
      redis.call('ZCARD', namespace.prefix .. 'leases_' .. task.queue)
      attempt.clear(call.ghosts)
    end
    local lease = call.lease
    if task.flags then
      lease = tonumber(task.own_lease) or lease
    end
    lease = lease or task.set_lease or fence.LEASE
    attempt.begin(task, lease, 'reserve', call.meta[#call.meta], call.pid)
    if attempt.updates then
      attempt.write_updates()
    end
    if call.asked then
      attempt.record_served(call.listener, call.asked, task.queue)
    end
    reserving.answer(call, task, fields)
  end
end

-- Gives a run of consecutive tasks without claims to the listener.
function reserving.commit_run(call)
  local run, lease, pid, listener = call.run, call.lease or fence.LEASE, call.pid, call.listener
  local apart, write, length = call.meta[#call.meta], state.record, string.format('%.0f', lease)
  for i = 1, #run do
    attempt.number(run[i], lease, apart)
    apart = apart and run[i].issue
  end
  state.take_all(run, pid)
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
    reserving.answer(call, task, task.fields)
  end
  attempt.issued(run[#run].issue, apart)
end

-- Adds a task that was taken to the answer. `v`: its fields, as returned by `attempt.read`.
-- @inline
function reserving.answer(call, task, v)
  if call.found then
    reserving.append(call.found, task, v)
  else -- a table that is made at once costs less than a growing table
    call.found = { task.id, task.queue, task.issue, tonumber(task.attempt), task.ends, task.lease,
      v[4] or '', v[8] or '0', v[9] or '0', v[5] or '', v[10] or false }
  end
end

function reserving.append(found, task, v)
  local n = #found
  found[n + 1], found[n + 2], found[n + 3], found[n + 4] = task.id, task.queue, task.issue, tonumber(task.attempt)
  found[n + 5], found[n + 6] = task.ends, task.lease
  found[n + 7], found[n + 8], found[n + 9] = v[4] or '', v[8] or '0', v[9] or '0'
  found[n + 10], found[n + 11] = v[5] or '', v[10] or false
end

-- Records the call of the listener, and the updates of queues that had no task for it.
function reserving.nothing(call)
  local prefix, queues, listener = namespace.prefix, call.queues, call.listener
  for _, queue in ipairs(queues) do
    listeners.require(queue, listener)
    namespace.probe('ZCARD', prefix .. 'seen_' .. queue)
    namespace.declare(prefix .. 'pending_tasks_' .. queue) -- in a slot that is being moved it may only seem empty
  end
  if attempt.updates then
    attempt.plan_updates()
  end
  namespace.begin()
  attempt.clear(call.ghosts)
  for _, queue in ipairs(queues) do
    listeners.seen(queue, listener)
  end
  if attempt.updates then
    attempt.write_updates()
  end
end

-- Returns the reply of a call that asks when maintenance is due. Only a call that found no task reads that time.
function reserving.or_due(call)
  if call.found then
    return { '', unpack(call.found) }
  end
  local first = call.due and namespace.decimal(maintenance.first(maintenance.read(call.queues)))
  reserving.nothing(call)
  return { first or '' }
end
