--- Returns the whole record of a task.
-- @args now id
-- @reply nil if there is no such task; else field and value in turn
-- @errors
namespace.open()
local id = contract.arguments()
return graphs.whole(id)
