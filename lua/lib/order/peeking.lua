-- Shows the tasks that `reserve` would give to a listener, one after another, without taking any task. `look` holds the
-- known state of the queue, of its keys and of shared limits. It also counts the places and starts that the chosen
-- tasks use.
local peeking = {}

-- Number of entries that are read after the wanted entries (`SPARE`), and number of ranked tasks that are checked for
-- the reason why they are passed over (`LOOKS`).
peeking.SPARE = 10
peeking.LOOKS = 200

-- Begins a look at a queue for the offer of a listener. `stop`: the reason why the queue gives out no task at all.
function peeking.begin(queue, listener, has, limit)
  local meta = redis.call('HMGET', namespace.meta, 'paused:' .. queue, 'ranking:' .. queue)
  local look = { queue = queue, limit = limit, given = {}, gone = {}, keys = {}, orders = {}, unsuited = {}, waits = {},
    ghosts = {}, shared = {}, limits = limits.queue_state(queue, true),
    has = needs.has(has or listener and redis.call('HGET', namespace.key('has', queue), listener)),
    plain = redis.call('LRANGE', namespace.key('pending_tasks', queue), -limit - peeking.SPARE, -1) }
  look.ageing = meta[2] and tonumber(settings.get(queue, 'ageing'))
  look.ageing = look.ageing and look.ageing * 1000000
  look.at = #look.plain
  if meta[1] then
    look.stop = 'paused'
  elseif listener and redis.call('HEXISTS', orders.key(queue), 'l:' .. listener) == 1 then
    look.stop = 'draining'
  end
  local waiting = meta[2] and redis.call('HGETALL', namespace.key('needs', queue)) or {}
  if meta[2] then
    waiting[#waiting + 1], waiting[#waiting + 2] = '', ''
  end
  for i = 1, #waiting, 2 do
    local class, number = waiting[i], string.match(waiting[i + 1], '^%d*')
    local wanted, bar = needs.of_class(class)
    if wanted ~= '' and not needs.suits(look.has, wanted) then
      look.unsuited[class] = true
    else
      if bar then
        look.pool = look.pool or shared_turns.look(queue, waiting)
        look.pool.left = look.pool.left or {}
      end
      look.orders[#look.orders + 1] = { class = class, number = number, bar = bar,
        entries = peeking.load(look, fairness.ranked_key(queue, number)) }
    end
  end
  return look
end

-- Returns the first entries of an order, or with ageing the first entries of each priority.
function peeking.load(look, key)
  local entries, low, levels = {}, '-inf', 0
  repeat
    local page = redis.call('ZRANGEBYSCORE', key, low, '+inf', 'WITHSCORES', 'LIMIT', 0, look.limit + peeking.SPARE)
    for i = 1, #page, 2 do
      if not look.ageing or page[i + 1] == page[2] then
        local rank, what = string.match(page[i], '^(%S+) (%S+)$')
        local key_name = string.sub(what, 1, 1) == '/' and string.sub(what, 2) or nil
        entries[#entries + 1] = { score = tonumber(page[i + 1]), order = fairness.sort_value(rank), rank = rank,
          own = rank, what = what, key = key_name, id = not key_name and what or nil }
      end
    end
    levels = levels + 1
    low = look.ageing and page[2] and levels < ranking.MAX_PRIORITIES and '(' .. page[2]
  until not low
  return entries
end

-- Returns the first task of a key in an order, except chosen tasks: its rank, id and weight as stored, and its score.
function peeking.head(look, key, number)
  local heads, list = peek_limits.key(look, key).heads, fairness.tasks_key(look.queue, key, number)
  local known = heads[number] or { entries = redis.call('ZRANGE', list, 0, 0, 'WITHSCORES'), from = 0, at = 1 }
  heads[number] = known
  while known.entries[known.at] do
    local rank, id, weight = string.match(known.entries[known.at], '^(%S+) (%S+) (%S+)$')
    if not look.gone[id] then
      return { own = rank, id = id, weight = weight, score = tonumber(known.entries[known.at + 1]) }
    end
    known.at = known.at + 2
    if not known.entries[known.at] then
      known.from = known.from + known.at / 2 - 0.5
      known.entries, known.at = redis.call('ZRANGE', list, known.from, known.from + peeking.SPARE - 1, 'WITHSCORES'), 1
    end
  end
end

-- For each priority of an order, adds the first entry that may run to `firsts`, unless `firsts` has an earlier entry.
-- Without ageing, adds only the first entry of the highest priority.
function peeking.firsts(look, order, firsts)
  local last
  if order.bar then
    order.refused, order.till = peek_limits.class_refuses(look, order.class)
  end
  for _, entry in ipairs(order.entries) do
    local head = entry.key and entry.score ~= last and peeking.head(look, entry.key, order.number)
    if entry.score ~= last and (not entry.key and not look.gone[entry.id]
      or head and not peek_limits.refuses(peek_limits.key(look, entry.key), head.weight, 'key')) then
      last = entry.score
      if order.refused then
        look.asks = look.asks or {}
        look.asks[#look.asks + 1] = order.class
        return
      end
      if head then
        entry.id, entry.own = head.id, head.own
      end
      entry.class = order.class
      if not firsts[last] or ranking.precedes(entry, firsts[last]) then
        firsts[last] = entry
      end
      if not look.ageing then
        return
      end
    end
  end
end

function peeking.next_plain(look)
  while look.at > 0 do
    local id = look.plain[look.at]
    local v = redis.call('HMGET', namespace.key('task', id), 'status', 'queue', 'updated', 'flags', 'front')
    if look.gone[id] then
      look.at = look.at - 1
    elseif v[1] == 'pending' and v[2] == look.queue and not string.find(v[4] or '', 'r', 1, true) then
      return { plain = true, id = id, rank = fairness.list_rank(v[3], v[5]), score = 0 }
    else
      look.gone[id], look.ghosts[#look.ghosts + 1] = true, id
    end
  end
end

-- Chooses the next task. Returns the task, or nil.
function peeking.next(look)
  look.stop, look.till = peek_limits.refuses(look.limits, 1, 'queue')
  if look.stop then
    return nil
  end
  local firsts = { [0] = peeking.next_plain(look) }
  look.asks = nil
  for _, order in ipairs(look.orders) do
    peeking.firsts(look, order, firsts)
  end
  local best = ranking.choose(firsts, look.ageing)
  if not best then
    return nil
  end
  local v = redis.call('HMGET', namespace.key('task', best.id), 'status', 'queue', 'weight', 'key')
  look.gone[best.id] = true
  if v[1] ~= 'pending' or v[2] ~= look.queue then
    look.ghosts[#look.ghosts + 1] = best.id
    peeking.stand_again(look, best.key)
    return peeking.next(look)
  end
  best.weight = tonumber(v[3] or 1)
  look.stop, look.till = peek_limits.refuses(look.limits, best.weight, 'queue')
  if look.stop then
    look.gone[best.id], look.blocked = nil, best.id
    return nil
  end
  peeking.take(look, best)
  return best
end

-- Counts the places and starts that a task uses. Also advances the time by a microsecond, because `attempt.number`
-- issues each token one microsecond later.
function peeking.take(look, task)
  namespace.now_us = namespace.now_us + 1
  look.given[#look.given + 1] = task
  peek_limits.take(look.limits, task.weight)
  for _, class in ipairs(look.asks or {}) do
    if not look.pool.asked[class] or look.pool.left[look.queue .. ' ' .. class] then
      for _, part in ipairs(look.pool.parts[class]) do
        peeking.wait(look, part, class)
      end
    end
  end
  for _, part in ipairs(task.class and look.pool and look.pool.parts[task.class] or {}) do
    local limit = look.pool.known[part.name]
    limit.used, look.shared[part.name] = limit.used + part.weight, (look.shared[part.name] or 0) + 1
    look.pool.left[look.queue .. ' ' .. task.class] = true
    for i, other in ipairs(look.waits[part.name] or {}) do
      if other.class == task.class then
        table.remove(look.waits[part.name], i)
        break
      end
    end
  end
  if task.key then
    local known = peek_limits.key(look, task.key)
    peek_limits.take(known, task.weight)
    known.served = fairness.rank(namespace.now_us)
    peeking.stand_again(look, task.key)
  end
end

-- Adds a class to the classes that wait for a limit, unless it waits already.
function peeking.wait(look, part, class)
  local waits = look.waits[part.name] or {}
  look.waits[part.name] = waits
  for _, other in ipairs(waits) do
    if other.class == class then
      return
    end
  end
  waits[#waits + 1] = { class = class, weight = part.weight }
end

-- Moves a key to its current place in each order, after one of its tasks was chosen.
function peeking.stand_again(look, key)
  for _, order in ipairs(key and look.orders or {}) do
    for i = #order.entries, 1, -1 do
      if order.entries[i].key == key then
        table.remove(order.entries, i)
      end
    end
    local head, served = peeking.head(look, key, order.number), peek_limits.key(look, key).served
    if head then
      local rank, at = fairness.key_rank(head.own, served), 1
      local entries, score, value = order.entries, head.score, fairness.sort_value(rank)
      while entries[at] and (entries[at].score < score or entries[at].score == score and entries[at].order <= value) do
        at = at + 1
      end
      table.insert(entries, at, { score = score, order = value, rank = rank, own = head.own, what = '/' .. key,
        key = key, id = head.id })
    end
  end
end

-- Returns the reason why a ranked task is passed over, or nil. Also returns when the reason ends, if known.
function peeking.reason(look, id)
  local v = redis.call('HMGET', namespace.key('task', id), 'key', 'weight', 'exclusive', 'needs', 'limits')
  local class = needs.class({ needs = v[4] or nil, shared = v[5] or nil }) or ''
  if look.unsuited[class] then
    return 'needs'
  elseif v[1] then
    local known = peek_limits.key(look, v[1])
    local why, till = peek_limits.refuses(known, v[3] and 'exclusive' or v[2] or '1', 'key')
    local head = not why and peeking.head(look, v[1], needs.number(look.queue, class ~= '' and class) or '')
    if why then
      return why, till
    elseif head and head.id ~= id and peek_limits.refuses(known, head.weight, 'key') then
      return 'behind' -- tasks of one key go in order
    end
  end
  if string.find(class, '|', 1, true) and look.pool and look.pool.parts[class] then
    return peek_limits.class_refuses(look, class)
  end
end

-- Returns the reason for a task whose key may run again but has no entry yet. A rate delayed the key until some time,
-- or a limit was raised, and `promote` has not updated the entry since.
function peeking.held_up(look, id)
  local key = redis.call('HGET', namespace.key('task', id), 'key')
  local since = key and redis.call('ZSCORE', namespace.key('delayed', look.queue), key)
  return key and (since and 'key_rate' or 'key_full'), since and tonumber(since)
end

-- Adds the tasks that are passed over to `answer`, in the order in which they wait: id, reason and end of the reason in
-- turn. If enough tasks were chosen, adds only the tasks before the last chosen task.
function peeking.passed(look, answer)
  local last = #look.given == look.limit and look.given[look.limit]
  local room, value = look.limit, last and fairness.value(last.score, last.rank, look.ageing)
  local function add(id, why, till)
    if room > 0 then
      room = room - 1
      reply.add(answer, id, why, till and namespace.decimal(till) or '')
    end
  end
  for _, id in ipairs(look.ghosts) do
    add(id, 'gone')
  end
  if look.blocked then
    add(look.blocked, look.stop, look.till)
  end
  local all = namespace.key('pending_ranked_tasks', look.queue)
  local ranked = redis.call('ZRANGE', all, 0, peeking.LOOKS - 1, 'WITHSCORES')
  for i = 1, #ranked, 2 do
    local rank, id = string.match(ranked[i], '^(%S+) (%S+)$')
    local own = last and fairness.value(tonumber(ranked[i + 1]), rank, look.ageing)
    if room > 0 and not look.gone[id] and id ~= look.blocked and (not last or own < value
      or own == value and fairness.sort_value(rank) < fairness.sort_value(last.rank)) then
      local why, till = peeking.reason(look, id)
      if not why and look.stop then
        why, till = look.blocked and 'behind' or look.stop, not look.blocked and look.till or nil
      elseif not why and not last then
        why, till = peeking.held_up(look, id)
      end
      if why then
        add(id, why, till)
      end
    end
  end
  for i = look.stop and look.at or 0, 1, -1 do
    local id = look.plain[i]
    if not look.gone[id] and id ~= look.blocked then
      add(id, look.blocked and 'behind' or look.stop, not look.blocked and look.till or nil)
    end
  end
end
