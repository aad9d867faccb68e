--- Asks the owner of a task to describe its running program: processes, open files, environment, the end of its log.
-- @args now id
-- @role client
-- @options values by request
-- @reply number of the request in this attempt; `description` returns the answer once the field `controlled` has
--   reached it
-- @errors NOTASK STATE TOOMANY
namespace.open()
local id = contract.arguments()
local spec = args.options()
requests.replay('describe', spec.request)

spec.what, spec.detail = 'describe', spec.values and 'values' or ''
local task = actions.one(id, controlling.plan, controlling.ask, spec)
return requests.keep(string.format('%.0f', task.controls.last))
