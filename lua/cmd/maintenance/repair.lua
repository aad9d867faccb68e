--- Repairs what clients without scripts leave behind, and what was deleted by hand. Each call examines one part of the
--   queue.
-- @args now queue cursor limit
-- @role maintenance
-- @options grace shared
-- @again goes on
-- @reply next cursor (empty at the end), number of repairs, number of suspects, then for each held task whose listener
--   was removed from the queue: the listener that is responsible for it, its id, status, holder and pid
-- @errors
namespace.open()
local queue, cursor, limit = contract.arguments()
local options = args.options()
return repair.step(queue, cursor, limit, options.grace or repair.GRACE, options.shared)
