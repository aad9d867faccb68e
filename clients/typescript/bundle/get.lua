--- The whole record of a task.
-- @args now id
-- @reply nil, or field and value in turn
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(14)('BADARG', 'missing argument: ' .. what)
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
  cold(3)()
  return id
end

function cold(number)
if number < 9 then
if number < 5 then
if number < 3 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(14)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(14)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
else
if number < 4 then
-- 3 args.none
return function()
  if #ARGV > args_at then
    cold(14)('BADARG', 'too many arguments: this command takes no options')
  end
end
else
-- 4 graphs.key
return function(graph)
  return cold(11)('graph', graph)
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 graphs.is_created
return function(id)
  return redis.call('HGET', cold(4)(id), 'state') == 'created'
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
else
-- 8 namespace.use_test_time
return function(now)
  namespace_now_us = cold(2)(now or cold(14)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(14)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(6)(namespace_now_us)
end
end
end
end
else
if number < 13 then
if number < 11 then
if number < 10 then
-- 9 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(6)(namespace_now_us)
end
else
-- 10 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
else
if number < 12 then
-- 11 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end
else
-- 12 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(14)(cold(16)())
  end
end
end
end
else
if number < 15 then
if number < 14 then
-- 13 record.whole
return function(id)
  local key = namespace_prefix .. 'task_' .. id
  local fields = redis.call('HGETALL', key)
  if #fields == 0 then
    cold(12)(key)
    return false
  end
  for i = 1, #fields, 2 do
    if fields[i] == 'status' then
      return fields
    end
  end
  local graph = redis.call('HGET', key, 'graph')
  if graph then
    fields[#fields + 1], fields[#fields + 2] = 'status', 'waiting'
    return cold(5)(graph) and fields or false
  end
  return fields
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
else
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
end
end
end
end

local function command()
  namespace_open()
  local id = contract_arguments()
  return cold(13)(id)
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(17)(answer)
