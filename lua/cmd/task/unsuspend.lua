--- Asks the owner of a suspended task to continue its program.
-- @args now id
-- @role client
-- @options by request
-- @reply `continuing`; `continued` if the program is not suspended
-- @errors NOTASK STATE TOOMANY
namespace.open()
local id = contract.arguments()
local spec = args.options()
requests.replay('unsuspend', spec.request)

spec.what = 'unsuspend'
local task = actions.one(id, controlling.plan, controlling.ask, spec)
return requests.keep((task.to or controls.load(task).suspended) and 'continuing' or 'continued')
