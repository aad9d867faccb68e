-- Wake-ups: listeners that wait for a task are told of one. Planning reads who sleeps; `asleep` of the call, by queue,
-- has what was read, and under `*` the sets of patterns whose listeners sleep, or false if nobody takes by pattern.
local wakeups = {}

function wakeups.plan(queue)
  local asleep = namespace.shared('asleep')
  asleep[queue] = namespace.probe('LLEN', namespace.prefix .. 'wake_' .. queue) == 0
  if asleep['*'] == nil then
    asleep['*'] = redis.call('HGET', namespace.meta, 'roams')
  end
end

-- Notes that a queue has work, for listeners that take queues by pattern. A hint: `ready` finds what is missed.
-- @inline
function wakeups.list_ready(queue)
  local ready = namespace.prefix .. 'ready'
  if not namespace.declared or namespace.is_here(ready) then
    redis.pcall('ZADD', ready, '0', queue)
  end
end

-- Wakes one of those that sleep, of each set of patterns that the queue matches. Returns the sets that sleep on.
function wakeups.rouse(roams, queue)
  local left = patterns.rouse(roams, queue)
  if left ~= roams then
    redis.pcall('HSET', namespace.meta, 'roams', left)
  end
  return left
end

-- Wakes one listener of a queue that waits on the list, if it is `asleep`, one of each of the sets `roams`, and every
-- one that subscribes to the channel. Returns the sets that sleep on.
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

-- The same for a planned queue, once for all its tasks.
-- @inline
function wakeups.wake(queue)
  local asleep = namespace.shared_tables and namespace.shared_tables.asleep or {}
  local roams = wakeups.send(queue, asleep[queue], asleep['*'])
  asleep[queue], asleep['*'] = nil, roams
end
