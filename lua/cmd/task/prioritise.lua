--- Changes the priority of a waiting task, and puts it behind the tasks of its queue that already have this priority.
-- @args now id priority
-- @role client
-- @options by request
-- @reply `prioritised`
-- @errors NOTASK STATE
namespace.open()
local id, priority = contract.arguments()
local options = args.options()
requests.replay('prioritise', options.request)

actions.one(id, prioritising.plan, prioritising.prioritise, {
  priority = priority, by = options.by, what = 'prioritise',
})
return requests.keep('prioritised')
