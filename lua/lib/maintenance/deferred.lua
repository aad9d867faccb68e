-- The deferred work of task graphs, and tasks past their deadlines.
local deferred = {}

-- Each step returns its number of tasks, and true if more steps are due.

-- Notifies dependents of the end of a task. `last`: all dependents are notified after this step.
function deferred.notify(up, ids, last)
  edge_end.plan_page(up, up.status, ids)
  for _, plan in ipairs(up.dependents) do
    state.plan_follow(plan)
  end
  -- The index stays while it contains an edge of a new graph that is not released yet.
  local gone = last and up.status == 'deleted' and not up.awaited
    and redis.call('ZCOUNT', edges.dependents(up.id), '-inf', '-inf') == 0
  namespace.begin()
  up.is_settled = true
  if last then
    redis.call('ZREM', edges.deferred(), up.id)
  end
  state.propagate(up)
  if up.runs then
    edges.flag(up)
  end
  if gone then
    redis.call('UNLINK', edges.dependents(up.id))
  end
  return #ids, not last
end

-- Checks a part of a long result: dependents receive the result only after it is known whether it is JSON.
function deferred.check(up, place)
  local verdict, next_place = json.step(up.result, place)
  namespace.begin()
  redis.call('HSET', up.key, 'checked', up.since .. ' ' .. (next_place or verdict and 'yes' or 'no'))
  return 1, true
end

function deferred.join(task)
  local step = fan_in_steps.plan(task)
  state.plan_follow(step.ready or {})
  namespace.begin()
  fan_in_steps.run(task, step)
  state.follow(step.ready or {})
  return 1, true
end

-- Cancels upstream tasks of a task that nothing else needs.
function deferred.cascade(task, from, limit)
  local step = cancel_unneeded.plan(task, from, limit)
  deferred.run_step(task, step, cancel_unneeded.run)
  return #step.tasks, step.after
end

-- Does a planned step of a pass over upstreams. After the last step, the task is removed from the deferred tasks.
function deferred.run_step(task, step, run)
  namespace.begin()
  if not step.after then
    redis.call('ZREM', edges.deferred(), task.id)
  end
  run(task, step)
end

-- Checks the upstream tasks of a retried task again.
function deferred.look(task, from)
  local step = edge_retry.plan_look(task, from)
  deferred.run_step(task, step, edge_retry.look_again)
  return #step.open + #step.ended, step.after
end

function deferred.go_on(id, limit)
  namespace.probe('ZCARD', graphs.all())
  namespace.declare(graphs.due())
  namespace.probe('LLEN', graphs.tasks(id))
  local graph = graphs.find(id)
  if not graph or graph.state ~= 'created' then
    local ids, outside, bounds = graph_release.plan_removal(id, limit)
    namespace.begin()
    graph_release.remove(id, ids, outside, bounds)
    return #ids + #outside, #ids + #outside > 0
  end
  local tasks, outside = graph_release.plan_release(graph, limit)
  local number = #tasks + #outside
  local walk = number == 0 and walks.find(graph)
  if walk then
    walks.plan(walk, limit)
    namespace.begin()
    walks.run(walk)
    return #walk.tasks, not walk.pause
  end
  namespace.begin()
  if number == 0 then
    redis.call('ZREM', graphs.due(), id)
  end
  graph_release.release(graph, tasks, outside)
  return number, number > 0
end

-- Returns a task whose end, retry or rerun left work behind; a task without a record counts as deleted.
function deferred.find(id)
  local task = record.find(id, 'cascade', 'cause', 'graph', 'checked') or graphs.coming(id)
    or { id = id, status = 'deleted', extra = {} }
  task.cause, task.graph = task.extra[2], task.extra[3]
  return task
end

-- Finds the dependents of a task that are not notified of its end yet, up to `limit`. Sets `runs` in the task if
-- dependents wait for a retry, or for another task of this id. Returns their ids, true if there are more, and `limit`,
-- which is lower for a long result.
function deferred.untold(task, limit)
  local ids, id = {}, task.id
  if edges.is_over(task.status) then
    task.result = task.status == 'complete' and redis.call('HGET', task.key, 'result') or ''
    limit = math.max(1, math.min(limit, math.floor(edges.COPIES / math.max(1, #task.result))))
    ids = edge_end.untold(id, task.status, limit + 1)
    -- Another task of this id ended without these dependents. Held dependents wait for its retry.
    task.runs = task.status ~= 'deleted' and not string.find(task.flags or '', 'd', 1, true)
      and select(2, edges.waiting(id)) > 0
  else
    task.runs = select(2, edges.waiting(id)) > 0 -- a retried task, or another task of this id
  end
  local more = table.remove(ids, limit + 1) ~= nil
  return ids, more, limit
end

-- Returns true if it is not known yet whether a long result is JSON, and the position that the check has reached. Sets
-- `json` in the task if the result is known to be JSON.
function deferred.is_unchecked(task)
  local since, place = string.match(task.extra[4] or '', '^(%S+) (.*)$')
  place = since == task.since and place or nil
  task.json = place == 'yes'
  return not (task.json or place == 'no'), place
end

-- Does a step of the work that the end of a task has left behind.
function deferred.propagate(id, most)
  namespace.probe('ZCARD', edges.deferred())
  local task = deferred.find(id)
  local from, graph = task.extra[1], task.graph
  if from == fan_in.WORD then
    return deferred.join(task)
  elseif from and not edges.is_over(task.status) then
    return deferred.look(task, from)
  end
  local ids, more, limit = deferred.untold(task, most)
  if ids[1] and #task.result > json.SHORT then
    local unchecked, place = deferred.is_unchecked(task)
    if unchecked then
      return deferred.check(task, place)
    end
  end
  local queued = queued_round.has(task) and contract.is_final(task.status)
  if queued and not (ids[1] or from) then
    next_round.begin(id)
    return 1
  elseif graph and ids[1] and graphs.is_rerun(graph, id) then
    return deferred.go_on(graph, limit)
  elseif ids[1] or not from then
    return deferred.notify(task, ids, not (more or from or queued))
  elseif graph and not graphs.is_released(graph) then
    return deferred.go_on(graph, limit)
  end
  return deferred.cascade(task, from, limit)
end

-- Does the next step, for up to about `limit` tasks. Returns the reply of `run_deferred`.
-- @hot
function deferred.run(limit)
  local late_ones = overdue.plan(limit)
  if late_ones then
    namespace.begin()
    overdue.run(late_ones)
    return { #late_ones.ids, 1 }
  end
  local watched = watching.plan(limit)
  if watched then
    namespace.begin()
    watching.run(watched)
    return { #watched.members, 1 }
  end
  local waiting = redis.call('ZRANGE', edges.deferred(), 0, 0)
  local due = redis.call('ZRANGEBYSCORE', graphs.due(), '-inf', namespace.now, 'LIMIT', 0, 10)
  for _, id in ipairs(due) do
    if not graphs.is_created(id) then -- the removal frees memory, and continues when memory is full
      local number, more = deferred.go_on(id, limit)
      return { number, (more or due[2] or waiting[1]) and 1 or 0 }
    end
  end
  if waiting[1] then
    local number, more = deferred.propagate(waiting[1], limit)
    -- A task that ended in this step may have left queued work.
    return { number, (more or due[1] or redis.call('ZCARD', edges.deferred()) > 0) and 1 or 0 }
  elseif not due[1] then
    return { 0, 0 }
  end
  local number, more = deferred.go_on(due[1], limit)
  return { number, (more or due[2]) and 1 or 0 }
end
