--- Stores the topology: which partition this namespace is from now on, and the names of all. `former` is the version that the caller has read, 0 for none. Nobody else can have changed it since, and the new version is greater.
-- @args now former version partition count member*count
-- @role administrator
-- @options by
-- @reply `stored`
-- @errors TOPOLOGY

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(20)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(10)()
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
      cold(11)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(12)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(13)(floor)
    end
  end
end

local function contract_arguments()
  local former = cold(2)(args_next('former'), 0, 999999999, 'former')
  local version = cold(2)(args_next('version'), 1, 1000000000, 'version')
  local partition = cold(31)(args_next('partition'), 'partition')
  local count = cold(2)(args_next('count'), 1, 1000, 'count')
  return former, version, partition, count
end

function cold(number)
if number < 17 then
if number < 9 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(20)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(20)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
else
if number < 4 then
-- 3 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(20)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 4 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(20)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(20)('BADARG', 'an option is given twice')
    end
    found[name] = cold(33)(name, value)
    if found[name] == nil then
      cold(20)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 args.before
return function(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return #one < #other
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
  cold(16)('XLEN', cold(6)())
end
else
-- 8 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(6)(), 'MAXLEN', '~', cold(28)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
end
end
end
else
if number < 13 then
if number < 11 then
if number < 10 then
-- 9 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 10 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(20)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(20)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
else
if number < 12 then
-- 11 namespace.use_test_time
return function(now)
  namespace_now_us = cold(3)(now or cold(20)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(20)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(9)(namespace_now_us)
end
else
-- 12 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(9)(namespace_now_us)
end
end
end
else
if number < 15 then
if number < 14 then
-- 13 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 14 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
else
if number < 16 then
-- 15 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
-- 16 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(15)(key)
  end
  return redis.call(command, key)
end
end
end
end
end
else
if number < 25 then
if number < 21 then
if number < 19 then
if number < 18 then
-- 17 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(20)(cold(22)())
  end
end
else
-- 18 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(27)()
  if namespace_declared then
    cold(19)(first, ...)
  end
end
end
else
if number < 20 then
-- 19 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(17)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(27)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 20 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(21)() then
    code, text = cold(22)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
else
if number < 23 then
if number < 22 then
-- 21 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 22 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
else
if number < 24 then
-- 23 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(22)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 24 rights.denied
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
if number < 29 then
if number < 27 then
if number < 26 then
-- 25 rights.refuse
return function(name)
  local role = string.match('ADMINISTRATOR', '^%u+$')
  if role and not cold(24)({ name }, 'meta') then
    cold(20)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(20)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 26 rights.check
return function(names)
  local name = cold(24)(names, 'ADMINISTRATOR')
  if name then
    cold(25)(name)
  end
end
end
else
if number < 28 then
-- 27 rights.require
return function()
  cold(26)({ 'EXISTS', 'HGET', 'HMGET', 'HSET', 'XADD', 'ZCARD' })
end
else
-- 28 settings.get
return function(queue, name)
  local texts = cold(14)('settings')
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
if number < 31 then
if number < 30 then
-- 29 topology.key
return function()
  return namespace_prefix .. 'topology'
end
else
-- 30 topology.stored
return function()
  local v = redis.call('HMGET', cold(15)(cold(29)()), 'version', 'partition', 'names')
  return tonumber(v[1] or 0), v[2] or '', v[3] or '[]'
end
end
else
if number < 32 then
-- 31 topology.name
return function(value, what)
  if #value > 32 or not string.find(value, '^[%w._-]+$') then
    cold(20)('BADNAME', what .. ' must be 1 to ' .. 32 .. ' characters of A-Z a-z 0-9 . _ -')
  end
  return value
end
else
if number < 33 then
-- 32 topology.names
return function(count, own)
  local names, named = {}, {}
  for i = 1, count do
    local name = cold(31)(args_next('member'), 'member')
    if named[name] then
      cold(20)('BADARG', 'a partition is named twice')
    end
    names[i], named[name] = name, true
  end
  if not named[own] then
    cold(20)('BADARG', 'partition must be one of the members')
  end
  table.sort(names, cold(5))
  return '["' .. table.concat(names, '","') .. '"]'
end
else
-- 33 contract.option
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
  local former, version, partition, count = contract_arguments()
  local names = cold(32)(count, partition)
  local by = cold(4)().by
  if version <= former then
    cold(20)('BADARG', 'version must be greater than former')
  end
  local stored, own, known = cold(30)()
  if own ~= '' and own ~= partition then
    cold(20)('TOPOLOGY', 'this namespace is the partition ' .. own .. ', and ids of tasks have that name: give it this'
      .. ' name in the topology, or correct the address')
  elseif stored == version and known == names then
    return 'stored'
  elseif stored ~= former then
    cold(20)('TOPOLOGY', string.format('the stored topology has version %.0f: read it with topology, then repeat the'
      .. ' call with that version as former', stored))
  end
  cold(7)()
  cold(18)()
  local before, after = string.format('%.0f', stored), string.format('%.0f', version)
  redis.call('HSET', cold(29)(), 'version', after, 'partition', partition, 'names', names)
  cold(8)(by, 'set_topology', 'namespace', '', before, after, names)
  return 'stored'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(23)(answer)
