-- The ranking: the indexes of pending tasks with a priority, a key or needs, which Blueque's plain list cannot
-- order; and the choice of the next task of a queue.
local ranking = {}

-- Number of entries of one order that `reserve` checks. Outdated entries are corrected.
ranking.LOOKAHEAD = 10

-- Number of priorities that `reserve` checks in a queue with ageing.
ranking.MAX_PRIORITIES = 200

function ranking.plan(task)
  local queue, probe = task.queue, namespace.probe
  if task.limited then
    probe('HLEN', namespace.key('places', queue))
  end
  if task.ranked then
    namespace.require_settled_slot()
    probe('ZCARD', namespace.key('pending_ranked_tasks', queue))
    local numbers = task.fair_key and needs.numbers(queue) or {}
    local class = needs.class(task)
    numbers[#numbers + 1] = class and needs.plan(queue, class) or ''
    for _, number in ipairs(numbers) do
      probe('ZCARD', fairness.ranked_key(queue, number))
      if task.fair_key then
        probe('ZCARD', fairness.tasks_key(queue, task.fair_key, number))
      end
    end
  end
  if task.fair_key then
    probe('HLEN', namespace.key('turns', queue))
    probe('HLEN', namespace.key('limits', queue))
    probe('ZCARD', namespace.key('delayed', queue))
    probe('LLEN', limits.starts_key(queue, task.fair_key))
    settings.get(queue, 'key_rate')
  end
end

-- Returns the entry of a task among the tasks of its key. The entry contains everything that decides whether the task
-- may run.
function ranking.member(task)
  return task.rank .. ' ' .. task.id .. ' ' .. (task.exclusive and 'exclusive' or task.weight or '1')
end

-- Adds a task that becomes pending. `place`: the rank that the task keeps if it was pending before.
function ranking.add(task)
  local queue = task.queue
  local field = 'ranking:' .. queue
  local last = math.max(tonumber(redis.call('HGET', namespace.meta, field) or 0) + 1, namespace.now_us)
  redis.call('HSET', namespace.meta, field, string.format('%.0f', last))
  task.rank = task.place or task.front and fairness.front_rank(last) or fairness.rank(last)
  redis.call('ZADD', namespace.key('pending_ranked_tasks', queue), -tonumber(task.priority or 0),
    task.rank .. ' ' .. task.id)
  ranking.enter(task)
  redis.call('HSET', namespace.prefix .. 'task_' .. task.id, 'rank', task.rank)
end

-- Adds a task to the order of its key or, without a key, to the order of its needs.
-- @inline
function ranking.enter(task)
  local queue, score = task.queue, -tonumber(task.priority or 0)
  local number = needs.count(queue, needs.class(task), 1)
  if task.fair_key then
    local served = task.turn and redis.call('HSETNX', namespace.key('turns', queue), task.fair_key,
      fairness.rank(math.min(task.turn, namespace.now_us))) == 1
    redis.call('ZADD', fairness.tasks_key(queue, task.fair_key, number), score, ranking.member(task))
    if served then -- the turn moves the key in all orders
      fairness.refresh_all(queue, task.fair_key)
    else
      fairness.refresh(queue, task.fair_key, number)
    end
  else
    redis.call('ZADD', fairness.ranked_key(queue, number), score, task.rank .. ' ' .. task.id)
  end
end

-- Removes a task from the index of all ranked tasks. While this index is empty, `reserve` does not look at the ranking.
function ranking.remove_from_index(queue, member)
  local all = namespace.key('pending_ranked_tasks', queue)
  if redis.call('ZCARD', all) - redis.call('ZREM', all, member) == 0 then
    redis.call('HDEL', namespace.meta, 'ranking:' .. queue)
  end
end

function ranking.remove(task, to)
  ranking.remove_from_index(task.queue, task.rank .. ' ' .. task.id)
  ranking.leave(task, to)
  redis.call('HDEL', namespace.prefix .. 'task_' .. task.id, 'rank')
end

-- Removes a task from the order that `enter` adds it to.
-- @inline
function ranking.leave(task, to)
  local queue = task.queue
  local class = needs.class(task)
  local number = needs.number(queue, class)
  if task.fair_key then
    redis.call('ZREM', fairness.tasks_key(queue, task.fair_key, number), ranking.member(task))
    if record.takes(task, to) then
      held_places.take(task)
    end
    fairness.refresh_all(queue, task.fair_key)
  else
    redis.call('ZREM', fairness.ranked_key(queue, number), task.rank .. ' ' .. task.id)
    if task.limited and record.takes(task, to) then
      held_places.take(task)
    end
  end
  needs.count(queue, class, -1)
end

-- Returns the first entry of an order, from the score `low` on, that may run now. Also adds the keys of outdated
-- entries to `stale`.
function ranking.first(queue, number, stale, low)
  local ranked = fairness.ranked_key(queue, number)
  for i = 0, ranking.LOOKAHEAD - 1 do
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
    local head = redis.call('ZRANGE', fairness.tasks_key(queue, key, number), 0, 0)[1]
    local weight
    found.member = head
    found.own, found.id, weight = string.match(head or '', '^(%S+) (%S+) (%S+)$')
    if found.id and limits.fits(queue, key, weight) then
      return found
    end
    stale[#stale + 1] = key
  end
end

function ranking.plan_discard(queue, ghost)
  namespace.probe('ZCARD', namespace.key('pending_ranked_tasks', queue))
  namespace.probe('ZCARD', fairness.ranked_key(queue, ghost.number))
  namespace.probe('HLEN', namespace.key('needs', queue))
  if ghost.key then
    fairness.plan_refresh(queue, { ghost.key })
  end
end

-- Removes an entry without a pending task: the task was deleted or changed by hand.
function ranking.discard(queue, ghost)
  local rank, id = string.match(ghost.member, '^(%S+) (%S+)')
  ranking.remove_from_index(queue, rank .. ' ' .. id)
  if ghost.key then
    redis.call('ZREM', fairness.tasks_key(queue, ghost.key, ghost.number), ghost.member)
    fairness.refresh_all(queue, ghost.key)
  else
    redis.call('ZREM', fairness.ranked_key(queue, ghost.number), ghost.member)
  end
  local known = redis.call('HGETALL', namespace.key('needs', queue))
  for i = 1, #known, 2 do
    if string.match(known[i + 1], '^%d+') == ghost.number then
      needs.count(queue, known[i], -1)
    end
  end
end

-- Returns true if one entry precedes another entry of the same priority. The lower rank comes first. Two entries of one
-- key with different needs may have equal ranks; then the ranks of their own tasks decide. Tasks that became pending in
-- one microsecond come in the order of their ids, after a task of the plain list.
function ranking.precedes(one, other)
  local rank, rival = fairness.sort_value(one.rank), fairness.sort_value(other.rank)
  if rank == rival then
    rank, rival = fairness.sort_value(one.own), fairness.sort_value(other.own or other.rank)
  end
  return rank < rival or rank == rival and not other.plain and one.id < other.id
end

-- Returns the entry that is next. `firsts`: the first entry of each priority, by score. With `ageing`, each `ageing`
-- microseconds of waiting count as one level of priority.
function ranking.choose(firsts, ageing)
  local best, least
  for score, first in pairs(firsts) do
    local value = fairness.value(score, first.rank, ageing)
    if not best or value < least
      or value == least and fairness.sort_value(first.rank) < fairness.sort_value(best.rank) then
      best, least = first, value
    end
  end
  return best
end

-- Returns the next task of a queue, or `best`, the first task of the plain list, if `best` precedes it. Also adds the
-- keys of outdated entries to `stale`. `known`: see `attempt.select`. If the queue uses shared limits, `known` also
-- gets their `pool`.
function ranking.next(queue, known, best, stale)
  namespace.require_settled_slot() -- otherwise, tasks of an order on the other node are passed over
  local ageing = (known.own or known.common) and tonumber(settings.get(queue, 'ageing'))
  ageing = ageing and ageing * 1000000
  local waiting = redis.call('HGETALL', namespace.key('needs', queue))
  local has = #waiting > 0 and needs.has(redis.call('HGET', namespace.key('has', queue), known.listener))
  waiting[#waiting + 1], waiting[#waiting + 2] = '', ''
  local levels, firsts, shut = 0, { [0] = best }, nil
  for i = 1, #waiting, 2 do
    local number = string.match(waiting[i + 1], '^%d*')
    local class = waiting[i]
    local wanted, bar = needs.of_class(class)
    local low = wanted ~= '' and not needs.suits(has, wanted) and '+inf' or '-inf'
    if bar and low == '-inf' then
      if not shut then
        known.pool, shut = shared_turns.look(queue, waiting), shared_turns.is_shut
      end
      low = shut(known.pool, class) and '+inf' or low
    end
    while low ~= '+inf' do
      local found = ranking.first(queue, number, stale, low)
      if bar and found then
        found = shared_turns.admits(known.pool, class) and found
        if found then
          found.class = class
        end
      end
      if found and (not firsts[found.score] or ranking.precedes(found, firsts[found.score])) then
        firsts[found.score] = found
      end
      levels = levels + 1
      -- With ageing, the oldest task of each priority is found.
      low = found and ageing and levels < ranking.MAX_PRIORITIES and '(' .. found.score or '+inf'
    end
  end
  return ranking.choose(firsts, ageing)
end

-- Returns the needs and limits that decide about a pending task, for `why`: name and value in turn.
function ranking.facts(task)
  local queue, key = task.queue, task.fair_key
  local own = limits.queue_state(queue)
  local _, free = limits.rate_allows(own.list, own.rate, own.since)
  local facts = {
    'able', task.needs and needs.able(queue, task.needs) or '',
    'concurrency', settings.get(queue, 'concurrency') or '', 'used', limits.used(queue),
    'rate_until', free and namespace.decimal(free) or '',
  }
  if key then
    local known = limits.key_state(queue, key, true)
    local _, key_free = limits.rate_allows(known.list, known.rate, known.since)
    reply.add(facts, 'key_concurrency', task.exclusive or known.most or '', 'key_used', tostring(known.used),
      'key_rate_until', key_free and namespace.decimal(key_free) or '')
  end
  if task.needs then
    reply.add(facts, 'lacking', needs.lacking(queue, task.needs))
  end
  reply.add(facts, unpack(task.shared and shared_turns.facts(task) or {}))
  return facts
end

-- Returns the earliest time at which the limits may let a pending task start that has `ahead` tasks ahead of it.
-- Returns nil if that time is unknown: the places of the task are taken, and it is unknown when they are released.
function ranking.earliest(task, ahead)
  local queue, key, weight = task.queue, task.fair_key, tonumber(task.weight or 1)
  local held, most = namespace.key('places', queue), tonumber(settings.get(queue, 'concurrency'))
  if task.shared and shared_turns.facts(task)[3] then
    return nil
  end
  if most then
    local busy, extra = redis.call('ZCARD', namespace.key('leases', queue)),
      tonumber(redis.call('HGET', held, 'extra') or 0)
    if (extra > 0 or weight > 1) and busy + extra + math.min(weight, most) > most then
      return nil
    end
  end
  local free = limits.allowed_at(limits.starts_key(queue), settings.get(queue, 'rate'), settings.since(queue, 'rate'),
    ahead)
  if key then
    local own, rate, since = limits.of_key(queue, key)
    if task.exclusive then
      own, weight = 1, 1
    end
    local order = fairness.tasks_key(queue, key, needs.number(queue, needs.class(task)) or '')
    local before = task.rank and redis.call('ZRANK', order, ranking.member(task)) or 0
    if own and tonumber(redis.call('HGET', held, 'k:' .. key) or 0) + before + math.min(weight, own) > own then
      return nil
    end
    free = math.max(free, limits.allowed_at(limits.starts_key(queue, key), rate, since, before))
  end
  return free
end
