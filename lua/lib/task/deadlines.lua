-- Deadlines: by when a task must have ended. One that has not by then fails, with the group `deadline`; while an
-- attempt has it, its owner is told to stop before. These are not the deadlines of leases: such a one is
-- `task.deadline`, that of the task itself is `task.end_by`. A task without one has no `e` among its ties.
local deadlines = {}

-- The error of a task that is past its deadline.
deadlines.ERROR = 'its deadline has passed'

function deadlines.has(task)
  return task.ties and string.find(task.ties, 'e', 1, true)
end

function deadlines.is_past(end_by)
  return tonumber(end_by) * 1000000 <= namespace.now_us
end

-- The refusal of a task that would begin past its deadline.
function deadlines.refusal()
  return 'OVERDUE', 'the deadline of the task has passed: give it a later one with the option deadline'
end

function deadlines.require_ahead(end_by)
  if deadlines.is_past(end_by) then
    reply.fail(deadlines.refusal())
  end
end

-- Whether the owner of a held task was told to stop because of its deadline: then the task fails, whatever its owner
-- reports. A cancel that was asked for before the deadline stays one.
function deadlines.decided(task)
  if not task.cancel or not deadlines.has(task) then
    return false
  end
  claims.load(task)
  return task.end_by ~= nil and tonumber(task.cancel) >= tonumber(task.end_by)
end

-- What such a task forgets when it fails.
function deadlines.forgotten()
  return { 'cancel', 'recall', 'reason' }
end

-- Ends the attempt of such a task. `...`: further fields for the record.
function deadlines.finish(task, why, ...)
  task.group, task.forget = 'deadline', deadlines.forgotten()
  return owner.finish(task, 'failed', 'failed', why, 'group', 'deadline', 'error', deadlines.ERROR, ...)
end

-- Looks whether a task may run again: before its deadline, or with a new one. Returns the code and text of a refusal.
function deadlines.plan_retry(task, end_by)
  if deadlines.has(task) then
    claims.load(task)
  elseif end_by then
    task.ties = (task.ties or '') .. 'e'
    claims.load(task)
  end
  task.new_end = end_by
  task.end_by = end_by or task.end_by
  if task.end_by and deadlines.is_past(task.end_by) then
    return deadlines.refusal()
  end
end
