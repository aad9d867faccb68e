--- Sets a setting of a queue, or with queue `*` the default for all queues. An empty value unsets it.
-- @args now queue name value
-- @role administrator
-- @options by
-- @reply `configured`
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(31)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(13)()
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
      cold(14)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(15)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(16)(floor)
    end
  end
end

local state_asleep = false

local state_roams = false

local function contract_arguments()
  local queue = cold(7)(args_next('queue'), 'queue')
  local name = args_next('name')
  local value = args_next('value')
  return queue, name, value
end

function cold(number)
if number < 24 then
if number < 12 then
if number < 6 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(31)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.word
return function(value, words, what)
  if not cold(4)(value, words) then
    cold(31)('BADARG', what .. ' must be ' .. cold(3)(words, 'or'))
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
if number < 5 then
-- 4 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
else
-- 5 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(31)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
end
end
else
if number < 9 then
if number < 7 then
-- 6 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(31)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
if number < 8 then
-- 7 args.queue_or_all
return function(value, what)
  return value == '*' and value or cold(1)(value, what)
end
else
-- 8 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(31)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(31)('BADARG', 'an option is given twice')
    end
    found[name] = cold(45)(name, value)
    if found[name] == nil then
      cold(31)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
end
end
else
if number < 10 then
-- 9 audit.key
return function()
  return namespace_prefix .. 'audit'
end
else
if number < 11 then
-- 10 audit.plan
return function()
  cold(19)('XLEN', cold(9)())
end
else
-- 11 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(9)(), 'MAXLEN', '~', cold(41)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
end
end
end
end
else
if number < 18 then
if number < 15 then
if number < 13 then
-- 12 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
if number < 14 then
-- 13 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(31)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(31)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 14 namespace.use_test_time
return function(now)
  namespace_now_us = cold(6)(now or cold(31)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(31)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(12)(namespace_now_us)
end
end
end
else
if number < 16 then
-- 15 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(12)(namespace_now_us)
end
else
if number < 17 then
-- 16 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 17 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
end
end
else
if number < 21 then
if number < 19 then
-- 18 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
if number < 20 then
-- 19 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(18)(key)
  end
  return redis.call(command, key)
end
else
-- 20 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(31)(cold(33)())
  end
end
end
end
else
if number < 22 then
-- 21 namespace.is_here
return function(key)
  return type(redis.pcall('EXISTS', namespace_meta, key)) == 'number'
end
else
if number < 23 then
-- 22 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(38)()
  if namespace_declared then
    cold(23)(first, ...)
  end
end
else
-- 23 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(20)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(38)()
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
if number < 35 then
if number < 29 then
if number < 26 then
if number < 25 then
-- 24 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
end
else
-- 25 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
end
end
else
if number < 27 then
-- 26 patterns.set
return function(text)
  local set = { wanted = {}, out = {} }
  for mark, one in string.gmatch(text, '(!?)([^,]+)') do
    local list = mark == '!' and set.out or set.wanted
    list[#list + 1] = cold(25)(one)
  end
  return set
end
else
if number < 28 then
-- 27 patterns.matches
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
-- 28 patterns.chooser
return function(set)
  local matches, out, wanted = cold(27), set.out, set.wanted
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
end
end
else
if number < 32 then
if number < 30 then
-- 29 patterns.list
return function(text)
  return namespace_prefix .. 'wakes_' .. string.sub(redis.sha1hex(text), 1, 16)
end
else
if number < 31 then
-- 30 patterns.rouse
return function(sets, queue)
  local left = {}
  for text in string.gmatch(sets, '%S+') do
    local list = cold(29)(text)
    if cold(28)(cold(26)(text))(queue) and (not namespace_declared or cold(21)(list)) then
      redis.pcall('LPUSH', list, '1')
    else
      left[#left + 1] = text
    end
  end
  return table.concat(left, ' ')
end
else
-- 31 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(32)() then
    code, text = cold(33)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
else
if number < 33 then
-- 32 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
if number < 34 then
-- 33 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 34 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(33)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
end
end
end
else
if number < 41 then
if number < 38 then
if number < 36 then
-- 35 rights.denied
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
if number < 37 then
-- 36 rights.refuse
return function(name)
  local role = string.match('ADMINISTRATOR', '^%u+$')
  if role and not cold(35)({ name }, 'meta') then
    cold(31)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(31)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 37 rights.check
return function(names)
  local name = cold(35)(names, 'ADMINISTRATOR')
  if name then
    cold(36)(name)
  end
end
end
end
else
if number < 39 then
-- 38 rights.require
return function()
  cold(37)({ 'EXISTS', 'HDEL', 'HGET', 'HINCRBY', 'HMGET', 'HSET', 'LPUSH', 'XADD', 'ZADD', 'ZCARD' })
end
else
if number < 40 then
-- 39 settings.rate
return function(value, what)
  local number, seconds = string.match(value, '^(%d+)/(%d+)$')
  if not number or #number > 4 or #seconds > 6 or tonumber(number) < 1
    or tonumber(number) > 1000 or tonumber(seconds) < 1
    or tonumber(seconds) > 604800 then
    cold(31)('BADARG', string.format('%s must be NUMBER/SECONDS: %d to %d starts in %d to %d seconds', what,
      1, 1000, 1, 604800))
  end
  return value
end
else
-- 40 settings.find
return function(text, name)
  return text and string.match(' ' .. text, ' ' .. name .. '=(%S+)')
end
end
end
end
else
if number < 44 then
if number < 42 then
-- 41 settings.get
return function(queue, name)
  local texts = cold(17)('settings')
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
if number < 43 then
-- 42 settings.since
return function(queue, name)
  cold(41)(queue, name)
  local own, common = unpack(cold(17)('settings')[queue], 1, 2)
  local since = cold(40)(cold(40)(own, name) and own or common, name .. '_since')
  return tonumber(since or 0)
end
else
-- 43 state.plan_wake
return function(queue)
  local asleep = cold(17)('asleep')
  asleep[queue] = cold(19)('LLEN', namespace_prefix .. 'wake_' .. queue) == 0
  if not asleep['*'] then
    asleep['*'], state_roams = true, redis.call('HGET', namespace_meta, 'roams')
  end
end
end
end
else
if number < 45 then
-- 44 state.rouse
return function(queue)
  local left = cold(30)(state_roams, queue)
  if left ~= state_roams then
    state_roams = left
    redis.pcall('HSET', namespace_meta, 'roams', left)
  end
end
else
if number < 46 then
-- 45 contract.option
return function(name, value)
  if name == 'by' then
    return cold(1)(value, name)
  end
end
else
-- 46 contract.setting
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
    return cold(39)(value, what)
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

local function command()
  namespace_open()
  local queue, name, value = contract_arguments()
  local by = cold(8)().by
  local field = queue == '*' and 'settings' or 'settings:' .. queue
  if not cold(4)(name, ' ageing audit backoff closed concurrency delay events forget_after grace graph_bytes history input_bytes jitter keep key_concurrency key_rate lease log_bytes logs_bytes lost_delay max_bytes max_delay max_failures max_losses max_releases max_uncounted rate retain statistics ') then
    cold(31)('BADARG', 'unknown setting: the contract lists all settings')
  elseif value ~= '' then
    cold(46)(name, value, 'the setting')
  end
  if queue ~= '*' and cold(4)(name, ' logs_bytes graph_bytes audit ') then
    cold(31)('BADARG', name .. ' is for all queues together: set it with the queue *')
  end

  local found = redis.call('HMGET', namespace_meta, field, 'limits')
  local rate, begins, kept = string.find(name, 'rate$'), nil, {}
  for other, set in string.gmatch(found[1] or '', '(%S+)=(%S+)') do
    if other ~= name and other ~= name .. '_since' then
      kept[#kept + 1] = other .. '=' .. set
    end
  end
  if value ~= '' then
    kept[#kept + 1] = name .. '=' .. value
    local since = cold(40)(found[1], name .. '_since')
    if rate and not cold(40)(found[1], name) then
      begins = queue == '*' or not cold(41)(queue, name)
      since = string.format('%.0f', begins and namespace_now_us or cold(42)(queue, name))
    end
    kept[#kept + 1] = since and name .. '_since=' .. since or nil
  end
  if queue ~= '*' then
    cold(43)(queue)
  end
  local limit = rate or string.find(name, 'concurrency')
  local before = cold(40)(found[1], name) or ''
  cold(10)()
  cold(22)()
  cold(24)(namespace_meta)
  if begins then
    do
      local us = string.format('%.0f', namespace_now_us)
      redis.call('HSET', namespace_meta, 'clock:1', us)
      if namespace_gap then
        redis.call('HSET', namespace_meta, 'gap', string.format('%.0f', namespace_gap))
      end
    end
  end
  if #kept > 0 then
    redis.call('HSET', namespace_meta, field, table.concat(kept, ' '))
  else
    redis.call('HDEL', namespace_meta, field)
  end
  if limit and queue == '*' and before ~= value then
    redis.call('HINCRBY', namespace_meta, 'limits', 1)
  elseif limit and not found[2] then
    redis.call('HSET', namespace_meta, 'limits', '1')
  end
  if limit and queue ~= '*' then
    redis.call('HSET', namespace_meta, 'sweep:' .. queue, '0')
  end
  if queue ~= '*' and (limit or name == 'ageing') then
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
          if not namespace_declared or cold(21)(ready) then
            redis.pcall('ZADD', ready, '0', queue)
          end
        end
        if state_roams ~= '' then
          cold(44)(queue)
        end
      end
      redis.pcall('PUBLISH', namespace_prefix .. 'channel_' .. queue, '')
    end
  end
  if before ~= value then
    cold(11)(by, 'configure', 'queue', queue, before, value, name)
  end
  return 'configured'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(34)(answer)
