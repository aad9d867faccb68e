--- Adds events that were not read yet to the statistics of their days, each once, and then trims the events.
-- @args now queue limit
-- @role upkeep
-- @again goes on
-- @reply number of events read, 1 if there are more, number of events that were trimmed before they were read
-- @errors

local cold

local args_at = 1

local function args_next(what)
  args_at = args_at + 1
  return ARGV[args_at] or cold(16)('BADARG', 'missing argument: ' .. what)
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

local function namespace_key(kind, name)
  return namespace_prefix .. kind .. '_' .. name
end

local function statistics_measure(own, at, since, bounds)
  at, since = tonumber(at), tonumber(since)
  if not (at and since and since >= 0 and since <= at) then
    return
  end
  local seconds = math.floor((at - since) * 1000000 + 0.5) / 1000000
  own.count = own.count + 1
  own.sum = own.sum + seconds
  own.squares = own.squares + seconds * seconds
  if seconds < own.least then
    own.least = seconds
  end
  if seconds > own.most then
    own.most = seconds
  end
  local i = seconds > 600 and 10 or seconds > 10 and 5 or 1
  while bounds[i] and seconds > bounds[i] do
    i = i + 1
  end
  own[i] = (own[i] or 0) + 1
end

local function statistics_event(sums, from, to, by, why, at, since, bounds)
  if from == 'pending' then
    if to == 'reserved' or to == 'started' then
      statistics_measure(sums.wait, at, since, bounds)
    end
  elseif from == 'reserved' or from == 'started' then
    local goes_on = to == 'moved' and why == 'next'
    if to == 'complete' or goes_on then
      statistics_measure(sums.done, at, since, bounds)
    elseif from == 'started' or (why == 'fail' and by ~= '') then
      statistics_measure(sums.run, at, since, bounds)
    end
    if to == 'reserved' or (by == '' and (why == 'lost' or why == 'adopt')) then
      sums.losses = sums.losses + 1
    elseif goes_on then
      sums.complete = sums.complete + 1
    elseif to ~= 'started' and to ~= 'complete' and why ~= 'complete' and by ~= '' then
      if why ~= 'fail' then
        sums.releases = sums.releases + 1
      else
        sums.failures = sums.failures + 1
        if to == 'pending' or to == 'scheduled' then
          sums.retries = sums.retries + 1
        end
      end
    end
  elseif from == '' then
    if why ~= 'move' then
      sums.submitted = sums.submitted + 1
    end
  elseif why == 'again' then
    sums.submitted = sums.submitted + (to ~= 'moved' and 1 or 0)
  elseif why == 'retry' and (to == 'pending' or to == 'moved') then
    sums.retries = sums.retries + 1
  end
  if to == 'started' or to == 'complete' or to == 'failed' or to == 'cancelled' then
    sums[to] = sums[to] + 1
  end
end

local function statistics_end_of(days_hosts, day, node, v, bounds)
  local hosts = days_hosts[day] or {}
  days_hosts[day] = hosts
  local sums = hosts[node]
  if not sums then
    local host = string.match(node, '^([%w.:-]+)_%d+$')
    if not host or #node > 200 then
      return
    end
    sums = hosts[host] or cold(29)()
    hosts[host], hosts[node] = sums, sums
  end
  statistics_event(sums, v[4], v[6], v[12], v[14], v[10], v[16], bounds)
end

local function statistics_tally(queue, limit)
  local events, tally = namespace_key('events', queue), namespace_key('tally', queue)
  local days = namespace_key('days', queue)
  local texts = redis.call('HMGET', namespace_meta, 'settings:' .. queue, 'settings')
  local kept_days = tonumber(cold(24)(texts[1], texts[2], 'statistics'))
  local kept_events = tonumber(cold(24)(texts[1], texts[2], 'events'))
  cold(11)(tally)
  local place = redis.call('HMGET', tally, 'last', 'read')
  local last, read = place[1] or '0-0', tonumber(place[2] or 0)
  local today = math.floor(namespace_now_us / 86400000000)
  local oldest = today - kept_days + 1
  cold(11)(days)
  local gone = redis.call('ZRANGEBYSCORE', days, '-inf', oldest - 1, 'LIMIT', 0, 100)

  local length = cold(12)('XLEN', events)
  local added, newest = 0, '0-0'
  if length > 0 then
    local info = redis.call('XINFO', 'STREAM', events)
    for i = 1, #info, 2 do
      if info[i] == 'entries-added' then
        added = info[i + 1]
      elseif info[i] == 'last-generated-id' then
        newest = info[i + 1]
      end
    end
    if added < read or cold(37)(newest, last) then
      last, read = '0-0', 0
    end
  end
  local missed = math.max(0, added - length - read)
  read = math.max(read, added - length)
  local found = {}
  if length > 0 and kept_days > 0 then
    found = redis.call('XRANGE', events, '(' .. last, '+', 'COUNT', limit)
    read = read + #found
    if #found > 0 then
      last = found[#found][1]
    end
    if #found < limit then
      missed, read = missed + math.max(0, added - read), added
    end
  elseif length > 0 then
    missed, last, read = 0, newest, added
  end

  local days_sums, days_hosts, bounds = {}, {}, cold(27)()
  local sums, low, high, today_of = nil, '', '', nil
  for i = 1, #found do
    local v = found[i][2]
    local why, at = v[14], v[10]
    if why then
      local own, day = sums, today_of
      if not (#at == 17 and at >= low and at < high) then
        local time = tonumber(at)
        own = nil
        if time and time >= 0 and time <= 100000000000 then
          day = math.floor(time / 86400)
          own = days_sums[day] or cold(29)()
          days_sums[day] = own
          sums, today_of, low, high = own, day, cold(30)(day)
        end
      end
      if own then
        local from, to = v[4], v[6]
        statistics_event(own, from, to, v[12], why, at, v[16], bounds)
        if (from == 'started' or from == 'reserved') and to ~= 'started' then
          statistics_end_of(days_hosts, day, v[18] or v[12], v, bounds)
        end
      end
    end
  end
  if missed > 0 then
    days_sums[today] = days_sums[today] or cold(29)()
    days_sums[today].missed = missed
  end
  local writes = {}
  for one, own in pairs(days_sums) do
    local date = cold(28)(one)
    local fields = one >= oldest and cold(32)(cold(11)(cold(38)(queue, date)), own) or {}
    if #fields > 0 then
      local hosts = days_hosts[one]
      hosts = hosts and cold(34)(cold(11)(cold(33)(queue, date)), hosts) or {}
      writes[#writes + 1] = { day = one, date = date, fields = fields, hosts = hosts }
    end
  end
  table.sort(writes, function(a, b) return a.day < b.day end)
  for _, date in ipairs(gone) do
    cold(11)(cold(38)(queue, date))
    cold(11)(cold(33)(queue, date))
  end

  local most = math.max(kept_events, added - read)
  local more = read < added and 1 or 0
  if last == place[1] and #writes == 0 and #gone == 0 and length <= most then
    return { 0, 0, 0 }
  end
  cold(14)()
  redis.call('XTRIM', events, 'MAXLEN', '~', most)
  for _, date in ipairs(gone) do
    redis.call('UNLINK', cold(38)(queue, date), cold(33)(queue, date))
  end
  if #gone > 0 then
    redis.call('ZREM', days, unpack(gone))
  end
  if length > 0 then
    redis.call('HSET', tally, 'last', last, 'read', string.format('%.0f', read))
  end
  for _, write in ipairs(writes) do
    redis.call('HSET', cold(38)(queue, write.date), unpack(write.fields))
    redis.call('ZADD', days, write.day, write.date)
    for _, fields in ipairs(write.hosts) do
      redis.call('HSET', cold(33)(queue, write.date), unpack(fields))
    end
  end
  return { #found, more, missed }
end

local function contract_arguments()
  local queue = cold(1)(args_next('queue'), 'queue')
  local limit = cold(2)(args_next('limit'), 1, 500, 'limit')
  cold(4)()
  return queue, limit
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
    cold(16)('BADNAME', what .. ' must be 1 to ' .. 128 .. ' characters of A-Z a-z 0-9 . _ : @ -')
  end
  return value
end
else
-- 2 args.integer
return function(value, low, high, what)
  if #value > 16 or not string.find(value, '^%d+$') or tonumber(value) < low or tonumber(value) > high then
    cold(16)('BADARG', string.format('%s must be a whole number from %.0f to %.0f', what, low, high))
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
    cold(16)('BADARG', string.format('%s must be decimal seconds from %.0f to %.0f', what, low, high))
  end
  return math.floor(tonumber(value) * 1000000 + 0.5)
end
else
-- 4 args.none
return function()
  if #ARGV > args_at then
    cold(16)('BADARG', 'too many arguments: this command takes no options')
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
    cold(16)('BADNAME', 'the one key must be NAMESPACE_meta; a namespace has 1 to 64 characters'
      .. ' of A-Z a-z 0-9 . : - and at most one {tag}')
  end
  if redis.call('HEXISTS', namespace_meta, 'schema') == 1 then
    cold(16)('SCHEMA', 'the data has another schema than these scripts (' .. '1'
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
  namespace_now_us = cold(3)(now or cold(16)('BADARG', 'missing argument: now'), 0, 9007199254, 'now')
  if not (namespace_declared and namespace_declared.unborn) and redis.call('HGET', namespace_meta, 'test') ~= '1' then
    cold(16)('BADARG', 'now must be empty: only a namespace for tests, whose first write carried a time, takes one')
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
-- 11 namespace.declare
return function(key)
  if namespace_declared and not namespace_declared[key] then
    namespace_declared[key] = true
    namespace_declared[#namespace_declared + 1] = key
  end
  return key
end
end
else
if number < 13 then
-- 12 namespace.probe
return function(command, key)
  if namespace_declared then
    cold(11)(key)
  end
  return redis.call(command, key)
end
else
if number < 14 then
-- 13 namespace.check_slot
return function(...)
  local answer = namespace_declared and redis.pcall('EXISTS', namespace_meta, ...)
  if type(answer) == 'table' and answer.err then
    cold(16)(cold(18)())
  end
end
else
-- 14 namespace.begin
return function(first, ...)
  local request = namespace_shared_tables and namespace_shared_tables.request
  if request then
    request.begun = true
  end
  cold(23)()
  if namespace_declared then
    cold(15)(first, ...)
  end
end
end
end
end
else
if number < 17 then
if number < 16 then
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
    cold(23)()
    if first then
      redis.call('ZCARD', first)
    end
    redis.call('HSET', namespace_meta, 'schema', '1',
      'clock:1', '0', unpack(ARGV[1] ~= '' and { 'test', '1' } or {}))
  end
end
else
-- 16 reply.fail
return function(code, text)
  if code ~= 'BADARG' and code ~= 'BADNAME' and cold(17)() then
    code, text = cold(18)()
  end
  error({ err = code .. ' ' .. text })
end
end
else
if number < 18 then
-- 17 reply.is_half_moved
return function()
  local meta = KEYS[1] or ''
  local known = string.find(meta, '{', 1, true) and redis.pcall('EXISTS', meta, string.sub(meta, 1, -5) .. 'unmoved')
  return type(known) == 'table' and known.err and string.find(known.err, 'non local key', 1, true)
end
else
if number < 19 then
-- 18 reply.elsewhere
return function()
  if string.find(KEYS[1] or '', '{') then
    return 'RETRY', 'the slot of this namespace is being moved; nothing was changed, repeat the call'
  end
  return 'BADNAME', 'on a cluster the namespace needs a {tag}, such as {blueque}, which puts all its keys into one'
    .. ' slot; nothing was changed'
end
else
-- 19 reply.refusal
return function(raised)
  local text = type(raised) == 'table' and raised.err or raised
  if type(text) ~= 'string' or not string.find(text, '^%-?[A-Z]+ ') then
    error(raised, 0)
  end
  if string.find(text, '^%-?WRONGTYPE ') then
    text = 'WRONGKEY a key of this namespace holds a value of another type;'
      .. ' find it with the TYPE command and remove it, or use another namespace'
  elseif string.find(text, 'non local key') then
    local code, why = cold(18)()
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
else
if number < 29 then
if number < 24 then
if number < 22 then
if number < 21 then
-- 20 rights.denied
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
-- 21 rights.refuse
return function(name)
  local role = string.match('UPKEEP', '^%u+$')
  if role and not cold(20)({ name }, 'meta') then
    cold(16)('NOPERM', 'this user does not have the role ' .. string.lower(role) .. ': grant it with ACL SETUSER ~'
      .. namespace_prefix .. '[a-z]* ~' .. namespace_prefix .. role .. '; nothing was changed')
  end
  cold(16)('NOPERM', 'this user may not run ' .. name .. ' on ' .. namespace_prefix
    .. '*: grant it with ACL SETUSER; nothing was changed')
end
end
else
if number < 23 then
-- 22 rights.check
return function(names)
  local name = cold(20)(names, 'UPKEEP')
  if name then
    cold(21)(name)
  end
end
else
-- 23 rights.require
return function()
  cold(22)({ 'EXISTS', 'HGET', 'HMGET', 'HSET', 'UNLINK', 'XTRIM', 'ZADD', 'ZCARD', 'ZREM' })
end
end
end
else
if number < 26 then
if number < 25 then
-- 24 settings.value
return function(own, common, name)
  local pattern = ' ' .. name .. '=(%S+)'
  return own and string.match(' ' .. own, pattern) or common and string.match(' ' .. common, pattern)
    or string.match(' ' .. 'lease=60 grace=30 max_failures=0 backoff=exponential delay=10 max_delay=3600 jitter=20 max_losses=10 lost_delay=0 max_releases=1000 max_uncounted=10000 max_bytes=1048576 log_bytes=163840 logs_bytes=1073741824 input_bytes=8388608 graph_bytes=536870912 forget_after=300 closed=0 keep=50000 retain=604800 events=10000 audit=10000 history=100 statistics=30', pattern)
end
else
-- 25 statistics.counts
return function()
  return { 'submitted', 'started', 'complete', 'failed', 'cancelled', 'failures', 'retries', 'losses',
    'releases', 'missed' }
end
end
else
if number < 27 then
-- 26 statistics.measures
return function()
  return { 'wait', 'run', 'done' }
end
else
if number < 28 then
-- 27 statistics.bounds
return function()
  return { 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 57600,
    86400, 172800, 345600, 604800, 1209600, 2419200 }
end
else
-- 28 statistics.date
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
end
end
end
end
else
if number < 34 then
if number < 31 then
if number < 30 then
-- 29 statistics.sums
return function()
  local sums = {}
  for _, name in ipairs(cold(25)()) do
    sums[name] = 0
  end
  for _, name in ipairs(cold(26)()) do
    sums[name] = { count = 0, sum = 0, squares = 0, least = math.huge, most = 0 }
  end
  return sums
end
else
-- 30 statistics.span
return function(day)
  local low, high = string.format('%.6f', day * 86400), string.format('%.6f', (day + 1) * 86400)
  if #low == 17 and #high == 17 then
    return low, high
  end
  return '', ''
end
end
else
if number < 32 then
-- 31 statistics.add_done
return function(run, done, buckets)
  for _, name in ipairs({ 'count', 'sum', 'squares' }) do
    run[name] = run[name] + done[name]
  end
  run.least, run.most = math.min(run.least, done.least), math.max(run.most, done.most)
  for i = 1, buckets do
    run[i] = done[i] and (run[i] or 0) + done[i] or run[i]
  end
end
else
if number < 33 then
-- 32 statistics.merge
return function(key, sums, prefix)
  local names, kinds, added, bounds = {}, {}, {}, cold(27)()
  local function add(name, kind, value)
    local at = #names + 1
    names[at], kinds[at], added[at] = (prefix or '') .. name, kind, value
  end
  cold(31)(sums.run, sums.done, #bounds + 1)
  for _, name in ipairs(cold(25)()) do
    if sums[name] > 0 then
      add(name, 'count', sums[name])
    end
  end
  for _, measure in ipairs(cold(26)()) do
    local own = sums[measure]
    if own.count > 0 then
      for _, kind in ipairs({ 'count', 'sum', 'squares', 'least', 'most' }) do
        add(measure .. '.' .. kind, kind, own[kind])
      end
      for i = 1, #bounds + 1 do
        if own[i] then
          add(measure .. '.' .. (bounds[i] or 'over'), 'count', own[i])
        end
      end
    end
  end
  local held, fields = #names > 0 and redis.call('HMGET', key, unpack(names)), {}
  for i = 1, #names do
    fields[2 * i - 1] = names[i]
    fields[2 * i] = cold(36)(kinds[i], cold(35)(kinds[i], tonumber(held[i]), added[i]))
  end
  return fields
end
else
-- 33 statistics.hosts_key
return function(queue, date)
  return namespace_key('hosts', queue .. '/' .. date)
end
end
end
end
else
if number < 36 then
if number < 35 then
-- 34 statistics.merge_hosts
return function(key, hosts)
  local names = {}
  for name in pairs(hosts) do
    names[#names + 1] = not string.find(name, '_', 1, true) and name or nil
  end
  table.sort(names, cold(5))
  local held = redis.call('HMGET', key, '*', unpack(names))
  local number, writes = tonumber(held[1]) or 0, {}
  for i, host in ipairs(names) do
    local known = held[i + 1]
    if known or number < 100 then
      local fields = cold(32)(key, hosts[host], host .. ' ')
      if not known then
        number = number + 1
        fields[#fields + 1], fields[#fields + 2] = host, '1'
        fields[#fields + 1], fields[#fields + 2] = '*', number
      end
      writes[#writes + 1] = fields
    end
  end
  return writes
end
else
-- 35 statistics.join
return function(kind, held, added)
  if not held then
    return added
  elseif kind == 'least' then
    return math.min(held, added)
  elseif kind == 'most' then
    return math.max(held, added)
  end
  return held + added
end
end
else
if number < 37 then
-- 36 statistics.text
return function(kind, value)
  if kind == 'sum' or kind == 'least' or kind == 'most' then
    return string.format('%.6f', value)
  elseif kind == 'squares' then
    return string.format('%.17g', value)
  end
  return string.format('%.0f', value)
end
else
if number < 38 then
-- 37 statistics.before
return function(one, other)
  local ms, number = string.match(one, '^(%d+)%-(%d+)$')
  local other_ms, other_number = string.match(other, '^(%d+)%-(%d+)$')
  ms, other_ms = tonumber(ms), tonumber(other_ms)
  return ms < other_ms or (ms == other_ms and tonumber(number) < tonumber(other_number))
end
else
-- 38 statistics.key
return function(queue, date)
  return namespace_key('statistics', queue .. '/' .. date)
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
  return statistics_tally(contract_arguments())
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(19)(answer)
