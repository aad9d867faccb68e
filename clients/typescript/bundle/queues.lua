--- The queues of the namespace.
-- @args now cursor limit
-- @reply next cursor (0 at the end), then for each queue its name, the number of listeners that take its tasks, who paused it when and why, or an empty string, and `stop` if running tasks are stopped, too
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(18)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(9)()
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
      cold(10)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(11)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(12)(floor)
    end
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function contract_arguments()
  local cursor = cold(3)(args_next('cursor'), 'cursor')
  local limit = cold(1)(args_next('limit'), 1, 500, 'limit')
  cold(4)()
  return cursor, limit
end

function cold(number)
if number < 14 then
if number < 7 then
if number < 4 then
if number < 2 then
-- 1 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(18)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
if number < 3 then
-- 2 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(18)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 3 args.cursor
return function(value)
  if #value > 16 or value ~= '0' and not string.find(value, '^[1-9]%d*$') then
    cold(18)('BADARG', 'the cursor must be 0 or what the previous call returned')
  end
  return value
end
end
end
else
if number < 5 then
-- 4 args.none
return function()
  if #ARGV > args_at then
    cold(18)('BADARG', 'too many arguments: this command takes no options')
  end
end
else
if number < 6 then
-- 5 listeners.status
return function(queue, listener, keep)
  local worker = cold(26)(listener, queue)
  local silent
  if worker then
    silent = namespace_now_us - worker.at > (30 * 1000000)
  else
    local seen = redis.call('ZSCORE', namespace_key('seen', queue), listener)
    silent = seen and namespace_now_us - cold(23)(seen) >= keep
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
-- 6 listeners.keep
return function(queue)
  return tonumber(cold(22)(queue, 'forget_after')) * 1000000
end
end
end
end
else
if number < 10 then
if number < 8 then
-- 7 listeners.count
return function(queue)
  local numbers, looks = { silent = 0, draining = 0, full = 0, listening = 0 }, cold(13)('looks')
  local all = redis.call('SCARD', namespace_key('listeners', queue))
  local left, keep = 2000 - (looks.done or 0), all > 0 and cold(6)(queue)
  local page = all > 0 and left > 0
    and redis.call('SSCAN', namespace_key('listeners', queue), 0, 'COUNT', left)[2] or {}
  for _, listener in ipairs(page) do
    local how = cold(5)(queue, listener, keep)
    numbers[how] = numbers[how] + 1
  end
  looks.done = (looks.done or 0) + #page
  numbers.listening = numbers.listening + math.max(0, all - #page)
  numbers.present = numbers.listening + numbers.full
  return numbers
end
else
if number < 9 then
-- 8 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 9 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(18)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(18)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
end
else
if number < 12 then
if number < 11 then
-- 10 namespace.use_test_time
return function(now)
  namespace_now_us = cold(2)(now or cold(18)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(18)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(8)(namespace_now_us)
end
else
-- 11 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(8)(namespace_now_us)
end
end
else
if number < 13 then
-- 12 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 13 namespace.shared
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
if number < 20 then
if number < 17 then
if number < 15 then
-- 14 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
if number < 16 then
-- 15 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(14)(one)
  end
  return set
end
else
-- 16 patterns.matches
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
if number < 18 then
-- 17 patterns.chooser
return function(set)
  local matches, out, wanted = cold(16), set.out, set.wanted
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
if number < 19 then
-- 18 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(19)() then
    code, text = cold(20)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 19 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
end
end
else
if number < 23 then
if number < 21 then
-- 20 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
if number < 22 then
-- 21 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(20)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 22 settings.get
return function(queue, name)
  local texts = cold(13)('settings')
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
if number < 25 then
if number < 24 then
-- 23 workers.moment
return function(seconds)
  return math.floor(tonumber(seconds) * 1000000 + 0.5)
end
else
-- 24 workers.key
return function(listener)
  return namespace_prefix .. 'worker_' .. listener
end
end
else
if number < 26 then
-- 25 workers.find
return function(listener)
  local known = cold(13)('workers')
  if known[listener] == nil then
    local v = redis.call('HMGET', cold(24)(listener), 'queues', 'at', 'free', 'draining', 'patterns')
    known[listener] = v[1] and v[2] and {
      queues = v[1], at = cold(23)(v[2]), full = v[3] == '0', draining = v[4] == '1',
      set = v[5] and v[5] ~= '' and cold(15)(v[5]),
    }
  end
  return known[listener] or nil
end
else
-- 26 workers.serves
return function(listener, queue)
  local worker = cold(25)(listener)
  return worker and (string.find(',' .. worker.queues .. ',', ',' .. queue .. ',', 1, true)
    or worker.set and cold(17)(worker.set)(queue)) and worker
end
end
end
end
end
end
end

local function command()
  namespace_open()
  local cursor, limit = contract_arguments()
  local page = redis.call('ZRANGE', namespace_prefix .. 'queues', cursor, cursor + limit - 1)
  local answer = { #page < limit and '0' or string.format('%.0f', cursor + limit) }
  for i = 1, #page do
    answer[#answer + 1] = page[i]
    answer[#answer + 1] = string.format('%d', cold(7)(page[i]).present)
    local paused = redis.call('HGET', namespace_meta, 'paused:' .. page[i])
    answer[#answer + 1] = paused or ''
    answer[#answer + 1] = paused and redis.call('HGET', namespace_key('orders', page[i]), 'q') or ''
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(21)(answer)
