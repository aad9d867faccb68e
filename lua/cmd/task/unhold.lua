--- Releases a held task: it is pending, behind the tasks that wait there, or scheduled if its eta is in the future.
-- @args now id
-- @role client
-- @options by request
-- @reply `pending` or `scheduled`
-- @errors NOTASK STATE
namespace.open()
local id = contract.arguments()
local spec = args.options()
requests.replay('unhold', spec.request)

spec.what = 'unhold'
return requests.keep(actions.one(id, holding.plan_release, holding.release, spec).to)
