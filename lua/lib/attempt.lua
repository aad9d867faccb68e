-- An attempt: one reservation of a task by a listener, with its token and lease.
local attempt = {}

-- In microseconds, unless the call says otherwise.
attempt.LEASE = 60000000

-- What is told of a task when it is reserved, for `answer`, beyond its id and queue.
-- @cold
function attempt.fields()
  return 'outcome', 'losses', 'failures', 'parameters', 'checkpoint'
end

-- The reply of reserve and adopt.
-- @cold
function attempt.answer(id, queue, token, number, deadline, lease, outcome, losses, failures, parameters, checkpoint)
  return { id, queue, token, tonumber(number), deadline, lease,
    outcome or '', losses or '0', failures or '0', parameters or '', checkpoint }
end

-- The first answer again, where this very request of the listener made the attempt.
-- @cold
function attempt.repeated(id, listener, request)
  local v = redis.call('HMGET', space.prefix .. 'task_' .. id,
    'status', 'queue', 'attempt', 'token', 'node', 'request', 'lease', attempt.fields())
  if (v[1] ~= 'reserved' and v[1] ~= 'started') or v[5] ~= listener or v[6] ~= request then
    return nil
  end
  local deadline = redis.call('ZSCORE', space.prefix .. 'leases_' .. v[2], id .. ' ' .. (v[4] or ''))
  return deadline and attempt.answer(id, v[2], v[4], v[3], tonumber(deadline), tonumber(v[7]), unpack(v, 8, 12))
end

-- Gives a planned task to a listener: a new attempt, a larger token, which moves
-- the clock, and a lease.
function attempt.begin(task, listener, lease, request, why)
  local us = space.us + 1
  local token = string.format('%.0f', us)
  space.us = us
  task.taker, task.issue, task.deadline = listener, token, string.format('%.0f', us + lease)
  task.attempt = string.format('%d', task.attempt + 1)
  state.move(task, 'reserved', why, listener,
    'node', listener, 'token', token, 'attempt', task.attempt, 'lease', lease, 'request', request or '')
  redis.call('HSET', space.meta, space.CLOCK, token)
  return token, us + lease
end

-- Takes the ids that were found to be no pending tasks off the ends of their
-- queues: `ghosts` tells how many of each.
-- @cold
function attempt.clear(ghosts)
  for queue, number in pairs(ghosts or {}) do
    for _ = 1, number do
      redis.call('RPOP', space.prefix .. 'pending_tasks_' .. queue)
    end
  end
end
