--- A task's log after an entry, or its end. A page ends after 1 MiB of text.
-- @args now id after limit
-- @options tail
-- @reply id of the last entry (`after` again if there is none), then for each its time, attempt, source, text and offset, which is empty if the sender did not pass one
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(11)('BADARG', 'missing argument: ' .. what)
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

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function contract_arguments()
  local id = cold(1)(args_next('id'), 'id')
  local after = cold(4)(args_next('after'), 'after')
  local limit = cold(2)(args_next('limit'), 1, 500, 'limit')
  return id, after, limit
end

function cold(number)
if number < 8 then
if number < 4 then
if number < 2 then
-- 1 args.plain
return function(value, what)
  if #value > 128 or not string.find(value, '^[%w._:@-]+$') then
    cold(11)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
if number < 3 then
-- 2 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(11)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 3 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(11)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
end
else
if number < 6 then
if number < 5 then
-- 4 args.entry
return function(value)
  local ms, number = string.match(value, '^(%d+)%-(%d+)$')
  if value ~= '0' and (not ms or #ms > 19 or #number > 19) then
    cold(11)('BADARG', 'the entry must be 0 or what the previous call returned')
  end
  return value
end
else
-- 5 args.options
return function(last)
  local found = {}
  for i = (last or args_at) + 1, #ARGV, 2 do
    local name, value = ARGV[i], ARGV[i + 1]
    if not value then
      cold(11)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(11)('BADARG', 'an option is given twice')
    end
    found[name] = cold(15)(name, value)
    if found[name] == nil then
      cold(11)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
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
    cold(11)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(11)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
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
  namespace_now_us = cold(3)(now or cold(11)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(11)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
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
-- 11 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(12)() then
    code, text = cold(13)()
  end
  error({ err = code .. ' ' .. text })
end
end
end
else
if number < 14 then
if number < 13 then
-- 12 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 13 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
else
if number < 15 then
-- 14 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(13)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 15 contract.option
return function(name, value)
  if name == 'tail' then
    return cold(2)(value, 1, 1048576, name)
  end
end
end
end
end
end
end

local function command()
  local PAGE, STEP = 1048576, 16

  namespace_open()
  local id, after, limit = contract_arguments()
  local tail = cold(5)().tail
  local key = namespace_key('log', id)
  local from = '(' .. after
  if tail then
    local before, size, number = '+', 0, 0
    repeat
      local entries = redis.call('XREVRANGE', key, before, '(' .. after, 'COUNT', math.min(STEP, limit - number))
      for _, entry in ipairs(entries) do
        if size < tail then
          size, number, from = size + #entry[2][8], number + 1, entry[1]
        end
        before = '(' .. entry[1]
      end
    until #entries < STEP or size >= tail or number == limit
  end
  local answer, size, number = { after }, 0, 0
  repeat
    local entries = redis.call('XRANGE', key, from, '+', 'COUNT', math.min(STEP, limit - number))
    for _, entry in ipairs(entries) do
      size = size + #entry[2][8]
      if size <= PAGE then
        number, answer[1], from = number + 1, entry[1], '(' .. entry[1]
        for i = 2, 8, 2 do
          answer[#answer + 1] = entry[2][i]
        end
        answer[#answer + 1] = string.match(entry[2][7], '^text (%d+)$') or ''
      end
    end
  until #entries < STEP or size > PAGE or number == limit
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(14)(answer)
