--- Runs the tasks of a graph again that have failed or were cancelled, and keeps what is complete; with `task` runs
--   that one and all that wait for it, directly or through others, anew, also what is complete. `settle` does it, in
--   steps.
-- @args now graph
-- @role client
-- @options task deadline by request
-- @reply `retrying`
-- @errors NOTASK OVERDUE
-- @since 0.2.0
namespace.open()
local id = contract.arguments()
local options = args.options()
local done, answer = requests.find('retry_graph', options.request)
if done then
  return answer
end
graphs.require(id, options.task)
local deadline = options.deadline or redis.call('HGET', graphs.key(id), 'deadline')
if deadline and deadlines.is_past(deadline) then
  reply.fail('OVERDUE', 'the deadline of the graph has passed: give it a later one with the option deadline')
end
graphs.plan_walk(id)
audit.plan()
namespace.begin()
local more = {}
if options.task then
  more = { 'task', options.task }
end
if options.deadline then
  more[#more + 1], more[#more + 2] = 'end_by', options.deadline
  redis.call('HSET', graphs.key(id), 'deadline', options.deadline)
end
graphs.begin_walk(id, options.task and 'mark_anew' or 'retry', unpack(more))
audit.add(options.by, 'retry_graph', 'graph', id, '', 'retrying')
return requests.keep('retrying')
