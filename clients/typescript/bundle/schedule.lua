--- Creates a schedule, or changes the one with this name.
-- @args now name queue rhythm parameters count (slot)*count
-- @role administrator
-- @options overlap missed late start end times method priority max_failures backoff delay max_delay jitter max_losses lost_delay max_releases lease key weight needs limits unique unique_until unique_policy tags deadline max_bytes log_bytes steps by request
-- @reply `created`, `changed`, or `existing` if nothing differs
-- @errors TOOBIG TOOMANY NOLIMIT

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
      clock = cold(20)()
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
      cold(21)(ARGV[1])
    end
    local floor = tonumber(clock)
    if floor > namespace_now_us then
      cold(22)(floor)
    elseif floor + 15000000 < namespace_now_us then
      cold(23)(floor)
    end
  end
end

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function contract_arguments()
  local name = cold(44)(args_next('name'), 'name')
  local queue = cold(1)(args_next('queue'), 'queue')
  local rhythm = args_next('rhythm')
  local parameters = args_next('parameters')
  local count = cold(5)(args_next('count'), 0, 64, 'count')
  return name, queue, rhythm, parameters, count
end

function cold(number)
if number < 37 then
if number < 19 then
if number < 10 then
if number < 5 then
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
-- 4 args.among
return function(value, words)
  return string.find(value, '^[%l_]+$') and string.find(words, ' ' .. value .. ' ') ~= nil
end
end
end
else
if number < 7 then
if number < 6 then
-- 5 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(31)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
else
-- 6 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(31)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
end
else
if number < 8 then
-- 7 args.bytes
return function(value, most, what)
  if #value > most then
    cold(31)('TOOBIG', string.format('%s is %d bytes, over the limit of %d: store it elsewhere and pass a reference',
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
      cold(31)('BADARG', 'an option has no value: options come in pairs')
    elseif found[name] ~= nil then
      cold(31)('BADARG', 'an option is given twice')
    end
    found[name] = cold(72)(name, value)
    if found[name] == nil then
      cold(31)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 9 args.before
return function(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return #one < #other
end
end
end
end
end
else
if number < 14 then
if number < 12 then
if number < 11 then
-- 10 args.priority
return function(value, what)
  if #value > 5 or not string.find(value, '^%-?%d+$') or math.abs(tonumber(value)) > 1000 then
    cold(31)('BADARG', what .. ' must be a whole number from ' .. (-1000) .. ' to '
      .. 1000)
  end
  return string.format('%d', tonumber(value))
end
else
-- 11 args.needs
return function(value, what)
  local wanted = {}
  for need in string.gmatch(#value <= 256 and value .. ',' or '', '([^,]*),') do
    local name, operator, number = string.match(need, '^([%w_.-]+)([<>=]*)(.*)$')
    local fits = name and #name <= 64 and (operator == '' and number == ''
      or string.find(' >= <= > < = ', ' ' .. operator .. ' ') and #number <= 16 and string.find(number, '^%d+%.?%d*$'))
    if not fits then
      cold(31)('BADARG', what .. ' must be names, each with an operator (>= <= > < =) and a number or without,'
        .. ' separated by commas')
    end
    wanted[#wanted + 1] = need
  end
  if #wanted > 8 or #value > 256 then
    cold(31)('BADARG', what .. ' may be ' .. 8 .. ' at most, in ' .. 256
      .. ' characters')
  end
  table.sort(wanted, cold(9))
  return table.concat(wanted, ',')
end
end
else
if number < 13 then
-- 12 args.unique_until
return function(value, what)
  if value ~= 'start' and value ~= 'end' then
    cold(6)(value, 1, 31536000, what)
  end
  return value
end
else
-- 13 args.tags
return function(value, what)
  local names, seen, number = {}, {}, 0
  for tag in string.gmatch(value .. ',', '([^,]*),') do
    cold(1)(tag, what)
    number = number + 1
    if number > 16 then
      cold(31)('TOOMANY', 'a task has ' .. 16 .. ' tags at most')
    elseif not seen[tag] then
      names[#names + 1], seen[tag] = tag, true
    end
  end
  table.sort(names, cold(9))
  return table.concat(names, ',')
end
end
end
else
if number < 16 then
if number < 15 then
-- 14 audit.key
return function()
  return namespace_prefix .. 'audit'
end
else
-- 15 audit.plan
return function()
  cold(26)('XLEN', cold(14)())
end
end
else
if number < 17 then
-- 16 audit.add
return function(by, what, of, on, before, after, detail)
  local function cut(text)
    return string.sub(text or '', 1, 256)
  end
  redis.call('XADD', cold(14)(), 'MAXLEN', '~', cold(59)('*', 'audit'), '*', 'at', namespace_now, 'by', by or '',
    'what', what, 'of', of, 'on', on, 'before', cut(before), 'after', cut(after), 'detail', cut(detail))
end
else
if number < 18 then
-- 17 audit.payload
return function(bytes)
  return #bytes .. ' bytes, sha1 ' .. string.sub(redis.sha1hex(bytes), 1, 12)
end
else
-- 18 creation.spec
return function(options)
  local fields = {}
  local spec = { fields = fields, max_bytes = options.max_bytes, policy = options.unique_policy,
    unique = options.unique }
  if not options.unique and (options.unique_until or options.unique_policy) then
    cold(31)('BADARG', 'unique_until and unique_policy need the option unique')
  end
  local priority, key, till = options.priority ~= '0' and options.priority or nil, options.key,
    options.unique_until or 'end'
  if options.unique_policy == 'latest' then
    if key or options.unique_until then
      cold(31)('BADARG', 'the policy latest sets key and unique_until: leave them out')
    end
    key, till, spec.solo = options.unique, 'start', '1'
  elseif options.solo then
    key, spec.solo = options.solo, '1'
  end
  local weight = options.weight and tonumber(options.weight) > 1 and string.format('%d', options.weight) or nil
  local lease = options.lease and string.format('%.0f', options.lease * 1000000)
  local ties = ((priority or key or options.needs or options.limits) and 'r' or '')
    .. ((key or weight or options.limits) and 'p' or '')
    .. (options.unique and 'u' or '') .. (options.tags and 't' or '') .. (lease and 'l' or '')
    .. (options.inputs and (options.inputs.some > 0 and 'wk' or 'w') or '') .. (options.deadline and 'e' or '')
    .. (options.steps and 's' or '')
  options.priority, options.key, options.weight, options.solo, options.lease = priority, key, weight, spec.solo, nil
  options.unique_until, options.own_lease = options.unique and till, lease
  options.max_bytes, options.unique_policy = nil, nil
  if options.inputs then
    spec.inputs, options.inputs = options.inputs, options.inputs.text
  end
  if ties ~= '' then
    options.ties, spec.ties = ties, ties
    spec.claims = {
      priority = priority, fair_key = key, weight = weight, needs = options.needs, unique = options.unique, till = till,
      tags = options.tags, own_lease = lease, solo = spec.solo, end_by = options.deadline, shared = options.limits,
    }
  end
  for name, value in pairs(options) do
    if value then
      fields[#fields + 1], fields[#fields + 2] = name, value
    end
  end
  return spec
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
-- 19 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
else
-- 20 namespace.check_new
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
end
else
if number < 22 then
-- 21 namespace.use_test_time
return function(now)
  namespace_now_us = cold(6)(now or cold(31)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(31)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
  end
  namespace_now = cold(19)(namespace_now_us)
end
else
-- 22 namespace.apply_floor
return function(clock)
  namespace_now_us = clock
  namespace_now = cold(19)(namespace_now_us)
end
end
end
else
if number < 25 then
if number < 24 then
-- 23 namespace.note_gap
return function(clock)
  if clock > 0 then
    namespace_gap = namespace_now_us
  end
end
else
-- 24 namespace.shared
return function(name)
  namespace_shared_tables = namespace_shared_tables or {}
  local note = namespace_shared_tables[name] or {}
  namespace_shared_tables[name] = note
  return note
end
end
else
if number < 26 then
-- 25 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
else
if number < 27 then
-- 26 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(25)(key)
  end
  return redis.call(command, key)
end
else
-- 27 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(31)(cold(33)())
  end
end
end
end
end
end
else
if number < 32 then
if number < 30 then
if number < 29 then
-- 28 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(43)()
  if namespace_declared then
    cold(29)(first, ...)
  end
end
else
-- 29 namespace.begin_declared
return function(first, ...)
  local keys = { first, ... }
  for _, key in ipairs(namespace_declared) do
    keys[#keys + 1] = key
  end
  for i = 1, math.max(1, #keys), 5000 do
    cold(27)(unpack(keys, i, math.min(#keys, i + 4999)))
  end
  if namespace_declared.unborn then
    cold(43)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
end
else
if number < 31 then
-- 30 namespace.write_when_full
return function(key)
  redis.call('HDEL', key, '')
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
if number < 34 then
if number < 33 then
-- 32 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
-- 33 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
end
else
if number < 35 then
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
else
if number < 36 then
-- 35 requests.key
return function()
  return namespace_prefix .. 'requests'
end
else
-- 36 requests.find
return function(command, request)
  if not request then
    return false
  end
  local own = cold(24)('request')
  own.field = command .. ' ' .. request
  local found = redis.call('HMGET', cold(25)(cold(35)()), own.field, 'first', 'last')
  own.first, own.last = tonumber(found[2]) or 1, tonumber(found[3]) or 0
  if found[1] then
    return true, cold(39)(found[1])
  end
  return false
end
end
end
end
end
end
end
else
if number < 55 then
if number < 46 then
if number < 41 then
if number < 39 then
if number < 38 then
-- 37 requests.keep
return function(answer)
  local own = cold(24)('request')
  if not own.begun then
    return answer
  end
  local key, first, last = cold(35)(), own.first, own.last + 1
  local known = last > 1 and first
  cold(30)(key)
  redis.call('HSET', key, own.field, cold(38)(answer), 'last', string.format('%.0f', last),
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
-- 38 requests.text
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
if number < 40 then
-- 39 requests.read
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
-- 40 rights.denied
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
if number < 43 then
if number < 42 then
-- 41 rights.refuse
return function(name)
  local role = string.match('ADMINISTRATOR', '^%u+$')
  if role and not cold(40)({ name }, 'meta') then
    cold(31)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(31)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
else
-- 42 rights.check
return function(names)
  local name = cold(40)(names, 'ADMINISTRATOR')
  if name then
    cold(41)(name)
  end
end
end
else
if number < 44 then
-- 43 rights.require
return function()
  cold(42)({ 'EXISTS', 'EXPIRE', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'XADD', 'ZADD', 'ZCARD', 'ZREM' })
end
else
if number < 45 then
-- 44 schedules.name
return function(value)
  if #value > 100 or not string.find(value, '^[%w._:@-]+$') then
    cold(31)('BADNAME', 'name must be 1 to ' .. 100 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 45 schedules.rhythm
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
  cold(31)('BADARG', 'the rhythm must be `every SECONDS OFFSET` (1 to ' .. 315360000
    .. ' seconds, an offset below that), or `cron ZONE` and five fields, in ' .. 256 .. ' characters')
end
end
end
end
end
else
if number < 50 then
if number < 48 then
if number < 47 then
-- 46 schedules.slots
return function(count)
  local slots = {}
  for i = 1, count do
    slots[i] = cold(5)(args_next('slot'), 0, 100000000000, 'slot')
    if i > 1 and slots[i] <= slots[i - 1] then
      cold(31)('BADARG', 'each slot must be later than the one before')
    end
  end
  return slots
end
else
-- 47 schedules.definition
return function()
  return { 'rhythm', 'queue', 'parameters', 'options', 'overlap', 'missed', 'late', 'start', 'end', 'times' }
end
end
else
if number < 49 then
-- 48 schedules.find
return function(name)
  local key = cold(25)(namespace_key('schedule', name))
  local flat, found = redis.call('HGETALL', key), {}
  for i = 1, #flat, 2 do
    found[flat[i]] = flat[i + 1]
  end
  if not found.rhythm then
    return nil
  end
  found.name, found.key = name, key
  return cold(49)(found)
end
else
-- 49 schedules.read
return function(schedule)
  schedule.every, schedule.offset = select(2, cold(45)(schedule.rhythm))
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
end
else
if number < 52 then
if number < 51 then
-- 50 schedules.probe
return function()
  cold(26)('ZCARD', namespace_prefix .. 'schedules')
  cold(26)('ZCARD', namespace_prefix .. 'low_schedules')
end
else
-- 51 schedules.tail
return function(schedule)
  return math.max(schedule.list[#schedule.list] or 0, tonumber(schedule.done))
end
end
else
if number < 53 then
-- 52 schedules.ahead
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
if number < 54 then
-- 53 schedules.from
return function(schedule, time)
  return math.ceil((time - schedule.offset) / schedule.every) * schedule.every + schedule.offset
end
else
-- 54 schedules.settle
return function(schedule)
  local done, last = tonumber(schedule.done), tonumber(schedule['end'] or math.huge)
  local tail = cold(51)(schedule)
  local slot
  if schedule.every then
    slot = math.max(cold(53)(schedule, tonumber(schedule.start or 0)),
      math.floor((done - schedule.offset) / schedule.every + 1) * schedule.every + schedule.offset)
    slot = slot <= last and slot or nil
  else
    schedule.list = cold(52)(schedule)
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
end
end
end
end
end
else
if number < 64 then
if number < 59 then
if number < 57 then
if number < 56 then
-- 55 schedules.write
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
-- 56 schedules.quoted
return function(value)
  return (string.gsub(value, '[%s%c%%]', function(char)
    return string.format('%%%02X', string.byte(char))
  end))
end
end
else
if number < 58 then
-- 57 schedules.plain
return function(text)
  return (string.gsub(text, '%%(%x%x)', function(code)
    return string.char(tonumber(code, 16))
  end))
end
else
-- 58 schedules.values
return function(text)
  local values = {}
  for word in string.gmatch(text, '%S+') do
    local name, value = string.match(word, '^([^=]+)=(.*)$')
    if name then
      values[name] = cold(57)(value)
    end
  end
  return values
end
end
end
else
if number < 61 then
if number < 60 then
-- 59 settings.get
return function(queue, name)
  local texts = cold(24)('settings')
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
-- 60 shares.limits_key
return function()
  return namespace_prefix .. 'shared_limits'
end
end
else
if number < 62 then
-- 61 shares.tasks_key
return function()
  return namespace_prefix .. 'shared_tasks'
end
else
if number < 63 then
-- 62 shares.expires_key
return function()
  return namespace_prefix .. 'shared_expires'
end
else
-- 63 shares.idle_key
return function()
  return namespace_prefix .. 'shared_idle'
end
end
end
end
end
else
if number < 68 then
if number < 66 then
if number < 65 then
-- 64 shares.check
return function(value, what)
  local wanted, seen = {}, {}
  for one in string.gmatch(#value <= 600 and value .. ',' or ',', '([^,]*),') do
    local name, places = string.match(one, '^([%w_.-]+)(.*)$')
    local weight = places == '' and 1 or #(places or '') <= 5 and tonumber(string.match(places or '', '^:(%d+)$'))
    if not name or #name > 64 or not weight or weight < 1 or weight > 1000
      or seen[name] then
      cold(31)('BADARG', what .. ' must be names of shared limits, each once, with a colon and 1 to '
        .. 1000 .. ' places or without, separated by commas')
    end
    seen[name] = weight
    wanted[#wanted + 1] = weight > 1 and name .. ':' .. string.format('%d', weight) or name
  end
  if #wanted > 8 then
    cold(31)('BADARG', what .. ' may be ' .. 8 .. ' at most')
  end
  for name, weight in pairs(seen) do
    local own = redis.call('HGET', cold(60)(), name)
    local most = own and tonumber(string.match(own, '^%d+'))
    if not own then
      cold(31)('NOLIMIT', 'there is no shared limit ' .. name .. ': set it with limit, then repeat the call')
    elseif most and weight > most then
      cold(31)('NOLIMIT', 'the shared limit ' .. name .. ' has ' .. most .. ' places, fewer than ' .. weight
        .. ': such a task would never run')
    end
  end
  table.sort(wanted, cold(9))
  return table.concat(wanted, ',')
end
else
-- 65 shares.parts
return function(set)
  local parts = {}
  for name, weight in string.gmatch(set, '([%w_.-]+):?(%d*)') do
    parts[#parts + 1] = { name = name, weight = tonumber(weight) or 1 }
  end
  return parts
end
end
else
if number < 67 then
-- 66 shares.plan_count
return function()
  cold(26)('HLEN', cold(61)())
  cold(26)('HLEN', cold(62)())
  cold(26)('ZCARD', cold(63)())
end
else
-- 67 shares.count
return function(set, change)
  for _, part in ipairs(cold(65)(set)) do
    cold(68)(part.name, redis.call('HINCRBY', cold(61)(), part.name, change), change)
  end
end
end
end
else
if number < 70 then
if number < 69 then
-- 68 shares.note_tasks
return function(name, number, change)
  if number <= 0 then
    redis.call('HDEL', cold(61)(), name)
    cold(69)(name)
  elseif number == change then
    redis.call('ZREM', cold(63)(), name)
  end
end
else
-- 69 shares.begin_idle
return function(name)
  local expires = tonumber(redis.call('HGET', cold(62)(), name) or nil)
  if expires then
    redis.call('ZADD', cold(63)(), string.format('%.0f', namespace_now_us + expires * 1000000), name)
  end
end
end
else
if number < 71 then
-- 70 shares.recount
return function(after, before)
  if after then
    cold(67)(after, 1)
  end
  if before then
    cold(67)(before, -1)
  end
end
else
if number < 72 then
-- 71 steps.check
return function(value, what)
  local number = 0
  for name in string.gmatch(value .. ',', '([^,]*),') do
    number = number + 1
    if number > 100 then
      cold(31)('BADARG', what .. ' must be at most ' .. 100 .. ' queues')
    end
    cold(1)(name, what)
  end
  return value
end
else
-- 72 contract.option
return function(name, value)
  if name == 'overlap' then
    return cold(2)(value, ' skip queue cancel allow ', name)
  elseif name == 'missed' then
    return cold(2)(value, ' one skip all ', name)
  elseif name == 'late' then
    return cold(5)(value, 1, 31536000, name) and value
  elseif name == 'start' or name == 'end' or name == 'deadline' then
    return cold(6)(value, 0, 100000000000, name) and value
  elseif name == 'times' then
    return cold(5)(value, 1, 1000000000, name) and value
  elseif name == 'method' or name == 'key' or name == 'unique' then
    return cold(1)(value, name)
  elseif name == 'priority' then
    return cold(10)(value, name)
  elseif name == 'max_failures' then
    return cold(5)(value, 0, 1000, name) and value
  elseif name == 'backoff' then
    return cold(2)(value, ' exponential fixed ', name)
  elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then
    return cold(6)(value, 0, 31536000, name) and value
  elseif name == 'jitter' then
    return cold(5)(value, 0, 100, name) and value
  elseif name == 'max_losses' then
    return cold(5)(value, 0, 1000000000, name) and value
  elseif name == 'max_releases' then
    return cold(5)(value, 0, 1000000, name) and value
  elseif name == 'lease' then
    return cold(6)(value, 1, 604800, name) and value
  elseif name == 'weight' then
    return cold(5)(value, 1, 1000, name) and value
  elseif name == 'needs' then
    return cold(11)(value, name)
  elseif name == 'limits' then
    return cold(64)(value, name)
  elseif name == 'unique_until' then
    return cold(12)(value, name)
  elseif name == 'unique_policy' then
    return cold(2)(value, ' reject existing replace latest ', name)
  elseif name == 'tags' then
    return cold(13)(value, name)
  elseif name == 'max_bytes' then
    return cold(5)(value, 0, 8388608, name)
  elseif name == 'log_bytes' then
    return cold(5)(value, 0, 268435456, name) and value
  elseif name == 'steps' then
    return cold(71)(value, name)
  elseif name == 'by' or name == 'request' then
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
end

local function command()
  namespace_open()
  local name, queue, text, parameters, count = contract_arguments()
  local rhythm, every, offset = cold(45)(text)
  local slots = cold(46)(count)
  local options, texts, own = cold(8)(), {}, {}
  for _, option in ipairs({ 'overlap', 'missed', 'late', 'start', 'end', 'times', 'by', 'request' }) do
    own[option], options[option] = options[option], nil
  end
  for _, option in ipairs({ 'late', 'times' }) do
    own[option] = own[option] and string.format('%d', own[option])
  end
  for i = args_at + 1, #ARGV, 2 do
    if not own[ARGV[i]] then
      texts[#texts + 1] = ARGV[i] .. '=' .. cold(56)(ARGV[i + 1])
    end
  end
  table.sort(texts, cold(9))
  if every and #slots > 0 then
    cold(31)('BADARG', 'only cron schedules take slots: count must be 0')
  end
  local new = {
    name = name, key = namespace_key('schedule', name), rhythm = rhythm, every = every, offset = offset, queue = queue,
    parameters = parameters,
    options = table.concat(texts, ' '), overlap = own.overlap or 'skip', missed = own.missed or 'one', late = own.late,
    start = own.start, ['end'] = own['end'], times = own.times, changed = namespace_now,
  }
  local most = options.max_bytes or tonumber(cold(59)(queue, 'max_bytes'))
  if options.key and (new.overlap == 'queue' or new.overlap == 'cancel') then
    cold(31)('BADARG', 'overlap queue and cancel set a key: leave out key, or use skip or allow')
  end
  cold(7)(parameters, most, 'parameters')
  cold(18)(options)

  local done, answer = cold(36)('schedule', own.request)
  if done then
    return answer
  end
  local old = cold(48)(name)
  local same = old ~= nil
  for _, field in ipairs(cold(47)()) do
    same = same and old[field] == new[field]
  end
  if same then
    return 'existing'
  end
  if not old and cold(26)('ZCARD', namespace_prefix .. 'schedules') >= 100000 then
    cold(31)('TOOMANY', 'there are 100000 schedules already')
  end
  old = old or { made = '0', skipped = '0', passed = '0', created = namespace_now, done = namespace_now }
  for _, field in ipairs({ 'made', 'skipped', 'passed', 'created', 'done', 'paused' }) do
    new[field] = old[field]
  end
  new.list = old.list
  if not old.next or old.rhythm ~= new.rhythm or old.start ~= new.start then
    new.list = slots
    if tonumber(new.done) < tonumber(namespace_now) then
      new.done = namespace_now
    end
  end
  if tonumber(new['end'] or math.huge) <= math.max(namespace_now_us / 1000000, tonumber(new.start or 0)) then
    cold(31)('BADARG', 'the end must be in the future and after the start')
  elseif tonumber(new.made) >= tonumber(new.times or math.huge) then
    cold(31)('BADARG', 'the schedule has created that many tasks already')
  end
  cold(54)(new)
  if new.ended or not every and not new.list[1] then
    cold(31)('BADARG', every and 'no slot lies before the end'
      or 'no slot was told that lies ahead, between start and end')
  end
  local names, named = options.limits, cold(58)(old.options or '').limits
  if names or named then
    cold(66)()
  end
  cold(50)()
  cold(15)()
  cold(28)()
  cold(70)(names, named)
  cold(55)(new, 'created', 'changed', unpack(cold(47)()))
  cold(16)(own.by, 'schedule', 'schedule', name, old.rhythm, rhythm,
    'queue ' .. queue .. ', parameters ' .. cold(17)(parameters))
  return cold(37)(old.rhythm and 'changed' or 'created')
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(34)(answer)
