--- Deletes the oldest finished tasks: those over a number, and those older than an age, but none whose result others
--   still wait for. Removes expired unique names, and logs of tasks that ended a day ago.
-- @args now queue limit
-- @role upkeep
-- @options keep seconds
-- @again goes on
-- @reply number deleted, 1 if more are to be deleted
-- @errors
namespace.open()
local queue, limit = contract.arguments()
return retention.retain(queue, limit, args.options())
