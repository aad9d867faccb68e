--- Creates the tasks of due slots. An error of one schedule is recorded in this schedule and does not affect other
--   schedules.
-- @args now limit
-- @role maintenance
-- @again goes on
-- @reply number of tasks created, 1 if more slots are due, and when the next slot is due, in seconds, or an empty
--   string; then for each cron schedule that needs more slots: its name, its recurrence, and the time after which it
--   needs them
-- @errors
-- @noted CLOSED DUPLICATE OVERDUE STATE task.* OTHERQUEUE
namespace.open()
return ticking.tick(contract.arguments())
