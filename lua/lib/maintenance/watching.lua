-- Watching: notices of events that are due because time has passed, see `watches`.
local watching = {}

-- Plans a step; returns nil if nothing is due.
function watching.plan(limit)
  local members = redis.call('ZRANGEBYSCORE', namespace.declare(watches.key()), '-inf',
    string.format('%.0f', namespace.now_us), 'LIMIT', 0, limit)
  if not members[1] then
    return nil
  end
  local step, tasks = { members = members, due = {} }, {}
  for _, member in ipairs(members) do
    local event, id = string.match(member, '^(%S+) (.+)$')
    local task = id and (tasks[id] or record.find(id, 'progressed', 'checkpointed', 'suspended', 'continued'))
    if task then
      tasks[id] = task
    end
    if task and watching.is_open(task, event) then
      local time = string.match(event, '^no%-progress=(.+)$')
      local due = { task = task, event = event, member = member }
      due.again = time and watching.look_again(task, watches.seconds(time))
      if not due.again then
        task.plan = task.plan or notices.plan_for(id, task.watch.targets)
      end
      step.due[#step.due + 1] = due
    end
  end
  return step
end

-- Returns true if the task is still in a state in which the event may occur, and its targets ask for the event.
function watching.is_open(task, event)
  if not string.find(task.flags or '', 'm', 1, true) then
    return false -- ended or submitted again by a client without scripts
  end
  holdings.load(task)
  return task.watch ~= nil and watches.due(task.watch, task.status)[event] ~= nil
end

-- Returns the time at which a running task is looked at again, or nil if it has not reported progress, saved a
-- checkpoint or written output for these seconds. A suspended program can do none of these.
function watching.look_again(task, seconds)
  local entry = redis.call('XREVRANGE', namespace.declare(namespace.key('log', task.id)), '+', '-', 'COUNT', 1)[1]
  local last = task.extra[3] and namespace.now_us / 1000000 or tonumber(task.since)
  for _, at in ipairs({ task.extra[1] or 0, task.extra[2] or 0, task.extra[4] or 0, entry and entry[2][2] or 0 }) do
    last = math.max(last, tonumber(at) or 0)
  end
  local at = (last + seconds) * 1000000
  return at > namespace.now_us and string.format('%.0f', at) or nil
end

function watching.run(step)
  redis.call('ZREM', watches.key(), unpack(step.members))
  for _, due in ipairs(step.due) do
    if due.again then
      redis.call('ZADD', watches.key(), due.again, due.member)
    else
      notices.add_timed(due.task.plan, due.task, due.event)
    end
  end
end
