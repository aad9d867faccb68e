-- Interruptions: what becomes of a task whose attempt ended without its owner.
local interruption = {}

-- The next state of a held task: cancelled if that was asked for, failed after too many losses, else `back`, or
-- cancelled if a newer task has replaced it. `known`: its `max_losses`, `losses` and `fruitless` so far.
-- @hot
function interruption.target(task, back, known)
  task.losses, task.fruitless = tonumber(known.losses or 0) + 1, tonumber(known.fruitless or 0) + 1
  if task.cancel then
    return 'cancelled'
  end
  task.group = 'lost'
  if task.losses > tonumber(known.max_losses or settings.get(task.queue, 'max_losses')) then
    return 'failed'
  end
  return back == 'pending' and claims.state_after_release(task, back) or back
end

-- Ends the attempt of a planned task. A pending task goes to the front: it had its turn. `text`: what became of its
-- owner, if known.
-- @hot
function interruption.move(task, to, why, text)
  local more = {}
  if to == 'failed' then
    more = { 'group', 'lost', 'error', 'lost ' .. task.losses .. ' times: '
      .. (text or 'its owners stopped reporting') }
  elseif to == 'pending' then
    task.front, task.forget, more = true, { state.attempt_fields() }, { 'front', '1' }
  elseif to == 'scheduled' then
    task.forget, more = { state.attempt_fields() }, { 'front', '1', 'eta', task.eta }
    if task.own_eta then
      more[5], more[6] = 'retry_eta', '1'
    end
  elseif task.replaced then
    more = { claims.cancel_reason(task) }
  end
  state.move(task, to, why, '',
    'ended', task.token, 'outcome', 'lost', 'losses', task.losses,
    'fruitless', task.fruitless, unpack(more))
  orders.announce(task.queue)
end

-- Ends the attempt of an owner that was found dead. The task is pending at once if it made progress since the loss
-- before; else it waits, so that a task that crashes its owners does not hold up others.
function interruption.died(task, text)
  local v = redis.call('HMGET', namespace.prefix .. 'task_' .. task.id, 'max_losses', 'losses', 'fruitless')
  local to = interruption.target(task, 'pending', { max_losses = v[1], losses = v[2], fruitless = v[3] })
  if to == 'pending' and task.fruitless > 1 then
    to = retries.plan(task, math.min(2 ^ (task.fruitless - 2), 300) * 1000000)
  end
  state.plan(task, to)
  namespace.begin()
  interruption.move(task, to, 'lost', text)
  if to == 'pending' then
    state.wake(task.queue)
  end
  return 'lost'
end
