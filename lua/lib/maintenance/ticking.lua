-- Ticking: creates the tasks of due slots of schedules.
local ticking = {}

-- Maximum bytes of parameters that a call reads.
ticking.BYTES = 4194304

-- Creates the tasks of up to `limit` slots. Returns the reply of `tick`.
-- @hot
function ticking.tick(limit)
  local all, now = namespace.prefix .. 'schedules', namespace.now_us / 1000000
  local names = redis.call('ZRANGEBYSCORE', all, '-inf', namespace.now, 'LIMIT', 0, limit)

  local room, bytes, number, stops, changed, strays, taken, queues = limit, 0, 0, {}, {}, {}, {}, {}

  -- Calls `read` for a schedule. An error is recorded in the schedule, and false is returned.
  local function guarded(schedule, read, ...)
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

  -- Fails because a task that the schedule did not create has the id of a slot.
  local function foreign(schedule, queue)
    if queue ~= schedule.queue then
      reply.fail('OTHERQUEUE', 'the id of this slot is a task that the schedule did not create')
    end
    reply.fail('STATE', 'the id of this slot is a task that the schedule did not create')
  end

  -- Tries one slot: returns a plan, or what prevents it.
  local function try(schedule, slot, old)
    local id = schedule.name .. '@' .. slot
    local queue, maker, of = unpack(redis.call('HMGET', namespace.key('task', id), 'queue', 'schedule', 'slot'))
    if queue and maker == schedule.name and of == slot then
      schedules.note(schedule, id)
      return 'made' -- the slot was handled before
    elseif queue then
      guarded(schedule, foreign, schedule, queue)
      return 'skip'
    end
    local ok, plan = guarded(schedule, firing.plan, { schedule = schedule, id = id, slot = slot, old = old }, taken)
    if ok then
      return plan and (plan.task and 'plan' or 'skip') or 'wait', plan
    end
    return 'skip'
  end

  -- Keeps the slots of a schedule due until a task that would run at the same time as a new task has finished.
  local function hold(schedule, old)
    schedules.plan_next(schedule)
    schedule.held = string.format('%.0f', math.floor(now) + 1) -- the schedule is examined again then
    changed[#changed + 1] = schedule
    if schedule.overlap == 'cancel' and old and not taken[old.id] then
      taken[old.id], old.planned, old.reason = true, {}, 'a later slot of the schedule ' .. schedule.name
      if guarded(schedule, cancelling.plan, old, old) and old.to then
        stops[#stops + 1] = old
      end
    end
  end

  -- Plans the due slots of a schedule. Returns the number of tasks, or nil if a later call must create them.
  local function due(schedule, old)
    local slots, passed = schedules.due(schedule, math.min(room, schedules.BATCH))
    local made, skipped, waits = 0, 0, nil
    schedule.plans = {}
    for i, slot in ipairs(slots) do
      slot = string.format('%.0f', slot)
      local what, plan = 'skip', nil
      if not old or schedule.overlap == 'cancel' then
        what, plan = try(schedule, slot, old)
      end
      if what == 'wait' then
        waits, schedule.done = i, slots[i - 1] and string.format('%.0f', slots[i - 1])
        break
      elseif what == 'plan' then
        made, schedule.plans[#schedule.plans + 1] = made + 1, plan
        schedules.note(schedule, plan.id)
        schedule.last_slot, schedule.last_at, schedule.error = slot, namespace.now, nil
        if schedule.made + made == tonumber(schedule.times) then
          break
        end
      elseif what == 'skip' then
        skipped = skipped + 1
      end
    end
    if waits == 1 then
      return nil
    end
    schedule.made, schedule.skipped = string.format('%.0f', schedule.made + made),
      string.format('%.0f', schedule.skipped + skipped)
    schedule.passed = string.format('%.0f', schedule.passed + passed)
    schedules.plan_next(schedule)
    changed[#changed + 1] = schedule
    return made
  end

  for _, name in ipairs(names) do
    if room < 1 or bytes > ticking.BYTES then
      break
    end
    local schedule = schedules.find(name)
    if not schedule then
      strays[#strays + 1] = name
    elseif not schedule.next or tonumber(schedule.next) > now then
      schedules.plan_next(schedule)
      changed[#changed + 1] = schedule
    else
      bytes = bytes + #schedule.parameters
      local ok, old, beside = guarded(schedule, firing.live, schedule, schedule.overlap)
      if beside then
        schedule.error = namespace.now .. ' ' .. schedules.beside(schedule, beside)
      end
      if beside or not ok then
        hold(schedule, old)
        room = room - 1
      else
        local made = due(schedule, (schedule.overlap == 'skip' or schedule.overlap == 'cancel') and old or nil)
        number = number + (made or 0)
        room = room - (made and math.max(1, made) or 0)
      end
    end
  end

  local low = schedules.low(changed)
  if #changed + #strays > 0 then
    schedules.probe()
    namespace.begin()
  end
  if number + #stops > 0 then
    -- This write is refused when memory is full, before anything is created.
    namespace.advance_clock(string.format('%.0f', namespace.now_us))
  end
  for _, old in ipairs(stops) do
    cancelling.cancel(old, old)
  end
  -- A slot is counted right after the writes that create its task.
  for _, schedule in ipairs(changed) do
    for _, plan in ipairs(schedule.plans or {}) do
      firing.make(plan, 'schedule')
      queues[#queues + 1] = schedule.queue
    end
    schedules.write(schedule, 'tasks', 'last_slot', 'last_task', 'last_at', 'error')
  end
  for _, name in ipairs(strays) do
    redis.call('ZREM', all, name)
  end
  for i, queue in ipairs(queues) do
    if queue ~= queues[i + 1] then
      wakeups.wake(queue)
    end
  end
  local first = redis.call('ZRANGE', all, 0, 0, 'WITHSCORES')[2]
  first = first and first ~= 'inf' and tonumber(first) or nil
  return { number, first and first <= now and 1 or 0, first and first > now and string.format('%.0f', first) or '',
    unpack(low) }
end
