--- Reruns the failed and cancelled tasks of a graph; complete tasks keep their results. With `task`, reruns these tasks
--   and everything downstream of them, including complete tasks. Repeated calls with `task` add up: tasks of earlier
--   calls that have not stopped yet also rerun. `run_deferred` does the work in steps.
-- @args now graph
-- @role client
-- @options task deadline by request
-- @reply `retrying`
-- @errors NOTASK OVERDUE
namespace.open()
local id = contract.arguments()
local options = args.options()
requests.replay('retry_graph', options.request)
graphs.require(id, options.task)
local known = redis.call('HMGET', graphs.key(id), 'doing', 'end_by')
local deadline = options.deadline or redis.call('HGET', graphs.key(id), 'deadline')
if deadline and deadlines.is_past(deadline) then
  reply.fail('OVERDUE', 'the deadline of the graph has passed: give it a later one with the option deadline')
end
graphs.plan_walk(id)
audit.plan()
namespace.begin()
if options.deadline then
  redis.call('HSET', graphs.key(id), 'deadline', options.deadline)
end
if options.task then
  graphs.begin_rerun(id, options.task, known, options.deadline)
elseif options.deadline then
  graphs.begin_walk(id, 'retry', 'end_by', options.deadline)
else
  graphs.begin_walk(id, 'retry')
end
audit.add(options.by, 'retry_graph', 'graph', id, '', 'retrying')
return requests.keep('retrying')
