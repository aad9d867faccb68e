-- Deadlines: the time by which a task must have ended. A task that has not ended by its deadline fails, with the group
-- `deadline`. If the task is held, its owner is first ordered to stop. `task.end_by` is the deadline of a task;
-- `task.deadline` is the end of a lease. A task without a deadline has no `e` in its flags.
local deadlines = {}

-- Error of a task whose deadline has passed.
deadlines.ERROR = 'its deadline has passed'

function deadlines.has(task)
  return task.flags and string.find(task.flags, 'e', 1, true)
end

function deadlines.is_past(end_by)
  return tonumber(end_by) * 1000000 <= namespace.now_us
end

-- Returns the code and text of the refusal to begin a task after its deadline.
function deadlines.refusal()
  return 'OVERDUE', 'the deadline of the task has passed: give it a later one with the option deadline'
end

function deadlines.require_ahead(end_by)
  if deadlines.is_past(end_by) then
    reply.fail(deadlines.refusal())
  end
end

-- Returns true if the owner of a held task was ordered to stop because of its deadline: then the task fails, regardless
-- of the report of its owner. A cancel that was requested before the deadline stays a cancel.
function deadlines.decided(task)
  if not task.cancel or not deadlines.has(task) then
    return false
  end
  holdings.load(task)
  return task.end_by ~= nil and tonumber(task.cancel) >= tonumber(task.end_by)
end

-- Returns the fields that the record loses when a task fails because of its deadline.
function deadlines.forgotten()
  return { 'cancel', 'requeue', 'reason' }
end

-- Ends the attempt of a task that fails because of its deadline. `...`: further fields for the record.
function deadlines.finish(task, why, ...)
  task.group, task.forget = 'deadline', deadlines.forgotten()
  return fence.finish(task, 'failed', 'failed', why, 'group', 'deadline', 'error', deadlines.ERROR, ...)
end

-- Sets the deadline of a task that is retried: the new deadline `end_by`, or else its old deadline. Returns the code
-- and text of a refusal if that deadline has passed.
function deadlines.plan_retry(task, end_by)
  if deadlines.has(task) then
    holdings.load(task)
  elseif end_by then
    task.flags = (task.flags or '') .. 'e'
    holdings.load(task)
  end
  task.new_end = end_by
  task.end_by = end_by or task.end_by
  if task.watch then
    task.watch.end_by = task.end_by
  end
  if task.end_by and deadlines.is_past(task.end_by) then
    return deadlines.refusal()
  end
end
