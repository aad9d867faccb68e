--- The fields of a schedule.
-- @args now name
-- @reply field and value in turn, and its `state`: `active`, `paused`, `ended`, or `dry` (a client must supply its next slots)
-- @errors NOSCHEDULE

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
      clock = cold(4)()
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
      cold(5)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(6)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(7)(floor)
    end
  end
end

local function contract_arguments()
  local name = cold(15)(args_next('name'), 'name')
  cold(2)()
  return name
end

function cold(number)
if number < 11 then
if number < 6 then
if number < 3 then
if number < 2 then
-- 1 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(11)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 2 args.none
return function()
  if #ARGV > args_at then
    cold(11)('BADARG', 'too many arguments: this command takes no options')
  end
end
end
else
if number < 4 then
-- 3 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
if number < 5 then
-- 4 namespace.check_new
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
else
-- 5 namespace.use_test_time
return function(now)
  namespace_now_us = cold(1)(now or cold(11)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(11)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(3)(namespace_now_us)
end
end
end
end
else
if number < 8 then
if number < 7 then
-- 6 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(3)(namespace_now_us)
end
else
-- 7 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
end
else
if number < 9 then
-- 8 namespace.key
return function(kind, name)
  return namespace_prefix .. kind .. '_' .. name
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
-- 10 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(11)(cold(13)())
  end
end
end
end
end
end
else
if number < 16 then
if number < 13 then
if number < 12 then
-- 11 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(12)() then
    code, text = cold(13)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 12 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
else
if number < 14 then
-- 13 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
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
-- 15 schedules.name
return function(value)
  if #value > 100 or not string.find(value, '^[%w._:@-]+$') then
    cold(11)('BADNAME', 'name must be 1 to ' .. 100 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
end
end
end
else
if number < 18 then
if number < 17 then
-- 16 schedules.rhythm
return function(value)
  local every, offset = string.match(value, '^every (%d+) ?(%d*)$')
  if every and #every <= 9 and #offset <= 9 and (offset ~= '' or string.sub(value, -1) ~= ' ') then
    every, offset = tonumber(every), tonumber(offset ~= '' and offset or 0)
    if every <= 315360000 and offset < every then
      return string.format('every %d %d', every, offset), every, offset
    end
  end
  if #value <= 256 and string.find(value,
    '^cron [%w/_+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+ [%w*,/#?+-]+$') then
    return value
  end
  cold(11)('BADARG', 'the rhythm must be `every SECONDS OFFSET` (1 to ' .. 315360000
    .. ' seconds, an offset below that), or `cron ZONE` and five fields, in ' .. 256 .. ' characters')
end
else
-- 17 schedules.find
return function(name)
  local key = cold(9)(cold(8)('schedule', name))
  local flat, found = redis.call('HGETALL', key), {}
  for i = 1, #flat, 2 do
    found[flat[i]] = flat[i + 1]
  end
  if not found.rhythm then
    return nil
  end
  found.name, found.key = name, key
  return cold(18)(found)
end
end
else
if number < 19 then
-- 18 schedules.read
return function(schedule)
  schedule.every, schedule.offset = select(2, cold(16)(schedule.rhythm))
  schedule.list = {}
  for slot in string.gmatch(schedule.slots or '', '%d+') do
    schedule.list[#schedule.list + 1] = tonumber(slot)
  end
  schedule.unfinished = {}
  for id in string.gmatch(schedule.tasks or schedule.last_task or '', '%S+') do
    schedule.unfinished[#schedule.unfinished + 1] = id
  end
  return schedule
end
else
if number < 20 then
-- 19 schedules.get
return function(name)
  local schedule = cold(17)(name)
  if not schedule then
    cold(10)(cold(8)('schedule', name))
    cold(11)('NOSCHEDULE', 'no schedule has this name: it never existed, or was removed')
  end
  return schedule
end
else
-- 20 schedules.state
return function(paused, ended, coming)
  return paused and 'paused' or ended and 'ended' or coming and 'active' or 'dry'
end
end
end
end
end
end
end

local function command()
  namespace_open()
  local name = contract_arguments()
  local schedule = cold(19)(name)
  local answer = redis.call('HGETALL', schedule.key)
  answer[#answer + 1], answer[#answer + 2] = 'state', cold(20)(schedule.paused, schedule.ended, schedule.next)
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(14)(answer)
