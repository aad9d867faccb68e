--- Retries a failed or cancelled task, and resets its counts of failures and losses to zero.
-- @args now id
-- @role client
-- @options fresh deadline by request
-- @reply `pending`, or `waiting` if a task that it waits for runs again
-- @errors NOTASK STATE STOPPING DUPLICATE UPSTREAM OVERDUE
namespace.open()
local id = contract.arguments()
local spec = args.options()
requests.replay('retry', spec.request)

spec.what = 'retry'
local task = actions.one(id, retrying.plan, retrying.retry, spec)
return requests.keep(task.to or task.status)
