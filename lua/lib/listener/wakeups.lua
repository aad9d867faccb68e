-- Wake-ups: notifications for listeners that wait for a task. Planning reads which listeners sleep. The shared table
-- `asleep` has the result for each queue. Under `*` it has the pattern sets whose listeners sleep, or false if no
-- listener takes tasks by pattern.
local wakeups = {}

function wakeups.plan(queue)
  local asleep = namespace.shared('asleep')
  asleep[queue] = namespace.probe('LLEN', namespace.prefix .. 'wake_' .. queue) == 0
  if asleep['*'] == nil then
    asleep['*'] = redis.call('HGET', namespace.meta, 'roams')
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
function wakeups.rouse(roams, queue)
  local left = patterns.rouse(roams, queue)
  if left ~= roams then
    redis.pcall('HSET', namespace.meta, 'roams', left)
  end
  return left
end

-- Wakes one listener of a queue that waits on the list, if `asleep` is set. Also wakes one listener of each matching
-- set in `roams`, and every listener that subscribes to the channel. Returns the sets that still sleep.
-- @inline
function wakeups.send(queue, asleep, roams)
  if asleep then
    redis.call('LPUSH', namespace.prefix .. 'wake_' .. queue, '1')
  end
  if roams then
    wakeups.list_ready(queue)
    if roams ~= '' then
      roams = wakeups.rouse(roams, queue)
    end
  end
  -- only a hint: without permission to publish, listeners poll
  redis.pcall('PUBLISH', namespace.prefix .. 'channel_' .. queue, '')
  return roams
end

-- Wakes listeners of a planned queue, once for all its tasks.
-- @inline
function wakeups.wake(queue)
  local asleep = namespace.shared_tables and namespace.shared_tables.asleep or {}
  local roams = wakeups.send(queue, asleep[queue], asleep['*'])
  asleep[queue], asleep['*'] = nil, roams
end
