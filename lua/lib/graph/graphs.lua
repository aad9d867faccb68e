-- Graphs: tasks that are submitted together, as one document.
--
-- Until the last task of a graph has arrived they are staged: records without a status, which no index has and no
-- other command finds. Then the graph is created at once, and `settle` releases its tasks in bounded steps, the last
-- first: so whoever waits for a task is there before that task can end.
local graphs = {}

-- A graph whose tasks do not arrive within this time is removed, in microseconds.
graphs.STAGED = 600000000

-- Results that come later and are shorter do not count as bytes of their graph: their edges take as much.
graphs.SMALL = 256

function graphs.key(graph)
  return namespace.key('graph', graph)
end

-- The ids of its tasks, in the order in which they were submitted.
function graphs.tasks(graph)
  return namespace.key('members', graph)
end

-- `UPSTREAM DEPENDENT` of the edges whose upstream was there before the graph. They are open, but not yet seen by the
-- end of that task.
function graphs.outside(graph)
  return namespace.key('outside', graph)
end

-- Graphs with tasks to release, or to remove if they are not complete by then, by that time.
function graphs.due()
  return namespace.prefix .. 'graphs_due'
end

-- The tasks that a walk is about, unless it is about all (see `walks`): 1 while it has yet to come to them, then 0. 2
-- while it has yet to come to one that runs anew by itself, and not because of another.
function graphs.chosen(graph)
  return namespace.key('chosen', graph)
end

-- All graphs by the time at which they were created.
function graphs.all()
  return namespace.prefix .. 'graphs'
end

-- The graph, or nil.
function graphs.find(id)
  local v = redis.call('HMGET', namespace.declare(graphs.key(id)), 'state', 'created', 'total', 'name', 'released')
  return v[1] and { id = id, state = v[1], created = v[2], total = tonumber(v[3]), name = v[4] or '',
    released = tonumber(v[5] or 0) } or nil
end

-- What the failure of a task does to those of this graph that need it: `cancel`, `continue` or `hold`; false without a
-- graph.
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

-- Fails unless all tasks of a graph have arrived, and these tasks, if any are meant, are some of them.
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

-- What the record of a graph has while a walk is under way.
function graphs.walk_fields()
  return 'doing', 'at', 'task', 'reason', 'force', 'changed', 'refused', 'part', 'end_by'
end

-- Reads what `begin_walk` writes.
function graphs.plan_walk(id)
  namespace.probe('HLEN', graphs.key(id))
  namespace.probe('ZCARD', graphs.due())
  namespace.probe('ZCARD', graphs.chosen(id))
end

-- Begins a walk, in place of one that may be under way. `...`: further fields.
function graphs.begin_walk(id, doing, ...)
  graphs.set_walk(id, doing, ...)
  redis.call('UNLINK', graphs.chosen(id))
end

-- The same, with the tasks that the former one was about.
function graphs.set_walk(id, doing, ...)
  redis.call('HDEL', graphs.key(id), graphs.walk_fields())
  redis.call('HSET', graphs.key(id), 'doing', doing, 'at', '0', ...)
  redis.call('ZADD', graphs.due(), namespace.now, id)
end

-- Begins to run tasks anew. Others that are being run anew in this graph, and may have to stop first, are so all the
-- same: one call does not undo another. `known`: what is under way, and with which deadline; `end_by`: a new one.
function graphs.begin_anew(id, tasks, known, end_by)
  local merges = known[1] == 'mark_anew' or known[1] == 'anew'
  if not merges then
    redis.call('UNLINK', graphs.chosen(id))
  end
  local last = end_by or merges and known[2]
  graphs.set_walk(id, 'mark_anew', unpack(last and { 'end_by', last } or {}))
  for _, task in ipairs(tasks) do
    redis.call('ZADD', graphs.chosen(id), '2', task)
  end
end

-- Reads whether other tasks may have ended because of one that is to run again. Sets `repairs`.
function graphs.plan_repair(task)
  local known = redis.call('HMGET', graphs.key(task.graph), 'doing', 'failed', 'cancelled')
  if (not known[1] or known[1] == 'repair') and (known[2] or 0) + (known[3] or 0) > 1 then
    graphs.plan_walk(task.graph)
    task.repairs = true
  end
end

-- Whether a task is to run anew, and its end is of no account.
function graphs.runs_anew(graph, id)
  local doing = redis.call('HGET', graphs.key(graph), 'doing')
  return (doing == 'anew' or doing == 'mark_anew')
    and tonumber(redis.call('ZSCORE', graphs.chosen(graph), id) or 0) > 0
end

-- A staged task, or nil: of this graph, or of any.
function graphs.staged(id, graph)
  local key = namespace.prefix .. 'task_' .. id
  if namespace.declared then
    namespace.declare(key)
  end
  local v = redis.call('HMGET', key, 'status', 'graph', 'queue', 'ties', 'eta')
  if v[1] or not v[2] or graph and v[2] ~= graph then
    return nil
  end
  return { id = id, key = key, status = 'staged', queue = v[3], ties = v[4] or '', eta = v[5] or nil, extra = {} }
end

-- A task that has yet to begin, as its graph is being released, or nil.
function graphs.coming(id)
  local graph = redis.call('HGET', namespace.key('task', id), 'graph')
  return graph and graphs.is_created(graph) and graphs.staged(id, graph) or nil
end

-- The bytes that a result counts.
function graphs.counted(length)
  return length >= graphs.SMALL and length or 0
end

-- Bytes of the parameters, values, results and texts of inputs of all tasks of a graph, as text.
function graphs.most()
  return settings.get('*', 'graph_bytes')
end

-- Reads whether a graph has room for so many bytes of a result.
function graphs.has_room(id, bytes)
  local known = namespace.shared('graph_bytes')
  local all = (known[id] or tonumber(redis.call('HGET', namespace.declare(graphs.key(id)), 'bytes') or 0)) + bytes
  if all > tonumber(graphs.most()) then
    return false
  end
  known[id] = all
  return true
end

-- Whether all tasks of a graph have begun.
function graphs.is_released(id)
  local v = redis.call('HMGET', graphs.key(id), 'released', 'total')
  return v[1] == v[2]
end

-- How the tasks of a graph begin that have arrived, as runs of those that follow one another: the state, how many, and
-- their queue, such as `pending/1/q waiting/499/q`. With it their release needs no look at each. `?`: that has to look,
-- as it claims something, or may be scheduled, or all that it waits for has come. Returns the runs, or nil unless they
-- are known of `number` tasks.
function graphs.runs(text, number)
  local runs, all = {}, 0
  for to, count, queue in string.gmatch(text or '', '(%S+)/(%d+)/(%S+)') do
    runs[#runs + 1] = { to = to, count = tonumber(count), queue = queue }
    all = all + runs[#runs].count
  end
  return all == number and runs or nil
end

-- Removes the limits of a graph that goes.
function graphs.unlimit(bounds)
  for _, bound in ipairs(bounds) do
    redis.call('HDEL', bound.limits, bound.key)
  end
end

-- The bounds of a graph that may go.
function graphs.plan_unlimit(graph)
  local bounds = {}
  for queue, key in string.gmatch(redis.call('HGET', graphs.key(graph), 'bounds') or '', '([^/ ]+)/([^= ]+)=') do
    bounds[#bounds + 1] = { limits = namespace.key('limits', queue), key = key }
    namespace.probe('HLEN', bounds[#bounds].limits)
  end
  return bounds
end

-- Counts a task of a graph that ends, or leaves its end. With its last task the graph goes.
function graphs.count(task, to)
  local key = graphs.key(task.graph)
  if contract.is_final(to) then
    redis.call('HINCRBY', key, to, 1)
  end
  if task.status and contract.is_final(task.status) then
    redis.call('HINCRBY', key, task.status, -1)
  end
  if to == 'deleted' and redis.call('HINCRBY', key, 'left', -1) == 0 then
    graphs.unlimit(task.bounds)
    redis.call('UNLINK', key, graphs.tasks(task.graph), graphs.chosen(task.graph))
    redis.call('ZREM', graphs.all(), task.graph)
  end
end

-- All fields of a task and their values in turn, or false.
function graphs.whole(id)
  local key = namespace.prefix .. 'task_' .. id
  local fields = redis.call('HGETALL', key)
  if #fields == 0 then
    namespace.check_slot(key)
    return false
  end
  for i = 1, #fields, 2 do
    if fields[i] == 'status' then
      return fields
    end
  end
  local graph = redis.call('HGET', key, 'graph')
  if graph then -- it is not there yet, or has yet to release this task
    fields[#fields + 1], fields[#fields + 2] = 'status', 'waiting'
    return graphs.is_created(graph) and fields or false
  end
  return fields
end
