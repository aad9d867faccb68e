--- Adds upstream tasks to a task that no attempt holds. A pending or scheduled task then waits, unless all of the added
--   tasks have already ended. The result slots of the added tasks follow the slots that the task already has.
-- @args now id inputs
-- @role client
-- @options request
-- @reply `waiting`, or `pending` or `scheduled` if the task waits for nothing
-- @errors NOTASK STATE UPSTREAM CYCLE TOOMANY TOOBIG
namespace.open()
local id, wanted = contract.arguments()
local request = args.options().request
requests.replay('depend', request)

local task = edit_edges.task(id)
edit_edges.look(task, wanted, edit_edges.look_at)
if task.text == '' and not task.edges[1] then
  return task.status -- repeated after a lost reply
end
edit_edges.refuse_circles(task)
edit_edges.plan(task)
namespace.begin()
return requests.keep(edit_edges.run(task))
