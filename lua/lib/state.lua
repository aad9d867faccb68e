-- The one place where a task changes its state: it leaves the old index, enters
-- the new one, gets its fields and leaves one event.
local state = {}

-- Events kept per queue, at least: the server trims whole blocks.
state.EVENTS = '10000'

state.FINISHED = { complete = 'complete_tasks', failed = 'failed_tasks', cancelled = 'cancelled_tasks' }

-- What an attempt leaves in the record and the next one must not find.
state.ATTEMPT = { 'node', 'pid', 'reclaimed_node', 'cancel', 'started', 'progress', 'progressed' }

-- Whether a planned queue has no wake-up on its list yet.
state.asleep = false

function state.held_list(queue, node)
  return space.prefix .. 'reserved_tasks_' .. queue .. '_' .. node
end

-- The end of a list from which an id is sooner found: ids enter at the head, by time.
function state.nearer_end(list, task)
  local tail = redis.call('LINDEX', list, -1)
  if tail == task.id then
    return -1
  end
  local first = record.created(redis.call('LINDEX', list, 0))
  local last, own = record.created(tail), record.created(task.id)
  return own - last < first - own and -1 or 1
end

function state.probe_list(list, task)
  if space.probe('LLEN', list) > 100 and not task.from_end then
    task.from_end = state.nearer_end(list, task)
  end
end

function state.plan_wake(queue)
  state.asleep = space.probe('LLEN', space.prefix .. 'wake_' .. queue) == 0
end

-- Wakes one waiting listener of a planned queue: the first who waits on the
-- list, and whoever subscribes to the channel.
function state.wake(queue)
  if state.asleep then
    redis.call('LPUSH', space.prefix .. 'wake_' .. queue, '1')
  end
  redis.call('PUBLISH', space.prefix .. 'channel_' .. queue, '')
end

-- Reads every key that `move` will write, so that none of its writes can fail.
-- `node`: the listener that will hold the task, where there will be one.
function state.plan(task, to, node)
  local from, queue, prefix = task.status, task.queue, space.prefix
  space.probe('XLEN', prefix .. 'events_' .. queue)
  if from == 'reserved' or from == 'started' then
    space.probe('ZCARD', prefix .. 'leases_' .. queue)
    if from == 'started' or to == 'started' then
      space.probe('SCARD', prefix .. 'started_tasks_' .. queue)
    end
    if to ~= 'started' then
      space.probe('LLEN', state.held_list(queue, task.node))
    end
    if task.cancel then
      space.probe('HLEN', prefix .. 'orders_' .. queue)
    end
  elseif from == 'pending' and not node then
    state.probe_list(prefix .. 'pending_tasks_' .. queue, task)
  elseif from == 'scheduled' then
    space.probe('ZCARD', prefix .. 'scheduled_tasks_' .. queue)
  elseif state.FINISHED[from] then
    state.probe_list(space.key(state.FINISHED[from], queue), task)
  end

  if node then
    space.probe('LLEN', state.held_list(queue, node))
    space.probe('ZCARD', prefix .. 'leases_' .. queue)
  elseif to == 'pending' then
    space.probe('LLEN', prefix .. 'pending_tasks_' .. queue)
    state.plan_wake(queue)
  elseif to == 'scheduled' then
    space.probe('ZCARD', prefix .. 'scheduled_tasks_' .. queue)
  elseif state.FINISHED[to] then
    space.probe('LLEN', space.key(state.FINISHED[to], queue))
  end
  if task.foreign or to == 'deleted' then
    space.probe('ZCARD', prefix .. 'tasks_' .. queue)
  end
end

-- Takes the task out of the index of its present state.
function state.leave(task)
  local from, queue, prefix = task.status, task.queue, space.prefix
  if from == 'reserved' or from == 'started' then
    if task.token ~= '' then
      redis.call('ZREM', prefix .. 'leases_' .. queue, task.id .. ' ' .. task.token)
    end
    redis.call('LREM', state.held_list(queue, task.node), -1, task.id)
    if from == 'started' then
      redis.call('SREM', prefix .. 'started_tasks_' .. queue, task.node .. ' ' .. task.pid .. ' ' .. task.id)
    end
    if task.cancel then
      redis.call('HDEL', prefix .. 'orders_' .. queue, 't:' .. task.id)
    end
  elseif from == 'pending' then
    redis.call('LREM', task.astray or prefix .. 'pending_tasks_' .. queue, task.from_end or -1, task.id)
  elseif from == 'scheduled' then
    redis.call('ZREM', prefix .. 'scheduled_tasks_' .. queue, task.id)
  elseif from then
    redis.call('LREM', space.key(state.FINISHED[from], queue), task.from_end or -1, task.id)
  end
end

-- Puts the task into the index of its new state.
function state.enter(task, to, change)
  local queue, prefix = task.queue, space.prefix
  if to == 'pending' then
    redis.call(change.front and 'RPUSH' or 'LPUSH', prefix .. 'pending_tasks_' .. queue, task.id)
  elseif to == 'started' then
    redis.call('SADD', prefix .. 'started_tasks_' .. queue, task.node .. ' ' .. change.pid .. ' ' .. task.id)
  elseif to == 'reserved' then
    redis.call('LPUSH', state.held_list(queue, change.node), task.id)
  elseif to == 'scheduled' then
    redis.call('ZADD', prefix .. 'scheduled_tasks_' .. queue, change.eta, task.id)
  else
    redis.call('LPUSH', space.key(state.FINISHED[to], queue), task.id)
  end
end

-- Moves a planned task to another state.
--   fields    flat list of fields to set beside status and updated
--   forget    fields to remove
--   why       the cause, for the event; `by`, the listener that did it
--   token, deadline, node, pid, eta, front, attempt: what the new state needs
--   popped    the id is at the far end of pending and may be popped
function state.move(task, to, change)
  local queue, prefix, now = task.queue, space.prefix, space.now
  if change.deadline then
    -- First of all, so that the set of leases never vanishes in mid-script.
    redis.call('ZADD', prefix .. 'leases_' .. queue, change.deadline, task.id .. ' ' .. (change.token or task.token))
  end
  if task.foreign and to ~= 'deleted' then
    redis.call('ZADD', prefix .. 'tasks_' .. queue, task.created or record.created(task.id), task.id)
  end
  if change.popped then
    redis.call('RPOPLPUSH', prefix .. 'pending_tasks_' .. queue, state.held_list(queue, change.node))
  elseif to ~= 'started' then
    state.leave(task)
  end
  if to == 'deleted' then
    redis.call('UNLINK', task.key)
    redis.call('ZREM', prefix .. 'tasks_' .. queue, task.id)
  else
    redis.call('HSET', task.key, 'status', to, 'updated', now, unpack(change.fields))
    if change.forget then
      redis.call('HDEL', task.key, unpack(change.forget))
    elseif task.cancel then
      redis.call('HDEL', task.key, 'cancel')
    end
    if not change.popped then
      state.enter(task, to, change)
    end
  end
  redis.call('XADD', prefix .. 'events_' .. queue, 'MAXLEN', '~', state.EVENTS, '*',
    'id', task.id, 'from', task.status or '', 'to', to, 'attempt', change.attempt or task.attempt,
    'at', now, 'by', change.by or '', 'why', change.why)
end
