-- An attempt: one reservation of a task by a listener, with its token and lease.
local attempt = {}

-- In microseconds, unless the call says otherwise.
attempt.LEASE = 60000000

-- What begins an attempt needs of the record beyond the common fields.
attempt.FIELDS = { 'max_losses', 'losses', 'failures', 'request', 'lease', 'parameters', 'checkpoint', 'outcome' }

-- The reply of reserve and adopt.
function attempt.answer(task, token, number, deadline, lease)
  local extra = task.extra
  return { task.id, task.queue, token, number, deadline, lease,
    extra[8] or '', extra[2] or '0', extra[3] or '0', extra[6] or '', extra[7] }
end

-- The first answer again, where this very request made the attempt.
function attempt.repeated(task, listener, request)
  if not request or task.node ~= listener or task.extra[4] ~= request or not record.held(task) then
    return nil
  end
  local deadline = redis.call('ZSCORE', space.key('leases', task.queue), record.lease(task))
  return deadline and attempt.answer(task, task.token, tonumber(task.attempt), tonumber(deadline), tonumber(task.extra[5]))
end

-- Gives a planned task to a listener: a new attempt, a larger token, a lease.
function attempt.begin(task, listener, options, change)
  local lease = options.lease or attempt.LEASE
  space.us = space.us + 1
  local token = string.format('%.0f', space.us)
  space.tick(token)
  change.token = token
  change.deadline = space.us + lease
  change.attempt = task.attempt + 1
  change.node = listener
  change.by = listener
  change.fields = { 'node', listener, 'token', token, 'attempt', change.attempt,
    'lease', lease, 'request', options.request or '' }
  state.move(task, 'reserved', change)
  return attempt.answer(task, token, change.attempt, change.deadline, lease)
end
