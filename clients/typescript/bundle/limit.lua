--- Sets the concurrency and the rate of one key of a queue, in place of the queue's settings. `-`: the queue's setting. With `*` as the queue, those of a shared limit, which tasks of all queues take places of that name it in their option `limits`. `-`: none; with neither it is removed, and also once nobody has used it for `expires`.
-- @args now queue key concurrency rate
-- @role administrator
-- @options by expires
-- @reply `limited`
-- @errors TOOMANY NOTEMPTY

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(43)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(24)()
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
      cold(25)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(26)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(27)(floor)
    end
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local state_asleep = false

local state_roams = false

local function contract_arguments()
  local queue = cold(7)(args_next('queue'), 'queue')
  local key = cold(1)(args_next('key'), 'key')
  local concurrency = args_next('concurrency')
  local rate = args_next('rate')
  return queue, key, concurrency, rate
end

function cold(number)
if number < 40 then
if number < 20 then
if number < 10 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(43)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.word
return function(value, words, what)
  if not cold(4)(value, words) then
    cold(43)('BADARG', what .. ' must be ' .. cold(3)(words, 'or'))
  end
  return value
end
end
else
if number < 4 then
-- 3 args.listed
return function(words, last)
  local list = string.gsub(string.sub(words, 2, -2), ' ', ', ')
  return (string.gsub(list, ', (%S+)$', ' ' .. last .. ' %1'))
end
else
-- 4 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(43)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 6 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(43)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
else
if number < 8 then
-- 7 args.queue_or_all
return function(value, what)
  return value == '*' and value or cold(1)(value, what)
end
else
if number < 9 then
-- 8 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(43)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(43)('BADARG', 'an option is given twice')
    end
    found[name] = cold(78)(name, value)
    if found[name] == nil then
      cold(43)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 9 audit.key
return function()
  return namespace_prefix .. 'audit'
end
end
end
end
end
else
if number < 15 then
if number < 12 then
if number < 11 then
-- 10 audit.plan
return function()
  cold(30)('XLEN', cold(9)())
end
else
-- 11 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(9)(), 'MAXLEN', '~', cold(53)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
end
else
if number < 13 then
-- 12 fairness.ranked_key
return function(queue, number)
  return namespace_prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end
else
if number < 14 then
-- 13 fairness.tasks_key
return function(queue, key, number)
  return namespace_prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end
else
-- 14 fairness.sort_value
return function(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end
end
end
end
else
if number < 17 then
if number < 16 then
-- 15 fairness.refresh
return function(queue, key, number)
  local entries, field = namespace_key('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', cold(13)(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = cold(20)(queue, key, weight)
    if fits then
      local served = redis.call('HGET', entries, key)
      if served and cold(14)(served) > cold(14)(rank) then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', namespace_key('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = cold(12)(queue, number), nil
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
-- 16 fairness.refresh_all
return function(queue, key)
  local waits = false
  for _, number in ipairs(cold(36)(queue)) do
    cold(15)(queue, key, number)
    waits = waits or redis.call('EXISTS', cold(13)(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', namespace_key('places', queue), 'k:' .. key) then
    redis.call('HDEL', namespace_key('turns', queue), key)
    redis.call('ZREM', namespace_key('delayed', queue), key)
  end
end
end
else
if number < 18 then
-- 17 fairness.plan_refresh
return function(queue, keys)
  if #keys > 0 then
    cold(31)()
    cold(30)('HLEN', namespace_key('turns', queue))
    cold(30)('HLEN', namespace_key('limits', queue))
    cold(30)('HLEN', namespace_key('places', queue))
    cold(30)('ZCARD', namespace_key('delayed', queue))
    for _, key in ipairs(keys) do
      cold(30)('LLEN', cold(18)(queue, key))
    end
  end
  for _, number in ipairs(#keys > 0 and cold(36)(queue) or {}) do
    cold(30)('ZCARD', cold(12)(queue, number))
    for _, key in ipairs(keys) do
      cold(30)('ZCARD', cold(13)(queue, key, number))
    end
  end
end
else
if number < 19 then
-- 18 limits.starts_key
return function(queue, key)
  return namespace_prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end
else
-- 19 limits.of_key
return function(queue, key)
  local own, rate = string.match(redis.call('HGET', namespace_key('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  own = tonumber(own ~= '-' and own or cold(53)(queue, 'key_concurrency'))
  if rate ~= '-' then
    return own, rate, 0
  end
  return own, cold(53)(queue, 'key_rate'), cold(54)(queue, 'key_rate')
end
end
end
end
end
end
else
if number < 30 then
if number < 25 then
if number < 22 then
if number < 21 then
-- 20 limits.fits
return function(queue, key, weight)
  local most, rate, since = cold(19)(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', namespace_key('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return cold(22)(cold(18)(queue, key), rate, since)
end
else
-- 21 limits.start_expires
return function(starts, back, seconds, since)
  local last = tonumber(redis.call('LINDEX', starts, back) or nil)
  if last and last >= since and tonumber(redis.call('LINDEX', starts, 0)) <= namespace_now_us then
    return last + seconds * 1000000
  end
end
end
else
if number < 23 then
-- 22 limits.rate_allows
return function(starts, rate, since)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local free = cold(21)(starts, number - 1, seconds, since)
  if free and free > namespace_now_us then
    return false, free
  end
  return true
end
else
if number < 24 then
-- 23 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 24 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(43)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(43)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
end
end
else
if number < 27 then
if number < 26 then
-- 25 namespace.use_test_time
return function(now)
  namespace_now_us = cold(6)(now or cold(43)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(43)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(23)(namespace_now_us)
end
else
-- 26 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(23)(namespace_now_us)
end
end
else
if number < 28 then
-- 27 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
if number < 29 then
-- 28 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
-- 29 namespace.declare
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
if number < 35 then
if number < 32 then
if number < 31 then
-- 30 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(29)(key)
  end
  return redis.call(command, key)
end
else
-- 31 namespace.require_settled_slot
return function()
  cold(29)(namespace_prefix .. 'unmoved')
end
end
else
if number < 33 then
-- 32 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(43)(cold(45)())
  end
end
else
if number < 34 then
-- 33 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
-- 34 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(50)()
  if namespace_declared then
    cold(35)(first, ...)
  end
end
end
end
end
else
if number < 37 then
if number < 36 then
-- 35 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(32)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(50)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 36 needs.numbers
return function(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', namespace_key('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end
end
else
if number < 38 then
-- 37 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
if number < 39 then
-- 38 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(37)(one)
  end
  return set
end
else
-- 39 patterns.matches
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
end
end
end
end
end
else
if number < 60 then
if number < 50 then
if number < 45 then
if number < 42 then
if number < 41 then
-- 40 patterns.chooser
return function(set)
  local matches, out, wanted = cold(39), set.out, set.wanted
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
-- 41 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
end
else
if number < 43 then
-- 42 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(41)(text)
    if cold(40)(cold(38)(text))(queue) and (not namespace_declared or cold(33)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
else
if number < 44 then
-- 43 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(44)() then
    code, text = cold(45)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 44 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
end
end
else
if number < 47 then
if number < 46 then
-- 45 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 46 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(45)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
else
if number < 48 then
-- 47 rights.denied
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
else
if number < 49 then
-- 48 rights.refuse
return function(name)
  local role = string.match('ADMINISTRATOR', '^%u+$')
  if role and not cold(47)({ name }, 'meta') then
    cold(43)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(43)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 49 rights.check
return function(names)
  local name = cold(47)(names, 'ADMINISTRATOR')
  if name then
    cold(48)(name)
  end
end
end
end
end
end
else
if number < 55 then
if number < 52 then
if number < 51 then
-- 50 rights.require
return function()
  cold(49)({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'HVALS', 'LINDEX', 'LPUSH', 'UNLINK', 'XADD', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
else
-- 51 settings.rate
return function(value, what)
  local number, seconds = string.match(value, '^(%d+)/(%d+)$')
  if not number or #number > 4 or #seconds > 6 or tonumber(number) < 1
    or tonumber(number) > 1000 or tonumber(seconds) < 1
    or tonumber(seconds) > 604800 then
    cold(43)('BADARG', string.format('%s must be NUMBER/SECONDS: %d to %d starts in %d to %d seconds', what,
      1, 1000, 1, 604800))
  end
  return value
end
end
else
if number < 53 then
-- 52 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
else
if number < 54 then
-- 53 settings.get
return function(queue, name)
  local texts = cold(28)('settings')
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
-- 54 settings.since
return function(queue, name)
  cold(53)(queue, name)
  local own, common = unpack(cold(28)('settings')[queue], 1, 2)
  local since = cold(52)(cold(52)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
end
end
end
else
if number < 57 then
if number < 56 then
-- 55 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
else
-- 56 shares.places_key
return function()
  return namespace_prefix .. 'shared_places'
end
end
else
if number < 58 then
-- 57 shares.waits_key
return function()
  return namespace_prefix .. 'shared_waits'
end
else
if number < 59 then
-- 58 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
else
-- 59 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
end
end
end
end
end
else
if number < 70 then
if number < 65 then
if number < 62 then
if number < 61 then
-- 60 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
else
-- 61 shares.turns_key
return function(name)
  return namespace_prefix .. 'shared_turns_' .. name
end
end
else
if number < 63 then
-- 62 shares.starts_key
return function(name)
  return namespace_prefix .. 'shared_rate_' .. name
end
else
if number < 64 then
-- 63 shares.of
return function(class)
  return string.match(class, '|(.+)$')
end
else
-- 64 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
end
end
end
else
if number < 67 then
if number < 66 then
-- 65 shares.is_gone
return function(member, asked)
  local queue, class = string.match(member, '^(%S+) (%S+)$')
  local offered = tonumber(string.match(asked or '', ' (%d+)$'))
  return not asked or offered and offered + 5000000 <= namespace_now_us
    or redis.call('HEXISTS', namespace_meta, 'paused:' .. queue) == 1
    or redis.call('HEXISTS', namespace_key('needs', queue), class) == 0, offered
end
else
-- 66 shares.plan_wakes
return function(name, queue, most)
  local woken, key = cold(28)('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  for _, member in ipairs(redis.call('ZRANGE', cold(61)(name), 0, math.max(most, 16) - 1)) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace_meta, 'paused:' .. other) == 0 then
      seen[other] = true
      cold(76)(other)
      table.insert(woken[key], other)
    end
  end
end
end
else
if number < 68 then
-- 67 shares.wake
return function(name, queue)
  for _, other in ipairs(cold(28)('woken')[name .. ' ' .. queue] or {}) do
    do
      local queue = other
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
          if not namespace_declared or cold(33)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(77)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
end
else
if number < 69 then
-- 68 shares.plan_count
return function()
  cold(30)('HLEN', cold(58)())
  cold(30)('HLEN', cold(59)())
  cold(30)('ZCARD', cold(60)())
end
else
-- 69 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(59)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(60)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
end
end
end
end
else
if number < 75 then
if number < 72 then
if number < 71 then
-- 70 shares.waiting
return function(name)
  local waits = redis.call('ZRANGE', cold(61)(name), 0, 16 - 1)
  for _, member in ipairs(waits) do
    if not cold(65)(member, redis.call('HGET', cold(57)(), member)) then
      return waits, string.match(member, '^%S+')
    end
  end
  return waits
end
else
-- 71 shares.plan_remove
return function(name, waits)
  for _, member in ipairs(waits) do
    for _, part in ipairs(cold(64)(cold(63)(member))) do
      cold(30)('ZCARD', cold(61)(part.name))
    end
  end
  cold(30)('HLEN', cold(55)())
  cold(30)('HLEN', cold(57)())
  cold(30)('ZCARD', cold(61)(name))
  cold(30)('LLEN', cold(62)(name))
  cold(68)()
  cold(10)()
end
end
else
if number < 73 then
-- 72 shares.remove
return function(name, waits)
  redis.call('HDEL', cold(55)(), name)
  redis.call('HDEL', cold(59)(), name)
  redis.call('ZREM', cold(60)(), name)
  redis.call('HDEL', cold(57)(), '', unpack(waits))
  for _, member in ipairs(waits) do
    for _, part in ipairs(cold(64)(cold(63)(member))) do
      redis.call('ZREM', cold(61)(part.name), member)
    end
  end
  redis.call('UNLINK', cold(61)(name), cold(62)(name))
end
else
if number < 74 then
-- 73 shares.define
return function(name, places, rate, expires, by)
  if not string.find(name, '^[%w_.-]+$') or #name > 64 then
    cold(43)('BADNAME', 'the name of a shared limit must be 1 to ' .. 64
      .. ' characters of A-Z a-z 0-9 _ . -')
  end
  local own, unset = cold(55)(), places == '-' and rate == '-'
  if unset and expires then
    cold(43)('BADARG', 'expires needs a concurrency or a rate: a limit without either is removed at once')
  end
  local before, after = redis.call('HGET', own, name) or '- -', places .. ' ' .. rate
  local kept = redis.call('HGET', cold(59)(), name) or nil
  expires = expires and string.format('%d', expires)
  local waits, queue = {}, nil
  if unset then
    waits, queue = cold(70)(name)
  end
  if unset and (redis.call('HGET', cold(29)(cold(56)()), name)) then
    cold(43)('NOTEMPTY', 'attempts have places of this limit: wait until they have ended')
  elseif queue then
    cold(43)('NOTEMPTY', 'tasks of the queue ' .. queue .. ' wait for this limit: edit or cancel them first')
  end
  if not unset and before == '- -' and redis.call('HLEN', own) >= 10000 then
    cold(43)('TOOMANY', 'there are ' .. 10000 .. ' shared limits already')
  end
  if not unset then
    cold(66)(name, '', 100)
  end
  cold(71)(name, waits)
  local idle = not redis.call('HGET', cold(58)(), name)
  cold(34)(nil, own)
  if unset then
    cold(72)(name, waits)
  else
    redis.call('HSET', own, name, after)
    if rate ~= '-' and string.match(before, '(%S+)$') == '-' then
      redis.call('UNLINK', cold(62)(name))
    end
    cold(74)(name, expires, idle)
    cold(67)(name, '')
  end
  if before ~= after or kept ~= expires then
    cold(11)(by, 'limit', 'shared', name, before .. cold(75)(kept), after .. cold(75)(expires))
  end
  return 'limited'
end
else
-- 74 shares.keep
return function(name, expires, idle)
  redis.call('ZREM', cold(60)(), name)
  if not expires then
    redis.call('HDEL', cold(59)(), name)
    return
  end
  redis.call('HSET', cold(59)(), name, expires)
  if idle then
    cold(69)(name)
  end
end
end
end
end
else
if number < 77 then
if number < 76 then
-- 75 shares.told
return function(expires)
  return expires and ' expires ' .. expires or ''
end
else
-- 76 state.plan_wake
return function(queue)
  local asleep = cold(28)('asleep')
  asleep[queue] = cold(30)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
end
else
if number < 78 then
-- 77 state.rouse
return function(queue)
  local left = cold(42)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
else
if number < 79 then
-- 78 contract.option
return function(name, value)
  if name == 'by' then
    return cold(1)(value, name)
  elseif name == 'expires' then
    return cold(5)(value, 60, 31536000, name)
  end
end
else
-- 79 contract.setting
return function(name, value, what)
  if name == 'lease' then
    return cold(6)(value, 1, 604800, what)
  elseif name == 'grace' then
    return cold(6)(value, 0, 86400, what)
  elseif name == 'max_failures' then
    return cold(5)(value, 0, 1000, what)
  elseif name == 'backoff' then
    return cold(2)(value, ' exponential fixed ', what)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return cold(6)(value, 0, 31536000, what)
  elseif name == 'jitter' then
    return cold(5)(value, 0, 100, what)
  elseif name == 'max_losses' then
    return cold(5)(value, 0, 1000000000, what)
  elseif name == 'max_releases' or name == 'max_uncounted' then
    return cold(5)(value, 0, 1000000, what)
  elseif name == 'max_bytes' then
    return cold(5)(value, 0, 8388608, what)
  elseif name == 'log_bytes' then
    return cold(5)(value, 0, 268435456, what)
  elseif name == 'logs_bytes' then
    return cold(5)(value, 0, 1099511627776, what)
  elseif name == 'input_bytes' then
    return cold(5)(value, 1024, 16777216, what)
  elseif name == 'graph_bytes' then
    return cold(5)(value, 1024, 1099511627776, what)
  elseif name == 'forget_after' then
    return cold(6)(value, 60, 604800, what)
  elseif name == 'closed' then
    return cold(5)(value, 0, 1, what)
  elseif name == 'concurrency' or name == 'key_concurrency' then
    return cold(5)(value, 1, 1000000, what)
  elseif name == 'rate' or name == 'key_rate' then
    return cold(51)(value, what)
  elseif name == 'ageing' then
    return cold(6)(value, 1, 604800, what)
  elseif name == 'keep' then
    return cold(5)(value, 0, 10000000, what)
  elseif name == 'retain' then
    return cold(6)(value, 0, 100000000000, what)
  elseif name == 'events' then
    return cold(5)(value, 100, 100000, what)
  elseif name == 'audit' then
    return cold(5)(value, 100, 1000000, what)
  elseif name == 'history' then
    return cold(5)(value, 1, 1000, what)
  elseif name == 'statistics' then
    return cold(5)(value, 0, 400, what)
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
  local queue, key, concurrency, rate = contract_arguments()
  local options = cold(8)()
  local by, expires = options.by, options.expires
  if concurrency ~= '-' then
    cold(79)('concurrency', concurrency, 'concurrency')
  end
  if rate ~= '-' then
    cold(79)('rate', rate, 'rate')
  end
  if queue == '*' then
    return cold(73)(key, concurrency, rate, expires, by)
  elseif expires then
    cold(43)('BADARG', 'expires is for a shared limit')
  end
  local own_limits, unset = namespace_key('limits', queue), concurrency == '-' and rate == '-'
  if not unset and redis.call('HEXISTS', own_limits, key) == 0 and redis.call('HLEN', own_limits) >= 100000 then
    cold(43)('TOOMANY', 'this queue has ' .. 100000 .. ' keys with limits of their own already')
  end
  local before, after = redis.call('HGET', own_limits, key) or '- -', concurrency .. ' ' .. rate
  local fresh = rate ~= '-' and string.match(before, '(%S+)$') == '-' and not cold(53)(queue, 'key_rate')
  cold(17)(queue, { key })
  cold(76)(queue)
  cold(10)()
  cold(34)(nil, own_limits)
  if unset then
    redis.call('HDEL', own_limits, key)
  else
    redis.call('HSET', own_limits, key, after)
  end
  if fresh then
    redis.call('UNLINK', cold(18)(queue, key))
  end
  cold(16)(queue, key)
  do
    local queue = queue
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
        if not namespace_declared or cold(33)(ready) then
          redis.pcall('ZADD', ready, '0', queue)
        end
      end
      if state_roams ~= '' then
        cold(77)(queue)
      end
    end
    redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
  end
  if before ~= after then
    cold(11)(by, 'limit', 'key', queue .. '/' .. key, before, after)
  end
  return 'limited'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(46)(answer)
