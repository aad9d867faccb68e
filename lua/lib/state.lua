-- The one place where a task changes its state: it leaves the old index, enters
-- the new one, gets its fields and leaves one event.
local state = {}

-- Events kept per queue, at least, where nobody tallies them; `tally` trims to the setting.
state.EVENTS = '100000'

-- What an attempt leaves in the record and the next one must not find.
function state.attempt_fields()
  return 'node', 'pid', 'reclaimed_node', 'cancel', 'recall', 'reserved', 'started', 'progress', 'progressed'
end

-- The queue that submit found without a wake-up on its list; others are noted by `plan_wake`.
state.asleep = false

function state.finished(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
end

-- Reads a list in which a task stands somewhere, and finds the end that is
-- nearer to it: ids enter at the head, by time.
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

function state.plan_wake(queue)
  namespace.shared('asleep')[queue] = namespace.probe('LLEN', namespace.prefix .. 'wake_' .. queue) == 0
end

-- Wakes one waiting listener of a planned queue: the first who waits on the
-- list, and whoever subscribes to the channel.
function state.wake(queue)
  local others = namespace.shared_tables and namespace.shared_tables.asleep
  if state.asleep == queue or others and others[queue] then
    redis.call('LPUSH', namespace.prefix .. 'wake_' .. queue, '1')
    state.asleep = false
    if others then
      others[queue] = nil
    end
  end
  -- a hint: without the right to it, they look by themselves
  redis.pcall('PUBLISH', namespace.prefix .. 'channel_' .. queue, '')
end

-- Where the end of an attempt frees a place, somebody who waits for it is woken.
function state.plan_free(task)
  local queue = task.queue
  if (task.limited or settings.get(queue, 'concurrency'))
    and (redis.call('LLEN', namespace.key('pending_tasks', queue)) > 0
    or redis.call('EXISTS', namespace.key('lane_tasks', queue)) == 1) then
    state.plan_wake(queue)
    task.wakes = true
  end
end

-- Where a task that would take several places, or runs alone, does not wait any more, or
-- not in the same order, those behind it may go on: somebody is woken.
function state.plan_left(task)
  local queue = task.queue
  if namespace.probe('LLEN', namespace.key('pending_tasks', queue))
    + namespace.probe('ZCARD', namespace.key('lane_tasks', queue)) > 1 then
    state.plan_wake(queue)
    task.wakes = true
  end
end

-- The reads of `plan` that commands make for every task. There they are laid in: calling `plan`, which asks
-- for much that such a command knows, would cost it a fifth of its time.

-- A held task leaves the list of its listener, and `started` where it stands in that index too.
-- @inline
function state.read_left(task, held, started)
  task.last = redis.call('LINDEX', held, -1) == task.id
  if started then
    redis.call('SCARD', started)
  end
end

-- What every transition writes: an event, and the index of the new state; `count` is the
-- command that counts what is in this one.
-- @inline
function state.read_entered(events, count, index)
  redis.call('XLEN', events)
  redis.call(count, index)
end

-- Reads every key that `move` will write, so that none of its writes can fail.
-- `taker`: the listener that will hold the task, where there will be one.
function state.plan(task, to, taker)
  local probe, touch = namespace.probe, namespace.declare
  local from, queue, prefix = task.status, task.queue, namespace.prefix
  local tasks, events = '_tasks_' .. queue, touch(prefix .. 'events_' .. queue)
  if task.ties then
    claims.plan(task, to, taker)
    if from == 'pending' and not taker and (task.weight or task.solo) then
      state.plan_left(task)
    end
  end
  if from == 'reserved' or from == 'started' then
    probe('ZCARD', prefix .. 'leases_' .. queue)
    local held = touch(prefix .. 'reserved' .. tasks .. '_' .. task.node)
    state.read_left(task, held, from == 'started' and touch(prefix .. 'started' .. tasks))
    if task.cancel or task.recall then
      probe('HLEN', prefix .. 'orders_' .. queue)
    end
    if not taker then
      state.plan_free(task)
    end
  elseif from == 'scheduled' then
    probe('ZCARD', prefix .. from .. tasks)
    if task.ranked then
      probe('ZCARD', prefix .. 'scheduled_lane' .. tasks)
    end
  elseif from and not task.rank and not (from == 'pending' and taker) then
    state.probe_list(prefix .. from .. tasks, task)
  end

  if taker then
    state.read_entered(events, 'LLEN', touch(prefix .. 'reserved' .. tasks .. '_' .. taker))
    probe('ZCARD', prefix .. 'leases_' .. queue)
  elseif to == 'scheduled' then
    state.read_entered(events, 'ZCARD', touch(prefix .. (task.ranked and 'scheduled_lane' or to) .. tasks))
  elseif to == 'deleted' or to == 'moved' then
    redis.call('XLEN', events)
  else
    state.read_entered(events, 'LLEN', touch(prefix .. to .. tasks))
    if to == 'pending' then
      state.plan_wake(queue)
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

-- What is a task's own among those keys: all that is left to read where another one,
-- which is bound to nothing, makes the same transition in the same call.
function state.plan_own(task, to)
  if to == 'deleted' then
    namespace.declare(namespace.prefix .. 'log_' .. task.id)
    task.logged = logs.size(task.id)
  end
  history.plan(task, to)
  if to == 'failed' or task.status == 'failed' then
    groups.plan(task, to)
  end
end

-- The time of this call, or of the task's last transition where the clock was
-- set back since: what happens to a task happens in order.
-- @hot
function state.time(task)
  local since, now = task.since, namespace.now -- not namespace.now_us, which a new token has moved
  if since and not (#since == #now and since <= now) and (tonumber(since) or 0) > tonumber(now) then
    return since
  end
  return now
end

-- Moves a planned task to another state; `...`: fields and values for its record.
-- What the new state needs stands in the task:
--   since       when it came into its present state
--   deadline    of the lease, for reserved and started
--   taker       the listener that takes it, and `issue`, its token
--   pid         for started
--   eta         for scheduled
--   front       it goes to the front of pending; its record's field `front` says so
--   turn        when its key was served with it, where that may be forgotten
--   lane        it is pending in the lanes, not in the list, and scheduled in a set of their own, so
--               that a client without scripts does not promote it; `rank`: where it stands in the lanes
--   wakes       its end frees a place that somebody waits for, or it leaves those behind it
--   last        it stands at the tail of the list that it leaves
--   from_end    the end of that list from which it is sooner found
--   astray      that list, where it is not the one that the state names
--   group       of its error, for failed
--   forget      a list of fields to remove
-- @hot
function state.move(task, to, why, by, ...)
  local id, queue, from, prefix, now = task.id, task.queue, task.status, namespace.prefix, state.time(task)
  local key, tasks = prefix .. 'task_' .. id, '_tasks_' .. queue
  if task.deadline then
    -- First of all, so that the set of leases never vanishes in mid-script.
    redis.call('ZADD', prefix .. 'leases_' .. queue, task.deadline, id .. ' ' .. (task.issue or task.token))
  end
  if task.foreign and to ~= 'deleted' and to ~= 'moved' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or record.created(id), id)
  end

  if to == 'started' then
    redis.call('SADD', prefix .. 'started' .. tasks, task.node .. ' ' .. task.pid .. ' ' .. id)
  else
    local old = from and prefix .. from .. tasks
    if from == 'reserved' or from == 'started' then
      old = prefix .. 'reserved' .. tasks .. '_' .. task.node
      if task.token ~= '' then
        redis.call('ZREM', prefix .. 'leases_' .. queue, id .. ' ' .. task.token)
      end
      if from == 'started' then
        redis.call('SREM', prefix .. 'started' .. tasks, task.node .. ' ' .. task.pid .. ' ' .. id)
      end
      if task.cancel or task.recall then
        redis.call('HDEL', prefix .. 'orders_' .. queue, 't:' .. id)
      end
    end
    local new = prefix .. to .. tasks
    if to == 'reserved' then
      new = prefix .. 'reserved' .. tasks .. '_' .. task.taker
    end
    if task.last and to ~= 'scheduled' and to ~= 'deleted' and to ~= 'moved' and not task.front then
      redis.call('RPOPLPUSH', old, new)
    else
      if from == 'scheduled' then
        redis.call('ZREM', old, id) -- where former scripts put those of the lanes, too
        if task.ranked then
          redis.call('ZREM', prefix .. 'scheduled_lane' .. tasks, id)
        end
      elseif task.rank then
        redis.call('ZREM', prefix .. 'lane' .. tasks, task.rank .. ' ' .. id)
      elseif from then
        redis.call('LREM', task.astray or old, task.from_end or -1, id)
      end
      if to == 'scheduled' then
        redis.call('ZADD', task.ranked and prefix .. 'scheduled_lane' .. tasks or new, task.eta, id)
      elseif to ~= 'deleted' and to ~= 'moved' and not (task.ranked and to == 'pending') then
        redis.call(task.front and 'RPUSH' or 'LPUSH', new, id)
      end
    end
  end

  if from and to ~= 'started' and to ~= 'complete' and to ~= 'deleted'
    and not (from == 'pending' and why == 'reserve') then
    history.archive(task, { to = to, why = why, by = by, at = now }, ...)
  end
  if to == 'deleted' or to == 'moved' then
    if to == 'deleted' then
      redis.call('UNLINK', key, prefix .. 'log_' .. id, prefix .. 'history_' .. id)
      if task.logged then
        logs.forget(id, task.logged)
      end
    end
    redis.call('ZREM', prefix .. 'tasks_' .. queue, id)
  else
    redis.call('HSET', key, 'status', to, 'updated', now, ...)
    if task.forget then
      redis.call('HDEL', key, unpack(task.forget))
    elseif (task.cancel or task.recall) and to ~= 'started' then
      redis.call('HDEL', key, 'cancel', 'recall')
    end
  end
  if task.ties then
    claims.move(task, to)
  end
  if to == 'failed' then
    groups.enter(task, now)
  elseif from == 'failed' then
    groups.leave(task)
  end
  redis.call('XADD', prefix .. 'events_' .. queue, 'MAXLEN', '~', state.EVENTS, '*',
    'id', id, 'from', from or '', 'to', to, 'attempt', task.attempt, 'at', now, 'by', by, 'why', why,
    'since', from and task.since or '')
  if task.wakes then
    state.wake(queue)
  end
end
