--- Stores the progress of an attempt, for people.
-- @args now id token progress
-- @role worker
-- @reply `kept`
-- @errors LOST TOOBIG

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(17)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(7)()
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
      cold(8)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(9)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(10)(floor)
    end
  end
end

local owner_found_stale = false

local function owner_task(id, token, endings, ...)
  local key = namespace_prefix .. 'task_' .. id
  local v = redis.call('HMGET', key, 'status', 'token', 'node', 'attempt', 'queue', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  local status = v[1]
  if v[2] ~= token or not (status == 'started' or status == 'reserved') then
    return cold(16)(id, token, endings)
  end
  if namespace_declared then
    cold(11)(key)
  end
  local task = {
    id = id, status = status, token = token, node = v[3], attempt = v[4], queue = v[5], pid = v[6] or '', last = false,
    since = v[8],
  }
  if v[7] then
    task.cancel = v[7]
  end
  if v[9] then
    task.ties = v[9]
  end
  if v[10] then
    task.recall = v[10]
  end
  return task, v[11]
end

local function contract_arguments()
  local id = args_next('id')
  local token = args_next('token')
  local progress = cold(4)(args_next('progress'), 4096, 'progress')
  cold(5)()
  return id, token, progress
end

function cold(number)
if number < 16 then
if number < 8 then
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
-- 2 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(17)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 3 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(17)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
else
if number < 6 then
if number < 5 then
-- 4 args.bytes
return function(value, most, what)
  if #value > most then
    cold(17)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end
else
-- 5 args.none
return function()
  if #ARGV > args_at then
    cold(17)('BADARG', 'too many arguments: this command takes no options')
  end
end
end
else
if number < 7 then
-- 6 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 7 namespace.check_new
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
end
else
if number < 12 then
if number < 10 then
if number < 9 then
-- 8 namespace.use_test_time
return function(now)
  namespace_now_us = cold(3)(now or cold(17)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(17)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(6)(namespace_now_us)
end
else
-- 9 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(6)(namespace_now_us)
end
end
else
if number < 11 then
-- 10 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
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
    cold(17)(cold(19)())
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
  cold(24)()
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
    cold(24)()
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
if number < 24 then
if number < 20 then
if number < 18 then
if number < 17 then
-- 16 owner.stale
return function(id, token, endings)
  owner_found_stale = true
  cold(1)(id, 'id')
  cold(2)(token, 1, 9007199254740991, 'token')
  cold(13)(namespace_prefix .. 'task_' .. id)
  local last = redis.call('HMGET', namespace_prefix .. 'task_' .. id, 'ended', 'outcome', 'group')
  local discarded = last[2] == 'failed' and last[3] == 'deadline'
  if last[1] == token and last[2] and (string.find(endings, last[2] .. ' ', 1, true)
    or discarded and string.find(endings, 'discarded', 1, true)) then
    return nil, last[2]
  end
  cold(17)('LOST', 'this attempt no longer holds the task: stop the work and discard its result')
end
else
-- 17 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(18)() then
    code, text = cold(19)()
  end
  error({ err = code .. ' ' .. text })
end
end
else
if number < 19 then
-- 18 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 19 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
end
else
if number < 22 then
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
else
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
end
end
else
if number < 28 then
if number < 26 then
if number < 25 then
-- 24 rights.require
return function()
  cold(23)({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'XADD', 'ZCARD' })
end
else
-- 25 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
end
else
if number < 27 then
-- 26 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
else
-- 27 tracks.has
return function(task)
  return task.ties and string.find(task.ties, 'o', 1, true)
end
end
end
else
if number < 30 then
if number < 29 then
-- 28 tracks.plan
return function()
  cold(12)('XLEN', cold(26)())
  cold(12)('ZCARD', cold(25)())
end
else
-- 29 tracks.plan_value
return function(task, field, value)
  if cold(27)(task) then
    cold(28)()
    return redis.call('HGET', namespace_prefix .. 'task_' .. task.id, field) ~= value
  end
end
end
else
if number < 31 then
-- 30 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(26)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(26)(), '')
end
else
-- 31 tracks.note
return function(task, what, by, text, why)
  if cold(27)(task) then
    cold(30)(task, namespace_now, what, task.status, task.status, by, why or what, text)
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
  local id, token, progress = contract_arguments()
  local task, fruitless = owner_task(id, token, '', 'fruitless')
  local told = cold(29)(task, 'progress', progress)
  cold(14)()
  redis.call('HSET', namespace_prefix .. 'task_' .. id, 'progress', progress, 'progressed', namespace_now)
  if fruitless then
    redis.call('HDEL', namespace_prefix .. 'task_' .. id, 'fruitless')
  end
  if told then
    cold(31)(task, 'progress', task.node, progress)
  end
  return 'kept'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(20)(answer)
