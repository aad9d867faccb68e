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
  local found = { stale = {}, foreign = {}, freed = {}, postponed = {}, lost = {}, restarted = restarted,
    gap = restarted and namespace.now_us or namespace.gap or tonumber(gap or 0) }
  local leases = namespace.declare(namespace.key('leases', queue))
  local placed = namespace.probe('HLEN', namespace.key('places', queue)) > 0
  local expired = redis.call('ZRANGEBYSCORE', leases, '-inf', string.format('(%.0f', namespace.now_us),
    'WITHSCORES', 'LIMIT', 0, limit + 1)
  for i = 1, math.min(#expired, 2 * limit), 2 do
    orphans.plan_one(found, expired[i], tonumber(expired[i + 1]))
  end
  listeners.probe(queue)
  local present = redis.call('SCARD', namespace.key('listeners', queue))
  local silent = orphans.silent(queue, limit)
  local past = workers.plan_forget()
  local sets, asked = patterns.plan_forget()
  if placed then
    held_places.plan_released(queue, found.freed)
  end
  namespace.begin()

  -- The first write is a removal: the next writes are then allowed even when memory is full.
  redis.call('ZREM', leases, '', unpack(found.stale))
  namespace.advance_clock(namespace.now_us)
  redis.call('HSET', namespace.meta, 'run', here or '', 'gap', string.format('%.0f', found.gap))
  if sets then
    redis.call('HSET', namespace.meta, 'patterns', sets, 'asked', asked)
  end
  local counts = orphans.write(found, queue, placed and found.freed or {})
  for _, listener in ipairs(silent) do
    listeners.remove(queue, listener)
  end
  workers.forget(past, namespace.decimal(namespace.now_us + listeners.keep(queue)))
  if counts.pending > 0 then
    wakeups.wake(queue)
  end
  return { counts.pending + counts.scheduled, counts.failed, counts.cancelled, #found.postponed,
    #expired > 2 * limit and 1 or 0, present - #silent }
end

-- Plans what happens to an expired lease, and adds it to `found`: the lease is `stale`, and the task is `foreign` if a
-- client without scripts ended or took it; the lease is `postponed`; or the attempt is `lost`. `freed`: attempts whose
-- places are released.
-- @hot
function orphans.plan_one(found, member, deadline)
  local id, token = string.match(member, '^(%S+) (%d+)$')
  local task = record.find(id, 'max_losses', 'losses', 'lease', 'postponed', 'reclaimed_node', 'started',
    'stalled_losses', 'lost_delay')
  if not task or task.token ~= token then
    found.stale[#found.stale + 1], found.freed[#found.freed + 1] = member, { id = id, token = token }
    return
  elseif not record.held(task) or (task.extra[5] and not (task.status == 'started' and task.extra[6])) then
    -- A task that was started by scripts is not foreign: a client without scripts only records that it took the task,
    -- then waits for the dead process and does nothing more.
    found.stale[#found.stale + 1], found.freed[#found.freed + 1] = member, task
    found.foreign[#found.foreign + 1] = task
    return
  end
  local gap, lease = found.gap, tonumber(task.extra[3] or 60000000)
  local waits = gap + lease > namespace.now_us and deadline - lease < gap
  if waits and (found.restarted or tonumber(task.extra[4] or 0) ~= deadline) then
    task.deadline = string.format('%.0f', gap + lease)
    found.postponed[#found.postponed + 1] = task
    return
  end
  task.to = lost_attempts.target(task, 'pending', { max_losses = task.extra[1], losses = task.extra[2],
    stalled_losses = task.extra[7], lost_delay = task.extra[8] })
  task.later = true -- other tasks of this call may have the same dependents
  state.plan(task, task.to)
  found.lost[#found.lost + 1] = task
end

-- Plans the removal of up to `limit` listeners that are silent and hold nothing. Returns them.
-- @hot
function orphans.silent(queue, limit)
  local silent = {}
  for _, listener in ipairs(redis.call('ZRANGEBYSCORE', namespace.key('seen', queue), '-inf',
    namespace.decimal(math.max(0, namespace.now_us - listeners.keep(queue))), 'LIMIT', 0, limit)) do
    if redis.call('LLEN', namespace.declare(namespace.key('reserved_tasks', queue .. '_' .. listener))) == 0 then
      workers.plan_leave(listener)
      silent[#silent + 1] = listener
    end
  end
  return silent
end

-- Writes the plans. Returns the number of lost attempts by the next state of their tasks.
-- @hot
function orphans.write(found, queue, freed)
  for _, task in ipairs(found.postponed) do
    redis.call('ZADD', namespace.key('leases', queue), task.deadline, record.lease(task))
    redis.call('HSET', task.key, 'postponed', task.deadline)
  end
  for _, task in ipairs(freed) do
    held_places.release(queue, task.id, task.token)
  end
  for _, task in ipairs(found.foreign) do
    redis.call('HDEL', task.key, 'token', 'lease', 'request')
    redis.call('HSET', task.key, 'ended', task.token, 'outcome', 'lost')
  end
  local counts = { pending = 0, scheduled = 0, failed = 0, cancelled = 0 }
  for _, task in ipairs(found.lost) do
    counts[task.to] = counts[task.to] + 1
    lost_attempts.move(task, task.to, 'lost')
  end
  return counts
end
