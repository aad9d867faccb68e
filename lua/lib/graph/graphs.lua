-- Graphs: tasks that are submitted together, as one document.
--
-- The tasks of a graph are staged until the last task has arrived. Staged tasks are records without a status; they are
-- in no index, and no other command finds them. Then the graph is created at once, and `run_deferred` releases its
-- tasks in bounded steps, the last task first: so the dependents of a task exist before that task can end.
local graphs = {}

-- Microseconds after which a graph is removed if not all its tasks have arrived.
graphs.STAGED = 600000000

-- Shortest result, in bytes, that counts as bytes of its graph when it arrives. Shorter results are not counted,
-- because their edges take as much memory.
graphs.SMALL = 256

function graphs.key(graph)
  return namespace.key('graph', graph)
end

-- Returns the key with the ids of the tasks of a graph, in the order of submission.
function graphs.tasks(graph)
  return namespace.key('members', graph)
end

-- Returns the key with the edges whose upstream existed before the graph, as `UPSTREAM DEPENDENT`. These edges are
-- open, but the end of the upstream ignores them for now.
function graphs.outside(graph)
  return namespace.key('outside', graph)
end

-- Returns the key with the graphs to release, and incomplete graphs to remove, by the time at which this is due.
function graphs.due()
  return namespace.prefix .. 'graphs_due'
end

-- Returns the key with the tasks that a walk handles, unless it handles all (see `walks`). The score of a task is 0
-- after the walk has reached it. Before that the score is 2 for a task whose rerun was requested, and 1 for all others.
function graphs.chosen(graph)
  return namespace.key('chosen', graph)
end

-- Returns the key with all graphs, by the time of their creation.
function graphs.all()
  return namespace.prefix .. 'graphs'
end

function graphs.find(id)
  local v = redis.call('HMGET', namespace.declare(graphs.key(id)), 'state', 'created', 'total', 'name', 'released')
  return v[1] and { id = id, state = v[1], created = v[2], total = tonumber(v[3]), name = v[4] or '',
    released = tonumber(v[5] or 0) } or nil
end

-- Returns the effect of a failed task on the tasks of this graph that need it: `cancel`, `continue` or `hold`. Returns
-- false without a graph.
function graphs.on_failure(id)
  if not id then
    return false
  end
  local known = namespace.shared('on_failure')
  known[id] = known[id] or redis.call('HGET', graphs.key(id), 'on_failure') or 'cancel'
  return known[id]
end

function graphs.is_created(id)
  return redis.call('HGET', graphs.key(id), 'state') == 'created'
end

-- Fails unless all tasks of a graph have arrived, and all of `tasks`, if given, belong to the graph.
function graphs.require(id, tasks)
  if not graphs.is_created(id) then
    namespace.check_slot(graphs.key(id))
    reply.fail('NOTASK', 'no graph has this id: it was never submitted, or all its tasks were deleted')
  end
  for _, task in ipairs(tasks or {}) do
    if redis.call('HGET', namespace.key('task', task), 'graph') ~= id then
      reply.fail('NOTASK', 'the graph has no such task, or it was deleted')
    end
  end
end

-- Returns the fields that the record of a graph has during a walk.
function graphs.walk_fields()
  return 'doing', 'at', 'task', 'reason', 'force', 'changed', 'refused', 'part', 'end_by'
end

function graphs.plan_walk(id)
  namespace.probe('HLEN', graphs.key(id))
  namespace.probe('ZCARD', graphs.due())
  namespace.probe('ZCARD', graphs.chosen(id))
end

-- Begins a walk, and replaces a walk that is under way. `...`: further fields.
function graphs.begin_walk(id, doing, ...)
  graphs.set_walk(id, doing, ...)
  redis.call('UNLINK', graphs.chosen(id))
end

-- Begins a walk over the tasks that are chosen already. `...`: further fields.
function graphs.set_walk(id, doing, ...)
  redis.call('HDEL', graphs.key(id), graphs.walk_fields())
  redis.call('HSET', graphs.key(id), 'doing', doing, 'at', '0', ...)
  redis.call('ZADD', graphs.due(), namespace.now, id)
end

-- Begins to rerun tasks. The tasks that earlier calls rerun in this graph, and that may have to stop first, stay
-- chosen: one call does not undo another. `known`: the walk under way and its deadline; `end_by`: a new deadline.
function graphs.begin_rerun(id, tasks, known, end_by)
  local merges = known[1] == 'mark_rerun' or known[1] == 'rerun'
  if not merges then
    redis.call('UNLINK', graphs.chosen(id))
  end
  local last = end_by or merges and known[2]
  graphs.set_walk(id, 'mark_rerun', unpack(last and { 'end_by', last } or {}))
  for _, task in ipairs(tasks) do
    redis.call('ZADD', graphs.chosen(id), '2', task)
  end
end

-- Sets `task.repairs` if other tasks may have ended because of a task that is retried, and plans the walk that repairs
-- them.
function graphs.plan_repair(task)
  local known = redis.call('HMGET', graphs.key(task.graph), 'doing', 'failed', 'cancelled', 'skipped')
  if (not known[1] or known[1] == 'repair') and (known[2] or 0) + (known[3] or 0) + (known[4] or 0) > 1 then
    graphs.plan_walk(task.graph)
    task.repairs = true
  end
end

-- Returns true if the task is queued for a rerun, so its current outcome is ignored.
function graphs.is_rerun(graph, id)
  local doing = redis.call('HGET', graphs.key(graph), 'doing')
  return (doing == 'rerun' or doing == 'mark_rerun')
    and tonumber(redis.call('ZSCORE', graphs.chosen(graph), id) or 0) > 0
end

-- Returns a staged task of `graph`, or of any graph if `graph` is nil. Returns nil if the task is not staged.
function graphs.staged(id, graph)
  local key = namespace.prefix .. 'task_' .. id
  if namespace.declared then
    namespace.declare(key)
  end
  local v = redis.call('HMGET', key, 'status', 'graph', 'queue', 'flags', 'eta')
  if v[1] or not v[2] or graph and v[2] ~= graph then
    return nil
  end
  return { id = id, key = key, status = 'staged', queue = v[3], flags = v[4] or '', eta = v[5] or nil, extra = {} }
end

-- Returns a task that has not begun because its graph is still being released, or nil.
function graphs.coming(id)
  local graph = redis.call('HGET', namespace.key('task', id), 'graph')
  return graph and graphs.is_created(graph) and graphs.staged(id, graph) or nil
end

-- Returns an upstream. An upstream without a record counts as deleted.
function graphs.upstream(id)
  return record.find(id) or graphs.coming(id) or { id = id, status = 'deleted' }
end

-- Returns the bytes that a result adds to its graph.
function graphs.counted(length)
  return length >= graphs.SMALL and length or 0
end

-- Returns the maximum bytes of the parameters, values, results and texts of inputs of all tasks of a graph, as text.
function graphs.most()
  return settings.get('*', 'graph_bytes')
end

-- Returns true if a graph has room for `bytes` of a result, and then counts them for this call.
function graphs.has_room(id, bytes)
  local known = namespace.shared('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', namespace.declare(graphs.key(id)), 'bytes') or 0)) + bytes
  if all > tonumber(graphs.most()) then
    return false
  end
  known[id] = all
  return true
end

function graphs.is_released(id)
  local v = redis.call('HMGET', graphs.key(id), 'released', 'total')
  return v[1] == v[2]
end

-- Parses the runs of a graph. A run is a sequence of arrived tasks that begin in the same state and queue; the text has
-- the state, the number of tasks and the queue, such as `pending/1/q waiting/499/q`. The release of a run does not read
-- each task. The state `?` marks tasks that the release must read, because they have holdings, may be scheduled, or no
-- longer wait for any upstream. Returns the runs, or nil unless they cover `number` tasks.
function graphs.runs(text, number)
  local runs, all = {}, 0
  for to, count, queue in string.gmatch(text or '', '(%S+)/(%d+)/(%S+)') do
    runs[#runs + 1] = { to = to, count = tonumber(count), queue = queue }
    all = all + runs[#runs].count
  end
  return all == number and runs or nil
end

function graphs.unlimit(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end

-- Returns the limits of a graph that may be removed, for `unlimit`.
function graphs.plan_unlimit(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', graphs.key(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = namespace.key('limits', queue), key = key }
    namespace.probe('HLEN', bounds[#bounds].limits)
  end
  return bounds
end

-- Plans the notices of a graph for a transition of a task.
function graphs.plan_end(task, to)
  local notify = redis.call('HGET', namespace.declare(graphs.key(task.graph)), 'notify')
  local owner = notify and notices.owner('graph', task.graph)
  if notify and (contract.is_final(to) or to == 'deleted') then
    task.graph_notices = notices.plan_for(owner, notify)
    task.graph_unsent = to == 'deleted' and notices.plan_removal(owner)
  end
end

-- Appends the notices of a graph if all its tasks have ended.
function graphs.notify(task, key)
  local v = redis.call('HMGET', key, 'complete', 'failed', 'cancelled', 'skipped', 'left')
  local complete, failed, cancelled = tonumber(v[1] or 0), tonumber(v[2] or 0), tonumber(v[3] or 0)
  local skipped = tonumber(v[4] or 0)
  if complete + failed + cancelled + skipped == tonumber(v[5]) then
    notices.append(task.graph_notices, failed > 0 and 'failed' or cancelled > 0 and 'cancelled' or 'complete',
      namespace.now, '0', '-', 'end', '-', string.format('%d complete, %d failed, %d cancelled', complete, failed,
      cancelled) .. (skipped > 0 and string.format(', %d skipped', skipped) or ''))
  end
end

-- Returns the count of a graph that includes a task in this final state. A task with the flag `x` was not needed: it
-- counts as skipped, not as cancelled.
function graphs.outcome(status, flags)
  return status == 'cancelled' and string.find(flags or '', 'x', 1, true) and 'skipped' or status
end

-- Updates the counts of a graph after a task has ended, has begun again or was deleted. Removes the graph with its last
-- task.
function graphs.count(task, to)
  local key = graphs.key(task.graph)
  if contract.is_final(to) then
    redis.call('HINCRBY', key, graphs.outcome(to, task.flags), 1)
  end
  if task.status and contract.is_final(task.status) then
    redis.call('HINCRBY', key, graphs.outcome(task.status, task.flags), -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    graphs.unlimit(task.bounds)
    redis.call('UNLINK', key, graphs.tasks(task.graph), graphs.chosen(task.graph))
    redis.call('ZREM', graphs.all(), task.graph)
    if task.graph_notices then
      notices.forget(task.graph_notices.owner, task.graph_unsent)
    end
  elseif task.graph_notices and not contract.is_final(task.status) then
    graphs.notify(task, key)
  end
end

-- Returns all fields of a task, each followed by its value, or false. An outcome that the record only implies is among
-- them.
function graphs.whole(id)
  local key = namespace.prefix .. 'task_' .. id
  local fields = redis.call('HGETALL', key)
  if #fields == 0 then
    namespace.check_slot(key)
    return false
  end
  local status, stored, ended = nil, nil, nil
  for i = 1, #fields, 2 do
    local name = fields[i]
    status, stored, ended = status or name == 'status', stored or name == 'outcome', ended or name == 'ended'
  end
  if status and ended and not stored then
    fields[#fields + 1], fields[#fields + 2] = 'outcome', record.outcome(nil, true)
  end
  if status then
    return fields
  end
  local graph = redis.call('HGET', key, 'graph')
  if graph then -- the graph is not created, or has not released this task
    fields[#fields + 1], fields[#fields + 2] = 'status', 'waiting'
    return graphs.is_created(graph) and fields or false
  end
  return fields
end
