-- Holds a task that waits for its eta or for a listener, so that it does not start before it is released.
local holding = {}

-- Returns the code and text of a refusal to hold a task.
function holding.refuse(task)
  if task.status == 'waiting' then
    return 'STATE', 'the task waits for other tasks: hold it when it is pending, or hold a task that it waits for'
  elseif record.held(task) then
    return 'STATE', 'the task is ' .. task.status .. ': suspend it, or requeue it and then hold it'
  end
  return actions.refuse(task, 'scheduled or pending')
end

function holding.plan(task, spec)
  if task.status == 'held' then
    return -- repeated after a lost reply
  elseif task.status ~= 'pending' and task.status ~= 'scheduled' then
    return holding.refuse(task)
  end
  task.forget = { 'readied', 'promoted' } -- the history has them now
  actions.plan(task, 'held', spec)
end

function holding.hold(task, spec)
  state.move(task, 'held', 'hold', spec.by or '', 'held_by', spec.by or '')
end

-- Plans the release of a held task. It is scheduled if its eta is in the future. Otherwise it is pending, behind the
-- tasks that wait there, or at the front if an interruption had put it there.
function holding.plan_release(task, spec)
  if task.status ~= 'held' then
    return actions.refuse(task, 'held')
  end
  local eta, front, retry_eta = task.extra[3], task.extra[4], task.extra[5]
  if task.flags then
    holdings.load(task)
  end
  task.eta = eta
  if tonumber(eta or 0) * 1000000 > namespace.now_us then
    return actions.plan(task, 'scheduled', spec)
  end
  if retry_eta then -- not an eta from its submit
    task.forget = { 'eta', 'retry_eta' }
  end
  task.front = front and true
  task.turn = front and tonumber(redis.call('HGET', task.key, 'ended') or nil)
  actions.plan(task, 'pending', spec)
end

function holding.release(task, spec)
  state.move(task, task.to, 'unhold', spec.by or '')
  spec.wakes = task.to == 'pending' and task.queue or spec.wakes
end
