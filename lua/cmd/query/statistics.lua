--- Returns the statistics of a queue by day, and for all these days together. Includes the events that `aggregate` has
--   read. With `host`, returns the statistics of attempts that ended on this host.
-- @args now queue days
-- @options until host
-- @reply name and value in turn: `day` and `total`, the `first` and the `last` day and the day `before` the first
--   (YYYYMMDD), then the values of all these days; then for each day that has values, earliest first, `day` and its
--   date (YYYYMMDD) and its values
-- @errors
namespace.open()
local queue, count = contract.arguments()
local options = args.options()
local last, host = options['until'] or math.floor(namespace.now_us / 86400000000), options.host

local names, kinds, total, days = statistics.names(), {}, {}, {}
for i, name in ipairs(names) do
  kinds[i] = statistics.kind(name)
end
for _, date in ipairs(redis.call('ZRANGEBYSCORE', namespace.key('days', queue), last - count + 1, last,
  'LIMIT', 0, 14)) do
  local values = {}
  if host then
    local fields = {}
    for i, name in ipairs(names) do
      fields[i] = host .. ' ' .. name
    end
    for i, value in ipairs(redis.call('HMGET', statistics.hosts_key(queue, date), unpack(fields))) do
      values[names[i]] = value or nil
    end
  else
    -- One HGETALL: the server stores a small hash as a list, and searches it from the beginning for each field.
    local found = redis.call('HGETALL', statistics.key(queue, date))
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
      total[i] = statistics.join(kinds[i], total[i], tonumber(value))
    end
  end
end
local first = math.max(0, last - count + 1)
local answer = {
  'day', 'total', 'first', calendar.date(first), 'last', calendar.date(last),
  'before', first > 0 and calendar.date(first - 1) or '',
}
for i, name in ipairs(names) do
  if total[i] then
    answer[#answer + 1], answer[#answer + 2] = name, statistics.text(kinds[i], total[i])
  end
end
reply.add(answer, unpack(days))
return answer
