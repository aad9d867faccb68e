-- Holdings: everything a task holds besides its entry in the index of its state: a rank, limits, a unique name, tags, a
-- lease of its own. The field `flags` of the record has one letter for each of them, so a task without holdings costs
-- nothing.
local holdings = {}

-- Error messages for a unique name that another task has.
holdings.TAKEN = 'another task has this unique name; get its id with the policy existing, or wait until it ends,'
  .. ' starts, or its time passes'
holdings.TAKEN_THERE = 'another task of the other queue has this unique name'

-- Returns the key with the unfinished tasks by their deadline, except tasks whose owner was ordered to stop.
function holdings.deadlines()
  return namespace.prefix .. 'deadlines'
end

function holdings.load(task)
  if task.bound then
    return
  end
  if not string.find(task.flags, '[^wdgoacnmx]') then -- only edges, a graph, tracking, a rerun, controls, notices
    task.bound, task.tracked = true, string.find(task.flags, 'o', 1, true)
    task.graph = string.find(task.flags, 'g', 1, true)
      and redis.call('HGET', namespace.prefix .. 'task_' .. task.id, 'graph') or nil
    if string.find(task.flags, 'n', 1, true) then
      holdings.load_notify(task)
    end
    return
  end
  local names = { 'priority', 'fair_key', 'weight', 'needs', 'rank', 'unique', 'till', 'tags', 'own_lease', 'exclusive',
    'graph', 'end_by', 'shared' }
  local v = redis.call('HMGET', namespace.prefix .. 'task_' .. task.id,
    'priority', 'key', 'weight', 'needs', 'rank', 'unique', 'unique_until', 'tags', 'own_lease', 'exclusive',
    'graph', 'deadline', 'limits')
  holdings.mark(task)
  for i = 1, #names do
    if v[i] then
      task[names[i]] = v[i]
    end
  end
  if string.find(task.flags, 'n', 1, true) then
    holdings.load_notify(task)
  end
end

function holdings.load_notify(task)
  local key = namespace.prefix .. 'task_' .. task.id
  if not string.find(task.flags, 'm', 1, true) then
    task.notify = redis.call('HGET', key, 'notify') or nil
    return
  end
  local v = redis.call('HMGET', key, 'notify', 'deadline', 'waited')
  task.notify, task.watch = v[1] or nil, watches.of(v[1], v[2], v[3])
end

-- Sets the holdings of a task. `bound`: its holdings, by the names of the fields of `task`.
function holdings.assign(task, bound)
  holdings.mark(task)
  for name, value in pairs(bound) do
    task[name] = value
  end
end

-- Sets the flags of a task from the letters in its `flags`.
-- @inline
function holdings.mark(task)
  task.bound = true
  task.ranked = string.find(task.flags, 'r', 1, true) and true
  task.limited = string.find(task.flags, 'p', 1, true) and true
  task.tracked = string.find(task.flags, 'o', 1, true)
end

-- Returns the task that holds a unique name, the end of its hold, and the interrupted attempt that runs before the next
-- task of this name (see `state_after_release`).
function holdings.name_holders(queue, name)
  local v = redis.call('HMGET', namespace.declare(namespace.key('unique', queue)), name, '/' .. name)
  local id, till = string.match(v[1] or '', '^(%S+) (%S+)$')
  return id, till, string.match(v[2] or '', '^(%S+) ')
end

-- Returns true if a task has the policy `latest`: then its key is its unique name.
function holdings.has_latest_policy(task)
  return task.exclusive and task.unique and task.unique == task.fair_key
end

-- Returns true if a task still holds a unique name that has no expiry, or with `kept` the turn that is stored with the
-- name. A task that a client without scripts ended or deleted does not hold the name, nor does a later task with the
-- same id.
function holdings.still_holds_name(queue, id, name, till)
  local status, where, own = unpack(redis.call('HMGET', namespace.declare(namespace.prefix .. 'task_' .. id),
    'status', 'queue', 'unique'))
  if where ~= queue or own ~= (till == 'kept' and string.sub(name, 2) or name) then
    return false
  end
  return contract.is_waiting(status)
    or till ~= 'kept' and (status == 'reserved' or status == 'started' and till ~= 'start')
end

-- Returns the task, other than this task, that holds its unique name, or nil. A task that a client without scripts
-- ended or deleted does not hold the name, nor does a task that is now in another queue. A name with an expiry is held
-- until its expiry, even if its task has ended or was deleted.
function holdings.name_conflict(task)
  local id, till = holdings.name_holders(task.queue, task.unique)
  if not id or id == task.id then
    return nil
  elseif tonumber(till) then
    return tonumber(till) > namespace.now_us and id or nil
  end
  return holdings.still_holds_name(task.queue, id, task.unique, till) and id or nil
end

-- Returns true if a released attempt was drained and has a checkpoint.
function holdings.drained_at_checkpoint(task, reason)
  if reason ~= 'drain' then
    local given = redis.call('HMGET', namespace.declare(orders.key(task.queue)), 'q', 'l:' .. task.node,
      't:' .. task.id)
    if not given[1] and not given[2] and given[3] ~= 'stop' then
      return false
    end
  end
  return redis.call('HEXISTS', namespace.prefix .. 'task_' .. task.id, 'checkpoint') == 1
end

-- Returns the next state of a task whose attempt is given back: `to`, or `cancelled` if the task has the policy
-- `latest` and a newer task has its name. `reason`: why the attempt is given back. A drained attempt with a checkpoint
-- keeps its turn: the turn is stored with the name, and the task with the name waits for the attempt.
function holdings.state_after_release(task, to, reason)
  if not task.flags or not string.find(task.flags, 'u') then
    return to
  end
  holdings.load(task)
  if not holdings.has_latest_policy(task) then
    return to
  end
  local field = task.queue .. ' ' .. task.unique
  local taken = namespace.shared('taken_names') -- by this call
  local _, _, kept = holdings.name_holders(task.queue, task.unique)
  if reason and not holdings.waiting_attempt(task, kept) and holdings.drained_at_checkpoint(task, reason) then
    task.keeps = true
    return to
  end
  task.replaced = taken[field] or holdings.name_conflict(task)
  if task.replaced and task.replaced == namespace.shared('freed_names')[field] then
    task.replaced = nil -- this call also ends the newer task
  end
  taken[field] = taken[field] or task.id
  return task.replaced and 'cancelled' or to
end

-- Returns the fields with the reason if `state_after_release` cancelled the task.
function holdings.cancel_reason(task)
  if task.replaced then
    return 'reason', 'replaced by ' .. task.replaced
  end
end

-- Returns the interrupted attempt with this id if it belongs to another task that still waits, or nil.
function holdings.waiting_attempt(task, id)
  local other = id and id ~= task.id and record.find(id)
  if other and other.queue == task.queue and contract.is_waiting(other.status) then
    holdings.load(other)
    return other.unique == task.unique and other or nil
  end
end

-- Returns the task as it enters another queue, with its holdings and the rest of its unique name.
function holdings.elsewhere(task, queue, created)
  local other = { id = task.id, key = task.key or namespace.key('task', task.id), queue = queue,
    attempt = task.attempt, since = task.since, flags = task.flags, foreign = true, created = created or '0' }
  if other.flags then
    holdings.load(other)
    other.rank = nil
    other.left = other.watch and { watch = other.watch, status = task.status }
    holdings.transfer_name(task, other)
  end
  return other
end

-- Sets the unique name that a task takes to another queue as `other`, and the expiry of the name. The task takes only a
-- name that it holds. With the policy `latest` a task holds its name while it waits.
function holdings.transfer_name(task, other)
  if not other.unique then
    return
  end
  local id, till = holdings.name_holders(task.queue, other.unique)
  local holds = id == task.id
  if tonumber(other.till) then
    other.ends = holds and tonumber(till) and tonumber(till) > namespace.now_us and till or nil
    holds = other.ends ~= nil
  else
    holds = holds or other.till == 'end' or holdings.has_latest_policy(other) or contract.is_final(task.status)
  end
  other.unique = holds and other.unique or nil
end

-- Returns true if a transition creates a task, ends or removes it, or begins it again.
function holdings.opens_or_closes(task, to)
  return not task.status or contract.is_final(task.status) or contract.is_final(to) or to == 'deleted'
end

function holdings.plan(task, to, taker)
  holdings.load(task)
  local held = task.status == 'reserved' or task.status == 'started'
  if task.ranked and (task.rank or to == 'pending') or task.limited and (held or taker) then
    ranking.plan(task)
  end
  if task.limited and held and taker then
    namespace.require_settled_slot() -- the places of the task are released and taken again
  end
  if task.shared and (taker or held and to ~= 'started') then
    shared_turns.plan(task.shared, not taker and task.queue)
  end
  if task.shared and (holdings.opens_or_closes(task, to) or to == 'moved') then
    holdings.plan_shared(to)
  end
  if task.unique then
    holdings.plan_name(task, to)
  end
  if task.tags and (not task.status or to == 'deleted' or to == 'moved') then
    tags.plan(task.queue, task.tags)
  end
  if to == 'deleted' and string.find(task.flags, '[wd]') then
    edge_end.plan_removal(task)
  end
  if task.graph and task.status and holdings.opens_or_closes(task, to) then
    graphs.plan_end(task, to)
    namespace.probe('ZCARD', graphs.all())
    namespace.declare(graphs.tasks(task.graph))
    namespace.declare(graphs.chosen(task.graph))
    task.bounds = to == 'deleted' and graphs.plan_unlimit(task.graph) or nil
  end
  if task.graph and task.status == 'waiting' and (to == 'failed' or to == 'cancelled') then
    edge_end.plan_cascade(task)
  end
  if task.end_by and holdings.opens_or_closes(task, to) then
    namespace.probe('ZCARD', holdings.deadlines())
  end
  if string.find(task.flags, 'd', 1, true) and task.status and not contract.is_final(task.status)
    and (contract.is_final(to) or to == 'deleted') then
    edge_end.plan_end(task, to)
  end
  if task.tracked then
    tracking.plan()
  end
  if task.watch or task.left then
    namespace.probe('ZCARD', watches.key())
    if task.watch and task.status == 'pending' and to ~= 'pending' then
      notices.plan_late(task)
    end
  end
  if controls.has(task) and to ~= 'started' then
    orders.plan(task.queue)
  end
  if (contract.is_final(to) or to == 'deleted') and string.find(task.flags, 'n', 1, true) then
    notices.plan(task, to)
  end
  if string.find(task.flags, 'a', 1, true) and task.status and (contract.is_final(to) or to == 'deleted') then
    queued_round.plan_end(task, to)
  end
end

function holdings.plan_shared(to)
  if to == 'moved' then
    namespace.require_settled_slot() -- the task is counted again in its new queue
  end
  shared_count.plan()
end

-- Reads the holder of the unique name; `move` does not read it again. Sets `older`: an interrupted attempt that must be
-- cancelled because this task gets the name.
function holdings.plan_name(task, to)
  local taken = record.takes(task, to) and holdings.has_latest_policy(task)
  if (to == 'reserved' or to == 'started') and not taken and not (to == 'started' and task.till == 'start') then
    return
  end
  namespace.probe('HLEN', namespace.key('unique', task.queue))
  if tonumber(task.till) then
    namespace.probe('ZCARD', namespace.key('timed', task.queue))
  end
  task.holder, task.held_till, task.kept = holdings.name_holders(task.queue, task.unique)
  if task.holder == task.id and contract.is_final(to) and not tonumber(task.till) then
    namespace.shared('freed_names')[task.queue .. ' ' .. task.unique] = task.id
  end
  if taken and task.status == 'pending' then
    task.older = holdings.waiting_attempt(task, task.kept)
  end
end

-- Gives a task its unique name. `task.ends`: the expiry of the name, unless the expiry counts from now.
function holdings.take_name(task)
  local unique, till = namespace.key('unique', task.queue), task.till
  if task.keeps then
    redis.call('HSET', unique, '/' .. task.unique, task.id .. ' kept')
    return
  elseif tonumber(till) then
    till = task.ends or string.format('%.0f', namespace.now_us + tonumber(till) * 1000000)
    redis.call('ZADD', namespace.key('timed', task.queue), till, task.unique)
  end
  redis.call('HSET', unique, task.unique, task.id .. ' ' .. till)
end

-- Releases the unique name of a task if the task holds it. A name with an expiry is released only when the task
-- moves to another queue.
function holdings.release_name(task, to)
  local unique, timed = namespace.key('unique', task.queue), tonumber(task.held_till)
  if task.holder == task.id and (not timed or to == 'moved') then
    redis.call('HDEL', unique, task.unique)
    if timed then
      redis.call('ZREM', namespace.key('timed', task.queue), task.unique)
    end
  end
  if task.kept == task.id then
    redis.call('HDEL', unique, '/' .. task.unique)
  end
end

-- Returns unique names that have expired. `free`: no other task has taken the name since then.
function holdings.expired_names(queue, limit)
  namespace.probe('HLEN', namespace.key('unique', queue))
  local timed = namespace.declare(namespace.key('timed', queue))
  local expired = {}
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', timed, '-inf', string.format('%.0f', namespace.now_us),
    'LIMIT', 0, limit)) do
    local _, till = holdings.name_holders(queue, name)
    expired[#expired + 1] = { name = name, free = tonumber(till) and tonumber(till) <= namespace.now_us }
  end
  return expired
end

function holdings.release_expired_names(queue, expired)
  for _, held in ipairs(expired) do
    if held.free then
      redis.call('HDEL', namespace.key('unique', queue), held.name)
    end
    redis.call('ZREM', namespace.key('timed', queue), held.name)
  end
end

-- Updates the unique name of a task after a transition. With the policy `latest` the name is free while the task
-- runs.
function holdings.move_name(task, to)
  local from, latest = task.status, holdings.has_latest_policy(task)
  local back = (from == 'reserved' or from == 'started') and contract.is_waiting(to)
  local ends = contract.is_final(to) or to == 'deleted' or to == 'moved'
  if ends or to == 'started' and task.till == 'start' or latest and record.takes(task, to) then
    holdings.release_name(task, to)
  elseif not from or task.restarts or contract.is_final(from) and not tonumber(task.till)
    or latest and back then
    holdings.take_name(task)
  end
end

-- Removes the flag `x` of a task that is needed again.
function holdings.need(task)
  if string.find(task.flags or '', 'x', 1, true) then
    task.flags = string.gsub(task.flags, 'x', '')
    redis.call('HSET', namespace.prefix .. 'task_' .. task.id, 'flags', task.flags)
  end
end

-- Updates all holdings of a task after a transition.
function holdings.move(task, to)
  if not task.bound then
    return
  end
  local from = task.status
  local held = from == 'reserved' or from == 'started'
  local back = held and task.ranked and to == 'pending'
  if back then
    ranking.add(task) -- before its places are released, so that the turn of its key is not forgotten
  end
  if task.limited and held and to ~= 'started' then
    held_places.release(task.queue, task.id, task.token)
  end
  if task.rank and not back then
    ranking.remove(task, to)
    task.rank = nil
  elseif task.limited and record.takes(task, to) then
    held_places.take(task)
    if task.fair_key then
      fairness.refresh_all(task.queue, task.fair_key)
    end
  end
  if task.ranked and to == 'pending' and not back then
    ranking.add(task)
  end
  if task.shared then
    shared_count.count_task(task, to)
  end
  if task.next_shared then -- the limits of a queued rerun that is removed with the task
    shared_count.count(task.next_shared, -1)
  end
  if task.tags and not from then
    tags.enter(task.queue, task.id, task.created, task.tags)
  elseif task.tags and (to == 'deleted' or to == 'moved') then
    tags.leave(task.queue, task.id, task.tags)
  end
  if task.unique then
    holdings.move_name(task, to)
  end
  if task.end_by and holdings.opens_or_closes(task, to) then
    if contract.is_final(to) or to == 'deleted' or to == 'moved' then
      redis.call('ZREM', holdings.deadlines(), task.id)
    else
      redis.call('ZADD', holdings.deadlines(), task.end_by, task.id)
    end
  end
  if to ~= 'moved' and (task.watch or task.left) then
    local before = task.left or task
    watches.change(task.id, before.watch, before.status, task.watch, to)
  end
  if task.late then
    notices.add_late(task)
  end
  if task.graph then
    graphs.count(task, to)
  end
  if to ~= 'cancelled' and to ~= 'deleted' then
    holdings.need(task)
  end
  if controls.has(task) and to ~= 'started' then
    controls.forget(task, to)
  end
end
