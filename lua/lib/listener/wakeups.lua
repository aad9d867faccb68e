-- Wake-ups: notifications for listeners that wait for a task. Planning reads which listeners sleep. The shared table
-- `idle` has the result for each queue. Under `*` it has the pattern sets whose listeners sleep, or false if no
-- listener takes tasks by pattern.
local wakeups = {}

function wakeups.plan(queue)
  local idle = namespace.shared('idle')
  idle[queue] = namespace.probe('LLEN', namespace.prefix .. 'wake_' .. queue) == 0
  if idle['*'] == nil then
    idle['*'] = redis.call('HGET', namespace.meta, 'patterns')
  end
end

-- Lists a queue with work in the index for listeners that take queues by pattern. The entry is a hint: `ready` finds
-- queues that the index misses.
-- @inline
function wakeups.list_ready(queue)
  local ready = namespace.prefix .. 'ready'
  if not namespace.declared or namespace.is_here(ready) then
    redis.pcall('ZADD', ready, '0', queue)
  end
end

-- Wakes one sleeping listener of each pattern set that the queue matches. Returns the sets that still sleep.
function wakeups.wake_sets(sets, queue)
  local left = patterns.wake_sets(sets, queue)
  if left ~= sets then
    redis.pcall('HSET', namespace.meta, 'patterns', left)
  end
  return left
end

-- Wakes one listener of a queue that waits on the list, if `idle` is set. Also wakes one listener of each matching
-- set in `sets`, and every listener that subscribes to the channel. Returns the sets that still sleep.
-- @inline
function wakeups.send(queue, idle, sets)
  if idle then
    redis.call('LPUSH', namespace.prefix .. 'wake_' .. queue, '1')
  end
  if sets then
    wakeups.list_ready(queue)
    if sets ~= '' then
      sets = wakeups.wake_sets(sets, queue)
    end
  end
  -- only a hint: without permission to publish, listeners poll
  redis.pcall('PUBLISH', namespace.prefix .. 'channel_' .. queue, '')
  return sets
end

-- Wakes listeners of a planned queue, once for all its tasks.
-- @inline
function wakeups.wake(queue)
  local idle = namespace.shared_tables and namespace.shared_tables.idle or {}
  local sets = wakeups.send(queue, idle[queue], idle['*'])
  idle[queue], idle['*'] = nil, sets
end
