--- Statistics of a queue by day, and of all these days together, as far as `tally` has read the events.
-- @args now queue days
-- @options until
-- @reply name and value in turn: `day` and `total`, the `first` and the `last` day and the one `before` (YYYYMMDD),
--   then the values of all these days; then for each day that has any, the earliest first, `day` and YYYYMMDD and
--   its values
-- @errors
namespace.open()
local queue, count = contract.arguments()
local last = args.options()['until'] or math.floor(namespace.now_us / 86400000000)

local names, kinds, total, days = statistics.names(), {}, {}, {}
for i, name in ipairs(names) do
  kinds[i] = statistics.kind(name)
end
for _, date in ipairs(redis.call('ZRANGEBYSCORE', namespace.key('days', queue), last - count + 1, last,
  'LIMIT', 0, 14)) do
  -- In one pass: the server stores a small hash as a list, and searches it from the beginning for each field.
  local values, found = {}, redis.call('HGETALL', statistics.key(queue, date))
  for i = 1, #found, 2 do
    values[found[i]] = found[i + 1]
  end
  days[#days + 1], days[#days + 2] = 'day', date
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
  'day', 'total', 'first', statistics.date(first), 'last', statistics.date(last),
  'before', first > 0 and statistics.date(first - 1) or '',
}
for i, name in ipairs(names) do
  if total[i] then
    answer[#answer + 1], answer[#answer + 2] = name, statistics.text(kinds[i], total[i])
  end
end
for _, value in ipairs(days) do
  answer[#answer + 1] = value
end
return answer
