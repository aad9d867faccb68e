-- An attempt that ended without its owner: what becomes of the task.
local interruption = {}

-- Losses a task survives, unless submit said otherwise.
interruption.MOST = 10

-- Where a held task goes: cancelled if that was asked for, failed past its cap, else `back`.
-- The task was read with `max_losses` and `losses` as its first two extra fields.
function interruption.target(task, back)
  task.losses = tonumber(task.extra[2] or 0) + 1
  if task.cancel then
    return 'cancelled'
  end
  return task.losses > tonumber(task.extra[1] or interruption.MOST) and 'failed' or back
end

-- What ends the attempt of a planned task. Back in the queue it goes to the front: it had its turn.
function interruption.change(task, to, why)
  local fields = { 'token', '', 'ended', task.token, 'outcome', 'lost', 'losses', task.losses }
  if to == 'failed' then
    fields[9], fields[10] = 'group', 'lost'
    fields[11], fields[12] = 'error', 'lost ' .. task.losses .. ' times: its owners stopped reporting'
  end
  return { fields = fields, front = true, why = why, forget = to == 'pending' and state.ATTEMPT or nil }
end
