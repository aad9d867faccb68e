--- Cancels a task. If an attempt holds the task, its owner is ordered to stop it, or with `force` to kill it. With
--   `at_once` the task is cancelled immediately, even if its program is still running. With `skip` it was not needed:
--   its graph counts it as skipped.
-- @args now id reason
-- @role client
-- @options force at_once skip by request
-- @reply `cancelled`, or `cancelling` if its owner must stop it first
-- @errors NOTASK STATE TOOBIG
namespace.open()
local id, reason = contract.arguments()
local spec = args.options()
requests.replay('cancel', spec.request)
spec.reason, spec.what = reason, 'cancel'

local task = actions.one(id, cancelling.plan, cancelling.cancel, spec)
return requests.keep(record.held(task) and not cancelling.frees(task, spec) and 'cancelling' or 'cancelled')
