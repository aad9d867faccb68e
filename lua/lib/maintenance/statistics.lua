-- Statistics of queues: sums of their events, by day in UTC.
local statistics = {}

-- Names of the counters.
function statistics.counts()
  return { 'submitted', 'started', 'complete', 'failed', 'cancelled', 'failures', 'retries', 'losses',
    'releases', 'missed' }
end

-- Names of the measured durations. `wait`: time until a task was reserved; `run`: time that an attempt ran, whatever
-- its end; `done`: time that an attempt ran which completed its task.
function statistics.measures()
  return { 'wait', 'run', 'done' }
end

-- The upper bounds of the histogram's buckets in seconds: 1 s to 4 weeks. Longer durations are in `over`.
function statistics.bounds()
  return { 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 57600,
    86400, 172800, 345600, 604800, 1209600, 2419200 }
end

-- The fields of one measure, in order.
function statistics.fields(measure)
  local names = {}
  for _, name in ipairs({ 'count', 'sum', 'squares', 'least', 'most' }) do
    names[#names + 1] = measure .. '.' .. name
  end
  for _, bound in ipairs(statistics.bounds()) do
    names[#names + 1] = measure .. '.' .. bound
  end
  names[#names + 1] = measure .. '.over'
  return names
end

-- The fields of a day, in order.
function statistics.names()
  local names = statistics.counts()
  for _, measure in ipairs(statistics.measures()) do
    for _, name in ipairs(statistics.fields(measure)) do
      names[#names + 1] = name
    end
  end
  return names
end

-- YYYYMMDD of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
function statistics.date(day)
  local floor = math.floor
  local shifted = day + 719468 -- days from 0000-03-01
  local era = floor(shifted / 146097)
  local of_era = shifted - era * 146097
  local year = floor((of_era - floor(of_era / 1460) + floor(of_era / 36524) - floor(of_era / 146096)) / 365)
  local of_year = of_era - (365 * year + floor(year / 4) - floor(year / 100))
  local month = floor((5 * of_year + 2) / 153)
  local date = of_year - floor((153 * month + 2) / 5) + 1
  return string.format('%04d%02d%02d', era * 400 + year + (month >= 10 and 1 or 0),
    month < 10 and month + 3 or month - 9, date)
end

-- The day of a date as `statistics.date` writes it.
function statistics.day(value, what)
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
  if not day or day < 0 or statistics.date(day) ~= value then
    reply.fail('BADARG', what .. ' must be a day in UTC from 1970 on, as YYYYMMDD')
  end
  return day
end

-- Adds the duration of a task's former state, if it is known, to the sums of a day.
-- @hot
function statistics.measure(own, at, since, bounds)
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

-- Empty sums of a day: for each measure a table of its buckets by position, and the counters. Until `merge`, attempts
-- that completed their task are only in `done`.
function statistics.sums()
  local sums = {}
  for _, name in ipairs(statistics.counts()) do
    sums[name] = 0
  end
  for _, name in ipairs(statistics.measures()) do
    sums[name] = { count = 0, sum = 0, squares = 0, least = math.huge, most = 0 }
  end
  return sums
end

-- The first moments of a day and of the next day, in the format of event times. Two empty strings if times of this
-- day do not sort as texts.
function statistics.span(day)
  local low, high = string.format('%.6f', day * 86400), string.format('%.6f', (day + 1) * 86400)
  if #low == 17 and #high == 17 then
    return low, high
  end
  return '', ''
end

-- Adds an event to the sums of its day. The reason of a release may be any word except `fail`; an event without `by`
-- is a lost attempt.
-- @hot
function statistics.event(sums, from, to, by, why, at, since, bounds)
  if from == 'pending' then
    if to == 'reserved' or to == 'started' then
      statistics.measure(sums.wait, at, since, bounds)
    end
  elseif from == 'reserved' or from == 'started' then
    -- An owner that never reported the start still worked on the task.
    local goes_on = to == 'moved' and why == 'next' -- the task has completed a step
    if to == 'complete' or goes_on then
      statistics.measure(sums.done, at, since, bounds)
    elseif from == 'started' or (why == 'fail' and by ~= '') then
      statistics.measure(sums.run, at, since, bounds)
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

-- Adds the attempts that completed their task to the attempts that ran.
function statistics.add_done(run, done, buckets)
  for _, name in ipairs({ 'count', 'sum', 'squares' }) do
    run[name] = run[name] + done[name]
  end
  run.least, run.most = math.min(run.least, done.least), math.max(run.most, done.most)
  for i = 1, buckets do
    run[i] = done[i] and (run[i] or 0) + done[i] or run[i]
  end
end

-- Merges the sums of a day with its hash. Returns fields and values to write. Seconds have six decimals, so that
-- their sum stays exact within its digits. `prefix`: the beginning of each field name.
function statistics.merge(key, sums, prefix)
  local names, kinds, added, bounds = {}, {}, {}, statistics.bounds()
  local function add(name, kind, value)
    local at = #names + 1
    names[at], kinds[at], added[at] = (prefix or '') .. name, kind, value
  end
  statistics.add_done(sums.run, sums.done, #bounds + 1)
  for _, name in ipairs(statistics.counts()) do
    if sums[name] > 0 then
      add(name, 'count', sums[name])
    end
  end
  for _, measure in ipairs(statistics.measures()) do
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
    fields[2 * i] = statistics.text(kinds[i], statistics.join(kinds[i], tonumber(held[i]), added[i]))
  end
  return fields
end

-- The key of the statistics of a queue's hosts on a day. The hash has a field `HOST` for each host, a field `HOST NAME`
-- for each of its numbers, and the number of hosts in `*`.
function statistics.hosts_key(queue, date)
  return namespace.key('hosts', queue .. '/' .. date)
end

-- Maximum number of hosts of a day whose sums are kept.
statistics.HOSTS = 100

-- Adds the end of an attempt to the sums of its host on a day. `node`: the listener that held it.
-- @hot
function statistics.end_of(days_hosts, day, node, v, bounds)
  local hosts = days_hosts[day] or {}
  days_hosts[day] = hosts
  local sums = hosts[node]
  if not sums then -- listeners of one host share its sums
    local host = string.match(node, '^([%w.-]+)[%w.:-]*_%d+$')
    if not host or #node > contract.LISTENER_HIGH then
      return
    end
    sums = hosts[host] or statistics.sums()
    hosts[host], hosts[node] = sums, sums
  end
  statistics.event(sums, v[4], v[6], v[12], v[14], v[10], v[16], bounds)
end

-- Merges the sums of hosts with the stored sums of the day. Returns the fields and values to write for each host. Hosts
-- without a count are left out, such as a host that only lost a task to a requeue before its start. After 100 hosts,
-- further hosts are not counted.
function statistics.merge_hosts(key, hosts)
  local names = {}
  for name in pairs(hosts) do
    names[#names + 1] = not string.find(name, '_', 1, true) and name or nil
  end
  table.sort(names, args.before)
  local held = redis.call('HMGET', key, '*', unpack(names))
  local number, writes = tonumber(held[1]) or 0, {}
  for i, host in ipairs(names) do
    local known = held[i + 1]
    local fields = (known or number < statistics.HOSTS) and statistics.merge(key, hosts[host], host .. ' ') or {}
    if fields[1] then
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

-- The kind of a field: `count`, or the word after the name of a measure.
-- @hot
function statistics.kind(name)
  return string.match(name, '%.(%a+)$') or 'count'
end

-- Combines two values of a field.
-- @hot
function statistics.join(kind, held, added)
  if not held then
    return added
  elseif kind == 'least' then
    return math.min(held, added)
  elseif kind == 'most' then
    return math.max(held, added)
  end
  return held + added
end

-- Formats a value of a field for the hash.
-- @hot
function statistics.text(kind, value)
  if kind == 'sum' or kind == 'least' or kind == 'most' then
    return string.format('%.6f', value)
  elseif kind == 'squares' then
    return string.format('%.17g', value)
  end
  return string.format('%.0f', value)
end

-- Returns true if an entry of a stream precedes another.
function statistics.before(one, other)
  local ms, number = string.match(one, '^(%d+)%-(%d+)$')
  local other_ms, other_number = string.match(other, '^(%d+)%-(%d+)$')
  ms, other_ms = tonumber(ms), tonumber(other_ms)
  return ms < other_ms or (ms == other_ms and tonumber(number) < tonumber(other_number))
end

-- The key of a day.
function statistics.key(queue, date)
  return namespace.key('statistics', queue .. '/' .. date)
end

-- Durations of the last days that have statistics.
function statistics.recent(queue)
  local names = { 'wait.count', 'wait.sum', 'run.count', 'run.sum', unpack(statistics.fields('done')) }
  local kinds, total = {}, {}
  for _, name in ipairs(names) do
    kinds[name] = statistics.kind(name)
  end
  for _, date in ipairs(redis.call('ZREVRANGE', namespace.key('days', queue), 0, 6)) do
    local found = redis.call('HGETALL', statistics.key(queue, date))
    for i = 1, #found, 2 do
      local name = found[i]
      if kinds[name] then
        total[name] = statistics.join(kinds[name], total[name], tonumber(found[i + 1]))
      end
    end
  end
  return total
end

-- The mean of a measure, or nil.
function statistics.mean(total, measure)
  local number = total[measure .. '.count'] or 0
  return number > 0 and total[measure .. '.sum'] / number or nil
end

-- The mean duration of attempts that completed their task and took longer than `elapsed`, or nil if there is none.
function statistics.longer(total, elapsed)
  local least, most = total['done.least'], total['done.most']
  if not least or elapsed < least then
    return statistics.mean(total, 'done')
  end
  local low, weight, sum = least, 0, 0
  local bounds = statistics.bounds()
  for i = 1, #bounds + 1 do
    local number = total['done.' .. (bounds[i] or 'over')] or 0
    local from, to = math.max(low, least), math.min(bounds[i] or most, most)
    if number > 0 and to > elapsed then
      local part = from < elapsed and number * (to - elapsed) / (to - from) or number
      weight, sum = weight + part, sum + part * (math.max(from, elapsed) + to) / 2
    end
    low = bounds[i]
  end
  return weight > 0 and sum / weight or nil
end

-- The finished part of a task, from 0 to 1, according to its progress. The progress is a number, or an object with
-- `progress`, `fraction`, or `done` and `total`; `blueque show` reads the progress in the same way. Returns nil for any
-- other text.
function statistics.fraction(text)
  local read, value = pcall(cjson.decode, text or '')
  local part = read and value
  if type(part) == 'table' and part.progress ~= nil then
    part = part.progress
  end
  if type(part) == 'table' then
    local done, whole = tonumber(part.done), tonumber(part.total)
    part = not done and part.fraction or done and whole and whole > 0 and done / whole
  end
  return type(part) == 'number' and part == part and math.max(0, math.min(1, part)) or nil
end

-- Estimates the total duration of a running task. Returns the duration and its basis. `progressed`: the time of its
-- last progress report. The pace of the task has its full weight from a tenth of the way on, and less weight if the
-- last report is old; the duration of earlier runs has the rest of the weight.
function statistics.duration(total, started, fraction, progressed)
  local now = namespace.now_us / 1000000
  local told = math.max(started, math.min(now, progressed or now))
  local by_progress = fraction and fraction > 0 and (told - started) / fraction or nil
  local by_history = statistics.longer(total, now - started)
  if by_progress and by_history then
    local steady = math.min(1, fraction * 10) * (told - started) / math.max(told - started, now - started)
    local weight = (1 - fraction) * (1 - steady)
    return weight * by_history + (1 - weight) * by_progress, weight < 0.1 and fraction < 1 and 'progress' or 'both'
  end
  return by_progress or by_history, by_progress and 'progress' or by_history and 'history' or ''
end

-- Estimates the ends of the running tasks, in order: of all tasks if they are few, else of a sample. If no task runs, a
-- place is free now.
function statistics.ends(queue, total, busy)
  local ends, number = {}, math.min(busy, 32)
  local now, run = namespace.now_us / 1000000, statistics.mean(total, 'run')
  for _, entry in ipairs(redis.call('SRANDMEMBER', namespace.key('started_tasks', queue), number)) do
    local key = namespace.key('task', string.match(entry, '%S*$'))
    local v = redis.call('HMGET', key, 'started', 'progress', 'progressed')
    local started = tonumber(v[1])
    local took = started and statistics.duration(total, started, statistics.fraction(v[2]), tonumber(v[3]))
    ends[#ends + 1] = took and math.max(now, started + took) or now + run
  end
  while #ends < number do
    ends[#ends + 1] = now + run
  end
  table.sort(ends)
  return ends[1] and ends or { now }
end

-- Maximum number of expired days that a call removes.
statistics.GONE = 100

-- Adds up to `limit` new events to the statistics of their days, and trims the events. Returns the reply of
-- `aggregate`.
-- @hot
function statistics.aggregate(queue, limit)
  local events, aggregate = namespace.key('events', queue), namespace.key('aggregate', queue)
  local days = namespace.key('days', queue)
  local texts = redis.call('HMGET', namespace.meta, 'settings:' .. queue, 'settings')
  local kept_days = tonumber(settings.value(texts[1], texts[2], 'statistics'))
  local kept_events = tonumber(settings.value(texts[1], texts[2], 'events'))
  namespace.declare(aggregate)
  local place = redis.call('HMGET', aggregate, 'last', 'read')
  local last, read = place[1] or '0-0', tonumber(place[2] or 0)
  local today = math.floor(namespace.now_us / 86400000000)
  local oldest = today - kept_days + 1
  namespace.declare(days)
  local gone = redis.call('ZRANGEBYSCORE', days, '-inf', oldest - 1, 'LIMIT', 0, statistics.GONE)

  -- The server counts all entries that a stream ever had. This number shows how many entries were trimmed unread.
  local length = namespace.probe('XLEN', events)
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
    if added < read or statistics.before(newest, last) then
      last, read = '0-0', 0 -- somebody removed the stream, and this is a new stream
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
      missed, read = missed + math.max(0, added - read), added -- somebody removed entries from its middle
    end
  elseif length > 0 then
    missed, last, read = 0, newest, added
  end

  local days_sums, days_hosts, bounds = {}, {}, statistics.bounds()
  local sums, low, high, today_of = nil, '', '', nil -- sums of the previous event, and the span and number of its day
  for i = 1, #found do
    local v = found[i][2]
    local why, at = v[14], v[10]
    if why then -- an entry of another client may contain anything
      local own, day = sums, today_of
      if not (#at == 17 and at >= low and at < high) then -- reading the text as a number costs more
        local time = tonumber(at)
        own = nil
        if time and time >= 0 and time <= 100000000000 then
          day = math.floor(time / 86400)
          own = days_sums[day] or statistics.sums()
          days_sums[day] = own
          sums, today_of, low, high = own, day, statistics.span(day)
        end
      end
      if own then
        local from, to = v[4], v[6]
        statistics.event(own, from, to, v[12], why, at, v[16], bounds)
        if (from == 'started' or from == 'reserved') and to ~= 'started' then
          statistics.end_of(days_hosts, day, v[18] or v[12], v, bounds)
        end
      end
    end
  end
  if missed > 0 then
    days_sums[today] = days_sums[today] or statistics.sums()
    days_sums[today].missed = missed
  end
  local writes = {}
  for one, own in pairs(days_sums) do
    local date = statistics.date(one)
    local fields = one >= oldest and statistics.merge(namespace.declare(statistics.key(queue, date)), own) or {}
    if #fields > 0 then
      local hosts = days_hosts[one]
      hosts = hosts and statistics.merge_hosts(namespace.declare(statistics.hosts_key(queue, date)), hosts) or {}
      writes[#writes + 1] = { day = one, date = date, fields = fields, hosts = hosts }
    end
  end
  table.sort(writes, function(a, b) return a.day < b.day end)
  for _, date in ipairs(gone) do
    namespace.declare(statistics.key(queue, date))
    namespace.declare(statistics.hosts_key(queue, date))
  end

  local most = math.max(kept_events, added - read)
  local more = read < added and 1 or 0
  if last == place[1] and #writes == 0 and #gone == 0 and length <= most then
    return { 0, 0, 0 }
  end
  namespace.begin()
  -- The first write is a removal: the next writes are then allowed even when memory is full.
  redis.call('XTRIM', events, 'MAXLEN', '~', most)
  for _, date in ipairs(gone) do
    redis.call('UNLINK', statistics.key(queue, date), statistics.hosts_key(queue, date))
  end
  if #gone > 0 then
    redis.call('ZREM', days, unpack(gone))
  end
  if length > 0 then
    redis.call('HSET', aggregate, 'last', last, 'read', string.format('%.0f', read))
  end
  for _, write in ipairs(writes) do
    redis.call('HSET', statistics.key(queue, write.date), unpack(write.fields))
    redis.call('ZADD', days, write.day, write.date)
    for _, fields in ipairs(write.hosts) do
      redis.call('HSET', statistics.hosts_key(queue, write.date), unpack(fields))
    end
  end
  return { #found, more, missed }
end
