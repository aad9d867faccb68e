-- Transitions of many tasks at once. Tasks without holdings need no transition of their own each: one command writes
-- their index entries.
local batch = {}

-- Moves many pending tasks without holdings at once. `tasks`: the tasks at the tail of the list of their queue, the
-- last task first. Each task has the input of `move`. With `pid` the tasks are started, otherwise reserved.
-- @hot
function batch.take(tasks, pid)
  local first = tasks[1]
  local queue, listener, prefix = first.queue, first.taker, namespace.prefix
  local leases, ids, started = {}, {}, {}
  for i = 1, #tasks do
    local task = tasks[i]
    leases[2 * i - 1], leases[2 * i], ids[i] = task.deadline, task.id .. ' ' .. task.issue, task.id
    started[i] = pid and listener .. ' ' .. pid .. ' ' .. task.id or nil
  end
  redis.call('ZADD', prefix .. 'leases_' .. queue, unpack(leases))
  redis.call('LTRIM', prefix .. 'pending_tasks_' .. queue, 0, -1 - #tasks)
  redis.call('LPUSH', prefix .. 'reserved_tasks_' .. queue .. '_' .. listener, unpack(ids))
  if pid then
    redis.call('SADD', prefix .. 'started_tasks_' .. queue, unpack(started))
  end
end

-- Enters many new tasks without holdings in the same state of one queue. The remaining fields are already in their
-- records.
function batch.enter(tasks, to, why)
  local queue, prefix, now = tasks[1].queue, namespace.prefix, namespace.now
  local index = prefix .. to .. '_tasks_' .. queue
  local all, entries = {}, {}
  for i, task in ipairs(tasks) do
    all[2 * i - 1], all[2 * i] = now, task.id
    if to == 'pending' then
      entries[i] = task.id
    else
      entries[2 * i - 1], entries[2 * i] = to == 'scheduled' and task.eta or now, task.id
    end
  end
  redis.call('ZADD', prefix .. 'tasks_' .. queue, unpack(all))
  redis.call(to == 'pending' and 'LPUSH' or 'ZADD', index, unpack(entries))
  for i = 1, #tasks do
    local task = tasks[i]
    redis.call('HSET', task.key, 'status', to, 'updated', now, 'created', now)
    event_entries.add(task, to, why, '', now, i == 1) -- the first event trims the stream for all tasks
  end
end

-- Moves many held tasks without holdings at once from the list of one listener to the complete tasks of their queue.
-- @hot
function batch.complete(tasks)
  local first = tasks[1]
  local queue, prefix = first.queue, namespace.prefix
  local held = prefix .. 'reserved_tasks_' .. queue .. '_' .. first.node
  local leases, ids, started = {}, {}, {}
  for i = 1, #tasks do
    local task = tasks[i]
    leases[i], ids[i] = task.id .. ' ' .. task.token, task.id
    if task.status == 'started' then
      started[#started + 1] = task.node .. ' ' .. task.pid .. ' ' .. task.id
    end
  end
  redis.call('ZREM', prefix .. 'leases_' .. queue, unpack(leases))
  for i = 1, #ids do
    redis.call('LREM', held, '-1', ids[i])
  end
  if started[1] then
    redis.call('SREM', prefix .. 'started_tasks_' .. queue, unpack(started))
  end
  redis.call('LPUSH', prefix .. 'complete_tasks_' .. queue, unpack(ids))
end
