--- Cancels a task. The owner of one that is held gets the order to stop it, or with `force` to kill it. With `at_once`
--   the task is cut off, whatever still runs.
-- @args now id reason
-- @options force at_once request
-- @reply `cancelled`, or `cancelling` where its owner has yet to stop
-- @errors NOTASK STATE TOOBIG
namespace.open()
local id, reason = contract.arguments()
local spec = args.options()
local done, answer = requests.find('cancel', spec.request)
if done then
  return answer
end
spec.reason = reason

local task = actions.one(id, actions.cancel, actions.do_cancel, spec)
return requests.keep(record.held(task) and not actions.frees(task, spec) and 'cancelling' or 'cancelled')
