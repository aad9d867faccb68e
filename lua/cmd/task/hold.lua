--- Holds a pending or scheduled task: it does not start until `unhold`.
-- @args now id
-- @role client
-- @options by request
-- @reply `held`
-- @errors NOTASK STATE
namespace.open()
local id = contract.arguments()
local spec = args.options()
requests.replay('hold', spec.request)

spec.what = 'hold'
actions.one(id, holding.plan, holding.hold, spec)
return requests.keep('held')
