--- Statistics of a queue by day, and of all these days together, as far as `tally` has read the events; with `host` those of the attempts that ended there.
-- @args now queue days
-- @options until host
-- @reply name and value in turn: `day` and `total`, the `first` and the `last` day and the one `before` (YYYYMMDD), then the values of all these days; then for each day that has any, the earliest first, `day` and YYYYMMDD and its values
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

local function statistics_kind(name)
  return string.match(name, '%.(%a+)$') or 'count'
end

local function statistics_join(kind, held, added)
  if not held then
    return added
  elseif kind == 'least' then
    return math.min(held, added)
  elseif kind == 'most' then
    return math.max(held, added)
  end
  return held + added
end

local function statistics_text(kind, value)
  if kind == 'sum' or kind == 'least' or kind == 'most' then
    return string.format('%.6f', value)
  elseif kind == 'squares' then
    return string.format('%.17g', value)
  end
  return string.format('%.0f', value)
end

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  local days = cold(3)(args_next('days'), 1, 14, 'days')
  return queue, days
end

function cold(number)
if number < 13 then
if number < 7 then
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
-- 2 args.host
return function(value, what)
  if #value > 190 or not string.find(value, '^[%w.:-]+$') then
    cold(11)('BADNAME', what .. ' must be the host of a listener: letters, digits, . : -')
  end
  return value
end
else
-- 3 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(11)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
  end
  return tonumber(value)
end
end
end
else
if number < 5 then
-- 4 args.seconds
return function(value, low, high, what)
  if #value > 24 or not string.find(value, '^%d+%.?%d*$')
    or tonumber(value) < low or tonumber(value) > high then
    cold(11)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
if number < 6 then
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
    found[name] = cold(24)(name, value)
    if found[name] == nil then
      cold(11)('BADARG', 'unknown option or extra argument: the contract lists the options of this command')
    end
  end
  return found
end
else
-- 6 namespace.decimal
return function(us)
  return string.format('%.6f', us / 1000000)
end
end
end
end
else
if number < 10 then
if number < 8 then
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
else
if number < 9 then
-- 8 namespace.use_test_time
return function(now)
  namespace_now_us = cold(4)(now or cold(11)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
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
end
end
end
else
if number < 19 then
if number < 16 then
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
-- 15 statistics.counts
return function()
  return { 'submitted', 'started', 'complete', 'failed', 'cancelled', 'failures', 'retries', 'losses',
    'releases', 'missed' }
end
end
end
else
if number < 17 then
-- 16 statistics.measures
return function()
  return { 'wait', 'run', 'done' }
end
else
if number < 18 then
-- 17 statistics.bounds
return function()
  return { 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 57600,
    86400, 172800, 345600, 604800, 1209600, 2419200 }
end
else
-- 18 statistics.fields
return function(measure)
  local names = {}
  for _, name in ipairs({ 'count', 'sum', 'squares', 'least', 'most' }) do
    names[#names + 1] = measure .. '.' .. name
  end
  for _, bound in ipairs(cold(17)()) do
    names[#names + 1] = measure .. '.' .. bound
  end
  names[#names + 1] = measure .. '.over'
  return names
end
end
end
end
else
if number < 22 then
if number < 20 then
-- 19 statistics.names
return function()
  local names = cold(15)()
  for _, measure in ipairs(cold(16)()) do
    for _, name in ipairs(cold(18)(measure)) do
      names[#names + 1] = name
    end
  end
  return names
end
else
if number < 21 then
-- 20 statistics.date
return function(day)
  local floor = math.floor
  local shifted = day + 719468
  local era = floor(shifted / 146097)
  local of_era = shifted - era * 146097
  local year = floor((of_era - floor(of_era / 1460) + floor(of_era / 36524) - floor(of_era / 146096)) / 365)
  local of_year = of_era - (365 * year + floor(year / 4) - floor(year / 100))
  local month = floor((5 * of_year + 2) / 153)
  local date = of_year - floor((153 * month + 2) / 5) + 1
  return string.format('%04d%02d%02d', era * 400 + year + (month >= 10 and 1 or 0),
    month < 10 and month + 3 or month - 9, date)
end
else
-- 21 statistics.day
return function(value, what)
  local year, month, date = string.match(value, '^(%d%d%d%d)(%d%d)(%d%d)$')
  local day
  if #value == 8 and year then
    local floor = math.floor
    year = month + 0 > 2 and year + 0 or year - 1
    local era = floor(year / 400)
    local of_era = year - era * 400
    local of_year = floor((153 * (month + 0 > 2 and month - 3 or month + 9) + 2) / 5) + date - 1
    day = era * 146097 + of_era * 365 + floor(of_era / 4) - floor(of_era / 100) + of_year - 719468
  end
  if not day or day < 0 or cold(20)(day) ~= value then
    cold(11)('BADARG', what .. ' must be a day in UTC from 1970 on, as YYYYMMDD')
  end
  return day
end
end
end
else
if number < 23 then
-- 22 statistics.hosts_key
return function(queue, date)
  return namespace_key('hosts', queue .. '/' .. date)
end
else
if number < 24 then
-- 23 statistics.key
return function(queue, date)
  return namespace_key('statistics', queue .. '/' .. date)
end
else
-- 24 contract.option
return function(name, value)
  if name == 'until' then
    return cold(21)(value, name)
  elseif name == 'host' then
    return cold(2)(value, name)
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
  local queue, count = contract_arguments()
  local options = cold(5)()
  local last, host = options['until'] or math.floor(namespace_now_us / 86400000000), options.host

  local names, kinds, total, days = cold(19)(), {}, {}, {}
  for i, name in ipairs(names) do
    kinds[i] = statistics_kind(name)
  end
  for _, date in ipairs(redis.call('ZRANGEBYSCORE', namespace_key('days', queue), last - count + 1, last,
    'LIMIT', 0, 14)) do
    local values = {}
    if host then
      local fields = {}
      for i, name in ipairs(names) do
        fields[i] = host .. ' ' .. name
      end
      for i, value in ipairs(redis.call('HMGET', cold(22)(queue, date), unpack(fields))) do
        values[names[i]] = value or nil
      end
    else
      local found = redis.call('HGETALL', cold(23)(queue, date))
      for i = 1, #found, 2 do
        values[found[i]] = found[i + 1]
      end
    end
    if not host or next(values) then
      days[#days + 1], days[#days + 2] = 'day', date
    end
    for i, name in ipairs(names) do
      local value = values[name]
      if value then
        days[#days + 1], days[#days + 2] = name, value
        total[i] = statistics_join(kinds[i], total[i], tonumber(value))
      end
    end
  end
  local first = math.max(0, last - count + 1)
  local answer = {
    'day', 'total', 'first', cold(20)(first), 'last', cold(20)(last),
    'before', first > 0 and cold(20)(first - 1) or '',
  }
  for i, name in ipairs(names) do
    if total[i] then
      answer[#answer + 1], answer[#answer + 2] = name, statistics_text(kinds[i], total[i])
    end
  end
  for _, value in ipairs(days) do
    answer[#answer + 1] = value
  end
  return answer
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(14)(answer)
