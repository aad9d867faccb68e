--- Registers a listener with a queue, and what it offers to tasks with needs.
-- @args now queue listener
-- @role worker
-- @options has
-- @again `existing`
-- @reply `registered`, or `existing`
-- @errors EVICTION

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(19)('BADARG', 'missing argument: ' .. what)
end

local namespace_meta = KEYS[1] or ''

local function listeners_plan_drain(queue)
  cold(13)('drained')[queue] = tonumber(redis.call('HGET', namespace_meta, 'drained:' .. queue) or 0)
end

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function listeners_probe(queue)
  cold(15)('SCARD', namespace_key('listeners', queue))
  cold(15)('ZCARD', namespace_key('seen', queue))
  cold(15)('HLEN', namespace_key('orders', queue))
  cold(15)('HLEN', namespace_key('has', queue))
  listeners_plan_drain(queue)
  cold(15)('ZCARD', namespace_prefix .. 'queues')
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

local function server_info(section, field)
  local text = redis.pcall('INFO', section)
  if type(text) ~= 'string' then
    return nil
  end
  return string.match(text, '\n' .. field .. ':([^\r\n]*)')
end

local function server_require()
  local policy = server_info('memory', 'maxmemory_policy')
  if policy and policy ~= 'noeviction' then
    cold(19)('EVICTION', 'maxmemory-policy is ' .. string.gsub(policy, '[^%w-]', '')
      .. ' and would silently remove tasks: set it to noeviction')
  end
  return policy or ''
end

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  local listener = cold(2)(args_next('listener'), 'listener')
  return queue, listener
end

function cold(number)
if number < 14 then
if number < 7 then
if number < 4 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(19)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
if number < 3 then
-- 2 args.listener
return function(value)
  if #value > 200 or not string.find(value, '^[%w.:-]+_%d+$') then
    cold(19)('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end
else
-- 3 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(19)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
else
if number < 5 then
-- 4 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(19)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(19)('BADARG', 'an option is given twice')
    end
    found[name] = cold(27)(name, value)
    if found[name] == nil then
      cold(19)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
if number < 6 then
-- 5 args.has
return function(value, what)
  local number = 0
  for one in string.gmatch((value == '' or #value > 1024) and '' or value .. ',', '([^,]*),') do
    local name, amount = string.match(one, '^([%w_.-]+)(.*)$')
    number = number + 1
    if not name or #name > 64 or #amount > 17
      or amount ~= '' and not string.find(amount, '^=%d+%.?%d*$') then
      cold(19)('BADARG', what .. ' must be names, each with = and a number or without, separated by commas')
    end
  end
  if number > 32 or #value > 1024 then
    cold(19)('BADARG', what .. ' may be ' .. 32 .. ' at most, in '
      .. 1024 .. ' characters')
  end
  return value
end
else
-- 6 listeners.equip
return function(queue, listener, has)
  if has ~= '' then
    redis.call('HSET', namespace_key('has', queue), listener, has)
  else
    redis.call('HDEL', namespace_key('has', queue), listener)
  end
end
end
end
end
else
if number < 10 then
if number < 8 then
-- 7 listeners.seen
return function(queue, listener)
  redis.call('ZADD', namespace_key('seen', queue), namespace_now, listener)
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
    cold(19)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(19)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
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
  namespace_now_us = cold(3)(now or cold(19)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(19)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
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
if number < 21 then
if number < 17 then
if number < 15 then
-- 14 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
if number < 16 then
-- 15 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(14)(key)
  end
  return redis.call(command, key)
end
else
-- 16 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(19)(cold(21)())
  end
end
end
end
else
if number < 19 then
if number < 18 then
-- 17 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(26)()
  if namespace_declared then
    cold(18)(first, ...)
  end
end
else
-- 18 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(16)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(26)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
end
else
if number < 20 then
-- 19 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(20)() then
    code, text = cold(21)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 20 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
end
end
else
if number < 24 then
if number < 22 then
-- 21 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
if number < 23 then
-- 22 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(21)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 23 rights.denied
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
else
if number < 26 then
if number < 25 then
-- 24 rights.refuse
return function(name)
  local role = string.match('WORKER', '^%u+$')
  if role and not cold(23)({ name }, 'meta') then
    cold(19)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(19)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 25 rights.check
return function(names)
  local name = cold(23)(names, 'WORKER')
  if name then
    cold(24)(name)
  end
end
end
else
if number < 27 then
-- 26 rights.require
return function()
  cold(25)({ 'EXISTS', 'HDEL', 'HGET', 'HSET', 'SADD', 'ZADD', 'ZCARD', 'ZINCRBY' })
end
else
-- 27 contract.option
return function(name, value)
  if name == 'has' then
    return cold(5)(value, name)
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
  local capabilities = cold(4)().has
  server_require()
  cold(25)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HEXISTS', 'HGET', 'HGETALL', 'HINCRBY', 'HKEYS', 'HLEN', 'HMGET', 'HSET', 'HSETNX', 'HVALS', 'LINDEX', 'LLEN', 'LPUSH', 'LRANGE', 'LREM', 'LTRIM', 'RPOP', 'RPOPLPUSH', 'RPUSH', 'SADD', 'SCARD', 'SISMEMBER', 'SREM', 'TIME', 'UNLINK', 'XADD', 'XDEL', 'XINFO', 'XLEN', 'XRANGE', 'XREVRANGE', 'ZADD', 'ZCARD', 'ZCOUNT', 'ZINCRBY', 'ZMSCORE', 'ZRANGE', 'ZRANGEBYSCORE', 'ZREM', 'ZSCORE' })
  listeners_probe(queue)
  cold(17)()
  local added = redis.call('SADD', namespace_key('listeners', queue), listener)
  redis.call('ZINCRBY', namespace_prefix .. 'queues', added, queue)
  cold(7)(queue, listener)
  if capabilities then
    cold(6)(queue, listener, capabilities)
  end
  return added == 1 and 'registered' or 'existing'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(22)(answer)
