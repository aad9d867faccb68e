--- Cancels all unfinished tasks of a graph. With `task`, cancels only this task and the tasks that need it, directly or
--   indirectly. `run_deferred` does the work in steps. Outcomes that owners of these tasks report later are discarded.
-- @args now graph reason
-- @role client
-- @options task force by request
-- @reply `cancelling`
-- @errors NOTASK TOOBIG
namespace.open()
local id, reason = contract.arguments()
local options = args.options()
requests.replay('cancel_graph', options.request)
graphs.require(id, { options.task })
graphs.plan_walk(id)
audit.plan()
namespace.begin()
local more = {}
if options.task then
  more = { 'task', options.task }
end
if options.force then
  more[#more + 1], more[#more + 2] = 'force', '1'
end
graphs.begin_walk(id, options.task and 'mark_cancel' or 'cancel', 'reason', reason, unpack(more))
audit.add(options.by, 'cancel_graph', 'graph', id, '', 'cancelling', reason)
return requests.keep('cancelling')
