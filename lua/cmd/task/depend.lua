--- Has a task wait for others, too, while no attempt has it: one that is pending or scheduled waits from then on,
--   unless they have ended already. The slots of results follow those that the task has.
-- @args now id inputs
-- @role client
-- @options request
-- @reply `waiting`, or `pending` or `scheduled` if there is nothing to wait for
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
