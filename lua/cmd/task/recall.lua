--- Asks the owner of a task to give it back: its heartbeats return `stop`. With `at_once` the task is taken from
--   its owner immediately, even if its program still runs.
-- @args now id
-- @role administrator
-- @options at_once by request
-- @reply `recalling`; `released` or `cancelled` if the task was taken at once, or given back already
-- @errors NOTASK STATE
namespace.open()
local id = contract.arguments()
local spec = args.options()
local done, answer = requests.find('recall', spec.request)
if done then
  return answer
end

spec.what = 'recall'
local task = actions.one(id, actions.recall, actions.do_recall, spec)
local outcome = task.to == 'cancelled' and 'cancelled' or 'released'
if record.held(task) and not spec.at_once then
  outcome = 'recalling'
end
return requests.keep(outcome)
