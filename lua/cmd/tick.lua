--- Makes the tasks of slots that are due. What is wrong with one schedule is noted in it, and does not keep the others from theirs.
-- @args now limit
-- @reply number of tasks made, 1 if more slots are due, when the next one is, in seconds, or an empty string; then of each cron schedule that wants to be told more slots its name, its rhythm, and after what time
-- @errors
-- @noted CLOSED DUPLICATE STATE TOOMANY
local BYTES = 4194304 -- of parameters that one call reads

space.open()
local limit = args.limit()
args.none()
local all, now = space.prefix .. 'schedules', space.us / 1000000
local names = redis.call('ZRANGEBYSCORE', all, '-inf', space.now, 'LIMIT', 0, limit)

local room, bytes, plans, changed, strays, taken = limit, 0, {}, {}, {}, {}

-- One slot: a plan, or what is in its way.
local function try(schedule, slot, old)
  local id = schedule.name .. '@' .. slot
  if redis.call('HGET', space.key('task', id), 'queue') then
    return 'made' -- and dealt with, by whoever did
  end
  local ok, plan = pcall(schedules.plan, schedule, id, slot, old, taken)
  if ok then
    return plan and (plan.task and 'plan' or 'skip') or 'wait', plan
  end
  local text = type(plan) == 'table' and plan.err or tostring(plan)
  if string.find(text, 'non local key', 1, true) then
    error(plan, 0)
  end
  text = string.gsub(text, '^%-', '')
  text = string.gsub(text, '^WRONGTYPE .*', 'WRONGKEY a key of its queue holds a value of another type')
  schedule.error = space.now .. ' ' .. string.sub(text, 1, 200)
  return 'skip'
end

for _, name in ipairs(names) do
  if room < 1 or bytes > BYTES then
    break
  end
  local schedule = schedules.find(name)
  if not schedule then
    strays[#strays + 1] = name
  elseif not schedule.next or tonumber(schedule.next) > now then
    changed[#changed + 1] = schedule
  else
    bytes = bytes + #schedule.parameters
    local slots, passed = schedules.due(schedule, math.min(room, schedules.BATCH))
    local old = schedule.overlap ~= 'queue' and schedule.overlap ~= 'allow' and schedules.unfinished(schedule) or nil
    local made, skipped, waits = 0, 0, nil
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
        made, plans[#plans + 1] = made + 1, plan
        schedule.last_slot, schedule.last_task, schedule.last_at, schedule.error = slot, plan.id, space.now, nil
        if schedule.made + made == tonumber(schedule.times) then
          break
        end
      elseif what == 'skip' then
        skipped = skipped + 1
      end
    end
    if waits ~= 1 then
      schedule.made, schedule.skipped = string.format('%.0f', schedule.made + made), string.format('%.0f', schedule.skipped + skipped)
      schedule.passed = string.format('%.0f', schedule.passed + passed)
      schedules.settle(schedule)
      changed[#changed + 1] = schedule
      room = room - math.max(1, made)
    end
  end
end

local low = schedules.low(changed)
if #changed + #strays > 0 then
  schedules.probe()
  space.begin()
end
for _, schedule in ipairs(changed) do
  schedules.write(schedule, 'last_slot', 'last_task', 'last_at', 'error')
end
for _, name in ipairs(strays) do
  redis.call('ZREM', all, name)
end
for _, plan in ipairs(plans) do
  schedules.make(plan, 'schedule')
end
if #plans > 0 then
  space.tick(string.format('%.0f', space.us))
end
local first = redis.call('ZRANGE', all, 0, 0, 'WITHSCORES')[2]
first = first and first ~= 'inf' and tonumber(first) or nil
return { #plans, first and first <= now and 1 or 0, first and first > now and string.format('%.0f', first) or '', unpack(low) }
