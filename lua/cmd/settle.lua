--- Goes on with what calls leave behind in task graphs: tells dependents that what they wait for has ended, where its
--   own call left that, as it had many of them, or long results, or ended by the end of another task; releases the
--   tasks of new graphs; and removes graphs whose tasks did not all arrive within 10 minutes.
-- @args now limit
-- @again goes on
-- @reply number of tasks, 1 if more is to be done
-- @errors
namespace.open()
local limit = contract.arguments()

local function settle(id, others)
  local up = record.find(id) or { id = id, status = 'deleted' }
  local ids = {}
  if contract.is_final(up.status) or up.status == 'deleted' then
    up.result = up.status == 'complete' and redis.call('HGET', up.key, 'result') or ''
    limit = math.max(1, math.min(limit, math.floor(edges.COPIES / math.max(1, #up.result))))
    ids = redis.call('ZRANGEBYSCORE', edges.dependents(id), '(0', '+inf', 'LIMIT', 0, limit + 1)
  end
  local more = table.remove(ids, limit + 1) ~= nil
  namespace.declare(edges.dependents(id))
  edges.plan_page(up, up.status, ids)
  namespace.begin()
  if not more then
    redis.call('ZREM', edges.unsettled(), id)
  end
  edges.settle(up)
  if not more and up.status == 'deleted' then
    redis.call('UNLINK', edges.dependents(id))
  end
  return { #ids, (more or others) and 1 or 0 }
end

local function go_on(id)
  namespace.probe('ZCARD', graphs.all())
  namespace.declare(graphs.due())
  namespace.probe('LLEN', graphs.tasks(id))
  local graph = graphs.find(id)
  if graph and graph.state == 'created' then
    local tasks, outside = graphs.plan_release(graph, limit)
    namespace.begin()
    graphs.release(graph, tasks, outside)
    return #tasks + #outside
  end
  local ids, outside = graphs.plan_removal(id, limit)
  namespace.begin()
  graphs.remove(id, ids, outside)
  return #ids + #outside
end

local waiting = redis.call('ZRANGE', edges.unsettled(), 0, 1)
if waiting[1] then
  return settle(waiting[1], waiting[2])
end
local due = redis.call('ZRANGEBYSCORE', graphs.due(), '-inf', namespace.now, 'LIMIT', 0, 2)
if not due[1] then
  return { 0, 0 }
end
local number = go_on(due[1])
return { number, (number > 0 or due[2]) and 1 or 0 }
