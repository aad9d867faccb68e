-- Repair of what listeners hold: their lists, leases, orders and claims, and the number of listeners.
local repair_held = {}

-- Maximum number of entries of listeners' lists that a call examines.
repair_held.ENTRIES = 2500

-- Restores the entries of an attempt that scripts began, if somebody deleted them. Without its lease, no heartbeat
-- renews the attempt, and its task is never requeued.
-- @hot
function repair_held.attempt(pass, task)
  if task.token == '' or task.extra[4] then
    return -- held by a client without scripts
  end
  local leases = namespace.key('leases', pass.queue)
  if not redis.call('ZSCORE', leases, record.lease(task)) then
    pass.leased = true
    fixes.fix(pass, 'ZADD', leases, string.format('%.0f', namespace.now_us + (task.extra[5] or fence.LEASE)),
      record.lease(task))
  end
  local set, entry = namespace.key('started_tasks', pass.queue), task.node .. ' ' .. task.pid .. ' ' .. task.id
  if task.status == 'started' and redis.call('SISMEMBER', set, entry) == 0 then
    fixes.fix(pass, 'SADD', set, entry)
  end
end

-- Returns true if the listener holds the task, according to the task's record.
-- @hot
function repair_held.confirmed(task, listener)
  return record.held(task) and task.node == listener
end

-- @hot
function repair_held.registered(pass, listener)
  return redis.call('SISMEMBER', namespace.key('listeners', pass.queue), listener) == 1
end

-- Stores who is responsible for a task whose listener was removed, so that the task can be adopted. Blueque's
-- `claim_orphan` removes a listener from its queue, and then stores who claims the latest of its tasks. The claimer may
-- also die, even between the two steps.
-- @hot
function repair_held.claim(pass, task, listener)
  local claimer = task.extra[4]
  local who = claimer or listener
  if not claimer and repair_held.registered(pass, listener)
    or #who > 200 or not string.find(who, '^[%w.:-]+_%d+$') then
    return
  end
  local known, member = namespace.key('claims', pass.queue), who .. ' ' .. task.id
  if not redis.call('ZSCORE', known, member)
    and (claimer or fixes.overdue(pass, 'claim ' .. listener .. ' ' .. task.id, task.status)) then
    fixes.write(pass, 'ZADD', known, 0, member)
  end
end

-- Removes the entry of a task that was moved to another queue while a client without scripts popped it. The names of
-- lists overlap: `q_h_1` may be the listener `h_1` of `q`, or the listener `1` of `q_h`. An entry in a list of the
-- task's own queue stays.
function repair_held.stray(pass, list, listener, task)
  local own = namespace.key('reserved_tasks', task.queue .. '_')
  if string.sub(list, 1, #own) ~= own and not repair_held.confirmed(task, listener)
    and fixes.overdue(pass, listener .. ' ' .. task.id, task.queue) then
    fixes.fix(pass, 'LREM', list, 1, task.id)
  end
end

-- Repairs an entry of the list of a listener.
-- @hot
function repair_held.entry(pass, list, listener, id)
  local task = fixes.find(pass, id)
  if not task then
    fixes.fix(pass, 'LREM', list, 1, id)
    return
  elseif task.queue ~= pass.queue then
    return repair_held.stray(pass, list, listener, task)
  end
  fixes.index(pass, task)
  if repair_held.confirmed(task, listener) then
    repair_held.attempt(pass, task)
    return repair_held.claim(pass, task, listener)
  end
  local mark = task.status .. ' ' .. string.sub(task.extra[1] or '', 1, 32)
  if not fixes.overdue(pass, listener .. ' ' .. id, mark) then
    return
  end
  if task.status == 'pending' and not pass.moved[id] then
    pass.repaired = pass.repaired + 1
    pass.moved[id] = true
    task.astray, task.from_end = list, -1
    pass.moves[#pass.moves + 1] = task
  else
    fixes.fix(pass, 'LREM', list, 1, id)
  end
end

-- Repairs the lists of all listeners, including listeners that Blueque's `claim_orphan` removed from the queue. Only a
-- scan of the keyspace finds all of these lists.
-- @hot
function repair_held.held(pass, cursor)
  local head = namespace.key('reserved_tasks', pass.queue .. '_')
  local page = redis.call('SCAN', cursor, 'MATCH', head .. '*', 'COUNT', 4 * pass.limit)
  local most = math.min(500, math.ceil(repair_held.ENTRIES / math.max(1, #page[2])))
  for _, list in ipairs(page[2]) do
    local listener = string.sub(list, #head + 1)
    local seen = {}
    for _, id in ipairs(redis.call('LRANGE', namespace.declare(list), -most, -1)) do
      if seen[id] then
        fixes.fix(pass, 'LREM', list, 1, id)
      else
        seen[id] = true
        repair_held.entry(pass, list, listener, id)
      end
    end
  end
  return page[1]
end

-- Repairs the index of started tasks.
-- @hot
function repair_held.started(pass, cursor)
  local set = namespace.key('started_tasks', pass.queue)
  local page = redis.call('SSCAN', set, cursor, 'COUNT', pass.limit)
  for _, entry in ipairs(page[2]) do
    local node, pid, id = string.match(entry, '^(%S+) (%S*) (%S+)$')
    local task = id and record.find(id)
    if not task or task.status ~= 'started' or task.node ~= node or task.pid ~= pid then
      fixes.fix(pass, 'SREM', set, entry)
    end
  end
  return page[1]
end

-- Removes orders whose reason is gone: of tasks that are no longer held or have no request, and of listeners that are
-- gone.
-- @hot
function repair_held.orders(pass, cursor)
  local given = orders.key(pass.queue)
  local page = redis.call('HSCAN', given, cursor, 'COUNT', pass.limit)
  for i = 1, #page[2], 2 do
    local kind, name = string.match(page[2][i], '^(%l):(.+)$')
    local valid
    if page[2][i] == 'q' then
      valid = redis.call('HEXISTS', namespace.meta, 'paused:' .. pass.queue) == 1
    elseif kind == 't' then
      local task = record.find(name)
      valid = task and record.held(task) and (task.cancel or task.requeue or controls.has(task))
    else
      valid = name and redis.call('SISMEMBER', namespace.key('listeners', pass.queue), name) == 1
    end
    if not valid then
      fixes.fix(pass, 'HDEL', given, page[2][i])
    end
  end
  return page[1]
end

-- Corrects the number of listeners: Blueque counts a listener again each time that its process adds it, and removes a
-- listener with two commands.
-- @hot
function repair_held.score(pass)
  local queues = namespace.prefix .. 'queues'
  local score = redis.call('ZSCORE', queues, pass.queue) or '0'
  local number = redis.call('SCARD', namespace.key('listeners', pass.queue))
  if tonumber(score) ~= number and fixes.overdue(pass, 'listeners', score .. ' ' .. number) then
    fixes.fix(pass, 'ZADD', queues, number, pass.queue)
  end
  return tonumber(score) == number
end

-- Removes stale claims, and adds valid claims to the reply.
-- @hot
function repair_held.claims(pass, position)
  local key = namespace.key('claims', pass.queue)
  local members, after = fixes.page(pass, key, 'ZRANGE', position)
  local removed = 0
  for _, member in ipairs(members) do
    local who, id = string.match(member, '^(%S+) (%S+)$')
    local task = id and fixes.find(pass, id)
    local valid = task and task.queue == pass.queue and record.held(task)
    if valid and task.extra[4] then
      valid = task.extra[4] == who
    elseif valid then
      valid = task.node == who and not repair_held.registered(pass, who)
    end
    if valid then
      reply.add(pass.valid_claims, who, id, task.status, task.node, task.pid)
    else
      removed = removed + 1
      fixes.write(pass, 'ZREM', key, member)
    end
  end
  return after(removed)
end

-- Removes suspicions that proved wrong.
-- @hot
function repair_held.suspects(pass, cursor)
  local suspects = namespace.key('suspects', pass.queue)
  local right = repair_held.score(pass)
  local page = redis.call('HSCAN', suspects, cursor, 'COUNT', pass.limit)
  for i = 1, #page[2], 2 do
    local field = page[2][i]
    local listener, id = string.match(field, '^(%S+) (%S+)$')
    local holder, orphan = string.match(field, '^claim (%S+) (%S+)$')
    local settled = right and field ~= 'pass'
    if orphan then
      local task = record.find(orphan, 'reclaimed_node')
      settled = not task or task.extra[1] or not repair_held.confirmed(task, holder)
        or repair_held.registered(pass, holder)
    elseif listener == 'due' then
      local task = record.find(id)
      settled = not task or task.status ~= 'scheduled'
        or redis.call('ZSCORE', namespace.key('scheduled_tasks', pass.queue), id)
        or redis.call('ZSCORE', namespace.key('scheduled_ranked_tasks', pass.queue), id)
    elseif id then
      local task = record.find(id)
      settled = not task or repair_held.confirmed(task, listener)
        or not redis.call('LPOS', namespace.key('reserved_tasks', pass.queue .. '_' .. listener), id)
    end
    if settled then
      fixes.write(pass, 'HDEL', suspects, field)
    end
  end
  return page[1]
end
