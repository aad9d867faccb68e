-- Schedules create tasks again and again. A schedule has fire times, which are points in time in whole seconds. It
-- creates one task for each fire time, with the id `NAME@SECONDS`.
--
-- The fire times of `every` are computed here. Clients supply the fire times of cron, some of them ahead of time.
-- `done` is the time up to which all fire times are handled. No fire time is handled twice: `done` only grows, except
-- when a schedule is resumed; the floor of the clock only grows; and a task that already exists is not created again.
local schedules = {}

-- Maximum number of schedules in a namespace.
schedules.MOST = 100000

-- Seconds by which a fire time may be late with the policy `skip`, by default.
schedules.LATE = 60

-- Maximum number of tasks that a schedule creates in one call.
schedules.BATCH = 100

-- Maximum number of unfinished tasks that a schedule remembers.
schedules.TASKS = 64

function schedules.name(value)
  if #value > contract.SCHEDULE_NAME_HIGH or not string.find(value, args.PLAIN) then
    reply.fail('BADNAME', 'name must be 1 to ' .. contract.SCHEDULE_NAME_HIGH .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end

-- Checks `every SECONDS OFFSET` or `cron ZONE MINUTE HOUR DAY MONTH WEEKDAY`. Returns the normalised text and, for
-- `every`, its two numbers.
function schedules.recurrence(value)
  local every, offset = string.match(value, '^every (%d+) ?(%d*)$')
  if every and #every <= 9 and #offset <= 9 and (offset ~= '' or string.sub(value, -1) ~= ' ') then
    every, offset = tonumber(every), tonumber(offset ~= '' and offset or 0)
    if every <= contract.EVERY_HIGH and offset < every then
      return string.format('every %d %d', every, offset), every, offset
    end
  end
  if #value <= contract.RECURRENCE_HIGH and string.find(value,
    '^cron [%w/_+-]+ [%w*,/#-]+ [%w*,/#-]+ [%w*,/#-]+ [%w*,/#-]+ [%w*,/#-]+$') then
    return value
  end
  reply.fail('BADARG', 'the recurrence must be `every SECONDS OFFSET` (1 to ' .. contract.EVERY_HIGH
    .. ' seconds, an offset below that), or `cron ZONE` and five fields, in ' .. contract.RECURRENCE_HIGH
    .. ' characters')
end

-- Reads the fire times of a call: whole seconds, ascending.
function schedules.fire_times(count)
  local fire_times = {}
  for i = 1, count do
    fire_times[i] = args.integer(args.next('slot'), contract.SLOT_LOW, contract.SLOT_HIGH, 'slot')
    if i > 1 and fire_times[i] <= fire_times[i - 1] then
      reply.fail('BADARG', 'each slot must be later than the one before')
    end
  end
  return fire_times
end

-- Returns the fields that define a schedule. Schedules are equal if these fields are equal.
function schedules.definition()
  return { 'recurrence', 'queue', 'parameters', 'options', 'overlap', 'missed', 'late', 'start', 'end', 'times' }
end

-- Returns a schedule as read from its hash, with numbers parsed, or nil.
function schedules.find(name)
  local key = namespace.declare(namespace.key('schedule', name))
  local flat, found = redis.call('HGETALL', key), {}
  for i = 1, #flat, 2 do
    found[flat[i]] = flat[i + 1]
  end
  if not found.recurrence then
    return nil
  end
  found.name, found.key = name, key
  return schedules.read(found)
end

function schedules.read(schedule)
  schedule.every, schedule.offset = select(2, schedules.recurrence(schedule.recurrence))
  schedule.list = {}
  for fire_time in string.gmatch(schedule.slots or '', '%d+') do
    schedule.list[#schedule.list + 1] = tonumber(fire_time)
  end
  schedule.unfinished = {}
  for id in string.gmatch(schedule.tasks or schedule.last_task or '', '%S+') do
    schedule.unfinished[#schedule.unfinished + 1] = id
  end
  return schedule
end

function schedules.get(name)
  local schedule = schedules.find(name)
  if not schedule then
    namespace.check_slot(namespace.key('schedule', name))
    reply.fail('NOSCHEDULE', 'no schedule has this name: it never existed, or was removed')
  end
  return schedule
end

function schedules.probe()
  namespace.probe('ZCARD', namespace.prefix .. 'schedules')
  namespace.probe('ZCARD', namespace.prefix .. 'low_schedules')
end

-- Returns the last known fire time of a cron schedule, or the time up to which all fire times are handled, whichever is
-- later.
function schedules.tail(schedule)
  return math.max(schedule.list[#schedule.list] or 0, tonumber(schedule.done))
end

-- Returns the fire times of a list that are still ahead, within the bounds of the schedule.
function schedules.ahead(schedule)
  local ahead, done = {}, tonumber(schedule.done)
  local first, last = tonumber(schedule.start or 0), tonumber(schedule['end'] or math.huge)
  for _, fire_time in ipairs(schedule.list) do
    if fire_time > done and fire_time >= first and fire_time <= last then
      ahead[#ahead + 1] = fire_time
    end
  end
  return ahead
end

-- Returns the first fire time of `every` that is not before a time.
function schedules.from(schedule, time)
  return math.ceil((time - schedule.offset) / schedule.every) * schedule.every + schedule.offset
end

-- Computes the next fire time, whether the schedule has ended, and whether it needs more fire times.
function schedules.plan_next(schedule)
  local done, last = tonumber(schedule.done), tonumber(schedule['end'] or math.huge)
  local tail = schedules.tail(schedule)
  local fire_time
  if schedule.every then
    fire_time = math.max(schedules.from(schedule, tonumber(schedule.start or 0)),
      math.floor((done - schedule.offset) / schedule.every + 1) * schedule.every + schedule.offset)
    fire_time = fire_time <= last and fire_time or nil
  else
    schedule.list = schedules.ahead(schedule)
    schedule.final = schedule.final or tail >= last and '1' or nil
    fire_time = schedule.list[1]
  end
  local over = schedule.times and tonumber(schedule.made) >= tonumber(schedule.times)
    or not fire_time and (schedule.every or schedule.final)
  schedule.ended = over and (schedule.ended or namespace.now) or nil
  schedule.next = not over and not schedule.paused and fire_time and string.format('%.0f', fire_time) or nil
  schedule.held = nil
  schedule.slots = schedule.list[1] and table.concat(schedule.list, ' ') or nil
  schedule.wants_slots_after = not schedule.every and not over and not schedule.paused and not schedule.final
    and #schedule.list < contract.FEW_SLOTS and string.format('%.6f', tail) or nil
end

-- Writes these fields of a settled schedule, and the fields that every call changes. The write is refused when memory
-- is full.
function schedules.write(schedule, ...)
  local set, gone = {}, {}
  for _, field in ipairs({ 'done', 'made', 'skipped', 'passed', 'next', 'held', 'slots', 'final', 'ended', ... }) do
    if schedule[field] then
      set[#set + 1], set[#set + 2] = field, schedule[field]
    else
      gone[#gone + 1] = field
    end
  end
  redis.call('HSET', schedule.key, unpack(set))
  redis.call('HDEL', schedule.key, unpack(gone)) -- at least `next` or `ended`
  redis.call('ZADD', namespace.prefix .. 'schedules', schedule.held or schedule.next or '+inf', schedule.name)
  local low = namespace.prefix .. 'low_schedules'
  if schedule.wants_slots_after then
    redis.call('ZADD', low, schedule.wants_slots_after, schedule.name)
  else
    redis.call('ZREM', low, schedule.name)
  end
end

-- Returns `paused`, `ended`, `dry` (a client must supply the next fire times), or `active`.
function schedules.state(paused, ended, coming)
  return paused and 'paused' or ended and 'ended' or coming and 'active' or 'dry'
end

-- Escapes a value for the text of the options, which are separated by spaces. `plain` reverses this.
function schedules.quoted(value)
  return (string.gsub(value, '[%s%c%%]', function(char)
    return string.format('%%%02X', string.byte(char))
  end))
end

function schedules.plain(text)
  return (string.gsub(text, '%%(%x%x)', function(code)
    return string.char(tonumber(code, 16))
  end))
end

-- Returns the names and values of a text, `name=value name=value`.
function schedules.values(text)
  local values = {}
  -- The text is read word by word: a single pattern for name and value searches for a `=` from each byte on.
  for word in string.gmatch(text, '%S+') do
    local name, value = string.match(word, '^([^=]+)=(.*)$')
    if name then
      values[name] = schedules.plain(value)
    end
  end
  return values
end

-- Returns the options of a template, checked like the options of `submit`.
function schedules.options(schedule)
  local options = { schedule = schedule.name }
  for name, value in pairs(schedules.values(schedule.options)) do
    options[name] = contract.task_option(name, value)
  end
  if (schedule.overlap == 'queue' or schedule.overlap == 'cancel') and options.unique_policy ~= 'latest' then
    options.exclusive = 'schedule:' .. schedule.name
  end
  return options
end

-- Returns the key under which no two tasks of a schedule run at the same time, or nil.
function schedules.exclusive(schedule, overlap)
  if overlap ~= 'queue' and overlap ~= 'cancel' then
    return nil
  end
  local options = ' ' .. schedule.options
  local latest = string.find(options, ' unique_policy=latest')
  return latest and string.match(options, ' unique=(%S+)') or 'schedule:' .. schedule.name
end

-- Stores the last task of a schedule. If the schedule remembers too many tasks, it forgets the oldest task.
function schedules.note(schedule, id)
  local unfinished = schedule.unfinished
  for i, other in ipairs(unfinished) do
    if other == id then
      table.remove(unfinished, i)
      break
    end
  end
  unfinished[#unfinished + 1] = id
  if #unfinished > schedules.TASKS then
    table.remove(unfinished, 1)
  end
  schedule.last_task, schedule.tasks = id, unfinished[2] and table.concat(unfinished, ' ')
end

-- Returns the reason why a fire time is held back.
function schedules.beside(schedule, task)
  return string.format('STATE its task %s is %s %s: a new one waits until that has finished', task.id, task.status,
    task.queue ~= schedule.queue and 'in another queue' or 'and was made to run beside others')
end

-- Prepares the retry of a task of a schedule, so that the schedule remembers the task. If the schedule lets no two
-- tasks run at the same time, the task gets the key for that if possible.
function schedules.again(task, name)
  local recurrence, queue, overlap, options, tasks, last = unpack(redis.call('HMGET',
    namespace.declare(namespace.key('schedule', name)),
    'recurrence', 'queue', 'overlap', 'options', 'tasks', 'last_task'))
  if not recurrence then
    return
  end
  local exclusive = schedules.exclusive({ name = name, options = options }, overlap)
  local again = namespace.shared('again')
  again[name] = again[name] or schedules.read({ recurrence = recurrence, tasks = tasks, last_task = last })
  task.again = again[name]
  task.again.key = namespace.key('schedule', name)
  if exclusive and queue == task.queue then
    task.flags = task.flags or ''
    holdings.load(task)
    if not task.fair_key and not task.exclusive then
      task.fair_key, task.exclusive, task.ranked, task.limited = exclusive, '1', true, true
      task.flags = 'rp' .. string.gsub(task.flags, '[rp]', '')
      task.bind = { 'key', exclusive, 'exclusive', '1', 'flags', task.flags }
    end
  end
  task.flags = task.flags ~= '' and task.flags or nil
end

-- Adds a retried task to the unfinished tasks that its schedule remembers, if there is room.
function schedules.remember(task)
  local schedule = task.again
  for _, id in ipairs(schedule.unfinished) do
    if id == task.id then
      return
    end
  end
  if #schedule.unfinished < schedules.TASKS then
    table.insert(schedule.unfinished, 1, task.id) -- before the last task
    redis.call('HSET', schedule.key, 'tasks', table.concat(schedule.unfinished, ' '))
  end
end

-- Advances `done`. Returns the due fire times, the earliest first, and the number of skipped fire times. A fire time is
-- skipped if it is too late, or if a later fire time replaces it.
function schedules.due(schedule, room)
  local now, first = namespace.now_us / 1000000, tonumber(schedule.next)
  local last = math.min(now, tonumber(schedule['end'] or math.huge))
  local oldest = now - (tonumber(schedule.late) or schedule.missed == 'skip' and schedules.LATE or math.huge)
  local all = schedule.missed == 'all' and (schedule.overlap == 'queue' or schedule.overlap == 'allow')
  local fire_times, passed = {}, 0
  if schedule.every then
    local every, final = schedule.every, math.floor((last - schedule.offset) / schedule.every) * schedule.every
      + schedule.offset
    local from = oldest > first and math.min(schedules.from(schedule, oldest), final + every) or first
    if not all and from < final then
      from = final
    end
    passed = (from - first) / every
    for fire_time = from, math.min(final, from + (room - 1) * every), every do
      fire_times[#fire_times + 1] = fire_time
    end
    schedule.done = all and string.format('%.0f', fire_times[#fire_times] or final) or namespace.now
  else
    local known = {}
    for _, fire_time in ipairs(schedules.ahead(schedule)) do
      if fire_time <= last then
        known[#known + 1] = fire_time
      end
    end
    for i, fire_time in ipairs(known) do
      if fire_time < oldest or not all and i < #known then
        passed = passed + 1
      elseif #fire_times < room then
        fire_times[#fire_times + 1] = fire_time
      end
    end
    schedule.done = all and string.format('%.0f', fire_times[#fire_times] or known[#known]) or namespace.now
  end
  return fire_times, passed
end

-- Returns the cron schedules that need more fire times once the `changed` schedules are written: for each its name, its
-- recurrence, and the time after which it needs fire times.
function schedules.low(changed)
  local low, known = {}, {}
  local function add(name, recurrence, tail)
    low[#low + 1], low[#low + 2], low[#low + 3] = name, recurrence, string.format('%.0f', math.floor(tail))
  end
  for _, schedule in ipairs(changed) do
    known[schedule.name] = true
    if schedule.wants_slots_after then
      add(schedule.name, schedule.recurrence, schedule.wants_slots_after)
    end
  end
  local page = redis.call('ZRANGE', namespace.prefix .. 'low_schedules', 0, 99, 'WITHSCORES')
  for i = 1, #page, 2 do
    local recurrence = not known[page[i]] and redis.call('HGET', namespace.key('schedule', page[i]), 'recurrence')
    if recurrence then
      add(page[i], recurrence, page[i + 1])
    end
  end
  return low
end
