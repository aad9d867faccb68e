-- Common parts of the actions of operators on tasks: on one task, or on many tasks in a step. Each action is a file:
-- `cancelling`, `requeuing`, `retrying`, `deleting`, `moving`, `prioritising`. The plan of an action reads all keys
-- that the action will write and stores the plan in the task, or returns the code and text of a refusal. After
-- `namespace.begin` the action is carried out. `spec`: the request of the call, and values that the tasks of a step
-- share.
local actions = {}

-- A step ends after searching this many list entries for its tasks, or after other work that takes as long.
actions.ENTRIES = 20000

-- A task is searched for within this distance of either end of its list.
actions.NEAR = 500

-- Returns a task, with the fields that every action reads.
function actions.find(id)
  return record.find(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
end

function actions.get(id)
  return record.get(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
end

function actions.refuse(task, allowed)
  return 'STATE', 'the task is ' .. task.status .. '; this is for one that is ' .. allowed
end

-- Plans a transition. A step makes the reads that its plain tasks share only once.
function actions.plan(task, to, spec)
  task.to = to
  task.later = spec.planned ~= nil -- tasks of a step may share dependents, or be dependents
  local kind = task.status .. ' ' .. to
  if not record.held(task) then
    actions.seek(task, spec)
    local plain = spec.planned and not task.flags and not task.foreign
    if plain and spec.planned[kind] then
      return state.plan_own(task, to)
    elseif plain then
      spec.planned[kind] = true
    end
  end
  state.plan(task, to)
end

-- Returns the time when a task entered its list. The time of a task that was put back to the front is 0.
function actions.entered(status, updated, front)
  return not (status == 'pending' and front) and tonumber(updated) or 0
end

-- Finds the nearer end of the list of a task: near the ends by searching, else by comparing its time with the time of
-- the middle entry. Counts the list entries that the step will search.
function actions.seek(task, spec)
  spec.lists, spec.entries = spec.lists or {}, spec.entries or 0
  if task.flags then
    holdings.load(task)
    spec.entries = spec.entries + 400 + 100 * #tags.names(task.tags) -- updating its holdings takes as long
  end
  if task.status == 'scheduled' or task.status == 'waiting' or task.rank then
    return
  end
  local list = namespace.key(task.status .. '_tasks', task.queue)
  local known = spec.lists[list] or { length = redis.call('LLEN', list) }
  spec.lists[list] = known
  if known.length <= 100 then
    spec.entries = spec.entries + known.length
    return
  end
  for direction = -1, 1, 2 do
    local at = redis.call('LPOS', list, task.id, 'RANK', direction, 'MAXLEN', actions.NEAR)
    if at then
      task.from_end = direction
      spec.entries = spec.entries + (direction == 1 and at or known.length - at)
      return
    end
  end
  if not known.middle then
    local middle = redis.call('LINDEX', list, math.floor(known.length / 2))
    known.middle = actions.entered(
      unpack(redis.call('HMGET', namespace.key('task', middle), 'status', 'updated', 'front')))
  end
  local own = actions.entered(task.status, task.since, task.extra[4])
  task.from_end = own <= known.middle and -1 or 1
  spec.entries = spec.entries + known.length / 2
end

-- Returns true if a unique name of a queue is free for this task. Also considers all tasks of its step.
function actions.unique(task, spec)
  if not task.flags then
    return true
  end
  holdings.load(task)
  if not task.unique then
    return true
  end
  spec.taken_names = spec.taken_names or {}
  if holdings.name_conflict(task) or spec.taken_names[task.unique] then
    return false
  end
  spec.taken_names[task.unique] = true
  return true
end

-- Carries out what was planned for all tasks.
function actions.run(act, tasks, spec)
  namespace.begin()
  for _, task in ipairs(tasks) do
    act(task, spec)
  end
  if spec.wakes then
    wakeups.wake(spec.wakes)
  end
end

-- Runs an action on a task, or fails with its refusal. `spec.by`: who asked for `spec.what`. Returns the task as it was
-- before the action.
function actions.one(id, plan, act, spec)
  local task = actions.get(id)
  local code, text = plan(task, spec)
  if code then
    reply.fail(code, text)
  end
  if task.to then
    audit.plan()
    local before, after = task.status, task.to
    if after == 'prioritised' then
      before, after = task.priority or '0', spec.priority
    elseif after == 'moved' then
      before, after = task.queue, spec.queue
    end
    actions.run(act, { task }, spec)
    audit.add(spec.by, spec.what, 'task', id, before, after, spec.reason)
  end
  return task
end
