--- Lets a paused queue give out tasks again.
-- @args now queue
-- @role administrator
-- @options by
-- @reply `resumed`
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(30)('BADARG', 'missing argument: ' .. what)
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

local state_asleep = false

local state_roams = false

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  return queue
end

function cold(number)
if number < 21 then
if number < 11 then
if number < 6 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(30)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(30)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
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
      cold(30)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(30)('BADARG', 'an option is given twice')
    end
    found[name] = cold(41)(name, value)
    if found[name] == nil then
      cold(30)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
if number < 5 then
-- 4 audit.key
return function()
  return namespace_prefix .. 'audit'
end
else
-- 5 audit.plan
return function()
  cold(16)('XLEN', cold(4)())
end
end
end
end
else
if number < 8 then
if number < 7 then
-- 6 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(4)(), 'MAXLEN', '~', cold(38)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
else
-- 7 audit.flow
return function(queue)
  if redis.call('HEXISTS', namespace_meta, 'paused:' .. queue) == 0 then
    return 'open'
  end
  return redis.call('HEXISTS', cold(21)(queue), 'q') == 1 and 'stopped' or 'paused'
end
end
else
if number < 9 then
-- 8 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
if number < 10 then
-- 9 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(30)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(30)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 10 namespace.use_test_time
return function(now)
  namespace_now_us = cold(2)(now or cold(30)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(30)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(8)(namespace_now_us)
end
end
end
end
end
else
if number < 16 then
if number < 13 then
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
else
if number < 14 then
-- 13 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
if number < 15 then
-- 14 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
else
-- 15 namespace.declare
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
else
if number < 18 then
if number < 17 then
-- 16 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(15)(key)
  end
  return redis.call(command, key)
end
else
-- 17 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(30)(cold(32)())
  end
end
end
else
if number < 19 then
-- 18 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
if number < 20 then
-- 19 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(37)()
  if namespace_declared then
    cold(20)(first, ...)
  end
end
else
-- 20 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(17)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(37)()
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
end
else
if number < 31 then
if number < 26 then
if number < 23 then
if number < 22 then
-- 21 orders.key
return function(queue)
  return cold(13)('orders', queue)
end
else
-- 22 orders.plan
return function(queue)
  cold(16)('HLEN', cold(21)(queue))
end
end
else
if number < 24 then
-- 23 orders.take_back
return function(queue, to)
  redis.call('HDEL', cold(21)(queue), to)
end
else
if number < 25 then
-- 24 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
else
-- 25 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(24)(one)
  end
  return set
end
end
end
end
else
if number < 28 then
if number < 27 then
-- 26 patterns.matches
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
-- 27 patterns.chooser
return function(set)
  local matches, out, wanted = cold(26), set.out, set.wanted
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
else
if number < 29 then
-- 28 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
else
if number < 30 then
-- 29 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(28)(text)
    if cold(27)(cold(25)(text))(queue) and (not namespace_declared or cold(18)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
else
-- 30 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(31)() then
    code, text = cold(32)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
end
end
else
if number < 36 then
if number < 33 then
if number < 32 then
-- 31 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 32 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
else
if number < 34 then
-- 33 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(32)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
if number < 35 then
-- 34 rights.denied
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
-- 35 rights.refuse
return function(name)
  local role = string.match('ADMINISTRATOR', '^%u+$')
  if role and not cold(34)({ name }, 'meta') then
    cold(30)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(30)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
end
end
end
else
if number < 39 then
if number < 37 then
-- 36 rights.check
return function(names)
  local name = cold(34)(names, 'ADMINISTRATOR')
  if name then
    cold(35)(name)
  end
end
else
if number < 38 then
-- 37 rights.require
return function()
  cold(36)({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'LPUSH', 'XADD', 'ZADD', 'ZCARD' })
end
else
-- 38 settings.get
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
if number < 40 then
-- 39 state.plan_wake
return function(queue)
  local asleep = cold(14)('asleep')
  asleep[queue] = cold(16)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
else
if number < 41 then
-- 40 state.rouse
return function(queue)
  local left = cold(29)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
else
-- 41 contract.option
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
  local queue = contract_arguments()
  local by = cold(3)().by
  cold(22)(queue)
  cold(39)(queue)
  local before = cold(7)(queue)
  cold(5)()
  cold(19)()
  redis.call('HDEL', namespace_meta, 'paused:' .. queue)
  cold(23)(queue, 'q')
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
        if not namespace_declared or cold(18)(ready) then
          redis.pcall('ZADD', ready, '0', queue)
        end
      end
      if state_roams ~= '' then
        cold(40)(queue)
      end
    end
    redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
  end
  if before ~= 'open' then
    cold(6)(by, 'resume', 'queue', queue, before, 'open')
  end
  return 'resumed'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(33)(answer)
