--- Deletes the oldest finished tasks: tasks beyond a number, and tasks older than an age. Keeps tasks whose results are
--   still needed by other tasks. Also removes expired unique names, and the logs of tasks that ended a day ago.
-- @args now queue limit
-- @role maintenance
-- @options keep seconds
-- @again goes on
-- @reply number of tasks deleted, 1 if more tasks must be deleted
-- @errors
namespace.open()
local queue, limit = contract.arguments()
return retention.prune(queue, limit, args.options())
