-- Sums of events: counters and measured durations of a day, and of its hosts.
local event_sums = {}

-- Adds the duration of a task's former state, if it is known, to the sums of a day. `since`: its beginning, as in the
-- entry of the event.
-- @hot
function event_sums.measure(own, at, since, bounds)
  local shared = event_entries.shared(at, since)
  at, since = tonumber(string.sub(at, #shared + 1)), tonumber(since)
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

-- Returns empty sums of a day: for each measure a table of its buckets by position, and the counters. Until `merge`,
-- attempts that completed their task are only in `done`.
function event_sums.sums()
  local sums = {}
  for _, name in ipairs(statistics.counts()) do
    sums[name] = 0
  end
  for _, name in ipairs(statistics.measures()) do
    sums[name] = { count = 0, sum = 0, squares = 0, least = math.huge, most = 0 }
  end
  return sums
end

-- Adds an event to the sums of its day. The reason of a release may be any word except `fail`; an event without `by`
-- is a lost attempt.
-- @hot
function event_sums.event(sums, from, to, by, why, at, since, bounds)
  if from == 'pending' then
    if to == 'reserved' or to == 'started' then
      event_sums.measure(sums.wait, at, since, bounds)
    end
  elseif from == 'reserved' or from == 'started' then
    -- An owner that never reported the start still worked on the task.
    local goes_on = to == 'moved' and why == 'next' -- the task has completed a step
    if to == 'complete' or goes_on then
      event_sums.measure(sums.done, at, since, bounds)
    elseif from == 'started' or (why == 'fail' and by ~= '') then
      event_sums.measure(sums.run, at, since, bounds)
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
function event_sums.add_done(run, done, buckets)
  for _, name in ipairs({ 'count', 'sum', 'squares' }) do
    run[name] = run[name] + done[name]
  end
  run.least, run.most = math.min(run.least, done.least), math.max(run.most, done.most)
  for i = 1, buckets do
    run[i] = done[i] and (run[i] or 0) + done[i] or run[i]
  end
end

-- Merges the sums of a day with its hash. Returns fields and values to write. Seconds have six decimals, so sums up to
-- 9·10⁹ s are exact. `prefix`: the beginning of each field name.
function event_sums.merge(key, sums, prefix)
  local names, kinds, added, bounds = {}, {}, {}, statistics.bounds()
  local function add(name, kind, value)
    local at = #names + 1
    names[at], kinds[at], added[at] = (prefix or '') .. name, kind, value
  end
  event_sums.add_done(sums.run, sums.done, #bounds + 1)
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

-- Maximum number of hosts of a day whose sums are kept.
event_sums.HOSTS = 100

-- Adds the end of an attempt to the sums of its host on a day. `node`: the listener that held it; `states`: both
-- states and the cause.
-- @hot
function event_sums.end_of(days_hosts, day, node, states, by, at, since, bounds)
  local hosts = days_hosts[day] or {}
  days_hosts[day] = hosts
  local sums = hosts[node]
  if not sums then -- listeners of one host share its sums
    local host = string.match(node, '^([%w.-]+)[%w.:-]*_%d+$')
    if not host or #node > contract.LISTENER_HIGH then
      return
    end
    sums = hosts[host] or event_sums.sums()
    hosts[host], hosts[node] = sums, sums
  end
  event_sums.event(sums, states[1], states[2], by, states[3], at, since, bounds)
end

-- Merges the sums of hosts with the stored sums of the day. Returns the fields and values to write for each host. Hosts
-- without a count are left out, such as a host that only lost a task to a requeue before its start. After 100 hosts,
-- further hosts are not counted.
function event_sums.merge_hosts(key, hosts)
  local names = {}
  for name in pairs(hosts) do
    names[#names + 1] = not string.find(name, '_', 1, true) and name or nil
  end
  table.sort(names, args.before)
  local held = redis.call('HMGET', key, '*', unpack(names))
  local number, writes = tonumber(held[1]) or 0, {}
  for i, host in ipairs(names) do
    local known = held[i + 1]
    local fields = (known or number < event_sums.HOSTS) and event_sums.merge(key, hosts[host], host .. ' ') or {}
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
