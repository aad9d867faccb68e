--- Creates the tasks of slots that are due. An error of one schedule is recorded in it and does not affect the
--   others.
-- @args now limit
-- @role upkeep
-- @again goes on
-- @reply number of tasks created, 1 if more slots are due, when the next one is, in seconds, or an empty string;
--   then for each cron schedule that needs more slots its name, its rhythm, and after what time
-- @errors
-- @noted CLOSED DUPLICATE OVERDUE STATE task.* OTHERQUEUE
namespace.open()
return ticking.tick(contract.arguments())
