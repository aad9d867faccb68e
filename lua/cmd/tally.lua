--- Adds events that were not read yet to the statistics of their days, each once, and then trims the events.
-- @args now queue limit
-- @again goes on
-- @reply number of events read, 1 if there are more, number of events that were trimmed before they were read
-- @errors
local GONE = 100 -- expired days that one call removes

namespace.open()
local queue, limit = contract.arguments()

local events, tally, days = namespace.key('events', queue), namespace.key('tally', queue), namespace.key('days', queue)
local texts = redis.call('HMGET', namespace.meta, 'settings:' .. queue, 'settings')
local kept_days = tonumber(settings.value(texts[1], texts[2], 'statistics'))
local kept_events = tonumber(settings.value(texts[1], texts[2], 'events'))
namespace.declare(tally)
local place = redis.call('HMGET', tally, 'last', 'read')
local last, read = place[1] or '0-0', tonumber(place[2] or 0)
local today = math.floor(namespace.now_us / 86400000000)
local oldest = today - kept_days + 1
namespace.declare(days)
local gone = redis.call('ZRANGEBYSCORE', days, '-inf', oldest - 1, 'LIMIT', 0, GONE)

-- The server counts all entries that a stream ever had, which shows how many were trimmed unread.
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
    last, read = '0-0', 0 -- somebody removed the stream, and this is a new one
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

local days_sums, bounds = {}, statistics.bounds()
local sums, low, high = nil, '', '' -- of the previous event, and the span of its day
for i = 1, #found do
  local v = found[i][2]
  local why, at = v[14], v[10]
  if why then -- an entry of another client may contain anything
    local own = sums
    if not (#at == 17 and at >= low and at < high) then -- reading the text as a number costs more
      local time = tonumber(at)
      own = nil
      if time and time >= 0 and time <= 100000000000 then
        local day = math.floor(time / 86400)
        own = days_sums[day] or statistics.sums()
        days_sums[day] = own
        sums, low, high = own, statistics.span(day)
      end
    end
    if own then
      statistics.event(own, v[4], v[6], v[12], why, at, v[16], bounds)
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
    writes[#writes + 1] = { day = one, date = date, fields = fields }
  end
end
table.sort(writes, function(a, b) return a.day < b.day end)
for _, date in ipairs(gone) do
  namespace.declare(statistics.key(queue, date))
end

local most = math.max(kept_events, added - read)
local more = read < added and 1 or 0
if last == place[1] and #writes == 0 and #gone == 0 and length <= most then
  return { 0, 0, 0 }
end
namespace.begin()
-- A removal first: then the next writes are allowed even when memory is full.
redis.call('XTRIM', events, 'MAXLEN', '~', most)
for _, date in ipairs(gone) do
  redis.call('UNLINK', statistics.key(queue, date))
end
if #gone > 0 then
  redis.call('ZREM', days, unpack(gone))
end
if length > 0 then
  redis.call('HSET', tally, 'last', last, 'read', string.format('%.0f', read))
end
for _, write in ipairs(writes) do
  redis.call('HSET', statistics.key(queue, write.date), unpack(write.fields))
  redis.call('ZADD', days, write.day, write.date)
end
return { #found, more, missed }
