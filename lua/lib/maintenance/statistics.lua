-- Statistics of queues: sums of their events, by day in UTC. This file has their fields, keys and values; `event_sums`
-- adds up events, `aggregation` stores the sums, and `forecast` estimates durations from them.
local statistics = {}

function statistics.counts()
  return { 'submitted', 'started', 'complete', 'failed', 'cancelled', 'failures', 'retries', 'losses',
    'releases', 'missed' }
end

-- Returns the names of the measured durations. `wait`: time until a task was reserved; `run`: running time of an
-- attempt, whatever its end; `done`: running time of an attempt that completed its task.
function statistics.measures()
  return { 'wait', 'run', 'done' }
end

-- Returns the upper bounds of the histogram's buckets in seconds: 1 s to 4 weeks. Longer durations are in `over`.
function statistics.bounds()
  return { 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 57600,
    86400, 172800, 345600, 604800, 1209600, 2419200 }
end

function statistics.fields(measure)
  local names = { 'count', 'sum', 'squares', 'least', 'most', unpack(statistics.bounds()) }
  names[#names + 1] = 'over'
  for i, name in ipairs(names) do
    names[i] = measure .. '.' .. name
  end
  return names
end

function statistics.names()
  local names = statistics.counts()
  for _, measure in ipairs(statistics.measures()) do
    reply.add(names, unpack(statistics.fields(measure)))
  end
  return names
end

-- Returns the key of the statistics of a queue's hosts on a day. The hash has a field `HOST` for each host, a field
-- `HOST NAME` for each of its numbers, and the number of hosts in `*`.
function statistics.hosts_key(queue, date)
  return namespace.key('hosts', queue .. '/' .. date)
end

-- Returns the kind of a field: `count`, or the word after the name of a measure.
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

function statistics.key(queue, date)
  return namespace.key('statistics', queue .. '/' .. date)
end
