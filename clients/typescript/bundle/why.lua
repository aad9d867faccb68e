--- What decides whether and when a task runs.
-- @args now id
-- @reply name and value in turn: status queue eta paused ahead listeners node deadline cancel now priority key weight needs able concurrency used rate_until key_concurrency key_used key_rate_until lacking failures losses releases uncounted order full draining silent open upstream last slots least chances end_by shared limit limit_weight limit_concurrency limit_used limit_rate_until limit_turn; what does not apply is empty
-- @errors NOTASK

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(53)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(23)()
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
      cold(24)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(25)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(26)(floor)
    end
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function record_find(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(28)(key)
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
    cold(29)(namespace_prefix .. 'task_' .. id)
    cold(53)('NOTASK', 'no task has this id: it was never submitted, or was deleted, or removed by retention')
  end
  return task
end

local function record_held(task)
  return task.status == 'reserved' or task.status == 'started'
end

local function contract_arguments()
  local id = cold(1)(args_next('id'), 'id')
  cold(3)()
  return id
end

function cold(number)
if number < 39 then
if number < 20 then
if number < 10 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(53)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(53)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
else
if number < 4 then
-- 3 args.none
return function()
  if #ARGV > args_at then
    cold(53)('BADARG', 'too many arguments: this command takes no options')
  end
end
else
-- 4 claims.load
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
else
if number < 7 then
if number < 6 then
-- 5 edges.upstreams
return function(id)
  return namespace_prefix .. 'upstreams_' .. id
end
else
-- 6 edges.dependents
return function(id)
  return namespace_prefix .. 'dependents_' .. id
end
end
else
if number < 8 then
-- 7 edges.inputs
return function(id)
  return namespace_prefix .. 'inputs_' .. id
end
else
if number < 9 then
-- 8 edges.open
return function(id, ties)
  local key = cold(5)(id)
  local open = redis.call('HLEN', key)
  if ties and string.find(ties, 'k', 1, true) then
    return cold(50)(id, open)
  end
  return open, redis.call('HSCAN', key, '0', 'COUNT', 1)[2][1]
end
else
-- 9 edges.holding
return function(id)
  local found = redis.call('HSCAN', cold(5)(id), '0', 'COUNT', 100)[2]
  for i = 1, math.min(#found, 2 * 100), 2 do
    if string.match(found[i + 1], '^%l+') ~= 'some' and redis.call('ZSCORE', cold(6)(found[i]), id) == 'inf'
      and cold(77)(redis.call('HGET', namespace_key('task', found[i]), 'status')) then
      return found[i]
    end
  end
end
end
end
end
end
else
if number < 15 then
if number < 12 then
if number < 11 then
-- 10 fairness.rank
return function(us)
  return string.format('%016.0f', us)
end
else
-- 11 fairness.front_rank
return function(us)
  return '-' .. cold(10)(9007199254740991 - us)
end
end
else
if number < 13 then
-- 12 fairness.list_rank
return function(updated, front)
  local us = (tonumber(updated) or -1) * 1000000
  if not (us >= 0 and us <= namespace_now_us) then
    us = namespace_now_us
  end
  return front and cold(11)(us) or cold(10)(us)
end
else
if number < 14 then
-- 13 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
else
-- 14 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
end
end
end
else
if number < 17 then
if number < 16 then
-- 15 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', namespace_key('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(58)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(58)(queue, 'key_rate'), cold(59)(queue, 'key_rate')
end
else
-- 16 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
end
else
if number < 18 then
-- 17 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(16)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
if number < 19 then
-- 18 limits.allowed_at
return function(starts, rate, since, before)
  if not rate then
    return 0
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local rounds = math.floor(before / number)
  local free = cold(16)(starts, number - 1 - before % number, seconds, since) or namespace_now_us
  return math.max(free, namespace_now_us) + rounds * seconds * 1000000
end
else
-- 19 listeners.status
return function(queue, listener, keep)
  local worker = cold(76)(listener, queue)
  local silent
  if worker then
    silent = namespace_now_us - worker.at > (30 * 1000000)
  else
    local seen = redis.call('ZSCORE', namespace_key('seen', queue), listener)
    silent = seen and namespace_now_us - cold(73)(seen) >= keep
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
end
end
end
end
else
if number < 29 then
if number < 24 then
if number < 22 then
if number < 21 then
-- 20 listeners.keep
return function(queue)
  return tonumber(cold(58)(queue, 'forget_after')) * 1000000
end
else
-- 21 listeners.count
return function(queue)
  local numbers, looks = { silent = 0, draining = 0, full = 0, listening = 0 }, cold(27)('looks')
  local all = redis.call('SCARD', namespace_key('listeners', queue))
  local left, keep = 2000 - (looks.done or 0), all > 0 and cold(20)(queue)
  local page = all > 0 and left > 0
    and redis.call('SSCAN', namespace_key('listeners', queue), 0, 'COUNT', left)[2] or {}
  for _, listener in ipairs(page) do
    local how = cold(19)(queue, listener, keep)
    numbers[how] = numbers[how] + 1
  end
  looks.done = (looks.done or 0) + #page
  numbers.listening = numbers.listening + math.max(0, all - #page)
  numbers.present = numbers.listening + numbers.full
  return numbers
end
end
else
if number < 23 then
-- 22 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 23 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(53)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(53)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
end
else
if number < 26 then
if number < 25 then
-- 24 namespace.use_test_time
return function(now)
  namespace_now_us = cold(2)(now or cold(53)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(53)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(22)(namespace_now_us)
end
else
-- 25 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(22)(namespace_now_us)
end
end
else
if number < 27 then
-- 26 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
if number < 28 then
-- 27 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
-- 28 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
end
end
end
end
else
if number < 34 then
if number < 31 then
if number < 30 then
-- 29 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(53)(cold(55)())
  end
end
else
-- 30 needs.class
return function(task)
  if task.shared then
    return (task.needs or '') .. '|' .. task.shared
  end
  return task.needs
end
end
else
if number < 32 then
-- 31 needs.has
return function(text)
  local has = {}
  for name, number in string.gmatch(text or '', '([%w_.-]+)=?([%d.]*)') do
    has[name] = tonumber(number) or true
  end
  return has
end
else
if number < 33 then
-- 32 needs.suits
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
else
-- 33 needs.listeners
return function(queue)
  local all, found = {}, redis.call('HSCAN', namespace_key('has', queue), 0, 'COUNT', 1000)[2]
  local keep = cold(20)(queue)
  for i = 1, #found, 2 do
    local how = cold(19)(queue, found[i], keep)
    all[#all + 1] = (how == 'listening' or how == 'full') and cold(31)(found[i + 1]) or nil
  end
  return all
end
end
end
end
else
if number < 36 then
if number < 35 then
-- 34 needs.able
return function(queue, wanted)
  local number = 0
  for _, has in ipairs(cold(33)(queue)) do
    number = number + (cold(32)(has, wanted) and 1 or 0)
  end
  return number
end
else
-- 35 needs.lacking
return function(queue, wanted)
  local all, lacking = cold(33)(queue), {}
  for need in string.gmatch(wanted, '[^,]+') do
    local able = false
    for _, has in ipairs(all) do
      able = able or cold(32)(has, need)
    end
    lacking[#lacking + 1] = not able and need or nil
  end
  return table.concat(lacking, ',')
end
end
else
if number < 37 then
-- 36 orders.key
return function(queue)
  return namespace_key('orders', queue)
end
else
if number < 38 then
-- 37 orders.of
return function(task)
  return redis.call('HGET', cold(36)(task.queue), 't:' .. task.id)
end
else
-- 38 orders.word
return function(task)
  local order = cold(37)(task)
  return order == 'lost' and 'kill' or order
end
end
end
end
end
end
end
else
if number < 58 then
if number < 48 then
if number < 43 then
if number < 41 then
if number < 40 then
-- 39 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
-- 40 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(39)(one)
  end
  return set
end
end
else
if number < 42 then
-- 41 patterns.matches
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
-- 42 patterns.chooser
return function(set)
  local matches, out, wanted = cold(41), set.out, set.wanted
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
else
if number < 45 then
if number < 44 then
-- 43 positions.list_order
return function(queue)
  local list = namespace_key('pending_tasks', queue)
  return { number = redis.call('LLEN', list), read = function(first, last, bare)
    local ids, ranks = {}, {}
    local page = redis.call('LRANGE', list, -last - 1, -first - 1)
    for i = #page, 1, -1 do
      ids[#ids + 1] = page[i]
      local v = bare and {} or redis.call('HMGET', namespace_prefix .. 'task_' .. page[i], 'updated', 'front')
      ranks[#ranks + 1] = not bare and cold(13)(cold(12)(v[1], v[2])) or nil
    end
    return ids, ranks
  end }
end
else
-- 44 positions.ranked_order
return function(queue, low, high, before)
  local lane = namespace_key('lane_tasks', queue)
  return { number = redis.call('ZCOUNT', lane, low, high), read = function(first, last)
    local ids, ranks = {}, {}
    for _, member in ipairs(redis.call('ZRANGE', lane, before + first, before + last)) do
      local rank, id = string.match(member, '^(%S+) (%S+)$')
      ids[#ids + 1], ranks[#ranks + 1] = id, cold(13)(rank)
    end
    return ids, ranks
  end }
end
end
else
if number < 46 then
-- 45 positions.count
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
if number < 47 then
-- 46 positions.ahead
return function(task, far)
  local queue, priority = task.queue, tonumber(task.priority or 0)
  local lane = namespace_key('lane_tasks', queue)
  if task.rank then
    local ahead = redis.call('ZRANK', lane, task.rank .. ' ' .. task.id) or 0
    if priority <= 0 and ahead < far then
      local plain = cold(43)(queue)
      ahead = ahead + (priority < 0 and plain.number or cold(45)(plain, cold(13)(task.rank)))
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
  local level = cold(44)(queue, 0, 0, urgent)
  if level.number > 0 then
    local plain = cold(43)(queue)
    local _, ranks = plain.read(0, math.min(at, 100))
    local _, own = plain.read(at, at)
    level.number = cold(45)(level, math.max(own[1], unpack(ranks)), true)
  end
  return math.min(at + urgent + level.number, far)
end
else
-- 47 quorum.fields
return function()
  return 'least', 'some', 'missed', 'turn', 'owed'
end
end
end
end
end
else
if number < 53 then
if number < 50 then
if number < 49 then
-- 48 quorum.read
return function(id)
  local v = redis.call('HMGET', cold(28)(cold(7)(id)), cold(47)())
  return { least = tonumber(v[1] or 0), left = tonumber(v[2] or 0), missed = tonumber(v[3] or 0),
    turn = tonumber(v[4] or 1), owed = tonumber(v[5] or 0) }
end
else
-- 49 quorum.chances
return function(set)
  return set.left - set.missed + set.owed
end
end
else
if number < 51 then
-- 50 quorum.open
return function(id, open)
  local set, first = cold(48)(id), nil
  local is_short = set.least > cold(49)(set)
  open = open - set.left - set.owed + (set.least > 0 and cold(49)(set) or set.owed)
  local found = redis.call('HSCAN', cold(5)(id), '0', 'COUNT', 100)[2]
  for i = 1, #found, 2 do
    local kind, mark = string.match(found[i + 1], '^(%l+)(%d*)')
    if kind ~= 'some' or mark == '0' then
      return open, found[i], set
    elseif (tonumber(mark) == set.turn) == is_short then
      first = first or found[i]
    end
  end
  return open, first or found[1], set
end
else
if number < 52 then
-- 51 ranking.facts
return function(task)
  local queue, key = task.queue, task.fair_key
  local held = namespace_key('places', queue)
  local used = redis.call('ZCARD', namespace_key('leases', queue)) + tonumber(redis.call('HGET', held, 'extra') or 0)
  local _, free = cold(17)(cold(14)(queue), cold(58)(queue, 'rate'),
    cold(59)(queue, 'rate'))
  local facts = {
    'able', task.needs and cold(34)(queue, task.needs) or '',
    'concurrency', cold(58)(queue, 'concurrency') or '', 'used', used,
    'rate_until', free and cold(22)(free) or '',
  }
  if key then
    local most, rate, since = cold(15)(queue, key)
    local _, key_free = cold(17)(cold(14)(queue, key), rate, since)
    for _, fact in ipairs({
      'key_concurrency', task.solo or most or '', 'key_used', redis.call('HGET', held, 'k:' .. key) or '0',
      'key_rate_until', key_free and cold(22)(key_free) or '',
    }) do
      facts[#facts + 1] = fact
    end
  end
  if task.needs then
    facts[#facts + 1], facts[#facts + 2] = 'lacking', cold(35)(queue, task.needs)
  end
  for _, fact in ipairs(task.shared and cold(72)(task) or {}) do
    facts[#facts + 1] = fact
  end
  return facts
end
else
-- 52 record.lease
return function(task)
  return task.id .. ' ' .. task.token
end
end
end
end
else
if number < 55 then
if number < 54 then
-- 53 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(54)() then
    code, text = cold(55)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 54 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
else
if number < 56 then
-- 55 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
if number < 57 then
-- 56 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(55)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 57 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
end
end
end
end
end
else
if number < 68 then
if number < 63 then
if number < 60 then
if number < 59 then
-- 58 settings.get
return function(queue, name)
  local texts = cold(27)('settings')
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
-- 59 settings.since
return function(queue, name)
  cold(58)(queue, name)
  local own, common = unpack(cold(27)('settings')[queue], 1, 2)
  local since = cold(57)(cold(57)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
end
else
if number < 61 then
-- 60 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
if number < 62 then
-- 61 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
else
-- 62 shares.waits_key
return function()
  return namespace_prefix .. 'shared_waits'
end
end
end
end
else
if number < 65 then
if number < 64 then
-- 63 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
else
-- 64 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
end
else
if number < 66 then
-- 65 shares.of
return function(class)
  return string.match(class, '|(.+)$')
end
else
if number < 67 then
-- 66 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
else
-- 67 shares.read
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
  local own = redis.call('HMGET', cold(60)(), unpack(names))
  local used = redis.call('HMGET', cold(61)(), unpack(names))
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
else
if number < 73 then
if number < 70 then
if number < 69 then
-- 68 shares.fits
return function(known, parts)
  local free
  for _, part in ipairs(parts) do
    local limit = known[part.name]
    if limit.missing or limit.most and limit.used + part.weight > limit.most then
      return false
    end
    local at = cold(18)(cold(64)(part.name), limit.rate, 0, 0)
    free = at > namespace_now_us and math.max(free or 0, at) or free
  end
  return not free, free
end
else
-- 69 shares.look
return function(queue, waiting)
  local pool = { queue = queue, known = {}, parts = {}, asked = {}, admitted = {}, asks = {}, offers = {}, gone = {} }
  local members, classes, all = {}, {}, {}
  local of, parse = cold(65), cold(66)
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
  cold(67)(pool.known, all)
  local asked = redis.call('HMGET', cold(62)(), unpack(members))
  for i, class in ipairs(classes) do
    pool.asked[class] = asked[i] or nil
  end
  return pool
end
end
else
if number < 71 then
-- 70 shares.is_gone
return function(member, asked)
  local queue, class = string.match(member, '^(%S+) (%S+)$')
  local offered = tonumber(string.match(asked or '', ' (%d+)$'))
  return not asked or offered and offered + 5000000 <= namespace_now_us
    or redis.call('HEXISTS', namespace_meta, 'paused:' .. queue) == 1
    or redis.call('HEXISTS', namespace_key('needs', queue), class) == 0, offered
end
else
if number < 72 then
-- 71 shares.leaves
return function(pool, part, member)
  local limit, now = pool.known[part.name], namespace_now_us
  local places, starts, first, change = 0, 0, true, now + 10000000
  for _, other in ipairs(redis.call('ZRANGE', cold(63)(part.name), 0, 16 - 1)) do
    if other == member then
      return true
    end
    local gone, offered = cold(70)(other, redis.call('HGET', cold(62)(), other))
    if gone or pool.left and pool.left[other] then
      pool.gone[other] = true
    else
      local parts, weight = cold(66)(cold(65)(other)), 1
      cold(67)(pool.known, parts)
      for _, own in ipairs(parts) do
        weight = own.name == part.name and own.weight or weight
      end
      local fits = cold(68)(pool.known, parts) and not (limit.most and limit.used + places + weight > limit.most)
      if fits then
        pool.offers[other] = not offered or nil
        change = math.min(change, (offered or now) + 5000000)
      end
      if first or fits then
        places, starts = places + weight, starts + 1
      end
      first = false
      if limit.most and limit.used + places + part.weight > limit.most
        or cold(18)(cold(64)(part.name), limit.rate, 0, starts) > now then
        return false, change, other
      end
    end
  end
  return true
end
else
-- 72 shares.facts
return function(task)
  local class = cold(30)(task)
  local pool = cold(69)(task.queue, { class, '' })
  local facts = { 'shared', task.shared }
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    local fits, free = cold(68)(pool.known, { part })
    local leaves, _, other = true, nil, nil
    if fits then
      leaves, _, other = cold(71)(pool, part, task.queue .. ' ' .. class)
    end
    if not (fits and leaves) then
      for _, fact in ipairs({ 'limit', part.name, 'limit_weight', part.weight,
        'limit_concurrency', limit.most or '', 'limit_used', limit.missing and '' or limit.used,
        'limit_rate_until', free and cold(22)(free) or '',
        'limit_turn', other and string.match(other, '^%S+') or '' }) do
        facts[#facts + 1] = fact
      end
      break
    end
  end
  return facts
end
end
end
end
else
if number < 75 then
if number < 74 then
-- 73 workers.moment
return function(seconds)
  return math.floor(tonumber(seconds) * 1000000 + 0.5)
end
else
-- 74 workers.key
return function(listener)
  return namespace_prefix .. 'worker_' .. listener
end
end
else
if number < 76 then
-- 75 workers.find
return function(listener)
  local known = cold(27)('workers')
  if known[listener] == nil then
    local v = redis.call('HMGET', cold(74)(listener), 'queues', 'at', 'free', 'draining', 'patterns')
    known[listener] = v[1] and v[2] and {
      queues = v[1], at = cold(73)(v[2]), full = v[3] == '0', draining = v[4] == '1',
      set = v[5] and v[5] ~= '' and cold(40)(v[5]),
    }
  end
  return known[listener] or nil
end
else
if number < 77 then
-- 76 workers.serves
return function(listener, queue)
  local worker = cold(75)(listener)
  return worker and (string.find(',' .. worker.queues .. ',', ',' .. queue .. ',', 1, true)
    or worker.set and cold(42)(worker.set)(queue)) and worker
end
else
-- 77 contract.is_final
return function(status)
  return status == 'complete' or status == 'failed' or status == 'cancelled'
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
  local CHAIN = 100

  local function waits_for(id, ties, graph)
    local open, upstream, set = cold(8)(id, ties)
    return graph and cold(9)(id) or upstream, open, set
  end

  local function last_of(id)
    for _ = 1, CHAIN do
      local v = redis.call('HMGET', namespace_key('task', id), 'status', 'ties', 'graph')
      local upstream = v[1] == 'waiting' and waits_for(id, v[2], v[3])
      if not upstream then
        break
      end
      id = upstream
    end
    return id
  end

  namespace_open()
  local id = contract_arguments()
  local task = record_get(id, 'eta', 'failures', 'losses', 'releases', 'uncounted')
  local queue = task.queue
  if task.ties then
    cold(4)(task)
  end
  local ahead, deadline = '', ''
  if task.status == 'pending' then
    ahead = cold(46)(task, FAR)
  elseif record_held(task) then
    deadline = redis.call('ZSCORE', namespace_key('leases', queue), cold(52)(task)) or ''
  end
  local stand = cold(21)(queue)
  local answer = {
    'status', task.status, 'queue', queue, 'eta', task.status == 'scheduled' and task.extra[1] or '',
    'paused', redis.call('HGET', namespace_meta, 'paused:' .. queue) or '', 'ahead', ahead,
    'listeners', stand.present,
    'node', task.node, 'deadline', deadline, 'cancel', task.cancel or '', 'now', namespace_now,
    'priority', task.priority or '0', 'key', task.fair_key or '', 'weight', task.weight or '1', 'needs', task.needs or '',
    'failures', task.extra[2] or '0', 'losses', task.extra[3] or '0',
  }
  if task.status == 'pending' then
    for _, fact in ipairs(cold(51)(task)) do
      answer[#answer + 1] = fact
    end
  end
  for _, fact in ipairs({
    'releases', task.extra[4] or '0', 'uncounted', task.extra[5] or '0',
    'order', record_held(task) and cold(38)(task) or '',
    'full', stand.full, 'draining', stand.draining, 'silent', stand.silent,
  }) do
    answer[#answer + 1] = fact
  end
  if task.status == 'waiting' then
    local upstream, open, set = waits_for(id, task.ties, task.graph)
    local last = upstream and last_of(upstream)
    for _, fact in ipairs({
      'open', open, 'slots', redis.call('HGET', cold(7)(id), 'slots') or '0', upstream and 'upstream', upstream,
      last ~= upstream and 'last' or nil, last,
    }) do
      answer[#answer + 1] = fact
    end
    for _, fact in ipairs(set and set.least > 0 and { 'least', set.least, 'chances', cold(49)(set) } or {}) do
      answer[#answer + 1] = fact
    end
  end
  if task.end_by then
    answer[#answer + 1], answer[#answer + 2] = 'end_by', task.end_by
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(56)(answer)
