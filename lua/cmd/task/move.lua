--- Moves a waiting task to another queue, behind the tasks that already wait there. The task keeps its time, priority,
--   key, needs, tags and unique name.
-- @args now id queue
-- @role client
-- @options by request
-- @reply `moved`
-- @errors NOTASK STATE CLOSED DUPLICATE TOOMANY
namespace.open()
local id, queue = contract.arguments()
local options = args.options()
requests.replay('move', options.request)

actions.one(id, moving.plan, moving.move, { queue = queue, by = options.by, what = 'move' })
return requests.keep('moved')
