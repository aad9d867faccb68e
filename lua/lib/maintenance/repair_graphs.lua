-- Repair of dependencies: the upstreams of waiting tasks, and the numbers of graphs.
local repair_graphs = {}

-- Finds upstreams of a waiting task that were ended by a client without scripts, which does not notify dependents. Also
-- finds upstreams whose index of dependents was deleted by hand. Checks the first INLINE upstreams: when these are
-- settled, the rest follow.
-- @hot
function repair_graphs.upstreams(pass, task)
  if redis.call('EXISTS', edges.upstreams(task.id)) == 0 and not redis.call('ZSCORE', edges.deferred(), task.id)
    and redis.call('HEXISTS', edges.inputs(task.id), 'slots') == 1 then
    fixes.fix(pass, 'ZADD', edges.deferred(), namespace.now, task.id) -- its inputs are not joined yet
    fixes.write(pass, 'HSET', task.key, 'cascade', fan_in.WORD)
  end
  local found = edges.read(task.id, edges.INLINE)
  for i = 1, math.min(#found, edges.INLINE) do
    local since = redis.call('ZSCORE', edges.dependents(found[i].id), task.id)
    if since ~= 'inf' and since ~= '-inf' then -- the end is counted, or the release of the graph checks it
      repair_graphs.upstream(pass, task, found[i].id, since)
    end
  end
end

-- Repairs an upstream of a waiting task. `since`: when the task was added to the index of the upstream; nil if never.
-- @hot
function repair_graphs.upstream(pass, task, id, since)
  local key = namespace.key('task', id)
  local v = redis.call('HMGET', key, 'status', 'graph', 'flags')
  local ended = not (v[1] or v[2]) or v[1] and contract.is_final(v[1]) -- a staged task has no status
  if redis.call('ZSCORE', edges.deferred(), id) then
    return -- `run_deferred` does the rest
  elseif ended then
    fixes.fix(pass, 'ZADD', edges.deferred(), namespace.now, id)
    if not since then
      fixes.write(pass, 'ZADD', edges.dependents(id), namespace.now, task.id)
    end
  elseif v[1] then
    if not since then
      fixes.fix(pass, 'ZADD', edges.dependents(id), namespace.now, task.id)
    end
    if not string.find(v[3] or '', 'd', 1, true) then
      fixes.fix(pass, 'HSET', key, 'flags', (v[3] or '') .. 'd')
    end
  end
end

-- Repairs a waiting task whose set is satisfied, cannot be satisfied, or is counted wrongly.
function repair_graphs.set(pass, task)
  local v = redis.call('HMGET', task.key, 'cascade', 'graph')
  if v[1] or redis.call('ZSCORE', edges.deferred(), task.id)
    or v[2] and redis.call('HEXISTS', graphs.key(v[2]), 'doing') == 1 then
    return -- `run_deferred` still works on the task
  end
  local set, what, ended = at_least.check(task.id)
  if what == 'ready' then
    local slots, bytes = edges.input_size(task.id)
    local plan = { id = task.id, task = record.find(task.id, edges.fields()), set = set }
    plan.task.later = true
    edge_end.plan_ready(plan, slots or 0, bytes)
    state.plan_follow(plan)
    pass.readied[#pass.readied + 1] = plan
  elseif what then
    pass.sets[#pass.sets + 1] = { id = task.id, set = set }
  end
  local up = ended and graphs.on_failure(v[2]) ~= 'hold' and record.find(ended)
  -- If the end is not counted yet, `run_deferred` notifies the task of this end without a repair.
  local fails = up and contract.is_final(up.status) and redis.call('ZSCORE', edges.dependents(ended), task.id) == 'inf'
  if fails then -- `run_deferred` notifies the task again
    fixes.write(pass, 'ZADD', edges.dependents(ended), namespace.now, task.id)
    fixes.write(pass, 'ZADD', edges.deferred(), namespace.now, ended)
  end
  pass.repaired = pass.repaired + ((what or fails) and 1 or 0)
end

-- Corrects the numbers of ended and of remaining tasks of graphs. A repair that clients share does this only for the
-- queue with the most listeners.
function repair_graphs.graphs(pass, position)
  if pass.shared and redis.call('ZREVRANGE', namespace.prefix .. 'queues', 0, 0)[1] ~= pass.queue then
    return '0'
  end
  local ids, after = fixes.page(pass, graphs.all(), 'ZRANGE', position)
  local left, removed = recount.MEMBERS, 0
  for i, id in ipairs(ids) do
    local number = recount.members(id, tonumber(position) + i - 1)
    if number > left and number <= recount.MEMBERS then
      return fixes.go_on(tonumber(position) + i - 1 - removed)
    end
    local wrong, there = {}, nil
    if number > 0 and number <= left then
      wrong, there = recount.wrong_graph(id)
      left = left - number
    end
    if there == 0 then
      removed = removed + 1
      repair_graphs.remove_graph(pass, id)
    elseif wrong[1] then
      fixes.fix(pass, 'HSET', graphs.key(id), unpack(wrong))
    end
  end
  return after(removed)
end

-- Removes a graph whose tasks are gone.
function repair_graphs.remove_graph(pass, id)
  for _, bound in ipairs(graphs.plan_unlimit(id)) do
    fixes.write(pass, 'HDEL', bound.limits, bound.key)
  end
  fixes.fix(pass, 'ZREM', graphs.all(), id)
  fixes.write(pass, 'UNLINK', graphs.key(id), namespace.declare(graphs.tasks(id)),
    namespace.declare(graphs.chosen(id)))
end
