-- Number of users of each shared limit, and the time since when a limit is unused. Users are tasks that have not ended,
-- and schedules.
local shared_count = {}

function shared_count.plan()
  namespace.probe('HLEN', shared_limits.key('tasks'))
  namespace.probe('HLEN', shared_limits.key('expires'))
  namespace.probe('ZCARD', shared_limits.key('idle'))
end

-- Adds `change`, 1 or -1, to the number of users of these limits.
function shared_count.count(set, change)
  for _, part in ipairs(shared_limits.parts(set)) do
    shared_count.note(part.name, redis.call('HINCRBY', shared_limits.key('tasks'), part.name, change), change)
  end
end

-- Handles a new number of users of a limit. When the number becomes 0, the time until the removal of the limit begins.
function shared_count.note(name, number, change)
  if number <= 0 then
    redis.call('HDEL', shared_limits.key('tasks'), name)
    shared_count.begin_idle(name)
  elseif number == change then
    redis.call('ZREM', shared_limits.key('idle'), name)
  end
end

function shared_count.set(name, number)
  redis.call('HSET', shared_limits.key('tasks'), name, number)
  shared_count.note(name, number, number)
end

function shared_count.begin_idle(name)
  local expires = tonumber(redis.call('HGET', shared_limits.key('expires'), name) or nil)
  if expires then
    redis.call('ZADD', shared_limits.key('idle'), string.format('%.0f', namespace.now_us + expires * 1000000), name)
  end
end

-- Updates the numbers of users for a user whose limits change. `after` and `before` are its limits; either may be nil.
function shared_count.recount(after, before)
  if after then
    shared_count.count(after, 1)
  end
  if before then
    shared_count.count(before, -1)
  end
end

-- Updates the numbers of users when a task changes its state. A task uses its limits while it is in a queue and has not
-- ended.
function shared_count.count_task(task, to)
  local open = task.status and not contract.is_final(task.status)
  local opens = not contract.is_final(to) and to ~= 'deleted' and to ~= 'moved'
  if opens and not open then
    shared_count.count(task.shared, 1)
  elseif open and not opens then
    shared_count.count(task.shared, -1)
  end
end
