-- Fixes: what a call of `repair` has found to correct. `pass` is the table of the call: the `queue`, the `limit` of
-- entries, the `grace` period, and the fixes so far. A part of the queue adds its fixes, and `finish` writes all of
-- them.
local fixes = {}

-- Begins a call. `shared`: clients share one pass over the queue.
-- @hot
function fixes.begin(queue, limit, grace, shared)
  namespace.require_settled_slot() -- otherwise, what is on the other node would be taken for deleted
  return { queue = queue, limit = limit, grace = grace, shared = shared, repaired = 0, suspected = 0,
    valid_claims = {}, -- for the reply: claimer, id, status, holder and pid of each valid claim
    writes = {}, -- commands
    noted = {}, -- keys of `writes`
    leased = false, -- true if a lease is restored
    moves = {}, -- tasks in the list of a listener that does not hold them, which become pending again
    moved = {}, -- ids of `moves`
    entering = {}, -- ranked tasks that were in the plain list
    readied = {}, -- waiting tasks whose set is satisfied
    sets = {}, -- corrected counts of the sets of waiting tasks
    discarded = {}, -- entries among the ranked tasks without a pending task
    freed = {}, -- attempts that are over but still hold places
    recounted = {}, -- shared limits whose places are corrected
    named = {}, -- shared limits whose number of tasks is corrected, limit and number in turn
    expired = {}, -- shared limits that expire
    unlogged = {}, -- ids of tasks whose log sizes have already been removed
  }
end

-- Adds a write.
-- @hot
function fixes.write(pass, command, key, ...)
  if not pass.noted[key] then
    pass.noted[key] = namespace.declare(key)
  end
  pass.writes[#pass.writes + 1] = { command, key, ... }
end

-- Adds a write that repairs an entry.
-- @hot
function fixes.fix(pass, ...)
  fixes.write(pass, ...)
  pass.repaired = pass.repaired + 1
end

-- Finds a task. A record without a queue was left by a late update of a deleted task, and is removed.
-- @hot
function fixes.find(pass, id)
  local task = record.find(id, 'updated', 'group', 'tags', 'reclaimed_node', 'lease', 'eta')
  if task and task.queue == '' then
    fixes.write(pass, 'UNLINK', task.key)
    return nil
  end
  return task
end

-- Removes the remaining data of a task whose record a client without scripts deleted.
-- @hot
function fixes.gone(pass, id)
  fixes.write(pass, 'UNLINK', namespace.key('history', id), namespace.declare(namespace.key('log', id)),
    namespace.declare(edges.upstreams(id)), namespace.declare(edges.inputs(id)), namespace.declare(fan_in.key(id)))
  fixes.no_deadline(pass, id)
  if redis.call('ZSCORE', tracking.all(), id) then
    fixes.write(pass, 'ZREM', tracking.all(), id)
  end
  local size = not pass.unlogged[id] and logs.size(id)
  if size then
    pass.unlogged[id] = true
    fixes.write(pass, 'UNLINK', namespace.key('logged', id))
    fixes.write(pass, 'ZREM', logs.index(), id)
    fixes.write(pass, 'HINCRBY', namespace.meta, 'logs', -size)
  end
end

-- Removes the deadline entry of a task that a client without scripts ended or removed.
-- @hot
function fixes.no_deadline(pass, id)
  if redis.call('ZSCORE', holdings.deadlines(), id) then
    fixes.fix(pass, 'ZREM', holdings.deadlines(), id)
  end
end

-- Adds a task that a client without scripts created to the index of all tasks.
-- @hot
function fixes.index(pass, task)
  local tasks = namespace.key('tasks', pass.queue)
  if not redis.call('ZSCORE', tasks, task.id) then
    fixes.fix(pass, 'ZADD', tasks, record.created(task.id), task.id)
  end
end

-- Stores a suspicion. Returns true if the entry `field` has been wrong for the whole grace period. During that period
-- the cause may be a client between two of its commands; after it, that client has died. `mark`: the state of the
-- entry; a change starts a new grace period.
-- @hot
function fixes.overdue(pass, field, mark)
  local suspects = namespace.key('suspects', pass.queue)
  local since, before = string.match(redis.call('HGET', suspects, field) or '', '^(%S+) (.*)$')
  if before == mark and tonumber(since) * 1000000 + pass.grace <= namespace.now_us then
    fixes.write(pass, 'HDEL', suspects, field)
    return true
  end
  if before ~= mark then
    fixes.write(pass, 'HSET', suspects, field, namespace.now .. ' ' .. mark)
  end
  pass.suspected = pass.suspected + 1
  return false
end

-- Returns the cursor to continue a part. The cursor `0` means its end, so position 0 is `00`.
-- @hot
function fixes.go_on(position)
  return position == 0 and '00' or string.format('%.0f', position)
end

-- Returns a page of a list or zset by position. Removed entries do not shift the next page.
-- @hot
function fixes.page(pass, key, command, position)
  local from, limit = tonumber(position), pass.limit
  local ids = redis.call(command, key, from, from + limit - 1)
  return ids, function(removed)
    return #ids < limit and '0' or fixes.go_on(from + limit - removed)
  end
end

-- Plans the transitions of `finish`.
-- @hot
function fixes.plan(pass)
  if #pass.moves > 0 then
    state.plan({ id = '', status = 'pending', queue = pass.queue, foreign = true, from_end = -1 }, 'pending')
    for _, task in ipairs(pass.moves) do
      history.plan(task, 'pending')
      tracking.plan_note(task)
      task.tracked = tracking.has(task)
    end
  end
  if #pass.entering > 0 then
    wakeups.plan(pass.queue)
  end
end

-- Writes all fixes.
-- @hot
function fixes.finish(pass)
  fixes.plan(pass)
  namespace.begin()
  if pass.leased then
    namespace.advance_clock(namespace.now_us)
  end
  for _, task in ipairs(pass.moves) do
    task.front, task.forget = true, { 'token', 'lease', 'request', record.attempt_fields() }
    state.move(task, 'pending', 'repair', '', 'front', '1')
  end
  for _, command in ipairs(pass.writes) do
    redis.call(unpack(command))
  end
  for _, plan in ipairs(pass.readied) do
    edge_end.meet(nil, plan)
    state.follow(plan)
  end
  for _, one in ipairs(pass.sets) do
    at_least.write(one.id, one.set)
  end
  for _, task in ipairs(pass.entering) do
    ranking.add(task)
  end
  for _, ghost in ipairs(pass.discarded) do
    ranking.discard(pass.queue, ghost)
  end
  for _, ended in ipairs(pass.freed) do
    held_places.release(pass.queue, ended.id, ended.token)
  end
  if #pass.moves + #pass.entering + #pass.freed > 0 then
    wakeups.wake(pass.queue)
  end
  for _, name in ipairs(pass.recounted) do
    shared_turns.wake(name, '')
  end
  for nth = 1, #pass.named, 2 do
    shared_count.set(pass.named[nth], pass.named[nth + 1])
  end
  shared_define.expire(pass.expired)
end
