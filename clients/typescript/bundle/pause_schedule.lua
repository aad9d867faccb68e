--- Stops a schedule from creating tasks. Slots that pass meanwhile create none.
-- @args now name by reason
-- @role administrator
-- @reply `paused`
-- @errors NOSCHEDULE TOOBIG

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(21)('BADARG', 'missing argument: ' .. what)
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

local function contract_arguments()
  local name = cold(29)(args_next('name'), 'name')
  local by = cold(1)(args_next('by'), 'by')
  local reason = cold(3)(args_next('reason'), 1024, 'reason')
  cold(4)()
  return name, by, reason
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
    cold(21)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(21)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
else
if number < 4 then
-- 3 args.bytes
return function(value, most, what)
  if #value > most then
    cold(21)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
      what, #value, most))
  end
  return value
end
else
if number < 5 then
-- 4 args.none
return function()
  if #ARGV > args_at then
    cold(21)('BADARG', 'too many arguments: this command takes no options')
  end
end
else
-- 5 audit.key
return function()
  return namespace_prefix .. 'audit'
end
end
end
end
else
if number < 8 then
if number < 7 then
-- 6 audit.plan
return function()
  cold(16)('XLEN', cold(5)())
end
else
-- 7 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(5)(), 'MAXLEN', '~', cold(40)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
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
    cold(21)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(21)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
      .. '): use the bundle that created it, or upgrade all clients')
  end
  namespace_declared = namespace_declared or {}
  namespace_declared.unborn = true
  return 0
end
else
-- 10 namespace.use_test_time
return function(now)
  namespace_now_us = cold(2)(now or cold(21)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(21)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
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
    cold(21)(cold(23)())
  end
end
end
else
if number < 19 then
-- 18 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(28)()
  if namespace_declared then
    cold(19)(first, ...)
  end
end
else
if number < 20 then
-- 19 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(17)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(28)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 20 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
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
-- 21 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(22)() then
    code, text = cold(23)()
  end
  error({ err = code .. ' ' .. text })
end
else
-- 22 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
end
else
if number < 24 then
-- 23 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
if number < 25 then
-- 24 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(23)()
    text = code .. ' ' .. why
  elseif string.find(text, "^%-?ERR The user executing the script can't")
    or string.find(text, '^%-?%u+ ACL failure in script') then
    text = 'NOPERM this user may not run all that this call needs: hello answers what is missing; nothing was changed'
  end
  return redis.error_reply(text)
end
else
-- 25 rights.denied
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
if number < 28 then
if number < 27 then
-- 26 rights.refuse
return function(name)
  local role = string.match('ADMINISTRATOR', '^%u+$')
  if role and not cold(25)({ name }, 'meta') then
    cold(21)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(21)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 27 rights.check
return function(names)
  local name = cold(25)(names, 'ADMINISTRATOR')
  if name then
    cold(26)(name)
  end
end
end
else
if number < 29 then
-- 28 rights.require
return function()
  cold(27)({ 'EXISTS', 'HDEL', 'HGET', 'HGETALL', 'HMGET', 'HSET', 'XADD', 'ZADD', 'ZCARD', 'ZREM' })
end
else
if number < 30 then
-- 29 schedules.name
return function(value)
  if #value > 100 or not string.find(value, '^[%w._:@-]+$') then
    cold(21)('BADNAME', 'name must be 1 to ' .. 100 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 30 schedules.rhythm
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
  cold(21)('BADARG', 'the rhythm must be `every SECONDS OFFSET` (1 to ' .. 315360000
    .. ' seconds, an offset below that), or `cron ZONE` and five fields, in ' .. 256 .. ' characters')
end
end
end
end
end
else
if number < 36 then
if number < 33 then
if number < 32 then
-- 31 schedules.find
return function(name)
  local key = cold(15)(cold(13)('schedule', name))
  local flat, found = redis.call('HGETALL', key), {}
  for i = 1, #flat, 2 do
    found[flat[i]] = flat[i + 1]
  end
  if not found.rhythm then
    return nil
  end
  found.name, found.key = name, key
  return cold(32)(found)
end
else
-- 32 schedules.read
return function(schedule)
  schedule.every, schedule.offset = select(2, cold(30)(schedule.rhythm))
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
end
else
if number < 34 then
-- 33 schedules.get
return function(name)
  local schedule = cold(31)(name)
  if not schedule then
    cold(17)(cold(13)('schedule', name))
    cold(21)('NOSCHEDULE', 'no schedule has this name: it never existed, or was removed')
  end
  return schedule
end
else
if number < 35 then
-- 34 schedules.probe
return function()
  cold(16)('ZCARD', namespace_prefix .. 'schedules')
  cold(16)('ZCARD', namespace_prefix .. 'low_schedules')
end
else
-- 35 schedules.tail
return function(schedule)
  return math.max(schedule.list[#schedule.list] or 0, tonumber(schedule.done))
end
end
end
end
else
if number < 38 then
if number < 37 then
-- 36 schedules.ahead
return function(schedule)
  local ahead, done = {}, tonumber(schedule.done)
  local first, last = tonumber(schedule.start or 0), tonumber(schedule['end'] or math.huge)
  for _, slot in ipairs(schedule.list) do
    if slot > done and slot >= first and slot <= last then
      ahead[#ahead + 1] = slot
    end
  end
  return ahead
end
else
-- 37 schedules.from
return function(schedule, time)
  return math.ceil((time - schedule.offset) / schedule.every) * schedule.every + schedule.offset
end
end
else
if number < 39 then
-- 38 schedules.settle
return function(schedule)
  local done, last = tonumber(schedule.done), tonumber(schedule['end'] or math.huge)
  local tail = cold(35)(schedule)
  local slot
  if schedule.every then
    slot = math.max(cold(37)(schedule, tonumber(schedule.start or 0)),
      math.floor((done - schedule.offset) / schedule.every + 1) * schedule.every + schedule.offset)
    slot = slot <= last and slot or nil
  else
    schedule.list = cold(36)(schedule)
    schedule.final = schedule.final or tail >= last and '1' or nil
    slot = schedule.list[1]
  end
  local over = schedule.times and tonumber(schedule.made) >= tonumber(schedule.times)
    or not slot and (schedule.every or schedule.final)
  schedule.ended = over and (schedule.ended or namespace_now) or nil
  schedule.next = not over and not schedule.paused and slot and string.format('%.0f', slot) or nil
  schedule.held = nil
  schedule.slots = schedule.list[1] and table.concat(schedule.list, ' ') or nil
  schedule.wants_slots_after = not schedule.every and not over and not schedule.paused and not schedule.final
    and #schedule.list < 32 and string.format('%.6f', tail) or nil
end
else
if number < 40 then
-- 39 schedules.write
return function(schedule, ...)
  local set, gone = {}, {}
  for _, field in ipairs({ 'done', 'made', 'skipped', 'passed', 'next', 'held', 'slots', 'final', 'ended', ... }) do
    if schedule[field] then
      set[#set + 1], set[#set + 2] = field, schedule[field]
    else
      gone[#gone + 1] = field
    end
  end
  redis.call('HSET', schedule.key, unpack(set))
  redis.call('HDEL', schedule.key, unpack(gone))
  redis.call('ZADD', namespace_prefix .. 'schedules', schedule.held or schedule.next or '+inf', schedule.name)
  local low = namespace_prefix .. 'low_schedules'
  if schedule.wants_slots_after then
    redis.call('ZADD', low, schedule.wants_slots_after, schedule.name)
  else
    redis.call('ZREM', low, schedule.name)
  end
end
else
-- 40 settings.get
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
end
end
end
end
end

local function command()
  namespace_open()
  local name, by, reason = contract_arguments()
  local schedule = cold(33)(name)
  local before, former = schedule.paused and 'paused' or 'active', string.match(schedule.paused or '', '^%S+ (.*)$')
  schedule.paused = namespace_now .. ' ' .. by .. ' ' .. reason
  cold(38)(schedule)
  cold(34)()
  cold(6)()
  cold(18)()
  cold(20)(schedule.key)
  cold(39)(schedule, 'paused')
  if former ~= by .. ' ' .. reason then
    cold(7)(by, 'pause_schedule', 'schedule', name, before, 'paused', reason)
  end
  return 'paused'
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(24)(answer)
