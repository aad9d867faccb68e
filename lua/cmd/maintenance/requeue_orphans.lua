--- Takes tasks whose lease has expired from their owners, and forgets silent listeners and workers. The tasks go to the
--   front of their queue, or are scheduled if they have a `lost_delay`.
-- @args now queue limit
-- @role upkeep
-- @again goes on
-- @reply number requeued, failed, cancelled, postponed, 1 if more are expired, number of listeners
-- @errors
local meta = namespace.open_with('run', 'gap')
local queue, limit = contract.arguments()
return orphans.requeue(queue, limit, meta[2], meta[3])
