--- Asks the owner of a task to suspend its program: the owner's heartbeats return `attend`. The lease lives on, and
--   the task keeps its places.
-- @args now id
-- @role client
-- @options by request
-- @reply `suspending`; `suspended` if the program is suspended already
-- @errors NOTASK STATE TOOMANY
namespace.open()
local id = contract.arguments()
local spec = args.options()
requests.replay('suspend', spec.request)

spec.what = 'suspend'
local task = actions.one(id, controlling.plan, controlling.ask, spec)
return requests.keep(not task.to and controls.load(task).suspended and 'suspended' or 'suspending')
