-- Watches: the events of a task that no call causes, because time passes: it is pending, or has not reported progress,
-- for some time, or its deadline is near. One set has the tasks whose targets ask for such events, by the time at which
-- the event is due; maintenance looks at them then. A task without such targets has no `m` in its flags.
local watches = {}

watches.EVENTS = ' deadline no-progress pending '

-- Seconds of each unit of a time, from the longest, and the longest time.
watches.UNITS = { { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } }
watches.LONGEST = 31622400

-- Returns the key of the watches: `EVENT=TIME ID` by the time in microseconds at which the event is due.
function watches.key()
  return namespace.prefix .. 'watches'
end

-- Returns the watches of a task, or nil. `end_by`: its deadline. `waited`: the times of the `pending` notices that it
-- already has.
function watches.of(targets, end_by, waited)
  return targets and string.find(targets, '=', 1, true)
    and { targets = targets, end_by = end_by or nil, waited = waited or nil } or nil
end

function watches.seconds(time)
  local number, unit = string.match(time, '^(%d+)(%l)$')
  for _, known in ipairs(watches.UNITS) do
    if unit == known[1] then
      return tonumber(number) * known[2]
    end
  end
end

-- Returns an event and its time as `EVENT=TIME`, in the longest unit that needs no fraction, or nil if they are
-- malformed.
function watches.check(event, time)
  local seconds = #time <= 9 and watches.seconds(string.find(time, '^%d+$') and time .. 's' or time)
  if not seconds or seconds < 1 or seconds > watches.LONGEST or not string.find(watches.EVENTS, ' ' .. event .. ' ', 1,
    true) then
    return nil
  end
  for _, unit in ipairs(watches.UNITS) do
    if seconds % unit[2] == 0 then
      return string.format('%s=%d%s', event, seconds / unit[2], unit[1])
    end
  end
end

-- Returns the events that a task in a state may have, each with the time at which it is due if the task has entered
-- the state now.
function watches.due(watch, status)
  local now = namespace.now * 1000000 -- not `now_us`, which a new token has advanced
  local due, open = {}, contract.is_waiting(status) or status == 'reserved' or status == 'started'
  for event, time in string.gmatch(watch and open and watch.targets or '', '([%l-]+)=(%w+)') do
    local after = watches.seconds(time) * 1000000
    local at = event == 'deadline' and watch.end_by and watch.end_by * 1000000 - after
      or event == 'no-progress' and status == 'started' and now + after
      or event == 'pending' and status == 'pending' and not watches.has_waited(watch, time) and now + after
    if at then
      due[event .. '=' .. time] = string.format('%.0f', math.max(0, at))
    end
  end
  return due
end

function watches.has_waited(watch, time)
  return string.find(' ' .. (watch.waited or '') .. ' ', ' ' .. time .. ' ', 1, true)
end

-- Updates the set after a task had the watches `old` in the state `from`, and has the watches `new` in the state `to`.
-- An event of both stays as it is: it may have been notified.
function watches.change(id, old, from, new, to)
  local left, entered = watches.due(old, from or ''), watches.due(new, to)
  for event in pairs(left) do
    if not entered[event] then
      redis.call('ZREM', watches.key(), event .. ' ' .. id)
    end
  end
  for event, at in pairs(entered) do
    if left[event] ~= at then
      redis.call('ZADD', watches.key(), at, event .. ' ' .. id)
    end
  end
end
