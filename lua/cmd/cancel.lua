--- Cancels a task. The owner of one that is held gets the order to stop it, or with `force` to kill it. With `at_once`
--   the task is cut off, whatever still runs.
-- @args now id reason
-- @options force at_once request
-- @reply `cancelled`, or `cancelling` where its owner has yet to stop
-- @errors NOTASK STATE TOOBIG
space.open()
local id, reason = contract.arguments()
local wish = args.options()
local done, answer = requests.find('cancel', wish.request)
if done then
  return answer
end
wish.reason = reason

local task = actions.one(id, actions.cancel, actions.do_cancel, wish)
return requests.keep(record.held(task) and not actions.frees(task, wish) and 'cancelling' or 'cancelled')
