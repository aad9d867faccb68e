-- Repairing: repairs after clients without scripts and after deletions by hand. Each index has a function that reads a
-- page of its entries and corrects wrong entries.
local repair = {}

repair.queue = ''

repair.repaired = 0

repair.suspected = 0

repair.leased = false

-- Valid claims for the reply: claimer, id, status, holder and pid of each claim.
repair.valid_claims = {}

repair.writes = {}

repair.moves = {}

-- Ranked tasks that were in the plain list.
repair.entering = {}

-- Waiting tasks whose set is satisfied.
repair.readied = {}

-- Corrected counts of the sets of waiting tasks.
repair.sets = {}

-- Entries among the ranked tasks without a pending task.
repair.discarded = {}

-- The keys of `writes` so far, and the ids of `moves`.
repair.noted = {}

repair.moved = {}

-- Attempts that are over but still hold places.
repair.freed = {}

-- Shared limits whose places are corrected.
repair.recounted = {}

-- Shared limits whose number of tasks is corrected, limit and number in turn; `expired`: shared limits that expire.
repair.named = {}

repair.expired = {}

-- Tasks whose log sizes have already been removed.
repair.unlogged = {}

-- Maximum number of entries of listeners' lists that a call examines.
repair.ENTRIES = 2500

-- @hot
function repair.write(command, key, ...)
  if not repair.noted[key] then
    repair.noted[key] = namespace.declare(key)
  end
  repair.writes[#repair.writes + 1] = { command, key, ... }
end

-- @hot
function repair.repair(...)
  repair.write(...)
  repair.repaired = repair.repaired + 1
end

-- Finds a task. A record without a queue was left by a late update of a deleted task, and is removed.
-- @hot
function repair.find(id)
  local task = record.find(id, 'updated', 'group', 'tags', 'reclaimed_node', 'lease', 'eta')
  if task and task.queue == '' then
    repair.write('UNLINK', task.key)
    return nil
  end
  return task
end

-- Removes the remaining data of a task whose record a client without scripts deleted.
-- @hot
function repair.gone(id)
  repair.write('UNLINK', namespace.key('history', id), namespace.declare(namespace.key('log', id)),
    namespace.declare(edges.upstreams(id)), namespace.declare(edges.inputs(id)), namespace.declare(fan_in.key(id)))
  repair.no_deadline(id)
  if redis.call('ZSCORE', tracking.all(), id) then
    repair.write('ZREM', tracking.all(), id)
  end
  local size = not repair.unlogged[id] and logs.size(id)
  if size then
    repair.unlogged[id] = true
    repair.write('UNLINK', namespace.key('logged', id))
    repair.write('ZREM', logs.index(), id)
    repair.write('HINCRBY', namespace.meta, 'logs', -size)
  end
end

-- Adds a task that a client without scripts created to the index of all tasks.
-- @hot
function repair.index(task)
  local tasks = namespace.key('tasks', repair.queue)
  if not redis.call('ZSCORE', tasks, task.id) then
    repair.repair('ZADD', tasks, record.created(task.id), task.id)
  end
end

-- Restores or corrects the entry of a deadline. A task whose owner was ordered to stop needs no entry.
-- @hot
function repair.deadline(task)
  if not deadlines.has(task) or contract.is_final(task.status) or task.cancel then
    return
  end
  local end_by = redis.call('HGET', task.key, 'deadline')
  if end_by and tonumber(redis.call('ZSCORE', holdings.deadlines(), task.id) or -1) ~= tonumber(end_by) then
    repair.repair('ZADD', holdings.deadlines(), end_by, task.id)
  end
end

-- Removes the deadline entry of a task that a client without scripts ended or removed.
-- @hot
function repair.no_deadline(id)
  if redis.call('ZSCORE', holdings.deadlines(), id) then
    repair.repair('ZREM', holdings.deadlines(), id)
  end
end

-- Restores the entries of an attempt that scripts began, if somebody deleted them. Without its lease, no heartbeat
-- renews the attempt, and its task is never requeued.
-- @hot
function repair.attempt(task)
  if task.token == '' or task.extra[4] then
    return -- held by a client without scripts
  end
  local leases = namespace.key('leases', repair.queue)
  if not redis.call('ZSCORE', leases, record.lease(task)) then
    repair.leased = true
    repair.repair('ZADD', leases, string.format('%.0f', namespace.now_us + (task.extra[5] or fence.LEASE)),
      record.lease(task))
  end
  local set, entry = namespace.key('started_tasks', repair.queue), task.node .. ' ' .. task.pid .. ' ' .. task.id
  if task.status == 'started' and redis.call('SISMEMBER', set, entry) == 0 then
    repair.repair('SADD', set, entry)
  end
end

-- Stores a suspicion. Returns true if the entry `field` has been wrong for the whole grace period. During that period
-- the cause may be a client between two of its commands; after it, that client has died. `mark`: the state of the
-- entry; a change starts a new grace period.
-- @hot
function repair.overdue(field, mark, grace)
  local suspects = namespace.key('suspects', repair.queue)
  local since, before = string.match(redis.call('HGET', suspects, field) or '', '^(%S+) (.*)$')
  if before == mark and tonumber(since) * 1000000 + grace <= namespace.now_us then
    repair.write('HDEL', suspects, field)
    return true
  end
  if before ~= mark then
    repair.write('HSET', suspects, field, namespace.now .. ' ' .. mark)
  end
  repair.suspected = repair.suspected + 1
  return false
end

-- Returns true if the listener holds the task, according to the task's record.
-- @hot
function repair.confirmed(task, listener)
  return record.held(task) and task.node == listener
end

-- @hot
function repair.registered(listener)
  return redis.call('SISMEMBER', namespace.key('listeners', repair.queue), listener) == 1
end

-- Stores who is responsible for a task whose listener was removed, so that the task can be adopted. Blueque's
-- `claim_orphan` removes a listener from its queue, and then stores who claims the latest of its tasks. The claimer may
-- also die, even between the two steps.
-- @hot
function repair.claim(task, listener, grace)
  local claimer = task.extra[4]
  local who = claimer or listener
  if not claimer and repair.registered(listener) or #who > 200 or not string.find(who, '^[%w.:-]+_%d+$') then
    return
  end
  local known, member = namespace.key('claims', repair.queue), who .. ' ' .. task.id
  if not redis.call('ZSCORE', known, member)
    and (claimer or repair.overdue('claim ' .. listener .. ' ' .. task.id, task.status, grace)) then
    repair.write('ZADD', known, 0, member)
  end
end

-- Removes the entry of a task that was moved to another queue while a client without scripts popped it. The names of
-- lists overlap: `q_h_1` may be the listener `h_1` of `q`, or the listener `1` of `q_h`. An entry in a list of the
-- task's own queue stays.
function repair.stray(list, listener, task, grace)
  local own = namespace.key('reserved_tasks', task.queue .. '_')
  if string.sub(list, 1, #own) ~= own and not repair.confirmed(task, listener)
    and repair.overdue(listener .. ' ' .. task.id, task.queue, grace) then
    repair.repair('LREM', list, 1, task.id)
  end
end

-- @hot
function repair.entry(list, listener, id, grace)
  local task = repair.find(id)
  if not task then
    repair.repair('LREM', list, 1, id)
    return
  elseif task.queue ~= repair.queue then
    return repair.stray(list, listener, task, grace)
  end
  repair.index(task)
  if repair.confirmed(task, listener) then
    repair.attempt(task)
    return repair.claim(task, listener, grace)
  elseif not repair.overdue(listener .. ' ' .. id, task.status .. ' ' .. string.sub(task.extra[1] or '', 1, 32),
    grace) then
    return
  end
  if task.status == 'pending' and not repair.moved[id] then
    repair.repaired = repair.repaired + 1
    repair.moved[id] = true
    task.astray, task.from_end = list, -1
    repair.moves[#repair.moves + 1] = task
  else
    repair.repair('LREM', list, 1, id)
  end
end

-- Repairs the lists of all listeners, including listeners that Blueque's `claim_orphan` removed from the queue. Only a
-- scan of the keyspace finds all of these lists.
-- @hot
function repair.held(cursor, limit, grace)
  local head = namespace.key('reserved_tasks', repair.queue .. '_')
  local page = redis.call('SCAN', cursor, 'MATCH', head .. '*', 'COUNT', 4 * limit)
  local most = math.min(500, math.ceil(repair.ENTRIES / math.max(1, #page[2])))
  for _, list in ipairs(page[2]) do
    local listener = string.sub(list, #head + 1)
    local seen = {}
    for _, id in ipairs(redis.call('LRANGE', namespace.declare(list), -most, -1)) do
      if seen[id] then
        repair.repair('LREM', list, 1, id)
      else
        seen[id] = true
        repair.entry(list, listener, id, grace)
      end
    end
  end
  return page[1]
end

-- @hot
function repair.started(cursor, limit)
  local set = namespace.key('started_tasks', repair.queue)
  local page = redis.call('SSCAN', set, cursor, 'COUNT', limit)
  for _, entry in ipairs(page[2]) do
    local node, pid, id = string.match(entry, '^(%S+) (%S*) (%S+)$')
    local task = id and record.find(id)
    if not task or task.status ~= 'started' or task.node ~= node or task.pid ~= pid then
      repair.repair('SREM', set, entry)
    end
  end
  return page[1]
end

-- The cursor to continue a part. The cursor `0` means its end, so position 0 is `00`.
-- @hot
function repair.go_on(position)
  return position == 0 and '00' or string.format('%.0f', position)
end

-- A page of a list or zset by position. Removed entries do not shift the next page.
-- @hot
function repair.page(key, command, position, limit)
  local from = tonumber(position)
  local ids = redis.call(command, key, from, from + limit - 1)
  return ids, function(removed)
    return #ids < limit and '0' or repair.go_on(from + limit - removed)
  end
end

-- Adds a failure that a client without scripts recorded to its group.
-- @hot
function repair.group(task)
  local group = task.extra[2] or ''
  local key = groups.key(repair.queue, group)
  if not redis.call('ZSCORE', key, task.id) then
    local counts = namespace.key('groups', repair.queue)
    namespace.probe('ZCARD', counts)
    repair.repair('ZADD', key, tonumber(task.extra[1]) or 0, task.id)
    repair.write('ZADD', counts, 'NX', 1, group) -- `labels` sets the count
  end
end

-- Returns true if a task has a tag, or is a failure of a group.
-- @hot
function repair.labelled(task, kind, name)
  if not task or task.queue ~= repair.queue then
    return false
  elseif kind == 'groups' then
    return task.status == 'failed' and (task.extra[2] or '') == name
  end
  return string.find(',' .. (task.extra[3] or '') .. ',', ',' .. name .. ',', 1, true) ~= nil
end

-- Repairs tags and groups of tasks that a client without scripts removed or retried, and their counts. The position
-- contains the number of names before it, and the number of examined entries of the next name.
-- @hot
function repair.labels(kind, position, limit)
  local counts = namespace.key(kind, repair.queue)
  local at, from = math.floor(position / 1000000000), position % 1000000000
  local gone = 0 -- removed names, which stay in the index until the end of this call
  while limit > 0 do
    local name, count = unpack(redis.call('ZRANGE', counts, at, at, 'WITHSCORES'))
    if not name then
      return '0'
    end
    local key = (kind == 'tags' and tags.key or groups.key)(repair.queue, name)
    local ids, removed = redis.call('ZRANGE', key, from, from + limit - 1), 0
    for _, id in ipairs(ids) do
      if not repair.labelled(repair.find(id), kind, name) then
        repair.repair('ZREM', key, id)
        removed = removed + 1
      end
    end
    if #ids == limit then
      from = from + limit - removed
    else
      local left = redis.call('ZCARD', key) - removed
      if left == 0 then
        repair.repair('ZREM', counts, name)
        gone = gone + 1
      elseif left ~= tonumber(count) then
        repair.repair('ZADD', counts, left, name)
      end
      at, from = at + 1, 0
    end
    limit = limit - #ids - 1
  end
  return repair.go_on((at - gone) * 1000000000 + from)
end

-- Moves a ranked task out of the plain list or set, where somebody put it by hand, or a client without scripts.
-- @hot
function repair.strayed(task, key, status)
  if not task.flags or not string.find(task.flags, 'r') then
    return false
  elseif status == 'scheduled' then
    repair.repair('ZADD', namespace.key('scheduled_lane_tasks', repair.queue),
      redis.call('ZSCORE', key, task.id), task.id)
    repair.write('ZREM', key, task.id)
    return true
  elseif status ~= 'pending' then
    return false
  end
  holdings.load(task)
  repair.repair('LREM', key, 1, task.id)
  if not task.rank then
    ranking.plan(task)
    repair.entering[#repair.entering + 1] = task
  end
  return true
end

-- Finds upstreams of a waiting task that were ended by a client without scripts, which does not notify dependents. Also
-- finds upstreams whose index of dependents was deleted by hand. Checks the first INLINE upstreams: when these are
-- settled, the rest follow.
-- @hot
function repair.upstreams(task)
  if redis.call('EXISTS', edges.upstreams(task.id)) == 0 and not redis.call('ZSCORE', edges.deferred(), task.id)
    and redis.call('HEXISTS', edges.inputs(task.id), 'slots') == 1 then
    repair.repair('ZADD', edges.deferred(), namespace.now, task.id) -- its inputs are not joined yet
    repair.write('HSET', task.key, 'cascade', fan_in.WORD)
  end
  local found = redis.call('HSCAN', edges.upstreams(task.id), '0', 'COUNT', edges.INLINE)[2]
  for i = 1, math.min(#found, 2 * edges.INLINE), 2 do
    local since = redis.call('ZSCORE', edges.dependents(found[i]), task.id)
    if since ~= 'inf' and since ~= '-inf' then -- the end is counted, or the release of the graph checks it
      repair.upstream(task, found[i], since)
    end
  end
end

-- Repairs a waiting task whose set is satisfied, cannot be satisfied, or is counted wrongly.
function repair.set(task)
  local v = redis.call('HMGET', task.key, 'cascade', 'graph')
  if v[1] or redis.call('ZSCORE', edges.deferred(), task.id)
    or v[2] and redis.call('HEXISTS', graphs.key(v[2]), 'doing') == 1 then
    return -- `run_deferred` still works on the task
  end
  local set, what, ended = at_least.check(task.id)
  if what == 'ready' then
    local known = redis.call('HMGET', edges.inputs(task.id), 'slots', 'bytes')
    local plan = { id = task.id, task = record.find(task.id, edges.fields()), set = set }
    plan.task.later = true
    edge_end.plan_ready(plan, tonumber(known[1] or 0), tonumber(known[2] or 0))
    state.plan_follow(plan)
    repair.readied[#repair.readied + 1] = plan
  elseif what then
    repair.sets[#repair.sets + 1] = { id = task.id, set = set }
  end
  local up = ended and graphs.on_failure(v[2]) ~= 'hold' and record.find(ended)
  -- Unless the end is counted, `run_deferred` notifies the task of it without a repair.
  local fails = up and contract.is_final(up.status) and redis.call('ZSCORE', edges.dependents(ended), task.id) == 'inf'
  if fails then -- `run_deferred` notifies the task again
    repair.write('ZADD', edges.dependents(ended), namespace.now, task.id)
    repair.write('ZADD', edges.deferred(), namespace.now, ended)
  end
  repair.repaired = repair.repaired + ((what or fails) and 1 or 0)
end

-- Repairs an upstream of a waiting task. `since`: when this dependent was added to its index, nil if never.
-- @hot
function repair.upstream(task, id, since)
  local key = namespace.key('task', id)
  local v = redis.call('HMGET', key, 'status', 'graph', 'flags')
  local ended = not (v[1] or v[2]) or v[1] and contract.is_final(v[1]) -- a staged task has no status
  if redis.call('ZSCORE', edges.deferred(), id) then
    return -- `run_deferred` does the rest
  elseif ended then
    repair.repair('ZADD', edges.deferred(), namespace.now, id)
    if not since then
      repair.write('ZADD', edges.dependents(id), namespace.now, task.id)
    end
  elseif v[1] then
    if not since then
      repair.repair('ZADD', edges.dependents(id), namespace.now, task.id)
    end
    if not string.find(v[3] or '', 'd', 1, true) then
      repair.repair('HSET', key, 'flags', (v[3] or '') .. 'd')
    end
  end
end

-- @hot
function repair.list(status, position, limit)
  local key = namespace.key(status .. '_tasks', repair.queue)
  local ranked = status == 'scheduled_lane'
  local zset = ranked or status == 'scheduled' or status == 'waiting'
  status = ranked and 'scheduled' or status
  local ids, after = repair.page(key, zset and 'ZRANGE' or 'LRANGE', position, limit)
  local removed, seen = 0, {}
  for _, id in ipairs(ids) do
    local task = repair.find(id)
    if task and not seen[id] and task.status == status and task.queue == repair.queue then
      seen[id] = true -- two clients without scripts may have ended the task, and each added it to the list
      repair.index(task)
      if not ranked and repair.strayed(task, key, status) then
        removed = removed + 1
      end
      if task.cancel and contract.is_final(status) then
        repair.repair('HDEL', task.key, 'cancel') -- ended by a client without scripts, which knows no orders
      end
      if contract.is_final(status) and deadlines.has(task) then
        repair.no_deadline(id)
      end
      if contract.is_final(status) and queued_round.has(task) and not redis.call('ZSCORE', edges.deferred(), id) then
        repair.repair('ZADD', edges.deferred(), namespace.now, id) -- also ended by such a client
      end
      if status == 'failed' then
        repair.group(task)
      elseif status == 'waiting' then
        repair.upstreams(task)
        if at_least.has(task) then
          repair.set(task)
        end
      end
    else
      removed = removed + 1
      if not task then
        repair.gone(id)
      end
      if zset then
        repair.repair('ZREM', key, id)
      else
        repair.repair('LREM', key, 1, id)
      end
    end
  end
  return after(removed)
end

-- Restores the entry of a scheduled task. A client without scripts removes a task from the set, and then updates it.
-- @hot
function repair.due(task, grace)
  local ranked = task.flags and string.find(task.flags, 'r', 1, true)
  local set = namespace.key(ranked and 'scheduled_lane_tasks' or 'scheduled_tasks', repair.queue)
  if not redis.call('ZSCORE', set, task.id) and repair.overdue('due ' .. task.id, task.extra[1] or '', grace) then
    repair.repair('ZADD', set, task.extra[6] or namespace.now, task.id)
  end
end

-- @hot
function repair.tasks(position, limit, grace)
  local key = namespace.key('tasks', repair.queue)
  local ids, after = repair.page(key, 'ZRANGE', position, limit)
  local removed = 0
  for _, id in ipairs(ids) do
    local task = repair.find(id)
    if task and task.queue == repair.queue then
      repair.deadline(task)
    end
    if not task then
      removed = removed + 1
      repair.repair('ZREM', key, id)
      repair.gone(id)
    elseif task.queue ~= repair.queue then
      removed = removed + 1
      repair.repair('ZREM', key, id)
    elseif task.node ~= '' and record.held(task) then
      -- The client's pop was undone after the grace period, and the client then updated the record.
      local list = namespace.key('reserved_tasks', task.queue .. '_' .. task.node)
      if not redis.call('LPOS', list, id) then
        repair.repair('LPUSH', list, id)
      end
    elseif task.status == 'scheduled' then
      repair.due(task, grace)
    elseif task.status == 'waiting' and not redis.call('ZSCORE', namespace.key('waiting_tasks', task.queue), id) then
      repair.repair('ZADD', namespace.key('waiting_tasks', task.queue), namespace.now, id)
    end
  end
  return after(removed)
end

-- Removes orders for tasks that are no longer held, and orders for listeners that are gone.
-- @hot
function repair.orders(cursor, limit)
  local given = orders.key(repair.queue)
  local page = redis.call('HSCAN', given, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local kind, name = string.match(page[2][i], '^(%l):(.+)$')
    local valid
    if page[2][i] == 'q' then
      valid = redis.call('HEXISTS', namespace.meta, 'paused:' .. repair.queue) == 1
    elseif kind == 't' then
      local task = record.find(name)
      valid = task and record.held(task) and (task.cancel or task.requeue)
    else
      valid = name and redis.call('SISMEMBER', namespace.key('listeners', repair.queue), name) == 1
    end
    if not valid then
      repair.repair('HDEL', given, page[2][i])
    end
  end
  return page[1]
end

-- Corrects the number of listeners: Blueque counts a listener each time that its process adds it, and counts and
-- removes in two commands.
-- @hot
function repair.score(grace)
  local queues = namespace.prefix .. 'queues'
  local score = redis.call('ZSCORE', queues, repair.queue) or '0'
  local number = redis.call('SCARD', namespace.key('listeners', repair.queue))
  if tonumber(score) ~= number and repair.overdue('listeners', score .. ' ' .. number, grace) then
    repair.repair('ZADD', queues, number, repair.queue)
  end
  return tonumber(score) == number
end

-- Repairs the index of ranked tasks, which are in no list. A task that was changed while a client without scripts
-- popped it keeps its entry when it ends; the entry is removed.
-- @hot
function repair.lanes(position, limit)
  local members, after = repair.page(namespace.key('lane_tasks', repair.queue), 'ZRANGE', position, limit)
  for _, member in ipairs(members) do
    local rank, id = string.match(member, '^(%S+) (%S+)$')
    local task = repair.find(id or '')
    local own = task and task.queue == repair.queue
    if own then
      repair.index(task)
    end
    if not own or contract.is_final(task.status) then
      repair.plan_discard(own and task or { id = id }, rank, member)
    end
  end
  return after(#repair.discarded)
end

-- Plans `ranking.discard` for a task that is not pending.
function repair.plan_discard(task, rank, member)
  if task.status then
    holdings.load(task)
  end
  task.rank = rank
  local ghost = { key = task.fair_key, number = needs.number(repair.queue, needs.class(task)) or '',
    member = task.fair_key and ranking.member(task) or member }
  ranking.plan_discard(repair.queue, ghost)
  repair.discarded[#repair.discarded + 1] = ghost
  repair.repaired = repair.repaired + 1
end

-- Frees the places of attempts that are over, if their leases were deleted by hand; the end of a lease also frees them.
-- Then corrects the sums of shared limits.
-- @hot
function repair.places(cursor, limit, shared)
  local queue, held = repair.queue, namespace.key('places', repair.queue)
  namespace.probe('HLEN', held)
  local page = redis.call('HSCAN', held, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local id, token = string.match(page[2][i], '^a:(%S+) (%d+)$')
    local task = id and record.find(id)
    if id and not (task and task.queue == queue and record.held(task) and task.token == token)
      and not redis.call('ZSCORE', namespace.key('leases', queue), id .. ' ' .. token) then
      repair.freed[#repair.freed + 1] = { id = id, token = token }
      repair.repaired = repair.repaired + 1
    end
  end
  if repair.freed[1] then
    held_places.plan_released(queue, repair.freed)
    wakeups.plan(queue)
  end
  local wrong = page[1] == '0' and recount.wrong(queue, shared) or {}
  for nth = 1, #wrong, 2 do
    local name, number = wrong[nth], wrong[nth + 1]
    if number > 0 then
      repair.repair('HSET', shared_limits.places_key(), name, number)
    else
      repair.repair('HDEL', shared_limits.places_key(), name)
    end
    shared_turns.plan_wakes(name, '', shared_turns.WOKEN)
    repair.recounted[#repair.recounted + 1] = name
  end
  if page[1] == '0' then
    repair.plan_shared(queue, shared)
  end
  return page[1]
end

-- Corrects the numbers of graphs' tasks that have ended and that are left. Of repairs that clients share, only those of
-- the queue with the most listeners do this.
function repair.graphs(position, limit, shared)
  if shared and redis.call('ZREVRANGE', namespace.prefix .. 'queues', 0, 0)[1] ~= repair.queue then
    return '0'
  end
  local ids, after = repair.page(graphs.all(), 'ZRANGE', position, limit)
  local left, removed = recount.MEMBERS, 0
  for i, id in ipairs(ids) do
    local number = recount.members(id, tonumber(position) + i - 1)
    if number > left and number <= recount.MEMBERS then
      return repair.go_on(tonumber(position) + i - 1 - removed)
    end
    local wrong, there = {}, nil
    if number > 0 and number <= left then
      wrong, there = recount.wrong_graph(id)
      left = left - number
    end
    if there == 0 then
      removed = removed + 1
      repair.remove_graph(id)
    elseif wrong[1] then
      repair.repair('HSET', graphs.key(id), unpack(wrong))
    end
  end
  return after(removed)
end

-- Removes a graph whose tasks are gone.
function repair.remove_graph(id)
  for _, bound in ipairs(graphs.plan_unlimit(id)) do
    repair.write('HDEL', bound.limits, bound.key)
  end
  repair.repair('ZREM', graphs.all(), id)
  repair.write('UNLINK', graphs.key(id), namespace.declare(graphs.tasks(id)),
    namespace.declare(graphs.chosen(id)))
end

-- Corrects the number of tasks that name a shared limit, and removes limits that were not used for their `expires`.
function repair.plan_shared(queue, shared)
  repair.named = recount.wrong_tasks(queue, shared)
  local corrected = {}
  for nth = 1, #repair.named, 2 do
    corrected[repair.named[nth]] = true
  end
  if next(corrected) then
    shared_count.plan()
  end
  repair.expired = shared_define.plan_expired(corrected)
  repair.repaired = repair.repaired + #repair.named / 2 + #repair.expired
end

-- Removes unique names of tasks that a client without scripts ended, started or removed. A name with an expiry is kept
-- until it expires.
-- @hot
function repair.unique(cursor, limit)
  local names = namespace.key('unique', repair.queue)
  local page = redis.call('HSCAN', names, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local id, till = string.match(page[2][i + 1], '^(%S+) (%l+)$')
    if id and not holdings.still_holds_name(repair.queue, id, page[2][i], till) then
      repair.repair('HDEL', names, page[2][i])
    end
  end
  return page[1]
end

-- Removes stale claims, and adds valid claims to the reply.
-- @hot
function repair.claims(position, limit)
  local key = namespace.key('claims', repair.queue)
  local members, after = repair.page(key, 'ZRANGE', position, limit)
  local removed = 0
  for _, member in ipairs(members) do
    local who, id = string.match(member, '^(%S+) (%S+)$')
    local task = id and repair.find(id)
    local valid = task and task.queue == repair.queue and record.held(task)
    if valid and task.extra[4] then
      valid = task.extra[4] == who
    elseif valid then
      valid = task.node == who and not repair.registered(who)
    end
    if valid then
      for _, fact in ipairs({ who, id, task.status, task.node, task.pid }) do
        repair.valid_claims[#repair.valid_claims + 1] = fact
      end
    else
      removed = removed + 1
      repair.write('ZREM', key, member)
    end
  end
  return after(removed)
end

-- Time between the end of a shared pass and the beginning of the next pass, in microseconds.
repair.PAUSE = 60 * 1000000

-- The cursor at which the shared pass continues, or nil while no pass is due. A pass is due after the clock was set
-- back.
function repair.shared_cursor()
  local pass = redis.call('HGET', namespace.key('suspects', repair.queue), 'pass') or ''
  local ended = tonumber(string.match(pass, '^done (%d+)$'))
  if not ended then
    return pass
  end
  local since = namespace.now_us - ended
  return (since >= repair.PAUSE or since < 0) and '' or nil
end

-- Stores the cursor at which the shared pass continues.
function repair.share(after)
  local pass = after ~= '' and after or string.format('done %.0f', namespace.now_us)
  repair.write('HSET', namespace.key('suspects', repair.queue), 'pass', pass)
end

-- Removes suspicions that proved wrong.
-- @hot
function repair.suspects(cursor, limit, grace)
  local suspects = namespace.key('suspects', repair.queue)
  local right = repair.score(grace)
  local page = redis.call('HSCAN', suspects, cursor, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local field = page[2][i]
    local listener, id = string.match(field, '^(%S+) (%S+)$')
    local holder, orphan = string.match(field, '^claim (%S+) (%S+)$')
    local settled = right and field ~= 'pass'
    if orphan then
      local task = record.find(orphan, 'reclaimed_node')
      settled = not task or task.extra[1] or not repair.confirmed(task, holder) or repair.registered(holder)
    elseif listener == 'due' then
      local task = record.find(id)
      settled = not task or task.status ~= 'scheduled'
        or redis.call('ZSCORE', namespace.key('scheduled_tasks', repair.queue), id)
        or redis.call('ZSCORE', namespace.key('scheduled_lane_tasks', repair.queue), id)
    elseif id then
      local task = record.find(id)
      settled = not task or repair.confirmed(task, listener)
        or not redis.call('LPOS', namespace.key('reserved_tasks', repair.queue .. '_' .. listener), id)
    end
    if settled then
      repair.write('HDEL', suspects, field)
    end
  end
  return page[1]
end

-- @hot
function repair.finish()
  if #repair.moves > 0 then
    state.plan({ id = '', status = 'pending', queue = repair.queue, foreign = true, from_end = -1 }, 'pending')
    for _, task in ipairs(repair.moves) do
      history.plan(task, 'pending')
      tracking.plan_note(task)
      task.tracked = tracking.has(task)
    end
  end
  if #repair.entering > 0 then
    wakeups.plan(repair.queue)
  end
  namespace.begin()
  if repair.leased then
    namespace.advance_clock(namespace.now_us)
  end
  for _, task in ipairs(repair.moves) do
    task.front, task.forget = true, { 'token', 'lease', 'request', record.attempt_fields() }
    state.move(task, 'pending', 'repair', '', 'front', '1')
  end
  for _, command in ipairs(repair.writes) do
    redis.call(unpack(command))
  end
  for _, plan in ipairs(repair.readied) do
    edge_end.meet(nil, plan)
    state.follow(plan)
  end
  for _, one in ipairs(repair.sets) do
    at_least.write(one.id, one.set)
  end
  for _, task in ipairs(repair.entering) do
    ranking.add(task)
  end
  for _, ghost in ipairs(repair.discarded) do
    ranking.discard(repair.queue, ghost)
  end
  for _, ended in ipairs(repair.freed) do
    held_places.release(repair.queue, ended.id, ended.token)
  end
  if #repair.moves + #repair.entering + #repair.freed > 0 then
    wakeups.wake(repair.queue)
  end
  for _, name in ipairs(repair.recounted) do
    shared_turns.wake(name, '')
  end
  for nth = 1, #repair.named, 2 do
    shared_count.set(repair.named[nth], repair.named[nth + 1])
  end
  shared_define.expire(repair.expired)
end

-- The parts of a queue, in the order in which they are examined.
repair.PARTS = ' held started waiting pending scheduled laned' .. contract.PLAIN
  .. 'orders suspects tasks tags groups graphs lanes places unique claims '

-- Time for which an entry must look wrong before it is repaired, in microseconds.
repair.GRACE = 60 * 1000000

-- Examines up to `limit` entries of a part of the queue, and repairs wrong entries. Returns the reply of `repair`.
-- @hot
function repair.step(queue, cursor, limit, grace, shared)
  repair.queue = queue
  local function place(text)
    local part, position = string.match(text == '' and 'held:0' or text, '^(%l+):(%d+)$')
    return part, position, part and #position <= 16 and string.match(repair.PARTS, ' ' .. part .. ' (%l*)')
  end
  local part, position, following = place(cursor)
  if not following then
    reply.fail('BADARG', 'the cursor must be empty or what the previous call returned')
  end
  if shared and cursor ~= '' then
    reply.fail('BADARG', 'the cursor must be empty with shared')
  end

  -- Every key is read with a command of its type before anything is written.
  namespace.probe('HLEN', namespace.key('suspects', repair.queue))
  namespace.probe('ZCARD', namespace.key('tasks', repair.queue))
  if shared then
    local goes_on = namespace.is_queue(queue) and repair.shared_cursor()
    if not goes_on then
      return { '', 0, 0 }
    end
    part, position, following = place(goes_on)
    if not following then
      part, position, following = place('')
    end
  end
  local after
  if part == 'held' then
    after = repair.held(position, limit, grace)
  elseif part == 'started' then
    after = repair.started(position, limit)
  elseif part == 'orders' then
    after = repair.orders(position, limit)
  elseif part == 'suspects' then
    after = repair.suspects(position, limit, grace)
  elseif part == 'tasks' then
    after = repair.tasks(position, limit, grace)
  elseif part == 'tags' or part == 'groups' then
    after = repair.labels(part, tonumber(position), limit)
  elseif part == 'graphs' then
    after = repair.graphs(position, limit, shared)
  elseif part == 'lanes' then
    after = repair.lanes(position, limit)
  elseif part == 'places' then
    after = repair.places(position, limit, shared)
  elseif part == 'unique' then
    after = repair.unique(position, limit)
  elseif part == 'claims' then
    after = repair.claims(position, limit)
  else
    after = repair.list(part == 'laned' and 'scheduled_lane' or part, position, limit)
  end
  if after ~= '0' then
    after = part .. ':' .. after
  else
    after = following ~= '' and following .. ':0' or ''
  end
  if shared then
    repair.share(after)
  end
  repair.finish()
  return { after, repair.repaired, repair.suspected, unpack(repair.valid_claims) }
end
