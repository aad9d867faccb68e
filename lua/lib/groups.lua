-- Failed tasks by the group of their error; the empty name is for tasks without one.
local groups = {}

function groups.key(queue, group)
  return namespace.prefix .. 'group_' .. queue .. '/' .. group
end

-- Reads what `enter` and `leave` write. A task that fails has its `group` from the command; for one that leaves the
-- state, the record has it unless a client without scripts failed it.
function groups.plan(task, to)
  if to ~= 'failed' then
    task.group = redis.call('HGET', namespace.prefix .. 'task_' .. task.id, 'group') or ''
  end
  local key = groups.key(task.queue, task.group or '')
  namespace.probe('ZCARD', namespace.key('groups', task.queue))
  namespace.probe('ZCARD', key)
  if to ~= 'failed' and not redis.call('ZSCORE', key, task.id) then
    task.group = nil
  end
end

function groups.enter(task, now)
  local group = task.group or ''
  local key = groups.key(task.queue, group)
  redis.call('ZADD', key, now, task.id)
  redis.call('ZADD', namespace.key('groups', task.queue), redis.call('ZCARD', key), group)
end

function groups.leave(task)
  if task.group then
    tags.remove(groups.key(task.queue, task.group), namespace.key('groups', task.queue), task.group, task.id)
  end
end
