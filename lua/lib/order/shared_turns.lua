-- Turns at shared limits: which class of which queue takes places next. `reserve` looks at the class, never at its
-- tasks. If a listener asks for a class without success, the class waits its turn in the order of each of its limits,
-- from that time until one of its tasks is taken. So queues take turns.
--
-- No task holds a place while it waits for another place, so there are no deadlocks. The first class in the order of a
-- limit holds back all classes that ask later, until it has its places. All further classes hold back only the places
-- that they could take now. So the class that has waited longest is served as soon as its places are free: light tasks
-- do not starve a heavy task, and tasks of one limit do not starve a task of several limits.
local shared_turns = {}

-- Microseconds during which a place is kept for the class whose turn it is, once the class can take it.
shared_turns.TURN = 5000000

-- Microseconds after which a blocked class checks its limits again if no wake-up arrives.
shared_turns.AGAIN = 10000000

-- Maximum number of classes in the order of a limit that are checked in a call.
shared_turns.LOOKS = 16

-- Number of queues that are woken when a place is free. A queue that is woken before its turn only checks its limits,
-- and does not pass the wake-up on.
shared_turns.WOKEN = 4

-- Returns a `pool` for the classes of a queue that `waiting` lists, name and value in turn. `admits` adds the data that
-- the call must write.
--   known     the limits, by name
--   parts     the shared limits of each class
--   asked     when a listener asked for the class without success, and when the class was offered its places, as stored
--   asks      classes that wait from now on, or whose offer came too late
--   offers    classes of other queues that could take their places, and are notified
--   gone      classes that did not take their places, or have no task left
--   free      time of the next change without a notification
function shared_turns.look(queue, waiting)
  local pool = { queue = queue, known = {}, parts = {}, asked = {}, admitted = {}, asks = {}, offers = {}, gone = {} }
  local members, classes, all = {}, {}, {}
  local of, parse = shared_limits.of, shared_limits.parts
  for i = 1, #waiting, 2 do
    local set = of(waiting[i])
    if set then
      classes[#classes + 1], members[#members + 1] = waiting[i], queue .. ' ' .. waiting[i]
      pool.parts[waiting[i]] = parse(set)
      for _, part in ipairs(pool.parts[waiting[i]]) do
        all[#all + 1] = part
      end
    end
  end
  shared_limits.read(pool.known, all)
  local asked = redis.call('HMGET', shared_limits.key('waits'), unpack(members))
  for i, class in ipairs(classes) do
    pool.asked[class] = asked[i] or nil
  end
  return pool
end

-- Returns true if a class cannot get its places, and nothing new about the class needs to be stored.
function shared_turns.is_shut(pool, class)
  local asked = pool.asked[class]
  if asked and string.find(asked, ' ', 1, true) then
    return false
  end
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    if limit.missing
      or limit.most and (part.weight > limit.most or asked and limit.used + part.weight > limit.most) then
      return true
    end
  end
  return false
end

-- Returns true if a class of another queue has no task to take: it has no task at all, its queue is paused, or it was
-- offered its places and no listener came. Also returns the time of the offer.
function shared_turns.is_gone(member, asked)
  local queue, class = string.match(member, '^(%S+) (%S+)$')
  local offered = tonumber(string.match(asked or '', ' (%d+)$'))
  return not asked or offered and offered + shared_turns.TURN <= namespace.now_us
    or redis.call('HEXISTS', namespace.meta, 'paused:' .. queue) == 1
    or redis.call('HEXISTS', namespace.declare(namespace.key('needs', queue)), class) == 0, offered
end

-- Returns true if the classes whose turn comes earlier leave enough of a limit for a class. If not, also returns when
-- that may change without a notification, and the class whose turn it is.
function shared_turns.leaves(pool, part, member)
  local limit, now = pool.known[part.name], namespace.now_us
  local places, starts, first, change = 0, 0, true, now + shared_turns.AGAIN
  for _, other in ipairs(redis.call('ZRANGE', shared_limits.key('turns', part.name), 0, shared_turns.LOOKS - 1)) do
    if other == member then
      return true
    end
    local gone, offered = shared_turns.is_gone(other, redis.call('HGET', shared_limits.key('waits'), other))
    if gone or pool.left and pool.left[other] then -- `left`: in `peek`, classes that had their turn
      pool.gone[other] = true
    else
      local parts, weight = shared_limits.parts(shared_limits.of(other)), 1
      shared_limits.read(pool.known, parts)
      for _, own in ipairs(parts) do
        weight = own.name == part.name and own.weight or weight
      end
      local fits = shared_limits.fits(pool.known, parts)
        and not (limit.most and limit.used + places + weight > limit.most)
      if fits then
        pool.offers[other] = not offered or nil
        change = math.min(change, (offered or now) + shared_turns.TURN)
      end
      if first or fits then
        places, starts = places + weight, starts + 1
      end
      first = false
      if limit.most and limit.used + places + part.weight > limit.most
        or limits.allowed_at(shared_limits.key('rate', part.name), limit.rate, 0, starts) > now then
        return false, change, other
      end
    end
  end
  return true
end

-- Returns true if a class that has a task for this listener may have its places now.
function shared_turns.admits(pool, class)
  if pool.admitted[class] ~= nil then
    return pool.admitted[class]
  end
  local parts, member = pool.parts[class], pool.queue .. ' ' .. class
  local may, free = shared_limits.fits(pool.known, parts)
  for _, part in ipairs(may and parts or {}) do
    local leaves, change = shared_turns.leaves(pool, part, member)
    may = may and leaves
    free = change and math.min(free or math.huge, change) or free
  end
  if not may and not shared_limits.hopeless(pool.known, parts) then
    local since = string.match(pool.asked[class] or '', '^%d+')
    if not since or pool.asked[class] ~= since then
      pool.asks[member] = since or string.format('%.0f', namespace.now_us)
    end
    pool.free = free and math.min(pool.free or math.huge, free) or pool.free
  end
  pool.admitted[class] = may
  return may
end

-- Reads the orders of the limits of a class, which will be written.
function shared_turns.probe(member)
  for _, part in ipairs(shared_limits.parts(shared_limits.of(member))) do
    namespace.probe('ZCARD', shared_limits.key('turns', part.name))
  end
end

-- Removes the class of the taken task from the waiting classes: it has had its turn.
function shared_turns.plan_write(pool)
  local served = pool.served and pool.asked[pool.served] and pool.queue .. ' ' .. pool.served
  if served then
    pool.gone[served], pool.asks[served] = true, nil
  end
  if not (next(pool.asks) or next(pool.offers) or next(pool.gone)) then
    return
  end
  namespace.probe('HLEN', shared_limits.key('waits'))
  for _, members in ipairs({ pool.asks, pool.gone }) do
    for member in pairs(members) do
      shared_turns.probe(member)
    end
  end
  for member in pairs(pool.offers) do
    wakeups.plan(string.match(member, '^%S+'))
  end
end

function shared_turns.write(pool)
  for member in pairs(pool.gone) do
    shared_turns.forget({ member })
  end
  for member, since in pairs(pool.asks) do
    redis.call('HSET', shared_limits.key('waits'), member, since)
    for _, part in ipairs(shared_limits.parts(shared_limits.of(member))) do
      redis.call('ZADD', shared_limits.key('turns', part.name), since, member)
    end
  end
  for member in pairs(pool.offers) do
    local since = string.match(redis.call('HGET', shared_limits.key('waits'), member) or '', '^%d+')
    if since then
      redis.call('HSET', shared_limits.key('waits'), member, since .. ' ' .. string.format('%.0f', namespace.now_us))
      wakeups.wake(string.match(member, '^%S+'))
    end
  end
end

-- Plans to release these places, or to take them if `queue` is nil. `queue`: the queue of the task that holds them.
function shared_turns.plan(set, queue)
  namespace.probe('HLEN', shared_limits.key('places'))
  namespace.probe('HLEN', shared_limits.key('limits'))
  for _, part in ipairs(shared_limits.parts(set)) do
    if queue then
      shared_turns.plan_wakes(part.name, queue, shared_turns.WOKEN)
    else
      namespace.probe('LLEN', shared_limits.key('rate', part.name))
    end
  end
end

-- Plans wake-ups for at most `most` other queues that wait for a limit, in the order of their turns.
function shared_turns.plan_wakes(name, queue, most)
  local woken, key = namespace.shared('woken'), name .. ' ' .. queue
  if woken[key] then
    return
  end
  woken[key] = {}
  local seen = { [queue] = true }
  local first = redis.call('ZRANGE', shared_limits.key('turns', name), 0, math.max(most, shared_turns.LOOKS) - 1)
  for _, member in ipairs(first) do
    local other = string.match(member, '^%S+')
    if #woken[key] < most and not seen[other] and redis.call('HEXISTS', namespace.meta, 'paused:' .. other) == 0 then
      seen[other] = true
      wakeups.plan(other)
      table.insert(woken[key], other)
    end
  end
end

function shared_turns.wake(name, queue)
  for _, other in ipairs(namespace.shared('woken')[name .. ' ' .. queue] or {}) do
    wakeups.wake(other)
  end
end

function shared_turns.take(set)
  local now = string.format('%.0f', namespace.now_us)
  for _, part in ipairs(shared_limits.parts(set)) do
    redis.call('HINCRBY', shared_limits.key('places'), part.name, part.weight)
    local rate = string.match(redis.call('HGET', shared_limits.key('limits'), part.name) or '', ' (%d+/%d+)$')
    limits.record_start(shared_limits.key('rate', part.name), rate, now)
  end
end

-- Releases the shared places of an attempt that has ended, and wakes queues that wait for them.
function shared_turns.release(set, queue)
  for _, part in ipairs(shared_limits.parts(set)) do
    if redis.call('HINCRBY', shared_limits.key('places'), part.name, -part.weight) <= 0 then
      redis.call('HDEL', shared_limits.key('places'), part.name)
    end
    shared_turns.wake(part.name, queue)
  end
end

-- Returns the first classes that wait for a limit, and the queue of the first class among them that has a task, or nil.
function shared_turns.waiting(name)
  local waits = redis.call('ZRANGE', shared_limits.key('turns', name), 0, shared_turns.LOOKS - 1)
  for _, member in ipairs(waits) do
    if not shared_turns.is_gone(member, redis.call('HGET', shared_limits.key('waits'), member)) then
      return waits, string.match(member, '^%S+')
    end
  end
  return waits
end

-- Returns the waiting classes of a queue whose tasks are gone, for `delete_queue`.
function shared_turns.plan_forget(queue)
  local found, cursor = {}, '0'
  repeat
    local key = namespace.declare(shared_limits.key('waits'))
    local page = redis.call('HSCAN', key, cursor, 'MATCH', queue .. ' *', 'COUNT', 1000)
    cursor = page[1]
    for i = 1, #page[2], 2 do
      found[#found + 1] = page[2][i]
      shared_turns.probe(page[2][i])
    end
  until cursor == '0'
  return found
end

-- Removes classes from the orders of all limits.
function shared_turns.forget(waits)
  redis.call('HDEL', shared_limits.key('waits'), '', unpack(waits))
  for _, member in ipairs(waits) do
    for _, part in ipairs(shared_limits.parts(shared_limits.of(member))) do
      redis.call('ZREM', shared_limits.key('turns', part.name), member)
    end
  end
end

-- Returns the state of the shared limits of a pending task, for `why`: name and value in turn. Lists the limits of the
-- task, and details of the first limit that keeps the task waiting.
function shared_turns.facts(task)
  local class = needs.class(task)
  local pool = shared_turns.look(task.queue, { class, '' })
  local facts = { 'shared', task.shared }
  for _, part in ipairs(pool.parts[class]) do
    local limit = pool.known[part.name]
    local fits, free = shared_limits.fits(pool.known, { part })
    local leaves, _, other = true, nil, nil
    if fits then
      leaves, _, other = shared_turns.leaves(pool, part, task.queue .. ' ' .. class)
    end
    if not (fits and leaves) then
      reply.add(facts, 'limit', part.name, 'limit_weight', part.weight,
        'limit_concurrency', limit.most or '', 'limit_used', limit.missing and '' or limit.used,
        'limit_rate_until', free and namespace.decimal(free) or '',
        'limit_turn', other and string.match(other, '^%S+') or '')
      break
    end
  end
  return facts
end
