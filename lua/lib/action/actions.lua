-- Actions of operators on tasks: on one task, or on many tasks in a step. The plan of an action reads all keys that the
-- action will write and stores the plan in the task, or returns the code and text of a refusal. After `namespace.begin`
-- the action is carried out. `spec`: the request of the call, and values that the tasks of a step share.
local actions = {}

-- A step ends after searching this many list entries for its tasks, or after other work that takes as long.
actions.ENTRIES = 20000

-- A task is searched for within this distance of either end of its list.
actions.NEAR = 500

-- Refusal of a move into a closed queue.
actions.CLOSED = 'the other queue is closed: open it with `blueque drain QUEUE --off`, or set closed to 0'

-- A task, with the fields that every action reads.
function actions.find(id)
  return record.find(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
end

function actions.get(id)
  return record.get(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
end

function actions.refuse(task, allowed)
  return 'STATE', 'the task is ' .. task.status .. '; this is for one that is ' .. allowed
end

-- Plans a transition. In a step, reads that plain tasks share are made once.
function actions.plan(task, to, spec)
  task.to = to
  task.later = spec.planned ~= nil -- tasks of a step may share dependents, or be dependents
  local kind = task.status .. ' ' .. to
  if not record.held(task) then
    actions.seek(task, spec)
    local plain = spec.planned and not task.flags and not task.foreign
    if plain and spec.planned[kind] then
      return state.plan_own(task, to)
    elseif plain then
      spec.planned[kind] = true
    end
  end
  state.plan(task, to)
end

-- The time when a task entered its list. The time of a task that was put back to the front is 0.
function actions.entered(status, updated, front)
  return not (status == 'pending' and front) and tonumber(updated) or 0
end

-- Finds the end of its list that is nearer to a task: near the ends by searching, else by comparing its time with
-- the time of the middle entry. Counts the list entries that the step will search.
function actions.seek(task, spec)
  spec.lists, spec.entries = spec.lists or {}, spec.entries or 0
  if task.flags then
    holdings.load(task)
    spec.entries = spec.entries + 400 + 100 * #tags.names(task.tags) -- updating its claims takes as long
  end
  if task.status == 'scheduled' or task.status == 'waiting' or task.rank then
    return
  end
  local list = namespace.key(task.status .. '_tasks', task.queue)
  local known = spec.lists[list] or { length = redis.call('LLEN', list) }
  spec.lists[list] = known
  if known.length <= 100 then
    spec.entries = spec.entries + known.length
    return
  end
  for direction = -1, 1, 2 do
    local at = redis.call('LPOS', list, task.id, 'RANK', direction, 'MAXLEN', actions.NEAR)
    if at then
      task.from_end = direction
      spec.entries = spec.entries + (direction == 1 and at or known.length - at)
      return
    end
  end
  if not known.middle then
    local middle = redis.call('LINDEX', list, math.floor(known.length / 2))
    known.middle = actions.entered(
      unpack(redis.call('HMGET', namespace.key('task', middle), 'status', 'updated', 'front')))
  end
  local own = actions.entered(task.status, task.since, task.extra[4])
  task.from_end = own <= known.middle and -1 or 1
  spec.entries = spec.entries + known.length / 2
end

-- Returns true if a unique name of a queue is free for this task. Also considers all tasks of its step.
function actions.unique(task, spec)
  if not task.flags then
    return true
  end
  holdings.load(task)
  if not task.unique then
    return true
  end
  spec.claimed = spec.claimed or {}
  if holdings.name_conflict(task) or spec.claimed[task.unique] then
    return false
  end
  spec.claimed[task.unique] = true
  return true
end

-- Cancels a task. While a program may still run, only its owner, or the end of its lease, releases the task: the
-- owner gets an order to cancel, or with `spec.force` to kill. With `spec.at_once` the task is cancelled
-- immediately, and its program may run on for a while.
function actions.cancel(task, spec)
  if task.status == 'cancelled' then
    return
  elseif contract.is_final(task.status) then
    return actions.refuse(task, contract.NOT_FINAL)
  elseif record.held(task) and not actions.frees(task, spec) then
    local order = spec.force and 'kill' or 'cancel'
    local given = orders.of(task)
    task.to = given ~= 'kill' and (given ~= order or spec.discard) and 'cancelling'
    task.order = order
    orders.plan(task.queue)
    tracking.plan_note(task)
    return
  end
  actions.plan(task, 'cancelled', spec)
end

-- Returns true if a held task is taken from its owner at once. A client without scripts has no lease and gets no
-- orders.
function actions.frees(task, spec)
  return spec.at_once or spec.force and task.token == ''
end

function actions.do_cancel(task, spec)
  if task.to == 'cancelling' then
    orders.give(task.queue, 't:' .. task.id, task.order)
    redis.call('HSET', task.key, 'cancel', task.cancel or namespace.now,
      unpack(task.cancel and spec.reason == '' and {} or { 'reason', spec.reason })) -- an earlier reason is kept
    if spec.discard then
      redis.call('HSET', task.key, 'discard', '1', unpack(spec.cause and { 'cause', spec.cause } or {}))
    end
    tracking.note(task, 'cancel', spec.by, spec.reason)
  elseif record.held(task) then
    state.move(task, 'cancelled', 'cancel', '', 'reason', spec.reason, 'ended', task.token, 'outcome', 'lost')
    orders.announce(task.queue)
  elseif spec.cause then
    state.move(task, 'cancelled', 'cancel', '', 'reason', spec.reason, 'cause', spec.cause)
  else
    state.move(task, 'cancelled', 'cancel', '', 'reason', spec.reason)
  end
end

-- Asks the owner of a task to give it back, or with `spec.at_once` takes it from its owner.
function actions.requeue(task, spec)
  if task.status == 'pending' and task.extra[1] == 'released' then
    return -- repeated after a lost reply
  elseif not record.held(task) then
    return actions.refuse(task, contract.OWNED)
  elseif spec.at_once then
    actions.plan(task, task.cancel and 'cancelled' or holdings.state_after_release(task, 'pending', 'drain'), spec)
  elseif task.token == '' then
    return 'STATE', 'a client without scripts holds the task and gets no orders: take it back with at_once, or wait'
  elseif not task.cancel and not task.requeue then
    task.to = 'requeueing'
    orders.plan(task.queue)
    tracking.plan_note(task)
  end
end

function actions.do_requeue(task, spec)
  if task.to == 'requeueing' then
    orders.give(task.queue, 't:' .. task.id, 'stop')
    redis.call('HSET', task.key, 'requeue', namespace.now)
    tracking.note(task, 'requeue', spec.by)
    return
  end
  local more = { holdings.cancel_reason(task) }
  if task.to == 'pending' then
    task.front, task.forget, more = true, { record.attempt_fields() }, { 'front', '1' }
    spec.wakes = task.queue
  end
  state.move(task, task.to, 'requeue', '', 'ended', task.token,
    'outcome', task.to == 'pending' and 'released' or 'cancelled', unpack(more))
  orders.announce(task.queue)
end

-- Retries a failed or cancelled task. `spec.elsewhere`: `retry_elsewhere`, if the task may run again in `spec.queue`.
function actions.retry(task, spec)
  if (task.status == 'pending' or task.status == 'waiting') and task.extra[1] == 'retry' then
    return -- repeated after a lost reply
  elseif record.held(task) and task.cancel then
    return actions.stopping(task)
  elseif task.status ~= 'failed' and task.status ~= 'cancelled' and not (spec.anew and task.status == 'complete') then
    return actions.refuse(task, 'failed or cancelled')
  elseif spec.elsewhere and spec.queue ~= task.queue then
    return spec.elsewhere(task, spec)
  elseif not actions.unique(task, spec) then
    return 'DUPLICATE', holdings.TAKEN
  end
  if task.flags and string.find(task.flags, 'w', 1, true) then
    local code, text = (spec.look or edge_retry.plan_retry)(task, spec)
    if code then
      return code, text
    end
  end
  if task.flags or spec.deadline then
    local code, text = deadlines.plan_retry(task, spec.deadline)
    if code then
      return code, text
    end
  end
  if task.flags and not spec.walks and string.find(task.flags, 'g', 1, true) then
    holdings.load(task)
    graphs.plan_repair(task)
  end
  if task.extra[6] then
    schedules.again(task, task.extra[6])
  end
  actions.plan(task, task.again_edges and task.again_edges.to or 'pending', spec)
end

-- Plans a retry in another queue. A task that waited for others, or is part of a graph, is retried only in its own
-- queue.
function actions.retry_elsewhere(task, spec)
  if task.flags and string.find(task.flags, '[gw]') then
    return 'STATE', 'the task waited for others, or is a part of a graph: retry it in its queue'
  end
  local code, text = actions.destination(spec)
  if code then
    return code, text
  end
  code, text = deadlines.plan_retry(task)
  if code then
    return code, text
  end
  code, text = actions.plan_move(task, 'pending', spec)
  if not code and task.extra[6] then
    schedules.again(task.other, task.extra[6])
    task.again = task.other.again
  end
  return code, text
end

-- Refuses to give a task whose program may still run to another owner. The text contains the time until which it may
-- run.
function actions.stopping(task)
  local deadline = tonumber(redis.call('ZSCORE', namespace.key('leases', task.queue), record.lease(task)) or nil)
  local till = deadline and orders.of(task) == 'kill' and 'until ' .. namespace.decimal(deadline)
      .. ' at the latest'
    or 'until its owner has stopped it'
  return 'STOPPING', 'the task is being cancelled and its program may still run, ' .. till
    .. ': repeat the call then'
end

function actions.do_retry(task, spec)
  task.forget = { 'error', 'group', 'last_error', 'last_group', 'reason', 'cause', 'discard', 'cascade', 'front',
    'uncounted', 'stalled_losses', record.attempt_fields() }
  if spec.fresh then
    task.forget[#task.forget + 1] = 'checkpoint'
    task.forget[#task.forget + 1] = 'checkpointed'
    task.forget[#task.forget + 1] = 'ended' -- `ended` leads a worker to data of the previous attempt on its host
  end
  if spec.anew then
    task.forget[#task.forget + 1] = 'result'
    task.forget[#task.forget + 1] = 'readied'
  end
  if task.extra[5] then
    task.forget[#task.forget + 1] = 'eta'
    task.forget[#task.forget + 1] = 'retry_eta'
  end
  local stale = { 'failures', '0', 'losses', '0', 'releases', '0', 'outcome', 'retry' }
  if task.token ~= '' then
    -- A client without scripts ended the attempt and did not remove its fields.
    stale[#stale + 1], stale[#stale + 2] = 'ended', task.token
    for _, field in ipairs({ 'token', 'lease', 'request' }) do
      task.forget[#task.forget + 1] = field
    end
  end
  for _, value in ipairs(task.new_end and { 'deadline', task.new_end, 'flags', task.flags } or {}) do
    stale[#stale + 1] = value
  end
  for _, value in ipairs(task.bind or {}) do
    stale[#stale + 1] = value
  end
  if task.other then
    task.other.forget, task.forget = task.forget, nil
    actions.arrive(task, spec, 'retry', unpack(stale))
  else
    state.move(task, task.to, 'retry', '', unpack(stale))
    spec.wakes = task.queue
  end
  if task.again_edges then
    (spec.wait or edge_retry.retry)(task)
  end
  if task.repairs then
    graphs.begin_walk(task.graph, 'repair')
  end
  if task.again then
    schedules.remember(task)
  end
end

-- Deletes a finished task, or with `spec.waiting` also a waiting task.
function actions.delete(task, spec)
  if record.held(task) or not (spec.waiting or contract.is_final(task.status)) then
    return actions.refuse(task, spec.waiting and contract.NOT_OWNED or contract.FINAL)
  elseif edges.is_needed(task) then
    return 'STATE', 'tasks that wait for this one do not have its result yet: a worker gives it to them soon'
  end
  actions.plan(task, 'deleted', spec)
end

function actions.do_delete(task, spec)
  state.move(task, 'deleted', spec.waiting and 'purge' or 'delete', '')
end

-- Reads the settings and counts of the queue that tasks are moved to. Returns a refusal if it is closed.
function actions.destination(spec)
  if not spec.known then
    spec.known = redis.call('ZSCORE', namespace.declare(namespace.prefix .. 'queues'), spec.queue) and 'old' or 'new'
    spec.closed = settings.get(spec.queue, 'closed') == '1'
    spec.needs, spec.different = {}, redis.call('HLEN', namespace.key('needs', spec.queue))
  end
  if spec.closed then
    return 'CLOSED', actions.CLOSED
  end
end

-- Moves a waiting task to another queue, behind the tasks that wait there. `spec.alter` changes the claims of the task
-- in the other queue, and the state in which it waits.
function actions.move(task, spec)
  if task.queue == spec.queue then
    return -- repeated after a lost reply
  elseif not contract.is_waiting(task.status) then
    return actions.refuse(task, contract.WAITING)
  end
  local code, text = actions.destination(spec)
  if code then
    return code, text
  end
  return actions.plan_move(task, task.status, spec)
end

-- Plans that a task leaves its queue and enters `spec.queue` in the state `to`. Returns the code and text of a
-- refusal.
function actions.plan_move(task, to, spec)
  local other = holdings.elsewhere(task, spec.queue, task.extra[2])
  other.to, other.eta = to, to == 'scheduled' and task.extra[3] or nil
  if spec.alter then
    spec.alter(task, other)
  end
  if not actions.unique(other, spec) then
    return 'DUPLICATE', holdings.TAKEN_THERE
  end
  local class = needs.class(other)
  if class and not spec.needs[class] and not needs.number(other.queue, class) then
    if spec.different >= needs.MOST then
      return 'TOOMANY', 'the tasks that wait in the other queue have 64 different needs already: `why` and doctor name'
        .. ' those that no listener has'
    end
    spec.needs[class], spec.different = true, spec.different + 1
  end
  actions.plan(task, 'moved', spec)
  state.plan(other, other.to)
  task.other = other
end

function actions.do_move(task, spec)
  local other = task.other
  other.forget = {}
  if other.to == 'scheduled' then
    actions.arrive(task, spec, 'move', 'eta', other.eta)
  else
    actions.arrive(task, spec, 'move')
  end
end

-- Moves a task as planned. `why`: the reason of the event in the queue that it leaves; `...`: fields and values for the
-- record.
function actions.arrive(task, spec, why, ...)
  local other = task.other
  local forget = other.forget
  state.move(task, 'moved', why, spec.by or '')
  forget[#forget + 1] = 'front' -- the task has had no turn in the new queue
  forget[#forget + 1] = 'readied' -- the history has this time, and would place it after the move
  if task.status ~= 'scheduled' then
    forget[#forget + 1] = 'promoted' -- for the same reason
  end
  state.move(other, other.to, 'move', '', 'queue', other.queue, 'attempt', other.attempt, ...)
  spec.wakes = other.to == 'pending' and other.queue or spec.wakes
  if spec.known == 'new' then
    redis.call('ZADD', namespace.prefix .. 'queues', 0, other.queue)
    spec.known = 'old'
  end
end

-- Changes the priority of a waiting task, and puts it behind the tasks that already have this priority.
function actions.prioritise(task, spec)
  if not contract.is_waiting(task.status) then
    return actions.refuse(task, contract.WAITING)
  elseif task.flags then
    holdings.load(task)
  end
  if tonumber(task.priority or 0) == tonumber(spec.priority) then
    return
  end
  task.to = 'prioritised'
  tracking.plan_note(task)
  actions.plan_place(task, { priority = spec.priority, fair_key = task.fair_key, needs = task.needs,
    shared = task.shared, weight = task.weight, exclusive = task.exclusive, limited = task.limited }, spec)
end

function actions.do_prioritise(task, spec)
  -- This write is refused if memory is full, before anything else is written.
  redis.call('HSET', task.key, 'priority', spec.priority, 'flags', 'r' .. string.gsub(task.flags or '', 'r', ''))
  actions.do_place(task, spec)
  tracking.note(task, 'edit', spec.by, 'priority', 'prioritise')
end

-- Plans a new place of a waiting task in its queue, with the claims of `fresh`: behind the tasks that wait there, or
-- its present place if `fresh.place` is its rank.
function actions.plan_place(task, fresh, spec)
  local queue = task.queue
  task.fresh, fresh.id, fresh.queue, fresh.ranked = fresh, task.id, queue, true
  if task.foreign then
    namespace.probe('ZCARD', namespace.key('tasks', queue))
  end
  if task.status == 'scheduled' then
    task.at = redis.call('ZSCORE', namespace.declare(namespace.key('scheduled_tasks', queue)), task.id)
    namespace.probe('ZCARD', namespace.key('scheduled_lane_tasks', queue))
  elseif task.status == 'pending' then
    actions.seek(task, spec)
    if not task.rank then
      namespace.probe('LLEN', namespace.key('pending_tasks', queue))
    end
    ranking.plan(fresh)
    if task.rank and (task.fair_key ~= fresh.fair_key or needs.class(task) ~= needs.class(fresh)) then
      ranking.plan(task)
      if task.fair_key then
        namespace.probe('ZCARD', fairness.tasks_key(queue, task.fair_key, needs.plan(queue, needs.class(fresh))))
      end
    end
    if task.fair_key or fresh.fair_key or settings.get(queue, 'concurrency') then
      state.plan_left(task)
    end
  end
end

-- Gives a waiting task its planned place. The record may already contain the new claims.
function actions.do_place(task, spec)
  local fresh = task.fresh
  if task.foreign then
    redis.call('ZADD', namespace.key('tasks', task.queue), task.extra[2] or '0', task.id)
  end
  if task.at then
    -- From now on the task is ranked.
    redis.call('ZADD', namespace.key('scheduled_lane_tasks', task.queue), task.at, task.id)
    redis.call('ZREM', namespace.key('scheduled_tasks', task.queue), task.id)
  end
  if task.status ~= 'pending' then
    return
  end
  if task.rank and fresh.place then
    fresh.rank = task.rank
    if task.fair_key ~= fresh.fair_key or needs.class(task) ~= needs.class(fresh)
      or task.fair_key and ranking.member(task) ~= ranking.member(fresh) then
      ranking.enter(fresh)
      ranking.leave(task, '')
    end
  else
    ranking.add(fresh)
    if task.rank then
      ranking.remove(task, '')
      redis.call('HSET', task.key, 'rank', fresh.rank)
    else
      redis.call('LREM', namespace.key('pending_tasks', task.queue), task.from_end or -1, task.id)
    end
  end
  spec.wakes = task.wakes and task.queue or spec.wakes
end

-- Carries out what was planned for all tasks.
function actions.run(act, tasks, spec)
  namespace.begin()
  for _, task in ipairs(tasks) do
    act(task, spec)
  end
  if spec.wakes then
    wakeups.wake(spec.wakes)
  end
end

-- Runs an action on a task, or fails with its refusal. `spec.by`: who asked for `spec.what`. Returns the task as it was
-- before the action.
function actions.one(id, plan, act, spec)
  local task = actions.get(id)
  local code, text = plan(task, spec)
  if code then
    reply.fail(code, text)
  end
  if task.to then
    audit.plan()
    local before, after = task.status, task.to
    if after == 'prioritised' then
      before, after = task.priority or '0', spec.priority
    elseif after == 'moved' then
      before, after = task.queue, spec.queue
    end
    actions.run(act, { task }, spec)
    audit.add(spec.by, spec.what, 'task', id, before, after, spec.reason)
  end
  return task
end
