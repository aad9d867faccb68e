--- Tracks a task: from now on each of its changes is an entry of `changes`, in whatever queue it is, until `untrack` or until it is deleted.
-- @args now id
-- @role client
-- @options by
-- @reply `tracked`
-- @errors NOTASK TOOMANY
-- @since 0.2.0

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(14)('BADARG', 'missing argument: ' .. what)
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
      clock = cold(5)()
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
      cold(6)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(7)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(8)(floor)
    end
  end
end

local function record_find(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(9)(key)
  end
  local v = redis.call('HMGET', key, 'status', 'queue', 'attempt', 'token', 'node', 'pid', 'cancel', 'updated', 'ties',
    'recall', ...)
  if not v[1] then
    return nil
  end
  return {
    id = id, key = key, status = v[1], queue = v[2] or '', attempt = v[3] or '0', foreign = not v[3],
    token = v[4] or '', node = v[5] or '', pid = v[6] or '', cancel = v[7], since = v[8], ties = v[9] or nil,
    recall = v[10], extra = { unpack(v, 11, 10 + select('#', ...)) },
  }
end

local function record_get(id, ...)
  local task = record_find(id, ...)
  if not task or task.queue == '' then
    cold(11)(namespace_prefix .. 'task_' .. id)
    cold(14)('NOTASK', 'no task has this id: it was never submitted, or was deleted, or removed by retention')
  end
  return task
end

local function contract_arguments()
  local id = cold(1)(args_next('id'), 'id')
  return id
end

function cold(number)
if number < 15 then
if number < 8 then
if number < 4 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(14)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
if number < 3 then
-- 2 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(14)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 3 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(14)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(14)('BADARG', 'an option is given twice')
    end
    found[name] = cold(29)(name, value)
    if found[name] == nil then
      cold(14)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
end
end
else
if number < 6 then
if number < 5 then
-- 4 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 5 namespace.check_new
return function()
  local name = string.match(namespace_meta, '^([%w.:{}-]+)_meta$')
  if #KEYS ~= 1 or not name or #name > 64
    or (string.find(name, '[{}]') and not string.find(name, '^[%w.:-]*{[%w.:-]+}[%w.:-]*$')) then
    cold(14)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(14)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
end
else
if number < 7 then
-- 6 namespace.use_test_time
return function(now)
  namespace_now_us = cold(2)(now or cold(14)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(14)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(4)(namespace_now_us)
end
else
-- 7 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(4)(namespace_now_us)
end
end
end
end
else
if number < 11 then
if number < 9 then
-- 8 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
if number < 10 then
-- 9 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
-- 10 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(9)(key)
  end
  return redis.call(command, key)
end
end
end
else
if number < 13 then
if number < 12 then
-- 11 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(14)(cold(16)())
  end
end
else
-- 12 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(21)()
  if namespace_declared then
    cold(13)(first, ...)
  end
end
end
else
if number < 14 then
-- 13 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(11)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(21)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 14 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(15)() then
    code, text = cold(16)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
end
end
else
if number < 22 then
if number < 18 then
if number < 16 then
-- 15 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
if number < 17 then
-- 16 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 17 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(16)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
end
end
else
if number < 20 then
if number < 19 then
-- 18 rights.denied
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
-- 19 rights.refuse
return function(name)
  local role = string.match('CLIENT', '^%u+$')
  if role and not cold(18)({ name }, 'meta') then
    cold(14)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(14)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
end
else
if number < 21 then
-- 20 rights.check
return function(names)
  local name = cold(18)(names, 'CLIENT')
  if name then
    cold(19)(name)
  end
end
else
-- 21 rights.require
return function()
  cold(20)({ 'EXISTS', 'HGET', 'HMGET', 'HSET', 'XADD', 'ZADD', 'ZCARD', 'ZRANGE', 'ZREM' })
end
end
end
end
else
if number < 26 then
if number < 24 then
if number < 23 then
-- 22 tracks.all
return function()
  return namespace_prefix .. 'tracked'
end
else
-- 23 tracks.key
return function()
  return namespace_prefix .. 'changes'
end
end
else
if number < 25 then
-- 24 tracks.has
return function(task)
  return task.ties and string.find(task.ties, 'o', 1, true)
end
else
-- 25 tracks.plan
return function()
  cold(10)('XLEN', cold(23)())
  cold(10)('ZCARD', cold(22)())
end
end
end
else
if number < 28 then
if number < 27 then
-- 26 tracks.add
return function(task, at, what, from, to, by, why, text)
  redis.call('XADD', cold(23)(), 'MAXLEN', '~', '10000', '*', 'id', task.id, 'queue', task.queue, 'what', what,
    'from', from or '', 'to', to, 'attempt', task.attempt, 'at', at, 'by', by or '', 'why', why,
    'text', string.sub(text or '', 1, 1024))
  redis.pcall('PUBLISH', cold(23)(), '')
end
else
-- 27 tracks.note
return function(task, what, by, text, why)
  if cold(24)(task) then
    cold(26)(task, namespace_now, what, task.status, task.status, by, why or what, text)
  end
end
end
else
if number < 29 then
-- 28 tracks.stale
return function()
  local gone = {}
  for _, id in ipairs(redis.call('ZRANGE', cold(22)(), 0, 1000)) do
    if not record_find(id) then
      gone[#gone + 1] = id
    end
  end
  return gone
end
else
-- 29 contract.option
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

local function command()
  namespace_open()
  local id = contract_arguments()
  local by = cold(3)().by
  local task = record_get(id)
  cold(25)()
  if cold(24)(task) and redis.call('ZSCORE', cold(22)(), id) then
    return 'tracked'
  end
  local gone = {}
  if redis.call('ZCARD', cold(22)()) >= 1000 then
    gone = cold(28)()
    if not gone[1] then
      cold(14)('TOOMANY', 1000 .. ' tasks are tracked already: untrack some, also of those that have ended')
    end
  end
  cold(12)()
  redis.call('ZADD', cold(22)(), namespace_now, id)
  if gone[1] then
    redis.call('ZREM', cold(22)(), unpack(gone))
  end
  if not cold(24)(task) then
    task.ties = (task.ties or '') .. 'o'
    redis.call('HSET', task.key, 'ties', task.ties)
  end
  cold(27)(task, 'track', by)
  return 'tracked'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(17)(answer)
