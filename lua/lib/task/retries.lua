-- Retries: decide whether another attempt follows a failed attempt, and when.
local retries = {}

-- Returns the retry options of a task, and the settings of its queue for options that the task does not have.
function retries.policy(task)
  local names = { 'max_failures', 'backoff', 'delay', 'max_delay', 'jitter' }
  local own = redis.call('HMGET', namespace.prefix .. 'task_' .. task.id, unpack(names))
  local policy = {}
  for i, name in ipairs(names) do
    policy[name] = own[i] or settings.get(task.queue, name)
  end
  return policy
end

-- Returns a fraction from 0 to 1 that is the same on every server for this failure of this task, so that a repeated
-- call, or a replica, waits for the same time.
function retries.fraction(task, failures)
  return tonumber(string.sub(redis.sha1hex(task.id .. ' ' .. failures), 1, 8), 16) / 4294967296
end

-- Returns the microseconds until the next attempt, or nil if there is no next attempt. `again`: the delay that the
-- owner asked for.
function retries.pause(task, failures, again)
  local policy = retries.policy(task)
  if failures > tonumber(policy.max_failures) then
    return nil
  elseif again then
    return again
  end
  local pause, most = tonumber(policy.delay), tonumber(policy.max_delay)
  if policy.backoff == 'exponential' then
    pause = pause * 2 ^ math.min(failures - 1, 40)
  end
  pause = math.min(pause, most)
  return math.floor(pause * (1 - policy.jitter / 100 * retries.fraction(task, failures)) * 1000000)
end

-- Returns the next state of a task after a pause. Sets `task.eta` if that state is scheduled.
function retries.plan(task, pause)
  if pause == 0 then
    return 'pending'
  end
  task.eta = namespace.decimal(namespace.now_us + pause)
  task.own_eta = redis.call('HEXISTS', namespace.prefix .. 'task_' .. task.id, 'eta') == 0
  return 'scheduled'
end

-- Ends the attempt of a planned task, and wakes a listener if the task is pending.
function retries.finish(task, to, outcome, why, ...)
  if to == 'scheduled' and task.own_eta then
    return fence.finish(task, to, outcome, why, 'eta', task.eta, 'retry_eta', '1', ...)
  elseif to == 'scheduled' then
    return fence.finish(task, to, outcome, why, 'eta', task.eta, ...)
  end
  fence.finish(task, to, outcome, why, ...)
  if to == 'pending' then
    wakeups.wake(task.queue)
  end
  return outcome
end
