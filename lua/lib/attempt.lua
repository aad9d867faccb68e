-- An attempt: one reservation of a task by a listener, with its token and lease.
local attempt = {}

-- In microseconds, unless the call says otherwise.
attempt.LEASE = 60000000

-- What is told of a task when it is reserved, for `answer`, beyond its id and queue.
-- @cold
function attempt.fields()
  return 'outcome', 'losses', 'failures', 'parameters', 'checkpoint', 'max_losses', 'request', 'lease'
end

-- The reply of reserve and adopt.
function attempt.answer(task, token, deadline, lease, outcome, losses, failures, parameters, checkpoint)
  return { task.id, task.queue, token, tonumber(task.attempt), deadline, lease,
    outcome or '', losses or '0', failures or '0', parameters or '', checkpoint }
end

-- The first answer again, where this very request of the listener made the attempt.
-- @cold
function attempt.repeated(id, listener, request)
  local task = record.find(id, attempt.fields())
  if not task or task.node ~= listener or task.extra[7] ~= request or not record.held(task) then
    return nil
  end
  local deadline = redis.call('ZSCORE', space.key('leases', task.queue), record.lease(task))
  return deadline
    and attempt.answer(task, task.token, tonumber(deadline), tonumber(task.extra[8]), unpack(task.extra, 1, 5))
end

-- Gives a planned task to a listener: a new attempt, a larger token, a lease.
function attempt.begin(task, listener, lease, request, why)
  local us = space.us + 1
  local token = string.format('%.0f', us)
  space.us = us
  task.taker, task.issue, task.deadline = listener, token, string.format('%.0f', us + lease)
  task.attempt = string.format('%d', task.attempt + 1)
  state.move(task, 'reserved', why, listener,
    'node', listener, 'token', token, 'attempt', task.attempt, 'lease', lease, 'request', request or '')
  space.tick(token)
  return token, us + lease
end

-- Takes the ids that were found to be no pending tasks off the ends of their
-- queues: `ghosts` tells how many of each.
-- @cold
function attempt.clear(ghosts)
  for queue, number in pairs(ghosts or {}) do
    for _ = 1, number do
      redis.call('RPOP', space.key('pending_tasks', queue))
    end
  end
end
