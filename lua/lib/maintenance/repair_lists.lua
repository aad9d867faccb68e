-- Repair of the indexes of tasks: the lists and sets of the states, all tasks of the queue, and ranked tasks.
local repair_lists = {}

-- Adds a failure that a client without scripts recorded to its group.
-- @hot
function repair_lists.group(pass, task)
  local group = task.extra[2] or ''
  local key = groups.key(pass.queue, group)
  if not redis.call('ZSCORE', key, task.id) then
    local counts = namespace.key('groups', pass.queue)
    namespace.probe('ZCARD', counts)
    fixes.fix(pass, 'ZADD', key, tonumber(task.extra[1]) or 0, task.id)
    fixes.write(pass, 'ZADD', counts, 'NX', 1, group) -- `labels` sets the count
  end
end

-- Moves a ranked task out of the plain list or set, where a client without scripts or an operator put it.
-- @hot
function repair_lists.strayed(pass, task, key, status)
  if not task.flags or not string.find(task.flags, 'r') then
    return false
  elseif status == 'scheduled' then
    fixes.fix(pass, 'ZADD', namespace.key('scheduled_ranked_tasks', pass.queue),
      redis.call('ZSCORE', key, task.id), task.id)
    fixes.write(pass, 'ZREM', key, task.id)
    return true
  elseif status ~= 'pending' then
    return false
  end
  holdings.load(task)
  fixes.fix(pass, 'LREM', key, 1, task.id)
  if not task.rank then
    ranking.plan(task)
    pass.entering[#pass.entering + 1] = task
  end
  return true
end

-- Repairs the entries of an ended task. A client without scripts that ended the task leaves its orders, its deadline
-- and its queued rerun.
-- @hot
function repair_lists.ended(pass, task)
  if task.cancel then
    fixes.fix(pass, 'HDEL', task.key, 'cancel')
  end
  if deadlines.has(task) then
    fixes.no_deadline(pass, task.id)
  end
  if queued_round.has(task) and not redis.call('ZSCORE', edges.deferred(), task.id) then
    fixes.fix(pass, 'ZADD', edges.deferred(), namespace.now, task.id)
  end
  if task.status == 'failed' then
    repair_lists.group(pass, task)
  end
end

-- Repairs the index of a state. `part`: the state, or `ranked` for ranked scheduled tasks.
-- @hot
function repair_lists.list(pass, position, part)
  local ranked = part == 'ranked'
  local status = ranked and 'scheduled' or part
  local zset = status == 'scheduled' or status == 'waiting'
  local key = namespace.key(ranked and 'scheduled_ranked_tasks' or status .. '_tasks', pass.queue)
  local ids, after = fixes.page(pass, key, zset and 'ZRANGE' or 'LRANGE', position)
  local removed, seen = 0, {}
  for _, id in ipairs(ids) do
    local task = fixes.find(pass, id)
    if task and not seen[id] and task.status == status and task.queue == pass.queue then
      seen[id] = true -- two clients without scripts may have ended the task, and each added it to the list
      fixes.index(pass, task)
      if not ranked and repair_lists.strayed(pass, task, key, status) then
        removed = removed + 1
      end
      if contract.is_final(status) then
        repair_lists.ended(pass, task)
      elseif status == 'waiting' then
        repair_graphs.upstreams(pass, task)
        if at_least.has(task) then
          repair_graphs.set(pass, task)
        end
      end
    else
      removed = removed + 1
      if not task then
        fixes.gone(pass, id)
      end
      if zset then
        fixes.fix(pass, 'ZREM', key, id)
      else
        fixes.fix(pass, 'LREM', key, 1, id)
      end
    end
  end
  return after(removed)
end

-- Restores or corrects the entry of a deadline. A task whose owner was ordered to stop needs no entry.
-- @hot
function repair_lists.deadline(pass, task)
  if not deadlines.has(task) or contract.is_final(task.status) or task.cancel then
    return
  end
  local end_by = redis.call('HGET', task.key, 'deadline')
  if end_by and tonumber(redis.call('ZSCORE', holdings.deadlines(), task.id) or -1) ~= tonumber(end_by) then
    fixes.fix(pass, 'ZADD', holdings.deadlines(), end_by, task.id)
  end
end

-- Restores the entry of a scheduled task. A client without scripts removes a task from the set, and then updates it.
-- @hot
function repair_lists.due(pass, task)
  local ranked = task.flags and string.find(task.flags, 'r', 1, true)
  local set = namespace.key(ranked and 'scheduled_ranked_tasks' or 'scheduled_tasks', pass.queue)
  if not redis.call('ZSCORE', set, task.id) and fixes.overdue(pass, 'due ' .. task.id, task.extra[1] or '') then
    fixes.fix(pass, 'ZADD', set, task.extra[6] or namespace.now, task.id)
  end
end

-- Repairs the index of all tasks, and finds tasks that are missing in the index of their state.
-- @hot
function repair_lists.tasks(pass, position)
  local key = namespace.key('tasks', pass.queue)
  local ids, after = fixes.page(pass, key, 'ZRANGE', position)
  local removed = 0
  for _, id in ipairs(ids) do
    local task = fixes.find(pass, id)
    if task and task.queue == pass.queue then
      repair_lists.deadline(pass, task)
    end
    if not task then
      removed = removed + 1
      fixes.fix(pass, 'ZREM', key, id)
      fixes.gone(pass, id)
    elseif task.queue ~= pass.queue then
      removed = removed + 1
      fixes.fix(pass, 'ZREM', key, id)
    elseif task.node ~= '' and record.held(task) then
      -- The client's pop was undone after the grace period, and the client then updated the record.
      local list = namespace.key('reserved_tasks', task.queue .. '_' .. task.node)
      if not redis.call('LPOS', list, id) then
        fixes.fix(pass, 'LPUSH', list, id)
      end
    elseif task.status == 'scheduled' then
      repair_lists.due(pass, task)
    elseif task.status == 'waiting' and not redis.call('ZSCORE', namespace.key('waiting_tasks', task.queue), id) then
      fixes.fix(pass, 'ZADD', namespace.key('waiting_tasks', task.queue), namespace.now, id)
    end
  end
  return after(removed)
end

-- Repairs the index of ranked tasks, which are in no list. If a task is changed while a client without scripts pops it,
-- its entry stays after its end; such an entry is removed.
-- @hot
function repair_lists.ranking(pass, position)
  local members, after = fixes.page(pass, namespace.key('pending_ranked_tasks', pass.queue), 'ZRANGE', position)
  for _, member in ipairs(members) do
    local rank, id = string.match(member, '^(%S+) (%S+)$')
    local task = fixes.find(pass, id or '')
    local own = task and task.queue == pass.queue
    if own then
      fixes.index(pass, task)
    end
    if not own or contract.is_final(task.status) then
      repair_lists.plan_discard(pass, own and task or { id = id }, rank, member)
    end
  end
  return after(#pass.discarded)
end

-- Plans `ranking.discard` for a task that is not pending.
function repair_lists.plan_discard(pass, task, rank, member)
  if task.status then
    holdings.load(task)
  end
  task.rank = rank
  local ghost = { key = task.fair_key, number = needs.number(pass.queue, needs.class(task)) or '',
    member = task.fair_key and ranking.member(task) or member }
  ranking.plan_discard(pass.queue, ghost)
  pass.discarded[#pass.discarded + 1] = ghost
  pass.repaired = pass.repaired + 1
end
