-- Retention: deletes the finished tasks and the logs of a queue that are old enough.
local retention = {}

-- Maximum number of logs that a call examines.
retention.LOGS = 100

-- Maximum number of tasks with needed results that a call passes over.
retention.KEPT = 100

-- Deletes up to `limit` finished tasks. `options`: `keep` and `seconds`, in place of the settings. Returns the reply of
-- `prune`.
-- @hot
function retention.prune(queue, limit, options)
  local KINDS = contract.ENDS
  local keep = options.keep or tonumber(settings.get(queue, 'keep'))
  local oldest = namespace.now_us - (options.seconds or settings.get(queue, 'retain') * 1000000)

  local total, taken, tails, kept, untold = 0, {}, {}, 0, {}
  local function tail(kind)
    local task, needed, waits
    repeat
      local id = redis.call('LINDEX', namespace.key(kind .. '_tasks', queue), -1 - taken[kind])
      task = id and (record.find(id, 'updated') or { id = id, extra = {} })
      needed, waits = edges.is_needed(task or {})
      if needed then
        taken[kind], kept = taken[kind] + 1, kept + 1
        untold[#untold + 1], task = waits and id or nil, nil
      end
    until not needed or kept > retention.KEPT
    tails[kind] = task and { task = task, at = tonumber(task.extra[1] or 0) * 1000000 }
  end
  for _, kind in ipairs(KINDS) do
    total = total + namespace.probe('LLEN', namespace.key(kind .. '_tasks', queue))
    taken[kind] = 0
    tail(kind)
  end

  local gone, more = {}, 0
  while true do
    local kind
    for _, candidate in ipairs(KINDS) do
      if tails[candidate] and (not kind or tails[candidate].at < tails[kind].at) then
        kind = candidate
      end
    end
    if not kind or (total - #gone <= keep and tails[kind].at >= oldest) then
      break
    end
    if #gone == limit then
      more = 1
      break
    end
    local task = tails[kind].task
    task.kind, task.from_end = kind, -1
    gone[#gone + 1] = task
    taken[kind] = taken[kind] + 1
    tail(kind)
  end

  local planned, spared = {}, {}
  for _, task in ipairs(gone) do
    spared[task.id] = true
    task.ours = task.status == task.kind and task.queue == queue
    if task.ours and planned[task.kind] and not task.flags then
      state.plan_own(task, 'deleted')
    elseif task.ours then
      planned[task.kind] = planned[task.kind] or not task.flags
      state.plan(task, 'deleted')
    end
  end
  local expired = holdings.expired_names(queue, limit)
  if untold[1] then
    namespace.probe('ZCARD', edges.deferred())
  end
  local aged = logs.look(retention.LOGS, 0, spared)
  namespace.begin()
  holdings.release_expired_names(queue, expired)
  for _, task in ipairs(gone) do
    if task.ours then
      state.move(task, 'deleted', 'prune', '')
    else
      -- A client without scripts deleted the task.
      redis.call('LREM', namespace.key(task.kind .. '_tasks', queue), -1, task.id)
      if task.queue == '' then
        redis.call('UNLINK', task.key) -- and updated the record later
      end
    end
  end
  for _, id in ipairs(untold) do
    redis.call('ZADD', edges.deferred(), 'NX', namespace.now, id)
  end
  logs.free(aged)
  return { #gone, more }
end
