-- What operators do to tasks, to one or to many in a step. An action plans: it reads all
-- that it will write and says what it will do, or answers the code and the text of its
-- refusal. After `space.begin` it is done. `wish`: what was asked for, and in a step what
-- its tasks have in common.
local actions = {}

-- A step ends when it has searched this many entries of lists for the tasks that leave them,
-- or has taken as long otherwise.
actions.ENTRIES = 20000

-- So far from either end of its list a task is looked for.
actions.NEAR = 500

-- The task, with what every action reads.
function actions.find(id)
  return record.find(id, 'outcome', 'created', 'eta', 'front', 'retry_eta')
end

function actions.get(id)
  return record.get(id, 'outcome', 'created', 'eta', 'front', 'retry_eta')
end

function actions.refuse(task, allowed)
  return 'STATE', 'the task is ' .. task.status .. '; this is for one that is ' .. allowed
end

-- Reads what a transition writes. In a step, what plain tasks share is read once.
function actions.plan(task, to, wish)
  task.to = to
  local kind = task.status .. ' ' .. to
  if not record.held(task) then
    actions.seek(task, wish)
    local plain = wish.planned and not task.ties and not task.foreign
    if plain and wish.planned[kind] then
      return state.plan_own(task, to)
    elseif plain then
      wish.planned[kind] = true
    end
  end
  state.plan(task, to)
end

-- When a task entered its list: what came back stands at the front, before all others.
function actions.entered(status, updated, front)
  return not (status == 'pending' and front) and tonumber(updated) or 0
end

-- Finds the end of its list from which a task is sooner removed: near the ends by a
-- look, else that of the half in which it stands by its time. Counts how many entries a
-- step searches.
function actions.seek(task, wish)
  wish.lists, wish.entries = wish.lists or {}, wish.entries or 0
  if task.ties then
    bonds.load(task)
    wish.entries = wish.entries + 400 + 100 * #tags.names(task.tags) -- what it is bound to takes as long
  end
  if task.status == 'scheduled' or task.rank then
    return
  end
  local list = space.key(task.status .. '_tasks', task.queue)
  local known = wish.lists[list] or { length = redis.call('LLEN', list) }
  wish.lists[list] = known
  if known.length <= 100 then
    wish.entries = wish.entries + known.length
    return
  end
  for direction = -1, 1, 2 do
    local at = redis.call('LPOS', list, task.id, 'RANK', direction, 'MAXLEN', actions.NEAR)
    if at then
      task.from_end = direction
      wish.entries = wish.entries + (direction == 1 and at or known.length - at)
      return
    end
  end
  if not known.middle then
    local middle = redis.call('LINDEX', list, math.floor(known.length / 2))
    known.middle = actions.entered(unpack(redis.call('HMGET', space.key('task', middle), 'status', 'updated', 'front')))
  end
  local own = actions.entered(task.status, task.since, task.extra[4])
  task.from_end = own <= known.middle and -1 or 1
  wish.entries = wish.entries + known.length / 2
end

-- Whether a unique name of a queue is free for this task, also of the others of its step.
function actions.unique(task, wish)
  if not task.ties then
    return true
  end
  bonds.load(task)
  if not task.unique then
    return true
  end
  wish.claimed = wish.claimed or {}
  if bonds.taken(task) or wish.claimed[task.unique] then
    return false
  end
  wish.claimed[task.unique] = true
  return true
end

-- Cancels a task. Nobody but its owner, or the end of its lease, frees one whose program may
-- still run: its owner gets an order, with `wish.force` that to kill it. With `wish.at_once`
-- the task is cut off, and its program may run on for a while.
function actions.cancel(task, wish)
  if task.status == 'cancelled' then
    return
  elseif task.status == 'complete' or task.status == 'failed' then
    return actions.refuse(task, 'scheduled, pending, reserved or started')
  elseif record.held(task) and not actions.frees(task, wish) then
    local order = wish.force and orders.KILL or 'cancel'
    local given = orders.of(task)
    task.to = given ~= orders.KILL and given ~= order and 'cancelling'
    task.order = order
    orders.plan(task.queue)
    return
  end
  actions.plan(task, 'cancelled', wish)
end

-- Whether a held task is taken from its owner at once: a client without scripts has no
-- lease and hears no order.
function actions.frees(task, wish)
  return wish.at_once or wish.force and task.token == ''
end

function actions.do_cancel(task, wish)
  if task.to == 'cancelling' then
    orders.give(task.queue, 't:' .. task.id, task.order)
    redis.call('HSET', task.key, 'cancel', task.cancel or space.now,
      unpack(task.cancel and wish.reason == '' and {} or { 'reason', wish.reason })) -- an earlier reason stays
  elseif record.held(task) then
    state.move(task, 'cancelled', 'cancel', '', 'reason', wish.reason, 'token', '', 'ended', task.token,
      'outcome', 'lost')
    orders.announce(task.queue)
  else
    state.move(task, 'cancelled', 'cancel', '', 'reason', wish.reason)
  end
end

-- Asks the owner of a task to give it back, or with `wish.at_once` takes it from its owner.
function actions.recall(task, wish)
  if task.status == 'pending' and task.extra[1] == 'released' then
    return -- sent again after a lost reply
  elseif not record.held(task) then
    return actions.refuse(task, 'reserved or started')
  elseif wish.at_once then
    actions.plan(task, task.cancel and 'cancelled' or bonds.back(task, 'pending', 'drain'), wish)
  elseif task.token == '' then
    return 'STATE', 'a client without scripts holds the task and hears no order: take it back with at_once, or wait'
  elseif not task.cancel and not task.recall then
    task.to = 'recalling'
    orders.plan(task.queue)
  end
end

function actions.do_recall(task, wish)
  if task.to == 'recalling' then
    orders.give(task.queue, 't:' .. task.id, 'stop')
    redis.call('HSET', task.key, 'recall', space.now)
    return
  end
  local more = { bonds.because(task) }
  if task.to == 'pending' then
    task.front, task.forget, more = true, { state.attempt_fields() }, { 'front', '1' }
    wish.wakes = task.queue
  end
  state.move(task, task.to, 'recall', '', 'token', '', 'ended', task.token,
    'outcome', task.to == 'pending' and 'released' or 'cancelled', unpack(more))
  orders.announce(task.queue)
end

-- Runs a failed or cancelled task again.
function actions.retry(task, wish)
  if task.status == 'pending' and task.extra[1] == 'retry' then
    return -- sent again after a lost reply
  elseif record.held(task) and task.cancel then
    return actions.stopping(task)
  elseif task.status ~= 'failed' and task.status ~= 'cancelled' then
    return actions.refuse(task, 'failed or cancelled')
  elseif not actions.unique(task, wish) then
    return 'DUPLICATE', 'another task has this unique name; get its id by the policy existing, or wait until it ends,'
      .. ' starts, or its time passes'
  end
  schedules.again(task)
  actions.plan(task, 'pending', wish)
end

-- A task whose program may still run is not given to another owner: the refusal says until when.
function actions.stopping(task)
  local deadline = tonumber(redis.call('ZSCORE', space.key('leases', task.queue), record.lease(task)) or nil)
  local till = deadline and orders.of(task) == orders.KILL and 'until ' .. space.decimal(deadline) .. ' at the latest'
    or 'until its owner has stopped it'
  return 'STOPPING', 'the task is being cancelled and its program may still run, ' .. till
    .. ': send the call again then'
end

function actions.do_retry(task, wish)
  task.forget = { 'error', 'group', 'last_error', 'last_group', 'reason', 'front', 'uncounted', 'fruitless',
    state.attempt_fields() }
  if wish.fresh then
    task.forget[#task.forget + 1] = 'checkpoint'
    task.forget[#task.forget + 1] = 'checkpointed'
    task.forget[#task.forget + 1] = 'ended' -- by this a worker knows what only its host has of the attempt before
  end
  if task.extra[5] then
    task.forget[#task.forget + 1] = 'eta'
    task.forget[#task.forget + 1] = 'retry_eta'
  end
  local stale = {}
  if task.token ~= '' then
    stale = { 'token', '', 'ended', task.token } -- a client without scripts ended the attempt and left it
  end
  for _, value in ipairs(task.bind or {}) do
    stale[#stale + 1] = value
  end
  state.move(task, 'pending', 'retry', '',
    'failures', '0', 'losses', '0', 'releases', '0', 'outcome', 'retry', unpack(stale))
  if task.again then
    schedules.remember(task)
  end
  wish.wakes = task.queue
end

-- Removes a finished task, or with `wish.waiting` also one that waits.
function actions.delete(task, wish)
  if record.held(task) or not (wish.waiting or state.finished(task.status)) then
    return actions.refuse(task, wish.waiting and 'not reserved or started' or 'complete, failed or cancelled')
  end
  actions.plan(task, 'deleted', wish)
end

function actions.do_delete(task, wish)
  state.move(task, 'deleted', wish.waiting and 'purge' or 'delete', '')
end

-- Reads what a queue says that tasks will be moved to. Answers the refusal of one that takes none.
function actions.destination(wish)
  if not wish.known then
    wish.known = redis.call('ZSCORE', space.touch(space.prefix .. 'queues'), wish.queue) and 'old' or 'new'
    wish.closed = settings.get(wish.queue, 'closed') == '1'
    wish.needs, wish.different = {}, redis.call('HLEN', space.key('needs', wish.queue))
  end
  if wish.closed then
    return 'CLOSED', 'the other queue takes no tasks: it was closed; set its setting closed to 0'
  end
end

-- Puts a task that waits into another queue, behind those that wait there.
function actions.move(task, wish)
  if task.queue == wish.queue then
    return -- sent again after a lost reply
  elseif task.status ~= 'pending' and task.status ~= 'scheduled' then
    return actions.refuse(task, 'scheduled or pending')
  end
  local code, text = actions.destination(wish)
  if code then
    return code, text
  end
  local other = {
    id = task.id, key = task.key, queue = wish.queue, attempt = task.attempt, since = task.since, ties = task.ties,
    foreign = true,
    created = task.extra[2] or '0', eta = task.status == 'scheduled' and task.extra[3] or nil,
  }
  if other.ties then
    bonds.load(other)
    other.rank = nil
    bonds.carry(task, other)
  end
  if not actions.unique(other, wish) then
    return 'DUPLICATE', 'another task of the other queue has this unique name'
  end
  if other.needs and not wish.needs[other.needs] and not needs.number(other.queue, other.needs) then
    if wish.different >= needs.MOST then
      return 'TOOMANY', 'tasks of the other queue wait with 64 different needs already; `why` and doctor name those'
        .. ' that no listener has'
    end
    wish.needs[other.needs], wish.different = true, wish.different + 1
  end
  actions.plan(task, 'moved', wish)
  state.plan(other, task.status)
  task.other = other
end

function actions.do_move(task, wish)
  local other, to = task.other, task.status
  state.move(task, 'moved', 'move', '')
  other.forget = { 'front' } -- there it has had no turn
  if to == 'scheduled' then
    state.move(other, to, 'move', '', 'queue', other.queue, 'attempt', other.attempt, 'eta', other.eta)
  else
    other.forget[2] = 'promoted' -- its history tells it, and would take it for what comes after the move
    state.move(other, to, 'move', '', 'queue', other.queue, 'attempt', other.attempt)
    wish.wakes = other.queue
  end
  if wish.known == 'new' then
    redis.call('ZADD', space.prefix .. 'queues', 0, other.queue)
    wish.known = 'old'
  end
end

-- Gives a task that waits another priority; in a queue it goes behind those that have it.
function actions.prioritise(task, wish)
  if task.status ~= 'pending' and task.status ~= 'scheduled' then
    return actions.refuse(task, 'scheduled or pending')
  elseif task.ties then
    bonds.load(task)
  end
  if tonumber(task.priority or 0) == tonumber(wish.priority) then
    return
  end
  task.to, task.lane = 'prioritised', true
  if task.foreign then
    space.probe('ZCARD', space.key('tasks', task.queue))
  end
  if task.status == 'scheduled' then
    task.at = redis.call('ZSCORE', space.touch(space.key('scheduled_tasks', task.queue)), task.id)
    space.probe('ZCARD', space.key('scheduled_lane_tasks', task.queue))
  end
  if task.status == 'pending' then
    actions.seek(task, wish)
    if not task.rank then
      space.probe('LLEN', space.key('pending_tasks', task.queue))
    end
    lanes.plan(task)
    if task.lane_key or settings.get(task.queue, 'concurrency') then
      state.plan_left(task)
    end
  end
end

function actions.do_prioritise(task, wish)
  -- Refused first, where memory is full.
  redis.call('HSET', task.key, 'priority', wish.priority, 'ties', 'r' .. string.gsub(task.ties or '', 'r', ''))
  if task.foreign then
    redis.call('ZADD', space.key('tasks', task.queue), task.extra[2] or '0', task.id)
  end
  if task.at then
    -- It has a lane from now on.
    redis.call('ZADD', space.key('scheduled_lane_tasks', task.queue), task.at, task.id)
    redis.call('ZREM', space.key('scheduled_tasks', task.queue), task.id)
  end
  if task.status ~= 'pending' then
    return
  end
  local old = { id = task.id, queue = task.queue, rank = task.rank, lane_key = task.lane_key, needs = task.needs,
    weight = task.weight, solo = task.solo }
  task.priority = wish.priority
  lanes.enter(task)
  if old.rank then
    lanes.leave(old, '')
    redis.call('HSET', task.key, 'rank', task.rank)
  else
    redis.call('LREM', space.key('pending_tasks', task.queue), task.from_end or -1, task.id)
  end
  wish.wakes = task.wakes and task.queue or wish.wakes
end

-- Does what was planned to all tasks.
function actions.run(act, tasks, wish)
  space.begin()
  for _, task in ipairs(tasks) do
    act(task, wish)
  end
  if wish.wakes then
    state.wake(wish.wakes)
  end
end

-- One action on one task, or the refusal of the call. Answers the task as it was.
function actions.one(id, plan, act, wish)
  local task = actions.get(id)
  local code, text = plan(task, wish)
  if code then
    reply.fail(code, text)
  end
  if task.to then
    actions.run(act, { task }, wish)
  end
  return task
end
