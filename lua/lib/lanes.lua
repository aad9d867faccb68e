-- Where pending tasks stand that Blueque's plain list cannot hold: those with a
-- priority, a key or needs; and which task of a queue comes next.
local lanes = {}

-- Entries of one order that a reserve looks at, and what it finds outdated is put right.
lanes.LOOKS = 10

-- Priorities that a reserve of a queue with ageing looks at.
lanes.LEVELS = 200

-- Reads all that `enter`, `leave`, `take` and `free` of a task write.
function lanes.plan(task)
  local queue, probe = task.queue, space.probe
  if task.places then
    probe('HLEN', space.key('places', queue))
  end
  if task.lane then
    space.unmoved()
    probe('ZCARD', space.key('lane_tasks', queue))
    local numbers = task.lane_key and needs.numbers(queue) or {}
    numbers[#numbers + 1] = needs.plan(queue, task.needs)
    for _, number in ipairs(numbers) do
      probe('ZCARD', turns.ranked(queue, number))
      if task.lane_key then
        probe('ZCARD', turns.keyed(queue, task.lane_key, number))
      end
    end
  end
  if task.lane_key then
    probe('HLEN', space.key('turns', queue))
    probe('HLEN', space.key('limits', queue))
    probe('ZCARD', space.key('delayed', queue))
    probe('LLEN', places.rates(queue, task.lane_key))
    settings.get(queue, 'key_rate')
  end
end

-- What stands for a task among those of its key: all that decides whether it may run.
function lanes.member(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.solo and 'solo' or task.weight or '1')
end

-- A task becomes pending.
function lanes.enter(task)
  local queue = task.queue
  local field = 'lanes:' .. queue
  local last = math.max(tonumber(redis.call('HGET', space.meta, field) or 0) + 1, space.us)
  redis.call('HSET', space.meta, field, string.format('%.0f', last))
  task.rank = task.front and turns.front(last) or turns.rank(last)
  local member, score = task.rank .. ' ' .. task.id, -tonumber(task.priority or 0)
  redis.call('ZADD', space.key('lane_tasks', queue), score, member)
  local number = needs.count(queue, task.needs, 1)
  if task.lane_key then
    if task.turn then
      redis.call('HSETNX', space.key('turns', queue), task.lane_key, turns.rank(math.min(task.turn, space.us)))
    end
    redis.call('ZADD', turns.keyed(queue, task.lane_key, number), score, lanes.member(task))
    turns.settle(queue, task.lane_key, number)
  else
    redis.call('ZADD', turns.ranked(queue, number), score, member)
  end
  redis.call('HSET', space.prefix .. 'task_' .. task.id, 'rank', task.rank)
end

-- Takes a task off the list of all that wait in lanes. Without any, a reserve need not look there.
function lanes.forget(queue, member)
  local all = space.key('lane_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', space.meta, 'lanes:' .. queue)
  end
end

-- A task that is no longer pending.
function lanes.leave(task, to)
  local queue, member = task.queue, task.rank .. ' ' .. task.id
  local number = needs.number(queue, task.needs)
  lanes.forget(queue, member)
  if task.lane_key then
    redis.call('ZREM', turns.keyed(queue, task.lane_key, number), lanes.member(task))
    if to == 'reserved' then
      places.take(task)
    end
    turns.settle_all(queue, task.lane_key)
  else
    redis.call('ZREM', turns.ranked(queue, number), member)
    if to == 'reserved' and task.places then
      places.take(task)
    end
  end
  needs.count(queue, task.needs, -1)
  redis.call('HDEL', space.prefix .. 'task_' .. task.id, 'rank')
end

-- The first entry of an order, from the score `low` on, that may run now. What is outdated in it
-- goes to `stale`.
function lanes.first(queue, number, stale, low)
  local ranked = turns.ranked(queue, number)
  for i = 0, lanes.LOOKS - 1 do
    local entry = redis.call('ZRANGEBYSCORE', ranked, low, '+inf', 'WITHSCORES', 'LIMIT', i, 1)
    if not entry[1] then
      return nil
    end
    local rank, what = string.match(entry[1], '^(%S+) (%S+)$')
    local found = { rank = rank, own = rank, score = tonumber(entry[2]), id = what, number = number, member = entry[1] }
    if string.sub(what, 1, 1) ~= '/' then
      return found
    end
    local key = string.sub(what, 2)
    found.key = key
    local head = redis.call('ZRANGE', turns.keyed(queue, key, number), 0, 0)[1]
    local weight
    found.member = head
    found.own, found.id, weight = string.match(head or '', '^(%S+) (%S+) (%S+)$')
    if found.id and places.fits(queue, key, weight) then
      return found
    end
    stale[#stale + 1] = key
  end
end

-- Reads what `drop` writes.
function lanes.plan_drop(queue, ghost)
  space.probe('ZCARD', space.key('lane_tasks', queue))
  space.probe('ZCARD', turns.ranked(queue, ghost.number))
  space.probe('HLEN', space.key('needs', queue))
  if ghost.key then
    turns.plan_settle(queue, { ghost.key })
  end
end

-- Takes an entry out of the lanes whose record is gone, or no longer pending: somebody
-- deleted or changed it by hand.
function lanes.drop(queue, ghost)
  local rank, id = string.match(ghost.member, '^(%S+) (%S+)')
  lanes.forget(queue, rank .. ' ' .. id)
  if ghost.key then
    redis.call('ZREM', turns.keyed(queue, ghost.key, ghost.number), ghost.member)
    turns.settle_all(queue, ghost.key)
  else
    redis.call('ZREM', turns.ranked(queue, ghost.number), ghost.member)
  end
  local known = redis.call('HGETALL', space.key('needs', queue))
  for i = 1, #known, 2 do
    if string.match(known[i + 1], '^%d+') == ghost.number then
      needs.count(queue, known[i], -1)
    end
  end
end

-- Whether one entry goes before another of its priority: by rank; tasks of one key with
-- different needs by their own.
function lanes.before(one, other)
  local rank, rival = turns.order(one.rank), turns.order(other.rank)
  return rank < rival or rank == rival and turns.order(one.own) < turns.order(other.own or other.rank)
end

-- The next of what comes first in each priority, by its score: each `ageing` microseconds
-- of waiting count for one level.
function lanes.choose(firsts, ageing)
  local best, least
  for score, first in pairs(firsts) do
    local value = ageing and score + turns.age(first.rank) / ageing or score
    if not best or value < least or value == least and turns.order(first.rank) < turns.order(best.rank) then
      best, least = first, value
    end
  end
  return best
end

-- The task that comes next in a queue with lanes, and with settings if `set`: better than
-- `best`, the first of the plain list, where there is one.
function lanes.pick(queue, listener, best, stale, set)
  space.unmoved() -- an order that is not here yet would let others go first
  local ageing = set and tonumber(settings.get(queue, 'ageing'))
  ageing = ageing and ageing * 1000000
  local waiting = redis.call('HGETALL', space.key('needs', queue))
  local has = #waiting > 0 and needs.has(redis.call('HGET', space.key('has', queue), listener))
  waiting[#waiting + 1], waiting[#waiting + 2] = '', ''
  local levels, firsts = 0, { [0] = best }
  for i = 1, #waiting, 2 do
    local number = string.match(waiting[i + 1], '^%d*')
    local low = waiting[i] ~= '' and not needs.suits(has, waiting[i]) and '+inf' or '-inf'
    while low ~= '+inf' do
      local found = lanes.first(queue, number, stale, low)
      if found and (not firsts[found.score] or lanes.before(found, firsts[found.score])) then
        firsts[found.score] = found
      end
      levels = levels + 1
      low = found and ageing and levels < lanes.LEVELS and '(' .. found.score or '+inf' -- the oldest of each priority
    end
  end
  return lanes.choose(firsts, ageing)
end

-- What of needs and limits decides over a pending task, for `why`: name and value in turn.
function lanes.facts(task)
  local queue, key = task.queue, task.lane_key
  local held = space.key('places', queue)
  local used = redis.call('ZCARD', space.key('leases', queue)) + tonumber(redis.call('HGET', held, 'extra') or 0)
  local _, free = places.paced(places.rates(queue), settings.get(queue, 'rate'), settings.since(queue, 'rate'))
  local facts = {
    'able', task.needs and needs.able(queue, task.needs) or '',
    'concurrency', settings.get(queue, 'concurrency') or '', 'used', used,
    'rate_until', free and space.decimal(free) or '',
  }
  if key then
    local most, rate, since = places.limit(queue, key)
    local _, key_free = places.paced(places.rates(queue, key), rate, since)
    for _, fact in ipairs({
      'key_concurrency', task.solo or most or '', 'key_used', redis.call('HGET', held, 'k:' .. key) or '0',
      'key_rate_until', key_free and space.decimal(key_free) or '',
    }) do
      facts[#facts + 1] = fact
    end
  end
  if task.needs then
    facts[#facts + 1], facts[#facts + 2] = 'lacking', needs.lacking(queue, task.needs)
  end
  return facts
end

-- Before when limits let no pending task start that so many go ahead of, or nil where
-- that is not known: its places are taken, and who frees them when does not stand anywhere.
function lanes.earliest(task, ahead)
  local queue, key, weight = task.queue, task.lane_key, tonumber(task.weight or 1)
  local held, most = space.key('places', queue), tonumber(settings.get(queue, 'concurrency'))
  if most then
    local busy, extra = redis.call('ZCARD', space.key('leases', queue)),
      tonumber(redis.call('HGET', held, 'extra') or 0)
    if (extra > 0 or weight > 1) and busy + extra + math.min(weight, most) > most then
      return nil
    end
  end
  local free = places.after(places.rates(queue), settings.get(queue, 'rate'), settings.since(queue, 'rate'), ahead)
  if key then
    local own, rate, since = places.limit(queue, key)
    if task.solo then
      own, weight = 1, 1
    end
    local order = turns.keyed(queue, key, needs.number(queue, task.needs) or '')
    local before = task.rank and redis.call('ZRANK', order, lanes.member(task)) or 0
    if own and tonumber(redis.call('HGET', held, 'k:' .. key) or 0) + before + math.min(weight, own) > own then
      return nil
    end
    free = math.max(free, places.after(places.rates(queue, key), rate, since, before))
  end
  return free
end
