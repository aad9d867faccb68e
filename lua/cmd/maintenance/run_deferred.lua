--- Does the next step of deferred work in task graphs, and of tasks past their deadlines. Overdue tasks come first:
--   they fail, or if an attempt holds them, their owners are ordered to stop. Dependents are notified of the end of a
--   task if the call that ended it did not notify them: because the dependents were many or the result was long, or
--   because another task caused the end. Tasks that nothing needs after the end of another task are cancelled. Queued
--   rounds of tasks begin. The tasks of new graphs are released. Cancels and retries of graphs continue. Graphs whose
--   tasks did not all arrive within 10 minutes are removed.
-- @args now limit
-- @role maintenance
-- @again goes on
-- @reply number of tasks, 1 if more work is due
-- @errors
-- @noted CLOSED DUPLICATE OVERDUE STATE task.* STOPPING UPSTREAM
namespace.open()
return deferred.run(contract.arguments())
