--- Renews the leases of tasks that a listener holds, and returns an order for each.
-- @args now queue listener lease count (id token)*count
-- @role worker
-- @options kill
-- @again a later deadline
-- @reply deadline, then for each task `continue`, `cancel`, `drain`, `stop` or `lost`; with `kill 1` also `kill`, for which other callers get `lost`
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
  local queue = cold(1)(args_next('queue'), 'queue')
  local listener = cold(2)(args_next('listener'), 'listener')
  local lease = cold(5)(args_next('lease'), 1, 604800, 'lease')
  local count = cold(4)(args_next('count'), 0, 500, 'count')
  return queue, listener, lease, count
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
-- 2 args.listener
return function(value)
  if #value > 200 or not string.find(value, '^[%w.:-]+_%d+$') then
    cold(17)('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end
else
-- 3 args.flag
return function(value, what)
  if value ~= '0' and value ~= '1' then
    cold(17)('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end
end
end
else
if number < 5 then
-- 4 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(17)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
if number < 6 then
-- 5 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(17)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 6 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(17)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(17)('BADARG', 'an option is given twice')
    end
    found[name] = cold(25)(name, value)
    if found[name] == nil then
      cold(17)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
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
end
end
else
if number < 11 then
-- 10 namespace.use_test_time
return function(now)
  namespace_now_us = cold(5)(now or cold(17)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(17)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(8)(namespace_now_us)
end
else
if number < 12 then
-- 11 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(8)(namespace_now_us)
end
else
-- 12 namespace.note_gap
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
if number < 19 then
if number < 16 then
if number < 14 then
-- 13 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
if number < 15 then
-- 14 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(13)(key)
  end
  return redis.call(command, key)
end
else
-- 15 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(17)(cold(19)())
  end
end
end
end
else
if number < 17 then
-- 16 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(15)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(24)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
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
-- 21 rights.denied
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
if number < 24 then
if number < 23 then
-- 22 rights.refuse
return function(name)
  local role = string.match('WORKER', '^%u+$')
  if role and not cold(21)({ name }, 'meta') then
    cold(17)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(17)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 23 rights.check
return function(names)
  local name = cold(21)(names, 'WORKER')
  if name then
    cold(22)(name)
  end
end
end
else
if number < 25 then
-- 24 rights.require
return function()
  cold(23)({ 'EXISTS', 'HGET', 'HMGET', 'HSET', 'ZADD', 'ZCARD', 'ZMSCORE', 'ZREM' })
end
else
-- 25 contract.option
return function(name, value)
  if name == 'kill' then
    return cold(3)(value, name)
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
  local queue, listener, lease, count = contract_arguments()
  local first = args_at + 1
  local last, kill = first - 1 + 2 * count, 'lost'
  if #ARGV < last then
    cold(17)('BADARG', 'the count must be followed by an id and a token for each task')
  elseif #ARGV > last and cold(6)(last).kill then
    kill = 'kill'
  end
  local deadline = string.format('%.0f', namespace_now_us + lease)
  local renewal = {}
  for i = 1, count do
    local at = first + 2 * i - 2
    local id, token = ARGV[at], ARGV[at + 1]
    if #id > 128 or #token > 16 then
      cold(17)('BADARG', 'an id or a token is too long')
    end
    renewal[2 * i - 1], renewal[2 * i] = deadline, id .. ' ' .. token
  end

  local given, usual, ordered, killed = namespace_prefix .. 'orders_' .. queue, 'continue', {}, nil
  if redis.call('HLEN', given) > 0 then
    local common = redis.call('HMGET', given, 'l:' .. listener, 'q')
    usual = common[2] or common[1] or usual
    for i = 1, count do
      ordered[i] = 't:' .. ARGV[first + 2 * i - 2]
    end
    ordered = count > 0 and redis.call('HMGET', given, unpack(ordered)) or {}
    for i = 1, count do
      killed = killed or ordered[i] == 'lost'
    end
  end
  local registered = redis.call('SISMEMBER', namespace_key('listeners', queue), listener) == 1
  cold(14)('ZCARD', namespace_key('seen', queue))
  local leases = namespace_key('leases', queue)
  local may, role = redis.acl_check_cmd, namespace_prefix .. 'WORKER'
  if may and not (may('HSET', role, '', '') and may('ZADD', leases, '', '') and may('ZMSCORE', leases, '')) then
    cold(24)()
  end
  if namespace_declared then
    cold(16)(leases)
  end

  redis.call('ZREM', leases, '')
  do
    local us = namespace_now_us
    redis.call('HSET', namespace_meta, 'clock:1', us)
    if namespace_gap then
      redis.call('HSET', namespace_meta, 'gap', string.format('%.0f', namespace_gap))
    end
  end
  local moved = 0
  if killed then
    local others = {}
    for i = 1, count do
      if ordered[i] ~= 'lost' then
        others[#others + 1], others[#others + 2] = renewal[2 * i - 1], renewal[2 * i]
      end
    end
    if #others > 0 then
      redis.call('ZADD', leases, 'XX', unpack(others))
    end
  elseif count > 0 then
    moved = redis.call('ZADD', leases, 'XX', 'CH', unpack(renewal))
  end
  local held
  if moved < count then
    local members = {}
    for i = 1, count do
      members[i] = renewal[2 * i]
    end
    held = redis.call('ZMSCORE', leases, unpack(members))
  end
  if registered then
    cold(7)(queue, listener)
  end
  local answer = { namespace_now_us + lease }
  for i = 1, count do
    answer[i + 1] = held and not held[i] and 'lost' or ordered[i] == 'lost' and kill or ordered[i] or usual
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(20)(answer)
