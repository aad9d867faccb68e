-- Retries a failed or cancelled task, in its queue or in another queue.
local retrying = {}

-- Retries a failed or cancelled task. `spec.elsewhere`: `plan_elsewhere`, if the task may run again in `spec.queue`.
function retrying.plan(task, spec)
  if (task.status == 'pending' or task.status == 'waiting') and task.extra[1] == 'retry' then
    return -- repeated after a lost reply
  elseif record.held(task) and task.cancel then
    return retrying.stopping(task)
  elseif task.status ~= 'failed' and task.status ~= 'cancelled' and not (spec.reruns and task.status == 'complete') then
    return actions.refuse(task, 'failed or cancelled')
  elseif spec.elsewhere and spec.queue ~= task.queue then
    return spec.elsewhere(task, spec)
  elseif not actions.unique(task, spec) then
    return 'DUPLICATE', holdings.TAKEN
  end
  if task.flags and string.find(task.flags, 'w', 1, true) then
    local code, text = (spec.look or edge_retry.plan_retry)(task, spec)
    if code then
      return code, text
    end
  end
  if task.flags or spec.deadline then
    local code, text = deadlines.plan_retry(task, spec.deadline)
    if code then
      return code, text
    end
  end
  if task.flags and not spec.walks and string.find(task.flags, 'g', 1, true) then
    holdings.load(task)
    graphs.plan_repair(task)
  end
  if task.extra[6] then
    schedules.again(task, task.extra[6])
  end
  actions.plan(task, task.again_edges and task.again_edges.to or 'pending', spec)
end

-- Plans a retry in another queue. A task that waited for others, or is part of a graph, is retried only in its own
-- queue.
function retrying.plan_elsewhere(task, spec)
  if task.flags and string.find(task.flags, '[gw]') then
    return 'STATE', 'the task waited for others, or is a part of a graph: retry it in its queue'
  end
  local code, text = moving.destination(spec)
  if code then
    return code, text
  end
  code, text = deadlines.plan_retry(task)
  if code then
    return code, text
  end
  code, text = moving.plan_entry(task, 'pending', spec)
  if not code and task.extra[6] then
    schedules.again(task.other, task.extra[6])
    task.again = task.other.again
  end
  return code, text
end

-- Refuses to give a task whose program may still run to another owner. The text contains the time until which it may
-- run.
function retrying.stopping(task)
  local deadline = tonumber(redis.call('ZSCORE', namespace.key('leases', task.queue), record.lease(task)) or nil)
  local till = deadline and orders.of(task) == 'kill' and 'until ' .. namespace.decimal(deadline)
      .. ' at the latest'
    or 'until its owner has stopped it'
  return 'STOPPING', 'the task is being cancelled and its program may still run, ' .. till
    .. ': repeat the call then'
end

function retrying.retry(task, spec)
  task.forget = { 'error', 'group', 'last_error', 'last_group', 'reason', 'cause', 'discard', 'cascade', 'front',
    'uncounted', 'stalled_losses', record.attempt_fields() }
  if spec.fresh then
    -- With `ended`, a worker finds data of the previous attempt on its host.
    reply.add(task.forget, 'checkpoint', 'checkpointed', 'ended')
  end
  if spec.reruns then
    reply.add(task.forget, 'result', 'readied')
  end
  if task.extra[5] then
    reply.add(task.forget, 'eta', 'retry_eta')
  end
  local stale = { 'failures', '0', 'losses', '0', 'releases', '0', 'outcome', 'retry' }
  if task.token ~= '' then
    -- A client without scripts ended the attempt and did not remove its fields.
    reply.add(stale, 'ended', task.token)
    reply.add(task.forget, 'token', 'lease', 'request')
  end
  if task.new_end then
    reply.add(stale, 'deadline', task.new_end, 'flags', task.flags)
  end
  reply.add(stale, unpack(task.bind or {}))
  if task.other then
    task.other.forget, task.forget = task.forget, nil
    moving.arrive(task, spec, 'retry', unpack(stale))
  else
    state.move(task, task.to, 'retry', '', unpack(stale))
    spec.wakes = task.queue
  end
  if task.again_edges then
    (spec.wait or edge_retry.retry)(task)
  end
  if task.repairs then
    graphs.begin_walk(task.graph, 'repair')
  end
  if task.again then
    schedules.remember(task)
  end
end
