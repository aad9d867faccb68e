--- Removes tags from a task, in any state.
-- @args now id count tag*count
-- @role client
-- @reply its tags
-- @errors NOTASK

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

local function contract_arguments()
  local id = cold(1)(args_next('id'), 'id')
  local count = cold(2)(args_next('count'), 1, 16, 'count')
  return id, count
end

function cold(number)
if number < 20 then
if number < 10 then
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
-- 4 args.none
return function()
  if #ARGV > args_at then
    cold(20)('BADARG', 'too many arguments: this command takes no options')
  end
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
-- 6 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
else
if number < 8 then
-- 7 namespace.check_new
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
else
if number < 9 then
-- 8 namespace.use_test_time
return function(now)
  namespace_now_us = cold(3)(now or cold(20)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(20)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
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
end
end
end
else
if number < 15 then
if number < 12 then
if number < 11 then
-- 10 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 11 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
end
else
if number < 13 then
-- 12 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
if number < 14 then
-- 13 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(12)(key)
  end
  return redis.call(command, key)
end
else
-- 14 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(20)(cold(22)())
  end
end
end
end
end
else
if number < 17 then
if number < 16 then
-- 15 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(27)()
  if namespace_declared then
    cold(16)(first, ...)
  end
end
else
-- 16 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(14)(unpack(keys, i, math.min(#keys, i + 4999)))
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
end
else
if number < 18 then
-- 17 record.find
return function(id, ...)
  local key = namespace_prefix .. 'task_' .. id
  if namespace_declared then
    cold(12)(key)
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
else
if number < 19 then
-- 18 record.get
return function(id, ...)
  local task = cold(17)(id, ...)
  if not task or task.queue == '' then
    cold(14)(namespace_prefix .. 'task_' .. id)
    cold(20)('NOTASK', 'no task has this id: it was never submitted, or was deleted, or removed by retention')
  end
  return task
end
else
-- 19 record.created
return function(id)
  return tonumber(redis.call('HGET', namespace_prefix .. 'task_' .. id, 'created') or 0)
end
end
end
end
end
end
else
if number < 30 then
if number < 25 then
if number < 22 then
if number < 21 then
-- 20 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(21)() then
    code, text = cold(22)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 21 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
else
if number < 23 then
-- 22 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
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
if number < 27 then
if number < 26 then
-- 25 rights.refuse
return function(name)
  local role = string.match('CLIENT', '^%u+$')
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
  local name = cold(24)(names, 'CLIENT')
  if name then
    cold(25)(name)
  end
end
end
else
if number < 28 then
-- 27 rights.require
return function()
  cold(26)({ 'EXISTS', 'HDEL', 'HGET', 'HMGET', 'HSET', 'ZADD', 'ZCARD', 'ZREM' })
end
else
if number < 29 then
-- 28 tags.key
return function(queue, tag)
  return namespace_prefix .. 'tag_' .. queue .. '/' .. tag
end
else
-- 29 tags.names
return function(text)
  local names = {}
  for tag in string.gmatch(text or '', '[^,]+') do
    names[#names + 1] = tag
  end
  return names
end
end
end
end
end
else
if number < 35 then
if number < 32 then
if number < 31 then
-- 30 tags.plan
return function(queue, text)
  cold(13)('ZCARD', cold(11)('tags', queue))
  for _, tag in ipairs(cold(29)(text)) do
    cold(13)('ZCARD', cold(28)(queue, tag))
  end
end
else
-- 31 tags.enter
return function(queue, id, created, text)
  for _, tag in ipairs(cold(29)(text)) do
    local key = cold(28)(queue, tag)
    redis.call('ZADD', key, created, id)
    redis.call('ZADD', cold(11)('tags', queue), redis.call('ZCARD', key), tag)
  end
end
end
else
if number < 33 then
-- 32 tags.remove
return function(key, counts, name, id)
  local left = redis.call('ZCARD', key)
  left = left - redis.call('ZREM', key, id)
  if left > 0 then
    redis.call('ZADD', counts, left, name)
  else
    redis.call('ZREM', counts, name)
  end
end
else
if number < 34 then
-- 33 tags.leave
return function(queue, id, text)
  for _, tag in ipairs(cold(29)(text)) do
    cold(32)(cold(28)(queue, tag), cold(11)('tags', queue), tag, id)
  end
end
else
-- 34 tags.asked
return function(count)
  local names = {}
  for i = 1, count do
    names[i] = cold(1)(args_next('tag'), 'tag')
  end
  cold(4)()
  return names
end
end
end
end
else
if number < 37 then
if number < 36 then
-- 35 tags.read
return function(id)
  local task, set = cold(18)(id, 'tags', 'created'), {}
  task.created = task.extra[2] or '0'
  for _, tag in ipairs(cold(29)(task.extra[1])) do
    set[tag] = true
  end
  return task, set
end
else
-- 36 tags.without
return function(text, other)
  local names, others = {}, ',' .. (other or '') .. ','
  for tag in string.gmatch(text or '', '[^,]+') do
    if not string.find(others, ',' .. tag .. ',', 1, true) then
      names[#names + 1] = tag
    end
  end
  return table.concat(names, ',')
end
end
else
if number < 38 then
-- 37 tags.plan_swap
return function(task, had, wanted)
  task.tags_gone, task.tags_come = cold(36)(had, wanted), cold(36)(wanted, had)
  task.created = task.created or cold(19)(task.id)
  cold(30)(task.queue, task.tags_gone)
  cold(30)(task.queue, task.tags_come)
end
else
if number < 39 then
-- 38 tags.swap
return function(task)
  cold(33)(task.queue, task.id, task.tags_gone)
  cold(31)(task.queue, task.id, task.created, task.tags_come)
end
else
-- 39 tags.change
return function(task, wanted)
  local names = {}
  for tag in pairs(wanted) do
    names[#names + 1] = tag
  end
  table.sort(names, cold(5))
  cold(37)(task, task.extra[1], table.concat(names, ','))
  if task.tags_gone .. task.tags_come == '' then
    return names
  end
  cold(15)()
  cold(38)(task)
  local ties = string.gsub(task.ties or '', 't', '')
  if #names > 0 then
    redis.call('HSET', task.key, 'tags', table.concat(names, ','), 'ties', ties .. 't')
  elseif ties ~= '' then
    redis.call('HDEL', task.key, 'tags')
    redis.call('HSET', task.key, 'ties', ties)
  else
    redis.call('HDEL', task.key, 'tags', 'ties')
  end
  return names
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
  local id, count = contract_arguments()
  local names = cold(34)(count)
  local task, wanted = cold(35)(id)
  for _, tag in ipairs(names) do
    wanted[tag] = nil
  end
  return cold(39)(task, wanted)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(23)(answer)
