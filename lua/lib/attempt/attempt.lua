-- An attempt: one reservation of a task by a listener, with its token and lease.
local attempt = {}

-- Returns the fields of a reserved task in a reply, for `answer`, besides its id and queue.
function attempt.fields()
  return 'outcome', 'losses', 'failures', 'parameters', 'checkpoint'
end

-- Returns the reply of reserve and adopt. `told`: the values of `fields`.
function attempt.answer(task, deadline, lease, told)
  return { task.id, task.queue, task.token, tonumber(task.attempt), deadline, lease,
    told[1] or '', told[2] or '0', told[3] or '0', told[4] or '', told[5] }
end

-- Returns the first reply again if this request of the listener began the attempt, or nil. The lease is not renewed: it
-- counts from the first call. For an attempt without a lease the result is nil, because in a half-moved slot the key
-- with the lease may be on another node.
function attempt.repeated(id, listener, request)
  local v = redis.call('HMGET', namespace.prefix .. 'task_' .. id,
    'status', 'queue', 'attempt', 'token', 'node', 'request', 'lease', attempt.fields())
  if (v[1] ~= 'reserved' and v[1] ~= 'started') or v[5] ~= listener or v[6] ~= request then
    return nil
  end
  local deadline = redis.call('ZSCORE', namespace.prefix .. 'leases_' .. v[2], id .. ' ' .. (v[4] or ''))
  local task = { id = id, queue = v[2], token = v[4], attempt = v[3] }
  return deadline and attempt.answer(task, tonumber(deadline), tonumber(v[7]), { unpack(v, 8, 12) }) or nil
end

-- Gives a planned task to its `taker`: begins a new attempt with a lease, and with a larger token, which advances the
-- clock. Stores `task.request`, if it is set. With a `pid` the attempt is started at once. `apart`: the highest token,
-- if the clock was set back since that token was issued.
-- @inline
function attempt.begin(task, lease, why, apart, pid)
  local listener, length = task.taker, lease == fence.LEASE and fence.LEASE_TEXT or lease
  attempt.number(task, lease, apart)
  local now = record.time(task)
  if pid then
    task.node, task.pid = listener, pid
    state.move(task, 'started', why, listener,
      'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
      'pid', pid, 'started', now)
  else
    state.move(task, 'reserved', why, listener,
      'node', listener, 'token', task.issue, 'attempt', task.attempt, 'lease', length, 'request', task.request or '',
      'reserved', now)
  end
  attempt.issued(task.issue, apart)
end

-- Gives an attempt its number, its token and its lease.
-- @inline
function attempt.number(task, lease, apart)
  local us = namespace.now_us + 1
  namespace.now_us = us
  local token, ends = namespace.digits(us), us + lease
  local deadline = namespace.digits(ends)
  if apart then
    token = string.format('%.0f', math.max(us, tonumber(apart) + 1))
  end
  task.lease, task.issue, task.ends, task.deadline = lease, token, ends, deadline
  task.attempt = task.attempt == '0' and '1' or string.format('%d', task.attempt + 1)
end

-- Stores the last token of a call.
-- @inline
function attempt.issued(token, apart)
  if apart then
    redis.call('HSET', namespace.meta, 'token', token)
    token = string.format('%.0f', namespace.now_us)
  end
  namespace.advance_clock(token)
end

-- Adds a task to the strays of a call of `reserving`: a ranked task that a client without scripts put into the plain
-- list, where limits, needs and priorities do not apply.
function attempt.add_stray(call, task)
  holdings.load(task)
  if not task.rank then
    call.strays = call.strays or {}
    call.strays[#call.strays + 1] = task
    ranking.plan(task)
    wakeups.plan(task.queue)
  end
end

-- Removes ids that are not pending tasks, and strays, from the ends of the lists. Adds the strays to the ranking.
function attempt.clear(call)
  for queue, number in pairs(call.ghosts or {}) do
    for _ = 1, number do
      redis.call('RPOP', namespace.prefix .. 'pending_tasks_' .. queue)
    end
  end
  for _, task in ipairs(call.strays or {}) do
    ranking.add(task)
    wakeups.wake(task.queue) -- for any listener that may take it
  end
  call.strays = nil
end

-- Returns the fields of a task that decide whether it can be taken, and the fields for the answer: status, queue,
-- attempt, outcome, parameters, updated, flags; then losses, failures and checkpoint, which only a task with an outcome
-- has.
-- @inline
function attempt.read(id)
  local key = namespace.prefix .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'outcome', 'parameters', 'updated', 'flags')
  if v[4] or v[3] ~= '0' then
    local ended = redis.call('HMGET', key, 'losses', 'failures', 'checkpoint')
    v[8], v[9], v[10] = ended[1], ended[2], ended[3]
  end
  return v
end

-- Returns the next task of a queue with ranked tasks or settings: the first task of the plain list (`task`, with the
-- values `v` of its record), or a ranked task; nil if no task may run now. `known`: whether the queue has `ranked`
-- tasks, the settings of the queue (`own`) and of the namespace (`common`) as text, and the `listener`. Adds to
-- `call.updates` what the call must write for the queue: the keys with outdated entries, and its limits.
function attempt.select(call, queue, task, v, known)
  local own, common = known.own, known.common
  local set, waits, open, free = own or common, { stale = {} }, true, nil
  if set then
    namespace.shared('settings')[queue] = { own, common }
    waits.limits = limits.queue_state(queue)
    open, free = limits.allows(waits.limits, 1)
  end
  waits.queue = queue
  call.updates = call.updates or {}
  call.updates[#call.updates + 1] = waits
  local best = task and { plain = true, id = task.id }
  if open and known.ranked then
    if best then
      best.rank = fairness.list_rank(v[6], redis.call('HGET', namespace.prefix .. 'task_' .. task.id, 'front'))
    end
    best = ranking.next(queue, known, best, waits.stale)
  end
  if best and not best.plain then
    v = attempt.read(best.id)
    if v[1] ~= 'pending' or v[2] ~= queue then
      waits.ghost = best
      namespace.declare(namespace.prefix .. 'task_' .. best.id)
      return nil
    end
    task = { id = best.id, queue = queue, status = 'pending', attempt = v[3] or '0', since = v[6], flags = v[7] or 'r',
      taker = call.listener, request = call.request, foreign = not v[3] or nil }
  end
  if open and best and task.flags then
    holdings.load(task)
    if task.weight and set then
      open, free = limits.allows(waits.limits, task.weight)
    end
  end
  waits.pool = known.pool
  if waits.pool and waits.pool.free then
    free = math.min(free or math.huge, waits.pool.free)
  end
  waits.free = free
  if not open or not best then
    return nil
  end
  waits.chosen = true
  if waits.pool then
    waits.pool.served = best.class
  end
  if set then
    task.set_lease = settings.micros(queue, 'lease')
  end
  return task, v
end

function attempt.plan_updates(updates)
  for _, waits in ipairs(updates) do
    local queue = waits.queue
    fairness.plan_refresh(queue, waits.stale)
    if waits.free then
      namespace.probe('ZCARD', namespace.key('delayed', queue))
    end
    if waits.chosen and waits.limits and waits.limits.rate then
      namespace.probe('LLEN', limits.starts_key(queue))
    end
    if waits.ghost then
      ranking.plan_discard(queue, waits.ghost)
    end
    if waits.pool then
      shared_turns.plan_write(waits.pool)
    end
    waits.again = (waits.ghost or #waits.stale > 0) and not waits.chosen
    if waits.again then
      wakeups.plan(queue)
    end
  end
end

-- Updates outdated entries, stores the time at which the rate of a queue allows the next start, and counts the start of
-- the chosen task. The queues come in the order of the call: each may change the turns of classes of the others.
function attempt.write_updates(updates)
  for _, waits in ipairs(updates) do
    local queue = waits.queue
    if waits.ghost then
      ranking.discard(queue, waits.ghost)
    end
    for _, key in ipairs(waits.stale) do
      fairness.refresh_all(queue, key)
    end
    if waits.free then
      redis.call('ZADD', namespace.key('delayed', queue), string.format('%.0f', waits.free), '/')
    end
    if waits.chosen and waits.limits then
      limits.record_start(waits.limits.list, waits.limits.rate, string.format('%.0f', namespace.now_us))
    end
    if waits.pool then
      shared_turns.write(waits.pool)
    end
    if waits.again then
      wakeups.wake(queue) -- there may be tasks behind the outdated entries
    end
  end
end

-- Returns the queues of a call in the order in which they are checked. Queues from which the listener took least,
-- relative to their weights, come first.
function attempt.queue_order(call)
  local passes = redis.call('HMGET', namespace.prefix .. 'rounds_' .. call.listener, '*', unpack(call.queues))
  local queues, weights, last = {}, call.weights, tonumber(passes[1] or 0)
  for i, queue in ipairs(call.queues) do
    -- a queue gains no turns while it is not checked
    queues[i] = { at = i, queue = queue,
      pass = math.max(tonumber(passes[i + 1] or 0), last), step = 1000000 / (weights and weights[i] or 1) }
  end
  table.sort(queues, function(one, other)
    return one.pass < other.pass or one.pass == other.pass and one.at < other.at
  end)
  return queues
end

-- Checks the order of a call. Returns the order, or nil for `strict`: as the call names its queues.
function attempt.order(queues, order, weights)
  if (weights ~= nil) ~= (order == 'weighted') or weights and #weights ~= #queues then
    reply.fail('BADARG', 'weights need the order weighted, with one weight for each queue')
  end
  return order ~= 'strict' and order or nil
end

-- Records that a queue was served. Queues that were checked before it and had no task get the same position.
function attempt.record_served(listener, order, queue)
  local changes, pass = {}, 0
  for _, asked in ipairs(order) do
    if asked.queue == queue then
      pass = asked.pass
    end
  end
  for _, asked in ipairs(order) do
    changes[#changes + 1] = asked.queue
    changes[#changes + 1] = string.format('%.0f',
      asked.queue == queue and pass + asked.step or math.max(asked.pass, pass))
  end
  local rounds = namespace.prefix .. 'rounds_' .. listener
  redis.call('HSET', rounds, '*', string.format('%.0f', pass), unpack(changes))
  redis.call('EXPIRE', rounds, 86400) -- listeners come and go
end
