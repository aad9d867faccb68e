-- Where pending tasks stand that Blueque's plain list cannot hold: those with a
-- priority, a key or needs. Also the places of limits, which decide whether they
-- may run: of two kinds, those of the queue and those of a key in it.
--
-- `ranked_tasks` holds what may run next, in its order: tasks without a key, and for
-- each key that has places left one entry, which stands for the first of its tasks.
-- So whatever may not run is in nobody's way, and is looked at when a place is freed.
local lanes = {}

-- Entries of one order that a reserve looks at, and what it finds outdated is put right.
lanes.LOOKS = 10

-- Different needs that tasks of one queue may wait with.
lanes.NEEDS = 64

-- The texts of the settings of each queue that this script has met.
lanes.texts = false

-- @cold
function lanes.setting(queue, name)
  lanes.texts = lanes.texts or {}
  local texts = lanes.texts[queue]
  if not texts then
    texts = redis.call('HMGET', space.meta, 'settings:' .. queue, 'settings')
    lanes.texts[queue] = texts
  end
  return settings.value(texts[1], texts[2], name)
end

-- @cold
function lanes.ranked(queue, number)
  return space.prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end

-- @cold
function lanes.keyed(queue, key, number)
  return space.prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end

-- @cold
function lanes.rates(queue, key)
  return space.prefix .. 'rate_' .. queue .. (key and '/' .. key or '')
end

-- A number from which what enters later has a larger one.
-- @cold
function lanes.rank(us)
  return string.format('%016.0f', us)
end

-- When a rank was issued. Those of tasks that went to the front begin with a minus and run down.
-- @cold
function lanes.age(rank)
  if string.sub(rank, 1, 1) == '-' then
    return 9007199254740991 - tonumber(string.sub(rank, 2))
  end
  return tonumber(rank)
end

-- The numbers by which the needs of waiting tasks are known.
-- @cold
function lanes.numbers(queue)
  local numbers = { '' }
  for _, known in ipairs(redis.call('HVALS', space.key('needs', queue))) do
    numbers[#numbers + 1] = string.match(known, '^%d+')
  end
  return numbers
end

-- The number of these needs, where a task waits with them.
-- @cold
function lanes.number(queue, needs)
  if not needs then
    return ''
  end
  return string.match(redis.call('HGET', space.key('needs', queue), needs) or '', '^%d+')
end

-- One more or less task waits with these needs. Answers their number.
-- @cold
function lanes.count(queue, needs, by)
  if not needs then
    return ''
  end
  local known = space.key('needs', queue)
  local number, count = string.match(redis.call('HGET', known, needs) or '', '^(%d+) (%d+)$')
  if not number then
    local taken = {}
    for _, other in ipairs(lanes.numbers(queue)) do
      taken[other] = true
    end
    number = 1
    while taken[tostring(number)] do
      number = number + 1
    end
    count = 0
  end
  count = count + by
  if count > 0 then
    redis.call('HSET', known, needs, number .. ' ' .. count)
  else
    redis.call('HDEL', known, needs)
  end
  return tostring(number)
end

-- How many places a key has, or nil, and its rate.
-- @cold
function lanes.limit(queue, key)
  local own, rate = string.match(redis.call('HGET', space.key('limits', queue), key) or '- -', '^(%S+) (%S+)$')
  return tonumber(own ~= '-' and own or lanes.setting(queue, 'key_concurrency')),
    rate ~= '-' and rate or lanes.setting(queue, 'key_rate')
end

-- Whether the places of a key suffice for a task of this weight, or `solo`, and its
-- rate; else when the rate will. What weighs more than all places runs alone.
-- @cold
function lanes.fits(queue, key, weight)
  local most, rate = lanes.limit(queue, key)
  if weight == 'solo' then
    most, weight = 1, 1
  end
  if most then
    local used = tonumber(redis.call('HGET', space.key('places', queue), 'k:' .. key) or 0)
    if used + math.min(tonumber(weight), most) > most then
      return false
    end
  end
  return lanes.paced(lanes.rates(queue, key), rate)
end

-- Whether a rate lets a task start now; else when it will.
-- @cold
function lanes.paced(starts, rate)
  if not rate then
    return true
  end
  local number, seconds = string.match(rate, '^(%d+)/(%d+)$')
  local last = redis.call('LINDEX', starts, number - 1)
  local free = last and last + seconds * 1000000
  if free and free > space.us then
    return false, free
  end
  return true
end

-- Brings the entry of a key in the order up to date: there is one where its first
-- task may run. A key that was served goes behind those that have waited longer.
-- @cold
function lanes.settle(queue, key, number)
  local turns, field = space.key('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', lanes.keyed(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', turns, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = lanes.fits(queue, key, weight)
    if fits then
      local served = redis.call('HGET', turns, key)
      if served and served > rank then
        rank = served
      end
      wanted = first[2] .. ' ' .. rank
    elseif free then
      redis.call('ZADD', space.key('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked = lanes.ranked(queue, number)
  if wanted then
    local score, rank = string.match(wanted, '^(%S+) (%S+)$')
    redis.call('ZADD', ranked, score, rank .. ' /' .. key)
    redis.call('HSET', turns, field, wanted)
  else
    redis.call('HDEL', turns, field)
  end
  if current then
    redis.call('ZREM', ranked, string.match(current, ' (%S+)$') .. ' /' .. key)
  end
end

-- The same for all needs that tasks of the key may have.
-- @cold
function lanes.settle_all(queue, key)
  local waits = false
  for _, number in ipairs(lanes.numbers(queue)) do
    lanes.settle(queue, key, number)
    waits = waits or redis.call('EXISTS', lanes.keyed(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', space.key('places', queue), 'k:' .. key) then
    redis.call('HDEL', space.key('turns', queue), key)
    redis.call('ZREM', space.key('delayed', queue), key)
  end
end

-- Reads all that `enter`, `leave`, `take` and `free` of a task write.
-- @cold
function lanes.plan(task)
  local queue, probe = task.queue, space.probe
  if task.places then
    probe('HLEN', space.key('places', queue))
  end
  if task.lane then
    local number = lanes.number(queue, task.needs)
    probe('ZCARD', space.key('lane_tasks', queue))
    for _, other in ipairs((task.needs or task.lane_key) and lanes.numbers(queue) or { '' }) do
      probe('ZCARD', lanes.ranked(queue, other))
      if task.lane_key then
        probe('ZCARD', lanes.keyed(queue, task.lane_key, other))
      end
    end
    if not number then -- these needs will get one of the numbers that are free
      for other = 1, lanes.NEEDS do
        probe('ZCARD', lanes.ranked(queue, other))
      end
    end
  end
  if task.lane_key then
    probe('HLEN', space.key('turns', queue))
    probe('HLEN', space.key('limits', queue))
    probe('ZCARD', space.key('delayed', queue))
    probe('LLEN', lanes.rates(queue, task.lane_key))
    lanes.setting(queue, 'key_rate')
  end
end

-- What stands for a task among those of its key: all that decides whether it may run.
-- @cold
function lanes.member(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end

-- A task becomes pending.
-- @cold
function lanes.enter(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', space.meta, field) or 0) + 1, space.us)
  redis.call('HSET', space.meta, field, string.format('%.0f', last))
  task.rank = task.front and '-' .. lanes.rank(9007199254740991 - last) or lanes.rank(last)
  local member, score = task.rank .. ' ' .. task.id, -tonumber(task.priority or 0)
  redis.call('ZADD', space.key('lane_tasks', queue), score, member)
  local number = lanes.count(queue, task.needs, 1)
  if task.lane_key then
    redis.call('ZADD', lanes.keyed(queue, task.lane_key, number), score, lanes.member(task))
    lanes.settle(queue, task.lane_key, number)
  else
    redis.call('ZADD', lanes.ranked(queue, number), score, member)
  end
  redis.call('HSET', space.prefix .. 'task_' .. task.id, 'rank', task.rank)
end

-- A task is pending no more.
-- @cold
function lanes.leave(task, to)
  local queue, member = task.queue, task.rank .. ' ' .. task.id
  local number = lanes.number(queue, task.needs)
  redis.call('ZREM', space.key('lane_tasks', queue), member)
  if task.lane_key then
    redis.call('ZREM', lanes.keyed(queue, task.lane_key, number), lanes.member(task))
    if to == 'reserved' then
      lanes.take(task)
    end
    lanes.settle_all(queue, task.lane_key)
  else
    redis.call('ZREM', lanes.ranked(queue, number), member)
    if to == 'reserved' and task.places then
      lanes.take(task)
    end
  end
  lanes.count(queue, task.needs, -1)
  redis.call('HDEL', space.prefix .. 'task_' .. task.id, 'rank')
end

-- An attempt begins: it takes its places, which are its own until it ends.
-- @cold
function lanes.take(task)
  local queue, key, weight = task.queue, task.lane_key, tonumber(task.weight or 1)
  local places = space.key('places', queue)
  redis.call('HSET', places, 'a:' .. task.id .. ' ' .. task.issue, weight .. ' ' .. (key or ''))
  if weight > 1 then
    redis.call('HINCRBY', places, 'extra', weight - 1)
  end
  if key then
    local _, rate = lanes.limit(queue, key)
    redis.call('HINCRBY', places, 'k:' .. key, weight)
    redis.call('HSET', space.key('turns', queue), key, lanes.rank(tonumber(task.issue)))
    lanes.start(lanes.rates(queue, key), rate, task.issue)
  end
end

-- A start counts for a rate.
-- @cold
function lanes.start(starts, rate, us)
  if rate then
    redis.call('LPUSH', starts, us)
    redis.call('LTRIM', starts, 0, string.match(rate, '^%d+') - 1)
  end
end

-- An attempt has ended: its places are free.
-- @cold
function lanes.free(queue, id, token)
  local places, member = space.key('places', queue), 'a:' .. id .. ' ' .. token
  local weight, key = string.match(redis.call('HGET', places, member) or '', '^(%d+) (%S*)$')
  if not weight then
    return
  end
  redis.call('HDEL', places, member)
  local counts = { extra = weight - 1 }
  if key ~= '' then
    counts['k:' .. key] = tonumber(weight)
  end
  for field, count in pairs(counts) do
    if count > 0 and redis.call('HINCRBY', places, field, -count) <= 0 then
      redis.call('HDEL', places, field)
    end
  end
  if key ~= '' then
    lanes.settle_all(queue, key)
  end
end

-- What a listener has, by name: a number, or true.
-- @cold
function lanes.has(text)
  local has = {}
  for name, number in string.gmatch(text or '', '([%w_.-]+)=?([%d.]*)') do
    has[name] = tonumber(number) or true
  end
  return has
end

-- Whether it has what a task needs.
-- @cold
function lanes.suits(has, needs)
  for name, operator, number in string.gmatch(needs, '([%w_.-]+)([<>=]*)([%d.]*)') do
    local own, asked = has[name], tonumber(number)
    local holds = own
    if operator ~= '' then
      holds = own and own ~= true and (operator == '>=' and own >= asked or operator == '<=' and own <= asked
        or operator == '>' and own > asked or operator == '<' and own < asked or operator == '=' and own == asked)
    end
    if not holds then
      return false
    end
  end
  return true
end

-- The first entry of an order that may run now. What is outdated in it goes to `stale`.
-- `range`: how ZRANGE is told where to look.
-- @cold
function lanes.first(queue, number, stale, low, high)
  local ranked = lanes.ranked(queue, number)
  local entries = redis.call('ZRANGEBYSCORE', ranked, low, high, 'WITHSCORES', 'LIMIT', 0, lanes.LOOKS)
  for i = 1, #entries, 2 do
    local rank, what = string.match(entries[i], '^(%S+) (%S+)$')
    local found = { rank = rank, score = tonumber(entries[i + 1]), id = what }
    if string.sub(what, 1, 1) ~= '/' then
      return found
    end
    local key = string.sub(what, 2)
    local head = redis.call('ZRANGE', lanes.keyed(queue, key, number), 0, 0)[1]
    local weight
    found.id, weight = string.match(head or '', '^%S+ (%S+) (%S+)$')
    if found.id and lanes.fits(queue, key, weight) then
      return found
    end
    stale[#stale + 1] = key
  end
end

-- Whether one entry goes before another: by priority, one level more for each
-- `ageing` microseconds of waiting, then by rank.
-- @cold
function lanes.before(one, other, ageing)
  if not other then
    return true
  end
  local mine, theirs = one.score, other.score
  if ageing then
    mine, theirs = mine + lanes.age(one.rank) / ageing, theirs + lanes.age(other.rank) / ageing
  end
  return mine < theirs or mine == theirs and one.rank < other.rank
end

-- The task that comes next in a queue with lanes: better than `best`, the first of
-- the plain list, where there is one.
-- @cold
function lanes.pick(queue, listener, best, stale)
  local ageing = tonumber(lanes.setting(queue, 'ageing'))
  ageing = ageing and ageing * 1000000
  local needs = redis.call('HGETALL', space.key('needs', queue))
  local has = #needs > 0 and lanes.has(redis.call('HGET', space.key('has', queue), listener))
  needs[#needs + 1], needs[#needs + 2] = '', ''
  for i = 1, #needs, 2 do
    local number = string.match(needs[i + 1], '^%d*')
    local low = needs[i] ~= '' and not lanes.suits(has, needs[i]) and '+inf' or '-inf'
    while low ~= '+inf' do
      local found = lanes.first(queue, number, stale, low, '+inf')
      if found and lanes.before(found, best, ageing) then
        best = found
      end
      low = found and ageing and '(' .. found.score or '+inf' -- the oldest of each priority
    end
  end
  return best
end

-- Reads what `settle_all` of these keys writes.
-- @cold
function lanes.plan_settle(queue, keys)
  if #keys > 0 then
    space.probe('HLEN', space.key('turns', queue))
    space.probe('ZCARD', space.key('delayed', queue))
  end
  for _, number in ipairs(#keys > 0 and lanes.numbers(queue) or {}) do
    space.probe('ZCARD', lanes.ranked(queue, number))
    for _, key in ipairs(keys) do
      space.probe('ZCARD', lanes.keyed(queue, key, number))
    end
  end
end

-- Whether a queue's own limits let a task of this weight start; else when its rate will.
-- @cold
function lanes.open(queue, weight)
  local most = tonumber(lanes.setting(queue, 'concurrency'))
  if most then
    local used = redis.call('ZCARD', space.key('leases', queue))
      + tonumber(redis.call('HGET', space.key('places', queue), 'extra') or 0)
    if used + math.min(weight, most) > most then
      return false
    end
  end
  return lanes.paced(lanes.rates(queue), lanes.setting(queue, 'rate'))
end

-- Reads what `free` writes for attempts that nobody owns any more.
-- @cold
function lanes.plan_freed(queue, attempts)
  local keys = {}
  for _, ended in ipairs(attempts) do
    local held = redis.call('HGET', space.key('places', queue), 'a:' .. ended.id .. ' ' .. ended.token)
    keys[#keys + 1] = held and string.match(held, '^%d+ (%S+)$')
  end
  lanes.plan_settle(queue, keys)
end

-- What `due` has to do: keys whose rate lets them go on, and after a change of limits
-- some of those that hold places; `wakes`: somebody may go on; `next`: when the next rate does.
-- @cold
function lanes.plan_due(queue, limit)
  local delayed, sweep = space.key('delayed', queue), 'sweep:' .. queue
  local now = string.format('%.0f', space.us)
  limit = math.min(limit, 100) -- one costs more than a task that is due
  local found = { keys = {}, free = redis.call('ZRANGEBYSCORE', delayed, '-inf', now, 'LIMIT', 0, limit) }
  local later = redis.call('ZRANGEBYSCORE', delayed, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  found.next, found.more = tonumber(later[2]), #found.free == limit
  for _, key in ipairs(found.free) do
    if key ~= '/' then
      found.keys[#found.keys + 1] = key
    end
  end
  local cursor = redis.call('HGET', space.meta, sweep)
  if cursor then
    local page = redis.call('HSCAN', space.key('places', queue), cursor, 'COUNT', limit)
    for i = 1, #page[2], 2 do
      found.keys[#found.keys + 1] = string.match(page[2][i], '^k:(.+)$')
    end
    for _, key in ipairs(redis.call('ZRANGE', delayed, 0, limit - 1)) do
      found.keys[#found.keys + 1] = key ~= '/' and key or nil
    end
    found.sweep, found.more = page[1], found.more or page[1] ~= '0'
  end
  found.wakes = #found.free > 0 or cursor ~= false
  lanes.plan_settle(queue, found.keys)
  if #found.free > 0 then
    space.probe('ZCARD', delayed)
  end
  return found
end

-- @cold
function lanes.due(queue, found)
  if found.free and #found.free > 0 then
    redis.call('ZREM', space.key('delayed', queue), unpack(found.free))
  end
  for _, key in ipairs(found.keys) do
    lanes.settle_all(queue, key)
  end
  if found.sweep == '0' then
    redis.call('HDEL', space.meta, 'sweep:' .. queue)
  elseif found.sweep then
    redis.call('HSET', space.meta, 'sweep:' .. queue, found.sweep)
  end
end

-- How many listeners of a queue have what a task needs.
-- @cold
function lanes.able(queue, needs)
  local number, capabilities = 0, redis.call('HSCAN', space.key('has', queue), 0, 'COUNT', 1000)[2]
  for i = 1, #capabilities, 2 do
    if lanes.suits(lanes.has(capabilities[i + 1]), needs) then
      number = number + 1
    end
  end
  return number
end

-- What of needs and limits decides over a pending task, for `why`: name and value in turn.
-- @cold
function lanes.facts(task)
  local queue, key = task.queue, task.lane_key
  local places = space.key('places', queue)
  local used = redis.call('ZCARD', space.key('leases', queue)) + tonumber(redis.call('HGET', places, 'extra') or 0)
  local _, free = lanes.paced(lanes.rates(queue), lanes.setting(queue, 'rate'))
  local facts = {
    'able', task.needs and lanes.able(queue, task.needs) or '',
    'concurrency', lanes.setting(queue, 'concurrency') or '', 'used', used,
    'rate_until', free and space.decimal(free) or '',
  }
  if key then
    local most, rate = lanes.limit(queue, key)
    local _, key_free = lanes.paced(lanes.rates(queue, key), rate)
    for _, fact in ipairs({
      'key_concurrency', task.solo or most or '', 'key_used', redis.call('HGET', places, 'k:' .. key) or '0',
      'key_rate_until', key_free and space.decimal(key_free) or '',
    }) do
      facts[#facts + 1] = fact
    end
  end
  return facts
end

-- Adds a page of the pending tasks of a queue to `ids`: those with a priority over 0,
-- the plain list, the other lanes.
-- @cold
function lanes.list(queue, from, limit, ids)
  local lane, list = space.key('lane_tasks', queue), space.key('pending_tasks', queue)
  local urgent, plain = redis.call('ZCOUNT', lane, '-inf', '(0'), redis.call('LLEN', list)
  local function ranked(first, last)
    for _, member in ipairs(first <= last and redis.call('ZRANGE', lane, first, last) or {}) do
      ids[#ids + 1] = string.match(member, ' (%S+)$')
    end
  end
  local last = from + limit - 1
  ranked(from, math.min(last, urgent - 1))
  local first = math.max(0, from - urgent)
  if last >= urgent and first < plain then
    local page = redis.call('LRANGE', list, -math.min(plain, last - urgent + 1), -first - 1)
    for i = #page, 1, -1 do
      ids[#ids + 1] = page[i]
    end
  end
  ranked(math.max(urgent, from - plain), last - plain)
end

-- How many tasks run before a pending one, as far as `far`.
-- @cold
function lanes.ahead(task, far)
  local pending, lane = space.key('pending_tasks', task.queue), space.key('lane_tasks', task.queue)
  local ahead
  if task.rank then
    ahead = redis.call('ZRANK', lane, task.rank .. ' ' .. task.id) or 0
    if tonumber(task.priority or 0) <= 0 then
      ahead = ahead + redis.call('LLEN', pending)
    end
  else
    ahead = redis.call('LPOS', pending, task.id, 'RANK', -1, 'MAXLEN', far)
    ahead = (ahead and redis.call('LLEN', pending) - 1 - ahead or far) + redis.call('ZCOUNT', lane, '-inf', '(0')
  end
  return math.min(ahead, far)
end
