--- Does the next step of deferred work in task graphs, and of tasks past their deadlines. Overdue tasks come first:
--   they fail, and their owners are ordered to stop. Then dependents are notified of an end whose own call did not
--   notify them, because it had many dependents, a long result, or was caused by another task. Tasks that nothing needs
--   after another task's end are cancelled. Queued rounds of tasks begin. The tasks of new graphs are released; graphs
--   are cancelled and retried; graphs whose tasks did not all arrive within 10 minutes are removed.
-- @args now limit
-- @role upkeep
-- @again goes on
-- @reply number of tasks, 1 if more work is due
-- @errors
-- @noted CLOSED DUPLICATE NOLIMIT OVERDUE STATE STOPPING TOOMANY UPSTREAM
namespace.open()
return settling.settle(contract.arguments())
