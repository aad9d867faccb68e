-- Lost attempts: attempts that ended without their owner, and the next state of their tasks.
local lost_attempts = {}

-- Returns the next state of a held task. The state is cancelled if a cancel was requested, failed after the deadline or
-- too many losses, and cancelled if a newer task has replaced this task. Otherwise it is `back`, or scheduled if `back`
-- is pending and a pause is due. `known`: the fields `max_losses`, `losses`, `stalled_losses` and `lost_delay` of the
-- record; `grows`: the pause grows with every loss without progress since the previous loss.
-- @hot
function lost_attempts.target(task, back, known)
  task.losses, task.stalled_losses = tonumber(known.losses or 0) + 1, tonumber(known.stalled_losses or 0) + 1
  if task.cancel then
    task.overdue = deadlines.decided(task)
    task.group = task.overdue and 'deadline' or nil
    return task.overdue and 'failed' or 'cancelled'
  end
  task.group = 'lost'
  if task.losses > tonumber(known.max_losses or settings.get(task.queue, 'max_losses')) then
    return 'failed'
  end
  if back ~= 'pending' then
    return back
  end
  local to = holdings.state_after_release(task, back)
  return to == 'pending' and retries.plan(task, lost_attempts.pause(task, known)) or to
end

-- Returns the microseconds from a loss to the next attempt.
function lost_attempts.pause(task, known)
  local pause = tonumber(known.lost_delay or settings.get(task.queue, 'lost_delay'))
  if known.grows and task.stalled_losses > 1 then
    pause = math.max(pause, math.min(2 ^ (task.stalled_losses - 2), 300))
  end
  return math.floor(pause * 1000000)
end

-- Ends the attempt of a planned task. A pending task goes to the front, because it had its turn. `text`: the fate of
-- its owner, if known.
-- @hot
function lost_attempts.move(task, to, why, text)
  local more = {}
  if task.overdue then
    task.forget, more = deadlines.forgotten(), { 'group', 'deadline', 'error', deadlines.ERROR }
  elseif to == 'failed' then
    more = { 'group', 'lost', 'error', 'lost ' .. task.losses .. ' times: '
      .. (text or 'its owners stopped reporting') }
  elseif to == 'pending' then
    task.front, task.forget, more = true, { record.attempt_fields() }, { 'front', '1' }
  elseif to == 'scheduled' then
    task.forget, more = { record.attempt_fields() }, { 'front', '1', 'eta', task.eta }
    if task.own_eta then
      more[5], more[6] = 'retry_eta', '1'
    end
  elseif task.replaced then
    more = { holdings.cancel_reason(task) }
  end
  state.move(task, to, why, '',
    'ended', task.token, 'outcome', 'lost', 'losses', task.losses,
    'stalled_losses', task.stalled_losses, unpack(more))
  orders.announce(task.queue)
end

-- Ends the attempt of an owner that was found dead. The task is pending at once if it made progress since its previous
-- loss. Otherwise it is delayed, so that a task that crashes its owners does not hold up other tasks.
function lost_attempts.died(task, text)
  local v = redis.call('HMGET', namespace.prefix .. 'task_' .. task.id, 'max_losses', 'losses', 'stalled_losses',
    'lost_delay')
  local to = lost_attempts.target(task, 'pending',
    { max_losses = v[1], losses = v[2], stalled_losses = v[3], lost_delay = v[4], grows = true })
  state.plan(task, to)
  namespace.begin()
  lost_attempts.move(task, to, 'lost', text)
  if to == 'pending' then
    wakeups.wake(task.queue)
  end
  return 'lost'
end
