--- Removes a listener that holds no task from a queue.
-- @args now queue listener
-- @role worker
-- @again `absent`
-- @reply `unregistered`, or `absent`
-- @errors HELD

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(18)('BADARG', 'missing argument: ' .. what)
end

local namespace_meta = KEYS[1] or ''

local function listeners_plan_drain(queue)
  cold(10)('drained')[queue] = tonumber(redis.call('HGET', namespace_meta, 'drained:' .. queue) or 0)
end

local function listeners_drained(queue, by)
  local numbers = cold(10)('drained')
  numbers[queue] = math.max(0, numbers[queue] + by)
  if numbers[queue] > 0 then
    redis.call('HSET', namespace_meta, 'drained:' .. queue, numbers[queue])
  else
    redis.call('HDEL', namespace_meta, 'drained:' .. queue)
  end
end

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function listeners_probe(queue)
  cold(12)('SCARD', namespace_key('listeners', queue))
  cold(12)('ZCARD', namespace_key('seen', queue))
  cold(12)('HLEN', namespace_key('orders', queue))
  cold(12)('HLEN', namespace_key('has', queue))
  listeners_plan_drain(queue)
  cold(12)('ZCARD', namespace_prefix .. 'queues')
end

local function listeners_remove(queue, listener)
  cold(30)(listener, queue)
  redis.call('HDEL', namespace_key('has', queue), listener)
  redis.call('ZREM', namespace_key('seen', queue), listener)
  if redis.call('HDEL', namespace_key('orders', queue), 'l:' .. listener) == 1 then
    listeners_drained(queue, -1)
  end
  local removed = redis.call('SREM', namespace_key('listeners', queue), listener)
  if removed == 1 then
    redis.call('ZINCRBY', namespace_prefix .. 'queues', -1, queue)
  end
  return removed
end

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_shared_tables = false

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local function namespace_open()
  do
    local clock = redis.call('HGET', namespace_meta, 'clock:1')
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(6)()
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
      cold(7)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(8)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(9)(floor)
    end
  end
end

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  local listener = cold(2)(args_next('listener'), 'listener')
  cold(4)()
  return queue, listener
end

function cold(number)
if number < 16 then
if number < 8 then
if number < 4 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(18)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
if number < 3 then
-- 2 args.listener
return function(value)
  if #value > 200 or not string.find(value, '^[%w.:-]+_%d+$') then
    cold(18)('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end
else
-- 3 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(18)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
else
if number < 6 then
if number < 5 then
-- 4 args.none
return function()
  if #ARGV > args_at then
    cold(18)('BADARG', 'too many arguments: this command takes no options')
  end
end
else
-- 5 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
else
if number < 7 then
-- 6 namespace.check_new
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
else
-- 7 namespace.use_test_time
return function(now)
  namespace_now_us = cold(3)(now or cold(18)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(18)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(5)(namespace_now_us)
end
end
end
end
else
if number < 12 then
if number < 10 then
if number < 9 then
-- 8 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(5)(namespace_now_us)
end
else
-- 9 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
else
if number < 11 then
-- 10 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
-- 11 namespace.declare
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
if number < 14 then
if number < 13 then
-- 12 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(11)(key)
  end
  return redis.call(command, key)
end
else
-- 13 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(18)(cold(20)())
  end
end
end
else
if number < 15 then
-- 14 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(25)()
  if namespace_declared then
    cold(15)(first, ...)
  end
end
else
-- 15 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(13)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(25)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
end
end
end
end
else
if number < 23 then
if number < 19 then
if number < 17 then
-- 16 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
if number < 18 then
-- 17 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(16)(one)
  end
  return set
end
else
-- 18 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(19)() then
    code, text = cold(20)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
else
if number < 21 then
if number < 20 then
-- 19 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 20 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
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
-- 22 rights.denied
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
if number < 27 then
if number < 25 then
if number < 24 then
-- 23 rights.refuse
return function(name)
  local role = string.match('WORKER', '^%u+$')
  if role and not cold(22)({ name }, 'meta') then
    cold(18)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(18)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 24 rights.check
return function(names)
  local name = cold(22)(names, 'WORKER')
  if name then
    cold(23)(name)
  end
end
end
else
if number < 26 then
-- 25 rights.require
return function()
  cold(24)({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'SREM', 'UNLINK', 'ZCARD', 'ZINCRBY', 'ZREM' })
end
else
-- 26 workers.moment
return function(seconds)
  return math.floor(tonumber(seconds) * 1000000 + 0.5)
end
end
end
else
if number < 29 then
if number < 28 then
-- 27 workers.key
return function(listener)
  return namespace_prefix .. 'worker_' .. listener
end
else
-- 28 workers.find
return function(listener)
  local known = cold(10)('workers')
  if known[listener] == nil then
    local v = redis.call('HMGET', cold(27)(listener), 'queues', 'at', 'free', 'draining', 'patterns')
    known[listener] = v[1] and v[2] and {
      queues = v[1], at = cold(26)(v[2]), full = v[3] == '0', draining = v[4] == '1',
      set = v[5] and v[5] ~= '' and cold(17)(v[5]),
    }
  end
  return known[listener] or nil
end
end
else
if number < 30 then
-- 29 workers.plan_leave
return function(listener)
  if cold(28)(listener) then
    cold(11)(cold(27)(listener))
    cold(12)('ZCARD', namespace_prefix .. 'workers')
  end
end
else
-- 30 workers.leave
return function(listener, queue)
  local worker = cold(28)(listener)
  if not worker then
    return
  end
  local left = {}
  for other in string.gmatch(worker.queues, '[^,]+') do
    left[#left + 1] = other ~= queue and other or nil
  end
  worker.queues = table.concat(left, ',')
  if #left > 0 then
    redis.call('HSET', cold(27)(listener), 'queues', worker.queues)
  else
    redis.call('UNLINK', cold(27)(listener))
    redis.call('ZREM', namespace_prefix .. 'workers', listener)
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
  local queue, listener = contract_arguments()
  if redis.call('LLEN', cold(11)(namespace_key('reserved_tasks', queue .. '_' .. listener))) > 0 then
    cold(18)('HELD', 'the listener holds tasks: complete, fail or release them, or adopt them if its process is dead')
  end
  listeners_probe(queue)
  cold(29)(listener)
  local rounds = namespace_prefix .. 'rounds_' .. listener
  cold(12)('HLEN', rounds)
  cold(14)()
  redis.call('UNLINK', rounds)
  return listeners_remove(queue, listener) == 1 and 'unregistered' or 'absent'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(21)(answer)
