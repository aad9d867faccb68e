-- Taking tasks: how `reserve` and `finish_and_reserve` give tasks. The functions get a table, `call`:
--   listener, queues       the listener, and the names of the queues in the order of the call
--   meta                   the clock and the fields `reserving.fields` of the meta hash
--   limit                  the maximum number of tasks to take, if more than one
--   lease, request, pid    values for the attempts; with `pid` the tasks are started at once
--   order, weights         the order in which the queues are checked
--   woken                  a wake-up led to this call
--   written                a task that this call has moved from or to the listener: the types of its list, and of the
--                          leases, events and started tasks of the queue, are already checked
--   found                  the fields of the tasks taken so far, one task after another, as in the answer
--   number, bytes          the number of these tasks if more than one may be taken, and the bytes of their parameters
--                          and checkpoints
--   stale                  an end of this call had a token that does not hold its task, or was refused: the call may
--                          be a repetition
--   asked, run, ghosts,    for the next task: the order of the queues if it differs from `queues`; the tasks that can
--   strays, updates        be taken with it; for each queue the number of ids before it that are not pending tasks; the
--                          ranked tasks among these; and what must be written for queues with ranked tasks or limits
-- Nil fields are left out: with more than eight fields the table grows, which costs `reserve` 1 % of its time.
local reserving = {}

-- Maximum number of tasks of a queue among which a repeated call that ends attempts searches the tasks that it took.
reserving.HELD = 1000

-- Returns the names of the fields of the meta hash about these queues.
function reserving.fields(queues)
  local fields = {}
  for _, queue in ipairs(queues) do
    args.plain(queue, 'queue')
    fields[#fields + 1] = 'paused:' .. queue
    fields[#fields + 1] = 'ranking:' .. queue
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
    local held = namespace.declare(namespace.prefix .. 'reserved_tasks_' .. queues[i] .. '_' .. listener)
    local id = redis.call('LINDEX', held, '0')
    if id and redis.call('HGET', namespace.prefix .. 'task_' .. id, 'request') == request then
      call.found = reserving.answer_again(call)
      break
    end
  end
end

-- Returns the tasks of a request that the listener still holds, in the order in which they were taken, or nil. Calls
-- that end attempts overlap, so the listener may have taken other tasks since the first call.
function reserving.answer_again(call)
  local answers, found, seen = {}, {}, {}
  local most = call.ended and reserving.HELD or call.limit or 1
  for _, queue in ipairs(call.queues) do
    local held = namespace.declare(namespace.key('reserved_tasks', queue .. '_' .. call.listener))
    for _, id in ipairs(redis.call('LRANGE', held, 0, most - 1)) do
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
    giving.commit(call, task, fields)
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
  local prepare, commit = reserving.prepare, giving.commit
  while task and call.number < call.limit and call.bytes <= picking.BYTES do
    local ok
    call.written, call.run, call.ghosts, call.asked, call.updates = task, nil, nil, nil, nil
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
    call.bytes = (call.bytes or 0) + picking.bytes(taken.fields or fields)
  end
end

-- Takes tasks for a call that may have ended attempts. After such ends, an error here becomes a part of the answer.
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
  if call.request and call.stale then
    call.found = reserving.answer_again(call)
  elseif call.request and not call.ended then
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
  local task, fields = picking.look(call)
  if task then
    giving.plan(call, task)
  end
  return task, fields
end

-- Records the call of the listener, and the updates of queues that had no task for it.
function reserving.nothing(call)
  local prefix, queues, listener = namespace.prefix, call.queues, call.listener
  for _, queue in ipairs(queues) do
    listeners.require(queue, listener)
    namespace.probe('ZCARD', prefix .. 'seen_' .. queue)
    namespace.declare(prefix .. 'pending_tasks_' .. queue) -- in a slot that is being moved it may only seem empty
  end
  if call.updates then
    attempt.plan_updates(call.updates)
  end
  namespace.begin()
  attempt.clear(call)
  for _, queue in ipairs(queues) do
    listeners.seen(queue, listener)
  end
  if call.updates then
    attempt.write_updates(call.updates)
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
