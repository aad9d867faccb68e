-- Aggregation: adds new events of a queue to the statistics of their days, and trims the events.
local aggregation = {}

-- Maximum number of expired days that a call removes.
aggregation.GONE = 100

-- Returns true if an entry of a stream precedes another.
function aggregation.before(one, other)
  local ms, number = string.match(one, '^(%d+)%-(%d+)$')
  local other_ms, other_number = string.match(other, '^(%d+)%-(%d+)$')
  ms, other_ms = tonumber(ms), tonumber(other_ms)
  return ms < other_ms or (ms == other_ms and tonumber(number) < tonumber(other_number))
end

-- Returns the number of entries that a stream ever had, which shows how many entries were trimmed unread, and its last
-- id.
function aggregation.stream(events)
  local added, newest = 0, '0-0'
  local info = redis.call('XINFO', 'STREAM', events)
  for i = 1, #info, 2 do
    if info[i] == 'entries-added' then
      added = info[i + 1]
    elseif info[i] == 'last-generated-id' then
      newest = info[i + 1]
    end
  end
  return added, newest
end

-- Reads the next events of a queue. `last` and `read`: the last event that was aggregated, and the number of these
-- events. Returns both as they are after this call, with the new events, `found`; the number of `missed` events, which
-- were trimmed unread; the number of events that were ever `added`; and the `length` of the stream.
function aggregation.read(events, last, read, limit, kept_days)
  local length = namespace.probe('XLEN', events)
  local added, newest = 0, '0-0'
  if length > 0 then
    added, newest = aggregation.stream(events)
    if added < read or aggregation.before(newest, last) then
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
  return { found = found, last = last, read = read, missed = missed, added = added, length = length }
end

-- Adds up events. Returns the sums of each day, and the sums of the hosts of each day.
-- @hot
function aggregation.sum(found)
  local days_sums, days_hosts, bounds, codes = {}, {}, statistics.bounds(), event_entries.codes()
  local sums, low, high, today_of = nil, '', '', nil -- sums of the previous event, and the span and number of its day
  for i = 1, #found do
    local code, _, _, since, by, node = event_entries.parts(found[i][2])
    if code then -- an entry of another client may contain anything
      local own, day, at = sums, today_of, event_entries.time(found[i])
      if not (#at == 17 and at >= low and at < high) then -- reading the text as a number costs more
        local time = tonumber(at)
        own = nil
        if time and time >= 0 and time <= 100000000000 then
          day = math.floor(time / 86400)
          own = days_sums[day] or event_sums.sums()
          days_sums[day] = own
          sums, today_of, low, high = own, day, calendar.span(day)
        end
      end
      local states = codes[code]
      if not states then
        states = { string.match(code, '^(%l*)>(%l+)>(.*)$') }
        codes[code] = states
      end
      local from, to = states[1], states[2]
      if own and to then
        event_sums.event(own, from, to, by, states[3], at, since, bounds)
        if (from == 'started' or from == 'reserved') and to ~= 'started' then
          event_sums.end_of(days_hosts, day, node ~= '' and node or by, states, by, at, since, bounds)
        end
      end
    end
  end
  return days_sums, days_hosts
end

-- Merges sums with the stored sums of their days. Returns what to write for each day, in order. `oldest`: the first day
-- that is kept.
function aggregation.merge(queue, days_sums, days_hosts, oldest)
  local writes = {}
  for one, own in pairs(days_sums) do
    local date = calendar.date(one)
    local fields = one >= oldest and event_sums.merge(namespace.declare(statistics.key(queue, date)), own) or {}
    if #fields > 0 then
      local hosts = days_hosts[one]
      hosts = hosts and event_sums.merge_hosts(namespace.declare(statistics.hosts_key(queue, date)), hosts) or {}
      writes[#writes + 1] = { day = one, date = date, fields = fields, hosts = hosts }
    end
  end
  table.sort(writes, function(a, b) return a.day < b.day end)
  return writes
end

-- Writes the sums of days, and removes the expired days `gone`. `most`: number of events that are kept. `new`: the
-- result of `aggregation.read`.
function aggregation.write(queue, writes, gone, new, most)
  local days = namespace.key('days', queue)
  namespace.begin()
  -- The first write is a removal: the next writes are then allowed even when memory is full.
  redis.call('XTRIM', namespace.key('events', queue), 'MAXLEN', '~', most)
  for _, date in ipairs(gone) do
    redis.call('UNLINK', statistics.key(queue, date), statistics.hosts_key(queue, date))
  end
  if #gone > 0 then
    redis.call('ZREM', days, unpack(gone))
  end
  if new.length > 0 then
    redis.call('HSET', namespace.key('aggregate', queue), 'last', new.last, 'read', string.format('%.0f', new.read))
  end
  for _, write in ipairs(writes) do
    redis.call('HSET', statistics.key(queue, write.date), unpack(write.fields))
    redis.call('ZADD', days, write.day, write.date)
    for _, fields in ipairs(write.hosts) do
      redis.call('HSET', statistics.hosts_key(queue, write.date), unpack(fields))
    end
  end
end

-- Adds up to `limit` new events to the statistics of their days, and trims the events. Returns the reply of
-- `aggregate`.
-- @hot
function aggregation.aggregate(queue, limit)
  local texts = redis.call('HMGET', namespace.meta, 'settings:' .. queue, 'settings')
  local kept_days = tonumber(settings.value(texts[1], texts[2], 'statistics'))
  local kept_events = tonumber(settings.value(texts[1], texts[2], 'events'))
  local place = redis.call('HMGET', namespace.declare(namespace.key('aggregate', queue)), 'last', 'read')
  local today = math.floor(namespace.now_us / 86400000000)
  local oldest = today - kept_days + 1
  local gone = redis.call('ZRANGEBYSCORE', namespace.declare(namespace.key('days', queue)), '-inf', oldest - 1,
    'LIMIT', 0, aggregation.GONE)
  local new = aggregation.read(namespace.key('events', queue), place[1] or '0-0', tonumber(place[2] or 0), limit,
    kept_days)
  local days_sums, days_hosts = aggregation.sum(new.found)
  local missed = new.missed
  if missed > 0 then
    days_sums[today] = days_sums[today] or event_sums.sums()
    days_sums[today].missed = missed
  end
  local writes = aggregation.merge(queue, days_sums, days_hosts, oldest)
  for _, date in ipairs(gone) do
    namespace.declare(statistics.key(queue, date))
    namespace.declare(statistics.hosts_key(queue, date))
  end

  local most = math.max(kept_events, new.added - new.read)
  if new.last == place[1] and #writes == 0 and #gone == 0 and new.length <= most then
    return { 0, 0, 0 }
  end
  aggregation.write(queue, writes, gone, new, most)
  return { #new.found, new.read < new.added and 1 or 0, missed }
end
