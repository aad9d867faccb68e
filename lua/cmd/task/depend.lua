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
local done, answer = requests.find('depend', request)
if done then
  return answer
end

local task = late.task(id)
late.look(task, wanted, late.look_at)
if task.text == '' and not task.edges[1] then
  return task.status -- repeated after a lost reply
end
late.refuse_circles(task)
late.plan(task)
namespace.begin()
return requests.keep(late.run(task))
