-- Walks: actions on many tasks of a graph. A walk cancels all tasks, or one task and the tasks below it. It retries all
-- failed and cancelled tasks, or only the tasks whose cause runs again. Or it reruns some tasks and all tasks below
-- them. A step of `run_deferred` handles some of the tasks, in the order of their submission: a task follows the tasks
-- that it waits for. A cancel goes in the opposite order. The graph's record stores the action, `doing`, and the
-- position, `at`.
local walks = {}

-- Maximum number of tasks that a step examines.
walks.LOOKS = 300

-- Maximum number of inputs that a step reads.
walks.INPUTS = 1000

-- The pause of a walk that waits for owners to stop, in microseconds.
walks.PAUSE = 1000000

-- Returns the walk of a graph, or nil if no walk is in progress.
function walks.find(graph)
  local v = redis.call('HMGET', graphs.key(graph.id), graphs.walk_fields())
  return v[1] and { graph = graph.id, total = graph.total, doing = v[1], at = tonumber(v[2]), task = v[3] or nil,
    reason = v[4] or '', force = v[5], changed = tonumber(v[6] or 0), refused = tonumber(v[7] or 0),
    part = v[8] or nil, tasks = {}, marks = {}, left = {}, stopped = {},
    spec = { planned = {}, awaited = {}, walks = true, deadline = v[9] or nil } } or nil
end

function walks.plan(walk, limit)
  namespace.probe('ZCARD', graphs.chosen(walk.graph))
  if walk.doing == 'cancel' then
    walks.plan_cancels(walk, limit)
  elseif walk.doing == 'rerun' then
    walks.plan_reruns(walk, limit)
  elseif walk.doing == 'mark_rerun' or walk.doing == 'mark_cancel' then
    walks.plan_marks(walk)
  else
    walks.plan_retries(walk, limit)
  end
end

function walks.page(walk)
  return redis.call('LRANGE', namespace.declare(graphs.tasks(walk.graph)), walk.at, walk.at + walks.LOOKS - 1)
end

-- Returns a task of the graph, or nil if its id now belongs to another task.
function walks.task(walk, id)
  local task = actions.find(id)
  return task and redis.call('HGET', task.key, 'graph') == walk.graph and task or nil
end

-- Adds a task to a step if the action changes the task. Counts a refusal.
function walks.act(walk, task, plan, act)
  if plan(task, walk.spec) then
    walk.refused = walk.refused + 1
  elseif task.to then
    task.act = act
    walk.tasks[#walk.tasks + 1] = task
  end
end

function walks.is_full(walk, limit)
  return #walk.tasks >= limit or (walk.spec.entries or 0) > actions.ENTRIES
end

-- Ends the walk after the last task, or begins another pass if `again` is true.
function walks.plan_next(walk, again)
  walk.changed = walk.changed + #walk.tasks
  walk.next = walk.doing
  if walk.at >= walk.total then
    walk.next = again and walk.doing
    walk.pause = again and walk.changed == 0
    walk.at, walk.changed, walk.refused = 0, 0, 0
  end
end

-- Plans a step of a retry: failed and cancelled tasks run again, as do held tasks that have an order to stop.
function walks.plan_retries(walk, limit)
  local spec = walk.spec
  spec.begun = {}
  for _, id in ipairs(walks.page(walk)) do
    walk.at = walk.at + 1
    local task = walks.task(walk, id)
    if task and walks.may_run_again(walk, task) then
      if record.held(task) then
        walks.act(walk, task, walks.spare, walks.do_spare)
      else
        walks.act(walk, task, retrying.plan, retrying.retry)
      end
      spec.begun[id] = task.to and true
    end
    if walks.is_full(walk, limit) then
      break
    end
  end
  -- A task may wait for a later one, if that edge was added later.
  walks.plan_next(walk, walk.refused > 0 and walk.changed + #walk.tasks > 0)
end

function walks.may_run_again(walk, task)
  if not (task.status == 'failed' or task.status == 'cancelled' or record.held(task) and task.cancel) then
    return false
  elseif walk.doing == 'retry' then
    return true
  end
  local cause = redis.call('HGET', task.key, 'cause')
  local status = cause and redis.call('HGET', namespace.key('task', cause), 'status')
  return status and status ~= 'failed' and status ~= 'cancelled' or cause and walk.spec.begun[cause]
end

-- Plans that a task whose cancel was requested, but which has not stopped yet, is given back instead. Refused if the
-- task is killed, or stopped because of its deadline.
function walks.spare(task)
  if orders.of(task) == 'kill' then
    return retrying.stopping(task)
  elseif deadlines.decided(task) then
    return deadlines.refusal()
  end
  task.to = 'requeuing'
  orders.plan(task.queue)
  tracking.plan_note(task)
end

function walks.do_spare(task)
  orders.give(task.queue, 't:' .. task.id, 'stop')
  redis.call('HDEL', task.key, 'cancel', 'discard', 'cause', 'reason')
  holdings.need(task)
  redis.call('HSET', task.key, 'requeue', namespace.now)
  tracking.note(task, 'requeue')
end

-- Plans a step of a cancel. The last tasks come first, so that no task ends because of another task.
function walks.plan_cancels(walk, limit)
  local spec = walk.spec
  spec.reason, spec.force, spec.discard = walk.reason, walk.force, true
  if not walk.task then
    namespace.shared('on_failure')[walk.graph] = 'continue' -- the walk itself cancels every task
  end
  local from = -walk.at - 1
  local ids = redis.call('LRANGE', namespace.declare(graphs.tasks(walk.graph)), from - walks.LOOKS + 1, from)
  for i = #ids, 1, -1 do
    walk.at = walk.at + 1
    local ours = not walk.task or redis.call('ZSCORE', graphs.chosen(walk.graph), ids[i])
    local task = ours and walks.task(walk, ids[i])
    if task and not contract.is_final(task.status) then
      task.cause = walk.task ~= ids[i] and walk.task or nil
      walks.act(walk, task, cancelling.plan, cancelling.cancel)
    end
    if walks.is_full(walk, limit) then
      break
    end
  end
  walks.plan_next(walk, false)
end

-- Marks the tasks below the chosen tasks: for a cancel the tasks that need a marked task, for a rerun all tasks that
-- wait for a marked task. A chosen task below another chosen task, or below a task whose rerun has begun, is treated as
-- a normal task. A pass that has marked a task is followed by another pass: because of an edge that was added later, a
-- task may wait for a task that comes after it.
function walks.plan_marks(walk)
  local after, entries = walk.doing == 'mark_cancel' and 'cancel' or 'rerun', 0
  for _, id in ipairs(walks.page(walk)) do
    local mark = redis.call('ZSCORE', graphs.chosen(walk.graph), id)
    local v = redis.call('HMGET', namespace.declare(namespace.key('task', id)), 'inputs', 'graph')
    local inputs = mark ~= '1' and id ~= walk.task and v[2] == walk.graph and v[1] or ''
    local page, rest = edge_inputs.page(inputs, tonumber(walk.part or 1), walks.INPUTS - entries)
    entries = entries + #page
    local below = mark == '1' or id == walk.task or walks.hangs_below(walk, page, after, mark == '2')
    walk.part = not below and rest or nil
    if walk.part then
      break
    end
    walk.at = walk.at + 1
    if below and mark ~= '1' then
      walk.marks[id], walk.changed = '1', walk.changed + 1
    end
    if entries >= walks.INPUTS then
      break
    end
  end
  walk.next = walk.doing
  if walk.at >= walk.total then
    walk.next = walk.changed > 0 and walk.doing or after
    walk.at, walk.changed = 0, 0
  end
end

-- Returns true if one of these inputs belongs to a marked task whose rerun has not begun, or with `any` to any marked
-- task.
function walks.hangs_below(walk, page, after, any)
  local ids = {}
  for _, entry in ipairs(page) do
    if after == 'rerun' or entry.kind ~= 'some' and edges.needs_success(entry.kind) then
      if walk.marks[entry.id] then
        return true
      end
      ids[#ids + 1] = entry.id
    end
  end
  for _, mark in pairs(edge_rerun.marks(graphs.chosen(walk.graph), ids)) do
    if mark and (any or mark ~= '0') then
      return true
    end
  end
  return false
end

-- Plans a step of a rerun: marked tasks run again, each after the tasks that it waits for. A held task is stopped
-- first, and a ready task is cancelled first; the next pass handles these tasks again.
function walks.plan_reruns(walk, limit)
  local spec = walk.spec
  spec.reruns, spec.fresh, spec.reason, spec.discard = true, true, 'to run again', true
  namespace.probe('ZCARD', edges.deferred())
  spec.chosen, spec.look, spec.wait = graphs.chosen(walk.graph), edge_rerun.plan, edge_rerun.run
  spec.graph, spec.begins = walk.graph, walk.marks
  for _, id in ipairs(walks.page(walk)) do
    local part = walk.part
    walk.at, walk.part = walk.at + 1, nil
    local mark = redis.call('ZSCORE', spec.chosen, id)
    if mark == '1' or mark == '2' then
      local task = walks.task(walk, id)
      if task then
        task.first = mark == '2'
      end
      if not task or not walks.stops_first(walk, task) then
        if task and not task.first and part ~= 'ready' and not at_least.has(task) and rerun_large.is_long(task) then
          walks.prepare_rerun(walk, task, part)
          break
        end
        walk.marks[id] = '0'
        walks.begin_rerun(walk, task, part)
        if not task or contract.is_final(task.status) and not task.to then
          walk.left[#walk.left + 1] = id
        end
      end
    end
    if walks.is_full(walk, limit) then
      break
    end
  end
  for _, id in ipairs(walk.stopped) do
    if spec.awaited[id] then
      walk.left[#walk.left + 1] = id -- another walk may take the place of this one
    end
  end
  walks.plan_next(walk, walk.refused > 0)
end

-- Plans the cancel of a task that must end before its rerun. Returns true if the task must end first.
function walks.stops_first(walk, task)
  local is_held = record.held(task)
  if not is_held and (task.first or task.status ~= 'held'
    and task.status ~= 'pending' and task.status ~= 'scheduled') then
    return false
  end
  walk.refused = walk.refused + 1
  if not is_held then
    walk.stopped[#walk.stopped + 1] = task.id
  end
  if not (is_held and redis.call('HGET', task.key, 'discard')) then
    walks.act(walk, task, cancelling.plan, cancelling.cancel)
  end
  return true
end

function walks.prepare_rerun(walk, task, part)
  rerun_large.plan(task, walk.spec.chosen, part)
  walk.tasks[#walk.tasks + 1] = task
  walk.at, walk.part = walk.at - 1, task.piece.part
end

function walks.begin_rerun(walk, task, part)
  if task then
    task.prepared = part == 'ready'
  end
  if task and task.status == 'waiting' then
    edge_rerun.plan(task, walk.spec)
    task.act = edge_rerun.run
    walk.tasks[#walk.tasks + 1] = task
  elseif task and contract.is_final(task.status) then
    walks.act(walk, task, retrying.plan, retrying.retry)
  end
end

function walks.run(walk)
  for id, mark in pairs(walk.marks) do
    redis.call('ZADD', graphs.chosen(walk.graph), mark, id)
  end
  for _, id in ipairs(walk.left) do -- not rerun yet: its dependents are notified of its end
    redis.call('ZADD', edges.deferred(), namespace.now, id)
  end
  local wakes = {}
  for _, task in ipairs(walk.tasks) do
    walk.spec.cause = task.cause
    task.act(task, walk.spec)
    wakes[#wakes + 1] = walk.spec.wakes ~= wakes[#wakes] and walk.spec.wakes or nil
  end
  for _, queue in ipairs(wakes) do -- the tasks may be in several queues
    wakeups.wake(queue)
  end
  local key = graphs.key(walk.graph)
  if walk.next then
    redis.call('HSET', key, 'doing', walk.next, 'at', walk.at, 'changed', walk.changed, 'refused', walk.refused,
      unpack(walk.part and { 'part', walk.part } or {}))
    if not walk.part then
      redis.call('HDEL', key, 'part')
    end
    local from = namespace.now_us + (walk.pause and walks.PAUSE or 0)
    redis.call('ZADD', graphs.due(), namespace.decimal(from), walk.graph)
  else
    redis.call('HDEL', key, graphs.walk_fields())
    redis.call('UNLINK', graphs.chosen(walk.graph))
  end
end
