--- Orders a listener to finish what it holds and to take no more tasks. It learns so by its heartbeats and by each reserve.
-- @args now queue listener on
-- @role administrator
-- @options by
-- @reply `draining`, or `listening`
-- @errors NOLISTENER

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(28)('BADARG', 'missing argument: ' .. what)
end

local namespace_meta = KEYS[1] or ''

local function listeners_plan_drain(queue)
  cold(16)('drained')[queue] = tonumber(redis.call('HGET', namespace_meta, 'drained:' .. queue) or 0)
end

local function listeners_drained(queue, by)
  local numbers = cold(16)('drained')
  numbers[queue] = math.max(0, numbers[queue] + by)
  if numbers[queue] > 0 then
    redis.call('HSET', namespace_meta, 'drained:' .. queue, numbers[queue])
  else
    redis.call('HDEL', namespace_meta, 'drained:' .. queue)
  end
end

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
      clock = cold(11)()
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
      cold(12)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(13)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(14)(floor)
    end
  end
end

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  local listener = cold(2)(args_next('listener'), 'listener')
  local on = cold(3)(args_next('on'), 'on')
  return queue, listener, on
end

function cold(number)
if number < 19 then
if number < 10 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(28)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.listener
return function(value)
  if #value > 200 or not string.find(value, '^[%w.:-]+_%d+$') then
    cold(28)('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end
end
else
if number < 4 then
-- 3 args.flag
return function(value, what)
  if value ~= '0' and value ~= '1' then
    cold(28)('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end
else
-- 4 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(28)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(28)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(28)('BADARG', 'an option is given twice')
    end
    found[name] = cold(37)(name, value)
    if found[name] == nil then
      cold(28)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 6 audit.key
return function()
  return namespace_prefix .. 'audit'
end
end
else
if number < 8 then
-- 7 audit.plan
return function()
  cold(18)('XLEN', cold(6)())
end
else
if number < 9 then
-- 8 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(6)(), 'MAXLEN', '~', cold(36)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
else
-- 9 listeners.require
return function(queue, listener)
  if redis.call('SISMEMBER', namespace_prefix .. 'listeners_' .. queue, listener) == 0 then
    cold(1)(queue, 'queue')
    cold(2)(listener)
    cold(19)(namespace_prefix .. 'listeners_' .. queue)
    cold(28)('NOLISTENER', 'this listener is not registered on the queue: register it, then repeat the call')
  end
end
end
end
end
end
else
if number < 14 then
if number < 12 then
if number < 11 then
-- 10 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 11 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(28)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(28)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
else
if number < 13 then
-- 12 namespace.use_test_time
return function(now)
  namespace_now_us = cold(4)(now or cold(28)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(28)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(10)(namespace_now_us)
end
else
-- 13 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(10)(namespace_now_us)
end
end
end
else
if number < 16 then
if number < 15 then
-- 14 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 15 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
end
else
if number < 17 then
-- 16 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
if number < 18 then
-- 17 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
-- 18 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(17)(key)
  end
  return redis.call(command, key)
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
-- 19 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(28)(cold(30)())
  end
end
else
-- 20 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(35)()
  if namespace_declared then
    cold(21)(first, ...)
  end
end
end
else
if number < 22 then
-- 21 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(19)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(35)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 22 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
end
end
end
else
if number < 25 then
if number < 24 then
-- 23 orders.key
return function(queue)
  return cold(15)('orders', queue)
end
else
-- 24 orders.plan
return function(queue)
  cold(18)('HLEN', cold(23)(queue))
end
end
else
if number < 26 then
-- 25 orders.give
return function(queue, to, order)
  local key = cold(23)(queue)
  cold(22)(key)
  redis.call('HSET', key, to, order)
  cold(26)(queue)
end
else
if number < 27 then
-- 26 orders.announce
return function(queue)
  redis.pcall('PUBLISH', cold(23)(queue), '')
end
else
-- 27 orders.take_back
return function(queue, to)
  redis.call('HDEL', cold(23)(queue), to)
end
end
end
end
end
else
if number < 33 then
if number < 30 then
if number < 29 then
-- 28 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(29)() then
    code, text = cold(30)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 29 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
else
if number < 31 then
-- 30 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
if number < 32 then
-- 31 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(30)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 32 rights.denied
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
else
if number < 35 then
if number < 34 then
-- 33 rights.refuse
return function(name)
  local role = string.match('ADMINISTRATOR', '^%u+$')
  if role and not cold(32)({ name }, 'meta') then
    cold(28)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(28)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 34 rights.check
return function(names)
  local name = cold(32)(names, 'ADMINISTRATOR')
  if name then
    cold(33)(name)
  end
end
end
else
if number < 36 then
-- 35 rights.require
return function()
  cold(34)({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'XADD', 'ZCARD' })
end
else
if number < 37 then
-- 36 settings.get
return function(queue, name)
  local texts = cold(16)('settings')
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
-- 37 contract.option
return function(name, value)
  if name == 'by' then
    return cold(1)(value, name)
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
  local queue, listener, on = contract_arguments()
  local by = cold(5)().by
  cold(9)(queue, listener)
  cold(24)(queue)
  local known = redis.call('HEXISTS', cold(23)(queue), 'l:' .. listener) == 1
  listeners_plan_drain(queue)
  local marked = cold(16)('drained')[queue] > 0
  cold(7)()
  cold(20)()
  cold(22)(namespace_meta)
  if on ~= known or on and not marked then
    listeners_drained(queue, on and 1 or -1)
  end
  if on then
    cold(25)(queue, 'l:' .. listener, 'drain')
  else
    cold(27)(queue, 'l:' .. listener)
  end
  local before, after = known and 'draining' or 'listening', on and 'draining' or 'listening'
  if before ~= after then
    cold(8)(by, 'drain', 'listener', listener, before, after, queue)
  end
  return after
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(31)(answer)
