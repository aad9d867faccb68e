--- Changes the priority of a waiting task; it goes behind the tasks of its queue that have that priority already.
-- @args now id priority
-- @role client
-- @options by request
-- @reply `prioritised`
-- @errors NOTASK STATE

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(66)('BADARG', 'missing argument: ' .. what)
end

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_shared_tables = false

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local function namespace_open()
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(34)()
    end
    if ARGV[1] == '' then
      local time = redis.call('TIME')
      local seconds, micros = time[1], time[2]
      if #micros < 6 then
        micros = string.format('%06d', micros)
      end
      namespace_now_us = seconds * 1000000 + micros
      namespace_now = seconds .. '.' .. micros
    else
      cold(35)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(36)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(37)(floor)
    end
  end
end

local state_asleep = false

local state_roams = false

local function contract_arguments()
  local id = cold(11)(args_next('id'), 'id')
  local priority = cold(14)(args_next('priority'), 'priority')
  return id, priority
end

function cold(number)
if number < 51 then
if number < 26 then
if number < 13 then
if number < 7 then
if number < 4 then
if number < 2 then
-- 1 actions.get
return function(id)
  return cold(65)(id, 'outcome', 'created', 'eta', 'front', 'retry_eta', 'schedule')
end
else
if number < 3 then
-- 2 actions.refuse
return function(task, allowed)
  return 'STATE', 'the task is ' .. task.status .. '; this is for one that is ' .. allowed
end
else
-- 3 actions.entered
return function(status, updated, front)
  return not (status == 'pending' and front) and tonumber(updated) or 0
end
end
end
else
if number < 5 then
-- 4 actions.seek
return function(task, spec)
  spec.lists, spec.entries = spec.lists or {}, spec.entries or 0
  if task.ties then
    cold(18)(task)
    spec.entries = spec.entries + 400 + 100 * #cold(91)(task.tags)
  end
  if task.status == 'scheduled' or task.status == 'waiting' or task.rank then
    return
  end
  local list = cold(38)(task.status .. '_tasks', task.queue)
  local known = spec.lists[list] or { length = redis.call('LLEN', list) }
  spec.lists[list] = known
  if known.length <= 100 then
    spec.entries = spec.entries + known.length
    return
  end
  for direction = -1, 1, 2 do
    local at = redis.call('LPOS', list, task.id, 'RANK', direction, 'MAXLEN', 500)
    if at then
      task.from_end = direction
      spec.entries = spec.entries + (direction == 1 and at or known.length - at)
      return
    end
  end
  if not known.middle then
    local middle = redis.call('LINDEX', list, math.floor(known.length / 2))
    known.middle = cold(3)(
      unpack(redis.call('HMGET', cold(38)('task', middle), 'status', 'updated', 'front')))
  end
  local own = cold(3)(task.status, task.since, task.extra[4])
  task.from_end = own <= known.middle and -1 or 1
  spec.entries = spec.entries + known.length / 2
end
else
if number < 6 then
-- 5 actions.prioritise
return function(task, spec)
  if not cold(99)(task.status) then
    return cold(2)(task, 'waiting, scheduled or pending')
  elseif task.ties then
    cold(18)(task)
  end
  if tonumber(task.priority or 0) == tonumber(spec.priority) then
    return
  end
  task.to = 'prioritised'
  cold(96)(task)
  cold(7)(task, { priority = spec.priority, fair_key = task.fair_key, needs = task.needs,
    shared = task.shared, weight = task.weight, solo = task.solo, limited = task.limited }, spec)
end
else
-- 6 actions.do_prioritise
return function(task, spec)
  redis.call('HSET', task.key, 'priority', spec.priority, 'ties', 'r' .. string.gsub(task.ties or '', 'r', ''))
  cold(8)(task, spec)
  cold(98)(task, 'edit', spec.by, 'priority', 'prioritise')
end
end
end
end
else
if number < 10 then
if number < 8 then
-- 7 actions.plan_place
return function(task, fresh, spec)
  local queue = task.queue
  task.fresh, fresh.id, fresh.queue, fresh.ranked = fresh, task.id, queue, true
  if task.foreign then
    cold(41)('ZCARD', cold(38)('tasks', queue))
  end
  if task.status == 'scheduled' then
    task.at = redis.call('ZSCORE', cold(40)(cold(38)('scheduled_tasks', queue)), task.id)
    cold(41)('ZCARD', cold(38)('scheduled_lane_tasks', queue))
  elseif task.status == 'pending' then
    cold(4)(task, spec)
    if not task.rank then
      cold(41)('LLEN', cold(38)('pending_tasks', queue))
    end
    cold(59)(fresh)
    if task.rank and (task.fair_key ~= fresh.fair_key or cold(48)(task) ~= cold(48)(fresh)) then
      cold(59)(task)
      if task.fair_key then
        cold(41)('ZCARD', cold(20)(queue, task.fair_key, cold(51)(queue, cold(48)(fresh))))
      end
    end
    if task.fair_key or fresh.fair_key or cold(80)(queue, 'concurrency') then
      cold(90)(task)
    end
  end
end
else
if number < 9 then
-- 8 actions.do_place
return function(task, spec)
  local fresh = task.fresh
  if task.foreign then
    redis.call('ZADD', cold(38)('tasks', task.queue), task.extra[2] or '0', task.id)
  end
  if task.at then
    redis.call('ZADD', cold(38)('scheduled_lane_tasks', task.queue), task.at, task.id)
    redis.call('ZREM', cold(38)('scheduled_tasks', task.queue), task.id)
  end
  if task.status ~= 'pending' then
    return
  end
  if task.rank and fresh.place then
    fresh.rank = task.rank
    if task.fair_key ~= fresh.fair_key or cold(48)(task) ~= cold(48)(fresh)
      or task.fair_key and cold(60)(task) ~= cold(60)(fresh) then
      do
        local task = fresh
        local queue, score = task.queue, -tonumber(task.priority or 0)
        local number = cold(52)(queue, cold(48)(task), 1)
        if task.fair_key then
          if task.turn then
            redis.call('HSETNX', cold(38)('turns', queue), task.fair_key,
              cold(21)(math.min(task.turn, namespace_now_us)))
          end
          redis.call('ZADD', cold(20)(queue, task.fair_key, number), score, cold(60)(task))
          cold(24)(queue, task.fair_key, number)
        else
          redis.call('ZADD', cold(19)(queue, number), score, task.rank .. ' ' .. task.id)
        end
      end
      do
        local task, to = task, ''
        local queue = task.queue
        local class = cold(48)(task)
        local number = cold(50)(queue, class)
        if task.fair_key then
          redis.call('ZREM', cold(20)(queue, task.fair_key, number), cold(60)(task))
          if cold(87)(task, to) then
            cold(31)(task)
          end
          cold(25)(queue, task.fair_key)
        else
          redis.call('ZREM', cold(19)(queue, number), task.rank .. ' ' .. task.id)
          if task.limited and cold(87)(task, to) then
            cold(31)(task)
          end
        end
        cold(52)(queue, class, -1)
      end
    end
  else
    cold(61)(fresh)
    if task.rank then
      cold(63)(task, '')
      redis.call('HSET', task.key, 'rank', fresh.rank)
    else
      redis.call('LREM', cold(38)('pending_tasks', task.queue), task.from_end or -1, task.id)
    end
  end
  spec.wakes = task.wakes and task.queue or spec.wakes
end
else
-- 9 actions.run
return function(act, tasks, spec)
  cold(45)()
  for _, task in ipairs(tasks) do
    act(task, spec)
  end
  if spec.wakes then
    do
      local queue = spec.wakes
      local others = namespace_shared_tables and namespace_shared_tables.asleep
      if state_asleep == queue or others and others[queue] then
        redis.call('LPUSH', namespace_prefix .. 'wake_' .. queue, '1')
        state_asleep = false
        if others then
          others[queue] = nil
        end
      end
      if state_roams then
        do
          local queue = queue
          local ready = namespace_prefix .. 'ready'
          if not namespace_declared or cold(44)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(89)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
end
end
else
if number < 11 then
-- 10 actions.one
return function(id, plan, act, spec)
  local task = cold(1)(id)
  local code, text = plan(task, spec)
  if code then
    cold(66)(code, text)
  end
  if task.to then
    cold(16)()
    local before, after = task.status, task.to
    if after == 'prioritised' then
      before, after = task.priority or '0', spec.priority
    elseif after == 'moved' then
      before, after = task.queue, spec.queue
    end
    cold(9)(act, { task }, spec)
    cold(17)(spec.by, spec.what, 'task', id, before, after, spec.reason)
  end
  return task
end
else
if number < 12 then
-- 11 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(66)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 12 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(66)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
end
end
else
if number < 19 then
if number < 16 then
if number < 14 then
-- 13 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(66)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(66)('BADARG', 'an option is given twice')
    end
    found[name] = cold(100)(name, value)
    if found[name] == nil then
      cold(66)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
if number < 15 then
-- 14 args.priority
return function(value, what)
  if #value > 5 or not string.find(value, '^%-?%d+$') or math.abs(tonumber(value)) > 1000 then
    cold(66)('BADARG', what .. ' must be a whole number from ' .. (-1000) .. ' to '
      .. 1000)
  end
  return string.format('%d', tonumber(value))
end
else
-- 15 audit.key
return function()
  return namespace_prefix .. 'audit'
end
end
end
else
if number < 17 then
-- 16 audit.plan
return function()
  cold(41)('XLEN', cold(15)())
end
else
if number < 18 then
-- 17 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(15)(), 'MAXLEN', '~', cold(80)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
else
-- 18 claims.load
return function(task)
  if task.bound then
    return
  end
  if not string.find(task.ties, '[^wdgoa]') then
    task.bound, task.tracked = true, string.find(task.ties, 'o', 1, true)
    task.graph = string.find(task.ties, 'g', 1, true)
      and redis.call('HGET', namespace_prefix .. 'task_' .. task.id, 'graph') or nil
    return
  end
  local names = { 'priority', 'fair_key', 'weight', 'needs', 'rank', 'unique', 'till', 'tags', 'own_lease', 'solo',
    'graph', 'end_by', 'shared' }
  local v = redis.call('HMGET', namespace_prefix .. 'task_' .. task.id,
    'priority', 'key', 'weight', 'needs', 'rank', 'unique', 'unique_until', 'tags', 'own_lease', 'solo',
    'graph', 'deadline', 'limits')
  do
    local task = task
    task.bound = true
    task.ranked = string.find(task.ties, 'r', 1, true) and true
    task.limited = string.find(task.ties, 'p', 1, true) and true
    task.tracked = string.find(task.ties, 'o', 1, true)
  end
  for i = 1, #names do
    if v[i] then
      task[names[i]] = v[i]
    end
  end
end
end
end
end
else
if number < 22 then
if number < 20 then
-- 19 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
else
if number < 21 then
-- 20 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
else
-- 21 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
end
end
else
if number < 24 then
if number < 23 then
-- 22 fairness.front_rank
return function(us)
  return '-' .. cold(21)(9007199254740991 - us)
end
else
-- 23 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
end
else
if number < 25 then
-- 24 fairness.refresh
return function(queue, key, number)
  local entries, field = cold(38)('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(20)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(28)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(23)(served) > cold(23)(rank) then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', cold(38)('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = cold(19)(queue, number), nil
  if wanted then
    local score
    score, rank = string.match(wanted, '^(%S+) (%S+)$')
    redis.call('ZADD', ranked, score, rank .. ' /' .. key)
    redis.call('HSET', entries, field, wanted)
  else
    redis.call('HDEL', entries, field)
  end
  local former = current and string.match(current, ' (%S+)$')
  if former and former ~= rank then
    redis.call('ZREM', ranked, former .. ' /' .. key)
  end
end
else
-- 25 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(49)(queue)) do
    cold(24)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(20)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', cold(38)('places', queue), 'k:' .. key) then
    redis.call('HDEL', cold(38)('turns', queue), key)
    redis.call('ZREM', cold(38)('delayed', queue), key)
  end
end
end
end
end
end
end
else
if number < 38 then
if number < 32 then
if number < 29 then
if number < 27 then
-- 26 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
else
if number < 28 then
-- 27 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', cold(38)('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(80)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(80)(queue, 'key_rate'), cold(81)(queue, 'key_rate')
end
else
-- 28 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(27)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', cold(38)('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(30)(cold(26)(queue, key), rate, since)
end
end
end
else
if number < 30 then
-- 29 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
else
if number < 31 then
-- 30 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(29)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
-- 31 limits.take
return function(task)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held = cold(38)('places', queue)
  redis.call('HSET', held, 'a:' .. task.id .. ' ' .. task.issue,
    weight .. ' ' .. (key or '') .. (task.shared and ' ' .. task.shared or ''))
  if task.shared then
    cold(86)(task.shared)
  end
  if weight > 1 then
    redis.call('HINCRBY', held, 'extra', weight - 1)
  end
  if key then
    local _, rate = cold(27)(queue, key)
    redis.call('HINCRBY', held, 'k:' .. key, weight)
    redis.call('HSET', cold(38)('turns', queue), key, cold(21)(namespace_now_us))
    cold(32)(cold(26)(queue, key), rate, string.format('%.0f', namespace_now_us))
  end
end
end
end
end
else
if number < 35 then
if number < 33 then
-- 32 limits.record_start
return function(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
    redis.call('LTRIM', starts, 0, number - 1)
    redis.call('EXPIRE', starts, 2 * seconds + 60)
  end
end
else
if number < 34 then
-- 33 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 34 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(66)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(66)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
end
else
if number < 36 then
-- 35 namespace.use_test_time
return function(now)
  namespace_now_us = cold(12)(now or cold(66)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(66)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(33)(namespace_now_us)
end
else
if number < 37 then
-- 36 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(33)(namespace_now_us)
end
else
-- 37 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
end
end
end
else
if number < 44 then
if number < 41 then
if number < 39 then
-- 38 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
if number < 40 then
-- 39 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
-- 40 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
end
end
else
if number < 42 then
-- 41 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(40)(key)
  end
  return redis.call(command, key)
end
else
if number < 43 then
-- 42 namespace.require_settled_slot
return function()
  cold(40)(namespace_prefix .. 'unmoved')
end
else
-- 43 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(66)(cold(68)())
  end
end
end
end
end
else
if number < 47 then
if number < 45 then
-- 44 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
if number < 46 then
-- 45 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(78)()
  if namespace_declared then
    cold(46)(first, ...)
  end
end
else
-- 46 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(43)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(78)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
end
end
else
if number < 49 then
if number < 48 then
-- 47 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
end
else
-- 48 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
end
else
if number < 50 then
-- 49 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', cold(38)('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
else
-- 50 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', cold(38)('needs', queue), wanted) or '', '^%d+')
end
end
end
end
end
end
end
else
if number < 76 then
if number < 63 then
if number < 57 then
if number < 54 then
if number < 52 then
-- 51 needs.plan
return function(queue, wanted)
  local number, given = cold(50)(queue, wanted), cold(39)('needs')[queue] or {}
  if number or given[wanted] then
    return number or given[wanted]
  end
  local taken = {}
  for _, other in ipairs(cold(49)(queue)) do
    taken[other] = true
  end
  for _, other in pairs(given) do
    taken[other] = true
  end
  number = 1
  while taken[tostring(number)] do
    number = number + 1
  end
  given[wanted], cold(39)('needs')[queue] = tostring(number), given
  return given[wanted]
end
else
if number < 53 then
-- 52 needs.count
return function(queue, wanted, by)
  if not wanted then
    return ''
  end
  local known = cold(38)('needs', queue)
  local number, count = string.match(redis.call('HGET', known, wanted) or '', '^(%d+) (%d+)$')
  if not number then
    number, count = cold(51)(queue, wanted), 0
  end
  count = count + by
  if count > 0 then
    redis.call('HSET', known, wanted, number .. ' ' .. count)
  else
    redis.call('HDEL', known, wanted)
  end
  return number
end
else
-- 53 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
end
end
else
if number < 55 then
-- 54 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(53)(one)
  end
  return set
end
else
if number < 56 then
-- 55 patterns.matches
return function(one, name)
  if one.text then
    return one.text == name
  end
  local parts = one.parts
  local first, last = parts[1], parts[#parts]
  local at, stop = #first + 1, #name - #last
  if stop < #first or string.sub(name, 1, #first) ~= first or string.sub(name, stop + 1) ~= last then
    return false
  end
  for i = 2, #parts - 1 do
    local _, to = string.find(name, parts[i], at, true)
    if not to or to > stop then
      return false
    end
    at = to + 1
  end
  return true
end
else
-- 56 patterns.chooser
return function(set)
  local matches, out, wanted = cold(55), set.out, set.wanted
  return function(queue)
    for i = 1, #out do
      if matches(out[i], queue) then
        return nil
      end
    end
    for nth = 1, #wanted do
      if matches(wanted[nth], queue) then
        return nth
      end
    end
  end
end
end
end
end
else
if number < 60 then
if number < 58 then
-- 57 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
else
if number < 59 then
-- 58 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(57)(text)
    if cold(56)(cold(54)(text))(queue) and (not namespace_declared or cold(44)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
else
-- 59 ranking.plan
return function(task)
  local queue, probe = task.queue, cold(41)
  if task.limited then
    probe('HLEN', cold(38)('places', queue))
  end
  if task.ranked then
    cold(42)()
    probe('ZCARD', cold(38)('lane_tasks', queue))
    local numbers = task.fair_key and cold(49)(queue) or {}
    local class = cold(48)(task)
    numbers[#numbers + 1] = class and cold(51)(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', cold(19)(queue, number))
      if task.fair_key then
        probe('ZCARD', cold(20)(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', cold(38)('turns', queue))
    probe('HLEN', cold(38)('limits', queue))
    probe('ZCARD', cold(38)('delayed', queue))
    probe('LLEN', cold(26)(queue, task.fair_key))
    cold(80)(queue, 'key_rate')
  end
end
end
end
else
if number < 61 then
-- 60 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
else
if number < 62 then
-- 61 ranking.add
return function(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace_meta, field) or 0) + 1, namespace_now_us)
  redis.call('HSET', namespace_meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and cold(22)(last) or cold(21)(last)
  redis.call('ZADD', cold(38)('lane_tasks', queue), -tonumber(task.priority or 0), task.rank .. ' ' .. task.id)
  do
    local task = task
    local queue, score = task.queue, -tonumber(task.priority or 0)
    local number = cold(52)(queue, cold(48)(task), 1)
    if task.fair_key then
      if task.turn then
        redis.call('HSETNX', cold(38)('turns', queue), task.fair_key,
          cold(21)(math.min(task.turn, namespace_now_us)))
      end
      redis.call('ZADD', cold(20)(queue, task.fair_key, number), score, cold(60)(task))
      cold(24)(queue, task.fair_key, number)
    else
      redis.call('ZADD', cold(19)(queue, number), score, task.rank .. ' ' .. task.id)
    end
  end
  redis.call('HSET', namespace_prefix .. 'task_' .. task.id, 'rank', task.rank)
end
else
-- 62 ranking.remove_from_index
return function(queue, member)
  local all = cold(38)('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace_meta, 'lanes:' .. queue)
  end
end
end
end
end
end
else
if number < 69 then
if number < 66 then
if number < 64 then
-- 63 ranking.remove
return function(task, to)
  cold(62)(task.queue, task.rank .. ' ' .. task.id)
  do
    local task, to = task, to
    local queue = task.queue
    local class = cold(48)(task)
    local number = cold(50)(queue, class)
    if task.fair_key then
      redis.call('ZREM', cold(20)(queue, task.fair_key, number), cold(60)(task))
      if cold(87)(task, to) then
        cold(31)(task)
      end
      cold(25)(queue, task.fair_key)
    else
      redis.call('ZREM', cold(19)(queue, number), task.rank .. ' ' .. task.id)
      if task.limited and cold(87)(task, to) then
        cold(31)(task)
      end
    end
    cold(52)(queue, class, -1)
  end
  redis.call('HDEL', namespace_prefix .. 'task_' .. task.id, 'rank')
end
else
if number < 65 then
-- 64 record.find
return function(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(40)(key)
  end
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'token', 'node', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  if not v[1] then
    return nil
  end
  return {
    id = id, key = key, status = v[1], queue = v[2] or '', attempt = v[3] or '0', foreign = not v[3],
    token = v[4] or '', node = v[5] or '', pid = v[6] or '', cancel = v[7], since = v[8], ties = v[9] or nil,
    recall = v[10], extra = { unpack(v, 11, 10 + select('#', ...)) },
  }
end
else
-- 65 record.get
return function(id, ...)
  local task = cold(64)(id, ...)
  if not task or task.queue == '' then
    cold(43)(namespace_prefix .. 'task_' .. id)
    cold(66)('NOTASK', 'no task has this id: it was never submitted, or was deleted, or removed by retention')
  end
  return task
end
end
end
else
if number < 67 then
-- 66 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(67)() then
    code, text = cold(68)()
  end
  error({ err = code .. ' ' .. text })
end
else
if number < 68 then
-- 67 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 68 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
end
end
else
if number < 72 then
if number < 70 then
-- 69 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(68)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
if number < 71 then
-- 70 requests.key
return function()
  return namespace_prefix .. 'requests'
end
else
-- 71 requests.find
return function(command, request)
  if not request then
    return false
  end
  local own = cold(39)('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', cold(40)(cold(70)()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    return true, cold(74)(found[1])
  end
  return false
end
end
end
else
if number < 74 then
if number < 73 then
-- 72 requests.keep
return function(answer)
  local own = cold(39)('request')
  if not own.begun then
    return answer
  end
  local key, first, last = cold(70)(), own.first, own.last + 1
  local known = last > 1 and first
  cold(47)(key)
  redis.call('HSET', key, own.field, cold(73)(answer), 'last', string.format('%.0f', last),
    string.format('#%.0f', last), namespace_now .. ' ' .. own.field)
  for _ = 1, 10 do
    local number = string.format('#%.0f', first)
    local at, field = string.match(redis.call('HGET', key, number) or '', '^(%S+) (.*)$')
    if first == last or at and first > last - 10000
      and tonumber(at) * 1000000 > namespace_now_us - 3600000000 then
      break
    end
    redis.call('HDEL', key, number, field or '')
    first = first + 1
  end
  if first ~= known then
    redis.call('HSET', key, 'first', string.format('%.0f', first))
  end
  redis.call('EXPIRE', key, 86400)
  return answer
end
else
-- 73 requests.text
return function(answer)
  if not answer then
    return ''
  elseif type(answer) == 'string' then
    return '"' .. answer
  end
  local parts, times = {}, 1
  for i, part in ipairs(answer) do
    if part == answer[i + 1] then
      times = times + 1
    else
      parts[#parts + 1] = (type(part) == 'number' and '#' or '') .. part .. (times > 1 and '*' .. times or '')
      times = 1
    end
  end
  return table.concat(parts, ' ')
end
end
else
if number < 75 then
-- 74 requests.read
return function(text)
  if text == '' then
    return false
  elseif string.sub(text, 1, 1) == '"' then
    return string.sub(text, 2)
  end
  local answer = {}
  for part, times in string.gmatch(text, '([^ *]+)%*?(%d*)') do
    local number = string.match(part, '^#(%d+)$')
    for _ = 1, tonumber(times) or 1 do
      answer[#answer + 1] = tonumber(number) or part
    end
  end
  return answer
end
else
-- 75 rights.denied
return function(names, role)
  local may, key = redis.acl_check_cmd, namespace_prefix .. role
  if not may then
    return nil
  end
  for _, name in ipairs(names) do
    if not may(name, name == 'XINFO' and 'STREAM' or key, key, key) then
      return name
    end
  end
end
end
end
end
end
end
else
if number < 88 then
if number < 82 then
if number < 79 then
if number < 77 then
-- 76 rights.refuse
return function(name)
  local role = string.match('CLIENT', '^%u+$')
  if role and not cold(75)({ name }, 'meta') then
    cold(66)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(66)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
if number < 78 then
-- 77 rights.check
return function(names)
  local name = cold(75)(names, 'CLIENT')
  if name then
    cold(76)(name)
  end
end
else
-- 78 rights.require
return function()
  cold(77)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HINCRBY', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LPUSH', 'LREM', 'LTRIM', 'XADD', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
end
end
else
if number < 80 then
-- 79 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
if number < 81 then
-- 80 settings.get
return function(queue, name)
  local texts = cold(39)('settings')
  local known = texts[queue] or redis.call('HMGET', namespace_meta, 'settings:' .. queue, 'settings')
  texts[queue] = known
  if known[name] == nil then
    local value_1_1
    do
      local own, common, name = known[1], known[2], name
      local pattern = ' ' .. name .. '=(%S+)'
      value_1_1 = own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
        or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
    end
    local value = value_1_1
    known[name] = value or false
  end
  return known[name] or nil
end
else
-- 81 settings.since
return function(queue, name)
  cold(80)(queue, name)
  local own, common = unpack(cold(39)('settings')[queue], 1, 2)
  local since = cold(79)(cold(79)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
end
end
end
else
if number < 85 then
if number < 83 then
-- 82 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
if number < 84 then
-- 83 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
else
-- 84 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
end
end
else
if number < 86 then
-- 85 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
if number < 87 then
-- 86 shares.take
return function(set)
  local now = string.format('%.0f', namespace_now_us)
  for _, part in ipairs(cold(85)(set)) do
    redis.call('HINCRBY', cold(83)(), part.name, part.weight)
    local rate = string.match(redis.call('HGET', cold(82)(), part.name) or '', ' (%d+/%d+)$')
    cold(32)(cold(84)(part.name), rate, now)
  end
end
else
-- 87 state.takes
return function(task, to)
  return to == 'reserved' or to == 'started' and task.status == 'pending'
end
end
end
end
end
else
if number < 94 then
if number < 91 then
if number < 89 then
-- 88 state.plan_wake
return function(queue)
  local asleep = cold(39)('asleep')
  asleep[queue] = cold(41)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
else
if number < 90 then
-- 89 state.rouse
return function(queue)
  local left = cold(58)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
else
-- 90 state.plan_left
return function(task)
  local queue = task.queue
  if cold(41)('LLEN', cold(38)('pending_tasks', queue))
    + cold(41)('ZCARD', cold(38)('lane_tasks', queue)) > 1 then
    cold(88)(queue)
    task.wakes = true
  end
end
end
end
else
if number < 92 then
-- 91 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
else
if number < 93 then
-- 92 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
else
-- 93 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
end
end
end
else
if number < 97 then
if number < 95 then
-- 94 tracks.has
return function(task)
  return task.ties and string.find(task.ties, 'o', 1, true)
end
else
if number < 96 then
-- 95 tracks.plan
return function()
  cold(41)('XLEN', cold(93)())
  cold(41)('ZCARD', cold(92)())
end
else
-- 96 tracks.plan_note
return function(task)
  if cold(94)(task) then
    cold(95)()
  end
end
end
end
else
if number < 99 then
if number < 98 then
-- 97 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(93)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(93)(), '')
end
else
-- 98 tracks.note
return function(task, what, by, text, why)
  if cold(94)(task) then
    cold(97)(task, namespace_now, what, task.status, task.status, by, why or what, text)
  end
end
end
else
if number < 100 then
-- 99 contract.is_waiting
return function(status)
  return status == 'waiting' or status == 'scheduled' or status == 'pending'
end
else
-- 100 contract.option
return function(name, value)
  if name == 'by' or name == 'request' then
    return cold(11)(value, name)
  end
end
end
end
end
end
end
end
end
end

local function command()
  namespace_open()
  local id, priority = contract_arguments()
  local options = cold(13)()
  local done, answer = cold(71)('prioritise', options.request)
  if done then
    return answer
  end

  cold(10)(id, cold(5), cold(6), {
    priority = priority, by = options.by, what = 'prioritise',
  })
  return cold(72)('prioritised')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(69)(answer)
