--- When a task is expected to start and to end: by its progress, from 0 to 1, and by the statistics of the last days.
-- @args now id
-- @options progress
-- @reply name and value in turn: status start end basis (`progress`, `history` or `both`) runs mean now; unknown values are empty
-- @errors NOTASK

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(42)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(19)()
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
      cold(20)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(21)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(22)(floor)
    end
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function record_find(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(24)(key)
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

local function record_get(id, ...)
  local task = record_find(id, ...)
  if not task or task.queue == '' then
    cold(25)(namespace_prefix .. 'task_' .. id)
    cold(42)('NOTASK', 'no task has this id: it was never submitted, or was deleted, or removed by retention')
  end
  return task
end

local function contract_arguments()
  local id = cold(1)(args_next('id'), 'id')
  return id
end

function cold(number)
if number < 38 then
if number < 19 then
if number < 10 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(42)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(42)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
else
if number < 4 then
-- 3 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(42)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(42)('BADARG', 'an option is given twice')
    end
    found[name] = cold(75)(name, value)
    if found[name] == nil then
      cold(42)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 4 args.fraction
return function(value, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$') or tonumber(value) > 1 then
    cold(42)('BADARG', what .. ' must be a decimal number from 0 to 1')
  end
  return tonumber(value)
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 claims.load
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
else
-- 6 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
end
else
if number < 8 then
-- 7 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
else
if number < 9 then
-- 8 fairness.front_rank
return function(us)
  return '-' .. cold(7)(9007199254740991 - us)
end
else
-- 9 fairness.list_rank
return function(updated, front)
  local us = (tonumber(updated) or -1) * 1000000
  if not (us >= 0 and us <= namespace_now_us) then
    us = namespace_now_us
  end
  return front and cold(8)(us) or cold(7)(us)
end
end
end
end
end
else
if number < 14 then
if number < 12 then
if number < 11 then
-- 10 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
else
-- 11 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
end
else
if number < 13 then
-- 12 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', namespace_key('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(47)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(47)(queue, 'key_rate'), cold(48)(queue, 'key_rate')
end
else
-- 13 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
end
end
else
if number < 16 then
if number < 15 then
-- 14 limits.allowed_at
return function(starts, rate, since, before)
  if not rate then
    return 0
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local rounds = math.floor(before / number)
  local free = cold(13)(starts, number - 1 - before % number, seconds, since) or namespace_now_us
  return math.max(free, namespace_now_us) + rounds * seconds * 1000000
end
else
-- 15 listeners.status
return function(queue, listener, keep)
  local worker = cold(74)(listener, queue)
  local silent
  if worker then
    silent = namespace_now_us - worker.at > (30 * 1000000)
  else
    local seen = redis.call('ZSCORE', namespace_key('seen', queue), listener)
    silent = seen and namespace_now_us - cold(71)(seen) >= keep
      and redis.call('LLEN', namespace_key('reserved_tasks', queue .. '_' .. listener)) == 0
  end
  if silent then
    return 'silent'
  elseif worker and worker.draining or redis.call('HEXISTS', namespace_key('orders', queue), 'l:' .. listener) == 1 then
    return 'draining'
  end
  return worker and worker.full and 'full' or 'listening'
end
end
else
if number < 17 then
-- 16 listeners.keep
return function(queue)
  return tonumber(cold(47)(queue, 'forget_after')) * 1000000
end
else
if number < 18 then
-- 17 listeners.count
return function(queue)
  local numbers, looks = { silent = 0, draining = 0, full = 0, listening = 0 }, cold(23)('looks')
  local all = redis.call('SCARD', namespace_key('listeners', queue))
  local left, keep = 2000 - (looks.done or 0), all > 0 and cold(16)(queue)
  local page = all > 0 and left > 0
    and redis.call('SSCAN', namespace_key('listeners', queue), 0, 'COUNT', left)[2] or {}
  for _, listener in ipairs(page) do
    local how = cold(15)(queue, listener, keep)
    numbers[how] = numbers[how] + 1
  end
  looks.done = (looks.done or 0) + #page
  numbers.listening = numbers.listening + math.max(0, all - #page)
  numbers.present = numbers.listening + numbers.full
  return numbers
end
else
-- 18 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
end
end
end
end
else
if number < 28 then
if number < 23 then
if number < 21 then
if number < 20 then
-- 19 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(42)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(42)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 20 namespace.use_test_time
return function(now)
  namespace_now_us = cold(2)(now or cold(42)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(42)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(18)(namespace_now_us)
end
end
else
if number < 22 then
-- 21 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(18)(namespace_now_us)
end
else
-- 22 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
end
else
if number < 25 then
if number < 24 then
-- 23 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
-- 24 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
end
else
if number < 26 then
-- 25 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(42)(cold(44)())
  end
end
else
if number < 27 then
-- 26 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
else
-- 27 needs.number
return function(queue, wanted)
  if not wanted then
    return ''
  end
  return string.match(redis.call('HGET', namespace_key('needs', queue), wanted) or '', '^%d+')
end
end
end
end
end
else
if number < 33 then
if number < 30 then
if number < 29 then
-- 28 needs.has
return function(text)
  local has = {}
  for name, number in string.gmatch(text or '', '([%w_.-]+)=?([%d.]*)') do
    has[name] = tonumber(number) or true
  end
  return has
end
else
-- 29 needs.suits
return function(has, wanted)
  for name, operator, number in string.gmatch(wanted, '([%w_.-]+)([<>=]*)([%d.]*)') do
    local own, asked = has[name], tonumber(number)
    local holds = own
    if operator ~= '' then
      holds = own and own ~= true and (operator == '>=' and own >= asked or operator == '<=' and own <= asked
        or operator == '>' and own > asked or operator == '<' and own < asked or operator == '=' and own == asked)
    end
    if not holds then
      return false
    end
  end
  return true
end
end
else
if number < 31 then
-- 30 needs.listeners
return function(queue)
  local all, found = {}, redis.call('HSCAN', namespace_key('has', queue), 0, 'COUNT', 1000)[2]
  local keep = cold(16)(queue)
  for i = 1, #found, 2 do
    local how = cold(15)(queue, found[i], keep)
    all[#all + 1] = (how == 'listening' or how == 'full') and cold(28)(found[i + 1]) or nil
  end
  return all
end
else
if number < 32 then
-- 31 needs.able
return function(queue, wanted)
  local number = 0
  for _, has in ipairs(cold(30)(queue)) do
    number = number + (cold(29)(has, wanted) and 1 or 0)
  end
  return number
end
else
-- 32 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
end
end
end
else
if number < 35 then
if number < 34 then
-- 33 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(32)(one)
  end
  return set
end
else
-- 34 patterns.matches
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
end
else
if number < 36 then
-- 35 patterns.chooser
return function(set)
  local matches, out, wanted = cold(34), set.out, set.wanted
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
else
if number < 37 then
-- 36 positions.list_order
return function(queue)
  local list = namespace_key('pending_tasks', queue)
  return { number = redis.call('LLEN', list), read = function(first, last, bare)
    local ids, ranks = {}, {}
    local page = redis.call('LRANGE', list, -last - 1, -first - 1)
    for i = #page, 1, -1 do
      ids[#ids + 1] = page[i]
      local v = bare and {} or redis.call('HMGET', namespace_prefix .. 'task_' .. page[i], 'updated', 'front')
      ranks[#ranks + 1] = not bare and cold(10)(cold(9)(v[1], v[2])) or nil
    end
    return ids, ranks
  end }
end
else
-- 37 positions.ranked_order
return function(queue, low, high, before)
  local lane = namespace_key('lane_tasks', queue)
  return { number = redis.call('ZCOUNT', lane, low, high), read = function(first, last)
    local ids, ranks = {}, {}
    for _, member in ipairs(redis.call('ZRANGE', lane, before + first, before + last)) do
      local rank, id = string.match(member, '^(%S+) (%S+)$')
      ids[#ids + 1], ranks[#ranks + 1] = id, cold(10)(rank)
    end
    return ids, ranks
  end }
end
end
end
end
end
end
end
else
if number < 57 then
if number < 47 then
if number < 42 then
if number < 40 then
if number < 39 then
-- 38 positions.count
return function(order, place, below)
  local function passed(other)
    return other < place or other == place and not below
  end
  local near = math.min(order.number, 100)
  local _, ranks = order.read(0, near - 1)
  for i, other in ipairs(near > 0 and ranks or {}) do
    if not passed(other) then
      return i - 1
    end
  end
  local low, high = near, order.number
  while low < high do
    local middle = math.floor((low + high) / 2)
    local _, found = order.read(middle, middle)
    if found[1] and passed(found[1]) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end
else
-- 39 positions.ahead
return function(task, far)
  local queue, priority = task.queue, tonumber(task.priority or 0)
  local lane = namespace_key('lane_tasks', queue)
  if task.rank then
    local ahead = redis.call('ZRANK', lane, task.rank .. ' ' .. task.id) or 0
    if priority <= 0 and ahead < far then
      local plain = cold(36)(queue)
      ahead = ahead + (priority < 0 and plain.number or cold(38)(plain, cold(10)(task.rank)))
    end
    return math.min(ahead, far)
  end
  local list = namespace_key('pending_tasks', queue)
  local at = redis.call('LPOS', list, task.id, 'RANK', -1, 'MAXLEN', far)
  if not at then
    return far
  end
  at = redis.call('LLEN', list) - 1 - at
  local urgent = redis.call('ZCOUNT', lane, '-inf', '(0')
  local level = cold(37)(queue, 0, 0, urgent)
  if level.number > 0 then
    local plain = cold(36)(queue)
    local _, ranks = plain.read(0, math.min(at, 100))
    local _, own = plain.read(at, at)
    level.number = cold(38)(level, math.max(own[1], unpack(ranks)), true)
  end
  return math.min(at + urgent + level.number, far)
end
end
else
if number < 41 then
-- 40 ranking.member
return function(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end
else
-- 41 ranking.earliest
return function(task, ahead)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held, most = namespace_key('places', queue), tonumber(cold(47)(queue, 'concurrency'))
  if task.shared and cold(61)(task)[3] then
    return nil
  end
  if most then
    local busy, extra = redis.call('ZCARD', namespace_key('leases', queue)),
      tonumber(redis.call('HGET', held, 'extra') or 0)
    if (extra > 0 or weight > 1) and busy + extra + math.min(weight, most) > most then
      return nil
    end
  end
  local free = cold(14)(cold(11)(queue), cold(47)(queue, 'rate'), cold(48)(queue, 'rate'),
    ahead)
  if key then
    local own, rate, since = cold(12)(queue, key)
    if task.solo then
      own, weight = 1, 1
    end
    local order = cold(6)(queue, key, cold(27)(queue, cold(26)(task)) or '')
    local before = task.rank and redis.call('ZRANK', order, cold(40)(task)) or 0
    if own and tonumber(redis.call('HGET', held, 'k:' .. key) or 0) + before + math.min(weight, own) > own then
      return nil
    end
    free = math.max(free, cold(14)(cold(11)(queue, key), rate, since, before))
  end
  return free
end
end
end
else
if number < 44 then
if number < 43 then
-- 42 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(43)() then
    code, text = cold(44)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 43 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
else
if number < 45 then
-- 44 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
if number < 46 then
-- 45 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(44)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 46 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
end
end
end
end
else
if number < 52 then
if number < 49 then
if number < 48 then
-- 47 settings.get
return function(queue, name)
  local texts = cold(23)('settings')
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
-- 48 settings.since
return function(queue, name)
  cold(47)(queue, name)
  local own, common = unpack(cold(23)('settings')[queue], 1, 2)
  local since = cold(46)(cold(46)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
end
else
if number < 50 then
-- 49 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
if number < 51 then
-- 50 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
else
-- 51 shares.waits_key
return function()
  return namespace_prefix .. 'shared_waits'
end
end
end
end
else
if number < 54 then
if number < 53 then
-- 52 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
else
-- 53 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
end
else
if number < 55 then
-- 54 shares.of
return function(class)
  return string.match(class, '|(.+)$')
end
else
if number < 56 then
-- 55 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
-- 56 shares.read
return function(known, parts)
  local names = {}
  for _, part in ipairs(parts) do
    if not known[part.name] then
      known[part.name] = {}
      names[#names + 1] = part.name
    end
  end
  if not names[1] then
    return
  end
  local own = redis.call('HMGET', cold(49)(), unpack(names))
  local used = redis.call('HMGET', cold(50)(), unpack(names))
  for i, name in ipairs(names) do
    local most, rate = string.match(own[i] or '', '^(%S+) (%S+)$')
    known[name] = { missing = not most, most = tonumber(most), rate = rate ~= '-' and rate or nil,
      used = tonumber(used[i] or 0) }
  end
end
end
end
end
end
end
else
if number < 66 then
if number < 61 then
if number < 59 then
if number < 58 then
-- 57 shares.fits
return function(known, parts)
  local free
  for _, part in ipairs(parts) do
    local limit = known[part.name]
    if limit.missing or limit.most and limit.used + part.weight > limit.most then
      return false
    end
    local at = cold(14)(cold(53)(part.name), limit.rate, 0, 0)
    free = at > namespace_now_us and math.max(free or 0, at) or free
  end
  return not free, free
end
else
-- 58 shares.look
return function(queue, waiting)
  local pool = { queue = queue, known = {}, parts = {}, asked = {}, admitted = {}, asks = {}, offers = {}, gone = {} }
  local members, classes, all = {}, {}, {}
  local of, parse = cold(54), cold(55)
  for i = 1, #waiting, 2 do
    local set = of(waiting[i])
    if set then
      classes[#classes + 1], members[#members + 1] = waiting[i], queue .. ' ' .. waiting[i]
      pool.parts[waiting[i]] = parse(set)
      for _, part in ipairs(pool.parts[waiting[i]]) do
        all[#all + 1] = part
      end
    end
  end
  cold(56)(pool.known, all)
  local asked = redis.call('HMGET', cold(51)(), unpack(members))
  for i, class in ipairs(classes) do
    pool.asked[class] = asked[i] or nil
  end
  return pool
end
end
else
if number < 60 then
-- 59 shares.is_gone
return function(member, asked)
  local queue, class = string.match(member, '^(%S+) (%S+)$')
  local offered = tonumber(string.match(asked or '', ' (%d+)$'))
  return not asked or offered and offered + 5000000 <= namespace_now_us
    or redis.call('HEXISTS', namespace_meta, 'paused:' .. queue) == 1
    or redis.call('HEXISTS', namespace_key('needs', queue), class) == 0, offered
end
else
-- 60 shares.leaves
return function(pool, part, member)
  local limit, now = pool.known[part.name], namespace_now_us
  local places, starts, first, change = 0, 0, true, now + 10000000
  for _, other in ipairs(redis.call('ZRANGE', cold(52)(part.name), 0, 16 - 1)) do
    if other == member then
      return true
    end
    local gone, offered = cold(59)(other, redis.call('HGET', cold(51)(), other))
    if gone or pool.left and pool.left[other] then
      pool.gone[other] = true
    else
      local parts, weight = cold(55)(cold(54)(other)), 1
      cold(56)(pool.known, parts)
      for _, own in ipairs(parts) do
        weight = own.name == part.name and own.weight or weight
      end
      local fits = cold(57)(pool.known, parts) and not (limit.most and limit.used + places + weight > limit.most)
      if fits then
        pool.offers[other] = not offered or nil
        change = math.min(change, (offered or now) + 5000000)
      end
      if first or fits then
        places, starts = places + weight, starts + 1
      end
      first = false
      if limit.most and limit.used + places + part.weight > limit.most
        or cold(14)(cold(53)(part.name), limit.rate, 0, starts) > now then
        return false, change, other
      end
    end
  end
  return true
end
end
end
else
if number < 63 then
if number < 62 then
-- 61 shares.facts
return function(task)
  local class = cold(26)(task)
  local pool = cold(58)(task.queue, { class, '' })
  local facts = { 'shared', task.shared }
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    local fits, free = cold(57)(pool.known, { part })
    local leaves, _, other = true, nil, nil
    if fits then
      leaves, _, other = cold(60)(pool, part, task.queue .. ' ' .. class)
    end
    if not (fits and leaves) then
      for _, fact in ipairs({ 'limit', part.name, 'limit_weight', part.weight,
        'limit_concurrency', limit.most or '', 'limit_used', limit.missing and '' or limit.used,
        'limit_rate_until', free and cold(18)(free) or '',
        'limit_turn', other and string.match(other, '^%S+') or '' }) do
        facts[#facts + 1] = fact
      end
      break
    end
  end
  return facts
end
else
-- 62 statistics.bounds
return function()
  return { 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 57600,
    86400, 172800, 345600, 604800, 1209600, 2419200 }
end
end
else
if number < 64 then
-- 63 statistics.fields
return function(measure)
  local names = {}
  for _, name in ipairs({ 'count', 'sum', 'squares', 'least', 'most' }) do
    names[#names + 1] = measure .. '.' .. name
  end
  for _, bound in ipairs(cold(62)()) do
    names[#names + 1] = measure .. '.' .. bound
  end
  names[#names + 1] = measure .. '.over'
  return names
end
else
if number < 65 then
-- 64 statistics.kind
return function(name)
  return string.match(name, '%.(%a+)$') or 'count'
end
else
-- 65 statistics.join
return function(kind, held, added)
  if not held then
    return added
  elseif kind == 'least' then
    return math.min(held, added)
  elseif kind == 'most' then
    return math.max(held, added)
  end
  return held + added
end
end
end
end
end
else
if number < 71 then
if number < 68 then
if number < 67 then
-- 66 statistics.key
return function(queue, date)
  return namespace_key('statistics', queue .. '/' .. date)
end
else
-- 67 statistics.recent
return function(queue)
  local names = { 'wait.count', 'wait.sum', 'run.count', 'run.sum', unpack(cold(63)('done')) }
  local kinds, total = {}, {}
  for _, name in ipairs(names) do
    kinds[name] = cold(64)(name)
  end
  for _, date in ipairs(redis.call('ZREVRANGE', namespace_key('days', queue), 0, 6)) do
    local found = redis.call('HGETALL', cold(66)(queue, date))
    for i = 1, #found, 2 do
      local name = found[i]
      if kinds[name] then
        total[name] = cold(65)(kinds[name], total[name], tonumber(found[i + 1]))
      end
    end
  end
  return total
end
end
else
if number < 69 then
-- 68 statistics.mean
return function(total, measure)
  local number = total[measure .. '.count'] or 0
  return number > 0 and total[measure .. '.sum'] / number or nil
end
else
if number < 70 then
-- 69 statistics.longer
return function(total, elapsed)
  local least, most = total['done.least'], total['done.most']
  if not least or elapsed < least then
    return cold(68)(total, 'done')
  end
  local low, weight, sum = least, 0, 0
  local bounds = cold(62)()
  for i = 1, #bounds + 1 do
    local number = total['done.' .. (bounds[i] or 'over')] or 0
    local from, to = math.max(low, least), math.min(bounds[i] or most, most)
    if number > 0 and to > elapsed then
      local part = from < elapsed and number * (to - elapsed) / (to - from) or number
      weight, sum = weight + part, sum + part * (math.max(from, elapsed) + to) / 2
    end
    low = bounds[i]
  end
  return weight > 0 and sum / weight or nil
end
else
-- 70 statistics.ends
return function(queue, total, busy)
  local ends, number = {}, math.min(busy, 32)
  local now, run = namespace_now_us / 1000000, cold(68)(total, 'run')
  for _, entry in ipairs(redis.call('SRANDMEMBER', namespace_key('started_tasks', queue), number)) do
    local started = tonumber(redis.call('HGET', namespace_key('task', string.match(entry, '%S*$')), 'started'))
    local took = started and cold(69)(total, now - started)
    ends[#ends + 1] = took and math.max(now, started + took) or now + run
  end
  while #ends < number do
    ends[#ends + 1] = now + run
  end
  table.sort(ends)
  return ends[1] and ends or { now }
end
end
end
end
else
if number < 73 then
if number < 72 then
-- 71 workers.moment
return function(seconds)
  return math.floor(tonumber(seconds) * 1000000 + 0.5)
end
else
-- 72 workers.key
return function(listener)
  return namespace_prefix .. 'worker_' .. listener
end
end
else
if number < 74 then
-- 73 workers.find
return function(listener)
  local known = cold(23)('workers')
  if known[listener] == nil then
    local v = redis.call('HMGET', cold(72)(listener), 'queues', 'at', 'free', 'draining', 'patterns')
    known[listener] = v[1] and v[2] and {
      queues = v[1], at = cold(71)(v[2]), full = v[3] == '0', draining = v[4] == '1',
      set = v[5] and v[5] ~= '' and cold(33)(v[5]),
    }
  end
  return known[listener] or nil
end
else
if number < 75 then
-- 74 workers.serves
return function(listener, queue)
  local worker = cold(73)(listener)
  return worker and (string.find(',' .. worker.queues .. ',', ',' .. queue .. ',', 1, true)
    or worker.set and cold(35)(worker.set)(queue)) and worker
end
else
-- 75 contract.option
return function(name, value)
  if name == 'progress' then
    return cold(4)(value, name)
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
  local FAR = 10000

  namespace_open()
  local id = contract_arguments()
  local task = record_get(id, 'eta', 'started', 'progressed')
  local progress = cold(3)().progress or 0
  local queue, now = task.queue, namespace_now_us / 1000000
  local total = cold(67)(queue)
  local mean, run = cold(68)(total, 'done'), cold(68)(total, 'run')
  local start, finish, basis = nil, nil, ''

  local listening = cold(17)(queue).present > 0
    and redis.call('HEXISTS', namespace_meta, 'paused:' .. queue) == 0
  if task.status == 'started' then
    start = tonumber(task.extra[2]) or tonumber(task.since) or now
    local told = math.max(start, math.min(now, tonumber(task.extra[3]) or now))
    local by_progress = progress > 0 and (told - start) / progress or nil
    local by_history = cold(69)(total, now - start)
    if by_progress and by_history then
      local like = math.min(by_progress, by_history) / math.max(by_progress, by_history)
      local steady = math.min(1, progress * 10) * (told - start) / math.max(told - start, now - start)
      local weight = (1 - progress) * (1 - steady * (1 - like * like))
      basis = weight < 0.1 and progress < 1 and 'progress' or 'both'
      finish = start + weight * by_history + (1 - weight) * by_progress
    elseif by_progress or by_history then
      basis = by_progress and 'progress' or 'history'
      finish = start + (by_progress or by_history)
    end
  elseif task.status == 'reserved' then
    start = now
  elseif task.status == 'scheduled' and listening then
    start = math.max(now, tonumber(task.extra[1]) or now) + (cold(68)(total, 'wait') or 0)
  elseif task.status == 'pending' and listening then
    if task.ties then
      cold(5)(task)
    end
    local busy = redis.call('ZCARD', namespace_key('leases', queue))
    local ahead = cold(39)(task, FAR)
    if task.needs and cold(31)(queue, task.needs) == 0 then
      start = nil
    elseif busy == 0 and ahead == 0 then
      start = now
    elseif run and ahead < FAR then
      local most = tonumber(cold(47)(queue, 'concurrency')) or busy
      local ends, slots = cold(70)(queue, total, busy), math.max(1, math.min(busy, most))
      local free = math.ceil(#ends * slots / math.max(1, busy))
      start = ends[#ends - free + math.floor(ahead % slots * free / slots) + 1] + math.floor(ahead / slots) * run
    end
    local earliest = start and cold(41)(task, ahead)
    start = earliest and math.max(start, earliest / 1000000)
  end
  if start and not finish and mean and task.status ~= 'started' then
    finish, basis = start + mean, 'history'
  end
  return {
    'status', task.status, 'start', start and string.format('%.6f', start) or '',
    'end', finish and string.format('%.6f', math.max(now, finish)) or '', 'basis', basis,
    'runs', string.format('%.0f', total['done.count'] or 0),
    'mean', mean and string.format('%.6f', mean) or '', 'now', namespace_now,
  }
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(45)(answer)
