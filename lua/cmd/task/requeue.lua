--- Asks the owner of a task to give it back: the owner's heartbeats return `stop`. With `at_once` the task is taken
--   from its owner immediately, even if its program is still running.
-- @args now id
-- @role administrator
-- @options at_once by request
-- @reply `requeuing`; `released` or `cancelled` if the task was taken immediately, or had already been given back
-- @errors NOTASK STATE
namespace.open()
local id = contract.arguments()
local spec = args.options()
requests.replay('requeue', spec.request)

spec.what = 'requeue'
local task = actions.one(id, requeuing.plan, requeuing.requeue, spec)
local outcome = task.to == 'cancelled' and 'cancelled' or 'released'
if record.held(task) and not spec.at_once then
  outcome = 'requeuing'
end
return requests.keep(outcome)
