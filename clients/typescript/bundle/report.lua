--- Reports every ten seconds that a worker is alive, what it serves and how many slots are free; registers it again if it was forgotten.
-- @args now listener slots free count queue*count
-- @role worker
-- @options has name version draining methods trouble patterns
-- @reply for each queue `continue`, or `drain` if the worker is ordered to drain it
-- @errors TOOBIG

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(27)('BADARG', 'missing argument: ' .. what)
end

local namespace_meta = KEYS[1] or ''

local namespace_prefix = string.sub(namespace_meta, 1, -5)

local namespace_declared = not string.find(namespace_meta, '^[^_{]*_meta$') and {}

local namespace_shared_tables = false

local namespace_gap = false

local namespace_now_us = 0

local namespace_now = ''

local function namespace_open_with(...)
  local found = redis.call('HMGET', namespace_meta, 'clock:1', ...)
  do
    local clock = found[1]
    if not clock or #KEYS ~= 1 or namespace_declared and not string.find(namespace_meta, '^[^_]*_meta$') then
      clock = cold(14)()
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
      cold(15)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(16)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(17)(floor)
    end
  end
  return found
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function workers_moment(seconds)
  return math.floor(tonumber(seconds) * 1000000 + 0.5)
end

local function workers_key(listener)
  return namespace_prefix .. 'worker_' .. listener
end

local function contract_arguments()
  local listener = cold(3)(args_next('listener'), 'listener')
  local slots = cold(5)(args_next('slots'), 1, 100000, 'slots')
  local free = cold(5)(args_next('free'), 0, 100000, 'free')
  local count = cold(5)(args_next('count'), 0, 32, 'count')
  return listener, slots, free, count
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
    cold(27)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.different_queues
return function(count)
  local queues, named = {}, {}
  for i = 1, count do
    local queue = cold(1)(args_next('queue'), 'queue')
    if named[queue] then
      cold(27)('BADARG', 'a queue is named twice in one call')
    end
    queues[i], named[queue] = queue, true
  end
  return queues
end
end
else
if number < 4 then
-- 3 args.listener
return function(value)
  if #value > 200 or not string.find(value, '^[%w.:-]+_%d+$') then
    cold(27)('BADNAME', 'a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits')
  end
  return value
end
else
-- 4 args.flag
return function(value, what)
  if value ~= '0' and value ~= '1' then
    cold(27)('BADARG', what .. ' must be 0 or 1')
  end
  return value == '1'
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(27)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 6 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(27)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
else
if number < 8 then
-- 7 args.bytes
return function(value, most, what)
  if #value > most then
    cold(27)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end
else
if number < 9 then
-- 8 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(27)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(27)('BADARG', 'an option is given twice')
    end
    found[name] = cold(36)(name, value)
    if found[name] == nil then
      cold(27)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 9 args.has
return function(value, what)
  local number = 0
  for one in string.gmatch((value == '' or #value > 1024) and '' or value .. ',', '([^,]*),') do
    local name, amount = string.match(one, '^([%w_.-]+)(.*)$')
    number = number + 1
    if not name or #name > 64 or #amount > 17
      or amount ~= '' and not string.find(amount, '^=%d+%.?%d*$') then
      cold(27)('BADARG', what .. ' must be names, each with = and a number or without, separated by commas')
    end
  end
  if number > 32 or #value > 1024 then
    cold(27)('BADARG', what .. ' may be ' .. 32 .. ' at most, in '
      .. 1024 .. ' characters')
  end
  return value
end
end
end
end
end
else
if number < 14 then
if number < 12 then
if number < 11 then
-- 10 args.methods
return function(value, what)
  if #value > 8192 or not string.find(value, '^[%w._:@%-,*]*$') then
    cold(27)('BADARG', what .. ' must be names separated by commas, at most '
      .. 8192 .. ' bytes, or *')
  end
  return value
end
else
-- 11 listeners.equip
return function(queue, listener, has)
  if has ~= '' then
    redis.call('HSET', namespace_key('has', queue), listener, has)
  else
    redis.call('HDEL', namespace_key('has', queue), listener)
  end
end
end
else
if number < 13 then
-- 12 listeners.seen
return function(queue, listener)
  redis.call('ZADD', namespace_key('seen', queue), namespace_now, listener)
end
else
-- 13 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
end
else
if number < 16 then
if number < 15 then
-- 14 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(27)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(27)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 15 namespace.use_test_time
return function(now)
  namespace_now_us = cold(6)(now or cold(27)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(27)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(13)(namespace_now_us)
end
end
else
if number < 17 then
-- 16 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(13)(namespace_now_us)
end
else
if number < 18 then
-- 17 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 18 namespace.declare
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
end
end
else
if number < 28 then
if number < 23 then
if number < 21 then
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
    cold(27)(cold(29)())
  end
end
end
else
if number < 22 then
-- 21 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(34)()
  if namespace_declared then
    cold(22)(first, ...)
  end
end
else
-- 22 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(20)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(34)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
end
end
else
if number < 25 then
if number < 24 then
-- 23 patterns.one
return function(value, what)
  if #value > 128 or not string.find(value, '^!?[%w._:@*-]+$') then
    cold(27)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ - *,'
      .. ' after a ! for queues to leave out')
  end
  return value
end
else
-- 24 patterns.text
return function(value, what)
  if #value > 4096 then
    cold(27)('BADARG', what .. ' may have ' .. 4096 .. ' characters in all: use fewer, wider ones')
  end
  for one in string.gmatch(value .. ',', '([^,]*),') do
    cold(23)(one, what)
  end
  if not cold(26)(value).wanted[1] then
    cold(27)('BADARG', what .. ' match nothing: each leaves queues out, and none says which to take, such as *')
  end
  return value
end
end
else
if number < 26 then
-- 25 patterns.parse
return function(text)
  local parts = {}
  for part in string.gmatch(text .. '*', '([^*]*)%*') do
    parts[#parts + 1] = part
  end
  return { text = #parts == 1 and text, parts = parts }
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
-- 27 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(28)() then
    code, text = cold(29)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
end
end
else
if number < 32 then
if number < 30 then
if number < 29 then
-- 28 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 29 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
else
if number < 31 then
-- 30 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(29)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 31 rights.denied
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
if number < 34 then
if number < 33 then
-- 32 rights.refuse
return function(name)
  local role = string.match('WORKER', '^%u+$')
  if role and not cold(31)({ name }, 'meta') then
    cold(27)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(27)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 33 rights.check
return function(names)
  local name = cold(31)(names, 'WORKER')
  if name then
    cold(32)(name)
  end
end
end
else
if number < 35 then
-- 34 rights.require
return function()
  cold(33)({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'SADD', 'ZADD', 'ZCARD', 'ZINCRBY', 'ZREM' })
end
else
if number < 36 then
-- 35 settings.value
return function(own, common, name)
  local pattern = ' ' .. name .. '=(%S+)'
  return own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
    or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
end
else
-- 36 contract.option
return function(name, value)
  if name == 'has' then
    return cold(9)(value, name)
  elseif name == 'name' or name == 'version' then
    return cold(1)(value, name)
  elseif name == 'draining' then
    return cold(4)(value, name)
  elseif name == 'methods' then
    return cold(10)(value, name)
  elseif name == 'trouble' then
    return cold(7)(value, 1024, name)
  elseif name == 'patterns' then
    return cold(24)(value, name)
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
  local meta = namespace_open_with('settings')
  local listener, slots, free, count = contract_arguments()
  if free > slots then
    cold(27)('BADARG', string.format('free must be a whole number from 0 to %.0f', slots))
  end
  local queues = cold(2)(count)
  local options = cold(8)()
  if count == 0 and not options.patterns then
    cold(27)('BADARG', 'count must be at least 1 without patterns: a worker serves a queue')
  end

  local key, all = workers_key(listener), namespace_prefix .. 'workers'
  local v = redis.call('HMGET', key, 'since', 'at')
  local alive = v[1] and v[2] and namespace_now_us - workers_moment(v[2]) <= (30 * 1000000)
  cold(18)(key)
  cold(19)('ZCARD', all)
  local answer, fresh, changed = {}, {}, {}
  for i, queue in ipairs(queues) do
    fresh[i] = redis.call('SISMEMBER', cold(18)(namespace_key('listeners', queue)), listener) == 0
    cold(19)('ZCARD', namespace_key('seen', queue))
    if fresh[i] then
      cold(19)('ZCARD', namespace_prefix .. 'queues')
    end
    local own = options.has and (redis.call('HGET', cold(18)(namespace_key('has', queue)), listener) or '')
    changed[i] = own and own ~= options.has
    answer[i] = redis.call('HEXISTS', namespace_key('orders', queue), 'l:' .. listener) == 1 and 'drain' or 'continue'
  end
  local keep = tonumber(cold(35)(nil, meta[2], 'forget_after')) * 1000000
  cold(21)()

  redis.call('ZREM', all, '')
  redis.call('ZADD', all, cold(13)(namespace_now_us + keep), listener)
  redis.call('HSET', key, 'queues', table.concat(queues, ','), 'slots', slots, 'free', free, 'has', options.has or '',
    'name', options.name or '', 'version', options.version or '', 'draining', options.draining and '1' or '0',
    'methods', options.methods or '', 'trouble', options.trouble or '', 'patterns', options.patterns or '',
    'since', alive and v[1] or namespace_now,
    'at', namespace_now)
  for i, queue in ipairs(queues) do
    cold(12)(queue, listener)
    if fresh[i] then
      redis.call('SADD', namespace_key('listeners', queue), listener)
      redis.call('ZINCRBY', namespace_prefix .. 'queues', 1, queue)
    end
    if changed[i] then
      cold(11)(queue, listener, options.has)
    end
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(30)(answer)
