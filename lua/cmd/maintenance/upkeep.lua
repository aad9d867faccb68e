--- Does the next part of what is to be done beside tasks: for the namespace what `tick` and `settle` do, for each of
--   these queues what `promote`, `requeue_orphans`, `tally`, `retain` and `mend` do, in turn, every two seconds,
--   whoever calls. An error of one part is replied and keeps nothing else from being done.
-- @args now count queue*count
-- @role upkeep
-- @again goes on
-- @reply the part that was done, or an empty string; how much it did; 1 if something is due at once; when the next is
--   due, in seconds; the error of the part, or an empty string; then for each cron schedule that needs more slots its
--   name, its rhythm, and after what time
-- @errors
-- @noted CLOSED DUPLICATE OVERDUE STATE task.* OTHERQUEUE STOPPING UPSTREAM
local meta = namespace.open_with('limits', 'run', 'gap')
local count = contract.arguments()
local queues = args.different_queues(count)
args.none()
return upkeep.step(queues, meta)
