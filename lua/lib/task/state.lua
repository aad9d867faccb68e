-- State transitions, in one place: the task leaves the old index and enters the new index, its record is updated, and
-- one event is added.
--
-- Protocol of all modules: `plan_x` reads and checks everything that `x` writes, and `x` only writes (`plan` belongs to
-- the main function of its module, here `move`). Redis does not undo the writes of a script that fails, so every error
-- must occur before the first write. `plan_x` refuses invalid calls, and reads every key that `x` will write, so a key
-- of the wrong type fails there. It passes its results to `x` in the task or in a plan. A command plans all its
-- changes, then calls `namespace.begin()`, which checks the permissions and, during a slot migration, that all keys are
-- on this node. After `namespace.begin()` nothing may fail.
local state = {}

-- Reads the list that contains a task, and sets `task.from_end` to the end of the list nearer to it: ids enter at the
-- head, ordered by time.
function state.probe_list(list, task)
  if namespace.probe('LLEN', list) <= 100 or task.from_end then
    return
  end
  local tail = redis.call('LINDEX', list, -1)
  if tail ~= task.id then
    local first = record.created(redis.call('LINDEX', list, 0))
    local last, own = record.created(tail), record.created(task.id)
    task.from_end = own - last < first - own and -1 or 1
  end
end

-- Plans to wake a listener if the end of an attempt frees a place for which a task may wait.
-- @inline
function state.plan_free(task)
  local queue, prefix = task.queue, namespace.prefix
  if (task.limited or settings.get(queue, 'concurrency'))
    and (redis.call('LLEN', namespace.declare(prefix .. 'pending_tasks_' .. queue)) > 0
    or redis.call('EXISTS', namespace.declare(prefix .. 'pending_ranked_tasks_' .. queue)) == 1) then
    wakeups.plan(queue)
    task.wakes = true
  end
end

-- Plans to wake a listener because tasks may start that were behind this task. The task needs several places or runs
-- alone, and leaves its position or changes it.
function state.plan_left(task)
  local queue = task.queue
  if namespace.probe('LLEN', namespace.key('pending_tasks', queue))
    + namespace.probe('ZCARD', namespace.key('pending_ranked_tasks', queue)) > 1 then
    wakeups.plan(queue)
    task.wakes = true
  end
end

-- Parts of `plan` that commands need for every task. Frequent commands inline these parts: `plan` also reads values
-- that such a command already has, and costs a fifth of the time of the command.

-- Reads the list of the listener, which a held task leaves, and the index `started` if the task is in it.
-- @inline
function state.read_left(task, held, started)
  task.last = redis.call('LINDEX', held, '-1') == task.id
  if started then
    redis.call('SCARD', started)
  end
end

-- Reads the stream of events and the index of the new state, which every transition writes. `count`: the command that
-- counts the entries of that index.
-- @inline
function state.read_entered(events, count, index)
  redis.call('XLEN', events)
  redis.call(count, index)
end

-- Plans a transition. `taker`: the listener that will hold the task, or nil.
function state.plan(task, to, taker)
  local probe, touch = namespace.probe, namespace.declare
  local from, queue, prefix = task.status, task.queue, namespace.prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.flags then
    state.plan_flags(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.exclusive) then
      state.plan_left(task)
    end
  end
  if from == 'reserved' or from == 'started' then
    probe('ZCARD', prefix .. 'leases_' .. queue)
    local held = touch(prefix .. 'reserved' .. tasks .. '_' .. task.node)
    state.read_left(task, held, from == 'started' and touch(prefix .. 'started' .. tasks))
    if task.cancel or task.requeue then
      probe('HLEN', prefix .. 'orders_' .. queue)
    end
    if not taker then
      state.plan_free(task)
    end
  elseif from == 'scheduled' then
    probe('ZCARD', prefix .. from .. tasks)
    if task.ranked then
      probe('ZCARD', prefix .. 'scheduled_ranked' .. tasks)
    end
  elseif from == 'waiting' then
    probe('ZCARD', prefix .. from .. tasks)
  elseif from and not task.rank and not (from == 'pending' and taker) then
    state.probe_list(prefix .. from .. tasks, task)
  end

  if taker then
    state.read_entered(events, 'LLEN', touch(prefix .. 'reserved' .. tasks .. '_' .. taker))
    probe('ZCARD', prefix .. 'leases_' .. queue)
  elseif to == 'scheduled' then
    state.read_entered(events, 'ZCARD', touch(prefix .. (task.ranked and 'scheduled_ranked' or to) .. tasks))
  elseif to == 'waiting' then
    state.read_entered(events, 'ZCARD', touch(prefix .. to .. tasks))
  elseif to == 'deleted' or to == 'moved' then
    redis.call('XLEN', events)
  else
    state.read_entered(events, 'LLEN', touch(prefix .. to .. tasks))
    if to == 'pending' then
      wakeups.plan(queue)
      if task.ranked then
        task.last = false
      end
    end
  end
  if task.foreign or to == 'deleted' or to == 'moved' then
    probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
  state.plan_own(task, to)
end

-- Plans the holdings of a task, and the transitions that its own transition causes: of its dependents, and of an older
-- attempt of its unique name.
function state.plan_flags(task, to, taker)
  holdings.plan(task, to, taker)
  if task.older then
    state.plan(task.older, 'cancelled')
  end
  for _, plan in ipairs(task.dependents or {}) do
    state.plan_follow(plan)
  end
end

-- Plans the transition of a dependent. `plan`: the plan that `edge_end` made for the dependent.
function state.plan_follow(plan)
  if plan.task and plan.to then
    state.plan(plan.task, plan.to)
  end
end

-- Plans the part that is specific to one task. This part is enough if the same call has planned the same transition of
-- another task without holdings.
function state.plan_own(task, to)
  if to == 'deleted' then
    namespace.declare(namespace.prefix .. 'log_' .. task.id)
    task.logged = logs.size(task.id)
  elseif task.status == 'held' then
    task.forget = task.forget or {}
    task.forget[#task.forget + 1] = 'held_by'
  end
  history.plan(task, to)
  if to == 'failed' or task.status == 'failed' then
    groups.plan(task, to)
  end
end

-- Moves a planned task to another state. `...`: fields and values for its record. The task has further input:
--   since       time at which it entered its present state
--   deadline    end of the lease, for reserved and started
--   taker       listener that takes it, and `issue`, its token
--   pid         for started; a pending task is reserved by the same call, and `node` is its taker
--   eta         for scheduled
--   front       move it to the front of pending; also a field of its record
--   turn        time at which its key was served with it, because the record of the key may be gone
--   ranked      while pending it is in the ranking, not in the list, and while scheduled in a separate set,
--               so that a client without scripts does not promote it; `rank`: its rank while pending
--   wakes       wake a listener: the end of the task frees a place, or tasks behind it may start
--   last        it is at the tail of the list that it leaves
--   from_end    end of that list that is nearer to it
--   astray      list that contains it, if that is not the list of its state
--   group       group of its error, for failed
--   edge_keys   for deleted: keys of its edges and of a queued rerun, which are removed
--   forget      list of fields to remove
-- @hot
function state.move(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace.prefix
  local tasks = '_tasks_' .. queue
  if task.deadline then
    -- Written first, so that the set of leases never becomes empty during the script.
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or record.created(id), id)
  end

  if to == 'started' then
    redis.call('SADD', prefix .. 'started' .. tasks, task.node .. ' ' .. task.pid .. ' ' .. id)
  end
  if to ~= 'started' or from == 'pending' then
    local old = from and prefix .. from .. tasks
    if from == 'reserved' or from == 'started' then
      old = prefix .. 'reserved' .. tasks .. '_' .. task.node
      if task.token ~= '' then
        redis.call('ZREM', prefix .. 'leases_' .. queue, id .. ' ' .. task.token)
      end
      if from == 'started' then
        redis.call('SREM', prefix .. 'started' .. tasks, task.node .. ' ' .. task.pid .. ' ' .. id)
      end
      if task.cancel or task.requeue then
        redis.call('HDEL', prefix .. 'orders_' .. queue, 't:' .. id)
      end
    end
    local new = prefix .. to .. tasks
    if task.taker then
      new = prefix .. 'reserved' .. tasks .. '_' .. task.taker
    end
    if task.last and to ~= 'scheduled' and to ~= 'waiting' and to ~= 'deleted' and to ~= 'moved' and not task.front then
      redis.call('RPOPLPUSH', old, new)
    else
      if from == 'scheduled' or from == 'waiting' then
        redis.call('ZREM', old, id) -- a task that an edit makes ranked as it becomes pending is in `old`
        if task.ranked and from == 'scheduled' then
          redis.call('ZREM', prefix .. 'scheduled_ranked' .. tasks, id)
        end
      elseif task.rank then
        redis.call('ZREM', prefix .. 'pending_ranked' .. tasks, task.rank .. ' ' .. id)
      elseif from then
        redis.call('LREM', task.astray or old, task.from_end or '-1', id)
      end
      if to == 'scheduled' then
        redis.call('ZADD', task.ranked and prefix .. 'scheduled_ranked' .. tasks or new, task.eta, id)
      elseif to == 'waiting' then
        local at = record.time(task)
        redis.call('ZADD', new, at, id)
      elseif to ~= 'deleted' and to ~= 'moved' and not (task.ranked and to == 'pending') then
        redis.call(task.front and 'RPUSH' or 'LPUSH', new, id)
      end
    end
  end

  state.record(task, to, why, by, ...)
end

-- Writes the part of a transition that is not in the indexes of the states: the record, the history and the holdings of
-- the task, and the event of its queue.
-- @inline
function state.record(task, to, why, by, ...)
  local id, queue, from, prefix = task.id, task.queue, task.status, namespace.prefix
  local now = record.time(task)
  local key = prefix .. 'task_' .. id
  if from and to ~= 'started' and to ~= 'complete' and to ~= 'deleted'
    and not (from == 'pending' and why == 'reserve') then
    history.archive(task, { to = to, why = why, by = by, at = now }, ...)
  end
  if to == 'deleted' or to == 'moved' then
    if to == 'deleted' then
      redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
      if task.edge_keys then
        redis.call('UNLINK', unpack(task.edge_keys))
      end
      if task.logged then
        logs.forget(id, task.logged)
      end
      if task.unsent ~= nil then
        notices.forget(id, task.unsent)
      end
    end
    redis.call('ZREM', prefix .. 'tasks_' .. queue, id)
  else
    redis.call('HSET', key, 'status', to, 'updated', now, ...)
    local forget = task.forget or (task.cancel or task.requeue) and to ~= 'started' and { 'cancel', 'requeue' }
    if to ~= 'started' and not task.taker and (from == 'started' or from == 'reserved') then
      if forget then
        redis.call('HDEL', key, 'token', 'lease', 'request', unpack(forget))
      else
        redis.call('HDEL', key, 'token', 'lease', 'request')
      end
    elseif forget then
      redis.call('HDEL', key, unpack(forget))
    end
  end
  if task.flags then
    holdings.move(task, to)
    if task.older then
      state.replace(task)
    end
    if task.tracked then
      tracking.transition(task, to, why, by, ...)
    end
    if task.notices then
      notices.add(task, to, why, by, ...)
    end
  end
  if to == 'failed' then
    groups.enter(task, now)
  elseif from == 'failed' then
    groups.leave(task)
  end
  -- The previous event of the same attempt has trimmed the stream.
  event_entries.add(task, to, why, by, now,
    not (from == 'started' and by == task.node or from == 'reserved' and to == 'started'))
  if task.wakes then
    wakeups.wake(queue)
  end
  if task.dependents or task.deferred then
    state.propagate(task)
  end
end

function state.replace(task)
  state.move(task.older, 'cancelled', 'replaced', '', 'reason', 'replaced by ' .. task.id)
end

-- Notifies the dependents of a task that has ended. Sets `readied` if a dependent is pending now.
function state.propagate(task)
  edge_end.propagate(task)
  for _, plan in ipairs(task.dependents or {}) do
    state.follow(plan)
    task.readied = task.readied or plan.to == 'pending'
  end
end

-- Moves a dependent to its next state, after `edge_end` has updated its edge.
function state.follow(plan)
  if plan.why then
    state.move(plan.task, plan.to, plan.why, '', unpack(plan.fields))
    if plan.to == 'pending' then
      wakeups.wake(plan.task.queue)
    end
  end
end
