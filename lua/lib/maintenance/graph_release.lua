-- Releases: the tasks of a created graph begin, in steps. A graph whose tasks did not all arrive is removed.
local graph_release = {}

-- Plans a step of the release. Returns the next tasks, and after the last task the next outside edges.
function graph_release.plan_release(graph, limit)
  local left = graph.total - graph.released
  local tasks, outside = {}, {}
  if left > 0 then
    namespace.probe('ZCARD', namespace.prefix .. 'queues')
    local ids = redis.call('LRANGE', graphs.tasks(graph.id), math.max(0, left - limit), left - 1)
    local starts = graph_release.starts(graph, ids, left - #ids)
    local staged, plan, planned, prefix = graphs.staged, graph_release.plan_task, {}, namespace.prefix
    local plan_kind, declared = graph_release.plan_kind, namespace.declared
    for i, id in ipairs(ids) do
      local run = starts[i]
      if run then
        local task = { id = id, key = prefix .. 'task_' .. id, begins = run.to, queue = run.queue, kind = run.kind }
        tasks[#tasks + 1] = task
        if declared or not planned[run.kind] then
          plan_kind(task, planned)
        end
      else
        local task = staged(id, graph.id)
        tasks[#tasks + 1] = task and plan(task, planned)
      end
    end
    graph.released = graph.released + #ids
  else
    outside = graph_release.plan_outside(graph.id, limit)
  end
  return tasks, outside
end

-- Returns the known starts of these tasks, by position. `from`: the number of tasks before them.
function graph_release.starts(graph, ids, from)
  local starts, keys, at = {}, {}, 0
  local runs = graphs.runs(redis.call('HGET', graphs.key(graph.id), 'runs'), graph.total)
  for i, id in ipairs(runs and ids or {}) do
    keys[i] = namespace.prefix .. 'task_' .. id
  end
  if not keys[1] or redis.call('EXISTS', unpack(keys)) < #keys then
    return starts -- a client without scripts has deleted some of the tasks
  end
  for _, run in ipairs(runs) do
    run.kind = run.to .. ' ' .. run.queue
    for i = math.max(1, at - from + 1), math.min(#ids, at - from + run.count) do
      starts[i] = run.to ~= '?' and run
    end
    at = at + run.count
  end
  return starts
end

-- Plans the first task of a kind. The plan also holds for the other tasks of this kind.
function graph_release.plan_kind(task, planned)
  if namespace.declared then
    namespace.declare(task.key)
  end
  if not planned[task.kind] then
    planned[task.kind] = true
    state.plan({ queue = task.queue, foreign = true }, task.begins)
  end
end

-- Plans the start of a staged task. `planned`: the kinds (state and queue) of tasks without holdings
-- that are planned already.
function graph_release.plan_task(staged, planned)
  local task = { id = staged.id, key = staged.key, queue = staged.queue, flags = staged.flags, attempt = '0',
    foreign = true, created = namespace.now }
  local open = 0
  if string.find(task.flags, 'w', 1, true) then
    open = redis.call('HLEN', namespace.declare(edges.upstreams(task.id)))
    if at_least.has(task) and at_least.is_ready(at_least.read(task.id), open) then
      open, task.drops = 0, true
    end
    local own, slots, bytes = namespace.declare(edges.inputs(task.id)), nil, nil
    if open == 0 then
      slots, bytes = edges.input_size(task.id)
    end
    task.joins = slots and fan_in.is_long(task.id, slots, bytes)
    if slots and not task.joins then
      task.joined, task.lengths = fan_in.list(fan_in.collect(own, slots, {}), slots)
    end
  end
  local later = staged.eta and tonumber(staged.eta) * 1000000 > namespace.now_us
  task.eta = staged.eta
  task.begins = (open > 0 or task.joins) and 'waiting' or later and 'scheduled' or 'pending'
  if string.find(task.flags, '[^gwd]') then
    holdings.load(task)
    task.rank = nil
    state.plan(task, task.begins)
    return task
  end
  task.kind = task.begins .. ' ' .. task.queue
  graph_release.plan_kind(task, planned)
  return task
end

-- Returns the next edges to tasks that existed before the graph.
function graph_release.plan_outside(graph, limit)
  local pairs_of = redis.call('LRANGE', namespace.declare(graphs.outside(graph)), 0, limit - 1)
  local found = {}
  for i, pair in ipairs(pairs_of) do
    local up, id = string.match(pair, '^(%S+) (%S+)$')
    local key = namespace.declare(namespace.key('task', up))
    local v = redis.call('HMGET', key, 'status', 'flags')
    namespace.probe('ZCARD', edges.dependents(up))
    found[i] = { up = up, id = id, there = v[1], ended = edges.is_over(v[1]), key = key,
      flags = v[2] or nil }
  end
  namespace.probe('ZCARD', edges.deferred())
  return found
end

function graph_release.release(graph, tasks, outside)
  local kinds, queues = {}, {}
  for _, task in ipairs(tasks) do
    local same = kinds[task.kind or task.id] or { to = task.begins, queue = task.queue }
    if not same[1] then
      kinds[task.kind or task.id], kinds[#kinds + 1] = same, same
    end
    same[#same + 1] = task
  end
  for _, same in ipairs(kinds) do
    if not queues[same.queue] then
      queues[same.queue] = true
      redis.call('ZADD', namespace.prefix .. 'queues', 'NX', 0, same.queue) -- the queue may have been forgotten
    end
    for _, task in ipairs(same) do
      if task.joins then
        fan_in.begin(task.id)
      elseif task.drops then
        at_least.drop(task.id)
      end
      if task.joined then
        redis.call('UNLINK', edges.inputs(task.id))
        redis.call('HSET', task.key, 'parameters', task.joined, 'slots', task.lengths)
      end
    end
    if same[1].kind then
      batch.enter(same, same.to, 'submit')
    else
      state.move(same[1], same.to, 'submit', '', 'created', namespace.now)
    end
    if same.to == 'pending' then
      wakeups.wake(same.queue)
    end
  end
  for _, edge in ipairs(outside) do
    redis.call('ZADD', edges.dependents(edge.up), edges.since(edge.id), edge.id)
    if edge.ended then
      redis.call('ZADD', edges.deferred(), namespace.now, edge.up)
    end
    if edge.there then
      edges.flag(edge)
    end
  end
  if #tasks + #outside > 0 then
    redis.call('LTRIM', graphs.outside(graph.id), #outside, -1)
    redis.call('HSET', graphs.key(graph.id), 'released', graph.released)
    if tasks[1] and graph.released == graph.total then
      redis.call('HDEL', graphs.key(graph.id), 'runs')
    end
  end
end

-- Plans a step of the removal of a graph whose tasks did not all arrive.
function graph_release.plan_removal(graph, limit)
  namespace.declare(graphs.outside(graph))
  namespace.declare(graphs.chosen(graph))
  local ids = redis.call('LRANGE', graphs.tasks(graph), -limit, -1)
  ids.bytes, ids.untold = 0, {}
  for _, id in ipairs(ids) do
    ids.bytes = ids.bytes + graph_release.size(id)
    namespace.declare(namespace.key('task', id))
    namespace.declare(edges.upstreams(id))
    namespace.declare(edges.inputs(id))
    namespace.declare(edges.dependents(id))
    ids.untold[id] = redis.call('ZSCORE', namespace.declare(edges.deferred()), id)
  end
  local outside = #ids == 0 and graph_release.plan_outside(graph, limit) or {}
  return ids, outside, graphs.plan_unlimit(graph)
end

-- Returns the number of bytes that a staged task adds to its graph.
function graph_release.size(id)
  local key = namespace.key('task', id)
  return redis.call('HSTRLEN', key, 'parameters') + redis.call('HSTRLEN', key, 'inputs')
    + tonumber(redis.call('HGET', edges.inputs(id), 'bytes') or 0)
end

function graph_release.remove(graph, ids, outside, bounds)
  for _, id in ipairs(ids) do
    redis.call('UNLINK', namespace.key('task', id), edges.upstreams(id), edges.inputs(id))
    if not ids.untold[id] then -- dependents may wait for another task of this id
      redis.call('ZREMRANGEBYSCORE', edges.dependents(id), '(0', '(inf')
    end
    redis.call('RPOP', graphs.tasks(graph))
  end
  if ids[1] then
    redis.call('HINCRBY', graphs.key(graph), 'staged', -#ids) -- its submitter may continue later
    redis.call('HINCRBY', graphs.key(graph), 'bytes', 0 - ids.bytes) -- not -0
  end
  for _, edge in ipairs(outside) do
    if redis.call('ZSCORE', edges.dependents(edge.up), edge.id) == '-inf' then -- no later task has this id
      redis.call('ZREM', edges.dependents(edge.up), edge.id)
    end
  end
  redis.call('LTRIM', graphs.outside(graph), #outside, -1)
  if #ids + #outside == 0 then
    graphs.unlimit(bounds)
    redis.call('UNLINK', graphs.key(graph), graphs.chosen(graph))
    redis.call('ZREM', graphs.due(), graph)
    redis.call('ZREM', graphs.all(), graph)
  end
end
