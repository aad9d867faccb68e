-- Fairness: the order in which the keys of a queue take turns. `ranked_tasks` holds everything that may run next, in
-- order: tasks without a key, and one entry for each key with free places. The entry stands for the first task of its
-- key. So a task that may not run blocks no other task, and it is checked again when a place is freed.
local fairness = {}

function fairness.ranked_key(queue, number)
  return namespace.prefix .. 'ranked_tasks_' .. queue .. (number == '' and '' or '/' .. number)
end

function fairness.tasks_key(queue, key, number)
  return namespace.prefix .. 'key_tasks_' .. queue .. '/' .. key .. (number == '' and '' or '/' .. number)
end

-- Returns a rank for a time. Tasks that are added later have larger ranks.
function fairness.rank(us)
  return string.format('%016.0f', us)
end

-- Returns the rank of a task at the front. Front ranks precede all other ranks, and the latest front rank comes first.
function fairness.front_rank(us)
  return '-' .. fairness.rank(9007199254740991 - us)
end

-- Returns the rank of a task in the plain list, from the `updated` field of its record, the time at which it became
-- pending. A client's clock may be ahead, so a time in the future counts as now.
function fairness.list_rank(updated, front)
  local us = (tonumber(updated) or -1) * 1000000
  if not (us >= 0 and us <= namespace.now_us) then
    us = namespace.now_us
  end
  return front and fairness.front_rank(us) or fairness.rank(us)
end

-- Returns a rank as a number. The server compares ranks by bytes, but Lua compares strings by the server's locale.
function fairness.sort_value(rank)
  if string.sub(rank, 1, 1) == '-' then
    return tonumber(string.sub(rank, 2)) - 9007199254740992
  end
  return tonumber(rank)
end

-- Returns the time at which a rank was issued. Ranks at the front begin with a minus and count down.
function fairness.issued_at(rank)
  local order = fairness.sort_value(rank)
  return order < 0 and -order - 1 or order
end

-- Returns the value that orders tasks of different priorities. With `ageing`, each `ageing` microseconds of waiting
-- count as one level of priority.
function fairness.value(score, rank, ageing)
  return ageing and score + fairness.issued_at(rank) / ageing or score
end

-- Returns the rank of a key whose first task has this rank. `served`: the rank of the time at which the key was served.
function fairness.key_rank(rank, served)
  return served and fairness.sort_value(served) > fairness.sort_value(rank) and served or rank
end

-- Updates the entry of a key. The entry exists if the first task of the key may run. A key that was served moves behind
-- the keys that have waited longer.
function fairness.refresh(queue, key, number)
  local entries, field = namespace.key('turns', queue), key .. '/' .. number
  local first = redis.call('ZRANGE', fairness.tasks_key(queue, key, number), 0, 0, 'WITHSCORES')
  local current, wanted = redis.call('HGET', entries, field) or nil, nil
  if first[1] then
    local rank, weight = string.match(first[1], '^(%S+) %S+ (%S+)$')
    local fits, free = limits.fits(queue, key, weight)
    if fits then
      wanted = first[2] .. ' ' .. fairness.key_rank(rank, redis.call('HGET', entries, key))
    elseif free then
      redis.call('ZADD', namespace.key('delayed', queue), string.format('%.0f', free), key)
    end
  end
  if current == wanted then
    return
  end
  local ranked, rank = fairness.ranked_key(queue, number), nil
  if wanted then
    local score
    score, rank = string.match(wanted, '^(%S+) (%S+)$')
    redis.call('ZADD', ranked, score, rank .. ' /' .. key)
    redis.call('HSET', entries, field, wanted)
  else
    redis.call('HDEL', entries, field)
  end
  local former = current and string.match(current, ' (%S+)$')
  if former and former ~= rank then
    redis.call('ZREM', ranked, former .. ' /' .. key)
  end
end

-- Updates the entries of a key for all needs that its tasks may have.
function fairness.refresh_all(queue, key)
  local waits = false
  for _, number in ipairs(needs.numbers(queue)) do
    fairness.refresh(queue, key, number)
    waits = waits or redis.call('EXISTS', fairness.tasks_key(queue, key, number)) == 1
  end
  if not waits and not redis.call('HGET', namespace.key('places', queue), 'k:' .. key) then
    redis.call('HDEL', namespace.key('turns', queue), key)
    redis.call('ZREM', namespace.key('delayed', queue), key)
  end
end

function fairness.plan_refresh(queue, keys)
  if #keys > 0 then
    namespace.require_settled_slot()
    namespace.probe('HLEN', namespace.key('turns', queue))
    namespace.probe('HLEN', namespace.key('limits', queue))
    namespace.probe('HLEN', namespace.key('places', queue))
    namespace.probe('ZCARD', namespace.key('delayed', queue))
    for _, key in ipairs(keys) do
      namespace.probe('LLEN', limits.starts_key(queue, key))
    end
  end
  for _, number in ipairs(#keys > 0 and needs.numbers(queue) or {}) do
    namespace.probe('ZCARD', fairness.ranked_key(queue, number))
    for _, key in ipairs(keys) do
      namespace.probe('ZCARD', fairness.tasks_key(queue, key, number))
    end
  end
end

-- Finds the work of `refresh_due`: keys whose rate allows the next start, and after a change of the limits a page of
-- the keys that hold places. Limits change for the queue or for the namespace; `changes` is the number of the
-- namespace's last change. In the result, `wakes` is true if a task may start, and `next` is the time when the next
-- rate allows a start.
function fairness.plan_due(queue, limit, changes)
  local delayed = namespace.key('delayed', queue)
  local now = string.format('%.0f', namespace.now_us)
  -- A key costs more than a due task, in proportion to the number of different needs.
  limit = math.max(1, math.floor(math.min(limit, 100) / #needs.numbers(queue)))
  local found = { keys = {}, free = redis.call('ZRANGEBYSCORE', delayed, '-inf', now, 'LIMIT', 0, limit) }
  local later = redis.call('ZRANGEBYSCORE', delayed, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  found.next, found.more = tonumber(later[2]), #found.free == limit
  for _, key in ipairs(found.free) do
    if key ~= '/' then
      found.keys[#found.keys + 1] = key
    end
  end
  local cursor, known = unpack(redis.call('HMGET', namespace.meta, 'sweep:' .. queue, 'swept:' .. queue), 1, 2)
  if changes and changes ~= known and (redis.call('EXISTS', namespace.key('pending_ranked_tasks', queue)) == 1
    or redis.call('LLEN', namespace.key('pending_tasks', queue)) > 0) then
    cursor, found.changes = '0', changes
  end
  if cursor then
    -- The sweep visits the keys that hold places first. After a `-` in the cursor, it visits the keys that a rate
    -- delays.
    local after = string.match(cursor, '^%- (%S+)$')
    if not after then
      local page = redis.call('HSCAN', namespace.key('places', queue), cursor, 'COUNT', limit)
      for i = 1, #page[2], 2 do
        found.keys[#found.keys + 1] = string.match(page[2][i], '^k:(.+)$')
      end
      after, found.sweep = page[1] == '0' and '0', page[1]
    end
    if after then
      local page = redis.call('ZRANGEBYSCORE', delayed, '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
      for i = 1, #page, 2 do
        found.keys[#found.keys + 1] = page[i] ~= '/' and page[i] or nil
      end
      found.sweep = #page == 2 * limit and '- ' .. page[#page] or 'end'
    end
    found.more = found.more or found.sweep ~= 'end'
  end
  found.wakes = #found.free > 0 or cursor ~= false
  fairness.plan_refresh(queue, found.keys)
  if #found.free > 0 then
    namespace.probe('ZCARD', delayed)
  end
  return found
end

function fairness.refresh_due(queue, found)
  if found.free and #found.free > 0 then
    redis.call('ZREM', namespace.key('delayed', queue), unpack(found.free))
  end
  for _, key in ipairs(found.keys) do
    fairness.refresh_all(queue, key)
  end
  if found.changes then
    redis.call('HSET', namespace.meta, 'swept:' .. queue, found.changes)
  end
  if found.sweep == 'end' then
    redis.call('HDEL', namespace.meta, 'sweep:' .. queue)
  elseif found.sweep then
    redis.call('HSET', namespace.meta, 'sweep:' .. queue, found.sweep)
  end
end
