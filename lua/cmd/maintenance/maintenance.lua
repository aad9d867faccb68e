--- Does the next part of the maintenance of the namespace and of these queues. The parts of the namespace are `tick`
--   and `run_deferred`; the parts of a queue are `promote`, `requeue_orphans`, `aggregate`, `prune` and `repair`. The
--   parts take turns, every two seconds, regardless of who calls. An error of one part is returned, and the rest
--   continue.
-- @args now count queue*count
-- @role maintenance
-- @again goes on
-- @reply the part that was done, or an empty string; the amount of work done; 1 if more work is due at once; when the
--   next work is due, in seconds; the error of the part, or an empty string; then for each cron schedule that needs
--   more slots: its name, its recurrence, and the time after which it needs them
-- @errors
-- @noted CLOSED DUPLICATE OVERDUE STATE task.* OTHERQUEUE STOPPING UPSTREAM
local meta = namespace.open_with('limits', 'run', 'gap')
local count = contract.arguments()
local queues = args.different_queues(count)
args.none()
return maintenance.step(queues, meta)
