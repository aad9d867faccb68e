-- Orphans: tasks whose owners are gone, so that their leases have expired.
local orphans = {}

-- Takes up to `limit` orphans from their owners. Also removes silent listeners, silent workers, and sets of patterns
-- without listeners. `run`: the run id of the last server; `gap`: the end of the last silence; both are from the meta
-- hash. Returns the reply of `requeue_orphans`.
-- @hot
function orphans.requeue(queue, limit, run, gap)
  -- After a gap, owners get the time of one lease to report. A new server is always a gap. A silence is a gap only
  -- until the postponed lease has also expired.
  local here = server.info('server', 'run_id') or run
  local restarted = run and here ~= run
  gap = restarted and namespace.now_us or namespace.gap or tonumber(gap or 0)

  local leases = namespace.declare(namespace.key('leases', queue))
  local placed = namespace.probe('HLEN', namespace.key('places', queue)) > 0
  local expired = redis.call('ZRANGEBYSCORE', leases, '-inf', string.format('(%.0f', namespace.now_us),
    'WITHSCORES', 'LIMIT', 0, limit + 1)
  local more = #expired > 2 * limit and 1 or 0
  local stale, foreign, freed, postponed, lost = {}, {}, {}, {}, {}
  for i = 1, math.min(#expired, 2 * limit), 2 do
    local member, deadline = expired[i], tonumber(expired[i + 1])
    local id, token = string.match(member, '^(%S+) (%d+)$')
    local task = record.find(id, 'max_losses', 'losses', 'lease', 'postponed', 'reclaimed_node', 'started',
      'stalled_losses', 'lost_delay')
    if not task or task.token ~= token then
      stale[#stale + 1] = member
      freed[#freed + 1] = { id = id, token = token }
    elseif not record.held(task) or (task.extra[5] and not (task.status == 'started' and task.extra[6])) then
      -- A client without scripts ended or took the task. A task that was started by scripts is excluded: such a client
      -- only records that it took the task, then waits for the dead process and does nothing more.
      stale[#stale + 1] = member
      freed[#freed + 1] = task
      foreign[#foreign + 1] = task
    else
      local lease = tonumber(task.extra[3] or 60000000)
      local waits = gap + lease > namespace.now_us and deadline - lease < gap
      local once = restarted or tonumber(task.extra[4] or 0) ~= deadline
      if waits and once then
        task.deadline = string.format('%.0f', gap + lease)
        postponed[#postponed + 1] = task
      else
        task.to = lost_attempts.target(task, 'pending', {
          max_losses = task.extra[1], losses = task.extra[2], stalled_losses = task.extra[7],
          lost_delay = task.extra[8],
        })
        task.later = true -- other tasks of this call may have the same dependents
        state.plan(task, task.to)
        lost[#lost + 1] = task
      end
    end
  end
  local silent = {}
  listeners.probe(queue)
  local present = redis.call('SCARD', namespace.key('listeners', queue))
  for _, listener in ipairs(redis.call('ZRANGEBYSCORE', namespace.key('seen', queue), '-inf',
    namespace.decimal(math.max(0, namespace.now_us - listeners.keep(queue))), 'LIMIT', 0, limit)) do
    if redis.call('LLEN', namespace.declare(namespace.key('reserved_tasks', queue .. '_' .. listener))) == 0 then
      workers.plan_leave(listener)
      silent[#silent + 1] = listener
    end
  end
  local past = workers.plan_forget()
  local sets, asked = patterns.plan_forget()
  if placed then
    held_places.plan_released(queue, freed)
  end
  namespace.begin()

  -- The first write is a removal: the next writes are then allowed even when memory is full.
  redis.call('ZREM', leases, '', unpack(stale))
  namespace.advance_clock(namespace.now_us)
  redis.call('HSET', namespace.meta, 'run', here or '', 'gap', string.format('%.0f', gap))
  if sets then
    redis.call('HSET', namespace.meta, 'patterns', sets, 'asked', asked)
  end
  for _, task in ipairs(postponed) do
    redis.call('ZADD', leases, task.deadline, record.lease(task))
    redis.call('HSET', task.key, 'postponed', task.deadline)
  end
  for _, task in ipairs(placed and freed or {}) do
    held_places.release(queue, task.id, task.token)
  end
  for _, task in ipairs(foreign) do
    redis.call('HDEL', task.key, 'token', 'lease', 'request')
    redis.call('HSET', task.key, 'ended', task.token, 'outcome', 'lost')
  end
  local counts = { pending = 0, scheduled = 0, failed = 0, cancelled = 0 }
  for _, task in ipairs(lost) do
    counts[task.to] = counts[task.to] + 1
    lost_attempts.move(task, task.to, 'lost')
  end
  for _, listener in ipairs(silent) do
    listeners.remove(queue, listener)
  end
  workers.forget(past, namespace.decimal(namespace.now_us + listeners.keep(queue)))
  if counts.pending > 0 then
    wakeups.wake(queue)
  end
  return { counts.pending + counts.scheduled, counts.failed, counts.cancelled, #postponed, more, present - #silent }
end
