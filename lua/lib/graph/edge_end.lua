-- Effects of the end of a task on its dependents. `state.follow` changes the states of the dependents.
local edge_end = {}

-- Maximum bytes of results that a call reads for dependents while it ends attempts. `run_deferred` passes on further
-- results.
edge_end.AT_END = 262144

-- Bytes of an upstream's error that are copied to the errors of its dependents.
edge_end.ERROR = 256

-- Returns the number of open upstreams of a task, and the id of one of them, or nil. For a task with a set of
-- upstreams, also returns the counts of the set.
function edge_end.open(id, flags)
  local key = edges.upstreams(id)
  local open = redis.call('HLEN', key)
  if flags and string.find(flags, 'k', 1, true) then
    return at_least.open(id, open)
  end
  return open, redis.call('HSCAN', key, '0', 'COUNT', 1)[2][1]
end

-- Returns an upstream that failed or was cancelled and whose retry the task waits for, or nil. Checks at most the first
-- `edges.INLINE` upstreams.
function edge_end.holding(id)
  for i, edge in ipairs(edges.read(id, edges.INLINE)) do
    if i <= edges.INLINE and edge.kind ~= 'some' and redis.call('ZSCORE', edges.dependents(edge.id), id) == 'inf'
      and contract.is_final(redis.call('HGET', namespace.key('task', edge.id), 'status')) then
      return edge.id
    end
  end
end

-- Plans the effects of the end of a task on its dependents. Sets `task.deferred` if `run_deferred` must do the work:
-- there are too many dependents, their results are too long, the caller requires it (`task.later`), or the task ended
-- without success and is queued for a rerun. `task.result`: the result of a complete task.
function edge_end.plan_end(task, to)
  local key = namespace.declare(edges.dependents(task.id))
  local ids = redis.call('ZRANGEBYSCORE', key, '(0', '+inf', 'LIMIT', 0, edges.INLINE + 1 + (task.knowing or 0))
  local number = #ids - (task.knowing or 0)
  if number <= 0 then
    return
  elseif task.later or number > edges.INLINE or edge_end.is_much(task.id, ids, #(task.result or ''))
    or to ~= 'complete' and task.graph and graphs.is_rerun(task.graph, task.id) then
    namespace.probe('ZCARD', edges.deferred())
    task.deferred = true
    return
  end
  edge_end.plan_page(task, to, ids)
end

-- Returns true if `run_deferred` must pass on the result of a task, because the results that this call passes on to
-- dependents are too long. A dependent that takes no result does not matter. Otherwise counts the result.
function edge_end.is_much(id, ids, length)
  local told = namespace.shared('told')
  local looked, copied = (told.looked or 0) + length, (told.copied or 0) + #ids * length
  if length <= json.SHORT and looked <= edge_end.AT_END and copied <= edges.COPIES then
    told.looked, told.copied = looked, copied
    return false
  end
  for _, other in ipairs(ids) do
    if string.find(redis.call('HGET', namespace.declare(edges.upstreams(other)), id) or '', '/', 1, true) then
      return true -- this edge takes the result; other edges need only the end of the task
    end
  end
  return false
end

-- Returns the next dependents that were not notified of the end of a task. The dependents that a failed or cancelled
-- task holds have been notified.
function edge_end.untold(id, to, limit)
  local most = (to == 'failed' or to == 'cancelled') and '(inf' or 'inf'
  return redis.call('ZRANGEBYSCORE', namespace.declare(edges.dependents(id)), '(0', most, 'LIMIT', 0, limit)
end

-- Sets `task.edge_keys`: the keys with the edges of a task that is deleted. The index of its dependents stays until
-- they have been notified.
function edge_end.plan_removal(task)
  local dependents = namespace.declare(edges.dependents(task.id))
  task.edge_keys = { namespace.declare(edges.upstreams(task.id)), namespace.declare(edges.inputs(task.id)),
    namespace.declare(fan_in.key(task.id)) }
  local all, waiting = edges.waiting(task.id)
  if all == 0 then
    task.edge_keys[4] = dependents
  elseif waiting > 0 and contract.is_final(task.status) then
    namespace.probe('ZCARD', edges.deferred())
    task.deferred = true -- for dependents that it held, or that were not notified
  end
end

-- Plans the cascade at the end of a waiting task of a graph: `run_deferred` then cancels the upstreams that no other
-- task needs.
function edge_end.plan_cascade(task)
  local known = task.broken and 1 or 0 -- the broken edge leads to a task that has ended
  local upstreams = namespace.declare(edges.upstreams(task.id))
  if graphs.on_failure(task.graph) == 'cancel' and redis.call('HLEN', upstreams) > known then
    namespace.probe('ZCARD', edges.deferred())
    task.deferred, task.cascades = true, true
  end
end

function edge_end.plan_page(task, to, ids)
  task.dependents = {}
  for i, id in ipairs(ids) do
    task.dependents[i] = edge_end.plan_one(task, to, id)
  end
end

function edge_end.plan_one(up, to, id)
  local task = record.find(id, edges.fields())
  local key = namespace.declare(edges.upstreams(id))
  local kind, mark, slots = edges.parse(redis.call('HGET', key, up.id))
  local plan = { id = id, met = not kind or edges.is_met(kind, to, up.flags, task and task.queue) }
  local is_skipped = graphs.outcome(to, up.flags) == 'skipped'
  if not task or task.status ~= 'waiting' or not kind then
    plan.kept = task and kind and contract.is_final(task.status) -- the dependent may be retried
    plan.staged = not task and kind and redis.call('HGET', namespace.key('task', id), 'graph')
    if plan.staged then
      up.awaited = true
      namespace.probe('ZCARD', edges.deferred())
      namespace.declare(graphs.outside(plan.staged))
    end
    return plan
  end
  if at_least.has(task) then
    plan.set = at_least.read(id)
  end
  if kind == 'some' then
    at_least.plan_end(plan, task, up, to, mark, slots)
    if plan.missed then
      return plan
    end
  elseif not plan.met and not is_skipped and edges.is_repairable(kind, to)
    and graphs.on_failure(task.extra[5]) == 'hold' then
    plan.held = true
    return plan
  end
  plan.task = task
  task.later = true -- its own dependents are left to `run_deferred`: the chain may be long
  if not plan.met then
    plan.skips = is_skipped or kind == 'failure'
    task.flags = (task.flags or '') .. (plan.skips and 'x' or '')
    plan.to, task.group, task.broken = plan.skips and 'cancelled' or 'failed', 'upstream', true
    return plan
  end
  local open = redis.call('HLEN', key)
  plan.last = plan.ready or open == 1
  if plan.set and not plan.ready then
    plan.last = at_least.is_ready(plan.set, open - 1)
  end
  namespace.declare(edges.inputs(id))
  local number, bytes
  if plan.last or slots ~= '' then
    number, bytes = edges.input_size(id)
  end
  if slots ~= '' and not plan.ready then
    edge_end.plan_input(plan, up, to, slots, bytes)
  end
  if plan.last and not plan.wrong then
    edge_end.plan_ready(plan, number or 0, plan.bytes or bytes)
  end
  return plan
end

-- Plans how a task becomes ready. `plan.to` is its next state; `state.plan_follow` plans that transition.
-- `slots`: the number of slots of its input; `bytes`: the total length of its results.
function edge_end.plan_ready(plan, slots, bytes)
  local task = plan.task
  plan.joins = fan_in.is_long(plan.id, slots, bytes)
  if plan.joins then
    return
  end
  local eta, front, ended, retry_eta = unpack(task.extra, 1, 4)
  plan.to = tonumber(eta or 0) * 1000000 > namespace.now_us and 'scheduled' or 'pending'
  task.eta = eta
  if plan.to == 'pending' then
    task.front, task.turn = front and true, front and tonumber(ended) -- the key of the task had its turn at that time
    task.forget = retry_eta and { 'eta', 'retry_eta' } or nil
  end
  if slots > 0 then
    plan.joined, plan.lengths = fan_in.list(fan_in.collect(edges.inputs(plan.id), slots, plan), slots)
  end
end

-- Plans what the end of an upstream adds to the input of a task: the result, or `null` if the upstream is not complete.
-- Sets `plan.wrong` if the task cannot take the result.
function edge_end.plan_input(plan, up, to, slots, bytes)
  local result = to == 'complete' and up.result or ''
  plan.slots, plan.text = edges.slots(slots), edges.element(result)
  plan.bytes = bytes + #plan.text * #plan.slots
  if up.json == nil then
    up.json = result == '' or json.decodes(result)
  end
  local over = edges.over(plan.task.queue, plan.bytes)
  if not up.json then
    plan.wrong = 'is not JSON'
  elseif over then
    plan.wrong = 'brings the inputs of this task ' .. over
  elseif graphs.counted(#plan.text) > 0 and plan.task.extra[5] then
    plan.graph, plan.grows = plan.task.extra[5], #plan.text * #plan.slots
    if not graphs.has_room(plan.graph, plan.grows) then
      plan.wrong = 'brings the inputs of its graph over ' .. graphs.most() .. ' bytes, the setting graph_bytes'
    end
  end
  if plan.wrong then
    plan.to, plan.task.group, plan.task.broken = 'failed', 'input', true
  end
end

-- Updates the edges from a task that has ended to its dependents. The plan of a dependent that changes its state gets
-- `why`, and `fields` for its record; `state.follow` then moves the dependent to its next state, `to`.
function edge_end.propagate(task)
  if task.deferred then
    redis.call('ZADD', edges.deferred(), namespace.now, task.id)
  end
  if task.cascades then
    redis.call('HSET', task.key or namespace.key('task', task.id), 'cascade', '0')
  end
  local told
  for _, plan in ipairs(task.dependents or {}) do
    if plan.kept then
      redis.call('ZADD', edges.dependents(task.id), '-' .. namespace.now, plan.id)
    elseif plan.staged then
      edge_end.postpone(task, plan)
    elseif plan.held then
      redis.call('ZADD', edges.dependents(task.id), 'inf', plan.id)
    elseif plan.missed then
      at_least.miss(task, plan)
    elseif plan.task and not plan.met then
      told = told or redis.call('HMGET', task.key or namespace.key('task', task.id), 'status', 'error', 'cause')
      edge_end.fail_with(task, plan, told)
    elseif plan.wrong then
      redis.call('ZADD', edges.dependents(task.id), '-' .. namespace.now, plan.id)
      plan.why, plan.fields = 'input', { 'cause', task.id, 'group', 'input',
        'error', 'the result of ' .. task.id .. ' ' .. plan.wrong }
    else
      edge_end.meet(task, plan)
    end
  end
end

-- Defers the notification of a dependent that is not released yet: the release of its graph checks the edge again.
function edge_end.postpone(up, plan)
  if not up.is_settled then
    redis.call('ZADD', edges.deferred(), namespace.now, up.id)
    return
  end
  redis.call('ZADD', edges.dependents(up.id), '-inf', plan.id)
  redis.call('RPUSH', graphs.outside(plan.staged), up.id .. ' ' .. plan.id)
end

-- Sets the reason and the fields for the end of a dependent whose edge is broken. `told`: status, error and cause of
-- the upstream.
function edge_end.fail_with(up, plan, told)
  local cause = told[3] or up.id
  redis.call('ZADD', edges.dependents(up.id), '-' .. namespace.now, plan.id)
  if plan.skips then
    plan.why, plan.fields = 'upstream', { 'cause', cause, 'flags', plan.task.flags,
      'reason', 'not needed: ' .. up.id .. (told[1] == 'complete' and ' is complete' or ' was skipped') }
    return
  end
  plan.why, plan.fields = 'upstream', { 'cause', cause, 'group', 'upstream',
    'error', (plan.short and at_least.SHORT or '') .. edge_end.error_of(up.id, told) }
end

-- Returns the error of a task that fails because of its upstream. `told`: status, error and cause of the upstream.
function edge_end.error_of(id, told)
  local status = told[1] or 'deleted'
  local text = id .. (status == 'failed' and ' failed' or ' was ' .. status)
  if told[3] then -- the upstream failed because of another task: its error names that cause
    return told[2] or text
  elseif told[2] and told[2] ~= '' then
    return text .. ': ' .. string.sub(told[2], 1, edge_end.ERROR)
  end
  return text
end

-- Removes an edge that is met, if `up` is given, and stores the result in the input of the dependent. After the last
-- edge, sets `plan.why` and `plan.fields` for `state.follow`, because the dependent is ready.
function edge_end.meet(up, plan)
  if up then
    redis.call('ZREM', edges.dependents(up.id), plan.id)
    redis.call('HDEL', edges.upstreams(plan.id), up.id)
  end
  if plan.grows then
    redis.call('HINCRBY', graphs.key(plan.graph), 'bytes', plan.grows)
  end
  if not plan.task then
    return
  elseif plan.set and plan.to then
    at_least.drop(plan.id)
  elseif plan.set and not plan.joins then
    at_least.write(plan.id, plan.set)
  end
  if plan.joined then
    redis.call('UNLINK', edges.inputs(plan.id))
    plan.why = 'ready'
    plan.fields = { 'readied', record.time(plan.task), 'parameters', plan.joined, 'slots', plan.lengths }
  elseif plan.to then
    plan.why, plan.fields = 'ready', { 'readied', record.time(plan.task) }
  elseif plan.slots then
    for _, slot in ipairs(plan.slots) do
      redis.call('HSET', edges.inputs(plan.id), slot, plan.text)
    end
    redis.call('HSET', edges.inputs(plan.id), 'bytes', plan.bytes)
  end
  if plan.joins then
    fan_in.begin(plan.id)
  end
end
