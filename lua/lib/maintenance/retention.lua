-- Retention: deletes the finished tasks and the logs of a queue that are old enough.
local retention = {}

-- Maximum number of logs that a call examines.
retention.LOGS = 100

-- Maximum number of tasks with needed results that a call passes over.
retention.KEPT = 100

-- Deletes up to `limit` finished tasks. `options`: `keep` and `seconds`, in place of the settings. Returns the reply of
-- `prune`. The table `pass` has, for each state, the number of chosen tasks (`taken`) and the oldest other task
-- (`tails`). It also has the tasks to delete (`gone`).
-- @hot
function retention.prune(queue, limit, options)
  local keep = options.keep or tonumber(settings.get(queue, 'keep'))
  local oldest = namespace.now_us - (options.seconds or settings.get(queue, 'retain') * 1000000)
  local pass = { queue = queue, total = 0, taken = {}, tails = {}, kept = 0, untold = {}, gone = {} }
  for _, kind in ipairs(contract.ENDS) do
    pass.total, pass.taken[kind] = pass.total + namespace.probe('LLEN', namespace.key(kind .. '_tasks', queue)), 0
    retention.find_tail(pass, kind)
  end
  local more = retention.choose(pass, limit, keep, oldest)
  local spared = retention.plan(pass)
  local expired = holdings.expired_names(queue, limit)
  if pass.untold[1] then
    namespace.probe('ZCARD', edges.deferred())
  end
  local aged = logs.look(retention.LOGS, 0, spared)
  namespace.begin()
  holdings.release_expired_names(queue, expired)
  retention.delete(pass)
  for _, id in ipairs(pass.untold) do
    redis.call('ZADD', edges.deferred(), 'NX', namespace.now, id)
  end
  logs.free(aged)
  return { #pass.gone, more }
end

-- Finds the oldest task of a state that is not taken. Passes over tasks whose results are needed.
-- @hot
function retention.find_tail(pass, kind)
  local task, needed, waits
  repeat
    local id = redis.call('LINDEX', namespace.key(kind .. '_tasks', pass.queue), -1 - pass.taken[kind])
    task = id and (record.find(id, 'updated') or { id = id, extra = {} })
    needed, waits = edges.is_needed(task or {})
    if needed then
      pass.taken[kind], pass.kept = pass.taken[kind] + 1, pass.kept + 1
      pass.untold[#pass.untold + 1], task = waits and id or nil, nil
    end
  until not needed or pass.kept > retention.KEPT
  pass.tails[kind] = task and { task = task, at = tonumber(task.extra[1] or 0) * 1000000 }
end

-- Chooses the oldest tasks, beyond `keep` tasks or older than `oldest`. Returns 1 if more must be deleted, else 0.
-- @hot
function retention.choose(pass, limit, keep, oldest)
  local tails = pass.tails
  while true do
    local kind
    for _, candidate in ipairs(contract.ENDS) do
      if tails[candidate] and (not kind or tails[candidate].at < tails[kind].at) then
        kind = candidate
      end
    end
    if not kind or pass.total - #pass.gone <= keep and tails[kind].at >= oldest then
      return 0
    elseif #pass.gone == limit then
      return 1
    end
    local task = tails[kind].task
    task.kind, task.from_end = kind, -1
    pass.gone[#pass.gone + 1], pass.taken[kind] = task, pass.taken[kind] + 1
    retention.find_tail(pass, kind)
  end
end

-- Returns the ids of the chosen tasks, whose logs the deletion handles.
-- @hot
function retention.plan(pass)
  local planned, spared = {}, {}
  for _, task in ipairs(pass.gone) do
    spared[task.id] = true
    task.ours = task.status == task.kind and task.queue == pass.queue
    if task.ours and planned[task.kind] and not task.flags then
      state.plan_own(task, 'deleted')
    elseif task.ours then
      planned[task.kind] = planned[task.kind] or not task.flags
      state.plan(task, 'deleted')
    end
  end
  return spared
end

-- @hot
function retention.delete(pass)
  for _, task in ipairs(pass.gone) do
    if task.ours then
      state.move(task, 'deleted', 'prune', '')
    else
      -- A client without scripts deleted the task.
      redis.call('LREM', namespace.key(task.kind .. '_tasks', pass.queue), -1, task.id)
      if task.queue == '' then
        redis.call('UNLINK', task.key) -- and updated the record later
      end
    end
  end
end
