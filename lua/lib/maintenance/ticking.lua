-- Ticking: creates the tasks of due fire times of schedules. `step`: the table of the call.
--   now        the time in seconds
--   room       number of fire times that may still be handled
--   bytes      bytes of parameters that were read
--   number     number of new tasks
--   taken      ids of tasks that an earlier fire time of this call cancels or creates
--   stops      tasks to cancel
--   changed    schedules to write, with the `plans` of their new tasks
--   strays     names without a schedule
local ticking = {}

-- Maximum bytes of parameters that a call reads.
ticking.BYTES = 4194304

-- Calls `read` for a schedule. An error is recorded in the schedule, and false is returned.
function ticking.guarded(schedule, read, ...)
  local ok, one, other = pcall(read, ...)
  if ok then
    return true, one, other
  end
  local text = type(one) == 'table' and one.err or tostring(one)
  if string.find(text, 'non local key') then
    error(one, 0)
  end
  text = string.gsub(text, '^%-', '')
  text = string.gsub(text, '^WRONGTYPE .*', 'WRONGKEY a key of its queue holds a value of another type')
  schedule.error = namespace.now .. ' ' .. string.sub(text, 1, 200)
  return false
end

-- Fails because a task that the schedule did not create has the id of a fire time.
function ticking.foreign(schedule, queue)
  if queue ~= schedule.queue then
    reply.fail('OTHERQUEUE', 'the id of this slot is a task that the schedule did not create')
  end
  reply.fail('STATE', 'the id of this slot is a task that the schedule did not create')
end

-- Tries one fire time: returns a plan, or what prevents it.
function ticking.try(step, schedule, fire_time, old)
  local id = schedule.name .. '@' .. fire_time
  local queue, maker, of = unpack(redis.call('HMGET', namespace.declare(namespace.key('task', id)),
    'queue', 'schedule', 'slot'))
  if queue and maker == schedule.name and of == fire_time then
    schedules.note(schedule, id)
    return 'made' -- the fire time was handled before
  elseif queue then
    ticking.guarded(schedule, ticking.foreign, schedule, queue)
    return 'skip'
  end
  local one = { schedule = schedule, id = id, fire_time = fire_time, old = old }
  local ok, plan = ticking.guarded(schedule, firing.plan, one, step.taken)
  if ok then
    return plan and (plan.task and 'plan' or 'skip') or 'wait', plan
  end
  return 'skip'
end

-- Delays due fire times: an unfinished task would run at the same time as the new task.
function ticking.hold(step, schedule, old)
  schedules.plan_next(schedule)
  schedule.held = string.format('%.0f', math.floor(step.now) + 1) -- the schedule is examined again then
  step.changed[#step.changed + 1] = schedule
  if schedule.overlap == 'cancel' and old and not step.taken[old.id] then
    step.taken[old.id], old.planned, old.reason = true, {}, 'a later slot of the schedule ' .. schedule.name
    if ticking.guarded(schedule, cancelling.plan, old, old) and old.to then
      step.stops[#step.stops + 1] = old
    end
  end
end

-- Plans the tasks of these fire times. Returns the numbers of planned and of skipped fire times, and the position of
-- the first fire time that has to wait, or nil.
function ticking.plan_times(step, schedule, fire_times, old)
  local made, skipped = 0, 0
  for i, fire_time in ipairs(fire_times) do
    fire_time = string.format('%.0f', fire_time)
    local what, plan = 'skip', nil
    if not old or schedule.overlap == 'cancel' then
      what, plan = ticking.try(step, schedule, fire_time, old)
    end
    if what == 'wait' then
      schedule.done = fire_times[i - 1] and string.format('%.0f', fire_times[i - 1])
      return made, skipped, i
    elseif what == 'plan' then
      made, schedule.plans[#schedule.plans + 1] = made + 1, plan
      schedules.note(schedule, plan.id)
      schedule.last_slot, schedule.last_at, schedule.error = fire_time, namespace.now, nil
      if schedule.made + made == tonumber(schedule.times) then
        break
      end
    elseif what == 'skip' then
      skipped = skipped + 1
    end
  end
  return made, skipped
end

-- Plans the due fire times of a schedule. Returns the number of tasks, or nil if a later call must create them.
function ticking.due(step, schedule, old)
  local fire_times, passed = schedules.due(schedule, math.min(step.room, schedules.BATCH))
  schedule.plans = {}
  local made, skipped, waits = ticking.plan_times(step, schedule, fire_times, old)
  if waits == 1 then
    return nil
  end
  schedule.made, schedule.skipped = string.format('%.0f', schedule.made + made),
    string.format('%.0f', schedule.skipped + skipped)
  schedule.passed = string.format('%.0f', schedule.passed + passed)
  schedules.plan_next(schedule)
  step.changed[#step.changed + 1] = schedule
  return made
end

-- Plans what a schedule needs now.
function ticking.plan(step, name)
  local schedule = schedules.find(name)
  if not schedule then
    step.strays[#step.strays + 1] = name
    return
  elseif not schedule.next or tonumber(schedule.next) > step.now then
    schedules.plan_next(schedule)
    step.changed[#step.changed + 1] = schedule
    return
  end
  step.bytes = step.bytes + #schedule.parameters
  local ok, old, beside = ticking.guarded(schedule, firing.live, schedule, schedule.overlap)
  if beside then
    schedule.error = namespace.now .. ' ' .. schedules.beside(schedule, beside)
  end
  if beside or not ok then
    ticking.hold(step, schedule, old)
    step.room = step.room - 1
    return
  end
  local made = ticking.due(step, schedule, (schedule.overlap == 'skip' or schedule.overlap == 'cancel') and old or nil)
  step.number = step.number + (made or 0)
  step.room = step.room - (made and math.max(1, made) or 0)
end

-- Writes what was planned for all schedules. `all`: the key of their names.
function ticking.write(step, all)
  if step.number + #step.stops > 0 then
    -- This write is refused when memory is full, before anything is created.
    namespace.advance_clock(string.format('%.0f', namespace.now_us))
  end
  for _, old in ipairs(step.stops) do
    cancelling.cancel(old, old)
  end
  local queues = {}
  -- A fire time is counted right after the writes that create its task.
  for _, schedule in ipairs(step.changed) do
    for _, plan in ipairs(schedule.plans or {}) do
      firing.make(plan, 'schedule')
      queues[#queues + 1] = schedule.queue
    end
    schedules.write(schedule, 'tasks', 'last_slot', 'last_task', 'last_at', 'error')
  end
  for _, name in ipairs(step.strays) do
    redis.call('ZREM', all, name)
  end
  for i, queue in ipairs(queues) do
    if queue ~= queues[i + 1] then
      wakeups.wake(queue)
    end
  end
end

-- Creates the tasks of up to `limit` fire times. Returns the reply of `tick`.
-- @hot
function ticking.tick(limit)
  local all, now = namespace.prefix .. 'schedules', namespace.now_us / 1000000
  local step = { now = now, room = limit, bytes = 0, number = 0, taken = {}, stops = {}, changed = {}, strays = {} }
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', all, '-inf', namespace.now, 'LIMIT', 0, limit)) do
    if step.room < 1 or step.bytes > ticking.BYTES then
      break
    end
    ticking.plan(step, name)
  end
  local low = schedules.low(step.changed)
  if #step.changed + #step.strays > 0 then
    schedules.probe()
    namespace.begin()
  end
  ticking.write(step, all)
  local first = redis.call('ZRANGE', all, 0, 0, 'WITHSCORES')[2]
  first = first and first ~= 'inf' and tonumber(first) or nil
  return { step.number, first and first <= now and 1 or 0,
    first and first > now and string.format('%.0f', first) or '', unpack(low) }
end
