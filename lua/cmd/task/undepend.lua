--- Removes an upstream task from a waiting task. A task without upstream tasks is ready to run. A result that the task
--   expected from the removed upstream task is `null`.
-- @args now id upstream
-- @role client
-- @options request
-- @reply `waiting`, or `pending` or `scheduled` if this was the last upstream task
-- @errors NOTASK STATE UPSTREAM
namespace.open()
local id, upstream = contract.arguments()
local request = args.options().request
requests.replay('undepend', request)

local task = edit_edges.task(id)
if task.status ~= 'waiting' then
  record.refuse(task.status, 'waiting')
elseif redis.call('HEXISTS', edges.upstreams(id), upstream) == 0 then
  namespace.check_slot(edges.upstreams(id))
  return 'waiting' -- repeated after a lost reply
end
namespace.probe('ZCARD', edges.dependents(upstream))
local plan = { id = id, task = task, set = task.set }
local open = redis.call('HLEN', edges.upstreams(id)) - 1
local kind, mark, slots = edges.parse(redis.call('HGET', edges.upstreams(id), upstream))
if kind == 'some' then
  at_least.plan_removal(task.set, mark)
end
if open == 0 or task.set and at_least.is_ready(task.set, open) then
  edge_end.plan_ready(plan, task.slots, task.bytes)
  state.plan_follow(plan)
end
namespace.begin()
edges.fill(id, edges.slots(slots))
local text = edit_edges.without(task.inputs, upstream)
if not next(at_least.named(text)) then
  text = at_least.without(text)
end
if text ~= '' then
  redis.call('HSET', task.key, 'inputs', text)
else
  redis.call('HDEL', task.key, 'inputs')
end
edge_end.meet({ id = upstream }, plan)
state.follow(plan)
return requests.keep(plan.to or 'waiting')
