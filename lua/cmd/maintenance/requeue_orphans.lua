--- Takes tasks with expired leases from their owners, and removes silent listeners and workers. The tasks go to the
--   front of their queue, or are scheduled if they have a `lost_delay`.
-- @args now queue limit
-- @role maintenance
-- @again goes on
-- @reply number of tasks requeued, failed, cancelled and postponed, 1 if more leases have expired, and the number of
--   listeners of the queue
-- @errors
local meta = namespace.open_with('run', 'gap')
local queue, limit = contract.arguments()
return orphans.requeue(queue, limit, meta[2], meta[3])
