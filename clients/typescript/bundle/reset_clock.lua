--- Sets a clock that ran ahead back to the server's time, while nothing is held. Tokens continue from the highest one.
-- @args now
-- @role administrator
-- @options by request
-- @reply `reset`, or `right` if the clock was not ahead
-- @errors HELD TOOMANY

local cold

local args_at = 1

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

local function server_time()
  if ARGV[1] ~= '' then
    return cold(2)(ARGV[1], 0, 9007199254, 'now')
  end
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
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
    cold(19)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(19)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
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
      cold(19)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(19)('BADARG', 'an option is given twice')
    end
    found[name] = cold(33)(name, value)
    if found[name] == nil then
      cold(19)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 4 audit.key
return function()
  return namespace_prefix .. 'audit'
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 audit.plan
return function()
  cold(14)('XLEN', cold(4)())
end
else
-- 6 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(4)(), 'MAXLEN', '~', cold(32)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
end
else
if number < 8 then
-- 7 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 8 namespace.check_new
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
end
else
if number < 13 then
if number < 11 then
if number < 10 then
-- 9 namespace.use_test_time
return function(now)
  namespace_now_us = cold(2)(now or cold(19)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(19)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(7)(namespace_now_us)
end
else
-- 10 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(7)(namespace_now_us)
end
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
else
if number < 15 then
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
-- 14 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(13)(key)
  end
  return redis.call(command, key)
end
end
else
if number < 16 then
-- 15 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(19)(cold(21)())
  end
end
else
-- 16 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(31)()
  if namespace_declared then
    cold(17)(first, ...)
  end
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
-- 17 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(15)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(31)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 18 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
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
else
if number < 23 then
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
end
else
if number < 24 then
-- 23 requests.key
return function()
  return namespace_prefix .. 'requests'
end
else
-- 24 requests.find
return function(command, request)
  if not request then
    return false
  end
  local own = cold(12)('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', cold(13)(cold(23)()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    return true, cold(27)(found[1])
  end
  return false
end
end
end
end
else
if number < 29 then
if number < 27 then
if number < 26 then
-- 25 requests.keep
return function(answer)
  local own = cold(12)('request')
  if not own.begun then
    return answer
  end
  local key, first, last = cold(23)(), own.first, own.last + 1
  local known = last > 1 and first
  cold(18)(key)
  redis.call('HSET', key, own.field, cold(26)(answer), 'last', string.format('%.0f', last),
    string.format('#%.0f', last), namespace_now .. ' ' .. own.field)
  for _ = 1, 10 do
    local number = string.format('#%.0f', first)
    local at, field = string.match(redis.call('HGET', key, number) or '', '^(%S+) (.*)$')
    if first == last or at and first > last - 10000
      and tonumber(at) * 1000000 > namespace_now_us - 3600000000 then
      break
    end
    redis.call('HDEL', key, number, field or '')
    first = first + 1
  end
  if first ~= known then
    redis.call('HSET', key, 'first', string.format('%.0f', first))
  end
  redis.call('EXPIRE', key, 86400)
  return answer
end
else
-- 26 requests.text
return function(answer)
  if not answer then
    return ''
  elseif type(answer) == 'string' then
    return '"' .. answer
  end
  local parts, times = {}, 1
  for i, part in ipairs(answer) do
    if part == answer[i + 1] then
      times = times + 1
    else
      parts[#parts + 1] = (type(part) == 'number' and '#' or '') .. part .. (times > 1 and '*' .. times or '')
      times = 1
    end
  end
  return table.concat(parts, ' ')
end
end
else
if number < 28 then
-- 27 requests.read
return function(text)
  if text == '' then
    return false
  elseif string.sub(text, 1, 1) == '"' then
    return string.sub(text, 2)
  end
  local answer = {}
  for part, times in string.gmatch(text, '([^ *]+)%*?(%d*)') do
    local number = string.match(part, '^#(%d+)$')
    for _ = 1, tonumber(times) or 1 do
      answer[#answer + 1] = tonumber(number) or part
    end
  end
  return answer
end
else
-- 28 rights.denied
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
if number < 31 then
if number < 30 then
-- 29 rights.refuse
return function(name)
  local role = string.match('ADMINISTRATOR', '^%u+$')
  if role and not cold(28)({ name }, 'meta') then
    cold(19)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(19)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 30 rights.check
return function(names)
  local name = cold(28)(names, 'ADMINISTRATOR')
  if name then
    cold(29)(name)
  end
end
end
else
if number < 32 then
-- 31 rights.require
return function()
  cold(30)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HMGET', 'HSET', 'XADD', 'ZCARD', 'ZRANGE' })
end
else
if number < 33 then
-- 32 settings.get
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
else
-- 33 contract.option
return function(name, value)
  if name == 'by' or name == 'request' then
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
  local MOST = 10000

  namespace_open()
  local options = cold(3)()
  local done, answer = cold(24)('reset_clock', options.request)
  if done then
    return answer
  end
  local floor, now = redis.call('HGET', namespace_meta, 'clock:1'), server_time()
  if not floor or tonumber(floor) <= now then
    return 'right'
  end
  local queues = redis.call('ZRANGE', cold(13)(namespace_prefix .. 'queues'), 0, MOST)
  if #queues > MOST then
    cold(19)('TOOMANY', 'there are over 10000 queues, more than one call can check: forget those that are empty')
  end
  for _, queue in ipairs(queues) do
    if cold(14)('ZCARD', namespace_key('leases', queue)) > 0 then
      cold(19)('HELD', 'tasks are held: pause the queues, wait until the tasks end or cancel them,'
        .. ' then repeat the call')
    end
  end
  local settled = {}
  table.insert(queues, 1, false)
  for _, queue in ipairs(queues) do
    local field = queue and 'settings:' .. queue or 'settings'
    local text = redis.call('HGET', namespace_meta, field)
    local mended = text and string.gsub(text, '_since=(%d+)', function(since)
      return string.format('_since=%.0f', math.min(tonumber(since), now))
    end)
    if mended ~= text then
      settled[#settled + 1] = { field, mended }
    end
  end
  local token = redis.call('HGET', namespace_meta, 'token')
  cold(5)()
  cold(16)()
  for _, set in ipairs(settled) do
    redis.call('HSET', namespace_meta, set[1], set[2])
  end
  redis.call('HSET', namespace_meta, 'clock:1', string.format('%.0f', now),
    'token', string.format('%.0f', math.max(tonumber(token or 0), tonumber(floor))))
  cold(6)(options.by, 'reset_clock', 'namespace', '', cold(7)(floor), cold(7)(now))
  return cold(25)('reset')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(22)(answer)
