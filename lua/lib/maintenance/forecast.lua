-- Estimates of durations from the statistics of a queue.
local forecast = {}

-- Returns the durations of the last days that have statistics.
function forecast.recent(queue)
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

function forecast.mean(total, measure)
  local number = total[measure .. '.count'] or 0
  return number > 0 and total[measure .. '.sum'] / number or nil
end

-- The mean duration of attempts that completed their task and took longer than `elapsed`, or nil if there is none.
function forecast.longer(total, elapsed)
  local least, most = total['done.least'], total['done.most']
  if not least or elapsed < least then
    return forecast.mean(total, 'done')
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

-- Returns the finished part of a task, from 0 to 1, according to its progress. The progress is a number, or an object
-- with `progress`, `fraction`, or `done` and `total`; `blueque show` reads the progress in the same way. Returns nil
-- for any other text.
function forecast.fraction(text)
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

-- Number of earlier runs whose mean duration has half of the weight that many runs have.
forecast.few = 2

-- Estimates the total duration of a running task. Returns the duration and its basis. `progressed`: the time of its
-- last progress report. The pace of the task has its full weight once a tenth of the task is done, and less weight if
-- the last report is old; the duration of earlier runs has the rest of the weight, and less if they are few.
function forecast.duration(total, started, fraction, progressed)
  local now = namespace.now_us / 1000000
  local told = math.max(started, math.min(now, progressed or now))
  local by_progress = fraction and fraction > 0 and (told - started) / fraction or nil
  local by_history = forecast.longer(total, now - started)
  if by_progress and by_history then
    local steady = math.min(1, fraction * 10) * (told - started) / math.max(told - started, now - started)
    local runs = total['done.count']
    local weight = (1 - fraction) * (1 - steady) * runs / (runs + forecast.few)
    return weight * by_history + (1 - weight) * by_progress, weight < 0.1 and fraction < 1 and 'progress' or 'both'
  end
  return by_progress or by_history, by_progress and 'progress' or by_history and 'history' or ''
end

-- Estimates the ends of the running tasks, in order: of all tasks if they are few, else of a sample. If no task runs, a
-- place is free now.
function forecast.ends(queue, total, busy)
  local ends, number = {}, math.min(busy, 32)
  local now, run = namespace.now_us / 1000000, forecast.mean(total, 'run')
  for _, entry in ipairs(redis.call('SRANDMEMBER', namespace.key('started_tasks', queue), number)) do
    local key = namespace.key('task', string.match(entry, '%S*$'))
    local v = redis.call('HMGET', key, 'started', 'progress', 'progressed')
    local started = tonumber(v[1])
    local took = started and forecast.duration(total, started, forecast.fraction(v[2]), tonumber(v[3]))
    ends[#ends + 1] = took and math.max(now, started + took) or now + run
  end
  while #ends < number do
    ends[#ends + 1] = now + run
  end
  table.sort(ends)
  return ends[1] and ends or { now }
end
