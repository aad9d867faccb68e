--- Runs the tasks of a graph again that have failed or were cancelled, and keeps what is complete; with `task` runs
--   that one and all that wait for it, directly or through others, anew, also what is complete. `settle` does it, in
--   steps.
-- @args now graph
-- @options task by request
-- @reply `retrying`
-- @errors NOTASK
-- @since 0.2.0
namespace.open()
local id = contract.arguments()
local options = args.options()
local done, answer = requests.find('retry_graph', options.request)
if done then
  return answer
end
graphs.require(id, options.task)
graphs.plan_walk(id)
audit.plan()
namespace.begin()
if options.task then
  graphs.begin_walk(id, 'mark_anew', 'task', options.task)
else
  graphs.begin_walk(id, 'retry')
end
audit.add(options.by, 'retry_graph', 'graph', id, '', 'retrying')
return requests.keep('retrying')
