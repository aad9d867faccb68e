--- Goes on with what calls leave behind in task graphs: tells dependents that what they wait for has ended, where
--   its own call left that, as it had many of them, or long results, or ended by the end of another task; cancels
--   what a task that ended waited for and nothing else needs; begins the next round of a task that is to begin once
--   more; releases the tasks of new graphs; cancels and retries graphs; and removes those whose tasks did not all
--   arrive within 10 minutes. First it fails tasks that are past their deadlines, and has their owners told to stop.
-- @args now limit
-- @role upkeep
-- @again goes on
-- @reply number of tasks, 1 if more is to be done
-- @errors
-- @noted CLOSED DUPLICATE NOLIMIT OVERDUE STATE STOPPING TOOMANY UPSTREAM
namespace.open()
return settling.settle(contract.arguments())
