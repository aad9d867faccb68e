--- The number of tasks of a queue in each state. Costs one step for each listener.
-- @args now queue
-- @reply name and number in turn: each state, in the order of its life, then `listeners`
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(17)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(8)()
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
      cold(9)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(10)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(11)(floor)
    end
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function contract_counts(queue, reserved, started, ...)
  return {
    'waiting', redis.call('ZCARD', namespace_key('waiting_tasks', queue)),
    'scheduled', redis.call('ZCARD', namespace_key('scheduled_tasks', queue))
    + redis.call('ZCARD', namespace_key('scheduled_lane_tasks', queue)),
    'pending', redis.call('LLEN', namespace_key('pending_tasks', queue))
    + redis.call('ZCARD', namespace_key('lane_tasks', queue)),
    'reserved', reserved,
    'started', started,
    'complete', redis.call('LLEN', namespace_key('complete_tasks', queue)),
    'failed', redis.call('LLEN', namespace_key('failed_tasks', queue)),
    'cancelled', redis.call('LLEN', namespace_key('cancelled_tasks', queue)),
    ...
  }
end

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  cold(3)()
  return queue
end

function cold(number)
if number < 13 then
if number < 7 then
if number < 4 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(17)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
if number < 3 then
-- 2 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(17)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 3 args.none
return function()
  if #ARGV > args_at then
    cold(17)('BADARG', 'too many arguments: this command takes no options')
  end
end
end
end
else
if number < 5 then
-- 4 listeners.status
return function(queue, listener, keep)
  local worker = cold(25)(listener, queue)
  local silent
  if worker then
    silent = namespace_now_us - worker.at > (30 * 1000000)
  else
    local seen = redis.call('ZSCORE', namespace_key('seen', queue), listener)
    silent = seen and namespace_now_us - cold(22)(seen) >= keep
      and redis.call('LLEN', namespace_key('reserved_tasks', queue .. '_' .. listener)) == 0
  end
  if silent then
    return 'silent'
  elseif worker and worker.draining or redis.call('HEXISTS', namespace_key('orders', queue), 'l:' .. listener) == 1 then
    return 'draining'
  end
  return worker and worker.full and 'full' or 'listening'
end
else
if number < 6 then
-- 5 listeners.keep
return function(queue)
  return tonumber(cold(21)(queue, 'forget_after')) * 1000000
end
else
-- 6 listeners.count
return function(queue)
  local numbers, looks = { silent = 0, draining = 0, full = 0, listening = 0 }, cold(12)('looks')
  local all = redis.call('SCARD', namespace_key('listeners', queue))
  local left, keep = 2000 - (looks.done or 0), all > 0 and cold(5)(queue)
  local page = all > 0 and left > 0
    and redis.call('SSCAN', namespace_key('listeners', queue), 0, 'COUNT', left)[2] or {}
  for _, listener in ipairs(page) do
    local how = cold(4)(queue, listener, keep)
    numbers[how] = numbers[how] + 1
  end
  looks.done = (looks.done or 0) + #page
  numbers.listening = numbers.listening + math.max(0, all - #page)
  numbers.present = numbers.listening + numbers.full
  return numbers
end
end
end
end
else
if number < 10 then
if number < 8 then
-- 7 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
if number < 9 then
-- 8 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(17)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(17)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 9 namespace.use_test_time
return function(now)
  namespace_now_us = cold(2)(now or cold(17)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(17)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(7)(namespace_now_us)
end
end
end
else
if number < 11 then
-- 10 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(7)(namespace_now_us)
end
else
if number < 12 then
-- 11 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 12 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
end
end
end
else
if number < 19 then
if number < 16 then
if number < 14 then
-- 13 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
if number < 15 then
-- 14 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(13)(one)
  end
  return set
end
else
-- 15 patterns.matches
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
else
if number < 17 then
-- 16 patterns.chooser
return function(set)
  local matches, out, wanted = cold(15), set.out, set.wanted
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
if number < 18 then
-- 17 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(18)() then
    code, text = cold(19)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 18 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
end
end
else
if number < 22 then
if number < 20 then
-- 19 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
if number < 21 then
-- 20 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(19)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 21 settings.get
return function(queue, name)
  local texts = cold(12)('settings')
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
end
end
else
if number < 24 then
if number < 23 then
-- 22 workers.moment
return function(seconds)
  return math.floor(tonumber(seconds) * 1000000 + 0.5)
end
else
-- 23 workers.key
return function(listener)
  return namespace_prefix .. 'worker_' .. listener
end
end
else
if number < 25 then
-- 24 workers.find
return function(listener)
  local known = cold(12)('workers')
  if known[listener] == nil then
    local v = redis.call('HMGET', cold(23)(listener), 'queues', 'at', 'free', 'draining', 'patterns')
    known[listener] = v[1] and v[2] and {
      queues = v[1], at = cold(22)(v[2]), full = v[3] == '0', draining = v[4] == '1',
      set = v[5] and v[5] ~= '' and cold(14)(v[5]),
    }
  end
  return known[listener] or nil
end
else
-- 25 workers.serves
return function(listener, queue)
  local worker = cold(24)(listener)
  return worker and (string.find(',' .. worker.queues .. ',', ',' .. queue .. ',', 1, true)
    or worker.set and cold(16)(worker.set)(queue)) and worker
end
end
end
end
end
end
end

local function command()
  namespace_open()
  local queue = contract_arguments()
  local held = 0
  for _, listener in ipairs(redis.call('SMEMBERS', namespace_key('listeners', queue))) do
    held = held + redis.call('LLEN', namespace_key('reserved_tasks', queue .. '_' .. listener))
  end
  local started = redis.call('SCARD', namespace_key('started_tasks', queue))
  return contract_counts(queue, math.max(0, held - started), started, 'listeners', cold(6)(queue).present)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(20)(answer)
